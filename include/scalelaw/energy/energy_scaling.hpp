#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

struct EnergyOptions {
  double confidence = 0.95;  ///< Level of every interval, in (0, 1); tests use one minus it.
  Footprint footprint = {};
  std::optional<double> gpu_price = {};  ///< Price per GPU-hour, in the currency of the Footprint.
};

/// Where the mean power of a GPU comes from.
enum class PowerSource {
  kOwnColumn,   ///< Measured beside the energy: the identity of exponents checks the data.
  kFromEnergy,  ///< It is the energy over N t.
  kOfEnergy,    ///< The energy was computed as this power times N t.
};

/// "own-column", "from-energy", "energy-from-power".
std::string_view name_of(PowerSource source);

/// The runs of one group. `measured.x`, seconds and joules have one value per run.
struct EnergyRuns {
  Measurements measured;
  std::vector<double> batch = {};  ///< Global batch size, NaN where unknown; empty: not asked for.
  std::vector<double> samples = {};  ///< Samples of the run or epoch that was timed; likewise.
  PowerSource power = PowerSource::kFromEnergy;
  /// x counts what shares the work, such as GPUs. Otherwise it is a setting, such as a batch size:
  /// N of N t is then 1, so that hours and power are those of the run, and there is no efficiency.
  bool x_shares_work = true;
};

enum class IdentityVerdict {
  kByConstruction,  ///< Power was computed from energy or energy from power: nothing to check.
  kAgrees,          ///< The interval of the residual lies within kIdentityMargin.
  kDisagrees,       ///< The residual differs from 0 (p < 1 - confidence) and may exceed the margin.
  kUndecided,
  kLevelOff,  ///< Energy is surely beyond kLevelMargin times N t P: another device's power.
};

/// "by-construction", "agrees", "disagrees", "undecided", "level-off".
std::string_view name_of(IdentityVerdict verdict);

/// Residuals of the identity of exponents up to this size do not matter: over 100 times the GPUs,
/// energy would drift by 10 % from power times N t.
inline constexpr double kIdentityMargin = 0.02;

/// Energy may exceed N t P, or fall short of it, by this factor, because of losses and other
/// consumers. Beyond it, the two columns differ in their devices or units.
inline constexpr double kLevelMargin = 2;

/// A ratio of medians (geometric means). Its interval is exp of the interval of its logarithm.
struct Ratio {
  double value = 1;
  std::optional<Interval> ci = {};
};

/// The check of exponent(E) = 1 - beta + exponent(P) (without the 1 where x is a setting), and the
/// factor between E and N t P. The residual is the slope of ln(E / (N t P)) on ln N over the runs
/// with all three values. It therefore has the exact test of a slope.
struct IdentityCheck {
  IdentityVerdict verdict = IdentityVerdict::kByConstruction;
  std::uint64_t n = 0;  ///< Runs that have a power of their own.
  std::optional<Estimate> residual = {};
  std::optional<Ratio> level = {};  ///< E over N t P, geometric mean.
  std::string reason = {};          ///< Why there is no residual, where one was possible.
};

/// Power laws of time, of the mean power of a GPU, and of energy.
struct EnergyExponents {
  Fit time;            ///< t = alpha N^-beta.
  Outcome<Fit> power;  ///< P = alpha N^beta: `beta` is the exponent.
  Fit energy;          ///< E = alpha N^beta.
  Estimate edp;        ///< Exponent of E t.

  /// Energy on twice the GPUs over energy on N.
  double energy_of_twice() const;
};

/// What the intercept of energy over GPU-hours shows, by its interval.
enum class InterceptSign {
  kUnknown,  ///< There is no interval.
  kNone,     ///< The interval holds 0.
  kAbove,    ///< Some energy does not grow with the hours, or power falls as they grow.
  kBelow,    ///< Power grows with the hours.
};

