#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalelaw {

/// `value` with that many decimals. Zero has no minus, because "-0.00" reads like a mistake.
std::string fixed_text(double value, int decimals, bool with_plus = false);

/// `value` with that many significant digits, in plain notation between 1e-5 and 1e15: "0.8412",
/// "1234567".
std::string with_significant_digits(double value, int digits);

/// A p value for people: two significant digits, "< 0.0001" below that.
std::string p_text(double p);
/// The same after "p": "= 0.03", "< 0.0001".
std::string p_relation(double p);

/// A share, such as a level of confidence, with that many significant digits at most: "95 %".
std::string percent_text(double share, int digits = 6);

/// A value of the scale for people: whole numbers with all digits ("1048576"), others with six.
std::string scale_text(double value);

/// `text` in lines of at most `width` columns, broken at blanks; the lines after the first begin
/// with `indent` blanks. A word that is too long for a line is shortened. 0: one line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// `text` in at most `width` columns: what is too much is left out of its middle ("BER…lr=3e-4").
/// @param head  Columns that are kept of its beginning; empty: half of them.
std::string middle_shortened(std::string_view text, std::size_t width,
                             std::optional<std::size_t> head = {});

/// How several texts are shortened so that different ones stay different.
struct Shortening {
  std::vector<bool> common = {};         ///< The words that all have, which are left out first.
  std::optional<std::size_t> head = {};  ///< For middle_shortened.
};

/// Half of the beginning, or what is next to it; else the words that all have are left out.
Shortening telling_shortening(const std::set<std::string>& texts, std::size_t width);

std::string shortened_as(const Shortening& how, std::string_view text, std::size_t width);

/// An estimate and its standard error, to the same number of decimals.
struct RoundedEstimate {
  std::string estimate;
  std::string se;  ///< Empty where there is none.
};

/// Rounds a standard error to two significant digits and the estimate to the same decimals; four
/// significant digits where there is no standard error.
RoundedEstimate rounded(double estimate, std::optional<double> se);

/// The decimals that rounded() uses, for numbers beside an estimate, such as ends of its interval.
int decimals_for(double estimate, std::optional<double> se);

/// `text` with other words for some, wherever they stand: one replacement after the other.
std::string replaced(
    std::string text,
    std::initializer_list<std::pair<std::string_view, std::string_view>> replacements);

}  // namespace scalelaw
