#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

struct EnergyOptions {
  double confidence = 0.95;  ///< Of every interval, in (0, 1); tests are at 1 - confidence.
  Footprint footprint = {};
  std::optional<double> gpu_price = {};  ///< Of a GPU-hour, in the currency of Footprint::price.
};

/// Where the mean power of a GPU comes from.
enum class PowerSource {
  kOwnColumn,   ///< Measured beside the energy: the identity of exponents checks the data.
  kFromEnergy,  ///< Energy over N t.
  kOfEnergy,    ///< The energy is this power times N t.
};

/// "own-column", "from-energy", "energy-from-power".
std::string_view name_of(PowerSource source);

/// The runs of one group. `measured.x`, seconds and joules have a value a run.
struct EnergyRuns {
  Measurements measured;
  std::vector<double> batch = {};  ///< Global batch size, NaN where unknown; empty: not asked for.
  std::vector<double> samples = {};  ///< Samples of the run or epoch that was timed; likewise.
  PowerSource power = PowerSource::kFromEnergy;
};

enum class IdentityVerdict {
  kByConstruction,  ///< Power or energy is worked out from the other: nothing to check.
  kAgrees,          ///< The interval of the residual lies within kIdentityMargin.
  kDisagrees,       ///< The residual is not 0 (p < 1 - confidence), and not surely that small.
  kUndecided,
  kLevelOff,  ///< Energy is surely beyond kLevelMargin times N t P: power is of something else.
};

/// "by-construction", "agrees", "disagrees", "undecided", "level-off".
std::string_view name_of(IdentityVerdict verdict);

/// Residuals of the identity of exponents that are this small do not matter: over 100 times the
/// GPUs the column of energy would drift 10 % from power times N t.
inline constexpr double kIdentityMargin = 0.02;

/// Energy may be up to so many times N t P, or so many times less, for losses and what else draws
/// power; beyond that the two are not of the same devices or units.
inline constexpr double kLevelMargin = 2;

/// A ratio of medians (geometric means) with the interval that exp makes of its logarithm's.
struct Ratio {
  double value = 1;
  std::optional<Interval> ci = {};
};

/// exponent(E) - (1 - beta + exponent(P)), and by which factor the energies differ from N t P.
///
/// The residual is itself the slope of ln(E / (N t P)) on ln N over the runs that have all three,
/// and so has the exact test of a slope.
struct IdentityCheck {
  IdentityVerdict verdict = IdentityVerdict::kByConstruction;
  std::uint64_t n = 0;  ///< Runs that have a power of their own.
  std::optional<Estimate> residual = {};
  std::optional<Ratio> level = {};  ///< E over N t P, geometric mean.
  std::string reason = {};          ///< Why a check that could be has no residual.
};

/// Power laws of time, mean power of a GPU, and energy.
struct EnergyExponents {
  Fit time;            ///< t = alpha N^-beta.
  Outcome<Fit> power;  ///< P = alpha N^beta: `beta` is the exponent.
  Fit energy;          ///< E = alpha N^beta.
  Estimate edp;        ///< Exponent of E t.
};

/// Energy against GPU-hours, in Wh: parameters "b" in W a GPU, "a" in Wh.
struct GpuHoursFit {
  Outcome<Fit> origin;        ///< E = b H under relative scatter: b is the geometric mean of E / H.
  Outcome<Fit> intercept;     ///< E = a + b H under relative scatter, profile likelihood intervals.
  Outcome<Fit> origin_least;  ///< Ordinary least squares of E; its R2 is about 0.
  Outcome<Fit> intercept_least;  ///< Ordinary least squares of E; its R2 is about the mean.
  std::optional<double> origin_least_r2_mean;  ///< 1 - RSS / scatter about the mean of E.
};

