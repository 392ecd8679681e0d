// What a frontier means, in plain words.

#include <fmt/format.h>

#include "scalelaw/base/text.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// "12.3", without the unit.
std::string in_percent(double share) { return with_significant_digits(100 * share, 3); }

/// " (the optimum in 93 % of the draws)".
std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format(" (the optimum in {} % of the draws)", in_percent(*share)) : "";
}

/// "cost -12.3 % (95 % interval of the saving 8 .. 16 %)".
std::string saving_text(const ParetoReport& report, const Saving& saving) {
  std::string text = saving.estimate < 0 ? fmt::format("cost +{} %", in_percent(-saving.estimate))
                                         : fmt::format("cost -{} %", in_percent(saving.estimate));
  if (saving.ci) {
    text += fmt::format(" ({:.6g} % interval of the saving {} .. {} %)",
                        100 * report.options.confidence, in_percent(saving.ci->lower),
                        in_percent(saving.ci->upper));
  }
  return text;
}

/// "energy -20 %, time +5 %".
std::string changes_text(const ParetoPoint& point) {
  return fmt::format("energy {}, time {}",
                     shown_text(-point.energy_saving->estimate, signed_percent(1)),
                     shown_text(-point.time_saving->estimate, signed_percent(1)));
}

std::string optimum_text(const ParetoReport& report, const Pareto& pareto, std::size_t e) {
  const EtaOptimum& optimum = pareto.optima[e];
  const ParetoPoint& point = pareto.points[optimum.point];
  const PointCost& cost = point.costs[e];
  const bool is_default = pareto.default_point == optimum.point;
  std::string text = fmt::format("at eta {} the least cost is at {}{}{}", optimum.eta,
                                 group_name(report.knobs, point.knobs),
                                 is_default ? ", the default" : "", share_text(cost.optimum_share));
  if (!pareto.default_point || is_default) return text;
  const ParetoPoint& base = pareto.points[*pareto.default_point];
  return text + fmt::format("; against {}: {}, {}", group_name(report.knobs, base.knobs),
                            changes_text(point), saving_text(report, *cost.saving));
}

std::string frontier_text(const Pareto& pareto) {
  const std::size_t all = pareto.points.size();
  const std::size_t on = pareto.frontier.size();
  if (all == 1) return "one point: nothing to choose";
  if (pareto.has_equal_points())
    return fmt::format("all {} points take the same time and energy", all);
  if (on == 1) return fmt::format("one of {} points has both the least time and energy", all);
  return fmt::format("{} of {} points are on the frontier", on, all);
}

}  // namespace

std::vector<std::string> pareto_sentences(const ParetoReport& report, const Pareto& pareto) {
  std::vector<std::string> sentences{frontier_text(pareto)};
  if (pareto.points.size() == 1) return sentences;
  for (std::size_t e = 0; e < pareto.optima.size(); ++e) {
    sentences.push_back(optimum_text(report, pareto, e));
  }
  return sentences;
}

std::string pareto_area_sentence(const Pareto& pareto) {
  std::string text = fmt::format("hypervolume {} J s before time {} s and energy {} J",
                                 with_significant_digits(pareto.hypervolume, 4),
                                 with_significant_digits(pareto.reference.seconds, 5),
                                 with_significant_digits(pareto.reference.joules, 5));
  if (pareto.hypervolume_share) {
    text += fmt::format(", {} of what one point with the least of both would have",
                        shown_text(pareto.hypervolume_share, percent(1)));
  }
  return text;
}

std::string pareto_scatter_sentence(const Pareto& pareto) {
  if (!pareto.no_draws.empty()) return "no shares nor intervals: " + pareto.no_draws;
  std::string text = fmt::format("runs of one point scatter by {} % in time and {} % in energy",
                                 with_significant_digits(100 * *pareto.sigma_time, 2),
                                 with_significant_digits(100 * *pareto.sigma_energy, 2));
  return text + fmt::format(" ({} of freedom)", counted(pareto.dof, "degree"));
}

std::string pareto_cost_sentence(const ParetoReport& report) {
  const ParetoOptions& options = report.options;
  if (report.max_power_from.empty()) {
    return "no cost: no knob or group column is a power limit; --max-power W gives one";
  }
  std::string gpus;
  if (!report.study.x.empty()) {
    gpus = options.time_cost == TimeCost::kGpus
               ? fmt::format(" x {}", report.study.x)
               : fmt::format(" x the group's greatest {}", report.study.x);
  }
  return fmt::format("cost = eta energy + (1 - eta) {}{} time (MaxPower: {})",
                     options.max_power ? fmt::format("{} W", *options.max_power) : "MaxPower", gpus,
                     report.max_power_from);
}

}  // namespace scalelaw
