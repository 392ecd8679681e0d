#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scalelaw/base/code_help.hpp"
#include "scalelaw/base/footprint.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/direction_dof.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/mixture.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// What a resource law is of.
enum class Resource {
  kTime,   ///< GPU-seconds that a token takes in training: p is fitted, or 1 if that is impossible.
  kPower,  ///< Watts of one GPU: p is 0.
  kEnergy,  ///< Joules that a token takes of all GPUs: known of one model, so p is 1.
};

/// A resource over the number of parameters n and of GPUs g: ln y = c + p ln n + q ln g, with
/// independent scatter of equal variance from run to run. Beyond the runs a time grows by a power
/// of n of at least 1, and with g as the laws of `beyond` say, or by q where there are none. It
/// never falls with g there: no GPU gets more efficient than it was measured.
struct ResourceLaw {
  Resource kind = Resource::kTime;
  double level = 0;                    ///< ln y at the centre.
  std::array<double, 2> centre{};      ///< ln n and ln g there.
  Estimate n_exponent;                 ///< p; without an error if it was assumed.
  Estimate gpu_exponent;               ///< q likewise.
  std::array<double, 9> covariance{};  ///< Of (level, p, q), row-major; 0 where assumed.
  double dof = 0;                      ///< 0: known without error. Of clusters the least.
  /// Of functions of (level, p, q), where clusters share errors.
  std::shared_ptr<const DirectionDof> direction_dof = {};
  double sigma = 0;          ///< Scatter of ln y, with what clusters share.
  std::size_t points = 0;    ///< Runs that tell it; 0: the user gave it.
  std::size_t clusters = 0;  ///< Of several points that share errors; 0 if none do.
  std::size_t left_out = 0;  ///< Rows that tell y, but not g, where others do.
  Interval n_range{0, 0};    ///< Of these runs.
  Interval gpu_range{0, 0};  ///< 0 .. 0 if they tell none.
  /// What the points tell of five laws of the time over g, for a plan with more GPUs than they have
  /// (mixture_of); null for other resources, and where they do not tell.
  std::shared_ptr<const Mixture> beyond = {};
  std::optional<double> correlation;  ///< Of ln n and ln g, where both exponents are fitted.
  bool confounded = false;            ///< Of several n, each has one g of its own.
  /// Of the F test of the law against one with squares and products of its logarithms, inside
  /// clusters where points share errors; empty where the points do not tell.
  std::optional<double> misfit_p = {};

  double log_at(double log_n, double log_gpus) const;
  /// The degrees of freedom of that value.
  double dof_at(double log_n, double log_gpus) const;
};

/// Fits the law to rows that tell it, by least squares of logarithms. Rows of one run, n and g are
/// one point, at their geometric mean; where no column tells runs, rows of the same y are. Points
/// of one run share errors: their covariance is CR2, and sigma^2 the sum of what they share and of
/// the rest, both by moments (Swamy and Arora 1972). Rows without g are left out where others have
/// it. An exponent is fitted if the points have three n (two g) or more and tell it, and leave
/// degrees of freedom; else q is 0, and p as its kind says.
/// @param n,  gpus, y  As many values each; NaN where a row does not tell them.
/// @param run  Which run each row is of; empty if no column tells it.
/// @throws FitError too-few-points if no row tells the law.
ResourceLaw fit_resource(Resource kind, std::span<const double> n, std::span<const double> gpus,
                         std::span<const double> y, std::span<const std::uint32_t> run,
                         double confidence);

/// The law of a resource that is known: y = level * n^p.
ResourceLaw known_resource(Resource kind, double level, double n_exponent);

/// The model whose times, energies or powers a power law over GPUs is of.
struct MeasuredModel {
  Resource kind = Resource::kTime;
  double n;           ///< Its parameters.
  double tokens = 1;  ///< Of which y is the time or energy.
  /// Seconds, joules or watts in one unit of y; of a rate of tokens, seconds of the time that it is
  /// per.
  double unit = 1;
  double gpus_per_x = 1;
  bool of_one_gpu = false;  ///< y is the rate, time, energy or power of one GPU, and not of all.
};

/// The law that such a fit tells. p is 1 of times and energies, because it knows one model.
/// @param fit  Of the power law; rates are rates of tokens.
/// @throws FitError not-identifiable if it is of another law.
ResourceLaw resource_of(const Fit& fit, const MeasuredModel& model);

