#include "scalelaw/replay/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "replay/columns.hpp"
#include "replay/simulation.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

Submission submission_of(const TraceColumns& columns, const TableRows& rows) {
  const Submission one{columns.number(1), columns.number(2), columns.positive(4)};
  if (one.end_s >= one.start_s) return one;
  throw ParseError(rows.source(), rows.line(),
                   fmt::format("expected an end_time that is not before start_time {}, found {}",
                               one.start_s, one.end_s));
}

std::vector<JobGroup> read_groups(TableRows&& rows) {
  TraceColumns columns(rows, {"group", "start_time", "end_time", "dataset", "runtime_ratio"});
  std::map<std::string, JobGroup> groups;
  while (columns.next()) {
    JobGroup& group = groups[columns.name(0)];
    if (group.submissions.empty()) {
      group.name = columns.name(0);
      group.dataset = columns.name(3);
    }
    if (group.dataset != columns.name(3)) {
      throw ParseError(
          rows.source(), rows.line(),
          fmt::format("group {} has two datasets, {} and {}: give each group one dataset",
                      quoted(group.name), group.dataset, columns.name(3)));
    }
    group.submissions.push_back(submission_of(columns, rows));
  }
  std::vector<JobGroup> out;
  for (auto& [name, group] : groups) out.push_back(std::move(group));
  std::ranges::sort(out, natural_less, &JobGroup::name);
  for (JobGroup& group : out) {
    std::ranges::stable_sort(group.submissions, {}, &Submission::start_s);
  }
  return out;
}

void add_alternatives(const JobTrace& trace, double eta, GroupReplay& group) {
  double ratios = 0;
  for (const Submission& one : group.group.submissions) ratios += one.runtime_ratio;
  if (const auto usual = expected_cost(trace, trace.default_size, 0, eta)) {
    group.default_knobs =
        Spending{ratios * usual->energy_j, ratios * usual->time_s, ratios * usual->cost};
  }
  if (const auto oracle = oracle_knobs(trace, eta)) {
    group.oracle_cost = ratios * expected_cost(trace, oracle->size, oracle->limit, eta)->cost;
  }
}

void replay_one(const JobTrace& trace, const ReplaySettings& settings, const MakePolicies& make,
                GroupReplay& group) {
  ReplaySettings own = settings;
  own.seed = adler32(group.group.name);
  group.replay = replay_group(trace, own, group.group.submissions, make);
  for (const ReplayedRun& run : group.replay.history) {
    const SizeTrace& size = trace.sizes[run.size];
    group.batch_sizes.push_back(size.batch_size);
    group.limits_w.push_back(size.limits[run.limit].limit_w);
  }
  add_alternatives(trace, settings.policy.eta, group);
}

DatasetTotals totals_of(std::span<const GroupReplay* const> groups) {
  DatasetTotals out{.dataset = groups.front()->group.dataset, .groups = groups.size()};
  std::optional<Spending> usual = Spending();  // Empty if one of the groups has no default.
  for (const GroupReplay* const group : groups) {
    if (group->replay.failure) {
      ++out.failed;
      continue;
    }
    out.submissions += group->group.submissions.size();
    out.runs += group->replay.history.size();
    if (!out.totals) out.totals.emplace();
    *out.totals += group->replay.totals;
    if (!group->default_knobs) usual.reset();
    if (usual) *usual += *group->default_knobs;
  }
  if (!out.totals || !usual) return out;
  out.energy_saving = 1 - out.totals->energy_j / usual->energy_j;
  out.time_saving = 1 - out.totals->time_s / usual->time_s;
  out.cost_saving = 1 - out.totals->cost / usual->cost;
  return out;
}

constexpr double kRuntimeScatter = 0.3;

/// A submission of a generated group.
struct Row {
  std::string group;
  std::string dataset;
  double start_s;
  double runtime_s;
};

double exponential(RandomStream& random, double mean) { return -mean * std::log(random.uniform()); }

/// Adds the submissions of a group, with a mean runtime between a quarter of an hour and a day.
void generate_group(const GroupFilePlan& plan, std::uint32_t number, std::vector<Row>& rows) {
  RandomStream random(plan.seed, stable_hash("groups"), number);
  const auto jobs = published_jobs();
  const std::string name = fmt::format("g{:04}", number + 1);
  const double mean_runtime = 900 * std::exp(std::log(96.0) * random.uniform());
  const double interval = mean_runtime / plan.load;
  const double wish = exponential(random, std::max(0.0, plan.submissions - 2.0));
  const auto count = 2 + static_cast<std::uint32_t>(wish);
  double start = exponential(random, interval);
  for (std::uint32_t i = 0; i < count; ++i) {
    const double scatter =
        kRuntimeScatter * random.normal() - kRuntimeScatter * kRuntimeScatter / 2;
    rows.push_back({name, jobs[number % jobs.size()].dataset, std::round(start),
                    std::max(1.0, std::round(mean_runtime * std::exp(scatter)))});
    start += exponential(random, interval);
  }
}

}  // namespace

std::vector<JobGroup> read_job_groups(const std::string& path) {
  return read_groups(TableRows(path));
}

std::vector<JobGroup> read_job_groups(std::string_view text, std::string_view source) {
  return read_groups(TableRows(text, source));
}

std::uint32_t adler32(std::string_view bytes) {
  constexpr std::uint32_t kPrime = 65521;
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char byte : bytes) {
    low = (low + static_cast<unsigned char>(byte)) % kPrime;
    high = (high + low) % kPrime;
  }
  return high << 16 | low;
}

