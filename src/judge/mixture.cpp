// The mixture of laws behind forecasts: how much each law weighs.

#include "scalelaw/judge/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "judge/law_posterior.hpp"
#include "judge/student_table.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {

// The laws of a mixture: their shapes and their parameters.

const Law& law_of(MixedLaw law) {
  static const std::array<const Law*, kMixedLaws> laws{find_law("power"), find_law("lognormal"),
                                                       find_law("floor"), find_law("amdahl"),
                                                       find_law("usl")};
  return *laws[static_cast<std::size_t>(law)];
}

double log_shape(const MixturePart& part, double z) {
  switch (part.law) {
    case MixedLaw::kPower:
      return -part.a * z;
    case MixedLaw::kLognormal:
      return (part.b * z - part.a) * z;
    case MixedLaw::kFloor:
      return std::log(std::exp(-part.a * z) + std::exp(part.b));
    case MixedLaw::kAmdahl:
      return std::log(std::exp(-z) + std::exp(part.b));
    case MixedLaw::kUsl:
      return std::log(std::exp(-z) + std::exp(part.a) + std::exp(part.b + z));
  }
  return 0;
}

namespace {

/// How alike departures are at x_max and at z.
double likeness(const MixturePart& part, double z) {
  return part.reach > 0 ? std::exp(-std::abs(z) / part.reach) : 0;
}

}  // namespace

double log_time(const MixturePart& part, double z) {
  return part.level + log_shape(part, z) + likeness(part, z) * part.last;
}

double log_curve(const Mixture& mixture, double z) {
  double sum = 0;
  for (const MixturePart& part : mixture.parts) sum += part.share * log_time(part, z);
  return sum;
}

std::vector<double> parameters_of(const MixturePart& part, double x_max, double sign) {
  const double last = std::log(x_max);
  const auto alpha = [&](double log_time) { return std::exp(sign * log_time); };
  switch (part.law) {
    case MixedLaw::kPower:
      return {alpha(part.level + part.a * last), part.a};
    case MixedLaw::kLognormal:
      return {sign * (part.level + (part.a + part.b * last) * last), part.a + 2 * part.b * last,
              sign * part.b};
    case MixedLaw::kFloor:
      return {alpha(part.level + part.a * last), part.a, std::exp(part.level + part.b)};
    case MixedLaw::kAmdahl: {
      const double serial = std::exp(part.b);
      return {alpha(part.level + std::log(x_max + serial)), serial / (x_max + serial)};
    }
    case MixedLaw::kUsl: {
      const double coherency = std::exp(part.b) / x_max;
      const double first = x_max + std::exp(part.a) + coherency;
      return {alpha(part.level + std::log(first)), (std::exp(part.a) + coherency) / first,
              coherency / first};
    }
  }
  return {};
}