/// Energy against GPU-hours, in Wh: parameter "b" in W per GPU and parameter "a" in Wh.
struct GpuHoursFit {
  Outcome<Fit> origin;        ///< E = b H under relative scatter: b is the geometric mean of E / H.
  Outcome<Fit> intercept;     ///< E = a + b H under relative scatter, profile likelihood intervals.
  Outcome<Fit> origin_least;  ///< Ordinary least squares of E; its R2 is about 0.
  Outcome<Fit> intercept_least;  ///< Ordinary least squares of E; its R2 is about the mean.
  std::optional<double> origin_least_r2_mean;  ///< 1 - RSS / scatter about the mean of E.

  /// Of the line with an intercept; kUnknown where there is none.
  InterceptSign intercept_sign() const;
};

/// How k, a run's energy per GPU-hour, changes with another quantity z: k = c z^slope.
struct PowerDriver {
  std::string_view name;  ///< "scale", "global_batch", "local_batch", "samples_per_gpu_hour",
                          ///< "updates_per_gpu_hour".
  std::uint64_t n = 0;    ///< Runs for which z is known.
  std::optional<Estimate> slope = {};
  std::optional<double> r2 = {};
  std::string reason = {};  ///< Why there is no slope.
};

/// ln k on ln(samples per GPU-hour) and ln(updates per GPU-hour) together.
struct JointDrivers {
  std::uint64_t n = 0;
  std::int64_t dof = 0;
  Estimate samples;
  Estimate updates;
  std::optional<double> r2;
};

/// The runs at one N, and how they compare with those at the smallest.
struct EnergyAtScale {
  double x = 0;
  std::uint64_t n = 0;
  double seconds = 0;                 ///< Geometric mean of the runs' time.
  double joules = 0;                  ///< Geometric mean of the energy at all GPUs.
  double watts_per_gpu = 0;           ///< Geometric mean of energy over N t.
  double kwh = 0;                     ///< Mean per run, of the building's energy.
  double gpu_hours = 0;               ///< Mean per run.
  std::optional<double> co2_kg = {};  ///< Mean per run.
  std::optional<double> cost = {};  ///< Mean per run, for whatever has a price: energy, GPU-hours.
  Ratio speedup = {};               ///< Time at the smallest N over time here.
  /// Speedup over the ideal speedup, N / smallest N; empty where x is a setting.
  std::optional<Ratio> efficiency = {};
  Ratio energy = {};  ///< Energy here over energy at the smallest N.
  Ratio edp = {};     ///< Energy times time, likewise.
  /// The same ratios for the time and energy of one sample, where samples are known.
  std::optional<Ratio> sample_speedup = {};
  std::optional<Ratio> sample_efficiency = {};
  std::optional<Ratio> sample_energy = {};
};

enum class Objective { kEnergy, kEnergyDelay, kCost };

/// "energy", "edp", "cost".
std::string_view name_of(Objective objective);

enum class LeastPlace { kInside, kSmallest, kLargest };

/// "inside", "smallest", "largest".
std::string_view name_of(LeastPlace place);

/// The whole N in the measured range at which an objective is least under a law.
struct Least {
  Objective objective = Objective::kEnergy;
  double x = 0;
  LeastPlace place = LeastPlace::kInside;
  /// The whole N that the runs do not exclude. An end of the range stands for all beyond it.
  std::optional<Interval> ci = {};
  double against_smallest = 1;  ///< Objective there over its value at the smallest N.
};

/// Where objectives are least under a law of time and a power law of a GPU's power, with E = N t P.
struct LeastUnderLaw {
  std::string_view law;
  std::string rejected = {};  ///< Why the law is not used; empty if it is used.
  bool best = false;          ///< It has the least AICc among the laws that are used.
  std::vector<Least> least = {};
};

/// Power laws of the time and energy of one sample.
struct PerSample {
  Fit time;    ///< t / samples = alpha N^-beta.
  Fit energy;  ///< E / samples = alpha N^beta.
};

enum class Scaling {
  kStrong,  ///< The same samples at every N.
  kWeak,    ///< Samples are proportional to N.
  kMixed,   ///< Samples vary in another way.
};

