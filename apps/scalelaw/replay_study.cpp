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

ReplayStudy planned_study(const ReplayOptions& options, const Traces& traces) {
  ReplayStudy study;
  const std::vector<ReplaySettings> combinations = all_settings(options);
  for (const std::string& dataset : options.datasets) {
    const JobWish wish = wish_of(options, dataset);
    for (const PowerTrace& power : traces.power) {
      StudyRow row;
      row.gpu = power.name;
      row.dataset = dataset;
      try {
        study.traces.push_back(join_wished(traces.train, power, wish));
        row.trace = &study.traces.back();
        row.dataset = row.trace->job.dataset;
      } catch (const DataError& error) {
        row.result = std::string(error.what());
      }
      for (const ReplaySettings& settings : combinations) {
        row.settings = settings;
        study.report.rows.push_back(row);
      }
    }
  }
  return study;
}

void replay_cases(const ReplayOptions& options, int threads, std::vector<StudyRow>& rows) {
  std::vector<StudyCase> cases;
  for (const StudyRow& row : rows) {
    if (row.trace != nullptr) cases.push_back({row.trace, row.settings});
  }
  auto summaries = replay_study(cases, options.seeds, options.confidence, threads);
  std::size_t next = 0;
  for (StudyRow& row : rows) {
    if (row.trace != nullptr) row.result = std::move(summaries[next++]);
  }
}

/// What was left out.
/// @throws DataError with the first reason if there is nothing left.
Lacks lacks_of(const std::vector<StudyRow>& rows) {
  std::size_t cases = 0;
  std::size_t seeds = 0;
  std::string reason;
  for (const StudyRow& row : rows) {
    const auto* summary = std::get_if<CaseSummary>(&row.result);
    const bool whole = summary == nullptr || summary->failed == summary->seeds;
    cases += whole ? 1 : 0;
    seeds += whole ? 0 : summary->failed;
    if (summary == nullptr && reason.empty()) reason = std::get<std::string>(row.result);
    if (whole && summary != nullptr && reason.empty()) reason = *summary->first_failure;
  }
  if (cases == rows.size()) throw DataError(reason);
  Lacks lacks;
  if (cases > 0) {
    lacks.push_back(
        fmt::format("{} of {} cases could not be replayed: {}", cases, rows.size(), reason));
  }
  if (seeds > 0) {
    lacks.push_back(fmt::format("{} seeds ended early and are left out of their cases", seeds));
  }
  return lacks;
}

}  // namespace

Traces read_traces(const ReplayOptions& options, const Console& console) {
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
      throw DataError(fmt::format("--power: two traces are called {}", power.name));
    }
  }
  for (const std::string& warning : traces.warnings) console.warn(warning);
  return traces;
}

ReplayStudy study_of(const ReplayOptions& options, const Traces& traces, int threads) {
  ReplayStudy study = planned_study(options, traces);
  ReplayStudyReport& report = study.report;
  replay_cases(options, threads, report.rows);
  study.lacks = lacks_of(report.rows);
  report.train = options.train;
  report.power = options.power;
  report.random = options.random.value_or(RandomKind::kScalelaw);
  report.seeds = options.seeds;
  report.confidence = options.confidence;
  report.warnings = traces.warnings;
  return study;
}

}  // namespace scalelaw::cli
