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

#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

// Each point has two costs, and less is better. A point is dominated if another one is at least as
// good in both costs and better in one. Equal points do not dominate each other.

/// The points that no other point dominates, sorted by a, then b, then index. Equal points are
/// either all included or all left out.
///
/// O(n log n): a sample removes most dominated points, then follow a sort and one pass. It takes
/// about 48 bytes per point.
///
/// @param threads  Threads of the sort; the result is the same for any number.
/// @throws std::invalid_argument if a and b differ in size or a value is NaN.
std::vector<std::size_t> pareto_frontier(std::span<const double> a, std::span<const double> b,
                                         int threads = 1);

/// The area that a frontier dominates, up to a reference point.
struct DominatedArea {
  double area = 0;  ///< Dominated area below the reference, in units of a times b.
  /// Corners of the lower left outline by ascending a: all points, the steps between them, and both
  /// ends at the reference. Empty if no point beats the reference in both costs.
  std::vector<double> outline_a;
  std::vector<double> outline_b;
};

/// The hypervolume of two costs (Zitzler and Thiele 1999): larger is better.
///
/// @param frontier  Indices as pareto_frontier() gives them.
DominatedArea dominated_area(std::span<const double> a, std::span<const double> b,
                             std::span<const std::size_t> frontier, double reference_a,
                             double reference_b);

/// The weights for which one point is the best.
struct EtaRange {
  std::size_t point;
  double from;  ///< Least eta, in [0, 1].
  double to;    ///< Greatest eta, > from.
};

/// The eta ranges in which each point has the least eta * b + (1 - eta) * a, from eta = 0 to 1
/// without gaps. These points are the corners of the frontier's convex hull; at a border both
/// neighbours cost the same. The last of several equal points stands for all.
///
/// @param frontier  Indices as pareto_frontier() gives them, at least one.
std::vector<EtaRange> eta_ranges(std::span<const double> a, std::span<const double> b,
                                 std::span<const std::size_t> frontier);

/// What a second of a run costs, in watts.
enum class TimeCost {
  kGpus,  ///< MaxPower of every GPU that it holds: eta = 0 asks for the fewest GPU-seconds.
  kWall,  ///< MaxPower times the group's greatest number of GPUs: eta = 0 asks for speed.
};

/// The name as the command line spells it: "gpus", "wall".
std::string_view name_of(TimeCost cost);

/// One knob of the default point.
struct KnobValue {
  std::string knob;
  std::string value;
};

/// A place in the plane of time and energy.
struct TimeAndEnergy {
  double seconds;
  double joules;
};

struct ParetoOptions {
  std::vector<double> etas = {0.5};  ///< Weights of energy, each in [0, 1].
  /// MaxPower in W, > 0, of points that have none of their own. It is needed if an eta is below 1.
  std::optional<double> max_power = {};
  TimeCost time_cost = TimeCost::kGpus;
  /// The point that others are compared with. A knob that is a power limit may be left out: then
  /// its greatest value for each number of GPUs is meant. Empty: no default, unless that is the
  /// only knob.
  std::vector<KnobValue> default_knobs = {};
  /// Where the dominated area ends. If empty, at the group's greatest time and energy.
  std::optional<TimeAndEnergy> reference = {};
  double confidence = 0.95;    ///< Confidence level, in (0, 1).
  std::uint32_t draws = 2000;  ///< 0: no uncertainty is computed.
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: as many as there are processors.
};

/// The runs of one combination of knob values.
struct KnobRuns {
  GroupKey knobs;
  double gpus = 1;  ///< GPUs per run; if runs differ, the mean weighted by time.
  std::vector<double> seconds;
  std::vector<double> joules;            ///< Energy at all GPUs.
  std::optional<double> max_power = {};  ///< MaxPower of one GPU in W; empty: that of the options.
};

/// What a point saves as a share of what the default takes; a loss is below 0.
struct Saving {
  double estimate;
  /// Holds for all points of the group at once, and so also for one that was picked because it
  /// looks best. Empty without replicates, and for the default.
  std::optional<Interval> ci;
};

