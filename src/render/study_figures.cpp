#include "scalelaw/render/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/ranges.hpp"
#include "fit/warns.hpp"
#include "render/figure_parts.hpp"
#include "render/labelled_range.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// The exponent of a group's law; null where it has none.
const Parameter* beta_of(const DrawnGroup& group) {
  const Fit* const fit = std::get_if<Fit>(&group.fit);
  if (fit == nullptr) return nullptr;
  return first_where(fit->parameters, [](const Parameter& one) { return one.name == "beta"; });
}

/// "beta 0.820 ± 0.012 (SE)", or the last parameter of a law without beta, or why there is no law.
std::string law_text(const DrawnGroup& group) {
  if (const auto* const failure = std::get_if<NoFit>(&group.fit)) {
    return fmt::format("no fit: {}", name_of(failure->code));
  }
  const Parameter* const beta = beta_of(group);
  const Parameter& shown = beta != nullptr ? *beta : std::get<Fit>(group.fit).parameters.back();
  return fmt::format("{} {}{}", shown.name, with_error(shown), shown.se ? " (SE)" : "");
}

/// The groups that one figure can tell apart. If there are many, each value of the first column in
/// which groups differ has a panel, and labels tell the others.
struct GroupedPanels {
  std::vector<std::string> titles;               ///< Of panels; one empty title for one panel.
  std::vector<std::vector<std::size_t>> groups;  ///< Indices of the groups in each.
  std::vector<std::string> labels;               ///< Of each group, by index.
  std::string legend;                            ///< What labels are values of.
  std::string shared;                            ///< What all groups have in common.
  std::size_t left_out = 0;                      ///< How many groups of the study are in no panel.
};

/// @param split  Makes a panel per value of the first column even if there are few groups.
GroupedPanels panels_of(const StudyAxes& axes, std::span<const DrawnGroup> groups, bool split) {
  const GroupLabels names = labels_of(axes, groups, split ? 1 : 0);
  const bool facets = split || groups.size() > kMostTogether;
  GroupedPanels out;
  out.shared = names.shared();
  out.left_out = axes.more_groups;
  out.legend = facets ? names.rest_columns() : names.columns();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupKey& key = groups[i].group;
    const std::string title = facets ? names.first_of(key) : "";
    out.labels.push_back(facets ? names.rest_of(key) : names.of(key));
    const bool is_new = out.titles.empty() || out.titles.back() != title;
    if (is_new ? out.titles.size() == kMostPanels : out.groups.back().size() == kMostTogether) {
      ++out.left_out;
      continue;
    }
    if (is_new) out.titles.push_back(title);
    if (is_new) out.groups.emplace_back();
    out.groups.back().push_back(i);
  }
  return out;
}

/// One style for each label in all panels, by their natural order, which other figures have, too.
std::map<std::string, std::size_t> styles_of(const GroupedPanels& grouped) {
  std::vector<std::string> labels;
  for (const auto& groups : grouped.groups) {
    for (const std::size_t group : groups) labels.push_back(grouped.labels[group]);
  }
  if (grouped.titles.size() > 1) {
    std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
      return shown_before({a}, {b});
    });
  }
  std::map<std::string, std::size_t> styles;
  for (const std::string& label : labels) styles.try_emplace(label, styles.size());
  return styles;
}

