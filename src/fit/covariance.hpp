#pragma once

#include <optional>

#include "fit/regression.hpp"

namespace scalelaw {

/// Covariance of the working parameters, and their degrees of freedom if these are not n - p.
struct Covariance {
  SmallMatrix matrix{};
  std::array<std::optional<double>, kMaxParameters> dof;
};

/// sigma^2 (X'X)^-1; empty at dof 0.
std::optional<Covariance> classic_covariance(const FitPoints& points, const Solution& solution);

/// Whether errors may be correlated inside runs.
inline bool is_clustered(StandardError kind) {
  return kind == StandardError::kCluster || kind == StandardError::kCr2;
}

/// The number of different runs.
std::size_t cluster_count(const FitPoints& points);

/// The covariance of the requested kind, from cells (docs/methods.md, "Standard errors"). Empty if
/// it is undefined: no degrees of freedom, fewer than two clusters, scores of clusters that cancel,
/// or a point of leverage 1 under HC2 and HC3.
///
/// Source: White (1980) HC0; MacKinnon & White (1985) HC1-HC3; Bell & McCaffrey (2002) HC2 with
/// their degrees of freedom and CR2; Liang & Zeger (1986) CR1; Pustejovsky & Tipton (2018)
/// Satterthwaite degrees of freedom.
std::optional<Covariance> covariance_of(const FitPoints& points, const Solution& solution,
                                        StandardError kind);

/// A row's leverage counts as 1 from here on: the difference is rounding.
inline constexpr double kFullLeverage = 1 - 1e-10;

}  // namespace scalelaw
