#include "scalelaw/judge/study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "judge/levels.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// The warnings of a fit with which trust is not high: of a curve that does not describe its runs,
/// or that one run moves.
constexpr std::array kDoubts{WarningCode::kCurved, WarningCode::kLackOfFit,
                             WarningCode::kInfluential, WarningCode::kOutlier};

/// The measured scales, the greatest first.
std::vector<double> scales_from_greatest(std::span<const Cell> cells) {
  const std::vector<std::size_t> begins = level_begins(cells);
  std::vector<double> scales;
  for (std::size_t k = begins.size() - 1; k-- > 0;) scales.push_back(cells[begins[k]].x);
  return scales;
}

/// The forecast at the greatest of the scales at which the curve keeps enough, else at the last.
/// Without an ideal it is that at the scale of the best response by the curve.
ScaleOutlook advised_scale(std::span<const double> scales, const Outlook& outlook,
                           const OutlookOptions& options, Ideal ideal) {
  OutlookOptions asked;
  asked.hours_per_unit = options.hours_per_unit;
  asked.footprint = options.footprint;
  std::optional<ScaleOutlook> best;
  for (const double x : scales) {
    asked.at = {x};
    ScaleOutlook there = outlook_of(outlook.forecast, outlook.energy, asked).scales.front();
    if (ideal == Ideal::kNone) {
      if (!best || there.y.speedup > best->y.speedup) best = std::move(there);
      continue;
    }
    if (is_efficient(there.y.speedup, x / scales.back(), ideal) || x == scales.back()) return there;
  }
  if (best) return *best;
  throw std::invalid_argument("advise: there is no scale");
}

/// The greater distance of the ends of the interval from the median, as a share of it.
std::optional<double> reach_of(const Prediction& at) {
  if (!at.pi) return std::nullopt;
  return std::max(at.pi->upper / at.median - 1, 1 - at.pi->lower / at.median);
}

/// What the ranking says against a forecast.
std::optional<TrustLimit> doubt_in(const Ranking& ranking) {
  if (finds(ranking.corrected.held_out)) return TrustLimit::kMissed;
  if (finds(ranking.corrected.departure)) return TrustLimit::kBent;
  if (finds_lack_of_fit(ranking.corrected)) return TrustLimit::kUneven;
  return std::nullopt;
}

/// The first warning that speaks against a forecast.
std::optional<WarningCode> warning_in(std::span<const WarningCode> warnings) {
  const auto found = std::ranges::find_first_of(warnings, kDoubts);
  return found == warnings.end() ? std::nullopt : std::optional(*found);
}

void judge_trust(const Forecast& forecast, const Ranking& ranking,
                 std::span<const WarningCode> warnings, Advice& advice) {
  if (!advice.reach) {
    advice.limit = TrustLimit::kNoInterval;
    return;
  }
  if (forecast.distinct_x < kScalesOfBend) {
    advice.limit = TrustLimit::kFewScales;
    return;
  }
  auto doubt = doubt_in(ranking);
  const bool is_far = *advice.reach > kFarRuns;
  if (!doubt && !is_far) advice.warning = warning_in(warnings);
  if (advice.warning) doubt = TrustLimit::kWarned;
  if (doubt) advice.limit = *doubt;
  if (is_far) return;
  advice.trust = doubt || *advice.reach > kCloseRuns ? Trust::kFair : Trust::kHigh;
}

}  // namespace

Advice advise(std::span<const Cell> cells, const Outlook& outlook, const Ranking& ranking,
              const OutlookOptions& options, Ideal ideal, std::span<const WarningCode> warnings) {
  const std::vector<double> scales = scales_from_greatest(cells);
  Advice advice{.at = advised_scale(scales, outlook, options, ideal)};
  advice.reach = reach_of(advice.at.y);
  judge_trust(outlook.forecast, ranking, warnings, advice);
  return advice;
}

