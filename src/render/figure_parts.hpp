#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ranges.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/study_figures.hpp"

namespace scalelaw {

constexpr std::size_t kMostTogether = 8;  ///< Series of one panel; there are no more colours.
constexpr std::size_t kMostPanels = 12;

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

/// Tells below the figure and at the end of its caption how many groups it leaves out.
inline void tell_left_out(Figure& figure, std::size_t groups) {
  figure.caption += not_drawn(groups);
  figure.note = drawn_note(groups);
}

/// Whether some series of a figure passes a test.
template <class Test>
bool any_series(const Figure& figure, Test test) {
  return any_of(figure.panels,
                [&](const FigurePanel& panel) { return any_of(panel.series, test); });
}

inline bool has_bands(const Figure& figure) {
  return any_series(figure, [](const FigureSeries& series) { return !series.bands.empty(); });
}

inline bool has_bars(const Figure& figure) {
  return any_series(figure, [](const FigureSeries& one) { return !one.points.bars.empty(); });
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

/// How a figure names the groups that it draws: by the columns in which they differ, with units.
class GroupLabels {
 public:
  /// @param kept  So many of the first columns are named even if all groups agree.
  GroupLabels(std::vector<std::string> by, const std::vector<const GroupKey*>& groups,
              std::size_t kept = 0);

  /// "BERT, 250 W"; of the only group all values, and "all runs" without group columns.
  std::string of(const GroupKey& group) const;
  /// The columns of the names: "model, power_cap_w".
  std::string columns() const;
  /// What all groups share: "250 W, 1380 MHz"; empty where a group stands alone.
  std::string shared() const;
  /// How many columns tell the groups apart.
  std::size_t count() const { return named_.size(); }
  /// The name of a group by the first of these columns alone, and by the others.
  std::string first_of(const GroupKey& group) const;
  std::string rest_of(const GroupKey& group) const;
  std::string rest_columns() const;

 private:
  std::string values(const GroupKey& group, std::span<const std::size_t> columns) const;

  std::vector<std::string> by_;
  std::vector<std::size_t> named_;   ///< Columns in which groups differ,
  std::vector<std::size_t> common_;  ///< and those in which they agree.
  GroupKey first_;
};

/// The order in which figures show groups: numbers by value, also inside of names, so that M2 comes
/// before M10.
bool shown_before(const GroupKey& a, const GroupKey& b);

/// Where the groups are, in that order.
template <class Group>
std::vector<const Group*> in_shown_order(std::span<const Group> groups) {
  std::vector<const Group*> order;
  for (const Group& group : groups) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(),
                   [](const Group* a, const Group* b) { return shown_before(a->group, b->group); });
  return order;
}

/// The first groups in that order.
template <class Group>
std::vector<Group> first_shown(std::span<const Group> groups, std::size_t most) {
  std::vector<Group> first;
  for (const Group* const group : in_shown_order(groups)) {
    if (first.size() < most) first.push_back(*group);
  }
  return first;
}

/// How many groups of its study a figure leaves out that draws some of those that it was given.
inline std::size_t left_out(const StudyAxes& axes, std::size_t given, std::size_t drawn) {
  return axes.more_groups + given - drawn;
}

/// The labels of what a figure draws: a range of groups with a member `group`.
template <class Groups>
GroupLabels labels_of(const StudyAxes& axes, const Groups& groups, std::size_t kept = 0) {
  std::vector<const GroupKey*> keys;
  for (const auto& one : groups) keys.push_back(&one.group);
  return GroupLabels(axes.by, keys, kept);
}

/// The style of a group: its own in all figures of a study of few groups, else its place here.
std::size_t style_of(const StudyAxes& axes, const GroupKey& group, std::size_t place);

constexpr int kCurvePoints = 97;

/// The runs at one x, summarised.
struct Level {
  double x = 0;
  double count = 0;
  double log_mean = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
};
std::vector<Level> levels_of(std::span<const Cell> cells);

/// The range of values; empty where it is none.
std::optional<Interval> range_of(double least, double greatest);

/// "BERT, gpus 4: 27.00".
std::string note_of(const std::string& label, const std::string& x, double at, double y);

/// The centre of the runs at each x on the scale of the fit, in the unit of y, with their range.
FigurePoints mean_points(const StudyAxes& axes, const std::string& label,
                         std::span<const Cell> cells);

/// What the points of such figures are, for captions: "means of runs with their range", or "runs"
/// where no x has several.
std::string points_words(const Figure& figure);

FigureCurve curve_of(const Fit& fit, const std::vector<double>& x, bool dashed = false);

/// The interval of the curve; empty where it is not defined.
std::optional<FigureBand> band_of(const Fit& fit, const std::vector<double>& x);

}  // namespace scalelaw
