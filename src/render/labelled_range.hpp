#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tuple>

namespace scalelaw {

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
  std::string text(fmt::format_string<const double&> value, std::string_view from = "from",
                   std::string_view to = "to") const {
    return fmt::format("{} {} ({}) {} {} ({})", from, fmt::format(value, least_), least_label_, to,
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
