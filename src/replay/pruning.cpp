#include "replay/pruning.hpp"

#include <algorithm>
#include <numeric>

namespace scalelaw {
namespace {

constexpr int kRounds = 2;

}  // namespace

PruningExploration::PruningExploration(std::size_t sizes, std::size_t first, bool keep_if_none)
    : sizes_(sizes), first_(first), keep_if_none_(keep_if_none) {
  std::iota(sizes_.begin(), sizes_.end(), std::size_t{0});
  plan_round();
}

void PruningExploration::plan_round() {
  const auto above = std::upper_bound(sizes_.begin(), sizes_.end(), first_);
  down_.assign(sizes_.begin(), above);
  up_.assign(std::make_reverse_iterator(sizes_.end()), std::make_reverse_iterator(above));
  reached_.clear();
  least_cost_ = std::numeric_limits<double>::infinity();
}

void PruningExploration::end_round() {
  ++rounds_;
  std::ranges::sort(reached_);
  if (!reached_.empty()) first_ = cheapest_;
  if (!reached_.empty() || !keep_if_none_) sizes_ = reached_;
  plan_round();
}

std::optional<std::size_t> PruningExploration::next() {
  if (down_.empty() && up_.empty() && rounds_ < kRounds) end_round();
  if (rounds_ == kRounds) return std::nullopt;
  going_down_ = !down_.empty();
  std::vector<std::size_t>& list = going_down_ ? down_ : up_;
  if (list.empty()) return std::nullopt;  // No size survived the first round.
  awaited_ = list.back();
  list.pop_back();
  return awaited_;
}

void PruningExploration::report(std::size_t size, double cost, bool reached) {
  if (awaited_ != size) return;
  awaited_.reset();
  if (!reached) {
    (going_down_ ? down_ : up_).clear();
    return;
  }
  reached_.push_back(size);
  if (!(cost < least_cost_)) return;
  least_cost_ = cost;
  cheapest_ = size;
}

}  // namespace scalelaw
