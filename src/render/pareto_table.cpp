// Frontiers as a table for people: the points worth a look, and below what each group's numbers
// mean.

#include <fmt/format.h>

#include <algorithm>

#include "render/noted_table.hpp"
#include "render/pareto_writers.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kGroupsExplained = 20;
constexpr const char* kUndefined = "-";

/// Which columns the groups fill.
struct Shown {
  bool share = false;
  bool changes = false;
  bool ranges = false;
  bool optima = false;
};

Shown shown_of(const ParetoReport& report, std::span<const GroupPareto> groups) {
  Shown shown{.ranges = report.options.max_power.has_value(),
              .optima = !report.options.etas.empty()};
  for (const GroupPareto& group : groups) {
    shown.share = shown.share || group.result.no_draws.empty();
    shown.changes = shown.changes || group.result.default_point;
  }
  return shown;
}

std::vector<TableColumn> columns_of(const ParetoReport& report, const Shown& shown) {
  std::vector<TableColumn> columns;
  const auto right = [&columns](const std::string& header) {
    columns.push_back({.header = header, .align = Align::kRight});
  };
  for (const std::string& name : report.study.by) columns.push_back({.header = name});
  for (const std::string& name : report.knobs) right(name);
  for (const char* header : {"runs", "time s", "energy J"}) right(header);
  if (shown.changes) right("time"), right("energy");
  columns.push_back({.header = "point"});
  if (shown.share) right("share");
  if (shown.ranges) right("best for eta");
  if (shown.optima) right("optimum at eta");
  return columns;
}

std::string change(const std::optional<Saving>& saving) {
  return saving ? fmt::format("{:+.1f} %", -100 * saving->estimate + 0.0) : kUndefined;
}

std::string kind(const Pareto& pareto, std::size_t index) {
  const ParetoPoint& point = pareto.points[index];
  std::string text = point.on_frontier                        ? "frontier"
                     : point.surely_dominated.value_or(false) ? "surely dominated"
                                                              : "dominated";
  return pareto.default_point == index ? text + ", default" : text;
}

std::string share(const ParetoPoint& point) {
  return point.frontier_share ? fmt::format("{:.1f} %", 100 * *point.frontier_share) : kUndefined;
}

/// Three decimals; more where these would round to an end.
std::string eta_text(double eta) {
  if (eta == 0 || eta == 1) return eta == 0 ? "0" : "1";
  return fmt::format("{:.{}f}", eta, eta > 0.0005 && eta < 0.9985 ? 3 : 6);
}

std::string range(const Pareto& pareto, std::size_t index) {
  for (const EtaRange& range : pareto.ranges) {
    if (range.point != index) continue;
    return fmt::format("{} .. {}", eta_text(range.from), eta_text(range.to));
  }
  return kUndefined;
}

std::string etas(const Pareto& pareto, std::size_t index) {
  std::string text;
  for (const EtaOptimum& optimum : pareto.optima) {
    if (optimum.point == index) text += fmt::format("{}{}", text.empty() ? "" : ", ", optimum.eta);
  }
  return text.empty() ? kUndefined : text;
}

std::vector<std::string> cells_of(const GroupPareto& group, std::size_t index, const Shown& shown) {
  const Pareto& pareto = group.result;
  const ParetoPoint& point = pareto.points[index];
  std::vector<std::string> cells = group.group;
  cells.insert(cells.end(), point.knobs.begin(), point.knobs.end());
  cells.push_back(std::to_string(point.n));
  cells.push_back(with_significant_digits(point.seconds, 5));
  cells.push_back(with_significant_digits(point.joules, 5));
  if (shown.changes) {
    cells.push_back(change(point.time_saving));
    cells.push_back(change(point.energy_saving));
  }
  cells.push_back(kind(pareto, index));
  if (shown.share) cells.push_back(share(point));
  if (shown.ranges) cells.push_back(range(pareto, index));
  if (shown.optima) cells.push_back(etas(pareto, index));
  return cells;
}

/// The frontier, then optima and the default where they are not on it.
std::vector<std::size_t> rows_of(const Pareto& pareto) {
  std::vector<std::size_t> rows = pareto.frontier;
  const auto add = [&rows](std::size_t point) {
    if (std::find(rows.begin(), rows.end(), point) == rows.end()) rows.push_back(point);
  };
  for (const EtaOptimum& optimum : pareto.optima) add(optimum.point);
  if (pareto.default_point) add(*pareto.default_point);
  return rows;
}

