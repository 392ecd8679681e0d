// The figure of the likelihood of a parameter.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/figure_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/study_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr double kCutsShown = 2.2;  ///< How far down the panels reach.

std::string ends_text(const Parameter& parameter, const std::optional<Interval>& interval) {
  const Shown shown = decimals(decimals_for(parameter.estimate, parameter.se));
  return interval_text(
      interval, [shown](double end) { return shown_text(end, shown); }, " to ");
}

/// "beta 0.820 (0.795 to 0.845)".
std::string estimate_text(const Parameter& parameter) {
  return fmt::format("{} {} ({})", parameter.name,
                     rounded(parameter.estimate, parameter.se).estimate,
                     ends_text(parameter, parameter.ci));
}

/// The height at which an end of an interval is drawn: the cut, or the profile itself if the range
/// of the parameter ends before the cut.
double height_of(const LikelihoodProfile& profile, double end) {
  for (const LikelihoodPoint* last : {&profile.points.front(), &profile.points.back()}) {
    if (last->value == end) return last->log_ratio.value_or(profile.cut);
  }
  return profile.cut;
}

FigurePoints ends_of(const std::string& kind, const LikelihoodProfile& profile,
                     const std::optional<Interval>& interval) {
  FigurePoints points;
  if (!interval) return points;
  for (const double end : {interval->lower, interval->upper}) {
    if (!std::isfinite(end)) continue;
    points.add(end, height_of(profile, end),
               fmt::format("{} {:g} %: {}", kind, 100 * profile.confidence,
                           with_significant_digits(end, 5)));
  }
  return points;
}

FigureCurve curve_of(const LikelihoodProfile& profile,
                     std::optional<double> LikelihoodPoint::*height, bool dashed) {
  FigureCurve curve{.dashed = dashed};
  for (const LikelihoodPoint& point : profile.points) {
    const std::optional<double>& log_ratio = point.*height;
    if (log_ratio && *log_ratio >= kCutsShown * profile.cut) curve.add(point.value, *log_ratio);
  }
  return curve;
}

FigurePanel panel_of(const GroupLabels& names, const DrawnProfile& drawn) {
  const LikelihoodProfile& profile = drawn.profile;
  const Parameter& parameter = profile.parameter;
  FigureSeries wald{.label = "Wald", .style = 1};
  wald.points = ends_of("Wald", profile, parameter.wald_ci);
  wald.curves = {curve_of(profile, &LikelihoodPoint::wald_log_ratio, true)};
  FigureSeries held{.label = "profile", .style = 0};
  held.points = ends_of("profile", profile, parameter.ci);
  held.curves = {curve_of(profile, &LikelihoodPoint::log_ratio, false)};

  FigurePanel panel{
      .title = drawn.group.empty() ? "" : names.of(drawn.group),
      .x = {.label = estimate_text(parameter)},
      .y = {.label = "log-likelihood less its maximum", .greatest = -0.1 * profile.cut}};
  panel.series = {std::move(wald), std::move(held)};
  const double first = profile.points.front().value;
  const double last = profile.points.back().value;
  panel.references = {
      {{first, last}, {profile.cut, profile.cut}, fmt::format("{:g} %", 100 * profile.confidence)},
      {{parameter.estimate, parameter.estimate}, {kCutsShown * profile.cut, 0}, ""}};
  return panel;
}

double width_of(const DrawnProfile& drawn) {
  const auto& ci = drawn.profile.parameter.ci;
  return ci ? ci->upper - ci->lower : 0;
}

/// Tells the widest interval, and what Wald's is there.
std::string widest_text(std::span<const DrawnProfile> groups) {
  const auto widest = std::max_element(
      groups.begin(), groups.end(),
      [](const DrawnProfile& a, const DrawnProfile& b) { return width_of(a) < width_of(b); });
  const Parameter& parameter = widest->profile.parameter;
  return fmt::format(
      " {}{}, Wald's {}.",
      groups.size() == 1 ? "" : fmt::format("Widest: {} ", joined(widest->group, " ")),
      estimate_text(parameter), ends_text(parameter, parameter.wald_ci));
}

}  // namespace

Figure profile_figure(const StudyAxes& axes, const Law& law, std::span<const DrawnProfile> all) {
  const std::vector<DrawnProfile> groups = first_shown(all, kMostPanels);
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{.title = names.shared()};
  for (const DrawnProfile& drawn : groups) figure.panels.push_back(panel_of(names, drawn));
  figure.caption = fmt::format(
      "How likely values of {} are under the {} law, relative to the estimate: the {:g} % interval "
      "holds those above the line. Dashed: as Wald's interval takes it.{}",
      groups.front().profile.parameter.name, law.name(), 100 * groups.front().profile.confidence,
      widest_text(groups));
  tell_left_out(figure, left_out(axes, all.size(), groups.size()));
  return figure;
}

}  // namespace scalelaw
