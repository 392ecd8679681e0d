#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "scalelaw/base/text.hpp"
#include "scalelaw/render/figure.hpp"

namespace scalelaw {

constexpr std::size_t kMostTogether = 8;  ///< Series of one panel; there are no more colours.
constexpr std::size_t kMostPanels = 12;

/// The values of a group in legends; `all` without group columns.
inline std::string label_of(const std::vector<std::string>& group, std::string_view all) {
  return group.empty() ? std::string(all) : joined(group);
}

/// The end of a caption that tells how many groups are left out; empty if none is.
inline std::string not_drawn(std::size_t groups) {
  if (groups == 0) return "";
  return groups == 1 ? " 1 more group is not drawn."
                     : fmt::format(" {} more groups are not drawn.", groups);
}

/// The same inside the figure: "32 more groups are not drawn".
inline std::string drawn_note(std::size_t left_out) {
  const std::string text = not_drawn(left_out);
  return text.empty() ? "" : text.substr(1, text.size() - 2);
}

/// So many places from one end to the other, evenly spaced on a logarithmic or linear axis.
inline std::vector<double> spaced(double least, double greatest, int count,
                                  bool logarithmic = true) {
  std::vector<double> places;
  for (int i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / (count - 1);
    places.push_back(logarithmic ? least * std::pow(greatest / least, part)
                                 : least + part * (greatest - least));
  }
  return places;
}

/// The curve through `y_at(x)` at each of the places.
template <class Function>
FigureCurve curve_over(const std::vector<double>& places, Function y_at, bool dashed = false) {
  FigureCurve curve{.dashed = dashed};
  for (const double x : places) curve.add(x, y_at(x));
  return curve;
}

/// The least and the greatest of some values, with their labels; of equal values the first.
class LabelledRange {
 public:
  void add(double value, const std::string& label) {
    if (empty_ || value < least_) std::tie(least_, least_label_) = std::tie(value, label);
    if (empty_ || value > greatest_) std::tie(greatest_, greatest_label_) = std::tie(value, label);
    empty_ = false;
  }
  bool empty() const { return empty_; }
  bool is_one_value() const { return least_ == greatest_; }
  double least() const { return least_; }
  /// "from 0.82 (A) to 0.91 (B)"; the values by a format such as "{:.3g}".
  std::string text(fmt::format_string<const double&> value) const {
    return fmt::format("from {} ({}) to {} ({})", fmt::format(value, least_), least_label_,
                       fmt::format(value, greatest_), greatest_label_);
  }

 private:
  bool empty_ = true;
  double least_ = 0;
  double greatest_ = 0;
  std::string least_label_;
  std::string greatest_label_;
};

}  // namespace scalelaw
