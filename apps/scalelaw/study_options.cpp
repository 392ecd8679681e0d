// Binds options that several commands share: of laws of several x, energies, prices and jobs.

#include "study_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

/// The residuals of a fit as --residual names them.
std::vector<Named<Errors>> residuals() {
  return {{"log", Errors::kLognormal}, {"raw", Errors::kNormal}};
}

/// Grams of CO2 per kWh, or those of a grid.
std::optional<double> carbon_intensity_of(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto number = parse_number(text);
  const auto grams = number ? number : grid_intensity(text);
  if (grams && *grams >= 0) return grams;
  std::vector<std::string> regions;
  for (const GridIntensity& grid : grid_intensities()) regions.emplace_back(grid.region);
  throw DataError(
      fmt::format("{}: expected grams of CO2 per kWh, 0 or more, or one of {}; found {}", option,
                  joined(regions), scalelaw::quoted(text)));
}

Check count() {
  return [](const std::string& word) -> std::string {
    const auto number = number_as_written(word);
    if (number && *number > 0) return "";
    return fmt::format("expected a number above 0 such as 1e12, 300B or 1.2T, found \"{}\"", word);
  };
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

void add_energy_columns(Options& command, MeasureOptions& measures, const char* group) {
  command.group(group);
  command.text("--energy", measures.energy, "COL",
               "Column of the energy that all GPUs of a run take together, in the unit that its "
               "name says. Default: found by its name");
  command.text("--power", measures.power, "COL",
               "Column of the mean power of one GPU, in the unit that its name says. Default: "
               "found by its name");
  command.flag("--total-power", measures.total_power,
               "The power column is the power of all GPUs of a run together");
}

void add_footprint_options(Options& command, FootprintOptions& options) {
  command.group("Footprint");
  command.parsed("--carbon-intensity", options.carbon_intensity, carbon_intensity_of, "G|REGION",
                 "Grams of CO2 per kWh, or the name of a grid: FR, DE, GB, US, CN, IN, WORLD, ...");
  command.parsed("--price", options.price, price_or_zero_of, "PRICE",
                 "Price of one kWh, with or without a currency, which is that of all prices");
  command.number("--pue", options.pue, number_from(1, 10), "PUE",
                 "Power usage effectiveness: the energy of the whole building divided by that of "
                 "its machines");
}

std::vector<double> etas_of(const std::string& option, const std::string& list) {
  std::vector<double> etas;
  for (const std::string& word : split(list, ',')) {
    const auto eta = parse_number(word);
    if (!eta || !(*eta >= 0 && *eta <= 1)) {
      throw DataError(
          fmt::format("{}: expected numbers from 0 (time only) to 1 (energy only), found {}",
                      option, scalelaw::quoted(word)));
    }
    if (contains(etas, *eta)) {
      throw DataError(fmt::format("{}: {} is named twice", option, word));
    }
    etas.push_back(*eta);
  }
  return etas;
}

std::vector<Named<ForecastModel>> models(const std::vector<Named<const Law*>>& laws) {
  std::vector<ForecastModel> models{{.kind = ForecastKind::kAverage},
                                    {.kind = ForecastKind::kAuto}};
  for (const auto& [name, law] : laws) models.push_back({ForecastKind::kLaw, law});
  return named(models);
}

std::optional<TimeLimit> time_limit_of(const std::string& option, const std::string& text) {
  const auto number = parse_number(text);
  if (number && *number > 0) return TimeLimit{*number, false};
  const auto seconds = parse_duration(text);
  if (seconds && *seconds > 0) return TimeLimit{*seconds};
  throw DataError(
      fmt::format("{}: expected a duration such as 90s, 2h or 1:30:00, or a number in the unit of "
                  "y, found \"{}\"",
                  option, text));
}

void add_job_options(Options& command, PredictRequest& request, const std::string& effect) {
  command.number("--epochs", request.outlook.epochs, positive(), "N",
                 "The job has N epochs, and y is the time of one: " + effect);
  command.text("--steps", request.steps, "N",
               "The same for N steps (iterations, batches), of which y is the time or the rate",
               count());
  command.text("--tokens", request.tokens, "N",
               "The job has N tokens, or N of what the rate y counts: 1T, 300B, 1e12; " + effect,
               count());
  command.text("--samples", request.samples, "N", "The same for N samples, of a rate of samples",
               count());
  command.exclusive({"--epochs", "--steps", "--samples", "--tokens"},
                    "{0} and {1} all say what a job is: leave all but one of them out");
}

}  // namespace scalelaw::cli
