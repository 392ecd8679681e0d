// The mixture of laws behind forecasts: how much each law weighs.

#include "scalelaw/judge/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "judge/law_posterior.hpp"
#include "judge/student_table.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace posterior {
namespace {

/// The evidence between laws counts as that of n - 1 levels among n - 1 + this: none is quite true.
constexpr double kNoneIsTrue = 4;
constexpr double kNegligible = 5e-4;  ///< Parts of less weight are left out.

/// Turns the residual sum of squares into the scale of what scatters, and tells what of it runs at
/// one x have in common.
void set_scatter(MixturePart& part, const Evidence& evidence) {
  const double rss = part.scale;
  part.misfit = (rss - evidence.within) / evidence.count;
  part.scale = std::sqrt(rss / part.dof);
  if (evidence.prior_dof == 0) part.scale *= StudentTable::of(part.dof).cut_scale(kCut / rss);
  if (!(evidence.row_variance > 0)) return;
  // New runs scatter as runs do, also where means lie closer to the curve than that explains.
  part.own = evidence.row_variance / (part.scale * part.scale);
  part.shared = std::max(0.0, 1 - part.own / evidence.rows_per_level);
}

template <MixedLaw kLaw>
void add_law(const Levels& levels, std::span<const Evidence> evidence, const LawPriors& priors,
             std::vector<MixturePart>& parts) {
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
  double variance = 0;
  double misfit = 0;
  mixture.weights = {};
  for (MixturePart& part : parts) {
    part.weight /= sum;
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

}  // namespace scalelaw
