#include "scalelaw/runs/budgets.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace scalelaw {
namespace {

using Rows = std::vector<std::size_t>;

constexpr double kWidth = 0.15;      ///< Of a budget, in ln compute.
constexpr std::size_t kFewRuns = 4;  ///< One in so many of the largest budget is a budget, too.
constexpr double kMostCovered = 0.5;

/// Runs in the order of their computes.
struct OrderedRuns {
  Rows rows;
  std::vector<double> log_compute;
};

OrderedRuns ordered(std::span<const double> n, std::span<const double> product) {
  OrderedRuns runs;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (n[i] > 0 && product[i] > 0) runs.rows.push_back(i);
  }
  std::ranges::sort(runs.rows, [&](std::size_t a, std::size_t b) {
    return std::pair(product[a], a) < std::pair(product[b], b);
  });
  for (const std::size_t i : runs.rows) runs.log_compute.push_back(std::log(product[i]));
  return runs;
}

/// Places from begin to end, without it.
struct Stretch {
  std::size_t begin;
  std::size_t end;

  std::size_t size() const { return end - begin; }
  double span(const OrderedRuns& runs) const {
    return runs.log_compute[end - 1] - runs.log_compute[begin];
  }
};

/// The stretch no wider than a budget that has most runs; of equal ones the narrowest.
Stretch densest(const OrderedRuns& runs, const Stretch& within) {
  Stretch best{within.begin, within.begin + 1};
  for (std::size_t begin = within.begin, end = begin; begin < within.end; ++begin) {
    while (end < within.end && runs.log_compute[end] - runs.log_compute[begin] <= kWidth) ++end;
    const Stretch here{begin, end};
    const bool as_many = here.size() == best.size();
    if (here.size() > best.size() || (as_many && here.span(runs) < best.span(runs))) best = here;
  }
  return best;
}

/// Stretches of many runs, which share none: the densest, then those left and right of it.
std::vector<Stretch> dense_stretches(const OrderedRuns& runs) {
  std::vector<Stretch> found;
  std::vector<Stretch> open{{0, runs.rows.size()}};
  while (!open.empty()) {
    const Stretch within = open.back();
    open.pop_back();
    if (within.size() < kLeastSizesOfBudget) continue;
    const Stretch best = densest(runs, within);
    if (best.size() < kLeastSizesOfBudget) continue;
    found.push_back(best);
    open.push_back({within.begin, best.begin});
    open.push_back({best.end, within.end});
  }
  std::ranges::sort(found, {}, &Stretch::begin);
  return found;
}

/// Whether the stretches stand apart; points of training curves fill the whole range.
bool stand_apart(const OrderedRuns& runs, const std::vector<Stretch>& stretches) {
  if (stretches.size() < 2) return true;
  double covered = 0;
  for (const Stretch& stretch : stretches) covered += stretch.span(runs);
  return covered <= kMostCovered * (runs.log_compute.back() - runs.log_compute.front());
}

}  // namespace

std::size_t different_sizes(std::span<const double> n, std::span<const std::size_t> rows) {
  std::set<double> sizes;
  for (const std::size_t i : rows) sizes.insert(n[i]);
  return sizes.size();
}

std::vector<Rows> rows_by_budget(std::span<const double> n, std::span<const double> product) {
  const OrderedRuns runs = ordered(n, product);
  const std::vector<Stretch> stretches = dense_stretches(runs);
  if (!stand_apart(runs, stretches)) return {};
  std::size_t most = 0;
  for (const Stretch& stretch : stretches) most = std::max(most, stretch.size());
  std::vector<Rows> budgets;
  for (const Stretch& stretch : stretches) {
    if (kFewRuns * stretch.size() < most) continue;
    Rows rows(runs.rows.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
              runs.rows.begin() + static_cast<std::ptrdiff_t>(stretch.end));
    if (different_sizes(n, rows) >= kLeastSizesOfBudget) budgets.push_back(std::move(rows));
  }
  return budgets;
}

}  // namespace scalelaw