/// What tokens are worth that are seen again (Muennighoff et al. 2023), where that is known.
struct RepeatConstants {
  double r_d;  ///< How many more epochs are worth something,
  double r_n;  ///< and the same of parameters beyond the best number for the unique tokens.
};

/// What a plan is made of.
struct BudgetLaws {
  Fit loss;  ///< L(N, D) = E + A N^-alpha + B D^-beta, or of effective N and D
             ///< ("data-constrained").
  std::optional<ResourceLaw> gpu_seconds;  ///< That one token takes in training.
  std::optional<ResourceLaw> watts;        ///< Of one GPU,
  std::optional<ResourceLaw> joules = {};  ///< or of a token; needs no watts then.
  /// Of functions of the loss's parameters, where runs share errors; else Fit::joint_dof().
  std::shared_ptr<const DirectionDof> loss_dof = {};
  /// Of a law of the loss that was fitted to fresh tokens alone. Such constants have no errors.
  std::optional<RepeatConstants> repeats = {};
  std::optional<double> most_epochs = {};  ///< Of a run, where runs tell their unique tokens.

  /// Whether the law of the loss counts a token that is seen again as less than a fresh one.
  bool knows_repeats() const { return repeats || loss.law->inputs() == 3; }
  /// Whether the energy of a plan is known.
  /// The law that tells the energy: of a token's joules, or else of a GPU's watts.
  const std::optional<ResourceLaw>& energy_law() const { return joules ? joules : watts; }
  bool has_energy() const { return gpu_seconds && (watts || joules); }
};

/// What may limit a plan.
enum class BudgetLimit { kDeadline, kGpus, kGpuHours, kKwh, kCost, kCo2, kFlop };
inline constexpr std::size_t kBudgetLimits = 7;

/// "deadline", "gpus", "gpu_hours", "kwh", "cost", "co2_kg", "flop".
std::string_view name_of(BudgetLimit limit);

struct BudgetOptions {
  /// By BudgetLimit: seconds of training, GPUs, and what training and serving take together in
  /// GPU-hours, kWh of the building, money, kg of CO2 and FLOP.
  std::array<std::optional<double>, kBudgetLimits> limits{};
  /// Tokens that the model serves later; each takes 2 FLOP per parameter (Sardana et al. 2023).
  double inference_tokens = 0;
  double flops_per_parameter_token = 6;  ///< K: training takes K n d.
  std::optional<double> gpu_price = {};  ///< Of one GPU for one hour.
  Footprint footprint = {};
  /// Tokens that differ; where a plan takes more, it sees some again. Empty: all are fresh.
  std::optional<double> unique_tokens = {};
  std::optional<double> most_tokens = {};  ///< That training may take.
  double gpu_step = 1;  ///< GPUs come in multiples of this, as those of a node do.
  double confidence = 0.95;
  std::uint32_t draws = 2000;
  std::uint64_t seed = 1;
  /// The frontier has these multiples of the plan's time, and of its energy.
  std::vector<double> frontier = {0.25, 0.5, 1, 2, 4};

  std::optional<double>& limit(BudgetLimit which) {
    return limits[static_cast<std::size_t>(which)];
  }
  const std::optional<double>& limit(BudgetLimit which) const {
    return limits[static_cast<std::size_t>(which)];
  }
};

/// A model, its training and what that takes. Hours, energy, money, CO2 and FLOP include what is
/// served later; the time does not.
struct BudgetPlan {
  double n;
  double d;
  double loss;
  double flop;
  std::optional<double> gpus = {};  ///< Empty where no law of time is known.
  std::optional<double> seconds = {};
  std::optional<double> gpu_hours = {};
  std::optional<double> kwh = {};
  std::optional<double> cost = {};
  std::optional<double> co2_kg = {};
  /// How many times each token is seen, 1 where enough differ; empty if that was not asked.
  std::optional<double> epochs = {};
  std::optional<double> effective_d = {};  ///< Fresh tokens of the same worth, where the law knows.

  /// What it takes of a limited quantity; empty if that is not known.
  std::optional<double> taken(BudgetLimit limit) const;
};

/// A limit, and what more of it buys.
struct BudgetGain {
  BudgetLimit limit;
  double amount;       ///< The limit itself.
  double gain;         ///< How much lower the loss is if this limit alone is 10 % wider.
  bool binds = false;  ///< Whether it holds the loss up, alone or with others: if all are wider.
};