std::string area_text(const Pareto& pareto) {
  std::string text = fmt::format("hypervolume {} J s before time {} s and energy {} J",
                                 with_significant_digits(pareto.hypervolume, 4),
                                 with_significant_digits(pareto.reference.seconds, 5),
                                 with_significant_digits(pareto.reference.joules, 5));
  if (pareto.hypervolume_share) {
    text += fmt::format(", {:.1f} % of what one point with the least of both would have",
                        100 * *pareto.hypervolume_share);
  }
  return text;
}

std::string scatter_text(const Pareto& pareto) {
  if (!pareto.no_draws.empty()) return "no shares nor intervals: " + pareto.no_draws;
  std::string text = fmt::format("runs of one point scatter by {} % in time and {} % in energy",
                                 with_significant_digits(100 * *pareto.sigma_time, 2),
                                 with_significant_digits(100 * *pareto.sigma_energy, 2));
  return text + fmt::format(" ({} degree{} of freedom)", pareto.dof, pareto.dof == 1 ? "" : "s");
}

/// What the cost is.
std::string cost_text(const ParetoReport& report) {
  const ParetoOptions& options = report.options;
  if (!options.max_power) {
    return "no cost: no knob or group column is a power limit; --max-power W gives one";
  }
  std::string gpus;
  if (!report.study.x.empty()) {
    gpus = options.time_cost == TimeCost::kGpus
               ? fmt::format(" x {}", report.study.x)
               : fmt::format(" x the group's greatest {}", report.study.x);
  }
  return fmt::format("cost = eta energy + (1 - eta) {} W{} time (MaxPower: {})", *options.max_power,
                     gpus, report.max_power_from);
}

std::string legend_text(const ParetoReport& report, const Shown& shown,
                        const std::string& no_draws) {
  std::string text = "frontier: no other point takes less of one and no more of the other";
  if (shown.share) {
    text += fmt::format(
        "; share: how likely that is, given the scatter of runs; surely dominated: "
        "{:.6g} % or less",
        100 * (1 - report.options.confidence));
  }
  if (!shown.share) text += "; how sure that is cannot be told: " + no_draws;
  if (shown.changes) text += "; time and energy in %: against the default";
  return text;
}

class ParetoTable {
 public:
  ParetoTable(const ParetoReport& report, std::span<const GroupPareto> groups)
      : report_(report), shown_(shown_of(report, groups)), table_(columns_of(report, shown_)) {}

  void add(const GroupPareto& group) {
    const Pareto& pareto = group.result;
    if (no_draws_.empty()) no_draws_ = pareto.no_draws;
    table_.begin_part();
    for (const std::size_t index : rows_of(pareto)) {
      table_.add_row(cells_of(group, index, shown_));
    }
    if (++explained_ > kGroupsExplained) return;
    const std::vector<std::string> sentences = pareto_sentences(report_, pareto);
    notes_.push_back(group_name(report_.study.by, group.group) + ": " + sentences.front());
    for (std::size_t i = 1; i < sentences.size(); ++i) notes_.push_back("  " + sentences[i]);
    if (pareto.points.size() == 1) return;
    notes_.push_back("  " + area_text(pareto));
    if (shown_.share) notes_.push_back("  " + scatter_text(pareto));
    if (!report_.options.default_knobs.empty() && !pareto.no_default.empty()) {
      notes_.push_back("  no savings: " + pareto.no_default);
    }
  }

  void write(Format format, bool colour, const TextSink& sink) {
    std::vector<std::string> lines{legend_text(report_, shown_, no_draws_)};
    lines.insert(lines.end(), notes_.begin(), notes_.end());
    if (explained_ > kGroupsExplained) {
      lines.push_back(fmt::format("{} more groups; --format csv and json have all points",
                                  explained_ - kGroupsExplained));
    }
    const std::string caption =
        fmt::format("time: {}, energy: {}, knobs: {}; {}", report_.study.y,
                    report_.energy.empty() ? report_.power + " x time" : report_.energy,
                    joined(report_.knobs), cost_text(report_));
    write_noted_table(table_, caption, lines, format, colour, sink);
  }

 private:
  const ParetoReport& report_;
  Shown shown_;
  TextTable table_;
  std::vector<std::string> notes_;
  std::string no_draws_;  ///< The first reason for no uncertainty.
  std::size_t explained_ = 0;
};

}  // namespace

void write_pareto_table(const ParetoReport& report, std::span<const GroupPareto> groups,
                        Format format, bool colour, const TextSink& sink) {
  ParetoTable table(report, groups);
  for (const GroupPareto& group : groups) table.add(group);
  table.write(format, colour, sink);
}

}  // namespace scalelaw
