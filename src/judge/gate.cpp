#include "scalelaw/judge/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "judge/base_changes.hpp"
#include "judge/gate_comparisons.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "statistics/holm.hpp"

namespace scalelaw {
namespace {

constexpr std::array kVerdicts{GateVerdict::kMissing,      GateVerdict::kWorse,
                               GateVerdict::kInconclusive, GateVerdict::kSame,
                               GateVerdict::kBetter,       GateVerdict::kNew};

bool is_share(double value) { return value > 0 && value <= 1; }

void check_options(const GateOptions& options) {
  if (!is_share(options.max_slowdown) || !is_share(options.max_beta_drop)) {
    throw std::invalid_argument("gate_fits: a limit is not above 0 and up to 1");
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("gate_fits: confidence is not between 0 and 1");
  }
  const auto is_bad = [](double x) { return !(x > 0); };
  if (std::any_of(options.at.begin(), options.at.end(), is_bad)) {
    throw std::invalid_argument("gate_fits: an x is not above 0");
  }
}

using Results = std::map<GroupKey, const GroupFit*, GroupLess>;

Results results_of(const SavedFits& fits) {
  Results results;
  for (const GroupFit& group : fits.groups) {
    if (results.emplace(group.group, &group).second) continue;
    throw DataError(fmt::format("{}: the group '{}' stands there twice", input_name(fits.source),
                                joined(group.group)));
  }
  return results;
}

const Fit* fit_in(const Results& results, const GroupKey& group) {
  const auto found = results.find(group);
  return found == results.end() ? nullptr : std::get_if<Fit>(&found->second->result);
}

std::string failure_text(const Results& results, const GroupKey& group, std::string_view side) {
  const auto found = results.find(group);
  if (found == results.end()) return fmt::format("{} has no such group", side);
  const NoFit& failure = std::get<NoFit>(found->second->result);
  return fmt::format("no fit in {}: {} ({})", side, failure.message, name_of(failure.code));
}

/// A group whose comparisons lack their changes.
struct OpenGroup {
  GateGroup group;
  std::vector<OpenComparison> comparisons = {};
};

/// Compares a group that both have, or reports one that only one of them has.
/// @param base  Results of each night, the oldest first.
OpenGroup opened(const GatePair& pair, const GroupKey& group, std::span<const Results> base,
                 const Results& current, const GateOptions& options) {
  OpenGroup result{.group = {.y = pair.base.y, .group = group}};
  std::vector<Night> nights;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (const Fit* fit = fit_in(base[i], group)) nights.push_back({i, fit});
  }
  const Fit* after = fit_in(current, group);
  if (!nights.empty() && after != nullptr) {
    result.comparisons = open_comparisons(nights, *after, options);
  } else if (!base.back().contains(group)) {
    result.group.verdict = GateVerdict::kNew;
    result.group.reason = failure_text(base.back(), group, "BASE");
  } else if (nights.empty()) {
    result.group.reason = failure_text(base.back(), group, "BASE");
  } else {
    result.group.verdict = GateVerdict::kMissing;
    result.group.reason = failure_text(current, group, "NEW");
  }
  return result;
}

/// The groups of NEW and of the newest night of BASE.
std::vector<OpenGroup> open_groups(const GatePair& pair, const GateOptions& options) {
  std::vector<Results> base;
  for (const SavedFits& night : pair.earlier) base.push_back(results_of(night));
  base.push_back(results_of(pair.base));
  const Results current = results_of(pair.current);
  Results all = base.back();
  all.insert(current.begin(), current.end());
  std::vector<OpenGroup> groups;
  for (const auto& [group, unused] : all) {
    groups.push_back(opened(pair, group, base, current, options));
  }
  return groups;
}

/// @param series  The nights of BASE of every comparison are added here.
void add_groups(Gate& gate, const GatePair& pair, const GateOptions& options,
                std::vector<BaseSeries>& series) {
  std::vector<OpenGroup> groups = open_groups(pair, options);
  std::vector<OpenComparison*> all;
  for (OpenGroup& group : groups) {
    for (OpenComparison& comparison : group.comparisons) all.push_back(&comparison);
  }
  set_changes(all, options.confidence);
  for (OpenGroup& group : groups) {
    for (OpenComparison& open : group.comparisons) {
      series.push_back({&pair, group.group.group, open.comparison.figure, std::move(open.nights)});
      group.group.comparisons.push_back(std::move(open.comparison));
    }
    gate.groups.push_back(std::move(group.group));
  }
}

std::vector<GateComparison*> comparisons_in(Gate& gate) {
  std::vector<GateComparison*> comparisons;
  for (GateGroup& group : gate.groups) {
    for (GateComparison& comparison : group.comparisons) comparisons.push_back(&comparison);
  }
  return comparisons;
}

/// The interval of loss().
Interval loss_interval(const GateComparison& comparison) {
  const Interval& ci = *comparison.change.ci;
  return comparison.less_is_better ? ci : Interval{-ci.upper, -ci.lower};
}

/// An exact fit has no p: its interval is a point and decides alone.
bool stays(const std::optional<double>& p_holm, double confidence) {
  return !p_holm || *p_holm < 1 - confidence;
}

GateVerdict verdict_of(const GateComparison& comparison, double confidence) {
  if (!comparison.change.ci) return GateVerdict::kInconclusive;
  const Interval loss = loss_interval(comparison);
  if (loss.lower > comparison.limit && stays(comparison.p_worse_holm, confidence)) {
    return GateVerdict::kWorse;
  }
  if (loss.upper < 0 && stays(comparison.p_better_holm, confidence)) return GateVerdict::kBetter;
  const bool within = -comparison.limit < loss.lower && loss.upper < comparison.limit;
  return within ? GateVerdict::kSame : GateVerdict::kInconclusive;
}

void set_verdicts(GateGroup& group, double confidence) {
  if (group.comparisons.empty()) return;
  group.verdict = GateVerdict::kNew;
  for (GateComparison& comparison : group.comparisons) {
    comparison.verdict = verdict_of(comparison, confidence);
    group.verdict = std::max(group.verdict, comparison.verdict);
  }
}

}  // namespace

