#include "scalelaw/energy/pareto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "energy/pareto_parts.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/setting_number.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

std::vector<SweepPoint> sweep_points(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw std::invalid_argument("pareto_frontier: a and b differ in size");
  }
  std::vector<SweepPoint> points(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) {
      throw std::invalid_argument("pareto_frontier: a value is NaN");
    }
    points[i] = {a[i], b[i], i};
  }
  return points;
}

/// A few points that no other point of a sample dominates, by a. Empty where they would not help.
std::vector<SweepPoint> sample_frontier(std::span<const SweepPoint> points) {
  constexpr std::size_t kSample = 1024;
  constexpr std::size_t kFew = 64;
  if (points.size() < 4 * kSample) return {};
  std::vector<SweepPoint> sample;
  for (std::size_t i = 0; i < kSample; ++i) sample.push_back(points[points.size() / kSample * i]);
  std::sort(sample.begin(), sample.end());
  std::vector<SweepPoint> frontier;
  visit_frontier(std::span<const SweepPoint>(sample),
                 [&frontier](const SweepPoint& point) { frontier.push_back(point); });
  return frontier.size() <= kFew ? frontier : std::vector<SweepPoint>();
}

/// Removes most dominated points before they cost a sort.
void drop_dominated(std::vector<SweepPoint>& points) {
  const std::vector<SweepPoint> sample = sample_frontier(points);
  if (sample.empty()) return;
  std::erase_if(points, [&sample](const SweepPoint& point) {
    // The last sampled point whose a is no greater has the least b of these.
    const auto above = std::ranges::upper_bound(sample, point.a, {}, &SweepPoint::a);
    if (above == sample.begin()) return false;
    const SweepPoint& best = *std::prev(above);
    return best.b < point.b || (best.b == point.b && best.a < point.a);
  });
}

/// The eta at which two points of a frontier cost the same. The first has the smaller a.
double even_eta(double a1, double b1, double a2, double b2) {
  return (a2 - a1) / ((a2 - a1) + (b1 - b2));
}

}  // namespace

std::vector<std::size_t> pareto_frontier(std::span<const double> a, std::span<const double> b,
                                         int threads) {
  std::vector<SweepPoint> points = sweep_points(a, b);
  drop_dominated(points);
  parallel_sort(points, threads);
  std::vector<std::size_t> frontier;
  visit_frontier(std::span<const SweepPoint>(points),
                 [&frontier](const SweepPoint& point) { frontier.push_back(point.index); });
  return frontier;
}

DominatedArea dominated_area(std::span<const double> a, std::span<const double> b,
                             std::span<const std::size_t> frontier, double reference_a,
                             double reference_b) {
  DominatedArea out;
  double height = reference_b;  // Height of the step at which the next point begins.
  const auto corner = [&out](double at_a, double at_b) {
    out.outline_a.push_back(at_a);
    out.outline_b.push_back(at_b);
  };
  for (const std::size_t i : frontier) {
    if (a[i] >= reference_a || b[i] >= height) continue;
    corner(a[i], height);
    corner(a[i], b[i]);
    out.area += (reference_a - a[i]) * (height - b[i]);
    height = b[i];
  }
  if (!out.outline_a.empty()) corner(reference_a, height);
  return out;
}

std::vector<EtaRange> eta_ranges(std::span<const double> a, std::span<const double> b,
                                 std::span<const std::size_t> frontier) {
  std::vector<EtaRange> ranges;
  for (const std::size_t i : frontier) {
    double from = 0;
    while (!ranges.empty()) {
      EtaRange& last = ranges.back();
      const bool same = a[last.point] == a[i] && b[last.point] == b[i];
      from = same ? last.from : even_eta(a[last.point], b[last.point], a[i], b[i]);
      if (!same && from > last.from) break;
      ranges.pop_back();
      from = 0;
    }
    // Where eta rounds to 1, no eta is left for which the point is best.
    if (!ranges.empty() && from >= 1) continue;
    if (!ranges.empty()) ranges.back().to = from;
    ranges.push_back({i, ranges.empty() ? 0 : from, 1});
  }
  return ranges;
}

