// What runs take in energy, and what settings save.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "render/caps_words.hpp"
#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostEnergyDrawn = 50;  // Groups that are handed to figures.
constexpr std::size_t kMostInFull = 200;      // Groups whose scales and points all stand in tables.

Sheet<GroupEnergy> exponent_sheet(const ReportParts& parts) {
  using Row = GroupEnergy;
  Sheet<Row> sheet(parts.by());
  // What `get(scaling)` returns, a pointer to an Estimate or null, beside its standard error.
  const auto add = [&sheet](const char* title, auto get) {
    const auto estimate_of = [get](const Row& row) -> const Estimate* {
      const auto* const scaling = std::get_if<EnergyScaling>(&row.result);
      return scaling != nullptr ? get(*scaling) : nullptr;
    };
    sheet.part(estimate_of)
        .add(title, &Estimate::estimate)
        .seen_as([estimate_of](const Row& row) {
          const Estimate* const estimate = estimate_of(row);
          return estimate != nullptr ? with_error(*estimate) : "-";
        })
        .titled(title);
  };
  const auto add_exponent = [&add](const char* title, auto fit_of) {
    add(title, [fit_of](const EnergyScaling& scaling) -> const Estimate* {
      const auto* const exponents = std::get_if<EnergyExponents>(&scaling.exponents);
      const Fit* const fit = exponents != nullptr ? fit_of(*exponents) : nullptr;
      return fit != nullptr ? &fit->parameters.back() : nullptr;
    });
  };
  add_exponent("beta of time", [](const EnergyExponents& all) { return &all.time; });
  add_exponent("exponent of power",
               [](const EnergyExponents& all) { return std::get_if<Fit>(&all.power); });
  add_exponent("exponent of energy", [](const EnergyExponents& all) { return &all.energy; });
  sheet
      .add("twice",
           [](const Row& row) -> std::optional<double> {
             const auto* const scaling = std::get_if<EnergyScaling>(&row.result);
             const auto* const exponents =
                 scaling != nullptr ? std::get_if<EnergyExponents>(&scaling->exponents) : nullptr;
             if (exponents == nullptr) return std::nullopt;
             return exponents->energy_of_twice() - 1;
           })
      .as(signed_percent(1))
      .titled("energy at twice the " + parts.origin.study.x);
  add("k [W]", [](const EnergyScaling& scaling) -> const Estimate* {  // Of E = k GPU-hours.
    const Fit* const fit = std::get_if<Fit>(&scaling.gpu_hours.origin);
    return fit != nullptr ? &fit->parameters.front() : nullptr;
  });
  return sheet;
}

ReportTable exponent_table(const ReportParts& parts, const ReportEnergy& energy) {
  GroupTable rows(parts, exponent_sheet(parts));
  for (const GroupEnergy& group : energy.groups) {
    rows.add(group.group, group);
  }
  const std::string& x = energy.head.study.x;
  const std::string worker = with_article(worker_of_scale(x));
  return {
      .id = "energy-exponents",
      .caption = fmt::format(
          "Exponents of time (t = alpha * N^(-beta)), of the power of {} and of {}, "
          "over {}. k is the slope of energy over {}, a mean over {}: where the exponent "
          "of power is not 0, {} takes another power at nearly each of them, as the table below "
          "has it.",
          worker, may_share_work(x) ? "the energy of all" : "its energy", x, hours_of_scale(x),
          all_scales(x), worker),
      .table = rows.take(),
      .on_paper = rows.on_paper()};
}

Sheet<EnergyAtScale> scale_sheet(const ReportParts& parts, const EnergyReport& head) {
  using Row = EnergyAtScale;
  Sheet<Row> sheet(parts.by());
  const auto add = [&sheet](const std::string& title, auto Row::*member, int digits) {
    sheet.add(title, member).as(significant(digits)).titled(title);
  };
  const auto add_ratio = [&sheet](const char* title, Ratio Row::*member) {
    sheet.add(title, [member](const Row& row) { return (row.*member).value; })
        .as(significant(3))
        .titled(title);
  };
  sheet.add("x", &Row::x).as(scale_value()).titled(head.study.x);
  add("kWh", &Row::kwh, 4);
  add(hours_of_scale(head.study.x), &Row::gpu_hours, 4);
  add(watts_title(head.study.x), &Row::watts_per_gpu, 4);
  add_ratio("speed", &Row::speedup);
  add_ratio("energy", &Row::energy);
  add_ratio("energy × time", &Row::edp);
  if (head.options.footprint.carbon_intensity) add("kg CO2", &Row::co2_kg, 3);
  if (head.options.footprint.price) add(head.currency.cost_title(), &Row::cost, 4);
  return sheet;
}

