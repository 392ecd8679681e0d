#include "replay_options.hpp"

#include <fmt/format.h>

#include <set>

#include "scalelaw/base/error.hpp"

namespace scalelaw::cli {
namespace {

void note_repeated(const std::string& source, std::size_t repeated, Traces& traces) {
  if (repeated == 0) return;
  traces.warnings.push_back(
      fmt::format("{}: {} earlier rows; each counts as a measurement of its own", source,
                  repeated == 1 ? "a row repeats" : fmt::format("{} rows repeat", repeated)));
}

}  // namespace

Traces read_traces(const ReplayOptions& options, const Messages& console) {
  if (options.train.empty()) throw DataError("replay: name the train trace with --train FILE");
  if (options.power.empty()) throw DataError("replay: name a power trace with --power FILE");
  Traces traces{.train = read_train_trace(options.train), .power = {}, .warnings = {}};
  note_repeated(traces.train.source, traces.train.repeated, traces);
  std::set<std::string> names;
  for (const std::string& path : options.power) {
    traces.power.push_back(read_power_trace(path));
    const PowerTrace& power = traces.power.back();
    note_repeated(power.source, power.repeated, traces);
    if (!names.insert(power.name).second) {
      throw DataError(
          fmt::format("--power: two traces are called {}: rename one of the files", power.name));
    }
  }
  for (const std::string& warning : traces.warnings) console.warn(warning);
  return traces;
}

ReplayStudy study_of(const ReplayOptions& options, const Traces& traces, int threads) {
  ReplayStudy study;
  ReplayStudyReport& report = study.report;
  std::vector<JobWish> jobs;
  for (const std::string& dataset : options.datasets) jobs.push_back(wish_of(options, dataset));
  report.rows = replay_jobs(traces.train, traces.power, jobs, all_settings(options), options.seeds,
                            options.confidence, threads, study.traces);
  report.train = options.train;
  report.power = options.power;
  report.random = options.random.value_or(RandomKind::kScalelaw);
  report.seeds = options.seeds;
  report.confidence = options.confidence;
  report.warnings = traces.warnings;
  return study;
}

}  // namespace scalelaw::cli
