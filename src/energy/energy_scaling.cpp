#include "scalelaw/energy/energy_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "energy/scaling_parts.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

// The runs at each N against the runs at the smallest N.

/// The mean logarithm of one quantity at each N, with a scatter that all N share.
class LogMeans {
 public:
  LogMeans(std::span<const double> x, std::span<const double> y, double confidence)
      : cells_(cells_of(x, y)), confidence_(confidence) {
    double scatter = 0;
    for (const Cell& cell : cells_) scatter += cell.ss_log;
    dof_ = static_cast<double>(x.size()) - static_cast<double>(cells_.size());
    variance_ = dof_ > 0 ? scatter / dof_ : 0;
  }

  const std::vector<Cell>& cells() const { return cells_; }

  /// `factor` times the quantity at the i-th N over the quantity at the smallest N; or the inverse
  /// of that ratio, times `factor`.
  Ratio against_smallest(std::size_t i, bool inverse = false, double factor = 1) const {
    if (i == 0) return {};
    const Cell& here = cells_[i];
    const Cell& smallest = cells_.front();
    const double change = here.mean_log - smallest.mean_log;
    const double se = std::sqrt(variance_ * (1 / static_cast<double>(here.count) +
                                             1 / static_cast<double>(smallest.count)));
    return ratio_of(
        student_estimate((inverse ? -change : change) + std::log(factor), se, dof_, confidence_));
  }

 private:
  std::vector<Cell> cells_;
  double confidence_;
  double dof_ = 0;
  double variance_ = 0;
};

std::vector<EnergyAtScale> energy_at_scales(const RunFigures& figures, const Workload& workload,
                                            const EnergyOptions& options) {
  const auto means = [&](std::span<const double> y) {
    return LogMeans(figures.x(), y, figures.confidence);
  };
  const LogMeans time = means(figures.seconds());
  const LogMeans energy = means(figures.joules());
  const LogMeans watts = means(figures.watts);
  const LogMeans hours = means(figures.gpu_hours);
  const LogMeans edp = means(products(figures.joules(), figures.seconds()));
  std::optional<LogMeans> sample_time;
  std::optional<LogMeans> sample_energy;
  if (workload.scaling && *workload.scaling != Scaling::kStrong) {
    sample_time = means(quotients(figures.seconds(), figures.runs.samples));
    sample_energy = means(quotients(figures.joules(), figures.runs.samples));
  }
  std::vector<EnergyAtScale> scales;
  for (std::size_t i = 0; i < time.cells().size(); ++i) {
    const double x = time.cells()[i].x;
    const double ideal = x / time.cells().front().x;
    const double joules = energy.cells()[i].mean;
    EnergyAtScale scale{.x = x, .n = time.cells()[i].count};
    scale.seconds = std::exp(time.cells()[i].mean_log);
    scale.joules = std::exp(energy.cells()[i].mean_log);
    scale.watts_per_gpu = std::exp(watts.cells()[i].mean_log);
    scale.gpu_hours = hours.cells()[i].mean;
    scale.kwh = options.footprint.kwh(joules);
    scale.co2_kg = options.footprint.co2_kg(joules);
    scale.cost = total_cost(options, joules, scale.gpu_hours);
    scale.speedup = time.against_smallest(i, true);
    if (figures.runs.x_shares_work) {
      scale.efficiency = time.against_smallest(i, true, 1 / ideal);
    }
    scale.energy = energy.against_smallest(i);
    scale.edp = edp.against_smallest(i);
    if (sample_time) {
      scale.sample_speedup = sample_time->against_smallest(i, true);
      if (figures.runs.x_shares_work) {
        scale.sample_efficiency = sample_time->against_smallest(i, true, 1 / ideal);
      }
      scale.sample_energy = sample_energy->against_smallest(i);
    }
    scales.push_back(scale);
  }
  return scales;
}

}  // namespace

// Power laws of time, power and energy, the check that they agree, and what kind of scaling the
// work of the runs shows.

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

/// @throws FitError if time, power or energy has no power law in N.
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

}  // namespace

bool Workload::batch_varies() const {
  constexpr double kLeastExponent = 0.01;
  return batch_exponent && std::abs(*batch_exponent) > kLeastExponent;
}

