#include "scalelaw/replay/study.hpp"
#include "scalelaw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// Seeds per thread and turn; a constant, so that sums do not depend on the number of threads.
constexpr std::size_t kSeedsAtATime = 32;
constexpr double kConvergedShare = 0.95;
/// Recurrences at the end: fewer would be too few for a verdict, however many seeds there are.
constexpr std::size_t kShortestTail = 20;

/// What seeds have spent after one recurrence.
struct SpentSoFar {
  Moments cost;
  Moments energy_j;
  Moments time_s;
  std::uint64_t best = 0;  ///< How many seeds chose the best size first.

  void add(const Spending& spent) {
    cost.add(spent.cost);
    energy_j.add(spent.energy_j);
    time_s.add(spent.time_s);
  }
  void merge(const SpentSoFar& other) {
    cost.merge(other.cost);
    energy_j.merge(other.energy_j);
    time_s.merge(other.time_s);
    best += other.best;
  }
};

struct BlockResult {
  std::vector<Spending> totals;  ///< One per seed that did not fail.
  std::vector<SpentSoFar> recurrences;
  std::size_t runs = 0;
  std::size_t failed = 0;
  std::optional<std::string> first_failure;
};

void add_history(const Replay& replay, const std::optional<Knobs>& oracle, BlockResult& block) {
  block.totals.push_back(replay.totals);
  block.runs += replay.history.size();
  Spending spent;
  auto run = replay.history.begin();
  for (std::size_t r = 0; r < block.recurrences.size(); ++r) {
    for (; run != replay.history.end() && run->recurrence == r + 1; ++run) {
      spent += run->spending();
    }
    block.recurrences[r].add(spent);
    if (oracle && replay.first_choices[r] == oracle->size) ++block.recurrences[r].best;
  }
}

void add_replay(const Replay& replay, const std::optional<Knobs>& oracle, BlockResult& block) {
  block.recurrences.resize(replay.recurrences);
  if (!replay.failure) return add_history(replay, oracle, block);
  if (block.failed++ == 0) block.first_failure = replay.failure;
}

BlockResult replay_block(const StudyCase& one, const std::optional<Knobs>& oracle,
                         std::span<const std::uint64_t> seeds) {
  BlockResult block;
  ReplaySettings settings = one.settings;
  for (const std::uint64_t seed : seeds) {
    settings.seed = seed;
    add_replay(replay_job(*one.trace, settings, one.policies), oracle, block);
  }
  return block;
}

Interval interval_of_mean(double mean, double deviation, double n, double confidence) {
  const double half = student_t_factor(confidence, n - 1) * deviation / std::sqrt(n);
  return {mean - half, mean + half};
}

OverSeeds over_seeds(std::span<const double> values, double confidence) {
  const auto n = static_cast<double>(values.size());
  OverSeeds out;
  for (const double value : values) out.mean += value / n;
  if (values.size() < 2) return out;
  const auto [least, greatest] = std::ranges::minmax_element(values);
  if (*least == *greatest) {  // No spread was seen, but there may be one.
    out.mean = *least;
    out.standard_deviation = 0;
    return out;
  }
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  const double deviation = std::sqrt(squares / (n - 1));
  out.standard_deviation = deviation;
  out.ci = interval_of_mean(out.mean, deviation, n, confidence);
  return out;
}

template <class Figure>
OverSeeds figure_of(const std::vector<Spending>& totals, double confidence, Figure figure) {
  std::vector<double> values;
  values.reserve(totals.size());
  for (const Spending& one : totals) values.push_back(std::invoke(figure, one));
  return over_seeds(values, confidence);
}

void add_savings(const std::vector<Spending>& totals, double confidence, CaseSummary& summary) {
  if (!summary.default_knobs) return;
  const Spending& usual = *summary.default_knobs;
  const double n = summary.recurrences;
  const auto saving = [&](double Spending::*figure) {
    return figure_of(totals, confidence,
                     [&](const Spending& one) { return 1 - one.*figure / (n * usual.*figure); });
  };
  summary.energy_saving = saving(&Spending::energy_j);
  summary.time_saving = saving(&Spending::time_s);
  summary.cost_saving = saving(&Spending::cost);
}

/// Goes back from the last recurrence as long as enough of the choices were the best.
std::optional<std::uint32_t> convergence(const std::vector<SpentSoFar>& recurrences,
                                         std::size_t seeds) {
  std::optional<std::uint32_t> after;
  std::uint64_t best = 0;
  std::uint64_t choices = 0;
  for (std::size_t r = recurrences.size(); r-- > 0;) {
    best += recurrences[r].best;
    choices += seeds;
    const bool enough = static_cast<double>(best) >= kConvergedShare * static_cast<double>(choices);
    if (recurrences.size() - r >= kShortestTail && enough) after = static_cast<std::uint32_t>(r);
  }
  return after;
}

