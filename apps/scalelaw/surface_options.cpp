// Binds the options of laws of several x.

#include <fmt/format.h>

#include "call_kinds.hpp"
#include "scalelaw/base/error.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

/// The residuals of a fit as --residual names them.
std::vector<Named<Errors>> residuals() {
  return {{"log", Errors::kLognormal}, {"raw", Errors::kNormal}};
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
  command.rules({"--flops", "--flops-per-parameter-token", "--huber-delta", "--over-penalty"})
      .only_for(several_x(), kTakesOne);
}

void add_surface_options(Options& command, SurfaceOptions& options, StudyOptions& study) {
  add_compute_options(command, options);
  command.group("Law");
  command
      .choice("--residual", study.errors, residuals(),
              "What the fit brings near 0: residuals of ln y (log), or of y itself (raw). The "
              "same as --errors lognormal and normal")
      .excludes("--errors", "{0} and {1} say the same thing: leave out one of them");
  command.rules("--residual=log")
      .unless(several_x())
      .excludes(fitted_to_y(),
                "{0}: the {2} law is fitted to y itself; leave out --residual, or choose another "
                "law with "
                "--law");
  command.number(
      "--huber-delta", study.huber_delta, positive(), "D",
      "For laws of several x: the residual from which Huber's loss is linear; of ln y, or "
      "with --residual raw of y");
  command.number("--over-penalty", study.over_penalty, positive(), "K",
                 "For laws of several x: a run counts K times where the law lies above what was "
                 "measured, so that the law moves to the lower edge of the runs");
}

FitOptions surface_fit_options(const Options& command, const StudyOptions& options) {
  return surface_fit_options(options, command.given("--robust") && options.robust == Robust::kNone);
}

}  // namespace scalelaw::cli
