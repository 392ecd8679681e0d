#include "study/demands.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>
#include <vector>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
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
    if (contains(words, word)) return thing;
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

/// The option that says how much of that work a job has.
std::string_view job_option_of(WorkUnit work) {
  return work == WorkUnit::kSample ? "--samples" : work == WorkUnit::kStep ? "--steps" : "--tokens";
}

/// @throws DataError if a question does not fit the kind of response.
void check_questions(const PredictRequest& request, Response response, const StudyReport& study) {
  const bool is_rate = response == Response::kRate;
  if (!request.tokens.empty()) return check_tokens(request, response, study);
  if (request.deadline && is_rate) {
    const std::string& things = study.quantity.things;
    throw DataError(fmt::format(
        "--deadline limits a time, and '{0}' is a rate: say with {1} how many {2} the job has "
        "that the deadline is for ({1} 1e9), or ask for a rate with --throughput",
        study.y, job_option_of(study.quantity.of), things.empty() ? "units of work" : things));
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

/// Takes over what the report calls the job.
void take_job_words(const PredictRequest& request, PredictReport& report) {
  if (const auto& epochs = request.outlook.epochs) {
    const std::string_view work = name_of(*request.study.told.work);
    std::string thing = timed_thing(report.y);
    if (thing.empty() || report.quantity.is_product()) thing = work;
    const double count = *epochs * report.quantity.multiple;
    report.job = fmt::format("the job of {} {}{}", scale_text(count), thing, count == 1 ? "" : "s");
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

/// Whether y is a time by its name, whose unit nothing tells.
bool is_time_without_unit(const StudyReport& study) {
  return study.y_unit.empty() && study.quantity.kind == Kind::kTime;
}

/// Whether the deadline is a duration and y such a time.
bool takes_seconds(const PredictRequest& request, const StudyReport& study) {
  return request.deadline && request.deadline->in_seconds && is_time_without_unit(study);
}

/// How to tell the unit of a time that names none: "-y 'time[s]' if it is in seconds".
std::string unit_advice(const StudyReport& study) {
  return fmt::format(
      "'{0}' names no unit: say -y '{0}[s]' if it is in seconds, -y '{0}[min]' if in minutes",
      study.y);
}

/// @throws DataError if hours of GPUs are not known.
void need_hours(const OutlookOptions& outlook, std::string_view option, const StudyReport& study) {
  if (outlook.hours_per_unit) return;
  if (counts_nodes(study.x) && outlook.node_hours_per_unit) {
    throw DataError(fmt::format(
        "{} needs the number of GPUs, and '{}' counts nodes: say with --gpus-per-node how many one "
        "has, or price nodes with --node-price",
        option, study.x));
  }
  refuse_without_gpus(study.x, option);
  if (is_time_without_unit(study)) {
    throw DataError(fmt::format("{} needs the unit of y: {}", option, unit_advice(study)));
  }
  throw DataError(
      fmt::format("{} needs the number of GPUs as x, and a time as y whose header tells its unit, "
                  "such as epoch_seconds or 'time [min]'; x is '{}' and y is '{}'",
                  option, study.x, study.y));
}

/// @throws DataError if hours of nodes are not known.
void need_nodes(const OutlookOptions& outlook, const StudyReport& study) {
  if (!outlook.x_per_node) {
    throw DataError(fmt::format(
        "--node-price needs the number of nodes, and '{}' does not count nodes: {}", study.x,
        may_count_gpus(study.x) ? "say with --gpus-per-node how many GPUs one has"
                                : "name a column of nodes with -x"));
  }
  if (outlook.node_hours_per_unit) return;
  if (!outlook.tokens && is_time_without_unit(study)) {
    throw DataError(fmt::format("--node-price needs the unit of y: {}", unit_advice(study)));
  }
  throw DataError(fmt::format(
      "--node-price needs a time as y whose header tells its unit, such as epoch_seconds or 'time "
      "[min]', or --tokens with a rate; y is '{}'",
      study.y));
}

/// "2h5min", as options take it.
std::string written(double seconds) {
  std::string text = duration_text(seconds);
  std::erase(text, ' ');
  return text;
}

/// The deadline in the unit of y, which is seconds where nothing tells it, and of a job of tokens.
/// @throws DataError for a duration if that unit is no unit of time.
double deadline_in_unit(const PredictRequest& request, const StudyReport& study, bool of_tokens) {
  const TimeLimit& limit = *request.deadline;
  if (!limit.in_seconds || of_tokens || takes_seconds(request, study)) return limit.time;
  if (const auto unit = in_base_units(study.y_unit, Dimension::kTime)) return limit.time / *unit;
  throw DataError(fmt::format(
      "--deadline {}: the unit of '{}' is {}; give a number in the unit of that column, "
      "or tell its unit in the header, such as 'time [s]'",
      written(limit.time), study.y,
      study.y_unit.empty() ? "not known" : study.y_unit + ", which is no time"));
}

/// How many rates one unit of the scale has: that of one GPU is had by each GPU of a node.
/// @throws DataError if their number is not known.
double rates_per_unit(const StudyReport& study, std::optional<double> gpus_per_node) {
  if (study.quantity.whose != Owner::kGpu || !counts_nodes(study.x)) return 1;
  if (gpus_per_node) return *gpus_per_node;
  throw DataError(fmt::format(
      "'{}' is the rate of one GPU, and '{}' counts nodes: say with --gpus-per-node how many GPUs "
      "one has",
      study.y, study.x));
}

/// How large the job is, and what machines take for one unit of y, or for a second of a job of
/// tokens.
OutlookOptions outlook_of_job(const PredictRequest& request, Response response,
                              const StudyReport& study, std::optional<double> gpus_per_node) {
  check_questions(request, response, study);
  OutlookOptions outlook = request.outlook;
  if (!request.tokens.empty()) {
    outlook.tokens = number_as_written(request.tokens);
    outlook.seconds_of_rate = study.quantity.seconds.value_or(1) / study.quantity.multiple /
                              rates_per_unit(study, gpus_per_node);
  }
  const auto hours = outlook.tokens                  ? hours_of("s", Response::kTime)
                     : takes_seconds(request, study) ? hours_of("s", response)
                                                     : hours_of(study.y_unit, response);
  const MachineHours machines = machine_hours(study.x, hours, gpus_per_node);
  outlook.hours_per_unit = machines.per_x;
  outlook.node_hours_per_unit = machines.per_node;
  outlook.x_per_node = machines.x_per_node;
  return outlook;
}

OutlookOptions outlook_options(const PredictRequest& request, Response response,
                               const StudyReport& study, std::optional<double> gpus_per_node) {
  OutlookOptions outlook = outlook_of_job(request, response, study, gpus_per_node);
  if (request.deadline) {
    outlook.deadline = deadline_in_unit(request, study, outlook.tokens.has_value());
  }
  outlook.gpu_price = amount_of(request.gpu_price);
  outlook.node_price = amount_of(request.node_price);
  outlook.footprint = footprint_of(request.footprint);
  if (outlook.budget_gpu_hours) need_hours(outlook, "--budget-gpu-hours", study);
  if (request.gpu_power) need_hours(outlook, "--gpu-power", study);
  if (outlook.gpu_price) need_hours(outlook, "--gpu-price", study);
  if (outlook.node_price) need_nodes(outlook, study);
  return outlook;
}

/// Says what time a rate or deadline is taken to be in where nothing tells it.
void note_unit(const PredictRequest& request, const StudyReport& study, const Messages& say) {
  if (!request.tokens.empty() && !study.quantity.seconds) {
    say.note(fmt::format(
        "'{}' does not say per which time it is, and is taken as a rate per second; if it is not, "
        "say so in the header, such as tokens_per_minute",
        study.y));
  } else if (takes_seconds(request, study)) {
    say.note(fmt::format(
        "'{0}' names no unit and is taken as seconds; if it is in minutes, say so with -y "
        "'{0}[min]'",
        study.y));
  }
}

}  // namespace

std::optional<WorkUnit> work_of_job(const PredictRequest& request) {
  if (request.outlook.epochs) return WorkUnit::kEpoch;
  if (!request.samples.empty()) return WorkUnit::kSample;
  if (!request.steps.empty()) return WorkUnit::kStep;
  if (!request.tokens.empty()) return WorkUnit::kToken;
  return std::nullopt;
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
  if (request.outlook.epochs) *request.outlook.epochs /= study.quantity.multiple;
  request.tokens.clear();
}

std::optional<double> hours_of_job(PredictRequest request, Response response,
                                   const StudyReport& study, std::optional<double> gpus_per_node) {
  take_job(response, study, request);
  const OutlookOptions job = outlook_of_job(request, response, study, gpus_per_node);
  if (!job.hours_per_unit) return std::nullopt;
  return *job.hours_per_unit *
         (job.tokens ? *job.tokens * job.seconds_of_rate : job.epochs.value_or(1));
}

std::optional<double> seconds_of(const TimeLimit& limit, const std::string& unit) {
  if (limit.in_seconds) return limit.time;
  const auto seconds = in_base_units(unit, Dimension::kTime);
  return seconds ? std::optional(limit.time * *seconds) : std::nullopt;
}

void take_demands(const PredictRequest& request, Response response,
                  std::optional<double> gpus_per_node, PredictReport& report, const Messages& say) {
  report.currency = currency_of({{"--gpu-price", request.gpu_price},
                                 {"--node-price", request.node_price},
                                 {"--price", request.footprint.price}});
  take_job_words(request, report);
  if (request.deadline && (request.deadline->in_seconds || !request.tokens.empty())) {
    report.deadline = duration_text(request.deadline->time);
  }
  report.outlook = outlook_options(request, response, report, gpus_per_node);
  note_unit(request, report, say);
}

void refuse_without_energy(const OutlookOptions& options, std::string_view what_to_do) {
  if (!needs_energy(options)) return;
  throw DataError(fmt::format(
      "--budget-kwh, --carbon-intensity, --price and --pue need energy: {}, or say with "
      "--gpu-power how many watts a GPU draws",
      what_to_do));
}

}  // namespace scalelaw
