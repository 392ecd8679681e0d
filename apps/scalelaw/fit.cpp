#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "delivery.hpp"
#include "scalelaw/fit/shared.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "scalelaw/store/study_store.hpp"
#include "scalelaw/study/history_study.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kFitExamples = R"(  scalelaw fit data/demo/runs.csv
      The exponent of each model at each power cap and clock.
  scalelaw fit data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380
      One law per model, at full power and clock only.
  scalelaw fit data/demo/runs.csv --se hc3 --format csv --columns model,n,beta,beta_se
      Chosen columns with all digits, and standard errors that allow for unequal scatter.
  scalelaw fit data/demo/runs.csv --where replicate=1 --where "gpus<=16" --pool scatter
      One scatter for all groups: with four runs in each, intervals become half as wide.
  scalelaw fit data/demo/runs.csv --bootstrap 1000 --format json -o /tmp/fits.json
      Everything about each fit as JSON, with bootstrap intervals.
  scalelaw fit data/two_scales/runs.csv --law chinchilla -x parameters,tokens -y loss
      How a loss depends on parameters and tokens, and how to split compute between them.

  fit answers how a time depends on a scale, t = alpha N^-beta (a regression). Whether the values
  of one column follow a power law themselves is another question: scalelaw tail answers it.
)";

struct FitCommand {
  Options call;
  StudyOptions study;
  SurfaceOptions surface;
  ResultOptions result;
  std::vector<std::string> share;  ///< Parameters that all groups share.
  std::string store;               ///< Where the document is kept; empty: nowhere.
  std::string label;
  std::string kept_at;
};

Lacks write_fits(const GroupedCells& runs, const FitOptions& fit, int threads,
                 GroupWriter<Fit>& writer) {
  return write_each("fit", writer, [&](const auto& write) { fit_each(runs, fit, threads, write); });
}

Lacks write_fits(const std::vector<GroupFit>& fits, GroupWriter<Fit>& writer) {
  return write_each("fit", writer, [&](const auto& write) { std::ranges::for_each(fits, write); });
}

/// Keeps the fits as the JSON document that --format json writes.
void keep_fits(const FitCommand& options, const FitReport& report, const GroupedCells& runs,
               FitOptions fit, const GlobalOptions& global, const std::string& time) {
  std::string document;
  const auto writer =
      make_fit_writer(report, {.format = Format::kJson, .columns = {}, .colour = false},
                      [&document](std::string_view text) { document += text; });
  fit.figures = writer->figures();
  fit.bound_curves = true;
  write_fits(runs, fit, global.threads, *writer);
  if (StudyStore::keep_fits(options.store, options.label, time, document)) return;
  global.console().note(fmt::format("{}: the same fits are kept already as '{}' of {}",
                                    options.store, options.label, time));
}

/// Writes a joint fit.
Lacks write_shared(const StudyReport& head, FitOptions fit, const SharedFits& fits,
                   const Delivery& delivery) {
  fit.sharing = fits.sharing;
  const auto writer = make_fit_writer(FitReport{head, fit}, delivery.style, delivery.sink);
  return write_fits(fits.groups, *writer);
}

/// Fits all groups at once, with parameters that they share.
int run_shared_fit(const FitCommand& options, const GlobalOptions& global) {
  FitOptions fit = takes_several_x(options.study) ? surface_fit_options(options.call, options.study)
                                                  : fit_options(options.study);
  fit.bootstrap.kind = BootstrapKind::kCase;
  return deliver(options.result, global, [&](const Delivery& delivery) {
    if (takes_several_x(options.study)) {
      SurfaceOptions surface = options.surface;
      surface.sharing = "--se cluster --run";
      SurfaceStudy study = read_surface(options.study, surface, global.conditions());
      const std::string epochs = note_epochs(study.unused_run_column, fit, delivery.console);
      if (!epochs.empty()) study.report.warnings.push_back(epochs);
      const auto fits = fit_shared(std::span<const SurfaceRuns>(study.groups), options.share, fit,
                                   global.threads);
      return write_shared(study.report, fit, fits, delivery);
    }
    const auto [head, runs] = read_study(options.study, fit, global.conditions());
    std::vector<CurveRuns> groups(runs.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].group = runs.key(i);
      runs.cells(i, groups[i].cells);
    }
    const auto fits =
        fit_shared(std::span<const CurveRuns>(groups), options.share, fit, global.threads);
    return write_shared(head, fit, fits, delivery);
  });
}

