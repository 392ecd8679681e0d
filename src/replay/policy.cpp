#include "scalelaw/replay/policy.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "replay/bandit.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"

namespace scalelaw {
namespace {

class FixedSize final : public BatchSizePolicy {
 public:
  explicit FixedSize(std::size_t size) : size_(size) {}
  std::size_t choose() override { return size_; }
  void observe(std::size_t, const RunOutcome&) override {}
  Phase phase() const override { return Phase::kFixed; }

 private:
  std::size_t size_;
};

/// Every size once, then the cheapest that reached the target.
class GridSearch final : public BatchSizePolicy {
 public:
  GridSearch(std::size_t sizes, std::size_t first) : costs_(sizes, kUnknown) {
    for (std::size_t i = sizes; i-- > 0;) {
      if (i != first) left_.push_back(i);
    }
    left_.push_back(first);
  }
  std::size_t choose() override {
    phase_ = left_.empty() ? Phase::kFixed : Phase::kExploring;
    if (left_.empty()) {
      return static_cast<std::size_t>(std::ranges::min_element(costs_) - costs_.begin());
    }
    const std::size_t size = left_.back();
    left_.pop_back();
    return size;
  }
  void observe(std::size_t size, const RunOutcome& outcome) override {
    if (outcome.reached && costs_[size] == kUnknown) costs_[size] = outcome.cost;
  }
  Phase phase() const override { return phase_; }

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  std::vector<double> costs_;      ///< Cost of the first run that reached the target.
  std::vector<std::size_t> left_;  ///< Sizes still to try, the next one at the back.
  Phase phase_ = Phase::kExploring;
};

/// Pruning exploration, then a bandit over the sizes that survived.
class PrunedBandit final : public BatchSizePolicy {
 public:
  PrunedBandit(const PolicySettings& settings, const JobTrace& trace, RandomSource& random,
               MakeBandit make_bandit)
      : settings_(settings),
        random_(random),
        make_bandit_(make_bandit),
        exploration_(trace.sizes.size(), trace.default_size,
                     settings.mode == ReplayMode::kCorrected),
        seen_(trace.sizes.size()),
        arm_of_(trace.sizes.size()) {}

  std::size_t choose() override {
    if (bandit_ == nullptr) {
      if (const auto size = exploration_.next()) return *size;
      start_bandit();
    }
    return exploration_.survivors()[bandit_->choose()];
  }

  void observe(std::size_t size, const RunOutcome& outcome) override {
    if (bandit_ == nullptr) {
      seen_[size].push_back(outcome);
      exploration_.report(size, outcome.cost, outcome.reached);
    } else if (arm_of_[size]) {
      bandit_->observe(*arm_of_[size], outcome);
    }
  }

  Phase phase() const override { return bandit_ ? bandit_->phase() : Phase::kExploring; }

 private:
  void start_bandit() {
    const std::vector<std::size_t>& sizes = exploration_.survivors();
    if (sizes.empty()) throw DataError("no batch size reached the target while exploring");
    bandit_ = make_bandit_(sizes.size(), settings_, random_);
    for (std::size_t arm = 0; arm < sizes.size(); ++arm) {
      arm_of_[sizes[arm]] = arm;
      for (const RunOutcome& one : seen_[sizes[arm]]) bandit_->observe(arm, one);
    }
  }

  PolicySettings settings_;
  RandomSource& random_;
  MakeBandit make_bandit_;
  PruningExploration exploration_;
  std::vector<std::vector<RunOutcome>> seen_;  ///< Outcomes during exploration.
  std::vector<std::optional<std::size_t>> arm_of_;
  std::unique_ptr<BatchSizePolicy> bandit_;  ///< Over the sizes that survived.
};

/// The size of least expected cost at the limits where the power-limit policy ends. b0 if no size
/// ever reaches the target.
std::size_t oracle_size(const PolicySettings& settings, const JobTrace& trace) {
  const std::vector<std::size_t> limits = settled_limits(settings, trace);
  std::size_t best = trace.default_size;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t size = 0; size < limits.size(); ++size) {
    const auto expected = expected_cost(trace, size, limits[size], settings.eta);
    if (!expected || !(expected->cost < least)) continue;
    least = expected->cost;
    best = size;
  }
  return best;
}

MakeBandit thompson_of(ReplayMode mode) {
  return mode == ReplayMode::kPaper ? make_gaussian_thompson : make_corrected_thompson;
}

}  // namespace

Policies make_policies(const PolicySettings& settings, const JobTrace& trace,
                       RandomSource& random) {
  return {make_batch_size_policy(settings, trace, random),
          make_power_limit_policy(settings, trace)};
}