/// A point at one eta.
struct PointCost {
  double joules;                             ///< Zeus cost, eq. 2.
  std::optional<Saving> saving = {};         ///< Empty without a default.
  std::optional<double> optimum_share = {};  ///< Probability that it has the least cost.
};

struct ParetoPoint {
  GroupKey knobs;
  std::uint64_t n = 0;  ///< Runs.
  double gpus = 1;      ///< GPUs per run.
  double seconds = 0;   ///< Arithmetic mean over the runs: the expected time of a run.
  double joules = 0;
  std::optional<double> max_power = {};  ///< MaxPower of one GPU, in W.
  bool on_frontier = false;
  std::optional<double> frontier_share = {};  ///< Probability that no other point dominates it.
  std::optional<bool> surely_dominated = {};  ///< frontier_share <= 1 - confidence.
  std::optional<Saving> time_saving = {};
  std::optional<Saving> energy_saving = {};
  std::vector<PointCost> costs = {};  ///< One per eta.
};

/// The least cost at one eta.
struct EtaOptimum {
  double eta;
  std::size_t point;
  /// Two ends of the line of runs that use as many GPUs as the optimum and cost as much, within the
  /// box around the group's points.
  std::pair<TimeAndEnergy, TimeAndEnergy> line;
};

/// Time against energy of one group of runs.
struct Pareto {
  std::vector<ParetoPoint> points;    ///< By knobs, in their order.
  std::vector<std::size_t> frontier;  ///< By time; equal points are all included.
  std::vector<EtaOptimum> optima;     ///< One per eta.
  std::vector<EtaRange> ranges;       ///< Empty without max_power.
  std::optional<std::size_t> default_point;
  std::string no_default;  ///< Why there is no default.
  TimeAndEnergy reference = {};
  double hypervolume = 0;  ///< J s.
  /// Its share of the box from the least time and energy to the reference; empty without area.
  std::optional<double> hypervolume_share;
  std::vector<TimeAndEnergy> outline;  ///< Outline of the dominated area, by time.
  std::int64_t dof = 0;                ///< Degrees of freedom of the scatter: runs minus points.
  std::optional<double> sigma_time;    ///< Standard deviation of ln time among runs of one point.
  std::optional<double> sigma_energy;  ///< The same for ln energy.
  std::optional<double> correlation;   ///< Correlation of the two; empty if one does not vary.
  std::string no_draws;                ///< Why there is no uncertainty; empty if there is.

  /// Whether there are several points, all with the same time and energy.
  bool has_equal_points() const;
  /// The weights of energy at which a point is the cheapest; null if there are none.
  const EtaRange* range_of(std::size_t point) const;
};

/// Judges the trade-off between time and energy.
///
/// Frontier and optima use the points' mean time t and mean energy E. The cost is eta E + (1 - eta)
/// P t (You et al. 2023, eq. 2) with P by TimeCost. Among equal costs the point whose knobs come
/// last wins, as in Zeus, which searches from high to low.
///
/// Uncertainty: (ln t, ln E) of a run scatters about its point's mean as a bivariate normal with
/// one covariance per group. Draws come from the posterior under the prior |covariance|^-1, for
/// which every contrast of logarithms by itself has its exact Student t with `dof` degrees of
/// freedom. This needs a point with two runs that differ.
///
/// @param points  At least one, each with as many seconds as joules, all > 0.
/// @param knobs  Names of the knobs.
/// @param stream  Names the random numbers of this group.
/// @throws std::invalid_argument if an option or a point is out of its range.
///
/// Source: docs/explanation/pareto.md. Checked against brute force and NumPy.
Pareto judge_trade_off(std::span<const KnobRuns> points, std::span<const std::string> knobs,
                       const ParetoOptions& options, std::uint64_t stream = 0);

