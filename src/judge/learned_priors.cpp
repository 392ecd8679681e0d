#include "scalelaw/judge/learned_priors.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <span>

#include "judge/law_posterior.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// The usual priors of parameters count as so many groups.
constexpr double kUsualGroups = 1;
constexpr double kLeastScatter = 1e-4;  ///< An exact group does not speak for the others.
constexpr int kMostRounds = 60;
constexpr double kSettled = 1e-3;  ///< Of the share of a law, from round to round.
constexpr std::size_t kMostGroups = 500;
/// Parts times groups, which is what learning costs.
constexpr std::size_t kMostWork = 500;

/// Sums of what is expected of one parameter over the groups.
struct Moments {
  double weight = 0;
  double sum = 0;
  double square = 0;

  void add(double by, double mean, double variance) {
    weight += by;
    sum += by * mean;
    square += by * (mean * mean + variance);
  }
  /// The likeliest normal distribution of the parameter.
  NormalPrior likeliest(const NormalPrior& usual) const {
    const double mass = kUsualGroups + weight;
    const double mean = (kUsualGroups * usual.mean + sum) / mass;
    const double from_usual = mean - usual.mean;
    const double within = std::max(0.0, square - 2 * mean * sum + mean * mean * weight);
    const double usually = usual.sd * usual.sd + from_usual * from_usual;
    return {mean, std::sqrt((kUsualGroups * usually + within) / mass)};
  }
};

/// What is expected of the laws of all groups under some priors.
struct Expected {
  std::array<double, kMixedLaws> laws{};
  Moments exponent, exponent_above_floor, floor, serial, coherency, bend;
  double groups = 0;
  double scattering = 0;    ///< The weight of all that tells the scatter of levels.
  double precision = 0;     ///< Sum of 1 / sigma^2.
  double log_variance = 0;  ///< Sum of ln sigma^2.

  void add(const Mixture& mixture, std::span<const Cell> cells);

 private:
  void add(const MixturePart& part, double range);
};

void Expected::add(const Mixture& mixture, std::span<const Cell> cells) {
  const double range = std::log(cells.back().x / cells.front().x);
  groups += 1;
  for (std::size_t law = 0; law < kMixedLaws; ++law) laws[law] += mixture.weights[law];
  for (const MixturePart& part : mixture.parts) add(part, range);
}

/// @param range  ln of the greatest over the least x, by which shares of the first time are told.
void Expected::add(const MixturePart& part, double range) {
  const double w = part.weight;
  const double square = std::max(part.scale * part.scale, kLeastScatter * kLeastScatter);
  const double variance = part.spread > 0 ? square / part.spread : 0;
  switch (part.law) {
    case MixedLaw::kPower:
      exponent.add(w, part.a, variance);
      break;
    case MixedLaw::kLognormal:
      exponent.add(w, part.a, variance);
      bend.add(w, part.b, 0);
      break;
    case MixedLaw::kFloor:
      exponent_above_floor.add(w, part.a, variance);
      floor.add(w, part.b - part.a * range, 0);
      break;
    case MixedLaw::kAmdahl:
      serial.add(w, part.b - range, 0);
      break;
    case MixedLaw::kUsl:
      serial.add(w, part.a - range, variance);
      coherency.add(w, part.b - 2 * range, 0);
      break;
  }
  if (!part.of_levels) return;
  scattering += w;
  precision += w / square;
  log_variance += w * (std::log(0.5 * part.dof * square) - boost::math::digamma(0.5 * part.dof));
}

