#include "scalelaw/study/surface_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/budgets.hpp"
#include "scalelaw/study/notes.hpp"

namespace scalelaw {
namespace {

/// That -x names too few or too many columns.
std::string wrong_scales(const StudyOptions& options, bool takes_unique) {
  if (takes_unique) {
    return fmt::format(
        "--law {} takes three x: name all columns, such as -x parameters,tokens,unique_tokens, "
        "where the third may be found by its name; found -x {}",
        options.law->name(), options.x);
  }
  return fmt::format(
      "--law {} takes two x: name both columns, such as -x parameters,tokens, or "
      "only the first with --flops COL; found -x {}",
      options.law->name(), options.x);
}

/// The columns of x that are read.
SurfaceColumns columns_asked(const StudyOptions& options, const SurfaceOptions& surface) {
  SurfaceColumns columns{.n = {},
                         .d = {},
                         .compute = surface.flops,
                         .flops_per_parameter_token = surface.flops_per_parameter_token,
                         .takes_unique = options.law->inputs() == 3,
                         .fresh_if_untold = surface.fresh_if_untold,
                         .budget = surface.budget,
                         .in_ones = surface.in_ones,
                         .one_will_do = surface.one_will_do,
                         .more = surface.more};
  std::vector<std::string> scales = split(options.x, ',');
  if (scales.empty()) return columns;
  if (surface.one_will_do && scales.size() == 1 && surface.flops.empty()) {
    columns.n = columns.d = scales[0];
    return columns;
  }
  const std::size_t both = surface.flops.empty() ? 2 : 1;
  if (columns.takes_unique && scales.size() == both + 1) {
    columns.unique = scales.back();
    scales.pop_back();
  }
  if (scales.size() != both) throw DataError(wrong_scales(options, columns.takes_unique));
  if (scales[0] == (both == 2 ? scales[1] : surface.flops)) {
    throw DataError(fmt::format("--law {} takes two x, and both are the column '{}'",
                                options.law->name(), scales[0]));
  }
  columns.n = scales[0];
  if (both == 2) columns.d = scales[1];
  return columns;
}

/// That rows of one size may share errors, where each size has several rows; else empty.
std::string shared_errors_warning(const SurfaceTable& table, const std::string& sharing) {
  constexpr std::size_t kRowsOfOneSize = 3;
  if (sharing.empty()) return "";  // The command allows for that itself.
  for (const SurfaceRuns& group : table.groups) {
    const std::set<double> sizes(group.n.begin(), group.n.end());
    if (group.n.size() < kRowsOfOneSize * sizes.size()) continue;
    return fmt::format(
        "{} rows have {} of '{}': if rows of one size are points of one run, or share errors "
        "otherwise, the intervals are too short; {} {} allows for that",
        group.n.size(), counted(sizes.size(), "value"), table.scales[0], sharing,
        shell_word(table.scales[0]));
  }
  return "";
}

/// Tokens that are seen several times are worth less than fresh ones, for which a law of two x
/// takes them: this, and no group, is what a column of unique tokens says.
void warn_of_repeated_tokens(SurfaceTable& table, const Messages& say) {
  const auto unique = std::ranges::find_if(table.ungrouped, [](const UngroupedColumn& column) {
    return counts_unique_tokens(column.name);
  });
  if (unique == table.ungrouped.end()) return;
  say.warn(fmt::format(
      "'{}' says that tokens were seen several times, and here they count as fresh ones: fit, "
      "predict and budget with --law data-constrained tell what repeated tokens are worth",
      unique->name));
  table.ungrouped.erase(unique);
}

}  // namespace

FitOptions surface_fit_options(const StudyOptions& options, bool least_squares) {
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  StudyOptions plain = options;
  plain.robust = Robust::kNone;
  plain.bootstrap.resamples = 0;  // Here it may draw the runs of --se cluster.
  FitOptions fit = fit_options(plain);
  fit.bootstrap.resamples = options.bootstrap.resamples;
  fit.robust = least_squares ? Robust::kNone : Robust::kHuber;
  if (!is_clustered(options.se)) fit.se = StandardError::kSandwich;
  fit.bootstrap.kind = BootstrapKind::kCase;
  return fit;
}

SurfaceStudy read_surface(const StudyOptions& options, const SurfaceOptions& surface,
                          const CallConditions& conditions) {
  refuse_no_input(options);
  const Messages& say = conditions.say;
  const SurfaceColumns columns = columns_asked(options, surface);
  RunOptions rows = row_options(options, conditions);
  rows.x.clear();
  rows.runs_are_clusters = is_clustered(options.se);
  SurfaceTable table = read_surface_runs(options.inputs, columns, rows);
  say.note(table.choice);
  warn_of_repeated_tokens(table, say);
  warn_of_ungrouped(table.ungrouped, table.by, joined(table.scales, ","), say);
  say_what_was_left_out(table.rows, table.bad_rows, say);
  if (table.groups.empty()) throw DataError("no row can be fitted");
  SurfaceStudy study;
  const bool knows_runs =
      !options.run.empty() || !table.unused_run_column.empty() || surface.sharing.empty();
  if (const std::string shared = knows_runs ? "" : shared_errors_warning(table, surface.sharing);
      !shared.empty()) {
    say.warn(shared);
    study.report.warnings.push_back(shared);
  }
  study.report.inputs = options.inputs;
  study.report.x = joined(table.scales, ",");
  study.report.scales = std::move(table.scales);
  study.report.flops_per_parameter_token = table.flops_per_parameter_token;
  study.report.y = std::move(table.y);
  study.report.y_unit = std::move(table.y_unit);
  study.report.quantity = quantity_of(study.report.y, study.report.y_unit);
  study.report.by = std::move(table.by);
  study.report.run = options.run;
  study.report.rows = std::move(table.rows);
  study.groups = std::move(table.groups);
  study.more_units = std::move(table.more_units);
  study.unused_run_column = std::move(table.unused_run_column);
  return study;
}

namespace {

/// Whether a value of the column of budgets has runs of three sizes or more.
bool has_budget(const SurfaceRuns& runs) {
  std::map<double, std::set<double>> sizes;
  for (std::size_t i = 0; i < runs.budget.size(); ++i) sizes[runs.budget[i]].insert(runs.n[i]);
  return std::ranges::any_of(
      sizes, [](const auto& one) { return one.second.size() >= kLeastSizesOfBudget; });
}

void refuse_column_without_budgets(const std::string& column, std::span<const SurfaceRuns> groups) {
  if (column.empty() || std::ranges::any_of(groups, has_budget)) return;
  throw DataError(fmt::format(
      "--budget {}: no value of this column has runs of three sizes or more; it must be the same "
      "for all runs of a budget. Without --budget runs of nearly one compute are taken together",
      column));
}

}  // namespace

IsoflopStudy read_isoflop(const StudyOptions& asked, const SurfaceOptions& surface,
                          const IsoflopChoice& choice, const CallConditions& conditions) {
  StudyOptions study = asked;
  study.law = find_law("chinchilla");
  study.se = study.run.empty() ? StandardError::kSandwich : StandardError::kCr2;
  IsoflopStudy out;
  out.report.options.surface = study;
  out.report.options.surface.robust = Robust::kHuber;
  out.report.options.surface.intervals = Intervals::kWald;  // Optima need no profiles of the law.
  out.report.options.surface.bootstrap.resamples = 0;
  SurfaceOptions columns = surface;
  columns.budget = choice.budget;
  columns.sharing = "--run";
  columns.in_ones = true;
  if (!columns.flops_per_parameter_token) columns.flops_per_parameter_token = 6;
  out.runs = read_surface(study, columns, conditions);
  refuse_column_without_budgets(choice.budget, out.runs.groups);
  out.report.study = out.runs.report;
  out.report.options.confidence = study.confidence;
  out.report.options.flops_per_parameter_token = out.runs.report.flops_per_parameter_token;
  out.report.options.at_compute = choice.at_compute;
  std::ranges::sort(out.report.options.at_compute);
  out.report.options.approach = choice.approach;
  out.report.options.within = choice.within;
  return out;
}

SettingOptimaStudy read_setting_optima(StudyOptions study, const SurfaceOptions& surface,
                                       const std::string& setting,
                                       const CallConditions& conditions) {
  study.law = find_law("chinchilla");
  SurfaceOptions columns = surface;
  columns.sharing.clear();
  columns.in_ones = true;
  columns.one_will_do = true;
  columns.more = [setting](const Header&, std::string_view, const TableProfile&) {
    return std::vector{NumberColumn{.name = setting, .setting = true}};
  };
  const SurfaceStudy runs = read_surface(study, columns, conditions);
  return {{runs.report, setting, study.confidence},
          setting_optima(std::span<const SurfaceRuns>(runs.groups), study.confidence)};
}

}  // namespace scalelaw
