#include "scalelaw/study/level_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/runs/row_filter.hpp"
#include "study/night_columns.hpp"

namespace scalelaw {
namespace {

constexpr std::uint64_t kMostRowsAgain = 20'000;  // Larger tables are not read a second time.
constexpr std::size_t kFewestNights = 4;
constexpr std::uint64_t kFewestRows = 3 * kFewestNights;  // A fit of a night needs three.
/// Of a hundred tables without a change one is warned of.
constexpr double kSureOfChange = 0.99;

/// The column of the nights that the call takes together; empty if there is none.
std::string pooled_night_column(const StudyOptions& options, const GroupedCells& runs) {
  const bool can_be_read_again = runs.rows().used >= kFewestRows &&
                                 runs.rows().used <= kMostRowsAgain &&
                                 std::ranges::all_of(options.inputs, [](const std::string& input) {
                                   return input != "-" && input_exists(input);
                                 });
  if (!can_be_read_again) return "";
  const std::string column = night_column_of(options.inputs);
  const auto names_it = [&column](const std::string& condition) {
    return RowFilter(condition).column() == column;
  };
  const std::vector<std::string>& by = runs.by();
  const bool is_used = column == runs.x() || column == runs.y() || column == options.run ||
                       contains(by, column) || std::ranges::any_of(options.where, names_it);
  return is_used ? "" : column;
}

/// The fits of the same rows, with the night as last group column.
SavedFits fits_by_night(const StudyOptions& options, const GroupedCells& runs, FitOptions fit,
                        const std::string& column, const CallConditions& conditions) {
  StudyOptions nightly = options;
  nightly.x = runs.x();
  if (nightly.y.empty()) nightly.y = runs.y();
  nightly.by = runs.by();
  nightly.by_chosen = true;
  nightly.factors = {column};
  fit.figures = Figures::kEstimates;
  fit.intervals = Intervals::kWald;
  fit.bootstrap.resamples = 0;
  const GroupedCells cells = read_quietly(nightly, fit, conditions);
  SavedFits fits{report_on(cells), fit, options.inputs.front(), {}};
  fits.groups = fit_groups(cells, fits, conditions.threads);
  fits.runs_of = runs_in(cells);
  return fits;
}

/// Whether nights repeat one job, and are no parts of one study: half of what was measured in any
/// night was measured in a usual one.
bool repeat_one_job(const SavedFits& by_night) {
  std::map<GroupKey, std::map<double, std::size_t>> nights_at;
  std::map<std::string, std::size_t> nights;
  std::size_t measured = 0;
  for (const GroupFit& one : by_night.groups) {
    GroupKey group = one.group;
    for (const Cell& cell : by_night.runs_of(group)) {
      nights_at[{group.begin(), group.end() - 1}][cell.x] += 1;
      ++measured;
    }
    nights[group.back()] += 1;
  }
  std::size_t places = 0;
  for (const auto& [group, scales] : nights_at) places += scales.size();
  return nights.size() >= kFewestNights && 2 * measured >= places * nights.size();
}

/// All nights as those of a baseline, held against the newest fit of each group.
GatePair pair_of(std::vector<SavedFits> nights) {
  std::map<GroupKey, GroupFit> newest;
  for (const SavedFits& night : nights) {
    for (const GroupFit& group : night.groups) newest.insert_or_assign(group.group, group);
  }
  GatePair pair{.base = std::move(nights.back()), .current = {}};
  nights.pop_back();
  pair.current = pair.base;
  pair.current.groups.clear();
  for (auto& [key, group] : newest) pair.current.groups.push_back(std::move(group));
  pair.earlier = std::move(nights);
  return pair;
}

/// Empty where the text is no condition: the order of words is none.
std::optional<RowFilter> filter_of(const std::string& condition) {
  try {
    return RowFilter(condition);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

/// The condition that keeps the nights from the first one of the new level on: "night>=2026-06-01",
/// or a list of them. Empty where neither can be written.
std::string condition_for(const GatePair& pair, const std::string& column, std::size_t first) {
  const std::string from = fmt::format("{}>={}", column, pair.night(first).night);
  const auto keeps_the_level = [&](const RowFilter& filter) {
    for (std::size_t i = 0; i < pair.nights(); ++i) {
      const std::string& night = pair.night(i).night;
      if (filter.refuses(night) || filter.holds(night) != (i >= first)) return false;
    }
    return true;
  };
  const auto works = [&](const std::string& condition) {
    const auto filter = filter_of(condition);
    return filter && filter->column() == column && keeps_the_level(*filter);
  };
  if (works(from)) return from;
  std::vector<std::string> nights;
  for (std::size_t i = first; i < pair.nights(); ++i) nights.push_back(pair.night(i).night);
  const std::string list = fmt::format("{}={}", column, joined(nights, ","));
  return works(list) ? list : "";
}

/// The change that all nights of the table show; empty if none is shown.
std::optional<std::string> level_change(const CommandWhere& command,
                                        const std::vector<std::string>& inputs,
                                        const SavedFits& by_night, const std::string& column) {
  const std::vector<std::string> nights =
      nights_in_order(input_at(inputs.front()), column, nights_of(by_night), {}).nights;
  const GatePair pair = pair_of(divided_by_night(by_night, nights));
  const Gate gate = gate_fits(std::vector{pair}, {.confidence = kSureOfChange});
  if (!gate.base_change) return std::nullopt;
  const std::size_t first = pair.nights() - gate.base_change->nights;
  const std::string condition = condition_for(pair, column, first);
  return warning_of_level_change(*gate.base_change,
                                 condition.empty() || !command ? "" : command(condition));
}

}  // namespace

std::string warn_of_level_change(const CommandWhere& command, const StudyOptions& options,
                                 const FitOptions& fit, Study& study,
                                 const CallConditions& conditions) {
  if (conditions.ranks != nullptr) return "";
  const std::string column = pooled_night_column(options, study.runs);
  if (column.empty()) return "";
  std::optional<std::string> warning;
  try {
    const SavedFits by_night = fits_by_night(options, study.runs, fit, column, conditions);
    if (repeat_one_job(by_night)) warning = level_change(command, options.inputs, by_night, column);
  } catch (const Error&) {
    return "";  // What was asked for has its answer without the nights.
  }
  if (!warning) return "";
  conditions.say.warn(*warning);
  study.report.warnings.push_back(*warning);
  return *warning;
}

Study read_study_by_nights(const CommandWhere& command, const StudyOptions& options,
                           FitOptions& fit, const CallConditions& conditions) {
  Study study = read_study(options, fit, conditions);
  warn_of_level_change(command, options, fit, study, conditions);
  return study;
}

}  // namespace scalelaw