namespace posterior {
namespace {

/// The evidence between laws counts as that of n - 1 levels among n - 1 + this: none is quite true.
constexpr double kNoneIsTrue = 4;
/// How much a law counts in the curve for its weight. Intervals have to hold where scaling turns
/// back, which is rare: the curve of USL would make most forecasts too slow.
constexpr std::array<double, kMixedLaws> kInCurve{1, 1, 1, 1, 0.15};
/// What single runs vary by, of the variance of departures that last.
constexpr double kOfOneRun = 0.1;
constexpr double kNegligible = 5e-4;  ///< Parts of less weight are left out.

/// Turns the residual sum of squares into the scale of what scatters, and tells what of it runs at
/// one x have in common.
void set_scatter(MixturePart& part, const Evidence& evidence) {
  const double rss = part.scale;
  part.misfit = (rss - evidence.within) / evidence.count;
  part.scale = std::sqrt(rss / part.dof);
  if (evidence.prior_dof == 0) part.scale *= StudentTable::of(part.dof).cut_scale(kCut / rss);
  if (evidence.reach > 0) {
    part.own = kOfOneRun;
    part.shared = 1 - kOfOneRun;
  }
  if (!(evidence.row_variance > 0)) return;
  // New runs scatter as runs do, also where means lie closer to the curve than that explains.
  part.own = evidence.row_variance / (part.scale * part.scale);
  part.shared = std::max(0.0, 1 - part.own / evidence.rows_per_level);
  if (part.shared == 0) part.reach = 0;  // Runs explain all of it.
}

template <MixedLaw kLaw>
void add_law(const Levels& levels, std::span<const Evidence> evidence, const LawPriors& priors,
             std::vector<MixturePart>& parts) {
  if (!(priors.weights[static_cast<std::size_t>(kLaw)] > 0)) return;
  for (const Evidence& one : evidence) {
    const std::size_t first = parts.size();
    const LawPosterior<kLaw> posterior(levels, one, priors);
    posterior.add_around(posterior.mode(), parts);
    for (MixturePart& part : std::span(parts).subspan(first)) set_scatter(part, one);
  }
}

double total(const std::vector<MixturePart>& parts) {
  double sum = 0;
  for (const MixturePart& part : parts) sum += part.weight;
  return sum;
}

/// From logarithms of weights to weights, with the evidence between laws tempered.
void weigh(Mixture& mixture, std::size_t levels, const LawPriors& priors) {
  double greatest = -HUGE_VAL;
  for (const MixturePart& part : mixture.parts) greatest = std::max(greatest, part.weight);
  std::array<double, kMixedLaws> sums{};
  for (MixturePart& part : mixture.parts) {
    part.weight = std::exp(part.weight - greatest);
    sums[static_cast<std::size_t>(part.law)] += part.weight;
  }
  mixture.likeliest = static_cast<MixedLaw>(std::ranges::max_element(sums) - sums.begin());
  const double steps = static_cast<double>(levels) - 1;
  const double temper = steps / (steps + kNoneIsTrue);
  double sum = 0;
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    mixture.weights[law] = sums[law] > 0 ? priors.weights[law] * std::pow(sums[law], temper) : 0;
    sum += mixture.weights[law];
  }
  for (double& weight : mixture.weights) weight /= sum;
  for (MixturePart& part : mixture.parts) {
    const auto law = static_cast<std::size_t>(part.law);
    part.weight *= mixture.weights[law] / sums[law];
  }
}

/// Leaves out negligible parts.
void finish(Mixture& mixture, const Levels& levels) {
  std::vector<MixturePart>& parts = mixture.parts;
  std::erase_if(parts, [](const MixturePart& part) { return !(part.weight > kNegligible); });
  if (parts.empty()) {
    throw FitError(FailureCode::kNotIdentifiable, "no law has a weight: x or y range too far");
  }
  const double sum = total(parts);
  double shares = 0;
  for (MixturePart& part : parts) {
    part.share = part.weight * kInCurve[static_cast<std::size_t>(part.law)];
    shares += part.share;
  }
  double variance = 0;
  double misfit = 0;
  mixture.weights = {};
  for (MixturePart& part : parts) {
    part.weight /= sum;
    part.share /= shares;
    mixture.weights[static_cast<std::size_t>(part.law)] += part.weight;
    misfit += part.weight * part.misfit;
    variance += part.weight * part.scale * part.scale * (part.own + part.shared);
  }
  mixture.sigma = std::sqrt(variance);
  mixture.smearing = levels.smearing_within * (1 + 0.5 * misfit);
}

}  // namespace
}  // namespace posterior

Mixture mixture_of(std::span<const Cell> cells, double sign, const LawPriors& priors) {
  const posterior::Levels levels = posterior::levels_of(cells, sign);
  const std::vector<posterior::Evidence> evidence = posterior::evidence_of(levels, priors);
  Mixture mixture;
  std::vector<MixturePart>& parts = mixture.parts;
  parts.reserve(evidence.size() * kMixedLaws * (2 * posterior::kPlaces.size() + 1));
  posterior::add_law<MixedLaw::kPower>(levels, evidence, priors, parts);
  posterior::add_law<MixedLaw::kLognormal>(levels, evidence, priors, parts);
  posterior::add_law<MixedLaw::kFloor>(levels, evidence, priors, parts);
  posterior::add_law<MixedLaw::kAmdahl>(levels, evidence, priors, parts);
  posterior::add_law<MixedLaw::kUsl>(levels, evidence, priors, parts);
  posterior::weigh(mixture, levels.y.size(), priors);
  posterior::finish(mixture, levels);
  return mixture;
}

