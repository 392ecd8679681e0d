#include <stdexcept>
#include <utility>

#include "scalelaw/base/names.hpp"
#include "scalelaw/replay/policy.hpp"

namespace scalelaw {
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
