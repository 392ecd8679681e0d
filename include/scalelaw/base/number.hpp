#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace scalelaw {

/// Greatest whole number that a double distinguishes from the next one.
inline constexpr double kMostWhole = 9007199254740991;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The finite number in `text`; empty if `text` is anything else.
///
/// A number has decimal or scientific notation in the C locale and an optional sign. It has no
/// surrounding blanks and is not hexadecimal, "inf" or "nan". It is correctly rounded. Empty if it
/// is too large for double; 0 if it is too small.
std::optional<double> parse_number(std::string_view text);

/// What a letter or word behind a number stands for: 1e6 for "M" and "million"; empty for others.
std::optional<double> magnitude(std::string_view word);

/// Whether `text` spells infinity or a number too large for double.
bool is_infinite(std::string_view text);

/// Whether `text` means "no value": empty, NA, N/A, [N/A], [Not Supported], nan, null (in any case,
/// with blanks around).
bool is_missing(std::string_view text);

/// The shortest text that reads back as the same number; empty without a finite one.
std::string exact_text(std::optional<double> number);

/// `text` without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// Appends the shortest decimal that reads back as the same double; the text of fmt's "{}".
void append_exact(std::string& out, double value);

}  // namespace scalelaw
