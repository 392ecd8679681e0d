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
