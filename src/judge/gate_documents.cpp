// What is gated, and whether documents of fits can be gated together.

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// @throws DataError if figures of the two do not mean the same.
void refuse_differences(const SavedFits& base, const SavedFits& current) {
  const auto refuse = [&](std::string_view what, std::string_view first, std::string_view second) {
    if (first == second) return;
    throw DataError(
        fmt::format("{} and {} cannot be compared: {} is '{}' in the first, '{}' in the "
                    "second",
                    input_name(base.source), input_name(current.source), what, first, second));
  };
  refuse("x", base.x, current.x);
  refuse("y", base.y, current.y);
  refuse("by", joined(base.by), joined(current.by));
  refuse("law", base.law->name(), current.law->name());
  refuse("response", name_of(base.response), name_of(current.response));
  refuse("errors", name_of(base.errors), name_of(current.errors));
}

/// The time and energy columns of a run table by their usual names. Empty if it is no run table,
/// cannot be read twice, or has no energy.
std::vector<std::string> time_and_energy(const Input& input) {
  if (!input.first) return {};
  const TableRows table(*input.first);
  const auto time = usual_column(table.header(), UsualColumn::kTime);
  const auto energy = time ? usual_energy_column(table.header(), *time) : std::nullopt;
  if (!energy) return {};
  return {*time, *energy};
}

/// Whether a group has `fewest` runs of one night of BASE, or more, at an x of NEW.
bool has_runs_at_x_of(const SavedFits& current, const SavedFits& night, const GroupKey& group,
                      std::uint64_t fewest) {
  if (!night.runs_of || !current.runs_of) return false;
  const std::vector<Cell> before = night.runs_of(group);
  const std::vector<Cell> runs = current.runs_of(group);
  return std::ranges::any_of(runs, [&](const Cell& run) {
    std::uint64_t count = 0;
    for (const Cell& cell : before) count += cell.x == run.x ? cell.count : 0;
    return count >= fewest;
  });
}

}  // namespace

std::string_view name_of(FollowedSetting setting) {
  return word_for(setting, {{FollowedSetting::kRun, "--run"},
                            {FollowedSetting::kWeights, "--weights"},
                            {FollowedSetting::kPoints, "--points"},
                            {FollowedSetting::kLaw, "--law"},
                            {FollowedSetting::kErrors, "--errors"},
                            {FollowedSetting::kStandardError, "--se"},
                            {FollowedSetting::kRobust, "--robust"},
                            {FollowedSetting::kPool, "--pool"}});
}

void refuse_other_columns(const SavedFits& saved, const RunOptions& rows, const FitOptions& fit,
                          bool names_law) {
  const auto refuse = [&saved](std::string_view option, std::string_view asked,
                               std::string_view found) {
    if (asked == found) return;
    throw DataError(fmt::format("{}: it holds fits of {} '{}', not '{}'", input_name(saved.source),
                                option, found, asked));
  };
  if (!rows.x.empty()) refuse("-x", rows.x, saved.x);
  if (!rows.y.empty()) refuse("-y", rows.y, saved.y);
  if (rows.by_chosen) refuse("--by", joined(rows.by), joined(saved.by));
  if (names_law) refuse("--law", fit.law->name(), saved.law->name());
}

void follow(const SavedFits& saved, const std::set<FollowedSetting>& chosen, RunOptions& rows,
            FitOptions& fit) {
  const RunOptions usual_rows;
  const FitOptions usual;
  const auto take = [&chosen](FollowedSetting setting, auto& target, const auto& standard,
                              const auto& value) {
    if (!chosen.contains(setting) && target == standard) target = value;
  };
  if (rows.x.empty()) rows.x = saved.x;
  if (rows.y.empty()) rows.y = saved.y;
  if (!rows.by_chosen) rows.by = saved.by;
  rows.by_chosen = true;
  take(FollowedSetting::kRun, rows.run, usual_rows.run, saved.run);
  take(FollowedSetting::kWeights, rows.weights, usual_rows.weights, saved.weights);
  take(FollowedSetting::kPoints, rows.points, usual_rows.points, saved.points);
  take(FollowedSetting::kLaw, fit.law, usual.law, saved.law);
  take(FollowedSetting::kErrors, fit.errors, usual.errors, saved.errors);
  take(FollowedSetting::kStandardError, fit.se, usual.se, saved.se);
  take(FollowedSetting::kRobust, fit.robust, usual.robust, saved.robust);
  take(FollowedSetting::kPool, fit.pool, usual.pool, saved.pool);
  if (saved.response == Response::kRate) fit.response = saved.response;
}