namespace {

bool has_max_power(std::span<const KnobRuns> points, const ParetoOptions& options) {
  return options.max_power || std::ranges::all_of(points, [](const KnobRuns& runs) {
           return runs.max_power.has_value();
         });
}

void check(std::span<const KnobRuns> points, const ParetoOptions& options) {
  const auto is_positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto all_positive = [&](const std::vector<double>& values) {
    return std::ranges::all_of(values, is_positive);
  };
  if (points.empty()) throw std::invalid_argument("judge_trade_off: no points");
  for (const KnobRuns& point : points) {
    if (point.seconds.empty() || point.seconds.size() != point.joules.size() ||
        !all_positive(point.seconds) || !all_positive(point.joules) || !is_positive(point.gpus)) {
      throw std::invalid_argument("judge_trade_off: a point's runs are not what they must be");
    }
  }
  for (const double eta : options.etas) {
    if (!(eta >= 0 && eta <= 1)) throw std::invalid_argument("judge_trade_off: eta not in [0, 1]");
    if (eta < 1 && !has_max_power(points, options)) {
      throw std::invalid_argument("judge_trade_off: eta < 1 without max_power");
    }
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("judge_trade_off: confidence not in (0, 1)");
  }
}

ParetoPoint point_of(const KnobRuns& runs, double price, const ParetoOptions& options) {
  ParetoPoint point{.knobs = runs.knobs, .n = runs.seconds.size(), .gpus = runs.gpus};
  point.seconds = mean_of(runs.seconds);
  point.joules = mean_of(runs.joules);
  point.max_power = runs.max_power ? runs.max_power : options.max_power;
  for (const double eta : options.etas) {
    point.costs.push_back({.joules = eta * point.joules + (1 - eta) * price * point.seconds});
  }
  return point;
}

std::vector<double> column(const std::vector<ParetoPoint>& points, double ParetoPoint::*member) {
  std::vector<double> out;
  for (const ParetoPoint& point : points) out.push_back(point.*member);
  return out;
}

/// The point of least cost; the last of equal ones.
std::size_t optimum(const std::vector<ParetoPoint>& points, std::size_t eta) {
  std::size_t best = points.size() - 1;
  for (std::size_t i = best; i-- > 0;) {
    if (points[i].costs[eta].joules < points[best].costs[eta].joules) best = i;
  }
  return best;
}

/// The corners of a box around all points.
struct Box {
  TimeAndEnergy least;
  TimeAndEnergy greatest;
};

Box box_of(const std::vector<double>& seconds, const std::vector<double>& joules) {
  const auto [t_min, t_max] = std::ranges::minmax_element(seconds);
  const auto [e_min, e_max] = std::ranges::minmax_element(joules);
  return {{*t_min, *e_min}, {*t_max, *e_max}};
}

/// The part within the box of a line of equal cost through a point.
std::pair<TimeAndEnergy, TimeAndEnergy> cost_line(const ParetoPoint& point, double eta,
                                                  double price, const Box& box) {
  const double watts = (1 - eta) * price;  // Price of a second; a joule costs eta.
  if (watts == 0) return {{box.least.seconds, point.joules}, {box.greatest.seconds, point.joules}};
  if (eta == 0) return {{point.seconds, box.greatest.joules}, {point.seconds, box.least.joules}};
  const auto joules_at = [&](double seconds) {
    return point.joules - (seconds - point.seconds) * watts / eta;
  };
  const auto end = [&](double seconds, double joules) -> TimeAndEnergy {
    const double reached = joules_at(seconds);
    if (reached >= box.least.joules && reached <= box.greatest.joules) return {seconds, reached};
    return {point.seconds + (point.joules - joules) * eta / watts, joules};
  };
  return {end(box.least.seconds, box.greatest.joules), end(box.greatest.seconds, box.least.joules)};
}

/// Whether a point has those knobs of the default that are named.
bool agrees(const GroupKey& point, std::span<const std::string> knobs,
            const std::vector<KnobValue>& wanted) {
  return std::ranges::all_of(wanted, [&](const KnobValue& knob) {
    const auto place = std::ranges::find(knobs, knob.knob) - knobs.begin();
    return same_setting(point.at(static_cast<std::size_t>(place)), knob.value);
  });
}

/// The one knob that a default may leave out: a power limit.
std::optional<std::size_t> limit_knob(std::span<const std::string> knobs,
                                      const std::vector<KnobValue>& wanted) {
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const bool named =
        std::ranges::any_of(wanted, [&](const KnobValue& knob) { return knob.knob == knobs[i]; });
    if (!named && is_usual_name(knobs[i], UsualColumn::kPowerLimit)) return i;
  }
  return std::nullopt;
}

