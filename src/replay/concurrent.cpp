// Submissions of one group, which may overlap.

#include <fmt/format.h>

#include <algorithm>

#include "replay/simulation.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/replay/groups.hpp"

namespace scalelaw {
namespace {

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
