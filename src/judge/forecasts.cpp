#include "scalelaw/judge/forecasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/per_thread.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

/// A forecast in another unit, to which `convert` takes its values.
template <class Convert>
Prediction converted(Prediction at, Convert convert) {
  at.median = convert(at.median);
  if (at.mean) at.mean = convert(*at.mean);
  for (auto* interval : {&at.ci, &at.pi}) {
    if (*interval) *interval = Interval{convert((*interval)->lower), convert((*interval)->upper)};
  }
  return at;
}

/// The time of one unit of work, from the forecast of a rate. Its mean is not known.
Prediction time_of_rate(Prediction at) {
  at.mean.reset();
  at = converted(at, [](double rate) { return 1 / rate; });
  for (auto* interval : {&at.ci, &at.pi}) {
    if (*interval) std::swap((*interval)->lower, (*interval)->upper);
  }
  return at;
}

/// How often the time of a forecast comes in what is asked about: once, in every epoch of a job, or
/// for each of its tokens.
double times_in_job(const OutlookOptions& options) {
  if (options.tokens) return *options.tokens * options.seconds_of_rate;
  return options.epochs.value_or(1);
}

/// The time that machines are busy for what is asked about.
Prediction job_time(const Forecast& forecast, const Prediction& y, const OutlookOptions& options) {
  const double times = times_in_job(options) / units_at(forecast, y.x);
  return converted(options.tokens ? time_of_rate(y) : y,
                   [=](double value) { return times * value; });
}

/// GPU-hours at x, where the unit of y is known.
std::optional<double> gpu_hours_at(const Prediction& job, const OutlookOptions& options) {
  const auto time = value_of(job, options.target);
  if (!options.hours_per_unit || !time) return std::nullopt;
  return job.x * *time * *options.hours_per_unit;
}

/// Node-hours at x. Nobody can rent a part of a node.
std::optional<double> node_hours_at(const Prediction& job, const OutlookOptions& options) {
  constexpr double kRounding = 1e-9;
  const auto time = value_of(job, options.target);
  if (!options.node_hours_per_unit || !options.x_per_node || !time) return std::nullopt;
  const double nodes = std::ceil(job.x / *options.x_per_node - kRounding);
  return nodes * *time * *options.node_hours_per_unit;
}

/// @param hours  Of the machines during the job, by the target.
std::optional<MachineCost> cost_of(const std::optional<double>& hours,
                                   const std::optional<double>& price, const Prediction& job,
                                   Target target) {
  if (!hours || !price) return std::nullopt;
  MachineCost cost{.amount = *hours * *price};
  const double per_time = cost.amount / *value_of(job, target);
  if (job.pi) cost.pi = Interval{per_time * job.pi->lower, per_time * job.pi->upper};
  return cost;
}

ScaleOutlook scale_outlook(const Outlook& outlook, const OutlookOptions& options, double x) {
  ScaleOutlook out{.y = predict(outlook.forecast, x)};
  const double times = times_in_job(options);
  const Prediction job = job_time(outlook.forecast, out.y, options);
  if (options.epochs || options.tokens) out.job = job;
  out.gpu_hours = gpu_hours_at(job, options);
  out.gpu_cost = cost_of(out.gpu_hours, options.gpu_price, job, options.target);
  out.node_hours = node_hours_at(job, options);
  out.node_cost = cost_of(out.node_hours, options.node_price, job, options.target);
  if (!outlook.energy) return out;
  const Prediction joules =
      converted(predict_energy(*outlook.energy, x), [=](double value) { return times * value; });
  out.kwh = converted(joules, [&](double value) { return options.footprint.kwh(value); });
  if (const auto energy = value_of(joules, options.target)) {
    out.co2_kg = options.footprint.co2_kg(*energy);
    out.cost = options.footprint.cost(*energy);
  }
  return out;
}

Demand deadline_demand(const Outlook& outlook, const OutlookOptions& options) {
  const double times = times_in_job(options);
  Demand demand = meet_deadline(outlook.forecast, *options.deadline / times, options.target);
  demand.best *= times;
  return demand;
}