std::string text_of(const std::vector<KnobValue>& wanted) {
  std::vector<std::string> words;
  for (const KnobValue& knob : wanted) words.push_back(knob.knob + " " + knob.value);
  return joined(words);
}

/// Sets the default point, or the reason why there is none.
void find_default(Pareto& pareto, std::span<const std::string> knobs,
                  const ParetoOptions& options) {
  const std::vector<KnobValue>& wanted = options.default_knobs;
  const auto limit = limit_knob(knobs, wanted);
  if (wanted.size() + (limit ? 1 : 0) < knobs.size()) {
    pareto.no_default = "no default was named";
    return;
  }
  for (std::size_t i = 0; i < pareto.points.size(); ++i) {
    if (!agrees(pareto.points[i].knobs, knobs, wanted)) continue;
    const auto is_not_below = [&](std::size_t other) {
      return !natural_less(pareto.points[i].knobs[*limit], pareto.points[other].knobs[*limit]);
    };
    if (!pareto.default_point || !limit || is_not_below(*pareto.default_point)) {
      pareto.default_point = i;
    }
  }
  if (!pareto.default_point) {
    pareto.no_default = fmt::format("no run has the default, {}", text_of(wanted));
  }
}

void add_savings(Pareto& pareto) {
  const ParetoPoint base = pareto.points[*pareto.default_point];
  for (ParetoPoint& point : pareto.points) {
    point.time_saving = Saving{1 - point.seconds / base.seconds, {}};
    point.energy_saving = Saving{1 - point.joules / base.joules, {}};
    for (std::size_t e = 0; e < point.costs.size(); ++e) {
      point.costs[e].saving = Saving{1 - point.costs[e].joules / base.costs[e].joules, {}};
    }
  }
}

void add_area(Pareto& pareto, const std::vector<double>& seconds, const std::vector<double>& joules,
              const Box& box, const ParetoOptions& options) {
  pareto.reference = options.reference.value_or(box.greatest);
  const DominatedArea area = dominated_area(seconds, joules, pareto.frontier,
                                            pareto.reference.seconds, pareto.reference.joules);
  pareto.hypervolume = area.area;
  for (std::size_t i = 0; i < area.outline_a.size(); ++i) {
    pareto.outline.push_back({area.outline_a[i], area.outline_b[i]});
  }
  const double width = pareto.reference.seconds - box.least.seconds;
  const double height = pareto.reference.joules - box.least.joules;
  if (width > 0 && height > 0) pareto.hypervolume_share = area.area / width / height;
}

/// Whether the scatter is more than rounding.
bool varies(double sum_of_squares, std::int64_t dof) {
  constexpr double kRounding = 1e-13;
  return std::sqrt(sum_of_squares / static_cast<double>(dof)) > kRounding;
}

