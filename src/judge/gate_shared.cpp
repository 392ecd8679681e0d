// A change that all groups share.

#include "judge/gate_shared.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>

#include "scalelaw/base/random.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// Draws of the variance of a mean of Student t values: for two groups, with which they vary most,
/// a p of 1/20 has an error of a thirtieth.
constexpr double kMostDraws = 4000;
/// The mean of many groups varies little in its variance: fewer draws tell as much.
constexpr double kFewestDraws = 50;
constexpr double kMostValues = 5e5;

/// By how much a group changed.
struct GroupShift {
  double estimate;
  double se;
  double dof;
};

/// The mean of one Student t value per group, where no group changes. A Student t value is normal
/// once its chi-squared is known, and so is the mean: it is a mixture of normal distributions, of
/// which as many are drawn as are worth their time.
class MeanOfStudents {
 public:
  explicit MeanOfStudents(std::span<const GroupShift> shifts) {
    const auto groups = static_cast<double>(shifts.size());
    const double draws = std::clamp(kMostValues / groups, kFewestDraws, kMostDraws);
    sds_.resize(static_cast<std::size_t>(draws));
    RandomStream random(0);
    for (double& sd : sds_) {
      double sum = 0;
      for (const GroupShift& shift : shifts) sum += shift.dof / random.chi_squared(shift.dof);
      sd = std::sqrt(sum) / groups;
    }
  }

  /// The two-sided p of a mean above 0; else 1.
  double p_above(double mean) const {
    if (!(mean > 0)) return 1;
    double sum = 0;
    for (const double sd : sds_) sum += std::erfc(mean / (sd * std::numbers::sqrt2));
    return sum / static_cast<double>(sds_.size());
  }

  /// The mean that is exceeded on both sides together with the probability `p`.
  double beyond(double p) const {
    const auto [least, greatest] = std::ranges::minmax_element(sds_);
    const double z = normal_factor(1 - p);
    if (!(*least < *greatest)) return z * *least;
    std::uintmax_t evaluations = 100;
    const auto [low, high] = boost::math::tools::toms748_solve(
        [&](double mean) { return p_above(mean) - p; }, z * *least, z * *greatest,
        boost::math::tools::eps_tolerance<double>(40), evaluations);
    return (low + high) / 2;
  }

 private:
  std::vector<double> sds_;
};

/// By one night: groups err independently of one another.
void shift_of_one_night(SharedChange& shared, std::span<const GateComparison* const> shares,
                        double confidence) {
  std::vector<GroupShift> shifts;
  for (const GateComparison* const share : shares) {
    shifts.push_back({share->change.estimate, *share->change.se, *share->change.dof});
  }
  double standardised = 0;
  double weights = 0;
  for (const GroupShift& shift : shifts) {
    standardised += shift.estimate / shift.se;
    weights += 1 / shift.se;
  }
  GateComparison& comparison = shared.comparison;
  comparison.change.estimate = standardised / weights;
  const double scale = static_cast<double>(shifts.size()) / weights;  // Of a mean in units of ln y.
  const MeanOfStudents mean(shifts);
  comparison.change.reach = scale * mean.beyond(1 - confidence);
  shared.p_worse = mean.p_above((comparison.loss() - comparison.limit) / scale);
  shared.p_better = mean.p_above(-comparison.loss() / scale);
}

/// The figures of the nights that all groups have, as means over the groups.
std::vector<NightFigure> means_of_nights(std::span<const GroupNights> groups) {
  std::map<std::size_t, std::pair<std::size_t, double>> nights;
  for (const GroupNights& group : groups) {
    for (const NightFigure& night : group.nights) {
      auto& [count, sum] = nights[night.night];
      ++count;
      sum += night.value;
    }
  }
  std::vector<NightFigure> means;
  for (const auto& [night, counted] : nights) {
    const auto& [count, sum] = counted;
    if (count < groups.size()) continue;
    means.push_back({night, sum / static_cast<double>(count), {.value = 0, .dof = 1}, 1});
  }
  return means;
}

/// How much more the errors of NEW scatter than those of a night, in the mean over groups.
double excess_of_new(std::span<const GroupNights> all) {
  double sum = 0;
  for (const GroupNights& group : all) {
    double of_nights = 0;
    for (const NightFigure& night : group.nights) of_nights += night.sampling.value;
    of_nights /= static_cast<double>(group.nights.size());
    sum += group.after_variance - of_nights;
  }
  const auto groups = static_cast<double>(all.size());
  return std::max(0.0, sum / (groups * groups));
}

/// By several nights: the mean over groups of each night, of which NEW is one more, by its levels.
/// Returns whether there are enough nights.
bool shift_of_nights(SharedChange& shared, std::span<const GroupNights> groups,
                     const NightJudging& rules) {
  constexpr std::size_t kFewest = 3;
  std::vector<NightFigure> nights = means_of_nights(groups);
  if (nights.size() < kFewest) return false;
  double after = 0;
  for (const GroupNights& group : groups) {
    after += group.after / static_cast<double>(groups.size());
  }
  const std::vector<NightSeries> series = series_of({std::move(nights)}, std::vector{after}, rules);
  const NightSeries& means = series.front();
  GateComparison& comparison = shared.comparison;
  const NightStep step = means.steps(comparison.signed_limit()).front();
  const double variance = means.spread() * step.factor + excess_of_new(groups);
  if (!(variance > 0)) return false;
  comparison.change =
      change_of(step.change(), {.value = variance, .dof = means.dof()}, rules.confidence);
  comparison.nights =
      NightScatter{.nights = step.before,
                   .sd = std::sqrt(means.spread()),
                   .dof = means.dof(),
                   .of_new = step.after,
                   .single_reach = single_reach(step, means, means.spread(), comparison, rules)};
  shared.p_worse = comparison.p_worse();
  shared.p_better = comparison.p_better();
  return true;
}

/// The comparisons that stand for their groups.
std::vector<const GateComparison*> shares_of(std::span<const GateGroup> groups) {
  std::vector<const GateComparison*> shares;
  for (const GateGroup& group : groups) {
    const auto place = place_of_share(group);
    if (place) shares.push_back(&group.comparisons[*place]);
  }
  return shares;
}

}  // namespace

std::optional<std::size_t> place_of_share(const GateGroup& group) {
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < group.comparisons.size(); ++i) {
    const GateComparison& comparison = group.comparisons[i];
    const GateChange& change = comparison.change;
    const bool has_size = change.se && change.dof && *change.se > 0;
    if (!comparison.is_of_response() || !has_size) continue;
    if (!place || comparison.is_middle) place = i;
  }
  return place;
}

std::optional<SharedChange> shared_change(std::span<const GateGroup> groups,
                                          std::span<const GroupNights> nights,
                                          const NightJudging& rules) {
  const std::vector<const GateComparison*> shares = shares_of(groups);
  if (shares.size() < 2) return std::nullopt;
  const GateComparison& first = *shares.front();
  SharedChange shared{
      .y = groups.front().y,
      .groups = shares.size(),
      .comparison = {
          .figure = "curve", .less_is_better = first.less_is_better, .limit = first.limit}};
  const bool has_nights =
      std::ranges::all_of(shares, [](const auto* share) { return bool{share->nights}; });
  if (!has_nights) {
    shift_of_one_night(shared, shares, rules.confidence);
  } else if (!shift_of_nights(shared, nights, rules)) {
    return std::nullopt;
  }
  return shared;
}

}  // namespace scalelaw
