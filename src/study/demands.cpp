#include "scalelaw/study/demands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

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

OutlookOptions outlook_options(const PredictRequest& request, Response response,
                               const StudyReport& study, std::optional<double> gpus_per_node) {
  OutlookOptions outlook = request.outlook;
  check_questions(request, response, study);
  take_tokens(request, study, outlook);
  if (request.deadline) {
    outlook.deadline = deadline_in_unit(request, study, outlook.tokens.has_value());
  }
  outlook.gpu_price = amount_of(request.gpu_price);
  outlook.node_price = amount_of(request.node_price);
  outlook.footprint = footprint_of(request.footprint);
  take_machines(request, study, response, gpus_per_node, outlook);
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