/// What the machines at x cost until they are done.
std::optional<MachineCost> machine_cost(const Outlook& outlook, const OutlookOptions& options,
                                        double x) {
  const Prediction job = job_time(outlook.forecast, predict(outlook.forecast, x), options);
  if (options.node_price) {
    return cost_of(node_hours_at(job, options), options.node_price, job, options.target);
  }
  return cost_of(gpu_hours_at(job, options), options.gpu_price, job, options.target);
}

/// What the machines cost that meet the deadline, and those that meet it surely.
void add_deadline_costs(const OutlookOptions& options, Outlook& outlook) {
  if (!outlook.deadline || !outlook.deadline->x) return;
  const double x = outlook.deadline->x->x;
  outlook.deadline_cost = machine_cost(outlook, options, x);
  const auto& safe = outlook.deadline->upper;
  if (safe && safe->x != x) outlook.safe_deadline_cost = machine_cost(outlook, options, safe->x);
}

/// A rate meets a throughput where the time of one unit of work is short enough.
Demand throughput_demand(const Outlook& outlook, const OutlookOptions& options) {
  Forecast as_measured = outlook.forecast;  // A throughput is in the unit of y.
  as_measured.rate_of_one = false;
  Demand demand = meet_deadline(as_measured, 1 / *options.throughput, options.target);
  demand.best = 1 / demand.best;
  return demand;
}

Demand gpu_hour_demand(const Outlook& outlook, const OutlookOptions& options) {
  if (!options.hours_per_unit) throw std::invalid_argument("GPU-hours need the unit of y");
  const double hours = *options.hours_per_unit * times_in_job(options);
  Demand demand = meet_budget(outlook.forecast, *options.budget_gpu_hours / hours, options.target);
  demand.best *= hours;
  return demand;
}

Demand kwh_demand(const Outlook& outlook, const OutlookOptions& options) {
  if (!outlook.energy) throw std::invalid_argument("a budget of kWh needs energy");
  const double kwh_of_joule = options.footprint.kwh(1) * times_in_job(options);
  Demand demand =
      meet_energy_budget(*outlook.energy, *options.budget_kwh / kwh_of_joule, options.target);
  demand.best *= kwh_of_joule;
  return demand;
}

/// The scales that answer the demands, in order. Without any, the scale that comes nearest to the
/// deadline or throughput, or else twice the greatest measured one.
std::vector<double> answered_scales(const Outlook& out) {
  std::vector<double> scales;
  for (const auto& demand : {out.deadline, out.throughput, out.budget_gpu_hours, out.budget_kwh}) {
    if (demand && demand->x && !demand->x->open) scales.push_back(demand->x->x);
  }
  const auto& limit = out.deadline ? out.deadline : out.throughput;
  if (scales.empty()) return {limit && limit->best_x ? *limit->best_x : 2 * out.forecast.x_max};
  std::ranges::sort(scales);
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
  return scales;
}

Forecast forecast_at(const Fit& fit, double confidence) {
  Forecast forecast = forecast_of(fit);
  forecast.confidence = confidence;
  return forecast;
}

bool is_of_energy(const SavedFits& fits) {
  return in_base_units(unit_of(fits), Dimension::kEnergy) ||
         !unit_in_name(fits.y, Dimension::kEnergy).empty() ||
         fits.y.find("energy") != std::string::npos;
}

bool go_together(const SavedFits& times, const SavedFits& energy) {
  return is_of_energy(energy) && !is_of_energy(times) && times.x == energy.x &&
         times.by == energy.by;
}

}  // namespace

Prediction predict_energy(const EnergyForecast& energy, double x) {
  const double factor = energy.factor(x) / units_at(energy.forecast, x);
  const Prediction at = predict(energy.forecast, x);
  const bool is_rate = energy.forecast.response == Response::kRate;
  return converted(is_rate ? time_of_rate(at) : at, [=](double value) { return value * factor; });
}

bool asks_for_scales(const OutlookOptions& options) {
  return options.deadline || options.throughput || options.budget_gpu_hours || options.budget_kwh;
}

bool needs_energy(const Footprint& footprint) {
  return footprint.carbon_intensity || footprint.price || footprint.pue != 1;
}

bool needs_energy(const OutlookOptions& options) {
  return options.budget_kwh || needs_energy(options.footprint);
}

