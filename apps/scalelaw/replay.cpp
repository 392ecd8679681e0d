#include <fmt/format.h>

#include <memory>

#include "replay_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/replay_report.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kReplayExamples =
    R"(  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128
      Which batch sizes and power limits Zeus tries, which it settles on, and what that saves.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --format csv
      Every run, with the numbers of the published simulator.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --policy zeus,thompson,ucb,grid --mode paper,corrected --seed 1..100
      A study that compares four policies over 100 seeds, with intervals.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --jobs data/replay/jobs.csv --target-metric 0.7 --max-epochs 30 --b0 128
      Recurring jobs that are submitted before the last run has ended.
)";

struct ReplayCommand {
  ReplayOptions replay;
  std::string jobs;
  bool curves = false;
  ResultOptions result;
};

ReplayReport report_of(const ReplayOptions& options, const Traces& traces, const JobTrace& trace) {
  ReplayReport report;
  report.train = options.train;
  report.power = options.power.front();
  report.trace = &trace;
  report.settings = first_settings(options);
  report.replay = replay_job(trace, report.settings);
  report.summary = summary_of({&trace, report.settings}, report.replay);
  report.uses = knob_uses(report.replay);
  report.lowest_run_cost = lowest_run_cost(report.replay);
  report.warnings = traces.warnings;
  return report;
}

int replay_once(const ReplayCommand& options, const Traces& traces, const GlobalOptions& global) {
  const std::string& dataset = options.replay.datasets.front();
  const JobTrace trace =
      join_wished(traces.train, traces.power.front(), wish_of(options.replay, dataset));
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const ReplayReport report = report_of(options.replay, traces, trace);
    const std::optional<std::string>& failure = report.replay.failure;
    if (failure && report.replay.history.size() < 2) throw DataError(*failure);
    write_replay(report, delivery.style, delivery.sink);
    return failure ? Lacks{"the replay ended early: " + *failure} : Lacks{};
  });
}

int replay_many(const ReplayCommand& options, const Traces& traces, const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    ReplayStudy study = study_of(options.replay, traces, global.threads);
    study.report.curves = options.curves;
    write_replay_study(study.report, delivery.style, delivery.sink);
    return lacks_of(study.report.rows);
  });
}

/// How many replays the lists of a call ask for, each with every seed.
std::size_t combinations(const ReplayOptions& replay, const Traces& traces) {
  return replay.datasets.size() * traces.power.size() * replay.policies.size() *
         replay.modes.size() * replay.etas.size() * replay.betas.size();
}

void refuse_lists_for_groups(const ReplayOptions& replay, const Traces& traces) {
  if (combinations(replay, traces) > 1) {
    throw DataError(
        "--jobs replays one policy, mode, eta, beta and power trace at a time: name one of each");
  }
}

ReplayGroupsReport groups_report(const ReplayCommand& options, const Traces& traces, int threads) {
  ReplayGroupsReport report;
  report.train = options.replay.train;
  report.power = options.replay.power.front();
  report.jobs = options.jobs;
  report.gpu = traces.power.front().name;
  report.settings = first_settings(options.replay);
  report.groups = replay_groups(traces.train, traces.power.front(), read_job_groups(options.jobs),
                                wish_of(options.replay, ""), report.settings, threads);
  report.totals = totals_by_dataset(report.groups);
  report.warnings = traces.warnings;
  return report;
}

int replay_cluster(const ReplayCommand& options, const Traces& traces,
                   const GlobalOptions& global) {
  refuse_lists_for_groups(options.replay, traces);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const ReplayGroupsReport report = groups_report(options, traces, global.threads);
    std::size_t failed = 0;
    std::size_t groups = 0;
    for (const DatasetTotals& totals : report.totals) {
      failed += totals.failed;
      groups += totals.groups;
    }
    if (failed == groups) {
      const GroupReplay& first = report.groups.front();
      throw DataError(fmt::format("group {}: {}", first.group.name, *first.replay.failure));
    }
    write_replay_groups(report, delivery.style, delivery.sink);
    if (failed == 0) return Lacks{};
    return Lacks{fmt::format("{} of {} could not be replayed", failed, counted(groups, "group"))};
  });
}

/// Curves are means over seeds after every recurrence, which only the JSON of a study has.
void refuse_curves_without_place(const ReplayCommand& options, bool one) {
  if (!options.curves) return;
  const Format format = format_of(options.result);
  if (format != Format::kJson && format != Format::kJsonl) {
    throw DataError("--curves: only --format json and jsonl have them");
  }
  if (one) {
    throw DataError(
        "--curves: one replay has its whole history instead; name several --seed, --policy, ...");
  }
}

int run_replay(const ReplayCommand& options, const GlobalOptions& global) {
  check_combination(options.replay);
  const Traces traces = read_traces(options.replay, global.console());
  if (!options.jobs.empty()) return replay_cluster(options, traces, global);
  const bool one = combinations(options.replay, traces) == 1 && options.replay.seeds.size() == 1;
  refuse_curves_without_place(options, one);
  return one ? replay_once(options, traces, global) : replay_many(options, traces, global);
}

}  // namespace

Command add_replay_command(Program& program) {
  auto options = std::make_shared<ReplayCommand>();
  Options replay = program.add_command(
      "replay", "Tell what Zeus and other policies would save on training jobs that recur",
      kReplayExamples);
  add_replay_options(replay, options->replay);
  replay.group("Traces");
  replay.text(
      "--jobs", options->jobs, "FILE",
      "Submissions of recurring jobs, which may overlap: a table with the columns group, "
      "start_time (s), end_time (s), dataset, runtime_ratio, as generate --submissions writes it");
  add_seed_confidence(replay, options->replay, "Result");
  replay.flag("--curves", options->curves,
              "Add to the JSON of a study the means after every recurrence, for figures");
  constexpr const char* kOfSeeds = "it is about means over seeds, and each group has one seed";
  replay.rules({"--curves", "--confidence"}).excludes("--jobs", kOfSeeds);
  replay.rules("--jobs").excludes(
      {"--dataset", "--recurrences!=0", "--seed!=1"},
      "{0} does not go with --dataset, --recurrences or --seed: its file says datasets and "
      "recurrences, and the names of the groups give the seeds");
  add_result_options(replay, options->result);
  replay.flag("--strict", options->result.strict, "Exit with status 1 if a replay ended early");
  return command_of(replay, options, run_replay);
}

}  // namespace scalelaw::cli