CurveValue curve_value(const Moments& spent, double confidence) {
  CurveValue out{.mean = spent.mean().value_or(0)};
  const auto deviation = spent.standard_deviation();
  if (!deviation || !(*deviation > 0)) return out;  // As in over_seeds().
  const auto n = static_cast<double>(spent.count());
  out.ci = interval_of_mean(out.mean, *deviation, n, confidence);
  return out;
}

/// The value less `floor`, in units of `whole`.
CurveValue scaled(const CurveValue& value, double floor, double whole) {
  CurveValue out{.mean = (value.mean - floor) / whole};
  if (value.ci) out.ci = {(value.ci->lower - floor) / whole, (value.ci->upper - floor) / whole};
  return out;
}

CurvePoint curve_point(const SpentSoFar& spent, double recurrences, double confidence,
                       const CaseSummary& summary) {
  CurvePoint point{.cost = curve_value(spent.cost, confidence),
                   .energy_j = curve_value(spent.energy_j, confidence),
                   .time_s = curve_value(spent.time_s, confidence)};
  if (summary.oracle_cost) point.regret = scaled(point.cost, recurrences * *summary.oracle_cost, 1);
  if (summary.default_knobs) {
    const Spending& usual = *summary.default_knobs;
    point.cost_ratio = scaled(point.cost, 0, recurrences * usual.cost);
    point.energy_ratio = scaled(point.energy_j, 0, recurrences * usual.energy_j);
    point.time_ratio = scaled(point.time_s, 0, recurrences * usual.time_s);
  }
  return point;
}

void add_recurrences(const std::vector<SpentSoFar>& recurrences, std::size_t seeds,
                     double confidence, CaseSummary& summary) {
  const auto n = static_cast<double>(seeds);
  std::uint64_t best = 0;
  for (const SpentSoFar& spent : recurrences) {
    const auto r = static_cast<double>(summary.curve.size() + 1);
    summary.curve.push_back(curve_point(spent, r, confidence, summary));
    summary.curve.back().best_share = static_cast<double>(spent.best) / n;
    best += spent.best;
  }
  summary.best_share = static_cast<double>(best) / (n * static_cast<double>(recurrences.size()));
  summary.converged_after = convergence(recurrences, seeds);
}

/// The values that are known before any replay.
CaseSummary known_of(const StudyCase& one) {
  CaseSummary summary;
  const double eta = one.settings.policy.eta;
  summary.recurrences =
      one.settings.recurrences > 0 ? one.settings.recurrences : one.trace->usual_recurrences();
  summary.oracle = oracle_knobs(*one.trace, eta);
  if (summary.oracle) {
    summary.oracle_cost =
        expected_cost(*one.trace, summary.oracle->size, summary.oracle->limit, eta)->cost;
  }
  summary.default_knobs = expected_cost(*one.trace, one.trace->default_size, 0, eta);
  return summary;
}

void merge(BlockResult& sum, const BlockResult& block) {
  sum.totals.insert(sum.totals.end(), block.totals.begin(), block.totals.end());
  sum.runs += block.runs;
  sum.failed += block.failed;
  if (!sum.first_failure) sum.first_failure = block.first_failure;
  sum.recurrences.resize(block.recurrences.size());
  for (std::size_t r = 0; r < sum.recurrences.size(); ++r) {
    sum.recurrences[r].merge(block.recurrences[r]);
  }
}