/// Makes a panel for each title, from its groups.
template <class Series>
std::vector<FigurePanel> make_panels(const StudyAxes& axes, std::span<const DrawnGroup> keys,
                                     const GroupedPanels& grouped, const FigurePanel& frame,
                                     Series series_of) {
  std::vector<FigurePanel> panels;
  const std::map<std::string, std::size_t> styles = styles_of(grouped);
  for (std::size_t i = 0; i < grouped.titles.size(); ++i) {
    FigurePanel panel = frame;
    panel.title = grouped.titles[i];
    for (const std::size_t group : grouped.groups[i]) {
      const std::string& label = grouped.labels[group];
      FigureSeries series = series_of(group);
      series.style = style_of(axes, keys[group].group, styles.at(label));
      // A panel with one group alone says its law in the title.
      if (grouped.titles.size() > 1 && label.empty()) panel.title += series.label;
      series.label = grouped.titles.size() == 1 ? series.label : label;
      panel.series.push_back(std::move(series));
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

/// The groups that are in some panel.
std::vector<const DrawnGroup*> groups_in(const GroupedPanels& grouped,
                                         std::span<const DrawnGroup> groups) {
  std::vector<const DrawnGroup*> drawn;
  for (const auto& panel : grouped.groups) {
    for (const std::size_t group : panel) drawn.push_back(&groups[group]);
  }
  return drawn;
}

/// Tells the least and the greatest exponent of the fits.
std::string exponent_range(const GroupLabels& names, std::span<const DrawnGroup* const> groups) {
  LabelledRange range;
  for (const DrawnGroup* const group : groups) {
    if (const auto* beta = beta_of(*group)) range.add(beta->estimate, names.of(group->group));
  }
  if (range.empty()) return "";
  return range.is_one_value() ? fmt::format(" The exponent is {:.3g}.", range.least())
                              : fmt::format(" Exponents range {}.", range.text("{:.3g}"));
}

/// Which groups the drawn law does not follow; empty if there are none.
std::string bent_groups(const GroupLabels& names, std::span<const DrawnGroup* const> groups) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> bent;
  for (const DrawnGroup* const group : groups) {
    const Fit* const fit = std::get_if<Fit>(&group->fit);
    const bool bends = fit != nullptr && warns(*fit, WarningCode::kCurved);
    if (bends) bent.push_back(names.of(group->group));
  }
  if (bent.empty()) return "";
  const std::string who = bent.size() > kMostNamed ? counted(bent.size(), "group") : joined(bent);
  return fmt::format(" The points{} bend away from the law.",
                     groups.size() == 1 ? "" : " of " + who);
}

/// What labels and titles say behind "±", where some do.
std::string error_words(const Figure& figure) {
  const auto has_error = [](const std::string& text) {
    return text.find("±") != std::string::npos;
  };
  const bool any =
      any_of(figure.panels, [&](const FigurePanel& panel) { return has_error(panel.title); }) ||
      any_series(figure, [&](const FigureSeries& series) { return has_error(series.label); });
  return any ? " ± is one standard error." : "";
}

/// "BERT from 0.856 (200) to 0.907 (100)" of each panel.
std::string exponents_by_panel(std::span<const DrawnGroup> groups, const GroupedPanels& grouped) {
  std::vector<std::string> panels;
  for (std::size_t i = 0; i < grouped.titles.size(); ++i) {
    LabelledRange range;
    for (const std::size_t group : grouped.groups[i]) {
      const Parameter* const beta = beta_of(groups[group]);
      if (beta != nullptr) range.add(beta->estimate, grouped.labels[group]);
    }
    if (range.is_one_value()) continue;
    panels.push_back(fmt::format("{} {}", grouped.titles[i], range.text("{:.3g}")));
  }
  return panels.empty() ? "" : fmt::format(" Exponents: {}.", joined(panels, "; "));
}

std::string interval_label(const Fit& fit) {
  return percent_text(fit.confidence) + " interval of the curve";
}

/// "means of runs with their range, and fitted laws with the interval of the curve", as far as they
/// are drawn.
std::string drawn_words(const Figure& figure) {
  const bool laws =
      any_series(figure, [](const FigureSeries& series) { return !series.curves.empty(); });
  return points_words(figure) + (laws ? ", fitted laws" : "") +
         (has_bands(figure) ? " with the interval of the curve" : "");
}

/// The slope that others printed, through the middle of the fitted curve: they print no alpha.
FigureCurve published_curve(const Fit& fit, double beta, const std::vector<double>& x) {
  const double middle = std::sqrt(fit.x_min * fit.x_max);
  const double sign = fit.response == Response::kTime ? -1 : 1;
  FigureCurve curve = curve_over(
      x, [&](double at) { return fit.curve(middle) * std::pow(at / middle, sign * beta); }, true);
  curve.label = "published exponent";
  return curve;
}

/// Panels of measured means and laws with the intervals of their curves.
std::vector<FigurePanel> law_panels(const StudyAxes& axes, std::span<const DrawnGroup> groups,
                                    const GroupedPanels& grouped) {
  const FigurePanel frame{.x = scale_axis(axes.x, axes.logarithmic),
                          .y = response_axis(axes.y, axes.logarithmic, axes.y_unit)};
  const GroupLabels names = labels_of(axes, groups);
  return make_panels(axes, groups, grouped, frame, [&](std::size_t i) {
    const DrawnGroup& group = groups[i];
    FigureSeries series{.label = fmt::format("{}  {}", grouped.labels[i], law_text(group))};
    series.points = mean_points(axes, names.of(group.group), group.cells);
    if (const Fit* fit = std::get_if<Fit>(&group.fit)) {
      const auto x = spaced(fit->x_min, fit->x_max, kCurvePoints, axes.logarithmic);
      series.curves.push_back(curve_of(*fit, x));
      series.curves.back().label = fmt::format("{} law", fit->law->name());
      if (group.published_beta) {
        series.curves.push_back(published_curve(*fit, *group.published_beta, x));
      }
      if (auto band = band_of(*fit, x)) {
        band->label = interval_label(*fit);
        series.bands.push_back(std::move(*band));
      }
    }
    return series;
  });
}

/// @param split  As that of panels_of().
Figure law_figure(const StudyAxes& axes, std::span<const DrawnGroup> all, bool split) {
  const std::vector<DrawnGroup> groups = first_shown(all, all.size());
  const GroupedPanels grouped = panels_of(axes, groups, split);
  Figure figure{.title = grouped.shared, .legend = grouped.legend};
  figure.panels = law_panels(axes, groups, grouped);
  const GroupLabels names = labels_of(axes, groups);
  const std::vector<const DrawnGroup*> drawn = groups_in(grouped, groups);
  figure.caption =
      fmt::format("{} over {}{}: {}.{}{}{}", axes.y, axes.x,
                  split ? fmt::format(", one panel per {} and one line per setting ({})",
                                      axes.by.front(), grouped.legend)
                        : "",
                  drawn_words(figure),
                  split ? exponents_by_panel(groups, grouped) : exponent_range(names, drawn),
                  bent_groups(names, drawn), split ? "" : error_words(figure));
  tell_left_out(figure, grouped.left_out);
  return figure;
}

}  // namespace

Axis scale_axis(const std::string& column, bool logarithmic) {
  return {.label = column, .scale = logarithmic ? AxisScale::kPowersOfTwo : AxisScale::kLinear};
}

Axis response_axis(const std::string& column, bool logarithmic, const std::string& unit) {
  return {.label = axis_label(column, unit),
          .scale = logarithmic ? AxisScale::kLogarithmic : AxisScale::kLinear};
}

Figure scaling_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  return law_figure(axes, groups, false);
}

Figure settings_figure(const StudyAxes& axes, std::span<const DrawnGroup> groups) {
  return law_figure(axes, groups, true);
}

}  // namespace scalelaw