/// Fits a law of several x.
int run_surface_fit(const FitCommand& options, const GlobalOptions& global) {
  FitOptions fit = surface_fit_options(options.call, options.study);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const SurfaceStudy study = read_surface(options.study, options.surface, global.conditions());
    const std::string epochs = note_epochs(study.unused_run_column, fit, delivery.console);
    FitReport report{study.report, fit};
    if (!epochs.empty()) report.warnings.push_back(epochs);
    const auto writer = make_fit_writer(std::move(report), delivery.style, delivery.sink);
    return write_fits(fit_surfaces(study.groups, fit, global.threads), *writer);
  });
}

int run_fit(const FitCommand& options, const GlobalOptions& global) {
  if (!options.share.empty()) return run_shared_fit(options, global);
  if (takes_several_x(options.study)) return run_surface_fit(options, global);
  const std::string time = options.store.empty() ? "" : time_to_keep(options.kept_at);
  FitOptions fit = fit_options(options.study);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    auto [head, runs] = read_study_by_nights(options.call, options.study, fit, global);
    pool_if_asked(runs, fit, head, global.conditions());
    const FitReport report{std::move(head), fit};
    const auto writer = make_fit_writer(report, delivery.style, delivery.sink);
    fit.figures = writer->figures();
    fit.bound_curves = delivery.style.format == Format::kJson;
    Lacks lacks = write_fits(runs, fit, global.threads, *writer);
    delivery.commit();  // The result must not be lost where the store is full.
    if (!time.empty()) keep_fits(options, report, runs, fit, global, time);
    return lacks;
  });
}

}  // namespace

Command add_fit_command(Program& program) {
  auto options = std::make_shared<FitCommand>();
  Options fit = options->call =
      program.add_command("fit", "Fit one scaling law to each group of runs", kFitExamples);
  add_study_options(fit, options->study);
  add_pool_option(fit, options->study, {Pool::kNone, Pool::kScatter, Pool::kSlopes});
  add_surface_options(fit, options->surface, options->study);
  add_result_options(fit, options->result, "",
                     "Columns to show in the table or CSV, in this order; slope and intercept of "
                     "the line in log-log are available, too");
  fit.group("Law");
  fit.names("--share", options->share, "NAME,NAME",
            "Fit all groups together, with one value of this parameter for all of them, such as E")
      .excludes("--pool!=none", "{0} is a joint fit with one scatter already: leave out --pool")
      .excludes("--bootstrap-kind!=case",
                "{0}: the bootstrap of a joint fit draws runs (case) inside each group");
  fit.group("Store");
  fit.text("--store", options->store, "DB",
           "Study store that keeps the fits; it is created if there is none")
      .needs("--keep", "--keep LABEL and {0} DB go together");
  fit.text("--keep", options->label, "LABEL",
           "Keep the fits in the store under this label, for scalelaw history and for gate "
           "(DB@LABEL)",
           [](std::string& label) { return label.empty() ? "the label is empty" : ""; })
      .needs("--store", "{0} LABEL and --store DB go together")
      .excludes("--share",
                "{0}: fits that share a parameter with others are not followed over time")
      .excludes("--pool=slopes",
                "{0}: pooled slopes hide what changes in one group; keep fits with --pool scatter "
                "or without it")
      .excludes(several_x(), "{0}: fits of {1} are not followed over time");
  fit.text("--kept-at", options->kept_at, "TIME",
           "Date or time (UTC) under which the fits are kept. Default: now")
      .needs("--keep", "{0} goes with --keep and --store");
  fit.group("Result");
  fit.flag("--strict", options->result.strict, "Exit with status 1 if a group has no fit");
  return command_of(fit, options, run_fit, true);
}

}  // namespace scalelaw::cli
