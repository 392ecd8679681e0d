#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "replay_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128
      Which batch sizes and power limits Zeus tries, what it settles on, what that saves.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --format csv
      Every run, in the order of the published simulator.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --policy zeus,thompson,ucb,grid --mode paper,corrected --seed 1..100
      A study: policies compared over a hundred seeds, with intervals.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --jobs data/replay/jobs.csv --target-metric 0.7 --max-epochs 30 --b0 128
      Recurring jobs whose submissions overlap.
)";

struct ReplayCommand {
  ReplayOptions replay;
  std::string jobs;
  bool curves = false;
  ResultOptions result;
};

ReplayReport report_of(const ReplayOptions& options, const ReplayPlan& plan, const Traces& traces,
                       const JobTrace& trace) {
  ReplayReport report;
  report.train = options.train;
  report.power = options.power.front();
  report.trace = &trace;
  report.settings.policy =
      policy_of(options, plan.policies.front(), plan.modes.front(), plan.etas.front());
  report.settings.beta = plan.betas.front();
  report.settings.recurrences = options.recurrences;
  report.settings.seed = plan.seeds.front();
  report.settings.random = random_of(options, RandomKind::kZeus);
  report.replay = replay_job(trace, report.settings);
  report.summary = summary_of({&trace, report.settings}, report.replay);
  report.uses = knob_uses(report.replay);
  report.lowest_run_cost = lowest_run_cost(report.replay);
  report.warnings = traces.warnings;
  return report;
}

int replay_once(const ReplayCommand& options, const ReplayPlan& plan, const Traces& traces,
                const GlobalOptions& global) {
  const std::string dataset = datasets_of(options.replay).front();
  const JobTrace trace =
      join_wished(traces.train, traces.power.front(), wish_of(options.replay, dataset));
  return deliver(options.result, {}, global, [&](const Delivery& delivery) {
    const ReplayReport report = report_of(options.replay, plan, traces, trace);
    const std::optional<std::string>& failure = report.replay.failure;
    if (failure && report.replay.history.size() < 2) throw DataError(*failure);
    write_replay(report, delivery.style, delivery.sink);
    return failure ? Lacks{"ended early: " + *failure} : Lacks{};
  });
}

int replay_many(const ReplayCommand& options, const ReplayPlan& plan, const Traces& traces,
                const GlobalOptions& global) {
  return deliver(options.result, {}, global, [&](const Delivery& delivery) {
    ReplayStudy study = study_of(options.replay, plan, traces, global.threads);
    study.report.curves = options.curves;
    write_replay_study(study.report, delivery.style, delivery.sink);
    return study.lacks;
  });
}

void refuse_lists_for_groups(const ReplayOptions& replay, const ReplayPlan& plan,
                             const Traces& traces) {
  if (!replay.datasets.empty() || replay.seeds != "1" || replay.recurrences > 0) {
    throw DataError(
        "--jobs: the file tells datasets, recurrences and, by the groups' names, seeds; "
        "--dataset, --recurrences and --seed do not go with it");
  }
  if (plan.policies.size() * plan.modes.size() * plan.etas.size() * plan.betas.size() *
          traces.power.size() >
      1) {
    throw DataError("--jobs: replays one policy, mode, eta, beta and power trace at a time");
  }
}

ReplayGroupsReport groups_report(const ReplayCommand& options, const ReplayPlan& plan,
                                 const Traces& traces, int threads) {
  ReplayGroupsReport report;
  report.train = options.replay.train;
  report.power = options.replay.power.front();
  report.jobs = options.jobs;
  report.gpu = traces.power.front().name;
  report.settings.policy =
      policy_of(options.replay, plan.policies.front(), plan.modes.front(), plan.etas.front());
  report.settings.beta = plan.betas.front();
  report.settings.random = random_of(options.replay, RandomKind::kZeus);
  report.groups = replay_groups(traces.train, traces.power.front(), read_job_groups(options.jobs),
                                wish_of(options.replay, ""), report.settings, threads);
  report.totals = totals_by_dataset(report.groups);
  report.warnings = traces.warnings;
  return report;
}

std::string failure_of(const GroupReplay& group) {
  return fmt::format("group {}: {}", group.group.name,
                     group.failure.empty() ? group.replay.failure.value_or("") : group.failure);
}

int replay_cluster(const ReplayCommand& options, const ReplayPlan& plan, const Traces& traces,
                   const GlobalOptions& global) {
  refuse_lists_for_groups(options.replay, plan, traces);
  return deliver(options.result, {}, global, [&](const Delivery& delivery) {
    const ReplayGroupsReport report = groups_report(options, plan, traces, global.threads);
    std::size_t failed = 0;
    std::size_t groups = 0;
    for (const DatasetTotals& totals : report.totals) {
      failed += totals.failed;
      groups += totals.groups;
    }
    if (failed == groups) throw DataError(failure_of(report.groups.front()));
    write_replay_groups(report, delivery.style, delivery.sink);
    if (failed == 0) return Lacks{};
    return Lacks{fmt::format("{} of {} groups could not be replayed", failed, groups)};
  });
}

bool is_one(const ReplayCommand& options, const ReplayPlan& plan, const Traces& traces) {
  return datasets_of(options.replay).size() == 1 && traces.power.size() == 1 &&
         plan.policies.size() == 1 && plan.modes.size() == 1 && plan.etas.size() == 1 &&
         plan.betas.size() == 1 && plan.seeds.size() == 1;
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
  const ReplayPlan plan = plan_of(options.replay);
  refuse_to_replace_traces(options.result.output, options.replay);
  if (!options.jobs.empty()) refuse_to_replace_files(options.result.output, {options.jobs});
  const Traces traces = read_traces(options.replay, global.console());
  if (!options.jobs.empty()) return replay_cluster(options, plan, traces, global);
  const bool one = is_one(options, plan, traces);
  refuse_curves_without_place(options, one);
  return one ? replay_once(options, plan, traces, global)
             : replay_many(options, plan, traces, global);
}

}  // namespace

Command add_replay_command(Program& program) {
  auto options = std::make_shared<ReplayCommand>();
  Options replay = program.add_command(
      "replay", "Replay recurring training jobs under Zeus and other policies", kExamples);
  add_replay_options(replay, options->replay);
  replay.group("Traces");
  replay.text("--jobs", options->jobs, "FILE",
              "Submissions of recurring jobs that may overlap: group, start_time (s), end_time "
              "(s), dataset, runtime_ratio; generate --submissions writes such files");
  add_seed_confidence(replay, options->replay, "Result");
  replay.flag("--curves", options->curves,
              "JSON of a study has the means after every recurrence, for figures");
  replay.exclude("--jobs", "--curves");
  replay.exclude("--jobs", "--confidence");
  add_result_options(replay, options->result);
  add_columns_option(replay, options->result);
  add_strict_option(replay, options->result, "Exit with 1 if a replay ended early");
  return {replay, [options](const GlobalOptions& global) { return run_replay(*options, global); }};
}

}  // namespace scalelaw::cli