/// Where a point's expected time lies, and its energy, by the scatter of ln of runs that all points
/// share and its exact Student t; empty without replicates.
struct PointIntervals {
  std::optional<Interval> seconds;
  std::optional<Interval> joules;
};
PointIntervals intervals_of(const Pareto& pareto, const ParetoPoint& point, double confidence);

/// A group with its trade-off; its key has the values of the group columns that are no knobs.
using GroupPareto = Grouped<Pareto>;

/// One kind of hardware with its greatest power limit.
struct HardwareLimit {
  GroupKey kind;  ///< Values of the hardware columns; empty if there are none.
  double watts;
};

/// MaxPower of one GPU, as read from the table.
struct PowerLimits {
  std::string column;                 ///< Column of the power limits.
  std::vector<std::string> hardware;  ///< Knobs and group columns that tell the kind of hardware.
  std::vector<HardwareLimit> kinds;   ///< In order.
  std::vector<double> watts;          ///< MaxPower for each group of the observations.
  /// The smallest of the greatest limits of the judged groups; present if the column is a knob.
  std::optional<double> smallest_greatest = {};

  bool varies() const;  ///< Whether it differs between kinds.
};

/// The greatest power limit of each kind of hardware, from the first knob or group column with a
/// usual name for power limits. Knobs or group columns with a usual name (gpu, accelerator, ...)
/// tell the kind. Without one, all rows are of one kind: groups of other things (models, batch
/// sizes) may have been measured only under lower limits. Empty if there is no power limit.
/// @throws DataError if some kinds have limits and others have none.
std::optional<PowerLimits> greatest_power_limits(const Observations& observations);

/// MaxPower of the Zeus cost, where there is one.
struct MaxPower {
  std::string from;           ///< A column, or "--max-power"; empty: there is none.
  std::vector<double> watts;  ///< For each group of the observations, if a column tells it.
  std::string warning;        ///< What the user should know about it; empty: nothing.
};

/// Takes MaxPower from the table where the user gave none; the options have it if all hardware
/// shares one greatest power limit. Where MaxPower is known and the user gave no eta, eta is 0.5.
/// @throws DataError if an eta is below 1 and nothing tells MaxPower.
MaxPower take_max_power(ParetoOptions& options, const MeasuredRuns& runs);

/// How many points have runs on different numbers of GPUs.
std::size_t points_of_mixed_gpus(const MeasuredRuns& runs);

/// What a report on all groups must know before the first of them.
class ParetoSurvey {
 public:
  bool has_draws = false;     ///< Whether some frontier has an uncertainty.
  bool has_default = false;   ///< Whether some group has the default.
  std::string no_draws = {};  ///< Why the first frontier without uncertainty has none.

  /// Adds the next group.
  void add(const GroupPareto& group);
  /// A default that no group has is the user's mistake.
  /// @throws DataError with some points, if all groups were added and none has the default.
  void refuse_unknown_default(const std::vector<KnobValue>& wanted) const;

 private:
  std::string some_points_ = {};  ///< Of the first frontier,
  std::string no_default_ = {};   ///< and why it has no default.
};

ParetoSurvey survey_of(std::span<const GroupPareto> groups);

/// Judges every group of runs that were read with the knobs as factors, and hands the results to
/// `sink`, in group order and one call at a time. They are alike for any threads.
/// @param max_power  MaxPower of one GPU for each group; if empty, the options'.
/// @throws DataError if a default knob is not a knob or is missing, or if a time or energy is
/// beyond the range of double.
void pareto_each(const MeasuredRuns& runs, const ParetoOptions& options,
                 std::span<const double> max_power, const std::function<void(GroupPareto&&)>& sink);

/// All of them at once, for studies of few groups.
/// @param max_power  MaxPower of one GPU for each group; if empty, the options'.
/// @throws DataError if a default knob is not a knob or is missing, if no group has the default, or
/// if a time or energy is beyond the range of double.
std::vector<GroupPareto> pareto_each(const MeasuredRuns& runs, const ParetoOptions& options,
                                     std::span<const double> max_power = {});

}  // namespace scalelaw