std::span<const GateVerdict> all_gate_verdicts() { return kVerdicts; }

std::string_view name_of(GateVerdict verdict) {
  return word_for(verdict, {{GateVerdict::kNew, "new"},
                            {GateVerdict::kBetter, "better"},
                            {GateVerdict::kSame, "same"},
                            {GateVerdict::kInconclusive, "inconclusive"},
                            {GateVerdict::kWorse, "worse"},
                            {GateVerdict::kMissing, "missing"}});
}

std::string_view name_of(FailOn fail_on) {
  return word_for(fail_on, {{FailOn::kWorse, "worse"}, {FailOn::kInconclusive, "inconclusive"}});
}

bool fails(GateVerdict verdict, FailOn fail_on) {
  return verdict >= (fail_on == FailOn::kWorse ? GateVerdict::kWorse : GateVerdict::kInconclusive);
}

bool fails(const Gate& gate, FailOn fail_on) {
  return std::any_of(gate.groups.begin(), gate.groups.end(),
                     [fail_on](const GateGroup& group) { return fails(group.verdict, fail_on); });
}

std::size_t Gate::count(GateVerdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(groups.begin(), groups.end(),
                    [verdict](const GateGroup& group) { return group.verdict == verdict; }));
}

Gate gate_fits(std::span<const GatePair> pairs, const GateOptions& options) {
  check_options(options);
  Gate gate;
  std::vector<BaseSeries> series;
  for (const GatePair& pair : pairs) {
    check_comparable(pair);
    add_groups(gate, pair, options, series);
    gate.nights = &pair == &pairs.front() ? pair.nights() : std::min(gate.nights, pair.nights());
  }
  gate.base_change = change_of_base(series, options);
  const std::vector<GateComparison*> comparisons = comparisons_in(gate);
  gate.family =
      adjust_by_holm(comparisons, &GateComparison::p_worse, &GateComparison::p_worse_holm);
  adjust_by_holm(comparisons, &GateComparison::p_better, &GateComparison::p_better_holm);
  for (GateGroup& group : gate.groups) set_verdicts(group, options.confidence);
  return gate;
}

}  // namespace scalelaw
