// Replayed policies over recurrences.

#include "base/ranges.hpp"
#include "scalelaw/render/result_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/figure_parts.hpp"
#include "render/reader_words.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

struct DrawnCase {
  const StudyRow* row;
  const CaseSummary* summary;
};

std::vector<DrawnCase> drawn_cases(const ReplayStudyReport& study) {
  std::vector<DrawnCase> cases;
  for (const StudyRow& row : study.rows) {
    const auto* summary = std::get_if<CaseSummary>(&row.result);
    if (summary != nullptr && !summary->curve.empty()) cases.push_back({&row, summary});
  }
  if (cases.empty()) throw DataError("no case of the study has a result to draw");
  return cases;
}

/// What tells cases apart, and its name.
struct Trait {
  std::string_view name;
  std::string (*text)(const StudyRow& row);
};

constexpr Trait kTraits[] = {
    {"policy",
     [](const StudyRow& row) { return std::string(name_of(row.settings.policy.batch_size)); }},
    {"mode", [](const StudyRow& row) { return std::string(name_of(row.settings.policy.mode)); }},
    {"dataset", [](const StudyRow& row) { return row.dataset; }},
    {"gpu", [](const StudyRow& row) { return row.gpu; }},
    {"eta", [](const StudyRow& row) { return fmt::format("eta {:g}", row.settings.policy.eta); }},
    {"beta", [](const StudyRow& row) { return "beta " + beta_text(row.settings.beta); }}};

/// The traits in which cases differ; the policy where they do in none.
std::vector<Trait> telling_traits(const std::vector<DrawnCase>& cases) {
  std::vector<Trait> telling;
  for (const Trait& trait : kTraits) {
    const std::string first = trait.text(*cases.front().row);
    if (any_of(cases, [&](const DrawnCase& one) { return trait.text(*one.row) != first; })) {
      telling.push_back(trait);
    }
  }
  if (telling.empty()) telling.push_back(kTraits[0]);
  return telling;
}

std::string label_of(const StudyRow& row, const std::vector<Trait>& traits) {
  return joined_texts(traits, ", ", [&row](const Trait& trait) { return trait.text(row); });
}

/// A panel of the figure: what it shows over recurrences, and the level to compare it with.
struct DrawnQuantity {
  const char* title;
  const char* axis;
  double level;
  const char* level_name;
  std::optional<CurveValue> CurvePoint::*value;
};

constexpr DrawnQuantity kQuantities[] = {
    {"cost so far", "cost over that of the default", 1, "default", &CurvePoint::cost_ratio},
    {"energy so far", "energy over that of the default", 1, "default", &CurvePoint::energy_ratio},
    {"time so far", "time over that of the default", 1, "default", &CurvePoint::time_ratio},
    {"regret so far", "cost above the oracle's [J]", 0, "oracle", &CurvePoint::regret}};

/// @param place  Of the case: its style and the dashes of its line.
FigureSeries series_of(const DrawnCase& drawn, const DrawnQuantity& quantity, std::size_t place,
                       double confidence) {
  FigureSeries series{.label = "", .style = place, .pattern = place};
  FigureCurve curve;
  FigureBand band{.label = percent_text(confidence) + " interval of the mean"};
  bool has_interval = false;
  for (std::size_t r = 0; r < drawn.summary->curve.size(); ++r) {
    const std::optional<CurveValue>& value = drawn.summary->curve[r].*quantity.value;
    if (!value) continue;
    const auto x = static_cast<double>(r + 1);
    curve.add(x, value->mean);
    has_interval = has_interval || value->ci.has_value();
    band.add(x, value->ci.value_or(Interval{value->mean, value->mean}));
  }
  if (curve.x.empty()) return series;
  series.points.add(curve.x.back(), curve.y.back(),
                    fmt::format("after {} recurrences: {}", scale_text(curve.x.back()),
                                with_significant_digits(curve.y.back(), 4)));
  series.curves.push_back(std::move(curve));
  if (has_interval) series.bands.push_back(std::move(band));
  return series;
}

FigurePanel panel_of(const DrawnQuantity& quantity, const std::vector<DrawnCase>& cases,
                     const std::vector<Trait>& traits, double confidence) {
  FigurePanel panel{.title = quantity.title,
                    .x = {.label = "recurrence", .least = 1},
                    .y = {.label = quantity.axis}};
  double last = 1;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    FigureSeries series = series_of(cases[i], quantity, i, confidence);
    if (series.points.x.empty()) continue;
    last = std::max(last, series.points.x.back());
    series.label = label_of(*cases[i].row, traits);
    series.points.notes.front() = series.label + " " + series.points.notes.front();
    panel.series.push_back(std::move(series));
  }
  panel.references = {{{1, last}, {quantity.level, quantity.level}, quantity.level_name}};
  return panel;
}

/// A policy that others are compared with: fixed knobs, or the best ones known beforehand.
bool is_yardstick(const DrawnCase& one) {
  const BatchSizeRule kind = one.row->settings.policy.batch_size;
  return kind == BatchSizeRule::kDefault || kind == BatchSizeRule::kOracle;
}

/// "zeus: 12.3 % of the cost saved, more than the others": of policies that do not know the best
/// knobs.
std::string best_text(const std::vector<DrawnCase>& cases, const std::vector<Trait>& traits) {
  const DrawnCase* best = nullptr;
  for (const DrawnCase& one : cases) {
    if (!one.summary->cost_saving || is_yardstick(one)) continue;
    if (best == nullptr || one.summary->cost_saving->mean > best->summary->cost_saving->mean) {
      best = &one;
    }
  }
  if (best == nullptr) return "";
  return fmt::format(" {}: {} of the cost saved after {} recurrences{}.",
                     label_of(*best->row, traits),
                     shown_text(best->summary->cost_saving->mean, percent(1)),
                     best->summary->recurrences, cases.size() > 1 ? ", more than the others" : "");
}

/// "means of 20 seeds with 95 % intervals", as far as they are drawn.
std::string drawn_text(const Figure& figure, const ReplayStudyReport& study) {
  const std::string seeds = counted(study.seeds.size(), "seed");
  if (study.seeds.size() == 1) return "the values of " + seeds;
  return fmt::format(
      "means of {}{}", seeds,
      has_bands(figure) ? fmt::format(" with {:g} % intervals", 100 * study.confidence) : "");
}

}  // namespace

Figure replay_figure(const ReplayStudyReport& study) {
  std::vector<DrawnCase> cases = drawn_cases(study);
  const std::size_t all = cases.size();
  cases.resize(std::min(all, kMostTogether));
  const std::vector<Trait> traits = telling_traits(cases);

  Figure figure{.legend =
                    joined_texts(traits, ", ", [](const Trait& trait) { return trait.name; })};
  for (const DrawnQuantity& quantity : kQuantities) {
    figure.panels.push_back(panel_of(quantity, cases, traits, study.confidence));
  }
  // Without a way to the target there is no oracle, and no default to compare with.
  std::erase_if(figure.panels, [](const FigurePanel& panel) { return panel.series.empty(); });
  if (figure.panels.empty()) throw DataError("no case of the study ever reaches its target");
  figure.caption = fmt::format(
      "What policies have spent after each recurrence, over what the default batch size at the "
      "highest limit is expected to take, and their regret; {}.{}",
      drawn_text(figure, study), best_text(cases, traits));
  if (all > cases.size()) {
    figure.note = counted(all - cases.size(), "more case", "is", "are") + " not drawn";
    figure.caption += " " + figure.note + ".";
  }
  return figure;
}

}  // namespace scalelaw
