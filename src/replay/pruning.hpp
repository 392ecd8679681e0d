#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace scalelaw {

/// Zeus's exploration in two rounds. Each round goes down from the default until a size fails, then
/// up until one fails. Sizes that reached the target stay, and the cheapest one is the next
/// default. If no size reached it, the round leaves none, as published, or all.
class PruningExploration {
 public:
  PruningExploration(std::size_t sizes, std::size_t first, bool keep_if_none = false);

  /// The next size to try; empty when the rounds are over.
  std::optional<std::size_t> next();
  /// Reports the result of a run. Only a run of the awaited size counts.
  void report(std::size_t size, double cost, bool reached);
  /// In ascending order, once next() is empty.
  const std::vector<std::size_t>& survivors() const { return sizes_; }

 private:
  void plan_round();
  void end_round();

  std::vector<std::size_t> sizes_;    ///< Sizes of this round.
  std::size_t first_;                 ///< The default of this round.
  std::vector<std::size_t> down_;     ///< Sizes still to try downwards, the next one at the back.
  std::vector<std::size_t> up_;       ///< The same upwards.
  std::vector<std::size_t> reached_;  ///< Sizes that reached the target in this round.
  double least_cost_ = std::numeric_limits<double>::infinity();
  std::size_t cheapest_ = 0;
  std::optional<std::size_t> awaited_;
  bool keep_if_none_;
  bool going_down_ = true;
  int rounds_ = 0;
};

}  // namespace scalelaw
