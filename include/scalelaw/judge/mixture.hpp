#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scalelaw/fit/law.hpp"
#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

/// The laws of a mixture, by the shape of the time over z = ln(x / x_max).
enum class MixedLaw : std::uint8_t {
  kPower,      ///< exp(-a z)
  kLognormal,  ///< exp(-a z + b z^2)
  kFloor,      ///< exp(-a z) + exp(b): a floor of exp(b) times the rest of the last time.
  kAmdahl,     ///< exp(-z) + exp(b): serial work of exp(b) times the parallel work at the last x.
  kUsl         ///< exp(-z) + exp(a) + exp(b + z): the same, and coherency that costs exp(b) there.
};

inline constexpr std::size_t kMixedLaws = 5;

/// The law that has this shape.
const Law& law_of(MixedLaw law);

/// One law of known shape: ln time over z is level + ln shape(z), and Student's about it.
struct MixturePart {
  MixedLaw law = MixedLaw::kPower;
  double weight = 0;      ///< The weights of a mixture sum to 1.
  double share = 0;       ///< Of the curve of a mixture (log_curve); the shares sum to 1.
  double a = 0;           ///< Of the shape.
  double b = 0;           ///< Of the shape; 0 if it has none.
  double level = 0;       ///< ln of the prefactor.
  double scale = 0;       ///< Of the scatter about the curve: of rows, or of the means of levels.
  double dof = 0;         ///< Degrees of freedom of Student's distribution.
  double mass = 0;        ///< The squared scale of the level is scale^2 / mass.
  double own = 1;         ///< Variance of one run inside its level, over scale^2.
  double shared = 0;      ///< Variance that all runs at one x have in common, over scale^2.
  double misfit = 0;      ///< Mean squared distance of the data from the curve.
  double slope = 0;       ///< Mean over the levels of the derivative of ln shape after a.
  double spread = 0;      ///< The squared scale of a is scale^2 / spread; 0 if a is taken as known.
  bool of_levels = true;  ///< Means of levels scatter about the curve; else each of repeated runs.
  /// Departures of levels from the curve are alike as exp(-|difference of z| / reach), for no law
  /// is quite true; 0: independent.
  double reach = 0;
  double last = 0;  ///< The departure at x_max, and the derivative after a there, if they are.
  double slope_last = 0;
};

/// A normal prior of a shape's parameter.
struct NormalPrior {
  double mean;
  double sd;
};

/// What is known of the laws of a group before its points: of one alone, or learned from others.
/// Shares are parts of the time at the least x, where studies begin.
struct LawPriors {
  /// By MixedLaw. USL weighs more, for intervals have to hold where scaling turns back.
  std::array<double, kMixedLaws> weights{1, 1, 1, 1, 2.5};
  NormalPrior exponent{0.75, 0.25};
  NormalPrior exponent_above_floor{0.8, 0.2};
  NormalPrior floor{-3.5, 1.5};       ///< Of ln of the floor's share: 3 %.
  NormalPrior serial{-3.5, 1.5};      ///< Of ln of the serial work's share.
  NormalPrior coherency{-5.25, 2.0};  ///< Of ln of the share of coherency: 0.5 %.
  NormalPrior bend{0.0, 0.04};        ///< The exponent changes by twice this over one unit of ln x.
  /// The scatter of levels about the curve: so many degrees of freedom of this variance. Without
  /// any, scatter is flat in its logarithm up to the usual, and less likely beyond.
  double scatter_dof = 0;
  double scatter_variance = 0;
};

/// What a group's points tell about its laws and about times at other scales.
struct Mixture {
  std::vector<MixturePart> parts;            ///< Law by law.
  std::array<double, kMixedLaws> weights{};  ///< Of the laws, by MixedLaw.
  /// The law under which the points are most probable, whatever the laws weigh beforehand.
  MixedLaw likeliest = MixedLaw::kPower;
  double sigma = 0;     ///< Scatter of ln y of one run about the curve.
  double smearing = 1;  ///< Mean of new runs over their median.
};

/// The posterior of five laws for the cells of one group, sorted by x, with two x and three rows at
/// least. docs/explanation/forecasts.md, has the model, its priors, and why they are these.
///
/// @param sign  1 for times; -1 for rates, whose inverses are times.
Mixture mixture_of(std::span<const Cell> cells, double sign, const LawPriors& priors = {});

/// ln of the shape of a part at z = ln(x / x_max).
double log_shape(const MixturePart& part, double z);

/// ln time that is expected of a part there: of its curve, and what is left of the last departure.
double log_time(const MixturePart& part, double z);

/// ln time of the curve of a mixture there: the mean of its parts, by their shares.
double log_curve(const Mixture& mixture, double z);

/// Parameters of the law of a part, as fits report them. @param sign  As in mixture_of.
std::vector<double> parameters_of(const MixturePart& part, double x_max, double sign);

/// The distribution of ln time at one z = ln(x / x_max): of the curve, or of the mean ln time of so
/// many new runs. The mixture must outlive it.
class LogTimes {
 public:
  LogTimes(const Mixture& mixture, double z);

  LogTimes& of_runs(double runs);
  LogTimes& of_curve();
  /// After of_runs or of_curve.
  double quantile(double probability) const;
  /// The expected scatter of one run if ln time is `at`, after of_runs or of_curve.
  double scatter_at(double at) const;

 private:
  struct Part {
    const MixturePart* known;
    double weight;
    double centre;
    double leverage;
    double shared;
    double scale;
    double inverse_scale;
    const class StudentTable* table;
  };
  std::vector<Part> parts_;
};

}  // namespace scalelaw
