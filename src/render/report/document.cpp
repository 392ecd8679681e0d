// The sections of a report, in their reading order.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/contrast_report.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostDrawn = 200;     // Groups that are handed to figures, which say how many
                                            // they draw.
constexpr std::size_t kMostTogether = 8;    // Groups that one panel can tell apart.
constexpr std::size_t kMostSentences = 40;  // Groups whose ranking is put into words.

ReportText paragraph(std::string text) { return {std::move(text)}; }

ReportColumn right(std::string header) { return {std::move(header), Align::kRight}; }

void add_right(std::vector<ReportColumn>& columns, std::initializer_list<std::string> headers) {
  for (const std::string& header : headers) columns.push_back(right(header));
}

void append(std::vector<ReportCell>& cells, std::initializer_list<ReportCell> more) {
  cells.insert(cells.end(), more);
}

std::string percent(double share) { return fmt::format("{:.6g} %", 100 * share); }

// Laws.

std::string warning_names(const Fit& fit) {
  std::string names;
  for (const WarningCode code : fit.warnings) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(code));
  }
  return names;
}

ReportCell range_cell(double least, double greatest) {
  return {fmt::format("{} .. {}", scale_text(least), scale_text(greatest)), greatest};
}

/// Estimate, standard error and interval of an exponent, all with the same decimals.
void append_exponent(std::vector<ReportCell>& cells, const Parameter& beta) {
  const RoundedEstimate text = rounded(beta.estimate, beta.se);
  cells.push_back({text.estimate, beta.estimate});
  cells.push_back(beta.se ? ReportCell{text.se, *beta.se} : text_cell("-"));
  const auto end = [&beta](double value) { return rounded(value, beta.se).estimate; };
  cells.push_back(
      text_cell(beta.ci ? fmt::format("{} .. {}", end(beta.ci->lower), end(beta.ci->upper)) : "-"));
}

std::vector<ReportCell> law_row(const GroupStudy& group) {
  std::vector<ReportCell> cells = group_cells(group.group);
  const Fit* const fit = std::get_if<Fit>(&group.fit);
  if (fit == nullptr) {
    cells.insert(cells.end(), 9, text_cell("-"));
    const NoFit& reason = std::get<NoFit>(group.fit);
    cells.push_back(text_cell(fmt::format("no fit: {}", name_of(reason.code))));
    return cells;
  }
  append(cells, {{fmt::to_string(fit->n), static_cast<double>(fit->n)},
                 range_cell(fit->x_min, fit->x_max),
                 number_cell(fit->parameters.front().estimate, 4)});
  append_exponent(cells, fit->parameters[1]);
  append(cells, {number_cell(fit->r2, 4),
                 number_cell(group.reach ? std::optional(group.reach->speedup) : std::nullopt, 3),
                 percent_cell(group.reach ? std::optional(group.reach->efficiency) : std::nullopt),
                 text_cell(warning_names(*fit))});
  return cells;
}

ReportTable law_table(const ReportParts& parts) {
  const StudyReport& study = parts.origin.study;
  ReportTable table{
      .id = "law-table",
      .caption = fmt::format(
          "{} of {} over {}, one row a group. beta: the exponent, above 0 more {} are "
          "faster, 1 is ideal. Speedup and efficiency are measured, between the ends "
          "of the range.",
          parts.origin.fit.law->formula(parts.origin.fit.response), study.y, study.x, study.x),
      .columns = group_columns(study.by),
      .rows = {}};
  add_right(table.columns,
            {"n", study.x, "alpha", "beta", "± SE",
             percent(parts.origin.fit.confidence) + " interval", "R²", "speedup", "efficiency"});
  table.columns.push_back({.header = "warnings"});
  for (const GroupStudy& group : parts.analysis().groups) table.rows.push_back(law_row(group));
  return table;
}

