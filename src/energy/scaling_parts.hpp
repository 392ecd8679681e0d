#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "scalelaw/energy/energy_scaling.hpp"

namespace scalelaw {

/// The runs of a group, and what follows from each run by itself.
struct RunFigures {
  const EnergyRuns& runs;
  double confidence;
  std::vector<double> gpus;       ///< N where it shares the work, else 1.
  std::vector<double> gpu_hours;  ///< N t.
  std::vector<double> watts;      ///< Energy over N t: W per GPU.

  std::span<const double> x() const { return runs.measured.x; }
  std::span<const double> seconds() const { return runs.measured.seconds; }
  std::span<const double> joules() const { return runs.measured.joules; }
  std::size_t size() const { return runs.measured.x.size(); }
};

/// Whether a value is a number above 0; the others are unknown, or beyond the range of double.
inline bool is_known(double value) { return value > 0 && std::isfinite(value); }

/// Fits y = alpha x^beta (a rate) or alpha x^-beta (a time) by least squares of logarithms.
/// @throws FitError as fit_law does.
Fit power_fit(std::span<const double> x, std::span<const double> y, Response response,
              double confidence, Figures figures = Figures::kEstimates);

/// exp of the interval.
Ratio ratio_of(const Estimate& log_ratio);

/// a[i] op b[i].
std::vector<double> products(std::span<const double> a, std::span<const double> b);
std::vector<double> quotients(std::span<const double> a, std::span<const double> b);

/// The price of energy and GPU-hours, as far as they have one; empty if neither does.
std::optional<double> total_cost(const EnergyOptions& options, double joules, double gpu_hours);

// The parts of EnergyScaling that have a source of their own.

GpuHoursFit gpu_hours_fit(const RunFigures& figures);
std::vector<PowerDriver> power_drivers(const RunFigures& figures);
std::optional<JointDrivers> joint_drivers(const RunFigures& figures);

/// What the minima assume although the runs contradict it; empty if nothing.
std::string least_caveat(const RunFigures& figures);
std::vector<LeastUnderLaw> least_under_laws(const RunFigures& figures,
                                            const EnergyOptions& options);

}  // namespace scalelaw