/// Sets the likeliest scaled inverse chi-squared distribution of the variance. Few degrees of
/// freedom are likelier beforehand: exponential with a mean of 4.
void set_scatter(const Expected& expected, LawPriors& priors) {
  constexpr std::array kDof{0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
  if (!(expected.scattering > 0)) return;
  const double precision = expected.precision / expected.scattering;
  const double log_variance = expected.log_variance / expected.scattering;
  const auto log_likelihood = [&](double dof) {
    const double h = 0.5 * dof;
    const double of_one = h * std::log(h / precision) - log_gamma(h) - h * log_variance - h;
    return expected.scattering * of_one - dof / 4;
  };
  priors.scatter_dof = *std::ranges::max_element(
      kDof, [&](double a, double b) { return log_likelihood(a) < log_likelihood(b); });
  priors.scatter_variance = 1 / precision;
}

LawPriors likeliest(const Expected& expected, const LawPriors& usual) {
  LawPriors out;
  // The usual weights are those of about six groups: few points tell least which law holds.
  double sum = 0;
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    out.weights[law] = usual.weights[law] + expected.laws[law];
    sum += out.weights[law];
  }
  for (double& weight : out.weights) weight /= sum;
  out.exponent = expected.exponent.likeliest(usual.exponent);
  out.exponent_above_floor = expected.exponent_above_floor.likeliest(usual.exponent_above_floor);
  out.floor = expected.floor.likeliest(usual.floor);
  out.serial = expected.serial.likeliest(usual.serial);
  out.coherency = expected.coherency.likeliest(usual.coherency);
  out.bend = expected.bend.likeliest(usual.bend);
  set_scatter(expected, out);
  return out;
}

double greatest_move(const LawPriors& a, const LawPriors& b) {
  double greatest = 0;
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    greatest = std::max(greatest, std::abs(a.weights[law] - b.weights[law]));
  }
  return greatest;
}

/// A group to learn from, and the part that it belongs to.
struct Group {
  std::size_t part;
  std::vector<Cell> cells;
};

/// @param left_out  The part of the groups that has no say.
LawPriors learned(std::span<const Group> groups, std::size_t left_out, double sign,
                  const LawPriors& usual) {
  LawPriors priors = usual;
  for (int round = 0; round < kMostRounds; ++round) {
    Expected expected;
    for (const Group& group : groups) {
      if (group.part == left_out) continue;
      const auto mixture = if_possible([&] { return mixture_of(group.cells, sign, priors); });
      if (mixture) expected.add(*mixture, group.cells);
    }
    if (!(expected.groups > 0)) break;
    const LawPriors next = likeliest(expected, usual);
    const bool is_settled = greatest_move(priors, next) < kSettled;
    priors = next;
    if (is_settled) break;
  }
  return priors;
}

std::vector<std::size_t> groups_with_cells(std::size_t groups, const CellsOfGroup& cells_of) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < groups; ++i) {
    if (!cells_of(i).empty()) out.push_back(i);
  }
  return out;
}

}  // namespace

std::optional<LearnedPriors> learn_priors(std::size_t groups, const CellsOfGroup& cells_of,
                                          double sign, int threads, const LawPriors& usual) {
  const std::vector<std::size_t> with_cells = groups_with_cells(groups, cells_of);
  if (with_cells.size() < kFewestToLearnFrom) return std::nullopt;
  const std::size_t stride = (with_cells.size() + kMostGroups - 1) / kMostGroups;
  const std::size_t taken = (with_cells.size() + stride - 1) / stride;
  const std::size_t parts = std::clamp<std::size_t>(kMostWork / taken, 2, taken);
  LearnedPriors out;
  out.groups = with_cells.size();
  out.part_of.assign(groups, static_cast<std::uint8_t>(parts));
  std::vector<Group> learn_from;
  for (std::size_t k = 0; k < with_cells.size(); ++k) {
    const std::size_t part = k / stride % parts;
    out.part_of[with_cells[k]] = static_cast<std::uint8_t>(part);
    if (k % stride == 0) learn_from.push_back({part, cells_of(with_cells[k])});
  }
  out.parts.resize(parts + 1);
  parallel_for(thread_count(threads), parts + 1, [&](std::size_t part, int /*worker*/) {
    out.parts[part] = learned(learn_from, part, sign, usual);
  });
  return out;
}

}  // namespace scalelaw
