#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalelaw {

/// Greatest whole number that a double tells from the next.
inline constexpr double kMostWhole = 9007199254740991;

/// The finite number that is the whole of `text`, or nothing.
///
/// Decimal or scientific notation in the C locale, an optional sign, no surrounding blanks, no
/// hexadecimal, no "inf" or "nan". Correctly rounded. A number beyond the range of double is
/// nothing, one below it is 0.
std::optional<double> parse_number(std::string_view text);

/// Whether `text` spells infinity or a number too large for double.
bool is_infinite(std::string_view text);

/// Whether `text` is one of the spellings of "no value": empty, NA, N/A, [N/A], [Not Supported],
/// nan, null (any case, surrounding blanks ignored).
bool is_missing(std::string_view text);

/// The shortest text that reads back as the same number; empty where there is none, or none that is
/// finite.
std::string exact_text(std::optional<double> number);

/// `text` without blanks and tabs at either end.
std::string_view trimmed(std::string_view text);

}  // namespace scalelaw