ReportTable scale_table(const ReportParts& parts, const ReportEnergy& energy) {
  const bool in_full = energy.groups.size() <= kMostInFull;
  GroupTable rows(parts, scale_sheet(parts, energy.head));
  for (const auto& [group, scaling] : found_in(energy.groups)) {
    const std::span<const EnergyAtScale> scales(scaling.scales);
    for (const EnergyAtScale& at : in_full ? scales : scales.last(1)) rows.add(group, at);
  }
  return {.id = "energy-scales",
          .caption = fmt::format(
              "Mean energy, PUE included, and {} of a run; speed, energy and "
              "energy times time over those at the smallest scale, by the means of runs: the first "
              "table takes the curve.{}",
              hours_of_scale(energy.head.study.x),
              in_full ? ""
                      : fmt::format(" At the greatest {} of each group: scalelaw energy "
                                    "--format csv has the others.",
                                    energy.head.study.x)),
          .table = rows.take(),
          .on_paper = rows.on_paper()};
}

/// The groups of figures, under their short names.
std::vector<GroupEnergy> drawn_energies(const ReportParts& parts, const ReportEnergy& energy) {
  std::vector<GroupEnergy> drawn;
  for (const std::size_t i : leading_groups(parts, energy.groups, [](const GroupEnergy& group) {
         const auto* scaling = std::get_if<EnergyScaling>(&group.result);
         return scaling != nullptr && scaling->scales.size() > 1;
       })) {
    const GroupEnergy& group = energy.groups[i];
    drawn.push_back({{parts.drawn_name(group.group, energy.groups.size())}, group.result});
    if (drawn.size() > kMostEnergyDrawn) break;
  }
  return drawn;
}

ReportSection energy_section(const ReportParts& parts) {
  ReportSection section{"energy", "What it takes in energy", {}};
  if (!parts.findings.energy) return section;
  const ReportEnergy& energy = *parts.findings.energy;
  add_list(section, energy_list(parts, energy));
  section.blocks.emplace_back(exponent_table(parts, energy));
  const std::vector<GroupEnergy> drawn = drawn_energies(parts, energy);
  if (!drawn.empty()) {
    const StudyAxes axes = parts.named_axes(energy.groups.size());
    Figure speed = energy_speed_figure(axes, drawn);
    Figure hours = gpu_hours_figure(axes, drawn);
    for (Figure* figure : {&speed, &hours}) {
      figure->caption += parts.choice_text(drawn.size(), energy.groups.size());
    }
    add_figure(section, "figure-energy", "Speed and energy", std::move(speed));
    add_figure(section, "figure-gpu-hours", "Energy against " + hours_of_scale(axes.x),
               std::move(hours));
  }
  ReportList sentences;  // The table has the exponents, not why there are none.
  for (const auto& [group, scaling] : found_in(energy.groups)) {
    if (sentences.items.size() == kMostSentences) break;
    if (!std::holds_alternative<NoFit>(scaling.exponents)) continue;
    sentences.items.push_back(
        {parts.names.of(group) + ":", energy_sentences(energy.head, scaling).front() + "."});
  }
  add_list(section, std::move(sentences));
  section.blocks.emplace_back(scale_table(parts, energy));
  return section;
}

// Settings.

/// A setting of a group, compared with the reference at one scale or over several.
struct ComparedSetting {
  const SettingComparison& comparison;
  const RelativeSetting& setting;
  bool is_chosen;  ///< The first table has that setting by this comparison.
};

/// "424"; of a mean over several scales "mean of 2 to 424".
std::string scales_text(const SettingComparison& comparison) {
  if (comparison.x) return scale_text(*comparison.x);
  if (comparison.over.empty()) return "-";
  const auto [least, greatest] = std::ranges::minmax_element(comparison.over);
  return *least == *greatest
             ? scale_text(*least)
             : fmt::format("mean of {} to {}", scale_text(*least), scale_text(*greatest));
}