/// The groups of figures that show few: all where they are few, else the last of each value of the
/// first group column, which has the greatest settings.
std::vector<std::size_t> leading_groups(const StudyAnalysis& analysis) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < analysis.groups.size(); ++i) {
    const GroupKey& key = analysis.groups[i].group;
    const bool few = analysis.groups.size() <= kMostTogether || key.empty();
    const bool same =
        !few && !chosen.empty() && analysis.groups[chosen.back()].group.front() == key.front();
    if (same) {
      chosen.back() = i;
    } else {
      chosen.push_back(i);
    }
  }
  return chosen;
}

std::vector<DrawnGroup> drawn_groups(const ReportParts& parts,
                                     const std::vector<std::size_t>& chosen) {
  std::vector<DrawnGroup> groups;
  for (std::size_t i = 0; i < std::min(chosen.size(), kMostDrawn); ++i) {
    groups.push_back(parts.drawn(chosen[i]));
  }
  return groups;
}

std::vector<std::size_t> all_groups(const StudyAnalysis& analysis) {
  std::vector<std::size_t> all(analysis.groups.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

/// A sentence for figures that leave groups out.
void say_choice(const ReportParts& parts, const std::vector<std::size_t>& chosen, Figure& figure) {
  if (chosen.size() == parts.analysis().groups.size()) return;
  figure.caption += fmt::format(" One group of each {}, the last.", parts.by().front());
}

/// A figure drawn against one thing alone needs more than one place.
bool any_reach(const ReportParts& parts) {
  return std::any_of(parts.analysis().groups.begin(), parts.analysis().groups.end(),
                     [](const GroupStudy& group) { return group.reach.has_value(); });
}

ReportSection law_section(const ReportParts& parts) {
  ReportSection section{"laws", "How it scales", {}};
  section.blocks.emplace_back(law_table(parts));
  if (!any_reach(parts)) return section;
  section.blocks.emplace_back(ReportFigure{
      .id = "figure-scaling",
      .title = "Measured and fitted",
      .figure = scaling_figure(parts.axes(), drawn_groups(parts, all_groups(parts.analysis())))});
  const auto chosen = leading_groups(parts.analysis());
  Figure efficiency = efficiency_figure(parts.axes(), drawn_groups(parts, chosen));
  say_choice(parts, chosen, efficiency);
  section.blocks.emplace_back(ReportFigure{.id = "figure-efficiency",
                                           .title = "Speedup and efficiency",
                                           .figure = std::move(efficiency)});
  return section;
}

// Which law.

ReportCell delta_cell(const Ranking& ranking, const Law* law) {
  for (const RankedLaw& ranked : ranking.laws) {
    if (ranked.law == law && ranked.delta) {
      return {fmt::format("{:.1f}", *ranked.delta), *ranked.delta};
    }
  }
  return text_cell("-");
}

std::string verdict_text(const Ranking& ranking) {
  if (ranking.best != nullptr) return std::string(ranking.best->name());
  if (ranking.undecided.empty()) return "-";
  std::string names;
  for (const Law* law : ranking.undecided) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", law->name());
  }
  return "undecided: " + names;
}

ReportCell held_out_cell(const Ranking& ranking) {
  const HeldOutLaw* const held = telling_hold_out(ranking);
  if (held == nullptr) return text_cell("-");
  const double share = std::expm1(held->log_error);
  return {
      fmt::format("{:+.1f} %{}", 100 * share + 0.0, held->inside.value_or(true) ? "" : " outside"),
      share};
}

ReportTable rank_table(const ReportParts& parts) {
  ReportTable table{
      .id = "ranking-table",
      .caption = fmt::format(
          "AICc of each law above that of the best one: laws less than 2 apart are not told apart. "
          "Held out: by how much the mean at the greatest {} misses the curve fitted without it, "
          "and whether it lies outside its prediction interval.",
          parts.origin.study.x),
      .columns = group_columns(parts.by()),
      .rows = {}};
  table.columns.push_back({.header = "best law"});
  const auto laws = ranked_laws(parts.origin.rank);
  for (const Law* law : laws) table.columns.push_back(right(std::string(law->name())));
  table.columns.push_back(right("held out"));
  for (const GroupStudy& group : parts.analysis().groups) {
    std::vector<ReportCell> cells = group_cells(group.group);
    cells.push_back(text_cell(verdict_text(group.ranking)));
    for (const Law* law : laws) cells.push_back(delta_cell(group.ranking, law));
    cells.push_back(held_out_cell(group.ranking));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// By how much AICc speaks against the power law: its distance from the best law where that is
/// another, else less than 0 by the distance of the next one.
std::optional<double> doubt_of(const Ranking& ranking) {
  std::optional<double> power;
  std::optional<double> rival;
  for (const RankedLaw& ranked : ranking.laws) {
    if (!ranked.delta) continue;
    if (ranked.law->name() == "power") {
      power = ranked.delta;
    } else if (!rival || *ranked.delta < *rival) {
      rival = ranked.delta;
    }
  }
  if (!power || !rival) return power;
  return *power > 0 ? *power : -*rival;
}

/// The group whose points speak most against the power law, and how much.
std::optional<std::pair<std::size_t, double>> most_doubtful(const StudyAnalysis& analysis) {
  std::optional<std::pair<std::size_t, double>> found;
  for (std::size_t i = 0; i < analysis.groups.size(); ++i) {
    const auto doubt = doubt_of(analysis.groups[i].ranking);
    if (doubt && (!found || *doubt > found->second)) found = {i, *doubt};
  }
  return found;
}

ReportSection rank_section(const ReportParts& parts) {
  ReportSection section{"ranking", "Which law describes each group", {}};
  section.blocks.emplace_back(rank_table(parts));
  if (const auto doubtful = most_doubtful(parts.analysis())) {
    const GroupStudy& group = parts.analysis().groups[doubtful->first];
    Figure figure = rank_figure(parts.axes(), group.cells, {group.group, group.ranking});
    figure.caption =
        (doubtful->second > 0 ? "The group that speaks most against a power law: "
                              : "No group speaks against a power law; this one comes closest: ") +
        figure.caption;
    section.blocks.emplace_back(ReportFigure{
        .id = "figure-rank", .title = "All laws over the points", .figure = std::move(figure)});
  }
  ReportList sentences;
  for (const GroupStudy& group : parts.analysis().groups) {
    if (sentences.items.size() == kMostSentences) break;
    sentences.items.push_back({parts.names.of(group.group) + ":", group.ranking.sentence});
  }
  section.blocks.emplace_back(std::move(sentences));
  return section;
}

// Settings.

std::vector<ReportCell> pair_row(const SettingStudy& setting, const GroupKey& group,
                                 const Contrast& contrast, std::size_t pair) {
  const SlopePair& slope = contrast.slopes[pair];
  const OffsetPair& offset = contrast.offsets[pair];
  const auto level = [&](std::size_t i) {
    return value_with_unit(setting.setting, contrast.levels[i].level.front());
  };
  std::vector<ReportCell> cells = group_cells(group);
  append(cells, {text_cell(level(slope.first)), text_cell(level(slope.second))});
  const RoundedEstimate delta = rounded(slope.delta_beta.estimate, slope.delta_beta.se);
  append(cells, {{delta.estimate, slope.delta_beta.estimate},
                 slope.delta_beta.se ? ReportCell{delta.se, *slope.delta_beta.se} : text_cell("-"),
                 text_cell(slope.p_holm ? p_text(*slope.p_holm) : "-"),
                 text_cell(std::string(name_of(slope.verdict))),
                 number_cell(offset.ratio, 3),
                 interval_cell(offset.ci, 3)});
  return cells;
}

ReportTable setting_table(const ReportParts& parts, const SettingStudy& setting) {
  ReportTable table{
      .id = "setting-" + std::to_string(&setting - parts.analysis().settings.data() + 1),
      .caption = fmt::format(
          "Levels of {} in pairs. Exponents that differ by less than {} are equivalent, if the "
          "runs show it. The ratio of {} is that of the second level over the first, if they share "
          "one slope.",
          setting.setting, parts.origin.margin, parts.origin.study.y),
      .columns = group_columns(setting.by),
      .rows = {}};
  table.columns.push_back(right("first"));
  table.columns.push_back(right("second"));
  add_right(table.columns, {"difference of beta", "± SE", "p (Holm)"});
  table.columns.push_back({.header = "slopes"});
  add_right(table.columns, {"ratio", percent(parts.origin.fit.confidence) + " interval"});
  for (const GroupContrast& group : setting.contrasts) {
    const Contrast* const contrast = std::get_if<Contrast>(&group.result);
    if (contrast == nullptr) continue;
    for (std::size_t i = 0; i < contrast->slopes.size(); ++i) {
      table.rows.push_back(pair_row(setting, group.group, *contrast, i));
    }
  }
  return table;
}

ContrastReport contrast_head(const ReportParts& parts, const SettingStudy& setting) {
  ContrastReport report;
  report.study = parts.origin.study;
  report.study.by = setting.by;
  report.factors = {setting.setting};
  report.options = {.response = parts.origin.fit.response,
                    .confidence = parts.origin.fit.confidence,
                    .margin = parts.origin.margin};
  return report;
}

ReportSection setting_section(const ReportParts& parts) {
  ReportSection section{"settings", "What the settings change", {}};
  if (parts.analysis().settings.empty()) {
    section.blocks.emplace_back(
        paragraph("No group was measured at several levels of a power cap or clock (columns "
                  "power_cap_w and clock_mhz)."));
  }
  for (const SettingStudy& setting : parts.analysis().settings) {
    const ContrastReport head = contrast_head(parts, setting);
    ReportList sentences;
    for (const GroupContrast& group : setting.contrasts) {
      const Contrast* const contrast = std::get_if<Contrast>(&group.result);
      if (sentences.items.size() == kMostSentences) break;
      sentences.items.push_back({group_name(setting.by, group.group) + ":",
                                 contrast != nullptr ? contrast_sentence(head, *contrast)
                                                     : std::get<NoFit>(group.result).message});
    }
    section.blocks.emplace_back(std::move(sentences));
    section.blocks.emplace_back(setting_table(parts, setting));
  }
  return section;
}

// Forecasts.

std::vector<ReportCell> forecast_row(const ReportParts& parts, const GroupKey& group,
                                     const ScaleOutlook& at) {
  std::vector<ReportCell> cells = group_cells(group);
  const Prediction& y = at.y;
  append(cells, {{scale_text(y.x), y.x},
                 number_cell(y.median, 4),
                 number_cell(y.pi ? std::optional(y.pi->lower) : std::nullopt, 4),
                 number_cell(y.pi ? std::optional(y.pi->upper) : std::nullopt, 4),
                 number_cell(y.speedup, 3),
                 percent_cell(y.efficiency)});
  if (parts.origin.hours_per_unit) cells.push_back(number_cell(at.gpu_hours, 4));
  if (parts.origin.energy.empty()) return cells;
  const auto kwh = [&at](auto value) { return at.kwh ? value(*at.kwh) : std::nullopt; };
  append(cells, {number_cell(kwh([](const Prediction& p) { return std::optional(p.median); }), 4),
                 number_cell(kwh([](const Prediction& p) {
                               return p.pi ? std::optional(p.pi->upper) : std::nullopt;
                             }),
                             4)});
  if (parts.origin.footprint.carbon_intensity) cells.push_back(number_cell(at.co2_kg, 3));
  if (parts.origin.footprint.price) cells.push_back(number_cell(at.cost, 4));
  return cells;
}

std::vector<ReportColumn> forecast_columns(const ReportParts& parts) {
  std::vector<ReportColumn> columns = group_columns(parts.by());
  const std::string share = percent(parts.origin.fit.confidence);
  add_right(columns, {parts.origin.study.x, "median " + parts.origin.study.y, share + " from",
                      share + " to", "speedup", "efficiency"});
  if (parts.origin.hours_per_unit) columns.push_back(right("GPU-hours"));
  if (parts.origin.energy.empty()) return columns;
  add_right(columns, {"kWh", share + " kWh up to"});
  if (parts.origin.footprint.carbon_intensity) columns.push_back(right("kg CO2"));
  if (parts.origin.footprint.price) columns.push_back(right("cost"));
  return columns;
}

ReportTable forecast_table(const ReportParts& parts) {
  ReportTable table{
      .id = "forecast-table",
      .caption = fmt::format(
          "Forecasts at two and four times the greatest {} that was measured, by the average of "
          "power law, floor and Amdahl's law. The interval is that of one new run, the laws' "
          "disagreement included.",
          parts.origin.study.x),
      .columns = forecast_columns(parts),
      .rows = {}};
  for (const GroupStudy& group : parts.analysis().groups) {
    const Outlook* const outlook = std::get_if<Outlook>(&group.outlook);
    if (outlook == nullptr) continue;
    for (const ScaleOutlook& at : outlook->scales) {
      table.rows.push_back(forecast_row(parts, group.group, at));
    }
  }
  return table;
}

ReportSection forecast_section(const ReportParts& parts) {
  ReportSection section{"forecasts", "Beyond the data", {}};
  ReportTable table = forecast_table(parts);
  if (table.rows.empty()) {
    section.blocks.emplace_back(paragraph("No group has a forecast: its law could not be fitted."));
    return section;
  }
  section.blocks.emplace_back(std::move(table));
  std::vector<DrawnForecast> drawn;
  const auto chosen = leading_groups(parts.analysis());
  for (const std::size_t i : chosen) {
    const GroupStudy& group = parts.analysis().groups[i];
    const Outlook* const outlook = std::get_if<Outlook>(&group.outlook);
    if (outlook != nullptr && outlook->forecast.x_max > outlook->forecast.x_min) {
      drawn.push_back({group.group, group.cells, outlook->forecast});
    }
  }
  if (drawn.empty()) return section;
  Figure figure = forecast_figure(parts.axes(), drawn, 0);
  say_choice(parts, chosen, figure);
  section.blocks.emplace_back(ReportFigure{
      .id = "figure-forecast", .title = "Forecasts with both bands", .figure = std::move(figure)});
  return section;
}

ReportSection what_if_section(const ReportParts& parts) {
  ReportSection section{"what-if", "What if", {}};
  const bool any = std::any_of(
      parts.analysis().groups.begin(), parts.analysis().groups.end(),
      [](const GroupStudy& group) { return std::holds_alternative<Outlook>(group.outlook); });
  if (any) section.blocks.emplace_back(ReportWhatIf{forecasts_json(parts)});
  return section;
}

// What not to believe, and how to make it again.

ReportSection warning_section(const ReportParts& parts) {
  ReportSection section{"warnings", "Warnings explained", {}};
  ReportTable table{.id = "warning-table",
                    .caption = "What is doubtful about each law, and what to do about it.",
                    .columns = group_columns(parts.by()),
                    .rows = {}};
  table.columns.push_back({.header = "warning"});
  table.columns.push_back({.header = "what it means here"});
  const auto add = [&](const GroupKey& group, std::string_view code, std::string text) {
    std::vector<ReportCell> cells = group_cells(group);
    append(cells, {text_cell(std::string(code)), text_cell(std::move(text))});
    table.rows.push_back(std::move(cells));
  };
  for (const GroupStudy& group : parts.analysis().groups) {
    if (const NoFit* failure = std::get_if<NoFit>(&group.fit)) {
      add(group.group, name_of(failure->code), failure->message);
      continue;
    }
    const Fit& fit = std::get<Fit>(group.fit);
    for (const WarningCode code : fit.warnings) add(group.group, name_of(code), explain(code, fit));
  }
  for (const std::string& warning : parts.origin.study.warnings) {
    section.blocks.emplace_back(paragraph(warning));
  }
  if (table.rows.empty()) {
    section.blocks.emplace_back(paragraph("No law has a warning."));
  } else {
    section.blocks.emplace_back(std::move(table));
  }
  const std::vector<std::vector<Cell>>& points = parts.findings.points;
  if (points.empty() || !any_reach(parts)) return section;
  std::vector<DrawnGroup> drawn;
  for (const std::size_t i : leading_groups(parts.analysis())) {
    drawn.push_back(parts.drawn(i));
    drawn.back().cells = points[i];
  }
  section.blocks.emplace_back(ReportFigure{.id = "figure-residuals",
                                           .title = "Residuals of the laws",
                                           .figure = residuals_figure(parts.axes(), drawn)});
  return section;
}

std::string rows_text(const RowCounts& rows) {
  return fmt::format("{} read, {} used, {} without a value, {} malformed, {} left out by --where",
                     rows.read, rows.used, rows.missing, rows.bad, rows.filtered);
}

ReportSection origin_section(const ReportParts& parts) {
  const ReportOrigin& origin = parts.origin;
  const StudyReport& study = origin.study;
  ReportTable table{.id = "origin-table",
                    .caption = "Settings of this report.",
                    .columns = {{.header = "setting"}, {.header = "value"}},
                    .rows = {},
                    .sortable = false};
  const auto add = [&table](std::string name, std::string value) {
    table.rows.push_back({text_cell(std::move(name)), text_cell(std::move(value))});
  };
  add("program", fmt::format("scalelaw {}", kVersion));
  add("command", origin.command);
  for (const ReportInput& input : origin.inputs) {
    add("input", input.sha256.empty() ? fmt::format("{}: read once, not hashed", input.path)
                                      : fmt::format("{}: {} bytes, SHA-256 {}", input.path,
                                                    input.bytes, input.sha256));
  }
  add("rows", rows_text(study.rows));
  add("columns", fmt::format("x: {}, y: {}, groups: {}", study.x, study.y,
                             study.by.empty() ? "all rows" : joined(study.by)));
  add("law", fmt::format("{}, {} errors, {} standard errors, {} intervals",
                         origin.fit.law->formula(origin.fit.response), name_of(origin.fit.errors),
                         name_of(origin.fit.se), percent(origin.fit.confidence)));
  add("ranking",
      fmt::format("{} bootstrap resamples, seed {}", origin.rank.resamples, origin.rank.seed));
  add("energy", origin.energy.empty()
                    ? "no column of energy"
                    : fmt::format("{}, PUE {:g}", origin.energy, origin.footprint.pue));
  ReportSection section{"origin", "How to make it again", {}};
  section.blocks.emplace_back(std::move(table));
  return section;
}

std::string subtitle_of(const ReportOrigin& origin, const StudyAnalysis& analysis) {
  std::vector<std::string> inputs;
  for (const std::string& input : origin.study.inputs) inputs.push_back(input_name(input));
  return fmt::format("{} over {}: {}, {} of {}", origin.study.y, origin.study.x,
                     counted(analysis.groups.size(), "group"),
                     counted(origin.study.rows.used, "run"), joined(inputs));
}

}  // namespace

ReportDocument study_document(const ReportOrigin& origin, const ReportFindings& findings) {
  const GroupNames names(origin.study.by, findings.analysis);
  const ReportParts parts{origin, findings, names};
  ReportDocument document{"Scaling report", subtitle_of(origin, findings.analysis), {}};
  const auto add = [&document](std::vector<ReportSection> sections) {
    std::move(sections.begin(), sections.end(), std::back_inserter(document.sections));
  };
  document.sections.push_back({"summary", "Summary", summary_blocks(parts)});
  document.sections.push_back(what_if_section(parts));
  document.sections.push_back(law_section(parts));
  document.sections.push_back(rank_section(parts));
  document.sections.push_back(setting_section(parts));
  add(energy_sections(parts));
  document.sections.push_back(forecast_section(parts));
  add(published_sections(parts));
  document.sections.push_back(warning_section(parts));
  document.sections.push_back(origin_section(parts));
  std::erase_if(document.sections,
                [](const ReportSection& section) { return section.blocks.empty(); });
  return document;
}

}  // namespace scalelaw