/// Why there can be no uncertainty; empty if there can be.
std::string no_draws(const RunScatter& scatter, const ParetoOptions& options) {
  if (scatter.dof == 0) return "no point has a second run: nothing shows how far runs scatter";
  if (!varies(scatter.time, scatter.dof) && !varies(scatter.energy, scatter.dof)) {
    return "the rows of each point are all alike: copies, not runs that were repeated";
  }
  return options.draws == 0 ? "no draws were asked for" : "";
}

void add_scatter(Pareto& pareto, const RunScatter& scatter) {
  pareto.dof = scatter.dof;
  if (scatter.dof == 0) return;
  const auto dof = static_cast<double>(scatter.dof);
  pareto.sigma_time = std::sqrt(scatter.time / dof);
  pareto.sigma_energy = std::sqrt(scatter.energy / dof);
  if (varies(scatter.time, scatter.dof) && varies(scatter.energy, scatter.dof)) {
    pareto.correlation = scatter.product / std::sqrt(scatter.time) / std::sqrt(scatter.energy);
  }
}

}  // namespace

std::string_view name_of(TimeCost cost) {
  return word_for(cost, {{TimeCost::kGpus, "gpus"}, {TimeCost::kWall, "wall"}});
}

bool Pareto::has_equal_points() const {
  if (points.size() < 2 || frontier.size() != points.size()) return false;
  const ParetoPoint& first = points[frontier.front()];
  const ParetoPoint& last = points[frontier.back()];
  return first.seconds == last.seconds && first.joules == last.joules;
}

const EtaRange* Pareto::range_of(std::size_t point) const {
  const auto found = std::ranges::find(ranges, point, &EtaRange::point);
  return found == ranges.end() ? nullptr : &*found;
}

Pareto judge_trade_off(std::span<const KnobRuns> points, std::span<const std::string> knobs,
                       const ParetoOptions& options, std::uint64_t stream) {
  check(points, options);
  Pareto pareto;
  const std::vector<double> prices = time_prices(points, options);
  for (std::size_t i = 0; i < points.size(); ++i) {
    pareto.points.push_back(point_of(points[i], prices[i], options));
  }
  const std::vector<double> seconds = column(pareto.points, &ParetoPoint::seconds);
  const std::vector<double> joules = column(pareto.points, &ParetoPoint::joules);
  const Box box = box_of(seconds, joules);
  pareto.frontier = pareto_frontier(seconds, joules);
  for (const std::size_t i : pareto.frontier) pareto.points[i].on_frontier = true;
  add_area(pareto, seconds, joules, box, options);
  for (std::size_t e = 0; e < options.etas.size(); ++e) {
    const std::size_t best = optimum(pareto.points, e);
    const double eta = options.etas[e];
    pareto.optima.push_back({eta, best, cost_line(pareto.points[best], eta, prices[best], box)});
  }
  if (has_max_power(points, options)) {
    std::vector<double> time_costs;
    for (std::size_t i = 0; i < seconds.size(); ++i) time_costs.push_back(prices[i] * seconds[i]);
    pareto.ranges = eta_ranges(time_costs, joules, pareto_frontier(time_costs, joules));
  }
  find_default(pareto, knobs, options);
  if (pareto.default_point) add_savings(pareto);
  const RunScatter scatter = scatter_of(points);
  add_scatter(pareto, scatter);
  pareto.no_draws = no_draws(scatter, options);
  if (pareto.no_draws.empty()) add_uncertainty(pareto, scatter, prices, options, stream);
  return pareto;
}

PointIntervals intervals_of(const Pareto& pareto, const ParetoPoint& point, double confidence) {
  const auto around = [&](double value, const std::optional<double>& sigma) {
    if (!sigma || pareto.dof < 1 || point.n == 0) return std::optional<Interval>();
    const double reach = student_t_factor(confidence, static_cast<double>(pareto.dof)) * *sigma /
                         std::sqrt(static_cast<double>(point.n));
    return std::optional(Interval{value * std::exp(-reach), value * std::exp(reach)});
  };
  return {around(point.seconds, pareto.sigma_time), around(point.joules, pareto.sigma_energy)};
}

}  // namespace scalelaw
