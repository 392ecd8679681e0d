#include "render/figure_parts.hpp"

#include <string_view>
#include <utility>

#include "render/reader_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The digits at the beginning of a text, without zeros before them.
std::string_view leading_digits(std::string_view text, std::size_t& length) {
  length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  std::size_t zeros = 0;
  while (zeros + 1 < length && text[zeros] == '0') ++zeros;
  return text.substr(zeros, length - zeros);
}

/// Names with the numbers inside of them by value.
bool name_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    std::size_t length_a = 1;
    std::size_t length_b = 1;
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = leading_digits(a, length_a);
      const std::string_view y = leading_digits(b, length_b);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    } else if (a.front() != b.front()) {
      return a.front() < b.front();
    }
    a.remove_prefix(length_a);
    b.remove_prefix(length_b);
  }
  return a.empty() && !b.empty();
}

}  // namespace

bool shown_before(const GroupKey& a, const GroupKey& b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const std::string& x, const std::string& y) {
        return parse_number(x) || parse_number(y) ? natural_less(x, y) : name_before(x, y);
      });
}

GroupLabels::GroupLabels(std::vector<std::string> by, const std::vector<const GroupKey*>& groups,
                         std::size_t kept)
    : by_(std::move(by)) {
  if (!groups.empty()) first_ = *groups.front();
  // A report names groups by one text in place of their values.
  if (first_.size() < by_.size()) by_.assign(first_.size(), joined(by_));
  for (std::size_t i = 0; i < by_.size(); ++i) {
    const bool differs =
        any_of(groups, [&](const GroupKey* group) { return (*group)[i] != first_[i]; });
    (differs || groups.size() < 2 || i < kept ? named_ : common_).push_back(i);
  }
}

std::string GroupLabels::values(const GroupKey& group, std::span<const std::size_t> columns) const {
  std::vector<std::string> texts;
  for (const std::size_t i : columns) texts.push_back(value_with_unit(by_[i], group[i]));
  return joined(texts);
}

std::string GroupLabels::of(const GroupKey& group) const {
  const std::string name = values(group, named_);
  return name.empty() ? "all runs" : name;
}

std::string GroupLabels::columns() const {
  return joined_texts(named_, ", ", [this](std::size_t i) { return by_[i]; });
}

std::string GroupLabels::shared() const { return values(first_, common_); }

std::string GroupLabels::first_of(const GroupKey& group) const {
  return values(group, std::span(named_).first(std::min<std::size_t>(1, named_.size())));
}

std::string GroupLabels::rest_of(const GroupKey& group) const {
  return values(group, std::span(named_).subspan(std::min<std::size_t>(1, named_.size())));
}

std::string GroupLabels::rest_columns() const {
  return joined_texts(std::span(named_).subspan(std::min<std::size_t>(1, named_.size())), ", ",
                      [this](std::size_t i) { return by_[i]; });
}

std::size_t style_of(const StudyAxes& axes, const GroupKey& group, std::size_t place) {
  if (axes.groups.empty() || axes.groups.size() > kMostTogether) return place;
  const auto found = std::find(axes.groups.begin(), axes.groups.end(), group);
  return found == axes.groups.end() ? place : static_cast<std::size_t>(found - axes.groups.begin());
}

std::vector<Level> levels_of(std::span<const Cell> cells) {
  std::vector<Level> levels;
  for (const Cell& cell : cells) {
    if (levels.empty() || levels.back().x != cell.x) {
      levels.push_back({cell.x, 0, 0, 0, cell.min, cell.max});
    }
    Level& level = levels.back();
    const auto count = static_cast<double>(cell.count);
    level.count += count;
    level.log_mean += (cell.mean_log - level.log_mean) * count / level.count;
    level.mean += (cell.mean - level.mean) * count / level.count;
    level.min = std::min(level.min, cell.min);
    level.max = std::max(level.max, cell.max);
  }
  return levels;
}

std::optional<Interval> range_of(double least, double greatest) {
  return greatest > least ? std::optional(Interval{least, greatest}) : std::nullopt;
}

std::string note_of(const std::string& label, const std::string& x, double at, double y) {
  return fmt::format("{}{}{} {}: {}", label, label.empty() ? "" : ", ", x, scale_text(at),
                     with_significant_digits(y, 4));
}

FigurePoints mean_points(const StudyAxes& axes, const std::string& label,
                         std::span<const Cell> cells) {
  FigurePoints points{.label = "run"};
  for (const Level& level : levels_of(cells)) {
    if (level.count > 1) points.label = "mean of runs";
    if (level.max > level.min) points.bars = "range of runs";
    const double y = axes.logarithmic ? std::exp(level.log_mean) : level.mean;
    points.add(level.x, y, note_of(label, axes.x, level.x, y), range_of(level.min, level.max));
  }
  return points;
}

FigureCurve curve_of(const Fit& fit, const std::vector<double>& x, bool dashed) {
  return curve_over(
      x, [&fit](double at) { return fit.curve(at); }, dashed);
}

std::optional<FigureBand> band_of(const Fit& fit, const std::vector<double>& x) {
  FigureBand band;
  for (const double at : x) {
    const auto ci = fit.curve_ci(at);
    if (!ci) return std::nullopt;
    band.add(at, *ci);
  }
  return band;
}

std::string points_words(const Figure& figure) {
  const bool means = any_series(
      figure, [](const FigureSeries& series) { return series.points.label == "mean of runs"; });
  if (!means) return "runs";
  return has_bars(figure) ? "means of runs with their range" : "means of runs";
}

}  // namespace scalelaw
