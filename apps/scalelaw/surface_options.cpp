// Binds the options of laws of several x.

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

/// The residuals of a fit as --residual names them.
std::vector<Named<Errors>> residuals() {
  return {{"log", Errors::kLognormal}, {"raw", Errors::kNormal}};
}

void refuse_if_given(const Options& command, const char* option, std::string_view why) {
  if (!command.given(option)) return;
  throw DataError(fmt::format("{} does not go with a law of several x: {}", option, why));
}

}  // namespace

void add_compute_options(Options& command, SurfaceOptions& options) {
  command.group("Data");
  command.text(
      "--flops", options.flops, "COL",
      "For laws of several x: column of the training compute. Then -x names one column, and "
      "the second x is tokens = compute / (K * x)");
  command.number("--flops-per-parameter-token", options.flops_per_parameter_token, positive(), "K",
                 "For laws of several x: K in compute = K * parameters * tokens. Default: 6 if the "
                 "columns are parameters and tokens by their names, otherwise 1");
}

void add_surface_options(Options& command, SurfaceOptions& options, StudyOptions& study) {
  add_compute_options(command, options);
  command.group("Law");
  command.choice("--residual", study.errors, residuals(),
                 "What the fit brings near 0: residuals of ln y (log), or of y itself (raw). The "
                 "same as --errors lognormal and normal");
  command.number(
      "--huber-delta", study.huber_delta, positive(), "D",
      "For laws of several x: the residual from which Huber's loss is linear; of ln y, or "
      "with --residual raw of y");
  command.number("--over-penalty", study.over_penalty, positive(), "K",
                 "For laws of several x: a run counts K times where the law lies above what was "
                 "measured, so that the law moves to the lower edge of the runs");
}

void refuse_two_residuals(const Options& command) {
  if (!command.given("--residual") || !command.given("--errors")) return;
  throw DataError("--residual and --errors say the same thing: leave out one of them");
}

void refuse_surface_options(const Options& command, const StudyOptions& options) {
  refuse_two_residuals(command);
  if (command.given("--residual") && options.errors == Errors::kLognormal &&
      options.law->scale() == Scale::kOriginal) {
    throw DataError(fmt::format(
        "--residual log: the {} law is fitted to y itself; leave out --residual, or choose another "
        "law with --law",
        options.law->name()));
  }
  if (const auto name =
          command.first_given({"--flops", "--flops-per-parameter-token", "--huber-delta",
                               "--over-penalty", "--at-compute", "--hide-by"})) {
    throw DataError(fmt::format("{} works only with laws of several x, and {} takes one", *name,
                                options.law->name()));
  }
}

FitOptions surface_fit_options(const Options& command, const StudyOptions& options) {
  if (!is_clustered(options.se)) {
    refuse_if_given(
        command, "--se",
        "its standard errors come from the sandwich estimator, or with cluster or cr2 from runs");
  }
  refuse_two_residuals(command);
  refuse_if_given(command, "--points", "every row is a point; --run averages rows");
  refuse_if_given(command, "--weights", "all its runs have the same weight");
  refuse_if_given(command, "--rate", "its exponents say how y falls, whatever y is");
  if (options.bootstrap.kind != BootstrapKind::kWebb &&
      options.bootstrap.kind != BootstrapKind::kCase) {
    refuse_if_given(command, "--bootstrap-kind", "its bootstrap draws runs (case)");
  }
  if (options.robust == Robust::kTheilSen)
    refuse_if_given(command, "--robust", "choose none or huber");
  return surface_fit_options(options, command.given("--robust") && options.robust == Robust::kNone);
}

}  // namespace scalelaw::cli
