// Power laws of time, power and energy, the check that they agree, and what kind of scaling the
// work of the runs shows.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "energy/scaling_parts.hpp"

namespace scalelaw {

double EnergyExponents::energy_of_twice() const {
  return std::exp2(energy.parameters.back().estimate);
}

namespace {

/// The runs whose power was measured by itself.
struct OwnPower {
  std::vector<double> x;
  std::vector<double> watts;   ///< Of one GPU.
  std::vector<double> ratios;  ///< Energy over N t P.
};

OwnPower own_power(const RunFigures& figures) {
  OwnPower own;
  const std::vector<double>& total = figures.runs.measured.watts;
  for (std::size_t i = 0; i < total.size(); ++i) {
    const double watts = total[i] / figures.gpus[i];
    const double ratio = figures.watts[i] / watts;
    if (!(watts > 0) || !std::isfinite(ratio) || !(ratio > 0)) continue;
    own.x.push_back(figures.x()[i]);
    own.watts.push_back(watts);
    own.ratios.push_back(ratio);
  }
  return own;
}

Outcome<Fit> power_exponent(const RunFigures& figures) {
  const bool is_own = figures.runs.power == PowerSource::kOwnColumn;
  const OwnPower own = is_own ? own_power(figures) : OwnPower{};
  if (is_own && own.x.empty()) {
    return NoFit{FailureCode::kTooFewPoints, "no run has a value of the power column"};
  }
  return outcome_of([&] {
    return is_own ? power_fit(own.x, own.watts, Response::kRate, figures.confidence, Figures::kAll)
                  : power_fit(figures.x(), figures.watts, Response::kRate, figures.confidence,
                              Figures::kAll);
  });
}

/// The mean of logarithms as a ratio, with a Student t interval.
Ratio geometric_mean(std::span<const double> ratios, double confidence) {
  const auto n = static_cast<double>(ratios.size());
  std::vector<double> logs(ratios.begin(), ratios.end());
  for (double& value : logs) value = std::log(value);
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  double scatter = 0;
  for (const double value : logs) scatter += (value - mean) * (value - mean);
  const double se = n > 1 ? std::sqrt(scatter / (n - 1) / n) : 0;
  return ratio_of(student_estimate(mean, se, n - 1, confidence));
}

IdentityVerdict verdict_of(const Estimate& residual, double confidence) {
  if (!residual.ci) return IdentityVerdict::kUndecided;
  if (-kIdentityMargin <= residual.ci->lower && residual.ci->upper <= kIdentityMargin) {
    return IdentityVerdict::kAgrees;
  }
  // Without scatter there is no p, and the interval is a point.
  const bool is_sure = residual.p ? *residual.p < 1 - confidence : true;
  return is_sure ? IdentityVerdict::kDisagrees : IdentityVerdict::kUndecided;
}

/// Whether the whole interval of the level lies beyond the margin; for a single run, its value.
bool is_off(const Ratio& level) {
  const Interval ci = level.ci.value_or(Interval{level.value, level.value});
  return ci.lower > kLevelMargin || ci.upper < 1 / kLevelMargin;
}

/// Samples rounded to whole batches differ by less than this factor.
constexpr double kSameX = 1.01;

bool all_known(std::span<const double> values) {
  return !values.empty() && std::ranges::all_of(values, is_known);
}

bool is_even(std::span<const double> values) {
  const auto [least, greatest] = std::ranges::minmax_element(values);
  return *greatest <= kSameX * *least;
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

EnergyExponents energy_exponents(const RunFigures& figures) {
  const double confidence = figures.confidence;
  const auto edp = products(figures.joules(), figures.seconds());
  return {
      .time = power_fit(figures.x(), figures.seconds(), Response::kTime, confidence, Figures::kAll),
      .power = power_exponent(figures),
      .energy =
          power_fit(figures.x(), figures.joules(), Response::kRate, confidence, Figures::kAll),
      .edp = power_fit(figures.x(), edp, Response::kRate, confidence).parameters.back()};
}

IdentityCheck identity_check(const RunFigures& figures) {
  IdentityCheck check;
  if (figures.runs.power != PowerSource::kOwnColumn) return check;
  const OwnPower own = own_power(figures);
  check.n = own.x.size();
  check.verdict = IdentityVerdict::kUndecided;
  if (own.x.empty()) {
    check.reason = "no run has a value of the power column";
    return check;
  }
  check.level = geometric_mean(own.ratios, figures.confidence);
  const auto fit =
      outcome_of([&] { return power_fit(own.x, own.ratios, Response::kRate, figures.confidence); });
  if (const NoFit* failure = std::get_if<NoFit>(&fit)) {
    check.reason = failure->message;
  } else {
    check.residual = std::get<Fit>(fit).parameters.back();
    check.verdict = verdict_of(*check.residual, figures.confidence);
  }
  if (is_off(*check.level)) check.verdict = IdentityVerdict::kLevelOff;
  return check;
}

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