/// What makes a plan less certain than its intervals say, or is worth knowing.
enum class PlanWarning {
  kParametersBeyond,   ///< More or fewer parameters than any run has.
  kTokensBeyond,       ///< More or fewer tokens.
  kGpusBeyond,         ///< More or fewer GPUs.
  kNoDeadline,         ///< Nothing limits the time, so that few GPUs are best.
  kAssumedParameters,  ///< The time per token is assumed to grow as n.
  kAssumedGpus,        ///< The time is assumed to fall as 1 / g.
  kTogether,           ///< Larger models ran on more GPUs, so that their effects mix.
  kConfounded,         ///< Every size ran on one number of GPUs.
  kMisfit,             ///< The times bend away from their law.
  kGpusMissing,        ///< Rows without a number of GPUs were left out of a law.
  kTokensRepeated,     ///< Tokens are seen again, and the law counts them as fresh ones.
  kEpochsBeyond,       ///< They are seen more often than in any run.
  kNoIntervals,        ///< Laws without errors, or draws without an optimum.
};

/// What these warnings say, in their order.
std::span<const CodeHelp> plan_codes();
/// "parameters-beyond", "tokens-beyond", "gpus-beyond", "no-deadline", ...
std::string_view name_of(PlanWarning warning);

/// The plan of least loss within the limits.
struct Budget {
  BudgetLaws laws;
  BudgetPlan plan;
  std::optional<Interval> n_ci = {};
  std::optional<Interval> d_ci = {};
  std::optional<Interval> loss_ci = {};  ///< Of the law,
  std::optional<Interval> loss_pi = {};  ///< and with the scatter of a run.
  std::optional<Interval> gpus_ci = {};
  std::optional<Interval> seconds_pi = {};  ///< The time of this plan, with the scatter of a run.
  /// Share of runs of this plan that take more time, GPU-hours, energy, money or CO2 than is
  /// allowed, because the plan takes the median of runs; empty where the laws have no errors.
  std::optional<double> over_limits = {};
  /// The best plan that stays within the limits in a share of `confidence` of its runs; empty if
  /// the plan does.
  std::optional<BudgetPlan> safe = {};
  /// The best plan that sees no token again; empty unless the plan does and its law counts such
  /// tokens as fresh ones.
  std::optional<BudgetPlan> one_epoch = {};
  double lost_draws = 0;          ///< Share of draws whose laws have no optimum.
  std::vector<BudgetGain> gains;  ///< One per limit, in their order.
  /// How much lower the loss is if all limits that bind are 10 % wider; empty unless several do.
  std::optional<double> gain_together = {};
  /// Least losses over the time on as many GPUs as allowed, then over kWh without a limit of time
  /// (else GPU-hours, else FLOP); each with what limits it.
  std::vector<std::pair<BudgetLimit, BudgetPlan>> frontier;
  double n_beyond = 1;  ///< Times the most (> 1) or the fewest (< 1) of the runs.
  double d_beyond = 1;
  double gpus_beyond = 1;
  double epochs_beyond = 1;
  std::vector<PlanWarning> warnings;
};

using GroupBudget = Grouped<Budget>;

/// Finds n, d and g of least loss under the limits, with intervals by joint draws of all laws.
///
/// Tokens beyond options.unique_tokens are seen again. The law "data-constrained" knows what that
/// is worth, as do laws.repeats; the law "chinchilla" alone takes them for fresh ones.
///
/// For a given n and g, d is the most that all limits allow. ln d is concave in (ln n, ln g), so
/// that the loss is convex there, and nested golden sections find its minimum. g is then made
/// whole. Intervals are percentiles of the optima of draws: each law's parameters from a
/// multivariate t about its estimates (docs/explanation/budget.md).
///
/// @param stream  Names the random numbers.
/// @param threads  The result does not depend on it.
/// @throws FitError not-identifiable if an exponent of the loss is not positive, or no plan meets
/// the limits.
/// @param options  Without a limit of GPUs, that is the most of the runs.
/// @throws std::invalid_argument if a limit lacks the law or price that it needs.
/// @throws FitError too-few-points if nothing tells how many GPUs there are.
Budget plan_budget(BudgetLaws laws, const BudgetOptions& options, std::uint64_t stream = 0,
                   int threads = 1);

}  // namespace scalelaw
