#include "predict_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

Check count() {
  return [](const std::string& word) -> std::string {
    const auto number = number_as_written(word);
    if (number && *number > 0) return "";
    return fmt::format("expected a number above 0 such as 1e12, 300B or 1.2T, found \"{}\"", word);
  };
}

}  // namespace

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