/// Merges the blocks of a case in their order, whatever order the threads end them in.
class OrderedBlocks {
 public:
  /// @returns the sum after the last of `blocks`.
  std::optional<BlockResult> add(std::size_t place, BlockResult block, std::size_t blocks) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(place, std::move(block));
    for (; !waiting_.empty() && waiting_.begin()->first == merged_; ++merged_) {
      merge(sum_, waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
    return merged_ == blocks ? std::optional(std::move(sum_)) : std::nullopt;
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, BlockResult> waiting_;
  std::size_t merged_ = 0;
  BlockResult sum_;
};

void summarise(const BlockResult& all, double confidence, CaseSummary& summary) {
  const std::vector<Spending>& totals = all.totals;
  summary.failed = all.failed;
  summary.first_failure = all.first_failure;
  summary.seeds = totals.size() + summary.failed;
  if (totals.empty()) return;
  summary.runs = static_cast<double>(all.runs) / static_cast<double>(totals.size());
  summary.energy_j = figure_of(totals, confidence, &Spending::energy_j);
  summary.time_s = figure_of(totals, confidence, &Spending::time_s);
  summary.cost = figure_of(totals, confidence, &Spending::cost);
  if (summary.oracle_cost) {
    const double floor = summary.recurrences * *summary.oracle_cost;
    summary.regret =
        figure_of(totals, confidence, [floor](const auto& one) { return one.cost - floor; });
    summary.excess =
        figure_of(totals, confidence, [floor](const auto& one) { return one.cost / floor - 1; });
  }
  add_savings(totals, confidence, summary);
  add_recurrences(all.recurrences, totals.size(), confidence, summary);
}

/// Why a case has no figures: its traces could not be joined, or all of its seeds failed.
const std::string* failure_of(const StudyRow& row) {
  if (const auto* reason = std::get_if<std::string>(&row.result)) return reason;
  const CaseSummary& summary = std::get<CaseSummary>(row.result);
  return summary.failed == summary.seeds ? &*summary.first_failure : nullptr;
}

}  // namespace

CaseSummary summary_of(const StudyCase& one, const Replay& replay) {
  CaseSummary summary = known_of(one);
  BlockResult block;
  add_replay(replay, summary.oracle, block);
  summarise(block, 0.95, summary);  // One seed has no interval.
  return summary;
}

std::vector<CaseSummary> replay_study(std::span<const StudyCase> cases,
                                      std::span<const std::uint64_t> seeds, double confidence,
                                      int threads) {
  std::vector<CaseSummary> summaries;
  summaries.reserve(cases.size());
  for (const StudyCase& one : cases) summaries.push_back(known_of(one));
  const std::size_t blocks = (seeds.size() + kSeedsAtATime - 1) / kSeedsAtATime;
  std::vector<OrderedBlocks> ended(cases.size());
  parallel_for(thread_count(threads), cases.size() * blocks, [&](std::size_t i, int) {
    const std::size_t place = i % blocks;
    const std::size_t first = place * kSeedsAtATime;
    const std::size_t count = std::min(kSeedsAtATime, seeds.size() - first);
    CaseSummary& summary = summaries[i / blocks];
    BlockResult block =
        replay_block(cases[i / blocks], summary.oracle, seeds.subspan(first, count));
    const auto all = ended[i / blocks].add(place, std::move(block), blocks);
    if (all) summarise(*all, confidence, summary);
  });
  return summaries;
}

std::vector<StudyRow> replay_jobs(const TrainTrace& train, std::span<const PowerTrace> power,
                                  std::span<const JobWish> jobs,
                                  std::span<const ReplaySettings> settings,
                                  std::span<const std::uint64_t> seeds, double confidence,
                                  int threads, std::deque<JobTrace>& traces) {
  std::vector<StudyRow> rows;
  std::vector<StudyCase> cases;
  for (const JobWish& job : jobs) {
    for (const PowerTrace& one : power) {
      auto joined = replayed([&] { return join_wished(train, one, job); });
      JobTrace* const found = std::get_if<JobTrace>(&joined);
      const JobTrace* const trace =
          found != nullptr ? &traces.emplace_back(std::move(*found)) : nullptr;
      for (const ReplaySettings& own : settings) {
        rows.push_back(
            {one.name, trace != nullptr ? trace->job.dataset : job.dataset, own, trace, {}});
        if (trace != nullptr) cases.push_back({trace, own});
        if (trace == nullptr) rows.back().result = std::get<std::string>(joined);
      }
    }
  }
  auto summaries = replay_study(cases, seeds, confidence, threads);
  auto next = summaries.begin();
  for (StudyRow& row : rows) {
    if (row.trace != nullptr) row.result = std::move(*next++);
  }
  if (std::ranges::all_of(rows, failure_of)) throw DataError(*failure_of(rows.front()));
  return rows;
}

std::vector<std::string> lacks_of(std::span<const StudyRow> rows) {
  std::size_t cases = 0;
  std::size_t seeds = 0;
  const std::string* reason = nullptr;
  for (const StudyRow& row : rows) {
    const std::string* const failure = failure_of(row);
    if (reason == nullptr) reason = failure;
    if (failure == nullptr) seeds += std::get<CaseSummary>(row.result).failed;
    cases += failure != nullptr ? 1 : 0;
  }
  std::vector<std::string> lacks;
  if (cases > 0) {
    lacks.push_back(fmt::format("{} of {} could not be replayed: {}", cases,
                                counted(rows.size(), "case"), *reason));
  }
  if (seeds > 0) {
    lacks.push_back(fmt::format("{} seeds ended early and are left out of their cases", seeds));
  }
  return lacks;
}

}  // namespace scalelaw
