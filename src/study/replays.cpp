#include "scalelaw/study/replays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

/// Whether the wishes for the job are for this dataset: of several only for those not published.
bool takes_wishes(const ReplayRequest& request, const std::string& dataset) {
  return request.datasets.size() == 1 || published_job(dataset) == nullptr;
}

void refuse_wishes_without_use(const ReplayRequest& request) {
  const JobWish& job = request.job;
  const bool given = !job.network.empty() || !job.optimizer.empty() || job.target_metric ||
                     job.max_epochs > 0 || job.default_batch_size > 0;
  const auto& datasets = request.datasets;
  const bool used = std::ranges::any_of(
      datasets, [&](const std::string& dataset) { return takes_wishes(request, dataset); });
  if (!given || used) return;
  throw DataError(
      "--model, --optimizer, --target-metric, --max-epochs and --b0 describe one dataset: leave "
      "them out if --dataset names several published ones");
}

/// The job on a dataset, as far as the request names it.
JobWish wish_of(const ReplayRequest& request, const std::string& dataset) {
  JobWish wish = takes_wishes(request, dataset) ? request.job : JobWish{};
  wish.dataset = dataset;
  return wish;
}

ReplaySettings settings_of(const ReplayRequest& request, BatchSizeRule rule, ReplayMode mode,
                           double eta, double beta) {
  const PowerLimitRule limits =
      request.limit_w ? PowerLimitRule::kFixed : request.power_policy.value_or(usual_limits(rule));
  return {.policy = {.batch_size = rule,
                     .power_limit = limits,
                     .fixed_limit_w = request.limit_w.value_or(0),
                     .mode = mode,
                     .eta = eta,
                     .window = request.window},
          .beta = beta,
          .recurrences = request.recurrences,
          .seed = request.seeds.front(),
          .random = request.random.value_or(RandomKind::kZeus)};
}

ReplaySettings first_settings(const ReplayRequest& request) {
  return settings_of(request, request.policies.front(), request.modes.front(), request.etas.front(),
                     request.betas.front());
}

std::vector<ReplaySettings> all_settings(const ReplayRequest& request) {
  std::vector<ReplaySettings> all;
  for (const BatchSizeRule rule : request.policies) {
    for (const ReplayMode mode : request.modes) {
      for (const double eta : request.etas) {
        for (const double beta : request.betas) {
          all.push_back(settings_of(request, rule, mode, eta, beta));
          all.back().random = request.random.value_or(RandomKind::kScalelaw);
        }
      }
    }
  }
  return all;
}

/// How many replays the lists ask for, each with every seed.
std::size_t combinations(const ReplayRequest& request) {
  return request.datasets.size() * request.power.size() * request.policies.size() *
         request.modes.size() * request.etas.size() * request.betas.size();
}

void refuse_lists_for_groups(const ReplayRequest& request) {
  if (combinations(request) > 1) {
    throw DataError(
        "--jobs replays one policy, mode, eta, beta and power trace at a time: name one of each");
  }
}

void note_repeated(const std::string& source, std::size_t repeated, Traces& traces) {
  if (repeated == 0) return;
  traces.warnings.push_back(
      fmt::format("{}: {} earlier rows; each counts as a measurement of its own", source,
                  repeated == 1 ? "a row repeats" : fmt::format("{} rows repeat", repeated)));
}

}  // namespace

void check_combination(const ReplayRequest& request) {
  if (request.window == 1) {
    throw DataError(
        "--window: expected 0 (all costs) or at least 2, because one cost has no variance");
  }
  refuse_wishes_without_use(request);
}

Traces read_traces(const ReplayRequest& request) {
  if (request.train.empty()) throw DataError("replay: name the train trace with --train FILE");
  if (request.power.empty()) throw DataError("replay: name a power trace with --power FILE");
  Traces traces{.train = read_train_trace(request.train), .power = {}, .warnings = {}};
  note_repeated(traces.train.source, traces.train.repeated, traces);
  std::set<std::string> names;
  for (const std::string& path : request.power) {
    const PowerTrace& power = traces.power.emplace_back(read_power_trace(path));
    note_repeated(power.source, power.repeated, traces);
    if (!names.insert(power.name).second) {
      throw DataError(
          fmt::format("--power: two traces are called {}: rename one of the files", power.name));
    }
  }
  return traces;
}

bool is_one_replay(const ReplayRequest& request) {
  return combinations(request) == 1 && request.seeds.size() == 1;
}

OneReplay replay_first(const ReplayRequest& request, const Traces& traces) {
  OneReplay one;
  one.traces.push_back(
      join_wished(traces.train, traces.power.front(), wish_of(request, request.datasets.front())));
  const JobTrace& trace = one.traces.front();
  ReplayReport& report = one.report;
  report.train = request.train;
  report.power = request.power.front();
  report.trace = &trace;
  report.settings = first_settings(request);
  report.replay = replay_job(trace, report.settings);
  report.summary = summary_of({&trace, report.settings}, report.replay);
  report.uses = knob_uses(report.replay);
  report.lowest_run_cost = lowest_run_cost(report.replay);
  report.warnings = traces.warnings;
  return one;
}

ReplayStudy replay_all(const ReplayRequest& request, const Traces& traces, int threads) {
  ReplayStudy study;
  ReplayStudyReport& report = study.report;
  std::vector<JobWish> jobs;
  for (const std::string& dataset : request.datasets) jobs.push_back(wish_of(request, dataset));
  report.rows = replay_jobs(traces.train, traces.power, jobs, all_settings(request), request.seeds,
                            request.confidence, threads, study.traces);
  report.train = request.train;
  report.power = request.power;
  report.random = request.random.value_or(RandomKind::kScalelaw);
  report.seeds = request.seeds;
  report.confidence = request.confidence;
  report.warnings = traces.warnings;
  return study;
}

ReplayGroupsReport replay_submitted(const ReplayRequest& request, const Traces& traces,
                                    int threads) {
  refuse_lists_for_groups(request);
  const PowerTrace& power = traces.power.front();
  ReplayGroupsReport report;
  report.train = request.train;
  report.power = request.power.front();
  report.jobs = request.jobs;
  report.gpu = power.name;
  report.settings = first_settings(request);
  report.groups = replay_groups(traces.train, power, read_job_groups(request.jobs),
                                wish_of(request, ""), report.settings, threads);
  report.totals = totals_by_dataset(report.groups);
  report.warnings = traces.warnings;
  const auto lives = [](const GroupReplay& group) { return !group.replay.failure; };
  if (std::ranges::none_of(report.groups, lives)) {
    const GroupReplay& first = report.groups.front();
    throw DataError(fmt::format("group {}: {}", first.group.name, *first.replay.failure));
  }
  return report;
}

}  // namespace scalelaw
