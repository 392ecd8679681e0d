// A change that all groups share.

#include "judge/gate_shared.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

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

using Shifts = std::span<const GroupShift>;

GroupShift shift_of(const OpenComparison& open) {
  const GateComparison& comparison = open.comparison;
  const GateEstimate& change = comparison.change;
  GroupShift shift{.estimate = change.estimate,
                   .se = *change.se,
                   .dof = *change.dof,
                   .loss_limit = comparison.limit,
                   .less_is_better = comparison.less_is_better,
                   .has_nights = comparison.nights != nullptr};
  if (!shift.has_nights) return shift;
  shift.nights = open.nights;
  shift.after = open.after.value;
  shift.after_variance = open.after.uncertainty->value;
  return shift;
}

/// The mean of one Student t value per group, where no group changes. A Student t value is normal
/// once its chi-squared is known, and so is the mean: it is a mixture of normal distributions, of
/// which as many are drawn as are worth their time.
class MeanOfStudents {
 public:
  explicit MeanOfStudents(Shifts shifts) {
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
    const auto [least, greatest] = std::minmax_element(sds_.begin(), sds_.end());
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
void shift_of_one_night(GateComparison& shared, Shifts shifts, double confidence) {
  double standardised = 0;
  double weights = 0;
  for (const GroupShift& shift : shifts) {
    standardised += shift.estimate / shift.se;
    weights += 1 / shift.se;
  }
  shared.change.estimate = standardised / weights;
  const double scale = static_cast<double>(shifts.size()) / weights;  // Of a mean in units of ln y.
  const MeanOfStudents mean(shifts);
  const double half = scale * mean.beyond(1 - confidence);
  shared.change.ci = Interval{shared.change.estimate - half, shared.change.estimate + half};
  shared.p_worse = mean.p_above((shared.loss() - shared.limit) / scale);
  shared.p_better = mean.p_above(-shared.loss() / scale);
}

/// The figures of the nights that all groups have, as means over the groups.
std::vector<double> means_of_nights(Shifts shifts) {
  std::map<std::size_t, std::pair<std::size_t, double>> nights;
  for (const GroupShift& shift : shifts) {
    for (const NightFigure& night : shift.nights) {
      auto& [count, sum] = nights[night.night];
      ++count;
      sum += night.value;
    }
  }
  std::vector<double> means;
  for (const auto& [night, counted] : nights) {
    const auto& [count, sum] = counted;
    if (count == shifts.size()) means.push_back(sum / static_cast<double>(count));
  }
  return means;
}

/// How much more the errors of NEW scatter than those of a night, in the mean over groups.
double excess_of_new(Shifts shifts) {
  double sum = 0;
  for (const GroupShift& shift : shifts) {
    double of_nights = 0;
    for (const NightFigure& night : shift.nights) of_nights += night.sampling.value;
    of_nights /= static_cast<double>(shift.nights.size());
    sum += shift.after_variance - of_nights;
  }
  const auto groups = static_cast<double>(shifts.size());
  return std::max(0.0, sum / (groups * groups));
}

/// By several nights: the mean over groups of each night, of which NEW is one more. Returns whether
/// there are enough nights.
bool shift_of_nights(GateComparison& shared, Shifts shifts, double confidence) {
  constexpr std::size_t kFewest = 3;
  const std::vector<double> nights = means_of_nights(shifts);
  if (nights.size() < kFewest) return false;
  const auto count = static_cast<double>(nights.size());
  double mean = 0;
  for (const double night : nights) mean += night / count;
  double squares = 0;
  for (const double night : nights) squares += (night - mean) * (night - mean);
  double after = 0;
  for (const GroupShift& shift : shifts) {
    after += shift.after / static_cast<double>(shifts.size());
  }
  const double dof = count - 1;
  const double variance = squares / dof * (1 + 1 / count) + excess_of_new(shifts);
  if (!(variance > 0)) return false;
  shared.change = estimate_of(after - mean, {.value = variance, .dof = dof}, confidence);
  const auto p = [&](double t) { return t > 0 ? student_t_p(t, dof) : 1; };
  shared.p_worse = p((shared.loss() - shared.limit) / *shared.change.se);
  shared.p_better = p(-shared.loss() / *shared.change.se);
  return true;
}

}  // namespace

void append_shifts(std::vector<GroupShift>& shifts, std::span<OpenComparison* const> comparisons) {
  const OpenComparison* previous = nullptr;
  bool is_open = true;  // The group of the previous comparison has none yet.
  for (const OpenComparison* const open : comparisons) {
    const GateComparison& comparison = open->comparison;
    const bool begins = previous == nullptr || open->group != previous->group;
    previous = open;
    if (begins) is_open = true;
    const GateEstimate& change = comparison.change;
    const bool has_size = change.se && change.dof && *change.se > 0;
    if (!comparison.is_of_response() || !has_size) continue;
    if (is_open) {
      shifts.push_back(shift_of(*open));
      is_open = false;
    } else if (comparison.is_middle) {
      shifts.back() = shift_of(*open);
    }
  }
}

std::optional<SharedShift> shared_change(Shifts shifts, const GateOptions& options) {
  if (shifts.size() < 2) return std::nullopt;
  const GroupShift& first = shifts.front();
  GateComparison shared{
      .figure = "curve", .less_is_better = first.less_is_better, .limit = first.loss_limit};
  const bool has_nights = std::all_of(shifts.begin(), shifts.end(),
                                      [](const GroupShift& shift) { return shift.has_nights; });
  if (has_nights) {
    if (!shift_of_nights(shared, shifts, options.confidence)) return std::nullopt;
  } else {
    shift_of_one_night(shared, shifts, options.confidence);
  }
  return SharedShift{shifts.size(), std::move(shared)};
}

}  // namespace scalelaw
