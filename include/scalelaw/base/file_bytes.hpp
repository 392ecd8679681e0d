#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace scalelaw {

/// Passes on the bytes of a file in blocks, until take() returns false. Streams of the standard
/// library are not used for this: to them, lack of memory is a file that ends or is not there.
/// @returns Why it could not be opened or read; no error if it could.
/// @throws std::bad_alloc
std::error_code read_blocks(const std::string& path,
                            const std::function<bool(std::string_view)>& take);

/// The first bytes of a file, at most `count`; empty if it cannot be read.
/// @throws std::bad_alloc
std::optional<std::string> first_bytes_of(const std::string& path,
                                          std::size_t count = std::string::npos);

/// The same of a regular file; empty for everything else, so that no pipe is opened.
/// @throws std::bad_alloc
std::string beginning_of(const std::string& path, std::size_t count);

}  // namespace scalelaw
