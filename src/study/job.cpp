#include "scalelaw/study/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
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
  const WorkUnit work = *request.study.told.work;
  if (!is_of_work(study.quantity, work)) {
    refuse(
        fmt::format("{} needs a rate of {}s, and '{}' is {}: name another column with -y, or the "
                    "table of runs, which may tell how much work that is",
                    request.job_option, name_of(work), study.y, description_of(study.quantity)));
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
    const std::string& things = study.quantity.things;
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
  const auto work = request.study.told.work = work_of_job(request);
  if (!work) return;
  for (const auto& [option, number] :
       {std::pair{"--samples", &request.samples}, {"--steps", &request.steps}}) {
    if (!number->empty()) std::tie(request.job_option, request.tokens) = std::pair(option, *number);
  }
  if (response == Response::kRate) return;
  if (!is_of_work(study.quantity, *work)) {
    refuse(request.outlook.epochs ? "--epochs" : request.job_option,
           fmt::format("the time of one {}", name_of(*work)));
  }
  if (!request.tokens.empty()) request.outlook.epochs = number_as_written(request.tokens);
  request.tokens.clear();
}

std::optional<WorkUnit> work_of_job(const PredictRequest& request) {
  if (request.outlook.epochs) return WorkUnit::kEpoch;
  if (!request.samples.empty()) return WorkUnit::kSample;
  if (!request.steps.empty()) return WorkUnit::kStep;
  if (!request.tokens.empty()) return WorkUnit::kToken;
  return std::nullopt;
}

void take_job_words(const PredictRequest& request, PredictReport& report) {
  if (const auto& epochs = request.outlook.epochs) {
    const std::string_view work = name_of(*request.study.told.work);
    std::string thing = timed_thing(report.y);
    if (thing.empty() || report.quantity.is_product()) thing = work;
    report.job =
        fmt::format("the job of {} {}{}", scale_text(*epochs), thing, *epochs == 1 ? "" : "s");
    report.job_member = fmt::format("{}s", work);
  }
  if (request.tokens.empty()) return;
  std::string things = report.quantity.things;
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
  outlook.seconds_of_rate = study.quantity.seconds.value_or(1);
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
