#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>

#include "scalelaw/trace/ingest.hpp"
#include "trace/unit_reader.hpp"

// What the beginning of a file tells: its format, or why it is of no known one.
namespace scalelaw {

/// A file after its beginning was examined.
struct LookedAt {
  const TraceFormat* format = nullptr;  ///< nullptr if there is none; `error` says why.
  std::shared_ptr<OpenedTrace> opened;
  std::uint64_t bytes = 0;
  std::string error;
  bool unknown = false;  ///< The file can be read, and is of no known format.
};

/// What one rank tells the others of a file.
template <class Looked>
requires std::is_same_v<std::remove_const_t<Looked>, LookedAt>
auto parts_of(Looked& at) { return std::tie(at.format, at.bytes, at.error, at.unknown); }

/// The names of all formats, "a, b and c".
std::string names_of_formats();

/// What the memory knows about a file; empty if it does not know the file.
LookedAt known_file(const std::string& path, UnitMemory& memory);

/// Looks at the beginning of a file. Does not throw an Error: LookedAt::error tells it.
LookedAt look_at(const std::string& path, const IngestOptions& options);

}  // namespace scalelaw
