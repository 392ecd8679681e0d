#include "scalelaw/judge/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "judge/gate_comparisons.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/contrast.hpp"

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

/// Compares groups by their values; numbers compare as numbers.
struct GroupLess {
  bool operator()(const GroupKey& a, const GroupKey& b) const {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i] != b[i]) return natural_less(a[i], b[i]);
    }
    return a.size() < b.size();
  }
};

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

void refuse_difference(const GatePair& pair, std::string_view what, std::string_view base,
                       std::string_view current) {
  if (base == current) return;
  throw DataError(fmt::format(
      "{} and {} cannot be compared: {} is '{}' in the first, '{}' in the "
      "second",
      input_name(pair.base.source), input_name(pair.current.source), what, base, current));
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

/// Compares a group that both have, or reports one that only one of them has.
GateGroup compared(const GatePair& pair, const GroupKey& group, const Results& base,
                   const Results& current, const GateOptions& options) {
  GateGroup result{.y = pair.base.y, .group = group};
  const Fit* before = fit_in(base, group);
  const Fit* after = fit_in(current, group);
  if (before != nullptr && after != nullptr) {
    result.comparisons = comparisons_of(*before, *after, options);
  } else if (!base.contains(group)) {
    result.verdict = GateVerdict::kNew;
    result.reason = failure_text(base, group, "BASE");
  } else if (before == nullptr) {
    result.reason = failure_text(base, group, "BASE");
  } else {
    result.verdict = GateVerdict::kMissing;
    result.reason = failure_text(current, group, "NEW");
  }
  return result;
}

void add_groups(Gate& gate, const GatePair& pair, const GateOptions& options) {
  const Results base = results_of(pair.base);
  const Results current = results_of(pair.current);
  Results all = base;
  all.insert(current.begin(), current.end());
  for (const auto& [group, unused] : all) {
    gate.groups.push_back(compared(pair, group, base, current, options));
  }
}

std::vector<GateComparison*> comparisons_in(Gate& gate) {
  std::vector<GateComparison*> comparisons;
  for (GateGroup& group : gate.groups) {
    for (GateComparison& comparison : group.comparisons) comparisons.push_back(&comparison);
  }
  return comparisons;
}

using OptionalP = std::optional<double> GateComparison::*;

/// Adjusts the p values that exist, and returns how many do.
std::size_t adjust(std::span<GateComparison* const> comparisons, OptionalP p, OptionalP adjusted) {
  std::vector<double> values;
  for (const GateComparison* comparison : comparisons) {
    if (comparison->*p) values.push_back(*(comparison->*p));
  }
  const std::vector<double> holm = holm_adjusted(values);
  auto next = holm.begin();
  for (GateComparison* comparison : comparisons) {
    if (comparison->*p) comparison->*adjusted = *next++;
  }
  return values.size();
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

void check_baseline(const SavedFits& base) {
  const bool any = std::any_of(base.groups.begin(), base.groups.end(), [](const GroupFit& group) {
    return std::holds_alternative<Fit>(group.result);
  });
  if (any) return;
  std::string why = "it holds no group";
  if (!base.groups.empty()) why = std::get<NoFit>(base.groups.front().result).message;
  throw DataError(fmt::format("{}: the baseline holds no fit: {}", input_name(base.source), why));
}

void check_one_study(std::span<const GatePair> pairs) {
  const SavedFits& first = pairs.front().base;
  for (const GatePair& pair : pairs) {
    const SavedFits& other = pair.base;
    if (first.x == other.x && first.by == other.by && first.law == other.law &&
        first.errors == other.errors) {
      continue;
    }
    throw DataError(
        fmt::format("{} and {}: one gate judges fits of one law, over one x, in the same groups",
                    input_name(first.source), input_name(other.source)));
  }
}

std::vector<std::string> differences_of_methods(std::span<const GatePair> pairs) {
  std::vector<std::string> sentences;
  for (const auto& [base, current] : pairs) {
    std::vector<std::string> options;
    if (base.se != current.se) options.emplace_back("--se");
    if (base.robust != current.robust) options.emplace_back("--robust");
    if (base.points != current.points) options.emplace_back("--points");
    if (base.run != current.run) options.emplace_back("--run");
    if (base.weights != current.weights) options.emplace_back("--weights");
    if (options.empty()) continue;
    sentences.push_back(fmt::format(
        "{} and {} were fitted with different {}: their standard errors differ in meaning",
        input_name(base.source), input_name(current.source), joined(options)));
  }
  return sentences;
}

std::string_view name_of(FailOn fail_on) {
  return fail_on == FailOn::kWorse ? "worse" : "inconclusive";
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

void check_comparable(const GatePair& pair) {
  const SavedFits& base = pair.base;
  const SavedFits& current = pair.current;
  refuse_difference(pair, "x", base.x, current.x);
  refuse_difference(pair, "y", base.y, current.y);
  refuse_difference(pair, "by", joined(base.by), joined(current.by));
  refuse_difference(pair, "law", base.law->name(), current.law->name());
  refuse_difference(pair, "response", name_of(base.response), name_of(current.response));
  refuse_difference(pair, "errors", name_of(base.errors), name_of(current.errors));
}

Gate gate_fits(std::span<const GatePair> pairs, const GateOptions& options) {
  check_options(options);
  Gate gate;
  for (const GatePair& pair : pairs) {
    check_comparable(pair);
    add_groups(gate, pair, options);
  }
  const std::vector<GateComparison*> comparisons = comparisons_in(gate);
  gate.family = adjust(comparisons, &GateComparison::p_worse, &GateComparison::p_worse_holm);
  adjust(comparisons, &GateComparison::p_better, &GateComparison::p_better_holm);
  for (GateGroup& group : gate.groups) set_verdicts(group, options.confidence);
  return gate;
}

}  // namespace scalelaw