std::optional<double> hours_per_unit(const std::string& x, const std::string& unit,
                                     Response response) {
  return machine_hours(x, hours_of(unit, response), std::nullopt).per_x;
}

std::optional<double> hours_of(const std::string& unit, Response response) {
  const auto seconds = in_base_units(unit, Dimension::kTime);
  if (response == Response::kRate || !seconds) return std::nullopt;
  return *seconds / 3600;
}

MachineHours machine_hours(const std::string& x, std::optional<double> hours,
                           std::optional<double> gpus_per_node) {
  MachineHours machines{.per_node = hours};
  if (counts_nodes(x)) {
    machines.x_per_node = 1;
    if (hours && gpus_per_node) machines.per_x = *hours * *gpus_per_node;
    return machines;
  }
  if (!may_count_gpus(x)) {
    if (!gpus_per_node) return {};
    throw DataError(fmt::format(
        "--gpus-per-node needs a scale of nodes or of GPUs, and '{}' counts something else: name "
        "such a column with -x",
        x));
  }
  machines.per_x = hours;
  machines.x_per_node = gpus_per_node;
  return machines;
}

namespace {

/// What the machines take in energy that meet the deadline.
void add_deadline_energy(const OutlookOptions& options, Outlook& outlook) {
  if (!outlook.energy || !outlook.deadline || !outlook.deadline->x) return;
  const auto there =
      if_possible([&] { return scale_outlook(outlook, options, outlook.deadline->x->x); });
  if (there) outlook.deadline_kwh = there->kwh;
}

}  // namespace

Outlook outlook_of(Forecast forecast, std::optional<EnergyForecast> energy,
                   const OutlookOptions& options) {
  Outlook out{.forecast = std::move(forecast), .energy = std::move(energy)};
  if (options.deadline) out.deadline = deadline_demand(out, options);
  add_deadline_costs(options, out);
  add_deadline_energy(options, out);
  if (options.throughput) out.throughput = throughput_demand(out, options);
  if (options.budget_gpu_hours) out.budget_gpu_hours = gpu_hour_demand(out, options);
  if (options.budget_kwh) out.budget_kwh = kwh_demand(out, options);
  for (const double x : options.at.empty() ? answered_scales(out) : options.at) {
    out.scales.push_back(scale_outlook(out, options, x));
  }
  return out;
}

EnergySource energy_from_runs(const GroupedCells& runs, double joules,
                              const ForecastOptions& options) {
  ForecastOptions of_energy = options;
  of_energy.response = Response::kTime;
  of_energy.rate_of_one = false;
  of_energy.learned = nullptr;
  const bool is_per_x = of_energy.law == nullptr || !can_rise(*of_energy.law);
  return [=](const GroupKey& group, const Forecast& /*of_time*/) -> std::optional<EnergyForecast> {
    const auto place = runs.find(group);
    if (!place) return std::nullopt;
    std::vector<Cell> cells;
    runs.cells(*place, cells);
    if (is_per_x) cells = per_x(cells);
    return if_possible([&] {
      return EnergyForecast{make_forecast(cells, of_energy), is_per_x, joules};
    });
  };
}

EnergySource energy_from_fits(std::span<const GroupFit> fits, double joules) {
  std::map<GroupKey, const Fit*> laws;
  for (const GroupFit& group : fits) laws[group.group] = std::get_if<Fit>(&group.result);
  return [=](const GroupKey& group, const Forecast& of_time) -> std::optional<EnergyForecast> {
    const auto found = laws.find(group);
    const Fit* const fit = found == laws.end() ? nullptr : found->second;
    if (fit == nullptr) return std::nullopt;
    return EnergyForecast{forecast_at(*fit, of_time.confidence), false, joules};
  };
}

EnergySource energy_from_power(double joules) {
  return [=](const GroupKey& /*group*/, const Forecast& of_time) {
    return EnergyForecast{of_time, true, joules};
  };
}

bool can_rise(const Law& law) {
  return law.name() == "power" || law.name() == "lognormal" || law.name() == "broken";
}

Outlook outlook_with(const EnergySource& source, const GroupKey& group, Forecast forecast,
                     const OutlookOptions& options) {
  auto energy = source ? source(group, forecast) : std::nullopt;
  if (!energy && options.budget_kwh) {
    throw FitError(FailureCode::kTooFewPoints, "its energy has no forecast");
  }
  return outlook_of(std::move(forecast), std::move(energy), options);
}