namespace {

Outcome<Outlook> outlook_or_reason(const GroupKey& group, std::span<const Cell> cells,
                                   const EnergySource& energy, const StudyQuestions& questions) {
  OutlookOptions options = questions.outlook;
  if (options.at.empty()) options.at = {2 * cells.back().x, 4 * cells.back().x};
  return outcome_of([&] {
    return outlook_with(energy, group, make_forecast(cells, questions.forecast), options);
  });
}

/// A law without a value at a measured scale gives no advice.
std::optional<Advice> advice_on(const GroupStudy& study, const StudyQuestions& questions) {
  const Outlook* const outlook = std::get_if<Outlook>(&study.outlook);
  if (outlook == nullptr) return std::nullopt;
  const Fit* const fit = std::get_if<Fit>(&study.fit);
  return if_possible([&] {
    return advise(study.cells, *outlook, study.ranking, questions.outlook, questions.ideal,
                  fit != nullptr ? std::span<const WarningCode>(fit->warnings)
                                 : std::span<const WarningCode>());
  });
}

/// The forecast at the greatest measured scale.
std::optional<Prediction> greatest_of(const GroupStudy& study) {
  const Outlook* const outlook = std::get_if<Outlook>(&study.outlook);
  if (outlook == nullptr) return std::nullopt;
  OutlookOptions options;
  options.at = {study.cells.back().x};
  return if_possible(
      [&] { return outlook_of(outlook->forecast, std::nullopt, options).scales.front().y; });
}

GroupStudy study_of(GroupKey key, std::vector<Cell> cells, const EnergySource& energy,
                    const StudyQuestions& questions) {
  GroupStudy study;
  study.group = std::move(key);
  study.cells = std::move(cells);
  const std::uint64_t stream = random_stream_of(study.group);
  study.fit = fit_or_reason(study.cells, questions.fit, stream);
  study.ranking = rank_laws(study.cells, questions.rank, stream);
  study.reach =
      scaling_reach(study.cells, questions.fit, std::get_if<Fit>(&study.fit), questions.ideal);
  study.outlook = outlook_or_reason(study.group, study.cells, energy, questions);
  study.at_greatest = greatest_of(study);
  return study;
}

/// Groups that differ in one setting only, by the other values of their keys; in order.
using Families = std::vector<std::pair<GroupKey, std::vector<LevelCells>>>;

Families families_of(const std::vector<GroupStudy>& groups, std::size_t column) {
  Families families;
  std::map<GroupKey, std::size_t> places;
  for (const GroupStudy& group : groups) {
    GroupKey others = group.group;
    const std::string level = others[column];
    others.erase(others.begin() + static_cast<GroupKey::difference_type>(column));
    const auto [place, is_new] = places.try_emplace(others, families.size());
    if (is_new) families.push_back({std::move(others), {}});
    families[place->second].second.push_back({{level}, group.cells});
  }
  return families;
}

SettingStudy setting_study(const std::vector<GroupStudy>& groups,
                           const std::vector<std::string>& by, std::size_t column,
                           const ContrastOptions& options) {
  SettingStudy study{.setting = by[column], .by = by, .contrasts = {}};
  study.by.erase(study.by.begin() + static_cast<GroupKey::difference_type>(column));
  for (const auto& family : families_of(groups, column)) {
    const auto& levels = family.second;
    if (levels.size() < 2) continue;
    study.contrasts.push_back({family.first, outcome_of([&] {
                                 return contrast_levels(levels, std::span(&study.setting, 1),
                                                        options);
                               })});
  }
  return study;
}

}  // namespace

std::vector<std::string> usual_settings(const std::vector<std::string>& by) {
  std::vector<std::string> settings;
  std::ranges::copy_if(by, std::back_inserter(settings), [](const std::string& column) {
    return is_usual_name(column, UsualColumn::kPowerLimit) ||
           is_usual_name(column, UsualColumn::kClock);
  });
  return settings;
}

std::vector<std::string> usual_knobs(const StudyAnalysis& study, const std::vector<std::string>& by,
                                     const std::string& x) {
  const auto is_knob = [](const std::string& column) {
    return is_usual_name(column, UsualColumn::kPowerLimit) ||
           is_usual_name(column, UsualColumn::kClock) ||
           is_usual_name(column, UsualColumn::kBatchSize);
  };
  std::vector<std::string> knobs;
  std::ranges::copy_if(by, std::back_inserter(knobs), is_knob);
  std::set<GroupKey> others;
  for (const GroupStudy& group : study.groups) {
    GroupKey key;
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (!is_knob(by[i])) key.push_back(group.group[i]);
    }
    others.insert(std::move(key));
  }
  if (others.size() == study.groups.size() && !is_usual_name(x, UsualColumn::kBatchSize)) return {};
  knobs.push_back(x);
  return knobs;
}

std::optional<ScalingReach> scaling_reach(std::span<const Cell> cells, const FitOptions& how,
                                          const Fit* fit, Ideal ideal) {
  const std::vector<std::size_t> begins = level_begins(cells);
  if (begins.size() < 3) return std::nullopt;  // It holds where each level begins, and the end.
  ScalingReach reach{.x_min = cells.front().x, .x_max = cells.back().x, .doubling = {}};
  const double sign = sign_of(how.response);
  const double first = log_mean(cells.subspan(0, begins[1])).mean;
  bool still = true;
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    const auto level = cells.subspan(begins[k], begins[k + 1] - begins[k]);
    const double x = level.front().x;
    const double ratio = x / reach.x_min;
    reach.speedup =
        speedup_of_all(std::exp(sign * (first - log_mean(level).mean)), ratio, how.rate_of_one);
    still = still && is_efficient(reach.speedup, ratio, ideal);
    if (still) reach.efficient_to = x;
  }
  if (fit != nullptr && fit->law->name() == "power") {
    reach.doubling = std::exp2(-sign * fit->parameters[1].estimate);
  }
  return reach;
}

StudyAnalysis analyse_study(const GroupedCells& runs, const StudyEnergy* energy,
                            const StudyQuestions& questions) {
  StudyAnalysis analysis;
  analysis.normal_factor = normal_factor(questions.fit.confidence);
  analysis.groups.resize(runs.size());
  EnergySource source;
  if (energy != nullptr) {
    source = energy_from_runs(energy->runs, energy->joules, questions.forecast);
  }
  parallel_for(thread_count(questions.threads), runs.size(), [&](std::size_t i, int /*worker*/) {
    std::vector<Cell> cells;
    runs.cells(i, cells);
    analysis.groups[i] = study_of(runs.key(i), std::move(cells), source, questions);
  });
  std::vector<Ranking*> rankings;
  for (GroupStudy& group : analysis.groups) rankings.push_back(&group.ranking);
  correct_for_groups(rankings, questions.rank);
  for (GroupStudy& group : analysis.groups) group.advice = advice_on(group, questions);
  for (const std::string& setting : questions.settings) {
    const auto place = std::ranges::find(runs.by(), setting);
    if (place == runs.by().end()) continue;
    const auto column = static_cast<std::size_t>(place - runs.by().begin());
    SettingStudy study = setting_study(analysis.groups, runs.by(), column, questions.contrast);
    if (!study.contrasts.empty()) analysis.settings.push_back(std::move(study));
  }
  return analysis;
}

}  // namespace scalelaw
