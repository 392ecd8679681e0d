#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {

// Baselines and new runs that tests of gates share.

inline const std::vector<double> kNodes{1, 2, 4, 8, 16};
inline const std::vector<double> kSeconds{100.5, 52, 27.4, 14.6, 7.5};

inline std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

inline GroupFit fitted(const std::string& group, const std::vector<double>& x,
                       const std::vector<double>& y, const FitOptions& options = {}) {
  return {{group}, fit_law(point_cells(x, y), options)};
}

inline SavedFits study(const std::string& source, std::vector<GroupFit> groups) {
  SavedFits fits;
  fits.source = source;
  fits.x = "nodes";
  fits.y = "seconds";
  fits.by = {"model"};
  fits.law = find_law("power");
  fits.groups = std::move(groups);
  return fits;
}

inline Gate gate_of(std::vector<GroupFit> base, std::vector<GroupFit> current,
                    const GateOptions& options = {}) {
  const GatePair pair{study("base.json", std::move(base)), study("new.json", std::move(current))};
  return gate_fits(std::vector{pair}, options);
}

inline std::vector<std::string> verdicts_of(const GateGroup& group) {
  std::vector<std::string> verdicts;
  for (const GateComparison& comparison : group.comparisons) {
    verdicts.emplace_back(name_of(comparison.verdict));
  }
  return verdicts;
}

/// One group of runs against the same runs with every time multiplied.
inline GateGroup group_slower_by(double factor, const GateOptions& options = {}) {
  return gate_of({fitted("A", kNodes, kSeconds)}, {fitted("A", kNodes, times(kSeconds, factor))},
                 options)
      .groups.at(0);
}

}  // namespace scalelaw
