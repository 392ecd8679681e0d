#include "scalelaw/study/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw {
namespace {

/// What the times of a column are of: "epoch", "step", "iteration"; empty if its name does not
/// tell.
std::string timed_thing(std::string_view y) {
  const std::vector<std::string> words = words_as_written(y);
  for (const auto& [word, thing] : {std::pair{"epoch", "epoch"},
                                    {"step", "step"},
                                    {"iteration", "iteration"},
                                    {"iter", "iteration"},
                                    {"it", "iteration"}}) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return thing;
  }
  return "";
}

/// @throws DataError if a job of tokens cannot be told from the response.
void check_tokens(const PredictRequest& request, Response response, const StudyReport& study) {
  const auto refuse = [](std::string sentence) { throw DataError(std::move(sentence)); };
  if (response != Response::kRate) {
    refuse(
        fmt::format("{} needs a rate, such as tokens per second, and '{}' is read as a "
                    "time: name a rate with -y, or add --rate if it is one",
                    request.job_option, study.y));
  }
  if (rate_name(study.y).of_one_device) {
    refuse(
        fmt::format("{} needs the rate of all of '{}' together, and '{}' is that of one: "
                    "add a column that is multiplied by it",
                    request.job_option, study.x, study.y));
  }
  if (request.outlook.target == Target::kMean) {
    refuse(request.job_option +
           ": the mean of a time is not known from that of a rate; leave out --target mean");
  }
  if (!request.measures.energy.empty()) {
    refuse(request.job_option +
           ": the energy of a run is not that of a job; give the watts of a GPU with --gpu-power");
  }
}

}  // namespace

void check_questions(const PredictRequest& request, Response response, const StudyReport& study) {
  const bool is_rate = response == Response::kRate;
  if (!request.tokens.empty()) return check_tokens(request, response, study);
  if (request.deadline && is_rate) {
    const std::string things = rate_name(study.y).things;
    throw DataError(fmt::format(
        "--deadline limits a time, and '{}' is a rate: say with --tokens how many {} the job has "
        "that the deadline is for (--tokens 1e9), or ask for a rate with --throughput",
        study.y, things.empty() ? "units of work" : things));
  }
  if (request.outlook.throughput && !is_rate) {
    throw DataError(
        fmt::format("--throughput asks for a rate, and '{}' is read as a time: add --rate if it "
                    "is a rate, or ask for a time with --deadline",
                    study.y));
  }
  if (request.outlook.epochs && is_rate) {
    throw DataError(fmt::format(
        "--epochs needs the time of one epoch, and '{}' is a rate: name such a column with -y, or "
        "say with --tokens how much work a job has",
        study.y));
  }
}

void take_job(Response response, const StudyReport& study, PredictRequest& request) {
  const auto refuse = [&study](std::string_view option, std::string_view what) {
    throw DataError(
        fmt::format("{} needs {}, and '{}' is something else: name such a column with "
                    "-y",
                    option, what, study.y));
  };
  if (!request.samples.empty()) {
    if (response != Response::kRate) refuse("--samples", "a rate, such as samples per second");
    request.tokens = request.samples;
    request.job_option = "--samples";
  }
  if (request.steps.empty()) return;
  if (response == Response::kRate) {
    request.tokens = request.steps;
    request.job_option = "--steps";
    return;
  }
  const std::string thing = timed_thing(study.y);
  if (thing == "epoch") refuse("--steps", "the time of one step");
  request.outlook.epochs = number_as_written(request.steps);
}

void take_rate(PredictRequest& request) {
  const bool asks = !request.tokens.empty() || !request.samples.empty() || !request.steps.empty() ||
                    request.outlook.throughput.has_value();
  if (asks && meaning_of(request.study.y).role == ColumnRole::kRate) request.study.rate = true;
}

void take_job_words(const PredictRequest& request, PredictReport& report) {
  if (const auto& epochs = request.outlook.epochs) {
    const bool of_steps = !request.steps.empty();
    std::string thing = timed_thing(report.y);
    if (thing.empty()) thing = of_steps ? "step" : "epoch";
    report.job =
        fmt::format("the job of {} {}{}", scale_text(*epochs), thing, *epochs == 1 ? "" : "s");
    report.job_member = of_steps ? "steps" : "epochs";
  }
  if (request.tokens.empty()) return;
  std::string things = rate_name(report.y).things;
  const bool is_one = number_as_written(request.tokens) == 1;
  if (things.empty()) things = is_one ? "unit of work" : "units of work";
  if (is_one && things.ends_with('s')) things.pop_back();
  report.job = fmt::format("the job of {} {}", request.tokens, things);
  report.job_member = request.job_option.substr(2);
}

bool is_time_without_unit(const StudyReport& study) {
  return study.y_unit.empty() && meaning_of(study.y).role == ColumnRole::kTime;
}

bool takes_seconds(const PredictRequest& request, const StudyReport& study) {
  return request.deadline && request.deadline->in_seconds && is_time_without_unit(study);
}

void take_machines(const PredictRequest& request, const StudyReport& study, Response response,
                   std::optional<double> gpus_per_node, OutlookOptions& outlook) {
  const bool in_seconds = takes_seconds(request, study);
  const auto hours = outlook.tokens ? hours_of("s", Response::kTime)
                                    : hours_of(in_seconds ? "s" : study.y_unit, response);
  const MachineHours machines = machine_hours(study.x, hours, gpus_per_node);
  outlook.hours_per_unit = machines.per_x;
  outlook.node_hours_per_unit = machines.per_node;
  outlook.x_per_node = machines.x_per_node;
}

void take_tokens(const PredictRequest& request, const StudyReport& study, OutlookOptions& outlook) {
  if (request.tokens.empty()) return;
  outlook.tokens = number_as_written(request.tokens);
  outlook.seconds_of_rate = rate_name(study.y).seconds.value_or(1);
}

std::optional<double> hours_of_job(PredictRequest request, Response response,
                                   const StudyReport& study, std::optional<double> gpus_per_node) {
  take_job(response, study, request);
  check_questions(request, response, study);
  OutlookOptions outlook = request.outlook;
  take_tokens(request, study, outlook);
  take_machines(request, study, response, gpus_per_node, outlook);
  if (!outlook.hours_per_unit) return std::nullopt;
  const double times =
      outlook.tokens ? *outlook.tokens * outlook.seconds_of_rate : outlook.epochs.value_or(1);
  return *outlook.hours_per_unit * times;
}

}  // namespace scalelaw
