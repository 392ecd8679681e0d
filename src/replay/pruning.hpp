#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace scalelaw {

/// Zeus's exploration: in each of two rounds from the default down until a size fails, then up
/// until one fails. Sizes that reached the target stay; the cheapest of the round is the next
/// default. A round in which none reached it leaves nothing, as published, or all as they were.
class PruningExploration {
 public:
  PruningExploration(std::size_t sizes, std::size_t first, bool keep_if_none = false);

  /// The next size to try; nothing when the rounds are over.
  std::optional<std::size_t> next();
  /// The result of a run. One of a size that is not waited for is none of this exploration's.
  void report(std::size_t size, double cost, bool reached);
  /// Ascending, once next() gives nothing.
  const std::vector<std::size_t>& survivors() const { return sizes_; }

 private:
  void plan_round();
  void end_round();

  std::vector<std::size_t> sizes_;    ///< Of this round.
  std::size_t first_;                 ///< The default of this round.
  std::vector<std::size_t> down_;     ///< Still to try, next at the back.
  std::vector<std::size_t> up_;       ///< The same.
  std::vector<std::size_t> reached_;  ///< In this round.
  double least_cost_ = std::numeric_limits<double>::infinity();
  std::size_t cheapest_ = 0;
  std::optional<std::size_t> awaited_;
  bool keep_if_none_;
  bool going_down_ = true;
  int rounds_ = 0;
};

}  // namespace scalelaw
