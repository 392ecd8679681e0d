// What runs take in energy, and what settings save.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// In the order of numbers and words.
struct NaturalLess {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

constexpr std::size_t kMostSentences = 40;
constexpr std::size_t kMostTogether = 8;  // Groups that one panel can tell apart.
constexpr std::size_t kMostDrawn = 50;    // Groups that are handed to figures.
constexpr std::size_t kMostInFull = 200;  // Groups whose scales and points all stand in tables.

ReportColumn right(std::string header) { return {std::move(header), Align::kRight}; }

ReportCell estimate_cell(const Estimate& estimate) {
  const RoundedEstimate text = rounded(estimate.estimate, estimate.se);
  return {text.se.empty() ? text.estimate : fmt::format("{} ± {}", text.estimate, text.se),
          estimate.estimate};
}

ReportCell slope_cell(const Outcome<Fit>& result) {
  const Fit* const fit = std::get_if<Fit>(&result);
  return fit == nullptr ? text_cell("-") : estimate_cell(fit->parameters.back());
}

/// k of E = k GPU-hours, in W a GPU.
ReportCell power_cell(const GpuHoursFit& fits) {
  const Fit* const fit = std::get_if<Fit>(&fits.origin);
  return fit == nullptr ? text_cell("-") : estimate_cell(fit->parameters.front());
}

ReportTable exponent_table(const ReportParts& parts, const ReportEnergy& energy) {
  ReportTable table{
      .id = "energy-exponents",
      .caption = fmt::format(
          "Exponents of time (t = alpha * N^(-beta)), of the power of one GPU and of the energy of "
          "all, over {}; and the mean power k of E = k GPU-hours.",
          energy.head.study.x),
      .columns = group_columns(parts.by()),
      .rows = {}};
  for (const char* header : {"beta of time", "exponent of power", "exponent of energy", "k [W]"}) {
    table.columns.push_back(right(header));
  }
  for (const GroupEnergy& group : energy.groups) {
    const auto* scaling = std::get_if<EnergyScaling>(&group.result);
    const auto* exponents =
        scaling != nullptr ? std::get_if<EnergyExponents>(&scaling->exponents) : nullptr;
    std::vector<ReportCell> cells = group_cells(group.group);
    cells.push_back(exponents ? estimate_cell(exponents->time.parameters.back()) : text_cell("-"));
    cells.push_back(exponents ? slope_cell(exponents->power) : text_cell("-"));
    cells.push_back(exponents ? estimate_cell(exponents->energy.parameters.back())
                              : text_cell("-"));
    cells.push_back(scaling != nullptr ? power_cell(scaling->gpu_hours) : text_cell("-"));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

ReportCell ratio_cell(const Ratio& ratio) { return number_cell(ratio.value, 3); }

ReportTable scale_table(const ReportParts& parts, const ReportEnergy& energy) {
  const Footprint& footprint = energy.head.options.footprint;
  const bool in_full = energy.groups.size() <= kMostInFull;
  ReportTable table{.id = "energy-scales",
                    .caption = fmt::format(
                        "Mean energy, PUE included, and GPU-hours of a run; speed, energy and "
                        "energy times time over those at the smallest scale.{}",
                        in_full ? ""
                                : fmt::format(" At the greatest {} of each group: scalelaw energy "
                                              "--format csv has the others.",
                                              energy.head.study.x)),
                    .columns = group_columns(parts.by()),
                    .rows = {}};
  for (const std::string& header :
       {energy.head.study.x, std::string("kWh"), std::string("GPU-hours"), std::string("W a GPU"),
        std::string("speed"), std::string("energy"), std::string("energy × time")}) {
    table.columns.push_back(right(header));
  }
  if (footprint.carbon_intensity) table.columns.push_back(right("kg CO2"));
  if (footprint.price) table.columns.push_back(right("cost"));
  for (const GroupEnergy& group : energy.groups) {
    const auto* scaling = std::get_if<EnergyScaling>(&group.result);
    if (scaling == nullptr) continue;
    const std::span<const EnergyAtScale> scales(scaling->scales);
    for (const EnergyAtScale& at : in_full ? scales : scales.last(1)) {
      std::vector<ReportCell> cells = group_cells(group.group);
      for (ReportCell& cell : std::vector<ReportCell>{{scale_text(at.x), at.x},
                                                      number_cell(at.kwh, 4),
                                                      number_cell(at.gpu_hours, 4),
                                                      number_cell(at.watts_per_gpu, 4),
                                                      ratio_cell(at.speedup),
                                                      ratio_cell(at.energy),
                                                      ratio_cell(at.edp)}) {
        cells.push_back(std::move(cell));
      }
      if (footprint.carbon_intensity) cells.push_back(number_cell(at.co2_kg, 3));
      if (footprint.price) cells.push_back(number_cell(at.cost, 4));
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

/// One group of each value of the first column where there are many: the last, of the greatest
/// settings. Under their short names.
std::vector<GroupEnergy> drawn_energies(const ReportParts& parts, const ReportEnergy& energy) {
  std::vector<GroupEnergy> drawn;
  const GroupKey* last = nullptr;
  for (const GroupEnergy& group : energy.groups) {
    const auto* scaling = std::get_if<EnergyScaling>(&group.result);
    if (scaling == nullptr || scaling->scales.size() < 2) continue;
    const bool many = energy.groups.size() > kMostTogether && !group.group.empty();
    if (many && last != nullptr && last->front() == group.group.front()) drawn.pop_back();
    drawn.push_back({{many ? group.group.front() : parts.names.of(group.group)}, group.result});
    last = &group.group;
    if (drawn.size() > kMostDrawn) break;
  }
  return drawn;
}

ReportSection energy_section(const ReportParts& parts) {
  ReportSection section{"energy", "What it takes in energy", {}};
  if (!parts.findings.energy) return section;
  const ReportEnergy& energy = *parts.findings.energy;
  section.blocks.emplace_back(exponent_table(parts, energy));
  const std::vector<GroupEnergy> drawn = drawn_energies(parts, energy);
  if (!drawn.empty()) {
    StudyAxes axes = parts.axes();
    const bool chosen = drawn.size() < energy.groups.size();
    if (chosen) axes.by = {parts.by().front()};
    Figure speed = energy_speed_figure(axes, drawn);
    Figure hours = gpu_hours_figure(axes, drawn);
    for (Figure* figure : {&speed, &hours}) {
      if (!chosen) break;
      figure->caption += fmt::format(" One group of each {}, the last.", parts.by().front());
    }
    section.blocks.emplace_back(ReportFigure{
        .id = "figure-energy", .title = "Energy and speed", .figure = std::move(speed)});
    section.blocks.emplace_back(ReportFigure{
        .id = "figure-gpu-hours", .title = "Energy and GPU-hours", .figure = std::move(hours)});
  }
  ReportList sentences;
  for (const GroupEnergy& group : energy.groups) {
    const auto* scaling = std::get_if<EnergyScaling>(&group.result);
    if (scaling == nullptr || sentences.items.size() == kMostSentences) continue;
    sentences.items.push_back(
        {parts.names.of(group.group) + ":", energy_sentences(energy.head, *scaling).front() + "."});
  }
  section.blocks.emplace_back(std::move(sentences));
  section.blocks.emplace_back(scale_table(parts, energy));
  return section;
}

// Settings.

void append_mean(std::vector<ReportCell>& cells, const RelativeMean& mean) {
  cells.push_back(number_cell(mean.ratio, 4));
  cells.push_back(interval_cell(mean.ci, 4));
}

ReportTable caps_table(const ReportCaps& caps, std::size_t index) {
  const double level = 100 * caps.head.options.confidence;
  ReportTable table{
      .id = fmt::format("caps-{}", index + 1),
      .caption = fmt::format(
          "Time and energy at each {} over those at {}, means over all {} that both were measured "
          "at. Recommended: the least energy whose time grows by at most {:g} %, by its interval.",
          caps.head.setting,
          caps.head.options.reference.empty() ? "each group's greatest"
                                              : caps.head.options.reference,
          caps.head.study.x, 100 * caps.head.options.max_slowdown),
      .columns = group_columns(caps.head.study.by),
      .rows = {}};
  for (const std::string& header :
       {caps.head.setting, std::string("time"), fmt::format("{:.6g} % interval of time", level),
        std::string("energy"), fmt::format("{:.6g} % interval of energy", level)}) {
    table.columns.push_back(right(header));
  }
  table.columns.push_back({.header = "recommended"});
  for (const GroupCaps& group : caps.groups) {
    const Caps& found = std::get<Caps>(group.result);
    for (const RelativeSetting& setting : found.overall.settings) {
      std::vector<ReportCell> cells = group_cells(group.group);
      cells.push_back(group_cells({setting.setting}).front());
      append_mean(cells, setting.time);
      append_mean(cells, setting.energy);
      cells.push_back(text_cell(found.overall.recommended.setting == setting.setting ? "yes" : ""));
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

ReportSection caps_section(const ReportParts& parts) {
  ReportSection section{"caps", "What settings save", {}};
  for (std::size_t i = 0; i < parts.findings.caps.size(); ++i) {
    const ReportCaps& caps = parts.findings.caps[i];
    ReportList sentences;
    for (const GroupCaps& group : caps.groups) {
      const Caps& found = std::get<Caps>(group.result);
      const std::string name = group_name(caps.head.study.by, group.group);
      if (sentences.items.size() < kMostSentences) {
        sentences.items.push_back({name + ":", caps_sentence(caps.head, found) + "."});
      }
    }
    section.blocks.emplace_back(std::move(sentences));
    section.blocks.emplace_back(caps_table(caps, i));
    StudyAxes axes = parts.axes();
    axes.by = caps.head.study.by;
    section.blocks.emplace_back(
        ReportFigure{.id = fmt::format("figure-caps-{}", i + 1),
                     .title = "Speed and energy by " + caps.head.setting,
                     .figure = caps_figure(axes, caps.head.setting, caps.groups)});
  }
  return section;
}

// Time against energy.

/// ", at power_cap_w 100 (5), 200 (3), never 250": how many points of the frontier are where.
std::string levels_text(const std::string& knob, std::size_t place, const Pareto& pareto) {
  std::map<std::string, std::size_t, NaturalLess> levels;
  for (const ParetoPoint& point : pareto.points) {
    levels[point.knobs[place]] += point.on_frontier ? 1 : 0;
  }
  if (levels.size() < 2) return "";
  std::vector<std::string> on;
  std::vector<std::string> off;
  for (const auto& [level, points] : levels) {
    if (points == 0) {
      off.push_back(level);
    } else {
      on.push_back(fmt::format("{} ({})", level, points));
    }
  }
  return fmt::format(", at {} {}{}", knob, joined(on),
                     off.empty() ? "" : fmt::format(", never {}", joined(off)));
}

std::string frontier_sentence(const ReportPareto& pareto, const Pareto& found) {
  const std::vector<std::string> sentences = pareto_sentences(pareto.head, found);
  std::string text = sentences.front();
  if (found.frontier.size() > 1) {
    for (std::size_t i = 0; i + 1 < pareto.head.knobs.size(); ++i) {
      text += levels_text(pareto.head.knobs[i], i, found);
    }
  }
  for (std::size_t i = 1; i < sentences.size(); ++i) text += "; " + sentences[i];
  return text + ".";
}

/// "0.25 .. 0.5": weights of energy at which a point is the cheapest.
ReportCell best_for(const Pareto& pareto, std::size_t point) {
  for (const EtaRange& range : pareto.ranges) {
    if (range.point == point) {
      return {fmt::format("{:.3f} .. {:.3f}", range.from, range.to), range.from};
    }
  }
  return text_cell("-");
}

/// The points of the frontier that stand in a table: all, or the ends and the optima.
std::vector<std::size_t> told_points(const Pareto& pareto, bool in_full) {
  if (in_full) return pareto.frontier;
  std::vector<std::size_t> told;
  for (const std::size_t point : pareto.frontier) {
    const bool is_end = point == pareto.frontier.front() || point == pareto.frontier.back();
    const bool is_optimum =
        std::any_of(pareto.optima.begin(), pareto.optima.end(),
                    [point](const EtaOptimum& optimum) { return optimum.point == point; });
    if (is_end || is_optimum) told.push_back(point);
  }
  return told;
}

ReportTable frontier_table(const ReportPareto& pareto) {
  const ParetoReport& head = pareto.head;
  const bool in_full = pareto.groups.size() <= kMostInFull;
  const bool has_cost = !head.max_power_from.empty();
  ReportTable table{
      .id = "frontier-points",
      .caption = fmt::format(
          "The frontier over {}: no other point takes less time and less energy.{}{}{}",
          joined(head.knobs), in_full ? "" : " Its ends and optima: scalelaw pareto has the rest.",
          head.options.draws > 0 ? " Share: of draws of the means in which no other point beats it."
                                 : "",
          has_cost ? fmt::format(" Best for eta: weights of energy in Zeus's cost at which it is "
                                 "the cheapest, with {} as MaxPower.",
                                 head.max_power_from)
                   : ""),
      .columns = group_columns(head.study.by),
      .rows = {}};
  for (const std::string& knob : head.knobs) table.columns.push_back(right(knob));
  for (const char* header : {"runs", "time [s]", "energy [kJ]", "share"}) {
    table.columns.push_back(right(header));
  }
  if (has_cost) table.columns.push_back(right("best for eta"));
  for (const GroupPareto& group : pareto.groups) {
    const Pareto& frontier = std::get<Pareto>(group.result);
    for (const std::size_t i : told_points(frontier, in_full)) {
      const ParetoPoint& point = frontier.points[i];
      std::vector<ReportCell> cells = group_cells(group.group);
      for (ReportCell& cell : group_cells(point.knobs)) cells.push_back(std::move(cell));
      cells.push_back({fmt::to_string(point.n), static_cast<double>(point.n)});
      cells.push_back(number_cell(point.seconds, 4));
      cells.push_back(number_cell(point.joules / 1000, 4));
      cells.push_back(percent_cell(point.frontier_share));
      if (has_cost) cells.push_back(best_for(frontier, i));
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

ReportSection frontier_section(const ReportParts& parts) {
  ReportSection section{"frontier", "Time against energy", {}};
  if (!parts.findings.pareto) return section;
  const ReportPareto& pareto = *parts.findings.pareto;
  for (const std::string& warning : pareto.head.study.warnings) {
    section.blocks.emplace_back(ReportText{warning});
  }
  ReportList sentences;
  for (const GroupPareto& group : pareto.groups) {
    if (sentences.items.size() == kMostSentences) break;
    sentences.items.push_back({group_name(pareto.head.study.by, group.group) + ":",
                               frontier_sentence(pareto, std::get<Pareto>(group.result))});
  }
  section.blocks.emplace_back(std::move(sentences));
  StudyAxes axes = parts.axes();
  axes.by = pareto.head.study.by;
  section.blocks.emplace_back(
      ReportFigure{.id = "figure-frontier",
                   .title = "Time against energy",
                   .figure = pareto_figure(axes, pareto.head.knobs, pareto.groups)});
  section.blocks.emplace_back(frontier_table(pareto));
  return section;
}

// Utilisation.

/// One group of each value of the first column where there are many, under their short names.
std::vector<GroupUtilisation> leading(const ReportParts& parts,
                                      const std::vector<GroupUtilisation>& groups) {
  std::vector<GroupUtilisation> drawn;
  const GroupKey* last = nullptr;
  for (const GroupUtilisation& group : groups) {
    const bool many = groups.size() > kMostTogether && !group.group.empty();
    if (many && last != nullptr && last->front() == group.group.front()) drawn.pop_back();
    drawn.push_back(group);
    drawn.back().group = {many ? group.group.front() : parts.names.of(group.group)};
    last = &group.group;
  }
  return drawn;
}

ReportSection utilisation_section(const ReportParts& parts) {
  ReportSection section{"utilisation", "How busy the GPUs are", {}};
  const auto add = [&](const std::vector<GroupUtilisation>& all, const char* id, const char* title,
                       auto make) {
    if (all.empty()) return;
    const std::vector<GroupUtilisation> drawn = leading(parts, all);
    StudyAxes axes = parts.axes();
    if (drawn.size() < all.size()) axes.by = {parts.by().front()};
    Figure figure = make(axes, drawn);
    if (drawn.size() < all.size()) {
      figure.caption += fmt::format(" One group of each {}, the last.", parts.by().front());
    }
    section.blocks.emplace_back(
        ReportFigure{.id = id, .title = title, .figure = std::move(figure)});
  };
  add(parts.findings.utilisation, "figure-utilisation", "Utilisation", utilisation_figure);
  add(parts.findings.variation, "figure-variation", "Variation of utilisation", variation_figure);
  return section;
}

}  // namespace

std::vector<ReportSection> energy_sections(const ReportParts& parts) {
  return {energy_section(parts), caps_section(parts), frontier_section(parts),
          utilisation_section(parts)};
}

}  // namespace scalelaw