Sheet<ComparedSetting> caps_sheet(const CapsReport& head) {
  using Row = ComparedSetting;
  Sheet<Row> sheet(head.study.by);
  sheet.for_people("x", [](const Row& row) { return scales_text(row.comparison); })
      .right()
      .titled(head.study.x);
  sheet.add("setting", [](const Row& row) { return std::string_view(row.setting.setting); })
      .right()
      .titled(head.setting);
  const auto add = [&](const std::string& name, RelativeMean RelativeSetting::*mean) {
    const auto relative = sheet.part([mean](const Row& row) { return &(row.setting.*mean); });
    relative.add(name, &RelativeMean::ratio).titled(name);
    relative.interval(name + "_ci", &RelativeMean::ci)
        .titled(fmt::format("{} interval of {}", percent_text(head.options.confidence), name));
  };
  add("time", &RelativeSetting::time);
  add("energy", &RelativeSetting::energy);
  sheet.add("chosen", [](const Row& row) { return std::string_view(row.is_chosen ? "yes" : ""); })
      .titled("chosen");
  return sheet;
}

/// The comparisons of a group that a report tells: at the scale of the first table, where there is
/// one, and over all scales.
std::vector<const SettingComparison*> told_comparisons(const SettingChoice& choice,
                                                       std::optional<double> x) {
  std::vector<const SettingComparison*> told;
  if (const SettingComparison* const there = x ? comparison_at(*choice.found, *x) : nullptr) {
    told.push_back(there);
  }
  told.push_back(&choice.found->overall);
  return told;
}

ReportTable caps_table(const ReportCaps& caps, const std::vector<AdvisedChoice>& choices,
                       std::size_t index) {
  SheetTable rows(caps_sheet(caps.head));
  for (const AdvisedChoice& one : choices) {
    for (const SettingComparison* comparison : told_comparisons(one.choice, one.x)) {
      for (const RelativeSetting& setting : comparison->settings) {
        rows.add(one.group, ComparedSetting{*comparison, setting,
                                            comparison == &one.choice.comparison() &&
                                                setting.setting == one.choice.setting});
      }
    }
  }
  return {
      .id = fmt::format("caps-{}", index + 1),
      .caption = fmt::format(
          "Time and energy at each {0} over those at {1}: by the runs at the {2} of the first "
          "table, and means over all {2} that both were measured at. Chosen: the least energy that "
          "is shown to be less, of those whose time grows by at most {3:g} % by its interval; the "
          "row is the comparison that decides.{4}",
          caps.head.setting,
          caps.head.options.reference.empty() ? "each group's greatest"
                                              : caps.head.options.reference,
          caps.head.study.x, 100 * caps.head.options.max_slowdown,
          caps.head.work.empty() ? ""
                                 : fmt::format(" Both are per unit of '{}', of which runs did "
                                               "unlike amounts.",
                                               caps.head.work)),
      .table = rows.take()};
}

/// Whether the first table follows a comparison: ", as in the first table" of runs at the scale of
/// its row, ", which decides the first table" of others; empty where another comparison decides, or
/// the group has no row.
std::string decided_text(const AdvisedChoice& one, const SettingComparison& comparison) {
  if (!one.x || &comparison != &one.choice.comparison()) return "";
  const bool is_at_row =
      comparison.x || (comparison.over.size() == 1 && comparison.over.front() == *one.x);
  return is_at_row ? ", as in the first table" : ", which decides the first table";
}

/// "; undecided is 200 W: 8.5 to 14 % less energy and 2.8 to 9.3 % more time, 3 runs each"; of the
/// one of least energy, whose numbers stand before, that it is; empty where a setting is chosen, or
/// none is undecided.
std::string undecided_clause(const CapsReport& head, const SettingComparison& comparison) {
  if (!comparison.recommended.is_reference) return "";
  const RelativeSetting* const rival = comparison.find(comparison.advice.rival);
  if (rival == nullptr) return "";
  if (rival->setting == comparison.least_energy) return ", which is undecided";
  return fmt::format("; undecided is {}: {}", value_with_unit(head.setting, rival->setting),
                     saving_text(*rival));
}

/// "At 424 GPUs, as in the first table: at 100 W, runs take ... On average over 2 to 424 GPUs: ..."
std::string comparisons_text(const CapsReport& head, const AdvisedChoice& one) {
  const std::string& x = head.study.x;
  const std::string without_row =
      one.x ? ""
            : fmt::format(
                  " The row of the first table has other settings, with which no other {} "
                  "was measured.",
                  head.setting);
  const std::string told = joined_texts(
      told_comparisons(one.choice, one.x), " ", [&](const SettingComparison* comparison) {
        const std::string place = scales_compared(x, *comparison);
        std::string text = comparison_words(head, *comparison, one.choice.found->reference) +
                           undecided_clause(head, *comparison);
        if (place.empty()) return capitalised(std::move(text)) + ".";
        return fmt::format("{} {}{}: {}.",
                           comparison->x || comparison->over.size() == 1 ? "At" : "On average over",
                           place, decided_text(one, *comparison), text);
      });
  return told + without_row;
}

