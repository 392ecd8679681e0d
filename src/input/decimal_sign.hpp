#pragma once

#include <optional>
#include <string_view>

namespace scalelaw {

/// The decimal sign of the numbers in a text, '.' or ',': "12.5 ms", "99,3 %". Empty if it has no
/// such numbers, or both. Versions and lists of numbers are none.
std::optional<char> decimal_sign_in(std::string_view text);

}  // namespace scalelaw
