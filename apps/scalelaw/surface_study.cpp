#include "surface_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kDerived = "tokens";  ///< Name of a second scale that --flops gives.

/// The columns of x that are read; with --flops the second is that of the compute.
std::vector<std::string> scales_asked(const StudyOptions& options, const SurfaceOptions& surface) {
  std::vector<std::string> scales = split(options.x, ',');
  const std::size_t needed = surface.flops.empty() ? 2 : 1;
  if (scales.size() != needed) {
    throw DataError(fmt::format(
        "--law {} takes two x: name both columns, as -x parameters,tokens, or with --flops COL the "
        "first alone; found -x {}",
        options.law->name(), options.x.empty() ? "(none)" : options.x));
  }
  if (!surface.flops.empty()) scales.push_back(surface.flops);
  if (scales[0] == scales[1]) {
    throw DataError(fmt::format("--law {} takes two x, and both are the column '{}'",
                                options.law->name(), scales[0]));
  }
  return scales;
}

constexpr double kTrainingFlops = 6;  ///< Of a parameter and token (Kaplan et al. 2020).

bool is_one_of(std::string name, const std::vector<std::string_view>& words) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::any_of(words.begin(), words.end(), [&name](std::string_view word) {
    return word.size() == 1 ? name == word : name.find(word) != std::string::npos;
  });
}

/// K: as given; else that of training where the scales are parameters and tokens; else 1.
double factor_of(const SurfaceOptions& surface, const std::vector<std::string>& scales) {
  if (surface.flops_per_parameter_token) return *surface.flops_per_parameter_token;
  const bool tokens = !surface.flops.empty() || is_one_of(scales[1], {"token", "d"});
  const bool parameters = !surface.flops.empty() || is_one_of(scales[0], {"param", "model", "n"});
  return parameters && tokens ? kTrainingFlops : 1;
}

ChooseColumns chooser(const StudyOptions& options, const std::vector<std::string>& scales,
                      std::string& choice, std::string& unused_run) {
  return [&options, &scales, &choice, &unused_run](const Header& header, std::string_view source) {
    RunOptions run;
    run.x = scales.front();
    run.y = options.y;
    run.by = split(options.by, ',');
    run.by_chosen = options.by_given;
    run.where = options.where;
    run.run = options.run;
    const ChosenColumns chosen = choose_columns(header, run, source);
    choice = description_of(chosen);
    unused_run = chosen.unused_run == scales[1] ? "" : chosen.unused_run;
    return ObservationColumns{.by = chosen.by,
                              .numbers = {{.name = scales[0], .setting = true},
                                          {.name = scales[1], .setting = true},
                                          {.name = chosen.y}},
                              .run = chosen.run};
  };
}

SurfaceRuns runs_of(const Observations& observations, std::size_t group,
                    const SurfaceOptions& surface, double factor) {
  const auto column = [&](std::size_t number) {
    const auto values = observations.values(group, number);
    return std::vector<double>(values.begin(), values.end());
  };
  SurfaceRuns runs{observations.key(group), column(0), column(1), column(2)};
  if (surface.flops.empty()) return runs;
  for (std::size_t i = 0; i < runs.d.size(); ++i) {
    runs.d[i] /= factor * runs.n[i];
  }
  return runs;
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
  if (options.bootstrap_kind != BootstrapKind::kWebb &&
      options.bootstrap_kind != BootstrapKind::kCase) {
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
  const std::vector<std::string> scales = scales_asked(options, surface);
  const double factor = factor_of(surface, scales);
  const Console console = global.console();
  SurfaceStudy study;
  std::string choice;
  const Observations runs =
      read_observations(options.inputs, chooser(options, scales, choice, study.unused_run_column),
                        {.where = options.where,
                         .skip_bad_rows = options.skip_bad_rows,
                         .threads = global.threads,
                         .progress = console.shows_progress()});
  console.note(fmt::format("{}; second x: {}", choice,
                           surface.flops.empty() ? scales[1]
                                                 : fmt::format("{} = {} / ({} * {})", kDerived,
                                                               surface.flops, factor, scales[0])));
  say_what_was_left_out(runs.rows(), runs.bad_rows(), console);
  if (runs.size() == 0) throw DataError("no row to fit");
  study.report.inputs = options.inputs;
  study.report.scales = {scales[0], surface.flops.empty() ? scales[1] : kDerived};
  study.report.x = joined(study.report.scales, ",");
  study.report.flops_per_parameter_token = factor;
  study.report.y = runs.numbers()[2].name;
  study.report.y_unit = runs.unit(2);
  study.report.by = runs.by();
  study.report.run = options.run;
  study.report.rows = runs.rows();
  for (std::size_t i = 0; i < runs.size(); ++i)
    study.groups.push_back(runs_of(runs, i, surface, factor));
  return study;
}

std::vector<GroupFit> fit_surfaces(const SurfaceStudy& study, const FitOptions& fit,
                                   const GlobalOptions& global) {
  std::vector<GroupFit> fits(study.groups.size());
  const int threads = thread_count(global.threads);
  // The refits of one group fill all threads; without them groups are shared out.
  const bool resampled = fit.bootstrap.resamples > 0;
  parallel_for(resampled ? 1 : threads, fits.size(), [&](std::size_t i, int /*worker*/) {
    const SurfaceRuns& runs = study.groups[i];
    fits[i] = {runs.group,
               surface_or_reason(runs.n, runs.d, runs.y, fit, random_stream_of(runs.group),
                                 resampled ? threads : 1)};
  });
  return fits;
}

}  // namespace scalelaw::cli
