#include "study_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

/// The columns of x that are read.
SurfaceColumns columns_asked(const StudyOptions& options, const SurfaceOptions& surface) {
  std::vector<std::string> scales = split(options.x, ',');
  const std::size_t needed = surface.flops.empty() ? 2 : 1;
  if (scales.size() != needed) {
    throw DataError(fmt::format(
        "--law {} takes two x: name both columns, as -x parameters,tokens, or with --flops COL the "
        "first alone; found -x {}",
        options.law->name(), options.x.empty() ? "(none)" : options.x));
  }
  if (scales[0] == (needed == 2 ? scales[1] : surface.flops)) {
    throw DataError(fmt::format("--law {} takes two x, and both are the column '{}'",
                                options.law->name(), scales[0]));
  }
  return {.n = scales[0],
          .d = needed == 2 ? scales[1] : "",
          .compute = surface.flops,
          .flops_per_parameter_token = surface.flops_per_parameter_token};
}

void refuse_if_given(const Options& command, const char* option, std::string_view why) {
  if (!command.given(option)) return;
  throw DataError(fmt::format("{} does not go with a law of two x: {}", option, why));
}

}  // namespace

void add_surface_options(Options& command, SurfaceOptions& options) {
  command.group("Data");
  command.text("--flops", options.flops, "COL",
               "Of laws of two x: column of the training compute, which with the first x gives the "
               "second, tokens = compute / (K * x)");
  command.number("--flops-per-parameter-token", options.flops_per_parameter_token, positive(), "K",
                 "Of laws of two x: K, so that compute = K * parameters * tokens; 6 for scales of "
                 "these names, else 1: the product alone");
  command.group("Law");
  command.number("--huber-delta", options.huber_delta, positive(), "D",
                 "Of laws of two x: the residual of ln y where Huber's loss turns linear");
}

bool takes_two_x(const StudyOptions& options) { return options.law->inputs() == 2; }

void refuse_two_x(const Law& law, std::string_view what) {
  if (law.inputs() == 1) return;
  throw DataError(
      fmt::format("the {} law takes two x, and {} can use laws of one alone; fit, predict and plot "
                  "surface take it",
                  law.name(), what));
}

void refuse_surface_options(const Options& command, const StudyOptions& options) {
  if (const auto name = command.first_given(
          {"--flops", "--flops-per-parameter-token", "--huber-delta", "--at-compute"})) {
    throw DataError(
        fmt::format("{} is for laws of two x, and {} takes one", *name, options.law->name()));
  }
}

FitOptions surface_fit_options(const Options& command, const StudyOptions& options,
                               const SurfaceOptions& surface) {
  refuse_if_given(command, "--se", "its errors are those of the sandwich");
  refuse_if_given(command, "--errors", "its scatter is multiplicative");
  refuse_if_given(command, "--points", "every row is a point; --run averages");
  refuse_if_given(command, "--weights", "its runs weigh the same");
  refuse_if_given(command, "--rate", "its exponents count downwards for any y");
  if (options.bootstrap.kind != BootstrapKind::kWebb &&
      options.bootstrap.kind != BootstrapKind::kCase) {
    refuse_if_given(command, "--bootstrap-kind", "its bootstrap draws runs (case)");
  }
  if (options.robust == Robust::kTheilSen) refuse_if_given(command, "--robust", "none or huber");
  StudyOptions plain = options;
  plain.robust = Robust::kNone;
  FitOptions fit = fit_options(plain);
  const bool least_squares = command.given("--robust") && options.robust == Robust::kNone;
  fit.robust = least_squares ? Robust::kNone : Robust::kHuber;
  fit.se = StandardError::kSandwich;
  fit.bootstrap.kind = BootstrapKind::kCase;
  fit.huber_delta = surface.huber_delta;
  return fit;
}

SurfaceStudy read_surface(const StudyOptions& options, const SurfaceOptions& surface,
                          const GlobalOptions& global) {
  refuse_no_input(options);
  const Console console = global.console();
  const SurfaceColumns columns = columns_asked(options, surface);
  RunOptions rows = row_options(options, global);
  rows.x.clear();
  SurfaceTable table = read_surface_runs(options.inputs, columns, rows);
  console.note(table.choice);
  say_what_was_left_out(table.rows, table.bad_rows, console);
  if (table.groups.empty()) throw DataError("no row to fit");
  SurfaceStudy study;
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
  study.unused_run_column = std::move(table.unused_run_column);
  return study;
}

}  // namespace scalelaw::cli