namespace {

void check(const EnergyRuns& runs, const EnergyOptions& options) {
  const Measurements& measured = runs.measured;
  const std::size_t n = measured.x.size();
  const auto fits = [n](const std::vector<double>& values, bool may_be_empty) {
    return values.size() == n || (may_be_empty && values.empty());
  };
  if (n == 0 || !fits(measured.seconds, false) || !fits(measured.joules, false) ||
      !fits(measured.watts, true) || !fits(runs.batch, true) || !fits(runs.samples, true)) {
    throw std::invalid_argument("energy_scaling: no runs, or not one value per run");
  }
  for (const auto* values : {&measured.x, &measured.seconds, &measured.joules}) {
    if (!std::ranges::all_of(*values, is_known)) {
      throw std::invalid_argument("energy_scaling: a value is not positive and finite");
    }
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("energy_scaling: confidence is not between 0 and 1");
  }
}

RunFigures figures_of(const EnergyRuns& runs, double confidence) {
  RunFigures figures{runs, confidence, {}, {}, {}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    figures.gpus.push_back(runs.x_shares_work ? runs.measured.x[i] : 1);
    const double gpu_seconds = figures.gpus[i] * runs.measured.seconds[i];
    figures.gpu_hours.push_back(gpu_seconds / 3600);
    figures.watts.push_back(runs.measured.joules[i] / gpu_seconds);
    const double edp = runs.measured.joules[i] * runs.measured.seconds[i];
    for (const double value : {figures.gpu_hours.back(), figures.watts.back(), edp}) {
      if (is_known(value)) continue;
      throw FitError(FailureCode::kNotIdentifiable,
                     "energy, time and N of a run multiply to numbers beyond the range of double");
    }
  }
  return figures;
}

/// The same runs, cut down to one sample each.
EnergyRuns runs_of_a_sample(const EnergyRuns& runs) {
  EnergyRuns one = runs;
  one.measured.seconds = quotients(runs.measured.seconds, runs.samples);
  one.measured.joules = quotients(runs.measured.joules, runs.samples);
  return one;
}

EnergyTotals totals_of(const RunFigures& figures, const EnergyOptions& options) {
  EnergyTotals totals;
  const auto sum = [](auto values) { return std::accumulate(values.begin(), values.end(), 0.0); };
  totals.gpu_hours = sum(figures.gpu_hours);
  totals.joules = sum(figures.joules());
  totals.kwh = options.footprint.kwh(totals.joules);
  totals.co2_kg = options.footprint.co2_kg(totals.joules);
  totals.cost = total_cost(options, totals.joules, totals.gpu_hours);
  return totals;
}

}  // namespace

std::string_view name_of(PowerSource source) {
  return word_for(source, {{PowerSource::kOwnColumn, "own-column"},
                           {PowerSource::kFromEnergy, "from-energy"},
                           {PowerSource::kOfEnergy, "energy-from-power"}});
}

std::string_view name_of(IdentityVerdict verdict) {
  return word_for(verdict, {{IdentityVerdict::kByConstruction, "by-construction"},
                            {IdentityVerdict::kAgrees, "agrees"},
                            {IdentityVerdict::kDisagrees, "disagrees"},
                            {IdentityVerdict::kUndecided, "undecided"},
                            {IdentityVerdict::kLevelOff, "level-off"}});
}

std::string_view name_of(Objective objective) {
  return word_for(objective, {{Objective::kEnergy, "energy"},
                              {Objective::kEnergyDelay, "edp"},
                              {Objective::kCost, "cost"}});
}

std::string_view name_of(LeastPlace place) {
  return word_for(place, {{LeastPlace::kInside, "inside"},
                          {LeastPlace::kSmallest, "smallest"},
                          {LeastPlace::kLargest, "largest"}});
}

std::string_view name_of(Scaling scaling) {
  return word_for(
      scaling,
      {{Scaling::kStrong, "strong"}, {Scaling::kWeak, "weak"}, {Scaling::kMixed, "mixed"}});
}

std::optional<double> total_cost(const EnergyOptions& options, double joules, double gpu_hours) {
  const std::optional<double> energy = options.footprint.cost(joules);
  if (!energy && !options.gpu_price) return std::nullopt;
  return energy.value_or(0) + options.gpu_price.value_or(0) * gpu_hours;
}

Fit power_fit(std::span<const double> x, std::span<const double> y, Response response,
              double confidence, Figures figures) {
  return fit_law(cells_of(x, y),
                 {.response = response, .confidence = confidence, .figures = figures});
}

Ratio ratio_of(const Estimate& log_ratio) {
  Ratio ratio{.value = std::exp(log_ratio.estimate)};
  if (log_ratio.ci) ratio.ci = exp_of(*log_ratio.ci);
  return ratio;
}

