#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/energy/frontier.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// What a second of a run costs, in watts.
enum class TimeCost {
  kGpus,  ///< MaxPower of every GPU it holds: eta = 0 asks for the fewest GPU-seconds.
  kWall,  ///< MaxPower of the group's greatest number of GPUs, for all runs: eta = 0 asks for
          ///< speed.
};

/// The name as the command line spells it: "gpus", "wall".
std::string_view name_of(TimeCost cost);

/// One knob of the default point.
struct KnobValue {
  std::string knob;
  std::string value;
};

/// A point that bounds the area under judgement.
struct ReferencePoint {
  double seconds;
  double joules;
};

struct ParetoOptions {
  std::vector<double> etas = {0.5};  ///< Weights of energy, each in [0, 1].
  std::optional<double> max_power;   ///< W of one GPU, > 0; needed where an eta is below 1.
  TimeCost time_cost = TimeCost::kGpus;
  /// The point that others are compared with. A knob that is a power limit may be left out: its
  /// greatest value is meant, as GPUs come. Empty: none, unless that is the only knob.
  std::vector<KnobValue> default_knobs;
  std::optional<ReferencePoint> reference;  ///< Empty: the group's greatest time and energy.
  double confidence = 0.95;                 ///< In (0, 1).
  std::uint32_t draws = 2000;               ///< 0: no uncertainty is worked out.
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: all processors.
};

/// The runs of one combination of knob values.
struct KnobRuns {
  GroupKey knobs;
  double gpus = 1;  ///< Of a run; of runs that differ the mean, weighted by time.
  std::vector<double> seconds;
  std::vector<double> joules;  ///< At all GPUs.
};

/// What a point saves against the default, as a share of what the default takes; below 0: a loss.
struct Saving {
  double estimate;
  /// Holds for all points of the group at once, so that it still holds for one that was chosen
  /// because it looked best. Empty without replicates, and for the default.
  std::optional<Interval> ci;
};

/// A point at one eta.
struct PointCost {
  double joules;                        ///< Zeus cost, eq. 2.
  std::optional<Saving> saving;         ///< Empty without a default.
  std::optional<double> optimum_share;  ///< Probability that it has the least cost.
};

struct ParetoPoint {
  GroupKey knobs;
  std::uint64_t n = 0;  ///< Runs.
  double gpus = 1;      ///< Of a run.
  double seconds = 0;   ///< Arithmetic means over runs: what a run is expected to take.
  double joules = 0;
  bool on_frontier = false;
  std::optional<double> frontier_share = {};  ///< Probability that no other point dominates it.
  std::optional<bool> surely_dominated = {};  ///< frontier_share <= 1 - confidence.
  std::optional<Saving> time_saving = {};
  std::optional<Saving> energy_saving = {};
  std::vector<PointCost> costs = {};  ///< As many as etas.
};

/// A place in the plane of time and energy.
struct TimeAndEnergy {
  double seconds;
  double joules;
};

/// The least cost at one eta.
struct EtaOptimum {
  double eta;
  std::size_t point;
  /// Runs on the optimum's number of GPUs that cost as much, where that line crosses the box of the
  /// group's points.
  std::pair<TimeAndEnergy, TimeAndEnergy> line;
};

/// Time against energy of one group of runs.
struct Pareto {
  std::vector<ParetoPoint> points;    ///< By knobs, in their order.
  std::vector<std::size_t> frontier;  ///< By time; of equal points all.
  std::vector<EtaOptimum> optima;     ///< One an eta.
  std::vector<EtaRange> ranges;       ///< Empty without max_power.
  std::optional<std::size_t> default_point;
  std::string no_default;  ///< Why there is none.
  ReferencePoint reference = {};
  double hypervolume = 0;  ///< J s.
  /// Of the box between the reference and the least time and energy; empty where that has no area.
  std::optional<double> hypervolume_share;
  std::vector<TimeAndEnergy> outline;  ///< Of that area, by time.
  std::int64_t dof = 0;                ///< Of the scatter: runs less points.
  std::optional<double> sigma_time;    ///< Standard deviation of ln time of runs of one point,
  std::optional<double> sigma_energy;  ///< of ln energy,
  std::optional<double> correlation;   ///< and their correlation; empty if one does not vary.
  std::string no_draws;                ///< Why there is no uncertainty; empty if there is.
};

/// Judges time against energy.
///
/// Frontier and optima are of the points' mean time t and energy E; the cost is
/// eta E + (1 - eta) P t (You et al. 2023, eq. 2) with P by TimeCost. Of equal costs the point
/// whose knobs stand last wins, as in Zeus, which goes from high to low.
///
/// Uncertainty: (ln t, ln E) of a run scatters about its point's mean as a bivariate normal, with
/// one covariance for the group. Draws come from its posterior under the prior |covariance|^-1, for
/// which every single contrast of logarithms has its exact Student t with `dof` degrees of freedom;
/// points with a single run share it. Needs a point with two runs that differ.
///
/// @param points  At least one, each with as many seconds as joules, all > 0.
/// @param knobs   Names of the knobs.
/// @param stream  Names the random numbers of this group.
/// @throws std::invalid_argument if options or points are not what they must be.
///
/// Source: docs/methods.md, "Pareto". Checked against brute force and NumPy.
Pareto judge_trade_off(std::span<const KnobRuns> points, std::span<const std::string> knobs,
                       const ParetoOptions& options, std::uint64_t stream = 0);

struct GroupPareto {
  GroupKey group;  ///< Values of the group columns that are no knobs.
  Pareto result;
};

/// The greatest power limit of the table: of the first knob or group column with a usual name of
/// one. Nothing if there is none.
struct PowerLimit {
  std::string column;
  double watts;
};
std::optional<PowerLimit> greatest_power_limit(const Observations& observations);

/// How many points have runs of different numbers of GPUs.
std::size_t points_of_mixed_gpus(const MeasuredRuns& runs);

/// Judges every group of runs that were read with the knobs as factors.
/// @throws DataError if a default knob is no knob, or has to be named and is not, or no group has
/// the default, or a time or energy in s or J is beyond the range of double.
std::vector<GroupPareto> pareto_each(const MeasuredRuns& runs, const ParetoOptions& options);

}  // namespace scalelaw
