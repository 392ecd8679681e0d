// Strong or weak scaling, and the numbers of one sample.

#include <algorithm>
#include <cmath>

#include "energy/scaling_parts.hpp"

namespace scalelaw {
namespace {

/// Samples rounded to whole batches differ by less than this factor.
constexpr double kRounding = 1.01;

bool all_known(std::span<const double> values) {
  return !values.empty() && std::all_of(values.begin(), values.end(), is_known);
}

bool is_even(std::span<const double> values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return *greatest <= kRounding * *least;
}

std::optional<double> exponent_of(const RunFigures& figures, std::span<const double> values) {
  if (!all_known(values)) return std::nullopt;
  return if_possible([&] {  // Not at a single N.
    return power_fit(figures.x(), values, Response::kRate, figures.confidence)
        .parameters.back()
        .estimate;
  });
}

PerSample per_sample(const RunFigures& figures) {
  const auto& samples = figures.runs.samples;
  return {.time = power_fit(figures.x(), quotients(figures.seconds(), samples), Response::kTime,
                            figures.confidence),
          .energy = power_fit(figures.x(), quotients(figures.joules(), samples), Response::kRate,
                              figures.confidence)};
}

}  // namespace

bool Workload::batch_varies() const {
  constexpr double kLeastExponent = 0.01;
  return batch_exponent && std::abs(*batch_exponent) > kLeastExponent;
}

Workload workload_of(const RunFigures& figures) {
  const EnergyRuns& runs = figures.runs;
  Workload workload;
  workload.batch_exponent = exponent_of(figures, runs.batch);
  if (runs.samples.empty()) return workload;
  if (!all_known(runs.samples)) {
    workload.reason = "some runs have no samples";
    return workload;
  }
  workload.samples_exponent = exponent_of(figures, runs.samples);
  workload.scaling = is_even(runs.samples)                           ? Scaling::kStrong
                     : is_even(quotients(runs.samples, figures.x())) ? Scaling::kWeak
                                                                     : Scaling::kMixed;
  if (*workload.scaling == Scaling::kStrong) return workload;
  auto of_samples = outcome_of([&] { return per_sample(figures); });
  if (const NoFit* failure = std::get_if<NoFit>(&of_samples)) {
    workload.reason = failure->message;
  } else {
    workload.per_sample = std::get<PerSample>(std::move(of_samples));
  }
  return workload;
}

}  // namespace scalelaw