std::vector<double> products(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out(a.size());
  std::ranges::transform(a, b, out.begin(), std::multiplies());
  return out;
}

std::vector<double> quotients(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out(a.size());
  std::ranges::transform(a, b, out.begin(), std::divides());
  return out;
}

EnergyScaling energy_scaling(const EnergyRuns& runs, const EnergyOptions& options) {
  check(runs, options);
  const RunFigures figures = figures_of(runs, options.confidence);
  const auto [least, greatest] = std::ranges::minmax_element(figures.x());
  Workload workload = workload_of(figures);
  // More samples cost more energy, so an N can only be chosen for one sample.
  const EnergyRuns alike = workload.is_per_sample() ? runs_of_a_sample(runs) : runs;
  const RunFigures figures_alike = figures_of(alike, options.confidence);
  auto scales = energy_at_scales(figures, workload, options);
  return {.n = figures.size(),
          .x_min = *least,
          .x_max = *greatest,
          .power = runs.power,
          .exponents = outcome_of([&] { return energy_exponents(figures); }),
          .identity = identity_check(figures),
          .gpu_hours = gpu_hours_fit(figures),
          .drivers = power_drivers(figures),
          .joint = joint_drivers(figures),
          .scales = std::move(scales),
          .least = least_under_laws(figures_alike, options),
          .least_caveat = least_caveat(figures_alike),
          .workload = std::move(workload),
          .totals = totals_of(figures, options)};
}

std::vector<EnergyWarning> energy_warnings(const EnergyScaling& scaling) {
  std::vector<EnergyWarning> warnings;
  const auto* exponents = std::get_if<EnergyExponents>(&scaling.exponents);
  if (exponents == nullptr) return warnings;
  const auto add = [&](std::string_view of, const Fit& fit) {
    for (const WarningCode code : fit.warnings) {
      // Only a time has a speedup, and only a time is expected to change with N.
      const bool of_time_only =
          code == WarningCode::kOverpredictsSpeedup || code == WarningCode::kFlat;
      if (of_time_only && of != "time") continue;
      warnings.push_back({of, code});
    }
  };
  add("time", exponents->time);
  if (const Fit* power = std::get_if<Fit>(&exponents->power)) add("power", *power);
  add("energy", exponents->energy);
  return warnings;
}

std::vector<NumberColumn> WorkloadColumns::numbers() const {
  std::vector<NumberColumn> columns;
  if (!batch.empty()) columns.push_back({.name = batch, .needed = false, .setting = true});
  if (!samples.empty()) columns.push_back({.name = samples, .needed = false});
  return columns;
}

void energy_each(const MeasuredRuns& runs, const WorkloadColumns& columns,
                 const EnergyOptions& options, int threads,
                 const std::function<void(GroupEnergy&&)>& sink) {
  const Observations& rows = runs.observations;
  const auto column = [&](std::size_t group, std::size_t number) {
    const auto values = rows.values(group, runs.columns.more + number);
    return std::vector<double>(values.begin(), values.end());
  };
  const PowerSource source = !runs.columns.power   ? PowerSource::kFromEnergy
                             : runs.columns.energy ? PowerSource::kOwnColumn
                                                   : PowerSource::kOfEnergy;
  const bool shares_work = !runs.columns.x || may_share_work(rows.numbers()[*runs.columns.x].name);
  const auto energy_of = [&](std::size_t group, int /*worker*/) {
    EnergyRuns group_runs{
        .measured = runs.measurements(group, false), .power = source, .x_shares_work = shares_work};
    if (!columns.batch.empty()) group_runs.batch = column(group, 0);
    if (!columns.samples.empty()) group_runs.samples = column(group, columns.batch.empty() ? 0 : 1);
    if (!runs.columns.work.empty()) group_runs.samples = runs.work_of(group);
    return GroupEnergy{rows.key(group),
                       outcome_of([&] { return energy_scaling(group_runs, options); })};
  };
  const int workers = thread_count(threads);
  deliver_in_order<GroupEnergy>(rows.size(), workers, slice_of_slow_groups(rows.size(), workers),
                                energy_of, sink);
}

std::vector<GroupEnergy> energy_of_each(const MeasuredRuns& runs, const WorkloadColumns& columns,
                                        const EnergyOptions& options, int threads) {
  std::vector<GroupEnergy> groups;
  energy_each(runs, columns, options, threads,
              [&](GroupEnergy&& group) { groups.push_back(std::move(group)); });
  return groups;
}

}  // namespace scalelaw