std::vector<std::string> usual_responses(const Input& base, const Input& current) {
  const std::vector<std::string> responses = time_and_energy(base);
  if (responses.empty() || responses != time_and_energy(current)) return {""};
  return responses;
}

std::string why_no_energy(const Input& base, const Input& current) {
  if (!base.first || !current.first) return "";
  const std::vector<std::string> before = time_and_energy(base);
  const std::vector<std::string> after = time_and_energy(current);
  if (before == after) return "";
  const auto lacks = [](const Input& without, const std::string& energy, const Input& with) {
    return fmt::format("{} has no energy, so '{}' of {} is not judged", without.name(), energy,
                       with.name());
  };
  if (after.empty()) return lacks(current, before.back(), base);
  if (before.empty()) return lacks(base, after.back(), current);
  return fmt::format("the energy is not judged: it is '{}' in {}, '{}' in {}", before.back(),
                     base.name(), after.back(), current.name());
}

bool has_baseline(const GatePair& pair) {
  // One run of one night does not tell how far runs scatter.
  const std::uint64_t fewest = pair.nights() > 1 ? 1 : 2;
  const auto can_judge = [&](const SavedFits& night) {
    return std::ranges::any_of(night.groups, [&](const GroupFit& group) {
      return std::holds_alternative<Fit>(group.result) ||
             has_runs_at_x_of(pair.current, night, group.group, fewest);
    });
  };
  return can_judge(pair.base) || std::ranges::any_of(pair.earlier, can_judge);
}

void check_baseline(const GatePair& pair) {
  if (has_baseline(pair)) return;
  const SavedFits& base = pair.base;
  std::string why = "it holds no group";
  if (!base.groups.empty()) {
    const NoFit& failure = std::get<NoFit>(base.groups.front().result);
    why = failure.message;
    if (failure.code == FailureCode::kTooFewX || failure.code == FailureCode::kTooFewPoints) {
      why += fmt::format(
          ". A gate judges by the law of BASE, or by its runs at the same {0}: let BASE have runs "
          "at several {0}, or at that of NEW",
          base.x);
    }
  }
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
  for (const GatePair& pair : pairs) {
    const SavedFits& base = pair.base;
    const SavedFits& current = pair.current;
    std::vector<std::string> options;
    if (base.se != current.se) options.emplace_back("--se");
    if (base.robust != current.robust) options.emplace_back("--robust");
    if (base.pool != current.pool) options.emplace_back("--pool");
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

std::vector<std::string> pooling_sentences(std::span<const GatePair> pairs) {
  std::vector<std::string> sentences;
  const auto add = [&](std::string_view side, const SavedFits& fits) {
    if (!fits.pooling) return;
    sentences.push_back(fmt::format("{} of {}: {}", fits.y, side, pooling_sentence(*fits.pooling)));
    if (!fits.pooling->has_unequal_scatter()) return;
    sentences.push_back(fmt::format("{} ({} of {}): {}", name_of(WarningCode::kUnequalScatter),
                                    fits.y, side, unequal_scatter_sentence(*fits.pooling)));
  };
  for (const GatePair& pair : pairs) {
    add("BASE", pair.base);
    add("NEW", pair.current);
  }
  return sentences;
}

void check_comparable(const GatePair& pair) {
  refuse_differences(pair.base, pair.current);
  for (const SavedFits& night : pair.earlier) refuse_differences(night, pair.current);
}

}  // namespace scalelaw
