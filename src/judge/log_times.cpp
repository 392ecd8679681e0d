// What a mixture says of ln y at one place: quantiles and scatter.

#include <algorithm>
#include <cmath>

#include "judge/student_table.hpp"
#include "scalelaw/judge/mixture.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {

LogTimes::LogTimes(const Mixture& mixture, double z) {
  parts_.reserve(mixture.parts.size());
  for (const MixturePart& part : mixture.parts) {
    const double shape = log_shape(part, z);
    double leverage = 1 / part.mass;
    if (part.spread > 0) {
      double slope = -z;
      if (part.law == MixedLaw::kFloor) slope *= 1 - std::exp(part.b - shape);
      if (part.law == MixedLaw::kUsl) slope = std::exp(part.a - shape);
      leverage += (slope - part.slope) * (slope - part.slope) / part.spread;
    }
    const bool same = !parts_.empty() && parts_.back().known->dof == part.dof;
    const StudentTable* const table = same ? parts_.back().table : &StudentTable::of(part.dof);
    parts_.push_back(
        {&part, part.weight, part.level + shape, leverage, part.scale, 1 / part.scale, table});
  }
}

LogTimes& LogTimes::of_runs(double runs) {
  for (Part& part : parts_) {
    part.scale =
        part.known->scale * std::sqrt(part.leverage + part.known->own / runs + part.known->shared);
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