// What a mixture says of ln y at one place: quantiles and scatter.

LogTimes::LogTimes(const Mixture& mixture, double z) {
  parts_.reserve(mixture.parts.size());
  for (const MixturePart& part : mixture.parts) {
    const double shape = log_shape(part, z);
    const double alike = likeness(part, z);
    double leverage = (1 - alike) * (1 - alike) / part.mass;
    if (part.spread > 0) {
      double slope = -z;
      if (part.law == MixedLaw::kFloor) slope *= 1 - std::exp(part.b - shape);
      if (part.law == MixedLaw::kUsl) slope = std::exp(part.a - shape);
      slope -= alike * part.slope_last + (1 - alike) * part.slope;
      leverage += slope * slope / part.spread;
    }
    const bool lasts = part.reach > 0;  // Departures that last are part of the curve.
    if (lasts) {
      const double known = part.shared / (part.own + part.shared);  // Of the last one.
      leverage += part.shared * (1 - alike * alike * known);
    }
    const bool same = !parts_.empty() && parts_.back().known->dof == part.dof;
    const StudentTable* const table = same ? parts_.back().table : &StudentTable::of(part.dof);
    parts_.push_back({&part, part.weight, log_time(part, z), leverage, lasts ? 0 : part.shared,
                      part.scale, 1 / part.scale, table});
  }
}

LogTimes& LogTimes::of_runs(double runs) {
  for (Part& part : parts_) {
    part.scale =
        part.known->scale * std::sqrt(part.leverage + part.known->own / runs + part.shared);
    part.inverse_scale = 1 / part.scale;
  }
  return *this;
}

LogTimes& LogTimes::of_curve() {
  for (Part& part : parts_) {
    part.scale = part.known->scale * std::sqrt(part.leverage);
    part.inverse_scale = 1 / part.scale;
  }
  return *this;
}

double LogTimes::scatter_at(double at) const {
  double sum = 0;
  double mass = 0;
  for (const Part& part : parts_) {
    const double t = (at - part.centre) * part.inverse_scale;
    const double density = part.weight * part.table->at(t).density * part.inverse_scale;
    sum += density * part.known->scale;
    mass += density;
  }
  return sum / mass;
}

double LogTimes::quantile(double probability) const {
  const double confidence = std::abs(2 * probability - 1);
  const double side = probability < 0.5 ? -1 : 1;
  double low = HUGE_VAL;  // The quantile lies between those of the parts.
  double high = -HUGE_VAL;
  double mean = 0;
  double square = 0;
  double dof = 0;
  double reach = 0;
  const double first = parts_.front().centre;
  for (const Part& part : parts_) {
    if (confidence > 0 && part.known->dof != dof) {
      dof = part.known->dof;
      reach = side * student_t_factor(confidence, dof);
    }
    const double end = part.centre + part.scale * reach;
    low = std::min(low, end);
    high = std::max(high, end);
    const double from_first = part.centre - first;
    mean += part.weight * from_first;
    square += part.weight * (from_first * from_first + part.scale * part.scale);
  }
  const double sd = std::sqrt(std::max(square - mean * mean, 0.0));
  const double start = first + mean + (confidence > 0 ? side * 2 * sd : 0);
  double at = std::clamp(start, low, high);
  // Newton's steps in ln of the tail, which is nearly straight where the density is not.
  const double tail = std::min(probability, 1 - probability);
  constexpr double kClose = 1e-4;  // Of ln tail; one more step squares it.
  for (int i = 0; i < 100; ++i) {
    double below = 0;
    double density = 0;
    for (const Part& part : parts_) {
      const StudentTable::Value value = part.table->at((at - part.centre) * part.inverse_scale);
      below += part.weight * value.cdf;
      density += part.weight * value.density * part.inverse_scale;
    }
    (below > probability ? high : low) = at;
    const double beyond = side < 0 ? below : 1 - below;
    const double excess = std::log(beyond / tail);
    const double next = at + side * excess * beyond / density;
    if (next > low && next < high) {
      at = next;
      if (std::abs(excess) < kClose) break;
    } else {
      const double middle = 0.5 * (low + high);
      if (!(middle > low && middle < high)) break;
      at = middle;
    }
  }
  return at;
}

}  // namespace scalelaw