std::unique_ptr<BatchSizePolicy> make_batch_size_policy(const PolicySettings& settings,
                                                        const JobTrace& trace,
                                                        RandomSource& random) {
  if (settings.window == 1) throw std::invalid_argument("a window of 1 has no variance");
  const auto pruned = [&](MakeBandit make_bandit) {
    return std::make_unique<PrunedBandit>(settings, trace, random, make_bandit);
  };
  switch (settings.batch_size) {
    case BatchSizeRule::kZeus:
      return pruned(thompson_of(settings.mode));
    case BatchSizeRule::kDefault:
      return std::make_unique<FixedSize>(trace.default_size);
    case BatchSizeRule::kGrid:
      return std::make_unique<GridSearch>(trace.sizes.size(), trace.default_size);
    case BatchSizeRule::kOracle:
      return std::make_unique<FixedSize>(oracle_size(settings, trace));
    case BatchSizeRule::kThompson:
      return thompson_of(settings.mode)(trace.sizes.size(), settings, random);
    case BatchSizeRule::kUcb:
      return pruned(make_confidence_bound);
    case BatchSizeRule::kCorrected:
      return pruned(make_corrected_thompson);
  }
  throw std::invalid_argument("no such batch-size rule");
}

namespace {

/// Profiles each size once and keeps the cheapest limit.
class ProfiledLimits final : public PowerLimitPolicy {
 public:
  explicit ProfiledLimits(std::size_t sizes) : best_(sizes) {}
  std::optional<std::size_t> choose(std::size_t size) override {
    if (!best_[size]) return std::nullopt;
    return best_[size]->limit;
  }
  void learn(std::size_t size, std::size_t limit, double epoch_cost) override {
    if (!best_[size] || epoch_cost < best_[size]->cost) best_[size] = Best{limit, epoch_cost};
  }

 private:
  struct Best {
    std::size_t limit;
    double cost;
  };
  std::vector<std::optional<Best>> best_;
};

/// One limit per size, known beforehand.
class KnownLimits final : public PowerLimitPolicy {
 public:
  explicit KnownLimits(std::vector<std::size_t> limits) : limits_(std::move(limits)) {}
  std::optional<std::size_t> choose(std::size_t size) override { return limits_[size]; }
  void learn(std::size_t, std::size_t, double) override {}

 private:
  std::vector<std::size_t> limits_;
};

std::size_t limit_at_most(const SizeTrace& size, double limit_w) {
  for (std::size_t i = 0; i < size.limits.size(); ++i) {
    if (size.limits[i].limit_w <= limit_w) return i;
  }
  return size.limits.size() - 1;
}

std::size_t settled_limit(const PolicySettings& settings, const JobTrace& trace,
                          const SizeTrace& size) {
  switch (settings.power_limit) {
    case PowerLimitRule::kZeus:
      return profiled_limit(size, settings.eta, profiling_max_power(settings.mode, trace, size));
    case PowerLimitRule::kMaximum:
      return 0;
    case PowerLimitRule::kFixed:
      return limit_at_most(size, settings.fixed_limit_w);
    case PowerLimitRule::kOracle:
      return profiled_limit(size, settings.eta, trace.max_power_w);
  }
  throw std::invalid_argument("no such power-limit rule");
}

}  // namespace

double profiling_max_power(ReplayMode mode, const JobTrace& trace, const SizeTrace& size) {
  return mode == ReplayMode::kPaper ? size.largest_limit_w() : trace.max_power_w;
}

std::vector<std::size_t> settled_limits(const PolicySettings& settings, const JobTrace& trace) {
  std::vector<std::size_t> limits;
  for (const SizeTrace& size : trace.sizes) limits.push_back(settled_limit(settings, trace, size));
  return limits;
}

std::unique_ptr<PowerLimitPolicy> make_power_limit_policy(const PolicySettings& settings,
                                                          const JobTrace& trace) {
  if (settings.power_limit == PowerLimitRule::kZeus) {
    return std::make_unique<ProfiledLimits>(trace.sizes.size());
  }
  return std::make_unique<KnownLimits>(settled_limits(settings, trace));
}

std::string_view name_of(Phase phase) {
  return word_for(
      phase,
      {{Phase::kFixed, "fixed"}, {Phase::kExploring, "exploring"}, {Phase::kSampling, "sampling"}});
}

std::string_view name_of(BatchSizeRule rule) {
  return word_for(rule, {{BatchSizeRule::kZeus, "zeus"},
                         {BatchSizeRule::kDefault, "default"},
                         {BatchSizeRule::kGrid, "grid"},
                         {BatchSizeRule::kOracle, "oracle"},
                         {BatchSizeRule::kThompson, "thompson"},
                         {BatchSizeRule::kUcb, "ucb"},
                         {BatchSizeRule::kCorrected, "corrected"}});
}

std::string_view name_of(PowerLimitRule rule) {
  return word_for(rule, {{PowerLimitRule::kZeus, "zeus"},
                         {PowerLimitRule::kMaximum, "maximum"},
                         {PowerLimitRule::kFixed, "fixed"},
                         {PowerLimitRule::kOracle, "oracle"}});
}

std::string_view name_of(ReplayMode mode) {
  return word_for(mode, {{ReplayMode::kPaper, "paper"}, {ReplayMode::kCorrected, "corrected"}});
}

PowerLimitRule usual_limits(BatchSizeRule rule) {
  if (rule == BatchSizeRule::kDefault) return PowerLimitRule::kMaximum;
  return rule == BatchSizeRule::kOracle ? PowerLimitRule::kOracle : PowerLimitRule::kZeus;
}

}  // namespace scalelaw