/// How k, the energy of a run over its GPU-hours, moves with something: k = c z^slope.
struct PowerDriver {
  std::string_view name;  ///< "scale", "global_batch", "local_batch", "samples_per_gpu_hour",
                          ///< "updates_per_gpu_hour".
  std::uint64_t n = 0;    ///< Runs that have it.
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
  double seconds = 0;                 ///< Geometric means of runs: of time,
  double joules = 0;                  ///< of energy at all GPUs,
  double watts_per_gpu = 0;           ///< of energy over N t.
  double kwh = 0;                     ///< Mean of the building's energy a run.
  double gpu_hours = 0;               ///< Mean a run.
  std::optional<double> co2_kg = {};  ///< Mean a run.
  std::optional<double> cost = {};  ///< Mean a run: energy and GPU-hours, where either has a price.
  Ratio speedup = {};               ///< Time at the smallest N over time here.
  Ratio efficiency = {};            ///< Speedup over the ideal one, N / smallest N.
  Ratio energy = {};                ///< Energy here over energy at the smallest N.
  Ratio edp = {};                   ///< Energy times time, likewise.
  /// Where samples are known: of time and energy a sample.
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

/// The whole N in the measured range that minimises an objective under a law.
struct Least {
  Objective objective = Objective::kEnergy;
  double x = 0;
  LeastPlace place = LeastPlace::kInside;
  /// The whole N that the runs do not exclude. An end that is an end of the measured range stands
  /// for all beyond it.
  std::optional<Interval> ci = {};
  double against_smallest = 1;  ///< Objective there over its value at the smallest N.
};

/// A law of time with a power law of the power of a GPU, E = N t P, and where objectives are least.
struct LeastUnderLaw {
  std::string_view law;
  std::string rejected = {};  ///< Why the law is not used; empty: it is.
  bool best = false;          ///< Least AICc of those used.
  std::vector<Least> least = {};
};

/// Time and energy of one sample.
struct PerSample {
  Fit time;    ///< t / samples = alpha N^-beta.
  Fit energy;  ///< E / samples = alpha N^beta.
};

enum class Scaling {
  kStrong,  ///< The same samples at every N.
  kWeak,    ///< Samples in proportion to N.
  kMixed,   ///< They vary otherwise.
};

/// "strong", "weak", "mixed".
std::string_view name_of(Scaling scaling);

/// What the runs did as N grew.
struct Workload {
  std::optional<Scaling> scaling = {};          ///< Empty without samples.
  std::optional<double> samples_exponent = {};  ///< Slope of ln samples on ln N.
  std::optional<double> batch_exponent = {};    ///< Of ln global batch.
  std::optional<PerSample> per_sample = {};     ///< Where the samples vary with N.
  std::string reason = {};                      ///< Why there is no PerSample where they vary.
};

/// What all runs of the group took together.
struct EnergyTotals {
  double gpu_hours = 0;
  double joules = 0;  ///< At the machines.
  double kwh = 0;     ///< Of the building.
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
  std::vector<EnergyAtScale> scales;  ///< One a different N, in order.
  /// The measured N first ("measured"), then one a law; of one sample where samples vary. Empty for
  /// a single N.
  std::vector<LeastUnderLaw> least;
  std::string least_caveat;  ///< What the minima under laws rest on that the runs speak against.
  Workload workload;
  EnergyTotals totals;
};

/// Works out how the energy of runs scales with N.
///
/// Model: scatter of time, power and energy is multiplicative, so everything is least squares of
/// logarithms: power laws in N, k as geometric mean, ratios to the smallest N from differences of
/// mean logarithms with the variance pooled over N. Parts that cannot be had (one N, one run) are
/// reasons.
///
/// @throws FitError not-identifiable if products of the values leave the range of double.
/// @throws std::invalid_argument if sizes differ, a value of x, seconds or joules is not positive
/// and finite, or there is no run.
///
/// Source: docs/methods.md, "Energy". Checked against statsmodels and scipy.
EnergyScaling energy_scaling(const EnergyRuns& runs, const EnergyOptions& options = {});

/// A group with how its energy scales, or why nothing can be said of it.
using GroupEnergy = Grouped<EnergyScaling>;

/// Further columns of the table, as they stand behind MeasureColumns::more.
struct WorkloadColumns {
  std::string batch;    ///< Column of the global batch size; empty: none.
  std::string samples;  ///< Column of the samples of a run or epoch; empty: none.

  std::vector<NumberColumn> numbers() const;
};

/// Every group of runs that were read with those columns, in their order; the same for any number
/// of threads.
std::vector<GroupEnergy> energy_of_each(const MeasuredRuns& runs, const WorkloadColumns& columns,
                                        const EnergyOptions& options, int threads = 1);

}  // namespace scalelaw