std::vector<GroupReplay> replay_groups(const TrainTrace& train, const PowerTrace& power,
                                       std::vector<JobGroup> groups, const JobWish& wish,
                                       const ReplaySettings& settings, int threads,
                                       const MakePolicies& make) {
  std::map<std::string, Replayed<JobTrace>> traces;
  std::vector<GroupReplay> replays(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    replays[i].group = std::move(groups[i]);
    JobWish own = wish;
    own.dataset = replays[i].group.dataset;
    if (traces.contains(own.dataset)) continue;
    traces[own.dataset] = replayed([&] { return join_wished(train, power, own); });
  }
  parallel_for(thread_count(threads), replays.size(), [&](std::size_t i, int) {
    const Replayed<JobTrace>& trace = traces.at(replays[i].group.dataset);
    if (const auto* joined_trace = std::get_if<JobTrace>(&trace)) {
      replay_one(*joined_trace, settings, make, replays[i]);
    } else {
      replays[i].replay.failure = std::get<std::string>(trace);
    }
  });
  return replays;
}

std::vector<DatasetTotals> totals_by_dataset(std::span<const GroupReplay> groups) {
  std::map<std::string, std::vector<const GroupReplay*>> datasets;
  for (const GroupReplay& group : groups) datasets[group.group.dataset].push_back(&group);
  std::vector<DatasetTotals> out;
  for (const auto& [dataset, members] : datasets) out.push_back(totals_of(members));
  return out;
}

std::string generated_groups(const GroupFilePlan& plan) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < plan.groups; ++i) generate_group(plan, i, rows);
  std::map<std::string, std::pair<double, double>> runtimes;  // Count and sum for each dataset.
  for (const Row& row : rows) {
    auto& [count, sum] = runtimes[row.dataset];
    count += 1;
    sum += row.runtime_s;
  }
  std::ranges::stable_sort(rows, {}, &Row::start_s);
  std::string out = "group,start_time,end_time,dataset,runtime_ratio\n";
  for (const Row& row : rows) {
    const auto& [count, sum] = runtimes[row.dataset];
    out += fmt::format("{},{},{},{},{}\n", row.group, row.start_s, row.start_s + row.runtime_s,
                       row.dataset, row.runtime_s / (sum / count));
  }
  return out;
}

namespace {

// Submissions of one group, which may overlap.

constexpr int kMostTries = 1000;

/// A run whose outcome the simulator knows but the policy does not know yet.
struct InFlight {
  Submission submission;
  ReplayedRun run;
  RunOutcome outcome;  ///< What the policy will learn.
  int tries = 1;
};

class GroupSimulation : Simulation {
 public:
  using Simulation::Simulation;

  Replay run(std::span<const Submission> submissions) {
    replay_.recurrences = static_cast<std::uint32_t>(submissions.size());
    return replay_of([&] {
      for (const Submission& one : submissions) {
        end_until(one.start_s);
        submit(one, ++recurrence_, 1);
      }
      end_until(kInfinity);
    });
  }

 private:
  void submit(const Submission& submission, std::uint32_t recurrence, int tries) {
    const bool alone = in_flight_.empty();
    const std::size_t size = alone ? sizes_.choose() : best_size_;
    if (tries == 1) replay_.first_choices.push_back(size);
    InFlight one{submission, launch(size), {}, tries};
    one.run.recurrence = recurrence;
    one.run.phase = alone ? sizes_.phase() : Phase::kFixed;
    one.outcome = observed(one.run);
    in_flight_.push_back(one);
  }

  /// Ends runs in the order of their ends. A retry may end before `now`, too.
  void end_until(double now) {
    for (;;) {
      const auto next = std::ranges::min_element(
          in_flight_, {}, [](const InFlight& one) { return one.submission.end_s; });
      if (next == in_flight_.end() || next->submission.end_s > now) return;
      const InFlight ended = *next;
      in_flight_.erase(next);
      end(ended);
    }
  }

  void end(const InFlight& ended) {
    const ReplayedRun& run = ended.run;
    sizes_.observe(run.size, ended.outcome);
    if (run.epochs > 0) {
      ReplayedRun scaled = run;
      scaled.energy_j *= ended.submission.runtime_ratio;
      scaled.time_s *= ended.submission.runtime_ratio;
      scaled.cost *= ended.submission.runtime_ratio;
      record(scaled);
    } else {
      ++replay_.not_started;
    }
    if (!run.reached) return submit_again(ended);
    if (!(run.cost < least_)) return;
    least_ = run.cost;
    best_size_ = run.size;
  }

  void submit_again(const InFlight& failed) {
    if (failed.tries == kMostTries) {
      throw DataError(fmt::format("submission {}: the target was not reached in {} tries",
                                  failed.run.recurrence, kMostTries));
    }
    Submission again = failed.submission;
    again.start_s = failed.submission.end_s;
    again.end_s = again.start_s + (failed.submission.end_s - failed.submission.start_s);
    submit(again, failed.run.recurrence, failed.tries + 1);
  }

  std::vector<InFlight> in_flight_;
  std::size_t best_size_ = trace_.default_size;
  std::uint32_t recurrence_ = 0;
};

}  // namespace

Replay replay_group(const JobTrace& trace, const ReplaySettings& settings,
                    std::span<const Submission> submissions, const MakePolicies& make) {
  const auto paths = make_random_source(settings.random, settings.seed, RandomUse::kPaths);
  const auto draws = make_random_source(settings.random, settings.seed, RandomUse::kPolicy);
  const Policies policies = make(settings.policy, trace, *draws);
  return GroupSimulation(trace, settings, *policies.sizes, *policies.limits, *paths)
      .run(submissions);
}

}  // namespace scalelaw
