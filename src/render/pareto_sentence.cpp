// What a frontier means, in plain words.

#include <fmt/format.h>

#include <cmath>

#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// "12.3", without the unit.
std::string in_percent(double share) { return with_significant_digits(100 * share, 3); }

/// " It is the optimum in 93 % of draws from the scatter of runs."
std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format(". It is the optimum in {} of draws from the scatter of runs",
                             shown_text(share, percent(0)))
               : "";
}

/// "the cost falls by 12.3 % (95 %: 8 to 16 %)".
std::string saving_text(const ParetoReport& report, const Saving& saving) {
  std::string text = fmt::format("the cost {} by {} %", saving.estimate < 0 ? "rises" : "falls",
                                 in_percent(std::abs(saving.estimate)));
  if (!saving.ci) return text;
  return text + fmt::format(" ({:.6g} % interval of the saving: {} to {} %)",
                            100 * report.options.confidence, in_percent(saving.ci->lower),
                            in_percent(saving.ci->upper));
}

/// "20.0 % less energy", "5.0 % more time".
std::string change_text(const Saving& saving, std::string_view of) {
  return fmt::format("{} {} {}", shown_text(std::abs(saving.estimate), percent(1)),
                     saving.estimate < 0 ? "more" : "less", of);
}

/// Says how a point can cost least although others take less time and no more energy.
std::string off_frontier_text(const ParetoReport& report, const ParetoPoint& point) {
  if (point.on_frontier) return "";
  const std::string unit = unit_of_scale(report.study.x);
  return fmt::format(
      ". {0} take less time and energy, yet cost more, because the cost counts every {1} for as "
      "long "
      "as it is held (--time-cost wall counts the time alone)",
      unit.empty() ? "Other points"
                   : fmt::format("Points with more {}", units_of_scale(report.study.x)),
      unit.empty() ? "unit" : unit);
}

std::string optimum_text(const ParetoReport& report, const Pareto& pareto, std::size_t e) {
  const EtaOptimum& optimum = pareto.optima[e];
  const ParetoPoint& point = pareto.points[optimum.point];
  const PointCost& cost = point.costs[e];
  const bool is_default = pareto.default_point == optimum.point;
  std::string text = fmt::format("At eta {}{} the cost is least with {}", optimum.eta,
                                 e == 0 ? ", the weight of energy against time," : "",
                                 said_group(report.knobs, point.knobs));
  if (is_default) text += ", the default";
  if (pareto.default_point && !is_default) {
    const ParetoPoint& base = pareto.points[*pareto.default_point];
    text += fmt::format(": {} and {} than with {}; {}", change_text(*point.energy_saving, "energy"),
                        change_text(*point.time_saving, "time"),
                        said_group(report.knobs, base.knobs), saving_text(report, *cost.saving));
  }
  return text + share_text(cost.optimum_share) + off_frontier_text(report, point);
}

std::string frontier_text(const Pareto& pareto) {
  const std::size_t all = pareto.points.size();
  const std::size_t on = pareto.frontier.size();
  if (all == 1) return "There is one point and nothing to choose";
  if (pareto.has_equal_points())
    return fmt::format("All {} points take the same time and energy", all);
  if (on == 1)
    return fmt::format("One of {} points has both the least time and the least energy", all);
  return part_of(on, all, "point", "is", "are") + " on the frontier of time and energy";
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
