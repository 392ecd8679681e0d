#include "scalelaw/runs/budgets.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace scalelaw {
namespace {

constexpr double kNextOfBudget = 0.1;   ///< Of ln compute, from a run of a budget to the next one.
constexpr double kWidestBudget = 0.34;  ///< From the first to the last.

}  // namespace

std::size_t different_sizes(std::span<const double> n, std::span<const std::size_t> rows) {
  std::set<double> sizes;
  for (const std::size_t i : rows) sizes.insert(n[i]);
  return sizes.size();
}

std::vector<std::vector<std::size_t>> rows_by_budget(std::span<const double> n,
                                                     std::span<const double> product) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (n[i] > 0 && product[i] > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(product[a], a) < std::pair(product[b], b);
  });
  const auto distance = [&](std::size_t from, std::size_t to) {
    return std::log(product[order[to]] / product[order[from]]);
  };
  std::vector<std::vector<std::size_t>> budgets;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    do {
      ++end;
    } while (end < order.size() && distance(end - 1, end) <= kNextOfBudget);
    if (distance(begin, end - 1) > kWidestBudget) continue;
    std::vector<std::size_t> rows(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                  order.begin() + static_cast<std::ptrdiff_t>(end));
    if (different_sizes(n, rows) >= kLeastSizesOfBudget) budgets.push_back(std::move(rows));
  }
  return budgets;
}

}  // namespace scalelaw