std::optional<double> kwh_at_deadline(const Outlook& outlook) {
  const auto met = outlook.deadline ? outlook.deadline->x : std::nullopt;
  if (!met || met->open || !outlook.deadline_kwh) return std::nullopt;
  if (is_far_beyond(met->x, outlook.forecast.x_max)) return std::nullopt;
  return outlook.deadline_kwh->median;
}

ScalesWithin scales_within_all(const Outlook& outlook) {
  ScalesWithin all;
  const auto take_greatest = [&all](double x) {
    all.greatest = all.greatest ? std::min(*all.greatest, x) : x;
  };
  for (const auto& demand : {outlook.deadline, outlook.throughput}) {
    if (!demand) continue;
    ++all.limits;
    all.one_is_out |= !demand->x;
    if (demand->x) all.least = std::max(all.least, demand->x->x);
    if (demand->until) take_greatest(*demand->until);
  }
  for (const auto& demand : {outlook.budget_gpu_hours, outlook.budget_kwh}) {
    if (!demand) continue;
    ++all.limits;
    all.one_is_out |= !demand->x;
    if (demand->x && !demand->x->open) take_greatest(demand->x->x);
  }
  all.has_none = all.one_is_out || (all.greatest && *all.greatest < all.least);
  return all;
}

bool is_blind_to_turns(const Outlook& outlook) {
  constexpr std::size_t kFewest = 6;
  const Forecast& forecast = outlook.forecast;
  return !forecast.fit && forecast.distinct_x < kFewest &&
         std::ranges::any_of(outlook.scales,
                             [&](const ScaleOutlook& at) { return at.y.x > 2 * forecast.x_max; });
}

void outlook_each(const GroupedCells& runs, const ForecastOptions& forecast,
                  const OutlookOptions& outlook, const EnergySource& energy, int threads,
                  const std::function<void(GroupOutlook&&)>& sink) {
  const int workers = thread_count(threads);
  const auto look_ahead = [&](std::size_t i, int /*worker*/) {
    thread_local PerThread<std::vector<Cell>> kept;
    std::vector<Cell>& cells = *kept;
    runs.cells(i, cells);
    GroupKey group = runs.key(i);
    auto result = outcome_of([&] {
      Outlook found =
          outlook_with(energy, group, make_forecast(cells, forecast.of_group(i)), outlook);
      found.doubts = doubts_in(found.forecast, cells);
      return found;
    });
    return GroupOutlook{std::move(group), std::move(result)};
  };
  deliver_in_order<GroupOutlook>(runs.size(), workers, slice_of_slow_groups(runs.size(), workers),
                                 look_ahead, sink);
}

void outlook_each(std::span<const GroupFit> fits, double confidence, const OutlookOptions& outlook,
                  const EnergySource& energy, const std::function<void(GroupOutlook&&)>& sink) {
  for (const GroupFit& fit : fits) {
    sink({fit.group, outcome_of(fit.result, [&](const Fit& law) {
            Outlook found = outlook_with(energy, fit.group, forecast_at(law, confidence), outlook);
            found.doubts = doubts_in(found.forecast);
            return found;
          })});
  }
}

SavedStudy saved_study(std::vector<SavedFits> documents) {
  std::vector<std::string> sources;
  for (const SavedFits& fits : documents) sources.push_back(fits.source);
  SavedStudy study{.fits = std::move(documents.front())};
  if (documents.size() == 1) return study;
  study.energy = std::move(documents.back());
  if (is_of_energy(study.fits)) std::swap(study.fits, *study.energy);
  if (!can_rise(*study.energy->law)) {
    throw DataError(fmt::format(
        "{}: energy rises with {}, and the {} law cannot: fit it with --law power or lognormal, or "
        "forecast from the runs",
        study.energy->source, study.energy->x, study.energy->law->name()));
  }
  if (documents.size() != 2 || !go_together(study.fits, *study.energy)) {
    throw DataError(fmt::format(
        "{}: several documents of fits: expected one of times and one of energy, of the same x and "
        "groups",
        joined(sources)));
  }
  return study;
}

}  // namespace scalelaw
