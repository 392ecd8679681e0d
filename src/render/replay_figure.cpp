// Replayed policies over recurrences.

#include "scalelaw/render/replay_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "render/replay_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostCases = 8;

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
  std::copy_if(std::begin(kTraits), std::end(kTraits), std::back_inserter(telling),
               [&](const Trait& trait) {
                 return std::any_of(cases.begin(), cases.end(), [&](const DrawnCase& one) {
                   return trait.text(*one.row) != trait.text(*cases.front().row);
                 });
               });
  if (telling.empty()) telling.push_back(kTraits[0]);
  return telling;
}

std::string label_of(const StudyRow& row, const std::vector<Trait>& traits) {
  return joined_texts(traits, ", ", [&row](const Trait& trait) { return trait.text(row); });
}

using ValueOf = std::function<std::optional<CurveValue>(const CurvePoint&)>;

FigureSeries series_of(const DrawnCase& drawn, const ValueOf& value_of) {
  FigureSeries series;
  FigureCurve curve;
  FigureBand band;
  for (std::size_t r = 0; r < drawn.summary->curve.size(); ++r) {
    const auto value = value_of(drawn.summary->curve[r]);
    if (!value) continue;
    const auto x = static_cast<double>(r + 1);
    curve.x.push_back(x);
    curve.y.push_back(value->mean);
    const Interval ci = value->ci.value_or(Interval{value->mean, value->mean});
    band.x.push_back(x);
    band.lower.push_back(ci.lower);
    band.upper.push_back(ci.upper);
  }
  if (curve.x.empty()) return series;
  series.points = {.x = {curve.x.back()},
                   .y = {curve.y.back()},
                   .notes = {fmt::format("after {} recurrences: {}", scale_text(curve.x.back()),
                                         with_significant_digits(curve.y.back(), 4))}};
  series.curves.push_back(std::move(curve));
  series.bands.push_back(std::move(band));
  return series;
}

FigurePanel panel_of(const std::string& title, const std::string& axis, double level,
                     const std::string& level_name, const std::vector<DrawnCase>& cases,
                     const std::vector<Trait>& traits, const ValueOf& value_of) {
  FigurePanel panel{.title = title, .x = {.label = "recurrence"}, .y = {.label = axis}};
  double last = 1;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    FigureSeries series = series_of(cases[i], value_of);
    if (series.points.x.empty()) continue;
    last = std::max(last, series.points.x.back());
    series.label = label_of(*cases[i].row, traits);
    series.points.notes.front() = series.label + " " + series.points.notes.front();
    series.style = i;
    panel.series.push_back(std::move(series));
  }
  panel.references = {{{1, last}, {level, level}, level_name}};
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
                     label_of(*best->row, traits), share_text(best->summary->cost_saving->mean),
                     best->summary->recurrences, cases.size() > 1 ? ", more than the others" : "");
}

}  // namespace

Figure replay_figure(const ReplayStudyReport& study) {
  std::vector<DrawnCase> cases = drawn_cases(study);
  const std::size_t all = cases.size();
  cases.resize(std::min(all, kMostCases));
  const std::vector<Trait> traits = telling_traits(cases);

  Figure figure;
  figure.legend = joined_texts(traits, ", ", [](const Trait& trait) { return trait.name; });
  figure.panels = {panel_of("cost so far", "cost over that of the default", 1, "default", cases,
                            traits, [](const CurvePoint& point) { return point.cost_ratio; }),
                   panel_of("energy so far", "energy over that of the default", 1, "default", cases,
                            traits, [](const CurvePoint& point) { return point.energy_ratio; }),
                   panel_of("time so far", "time over that of the default", 1, "default", cases,
                            traits, [](const CurvePoint& point) { return point.time_ratio; }),
                   panel_of("regret so far", "cost above the oracle's [J]", 0, "oracle", cases,
                            traits, [](const CurvePoint& point) { return point.regret; })};
  // Without a way to the target there is no oracle, and no default to compare with.
  std::erase_if(figure.panels, [](const FigurePanel& panel) { return panel.series.empty(); });
  if (figure.panels.empty()) throw DataError("no case of the study ever reaches its target");
  figure.caption = fmt::format(
      "What policies have spent after each recurrence, over what the default batch size at the "
      "highest limit is expected to take, and their regret; means of {} seed{} with {:g} % "
      "intervals.{}",
      study.seeds.size(), study.seeds.size() == 1 ? "" : "s", 100 * study.confidence,
      best_text(cases, traits));
  if (all > cases.size()) {
    figure.caption += fmt::format(" {} more cases are not drawn.", all - cases.size());
  }
  return figure;
}

}  // namespace scalelaw