ReportSection caps_section(const ReportParts& parts) {
  ReportSection section{"caps", "What settings save", {}};
  for (std::size_t i = 0; i < parts.findings.caps.size(); ++i) {
    const ReportCaps& caps = parts.findings.caps[i];
    const std::vector<AdvisedChoice> choices = advised_choices(parts, i);
    ReportList sentences;
    for (const AdvisedChoice& one : choices) {
      if (sentences.items.size() == kMostSentences) break;
      sentences.items.push_back(
          {group_name(caps.head.study.by, one.group) + ":", comparisons_text(caps.head, one)});
    }
    section.blocks.emplace_back(std::move(sentences));
    section.blocks.emplace_back(caps_table(caps, choices, i));
    StudyAxes axes = parts.axes();
    axes.by = caps.head.study.by;
    add_figure(section, fmt::format("figure-caps-{}", i + 1),
               "Speed and energy by " + caps.head.setting,
               caps_figure(axes, caps.head.setting, caps.groups, false));
  }
  return section;
}

// Time against energy.

/// ", at power_cap_w 100 (5), 200 (3), never 250": how many points of the frontier are where.
std::string levels_text(const std::string& knob, std::size_t place, const Pareto& pareto) {
  std::map<std::string, std::size_t, decltype(&natural_less)> levels(natural_less);
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

/// " Least cost: 200 W, 2 GPUs, in 84 % of draws; off the frontier."
std::string least_cost_text(const ReportPareto& pareto, const Pareto& found, std::size_t which) {
  const EtaOptimum& optimum = found.optima[which];
  const ParetoPoint& point = found.points[optimum.point];
  const std::optional<double>& share = point.costs[which].optimum_share;
  return fmt::format(" Least cost{}: {}{}{}.",
                     found.optima.size() > 1 ? fmt::format(" at eta {:g}", optimum.eta) : "",
                     said_group(pareto.head.knobs, point.knobs),
                     share ? fmt::format(", in {} of draws", shown_text(share, percent(0))) : "",
                     point.on_frontier ? "" : "; off the frontier");
}

/// How a cost of what is held differs from the other questions of a report.
/// @param unit  "GPU"
std::string held_cost_text(const std::string& unit) {
  return fmt::format(
      " It asks another question than the first table, which takes as many {0}s as still work "
      "well: "
      "here every {0} is paid for as long as it is held, and a late result costs nothing. Few {0}s "
      "lose least of their time, so that a slow run on few of them is often the cheapest. Such a "
      "run may lie off the frontier: others finish sooner and with less energy, but take more "
      "{0}-hours. Choose by this cost where {0}s are scarce or paid by the hour, else by the first "
      "table. The frontier itself chooses no setting: it has the least energy for each time, "
      "however long.",
      unit);
}

/// What the cost asks that the first table does not, so that nobody takes one for the other; empty
/// where there is no cost.
std::string cost_text(const ParetoReport& head) {
  const ParetoOptions& options = head.options;
  if (head.max_power_from.empty() || options.etas.empty()) return "";
  const bool is_held = !head.study.x.empty() && options.time_cost == TimeCost::kGpus;
  const bool is_one = options.etas.size() == 1;
  const std::string known_unit = unit_of_scale(head.study.x);
  const std::string unit = known_unit.empty() ? "unit" : known_unit;
  std::string text =
      fmt::format("Cost is {} × energy + {} × {} × {}{}.",
                  is_one ? fmt::format("{:g}", options.etas.front()) : "eta",
                  is_one ? fmt::format("{:g}", 1 - options.etas.front()) : "(1 - eta)",
                  head.max_power_from, is_held ? unit + "-hours" : "time",
                  is_one ? fmt::format(", by an eta of {:g}", options.etas.front()) : "");
  if (is_held) text += held_cost_text(unit);
  if (options.draws > 0) text += " Draws repeat the means of the runs within their errors.";
  return text;
}

std::string frontier_sentence(const ReportPareto& pareto, const Pareto& found) {
  std::string text = pareto_sentences(pareto.head, found).front();
  if (found.frontier.size() > 1) {
    for (std::size_t i = 0; i + 1 < pareto.head.knobs.size(); ++i) {
      text += levels_text(pareto.head.knobs[i], i, found);
    }
  }
  text += ".";
  if (found.points.size() < 2) return text;
  for (std::size_t i = 0; i < found.optima.size(); ++i) text += least_cost_text(pareto, found, i);
  return text;
}

/// The points of the frontier that stand in a table: all, or the ends and the optima.
std::vector<std::size_t> told_points(const Pareto& pareto, bool in_full) {
  if (in_full) return pareto.frontier;
  std::vector<std::size_t> told;
  for (const std::size_t point : pareto.frontier) {
    const bool is_end = point == pareto.frontier.front() || point == pareto.frontier.back();
    const bool is_optimum = contains(pareto.optima, point, &EtaOptimum::point);
    if (is_end || is_optimum) told.push_back(point);
  }
  return told;
}

Sheet<ParetoPoint> frontier_sheet(const ParetoReport& head) {
  Sheet<ParetoPoint> sheet(head.study.by);
  for (std::size_t i = 0; i < head.knobs.size(); ++i) {
    sheet
        .add(fmt::format("knob {}", i + 1),
             [i](const ParetoPoint& point) { return std::string_view(point.knobs[i]); })
        .right()
        .titled(head.knobs[i]);
  }
  sheet.add("n", &ParetoPoint::n).titled("runs");
  sheet.add("seconds", &ParetoPoint::seconds).titled("time [s]");
  sheet.add("kj", [](const ParetoPoint& point) { return point.joules / 1000; })
      .titled("energy [kJ]");
  sheet.add("share", &ParetoPoint::frontier_share).as(percent(0)).titled("share");
  return sheet;
}

ReportTable frontier_table(const ReportPareto& pareto) {
  const ParetoReport& head = pareto.head;
  const bool in_full = pareto.groups.size() <= kMostInFull;
  SheetTable rows(frontier_sheet(head));
  for (const auto& [group, frontier] : found_in(pareto.groups)) {
    for (const std::size_t i : told_points(frontier, in_full)) rows.add(group, frontier.points[i]);
  }
  return {
      .id = "frontier-points",
      .caption = fmt::format(
          "The frontier over {}: no other point takes less time and less energy.{}{}",
          joined(head.knobs), in_full ? "" : " Its ends and optima: scalelaw pareto has the rest.",
          head.options.draws > 0 ? " Share: of draws of the means in which no other point beats it."
                                 : ""),
      .table = rows.take()};
}

ReportSection frontier_section(const ReportParts& parts) {
  ReportSection section{"frontier", "Time against energy", {}};
  if (!parts.findings.pareto) return section;
  const ReportPareto& pareto = *parts.findings.pareto;
  for (const std::string& warning : pareto.head.study.warnings) {
    section.blocks.emplace_back(ReportText{warning});
  }
  if (const std::string text = cost_text(pareto.head); !text.empty()) {
    section.blocks.emplace_back(ReportText{text});
  }
  section.blocks.emplace_back(
      said_of_each(pareto.head.study.by, pareto.groups,
                   [&](const Pareto& frontier) { return frontier_sentence(pareto, frontier); }));
  StudyAxes axes = parts.axes();
  axes.by = pareto.head.study.by;
  add_figure(
      section, "figure-frontier", "Time against energy",
      pareto_figure(axes, pareto.head.knobs, pareto.groups, pareto.head.options.confidence, false));
  section.blocks.emplace_back(frontier_table(pareto));
  return section;
}

// Utilisation.

ReportSection utilisation_section(const ReportParts& parts) {
  ReportSection section{"utilisation", "How busy the GPUs are", {}};
  const auto add = [&](const std::vector<GroupUtilisation>& all, const char* id, const char* title,
                       auto make) {
    if (all.empty()) return;
    std::vector<GroupUtilisation> drawn;
    for (const std::size_t i : leading_groups(parts, all)) {
      drawn.push_back(all[i]);
      drawn.back().group = {parts.drawn_name(all[i].group, all.size())};
    }
    Figure figure = make(parts.named_axes(all.size()), drawn);
    figure.caption += parts.choice_text(drawn.size(), all.size());
    add_figure(section, id, title, std::move(figure));
  };
  add(parts.findings.utilisation, "figure-utilisation", "Mean utilisation", utilisation_figure);
  add(parts.findings.variation, "figure-variation", "Variation of utilisation", variation_figure);
  return section;
}

}  // namespace

std::vector<ReportSection> energy_sections(const ReportParts& parts) {
  return {energy_section(parts), caps_section(parts), frontier_section(parts),
          utilisation_section(parts)};
}

}  // namespace scalelaw
