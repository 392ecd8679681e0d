// What the commands that fit laws of several x have in common: their options, and how they read
// runs.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "call_kinds.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

bool has_clusters(StandardError se) {
  return se == StandardError::kCluster || se == StandardError::kCr2;
}

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

/// The residuals of a fit as --residual names them.
std::vector<Named<Errors>> residuals() {
  return {{"log", Errors::kLognormal}, {"raw", Errors::kNormal}};
}

}  // namespace

void add_compute_options(Options& command, SurfaceOptions& options) {
  command.group("Data");
  command
      .text("--flops", options.flops, "COL",
            "For laws of several x: column of the training compute. Then -x names one column, and "
            "the second x is tokens = compute / (K * x)")
      .only_for(several_x(), kTakesOne);
  command
      .number("--flops-per-parameter-token", options.flops_per_parameter_token, positive(), "K",
              "For laws of several x: K in compute = K * parameters * tokens. Default: 6 if the "
              "columns are parameters and tokens by their names, otherwise 1")
      .only_for(several_x(), kTakesOne);
}

void add_surface_options(Options& command, SurfaceOptions& options, StudyOptions& study) {
  add_compute_options(command, options);
  command.group("Law");
  command
      .choice("--residual", study.errors, residuals(),
              "What the fit brings near 0: residuals of ln y (log), or of y itself (raw). The same "
              "as --errors lognormal and normal")
      .excludes("--errors", "{0} and {1} say the same thing: leave out one of them");
  command.rules("--residual=log")
      .unless(several_x())
      .excludes(fitted_to_y(),
                "{0}: the {2} law is fitted to y itself; leave out --residual, or choose another "
                "law with --law");
  command
      .number("--huber-delta", study.huber_delta, positive(), "D",
              "For laws of several x: the residual from which Huber's loss is linear; of ln y, or "
              "with --residual raw of y")
      .only_for(several_x(), kTakesOne);
  command
      .number("--over-penalty", study.over_penalty, positive(), "K",
              "For laws of several x: a run counts K times where the law lies above what was "
              "measured, so that the law moves to the lower edge of the runs")
      .only_for(several_x(), kTakesOne);
}

bool takes_several_x(const StudyOptions& options) { return options.law->inputs() > 1; }

void refuse_several_x(const Law& law, std::string_view what) {
  if (law.inputs() == 1) return;
  throw DataError(
      fmt::format("the {} law takes {} x, and {} works only with laws of one x; fit{} predict{} "
                  "can use it",
                  law.name(), law.inputs() == 2 ? "two" : "three", what,
                  law.inputs() == 2 ? "," : " and", law.inputs() == 2 ? " and plot surface" : ""));
}

FitOptions surface_fit_options(const Options& command, const StudyOptions& options) {
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  StudyOptions plain = options;
  plain.robust = Robust::kNone;
  plain.bootstrap.resamples = 0;  // Here it may draw the runs of --se cluster.
  FitOptions fit = fit_options(plain);
  fit.bootstrap.resamples = options.bootstrap.resamples;
  const bool least_squares = command.given("--robust") && options.robust == Robust::kNone;
  fit.robust = least_squares ? Robust::kNone : Robust::kHuber;
  if (!has_clusters(options.se)) fit.se = StandardError::kSandwich;
  fit.bootstrap.kind = BootstrapKind::kCase;
  return fit;
}

namespace {

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
void warn_of_repeated_tokens(SurfaceTable& table, const Console& console) {
  const auto unique =
      std::find_if(table.ungrouped.begin(), table.ungrouped.end(),
                   [](const UngroupedColumn& column) { return counts_unique_tokens(column.name); });
  if (unique == table.ungrouped.end()) return;
  console.warn(fmt::format(
      "'{}' says that tokens were seen several times, and here they count as fresh ones: fit, "
      "predict and budget with --law data-constrained tell what repeated tokens are worth",
      unique->name));
  table.ungrouped.erase(unique);
}

}  // namespace

SurfaceStudy read_surface(const StudyOptions& options, const SurfaceOptions& surface,
                          const GlobalOptions& global) {
  refuse_no_input(options);
  const Console console = global.console();
  const SurfaceColumns columns = columns_asked(options, surface);
  RunOptions rows = row_options(options, global);
  rows.x.clear();
  rows.runs_are_clusters = has_clusters(options.se);
  SurfaceTable table = read_surface_runs(options.inputs, columns, rows);
  console.note(table.choice);
  warn_of_repeated_tokens(table, console);
  warn_of_ungrouped(table.ungrouped, table.by, joined(table.scales, ","), console);
  say_what_was_left_out(table.rows, table.bad_rows, console);
  if (table.groups.empty()) throw DataError("no row can be fitted");
  SurfaceStudy study;
  const bool knows_runs =
      !options.run.empty() || !table.unused_run_column.empty() || surface.sharing.empty();
  if (const std::string shared = knows_runs ? "" : shared_errors_warning(table, surface.sharing);
      !shared.empty()) {
    console.warn(shared);
    study.report.warnings.push_back(shared);
  }
  study.report.inputs = options.inputs;
  study.report.x = joined(table.scales, ",");
  study.report.scales = std::move(table.scales);
  study.report.flops_per_parameter_token = table.flops_per_parameter_token;
  study.report.y = std::move(table.y);
  study.report.y_unit = std::move(table.y_unit);
  study.report.by = std::move(table.by);
  study.report.run = options.run;
  study.report.rows = std::move(table.rows);
  study.groups = std::move(table.groups);
  study.more_units = std::move(table.more_units);
  study.unused_run_column = std::move(table.unused_run_column);
  return study;
}

}  // namespace scalelaw::cli