/// "strong", "weak", "mixed".
std::string_view name_of(Scaling scaling);

/// How the work of a run changed with N.
struct Workload {
  std::optional<Scaling> scaling = {};          ///< Empty without samples.
  std::optional<double> samples_exponent = {};  ///< Slope of ln samples on ln N.
  std::optional<double> batch_exponent = {};    ///< Slope of ln(global batch) on ln N.
  std::optional<PerSample> per_sample = {};     ///< Present where samples vary with N.
  std::string reason = {};                      ///< Why it is missing where samples vary with N.

  /// Whether figures are of one sample, because the samples vary with N.
  bool is_per_sample() const { return scaling && *scaling != Scaling::kStrong; }
  /// Whether the global batch changes with N beyond rounding, and gradient updates with it.
  bool batch_varies() const;
};

/// What all runs of the group took together.
struct EnergyTotals {
  double gpu_hours = 0;
  double joules = 0;  ///< Energy at the machines.
  double kwh = 0;     ///< Energy of the building.
  std::optional<double> co2_kg = {};
  std::optional<double> cost = {};
};

/// How energy scales in one group of runs.
struct EnergyScaling {
  std::uint64_t n = 0;
  double x_min = 0;
  double x_max = 0;
  PowerSource power = PowerSource::kFromEnergy;
  Outcome<EnergyExponents> exponents;
  IdentityCheck identity;
  GpuHoursFit gpu_hours;
  std::vector<PowerDriver> drivers;
  std::optional<JointDrivers> joint;
  std::vector<EnergyAtScale> scales;  ///< One per N, in order.
  /// "measured" first, which needs no law, then one per law. They are about one sample where
  /// samples vary with N. Empty for a single N.
  std::vector<LeastUnderLaw> least;
  std::string least_caveat;  ///< What the minima under laws assume although the runs contradict it.
  Workload workload;
  EnergyTotals totals;
};

/// Computes how the energy of runs scales with N.
///
/// Model: the scatter of time, power and energy is multiplicative, so all estimates are least
/// squares of logarithms. Time, power and energy are power laws in N, k is a geometric mean, and
/// ratios to the smallest N are differences of mean logarithms with the variance pooled over N. A
/// part that cannot be computed (one N, one run) is replaced by its reason.
///
/// @throws FitError not-identifiable if products of the values leave the range of double.
/// @throws std::invalid_argument if sizes differ, there is no run, or a value of x, seconds or
/// joules is not positive and finite.
///
/// Source: docs/explanation/energy.md. Checked against statsmodels and scipy.
EnergyScaling energy_scaling(const EnergyRuns& runs, const EnergyOptions& options = {});

/// A warning of one of the power laws.
struct EnergyWarning {
  std::string_view of;  ///< "time", "power", "energy".
  WarningCode code;
};

/// What the power laws of time, power and energy warn of.
std::vector<EnergyWarning> energy_warnings(const EnergyScaling& scaling);

/// A group with how its energy scales, or why nothing can be said of it.
using GroupEnergy = Grouped<EnergyScaling>;

/// Further columns of the table, in the order that MeasureColumns::more expects.
struct WorkloadColumns {
  std::string batch;    ///< Column of the global batch size; empty if there is none.
  std::string samples;  ///< Column of the samples per run or epoch; empty if there is none.

  std::vector<NumberColumn> numbers() const;
};

/// Hands the energy scaling of every group that was read with those columns to `sink`, in group
/// order and one call at a time. The number of threads (0: all processors) does not change the
/// result.
void energy_each(const MeasuredRuns& runs, const WorkloadColumns& columns,
                 const EnergyOptions& options, int threads,
                 const std::function<void(GroupEnergy&&)>& sink);

/// All of them at once, for studies of few groups.
std::vector<GroupEnergy> energy_of_each(const MeasuredRuns& runs, const WorkloadColumns& columns,
                                        const EnergyOptions& options, int threads = 1);

}  // namespace scalelaw
