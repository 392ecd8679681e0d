#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalelaw {

/// Noise of nights that depend on each other: x_t - level = rho (x_{t-1} - level) + error, AR(1).
/// All factors are of the variance of one night.
class NightNoise {
 public:
  explicit NightNoise(double rho) : rho_(rho) {}

  double rho() const { return rho_; }
  /// Of the mean of so many nights in a row: 1 / nights where they are independent.
  double of_mean(std::size_t nights) const;
  /// Of the difference of the means of two levels, of which one follows the other.
  double of_step(std::size_t before, std::size_t after) const;
  /// Of (1 - rho^2) / (1 + rho^2), by which squares of such nights know less than independent ones.
  double share_of_dof() const { return (1 - rho_ * rho_) / (1 + rho_ * rho_); }

 private:
  double rho_;
};

/// The nights of one figure, the oldest first, by levels: what lies between two changes.
struct NightLevels {
  std::vector<std::size_t> begins = {0};  ///< The first night of each level, the oldest first.
  std::vector<bool> apart = {};           ///< Nights of no level: something else was slow then.

  std::size_t count() const { return begins.size(); }
  /// What counts of a level among these nights, which may lack the last ones.
  std::vector<double> counted(std::span<const double> nights, std::size_t level) const;
  std::size_t end_of(std::size_t level) const {
    return level + 1 < begins.size() ? begins[level + 1] : apart.size();
  }
};

/// The mean of nights of one level; 0 of none.
double level_of(std::span<const double> nights);

/// With fewer nights, NEW among them, no change of level is looked for.
constexpr std::size_t kFewestNightsOfLevels = 5;
/// With fewer, nights are taken for independent.
constexpr std::size_t kFewestNightsOfNoise = 10;

/// Divides a series into levels.
///
/// Model: each night has its level and AR(1) noise, and a few stand apart. The levels minimise the
/// squares about their means over the variance of a night, plus a penalty for each change
/// (optimal partitioning, Jackson et al. 2005): t^2 times the factor by which the noise raises the
/// variance of a mean of that length, with t the quantile of Student's t of `chance` over the
/// number of nights (Bonferroni). The variance of a night is by differences of successive nights,
/// without the greatest quarter, so neither levels nor nights apart raise it. A night stands apart
/// if it lies as far from the median of its neighbours and they do not follow it, and so do one or
/// two nights between two levels that are alike. The last one never does: it may be a new level.
///
/// @param chance  At most this share of series without a change has one, if noise is as `noise`.
/// Source: docs/explanation/gate.md, "Levels". Rates of false changes:
/// docs/explanation/coverage.md.
NightLevels levels_of(std::span<const double> nights, const NightNoise& noise, double chance);

/// The correlation of successive nights by their distances from their levels, corrected for the
/// estimated means; 0 of fewer than kFewestNightsOfNoise. Several series may tell more together.
double correlation_of(std::span<const double> nights, double chance);

/// Of each series the correlation to judge it by: that of its own, drawn to that of the others, and
/// all to 0.3, as if 15 nights said so.
/// @param counts  How many nights each has.
std::vector<double> shrunk_correlations(std::span<const double> own,
                                        std::span<const std::size_t> counts);

}  // namespace scalelaw
