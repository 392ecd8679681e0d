// What runs take in energy, and what settings save.

#include <fmt/format.h>

#include <algorithm>

#include "render/report/parts.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostSentences = 40;
constexpr std::size_t kMostTogether = 8;  // Groups that one panel can tell apart.
constexpr std::size_t kMostDrawn = 50;    // Groups that are handed to figures.

ReportColumn right(std::string header) { return {std::move(header), Align::kRight}; }

ReportCell estimate_cell(const Estimate& estimate) {
  const RoundedEstimate text = rounded(estimate.estimate, estimate.se);
  return {text.se.empty() ? text.estimate : fmt::format("{} ± {}", text.estimate, text.se),
          estimate.estimate};
}

ReportCell slope_cell(const std::variant<Fit, NoFit>& result) {
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
  ReportTable table{.id = "energy-scales",
                    .caption =
                        "Mean energy, PUE included, and GPU-hours of a run; speed, energy "
                        "and energy times time over those at the smallest scale.",
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
    for (const EnergyAtScale& at : scaling->scales) {
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
          caps.head.setting, caps.head.options.reference, caps.head.study.x,
          100 * caps.head.options.max_slowdown),
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

}  // namespace

std::vector<ReportSection> energy_sections(const ReportParts& parts) {
  return {energy_section(parts), caps_section(parts)};
}

}  // namespace scalelaw
