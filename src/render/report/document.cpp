// The sections of a report, in their reading order.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/forecast_words.hpp"
#include "render/rank_verdict.hpp"
#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/contrast_report.hpp"
#include "scalelaw/render/nights_report.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostDrawn = 200;  // Groups that are handed to figures, which say how many
                                         // they draw.

ReportText paragraph(std::string text) { return {std::move(text)}; }

// Laws.

std::string range_text(const GroupStudy& group) {
  const Fit* const fit = fit_of(group);
  return fit == nullptr ? "-"
                        : fmt::format("{} .. {}", scale_text(fit->x_min), scale_text(fit->x_max));
}

std::string warnings_text(const GroupStudy& group) {
  const Fit* const fit = fit_of(group);
  if (fit != nullptr) return names_of(fit->warnings, ", ");
  return fmt::format("no fit: {}", name_of(std::get<NoFit>(group.fit).code));
}

/// The greatest measured scale at which half of the ideal is kept; empty without several scales.
std::optional<double> kept_up_to(const GroupStudy& group) {
  if (!group.reach) return std::nullopt;
  return efficient_up_to(group).value_or(group.reach->x_min);
}

Sheet<GroupStudy> law_sheet(const ReportParts& parts) {
  using Row = GroupStudy;
  Sheet<Row> sheet(parts.by());
  const auto fit = sheet.part(fit_of);
  const auto curve =
      sheet.part([](const Row& row) { return row.reach ? pointer_to(row.at_greatest) : nullptr; });
  fit.add("n", &Fit::n).titled("n");
  fit.add("x", &Fit::x_max).seen_as(range_text).titled(parts.origin.study.x);
  sheet
      .part([](const Row& row) {
        const Fit* const law = fit_of(row);
        return law != nullptr ? &law->parameters.front() : nullptr;
      })
      .add("alpha", &Parameter::estimate)
      .titled("alpha");
  sheet.estimate("beta", exponent_of).titled("beta");
  sheet.show("beta_se", "± SE");
  sheet.show("beta_ci", percent_text(parts.origin.fit.confidence) + " interval");
  fit.add("r2", &Fit::r2).titled("R²");
  if (parts.shows_speedup()) {
    curve.add("speedup", &Prediction::speedup).as(significant(3)).titled("speedup");
  }
  if (parts.ideal() != Ideal::kNone) {
    curve.add("efficiency", parts.work_grows() ? &Prediction::speedup : &Prediction::efficiency)
        .as(percent(0))
        .titled(parts.work_grows() ? "weak efficiency" : "efficiency");
    sheet.add("efficient_to", kept_up_to).as(scale_value()).titled("50 % up to");
  }
  sheet.for_people("warnings", warnings_text).titled("warnings");
  return sheet;
}

std::string_view judged_clause(Ideal ideal) {
  switch (ideal) {
    case Ideal::kFaster:
      return "Speedup and efficiency, between the ends of the range, are";
    case Ideal::kAsLong:
      return "Weak efficiency, the time at the smallest scale over that at the largest, is";
    case Ideal::kNone:
      break;
  }
  return "Speedup, between the ends of the range, is";
}

std::string law_formula(const ReportOrigin& origin) {
  return formula_of(*origin.fit.law, origin.study, origin.fit.response);
}

/// What a positive exponent means: "more gpus are faster, 1 is ideal", "more flops have less loss".
std::string effect_of_scale(const ReportParts& parts) {
  const std::string& x = parts.origin.study.x;
  const bool counts = setting_of_scale(x).empty();
  const std::string larger =
      counts ? fmt::format("more {}", x) : fmt::format("a larger {}", noun_of_scale(x));
  if (!parts.has_speedup()) {
    return fmt::format("the {} {} with {}", parts.words().noun,
                       parts.origin.fit.response == Response::kTime ? "falls" : "rises", larger);
  }
  return fmt::format("{} {} faster{}", larger, counts ? "are" : "is",
                     parts.ideal() == Ideal::kNone
                         ? ""
                         : fmt::format(", {} is ideal",
                                       parts.work_grows() || parts.origin.fit.rate_of_one ? 0 : 1));
}

ReportTable law_table(const ReportParts& parts) {
  const StudyReport& study = parts.origin.study;
  const bool of_one = parts.origin.fit.rate_of_one;
  GroupTable rows(parts, law_sheet(parts));
  for (const GroupStudy& group : parts.groups()) {
    rows.add(group.group, group);
  }
  return {
      .id = "law-table",
      .caption = fmt::format(
          "{} of {} over {}, one row per group. beta: the exponent, above {} {}; it says nothing "
          "about the {} itself{}",
          law_formula(parts.origin), label_with_unit(study.y, study.y_unit), study.x,
          of_one ? -1 : 0, effect_of_scale(parts),
          parts.has_speedup() ? "time" : parts.words().noun,
          parts.has_speedup()
              ? fmt::format(", and slow settings often have the greatest. {} by the curve of the "
                            "forecasts, as in the first table.",
                            judged_clause(parts.ideal()))
              : "."),
      .table = rows.take(),
      .on_paper = rows.on_paper()};
}

/// The groups of figures that show few.
std::vector<DrawnGroup> leading_drawn(const ReportParts& parts) {
  std::vector<DrawnGroup> groups;
  for (const std::size_t i : leading_groups(parts, parts.groups()))
    groups.push_back(parts.drawn(i));
  return groups;
}

/// A figure drawn against one thing alone needs more than one place.
bool any_reach(const ReportParts& parts) {
  return std::ranges::any_of(parts.groups(),
                             [](const GroupStudy& group) { return group.reach.has_value(); });
}

/// When figures changed over the nights, drawn as `plot history` draws it.
ReportSection nights_section(const ReportParts& parts) {
  ReportSection section{"nights", "What changed over the nights", {}};
  if (!parts.findings.nights) return section;
  const auto& [report, figures] = *parts.findings.nights;
  constexpr std::size_t kMostSentences = 6;
  std::vector<ReportList::Item> items;
  for (const FigureHistory& history : figures) {
    if (!history.is_shown || items.size() == kMostSentences) continue;
    const std::string group = group_name(report.by, history.group.group);
    items.push_back({fmt::format("Since {}.", history.levels.back().since),
                     fmt::format("{}{}.", report.by.empty() ? "" : group + ": ",
                                 level_sentence(report, history))});
  }
  add_list(section, {std::move(items)});
  add_figure(section, "figure-nights", "The nights and their levels",
             nights_figure(report, figures));
  return section;
}

ReportSection law_section(const ReportParts& parts) {
  ReportSection section{"laws", "How it scales", {}};
  add_list(section, scaling_list(parts));
  section.blocks.emplace_back(law_table(parts));
  if (!any_reach(parts)) return section;
  if (parts.advised.size() < parts.groups().size()) {  // Else it stands in the answer.
    std::vector<DrawnGroup> all;
    for (std::size_t i = 0; i < std::min(parts.groups().size(), kMostDrawn); ++i) {
      all.push_back(parts.drawn(i));
    }
    add_figure(section, "figure-scaling", "All groups", scaling_figure(parts.axes(), all));
  }
  if (!parts.has_speedup()) return section;
  const std::vector<DrawnGroup> leading = leading_drawn(parts);
  Figure efficiency = efficiency_figure(parts.leading_axes(), leading);
  efficiency.caption += parts.choice_text(leading.size(), parts.groups().size());
  add_figure(section, "figure-efficiency", std::string(judged_words(parts.ideal())),
             std::move(efficiency));
  return section;
}

// Which law.

std::optional<double> delta_of(const Ranking& ranking, const Law* law) {
  for (const RankedLaw& ranked : ranking.laws) {
    if (ranked.law == law) return ranked.delta;
  }
  return std::nullopt;
}

std::string held_out_text(const Ranking& ranking) {
  const HeldOutLaw* const held = telling_hold_out(ranking);
  if (held == nullptr) return "-";
  return fmt::format("{}{}", shown_text(std::expm1(held->log_error), signed_percent(1)),
                     held->inside.value_or(true) ? "" : " outside");
}

/// Whether some law of a group has no AICc.
bool any_unranked(const ReportParts& parts) {
  const auto is_ranked = [](const RankedLaw& ranked) { return ranked.delta.has_value(); };
  return std::ranges::any_of(parts.groups(), [&](const GroupStudy& group) {
    return !std::ranges::all_of(group.ranking.laws, is_ranked);
  });
}

ReportTable rank_table(const ReportParts& parts) {
  Sheet<Ranking> sheet(parts.by());
  sheet.for_people("verdict", verdict_words).titled("verdict");
  const auto departure = [](const Ranking& ranking) {
    return member_of(pointer_to(ranking.corrected.departure), &CorrectedP::p);
  };
  sheet.add("p", departure).as(p_value()).titled("p");
  for (const Law* law : ranked_laws(parts.origin.rank)) {
    const std::string name(law->name());
    sheet.add("delta_" + name, [law](const Ranking& ranking) { return delta_of(ranking, law); })
        .as(decimals(1))
        .titled(name);
  }
  const auto held_out = [](const Ranking& ranking) {
    const HeldOutLaw* const held = telling_hold_out(ranking);
    return held == nullptr ? std::nullopt : std::optional(std::expm1(held->log_error));
  };
  sheet.add("held_out", held_out).seen_as(held_out_text).titled("held out");
  GroupTable rows(parts, sheet);
  for (const GroupStudy& group : parts.groups()) {
    rows.add(group.group, group.ranking);
  }
  return {
      .id = "ranking-table",
      .caption = fmt::format(
          "p: of the tests for a bend, a floor and a break together, corrected for the number of "
          "groups; below 0.05 they exclude the power law. Then the AICc of each law above that of "
          "the best one: laws less than 2 above it are not excluded{}. AICc takes each law at its "
          "best fit; forecasts weigh laws by all of their curves that the points allow and by "
          "which shapes are usual. They leave the broken law out: beyond a break only the few last "
          "points speak, and nothing tells where the next one is. Held out: by how much the mean "
          "at the greatest {} misses the curve of the best of these laws, fitted without it; "
          "\"outside\" where it lies outside its prediction interval.",
          any_unranked(parts) ? ", and those without a value cannot be ranked" : "",
          parts.origin.study.x),
      .table = rows.take(),
      .on_paper = rows.on_paper()};
}

/// The group whose points speak most against the power law, and how much.
std::optional<std::pair<std::size_t, double>> most_doubtful(const StudyAnalysis& analysis) {
  std::optional<std::pair<std::size_t, double>> found;
  for (std::size_t i = 0; i < analysis.groups.size(); ++i) {
    const auto doubt = doubt_of_power_law(analysis.groups[i].ranking);
    if (doubt && (!found || *doubt > found->second)) found = {i, *doubt};
  }
  return found;
}

/// What `rank` says of a group, then the figures behind it.
std::string verdict_and_statistics(const ReportParts& parts, const Ranking& ranking) {
  const std::string verdict = rank_verdict(ranking, parts.origin.study.x).front();
  return ranking.sentence.starts_with(verdict) ? ranking.sentence
                                               : verdict + " " + ranking.sentence;
}

/// What the table does not say in a word: why the runs of some groups follow no power law, and what
/// to doubt. Groups of which the same is said stand together.
ReportList verdict_reasons(const ReportParts& parts) {
  if (parts.groups().size() == 1) {
    const Ranking& ranking = parts.groups().front().ranking;
    return {{{"", verdict_and_statistics(parts, ranking)}}};
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  const auto add = [&reasons](const std::string& text, const std::string& name) {
    if (text.empty()) return;
    const auto known =
        std::ranges::find_if(reasons, [&text](const auto& reason) { return reason.first == text; });
    if (known != reasons.end()) {
      known->second.push_back(name);
    } else if (reasons.size() < kMostSentences) {
      reasons.push_back({text, {name}});
    }
  };
  for (const GroupStudy& group : parts.groups()) {
    const std::string name = parts.names.of(group.group);
    if (verdict_on_power(group.ranking) != PowerVerdict::kFollows) {
      add(rank_verdict(group.ranking, parts.origin.study.x).front(), name);
    }
    add(rank_doubt(group.ranking), name);
  }
  ReportList list;
  for (auto& [text, names] : reasons) {
    list.items.push_back(
        {names.size() == parts.groups().size() ? "All groups:" : named_groups(names) + ":", text});
  }
  return list;
}

ReportSection rank_section(const ReportParts& parts) {
  ReportSection section{"ranking", "Which law describes each group", {}};
  add_list(section, verdict_list(parts));
  add_list(section, verdict_reasons(parts));
  section.blocks.emplace_back(rank_table(parts));
  if (const auto doubtful = most_doubtful(parts.analysis())) {
    const GroupStudy& group = parts.groups()[doubtful->first];
    Figure figure = rank_figure(parts.axes(), group.cells, {group.group, group.ranking});
    figure.caption = fmt::format(
        "All laws over the points of {}{}", parts.names.of(group.group),
        doubtful->second > 0 ? ", which speak most against a power law."
                             : ". No group speaks against a power law; this one comes closest.");
    add_figure(section, "figure-rank", "All laws over the points", std::move(figure));
  }
  return section;
}

// Settings.

/// A pair of levels of a setting.
struct LevelPair {
  const SettingStudy& setting;
  const Contrast& contrast;
  const SlopePair& slope;
  const OffsetPair& offset;

  std::string level(std::size_t i) const {
    return value_with_unit(setting.setting, contrast.levels[i].level.front());
  }
};

Sheet<LevelPair> pair_sheet(const ReportParts& parts, const SettingStudy& setting) {
  using Row = LevelPair;
  Sheet<Row> sheet(setting.by);
  sheet.for_people("first", [](const Row& row) { return row.level(row.slope.first); })
      .right()
      .titled("first");
  sheet.for_people("second", [](const Row& row) { return row.level(row.slope.second); })
      .right()
      .titled("second");
  sheet.estimate("delta_beta", [](const Row& row) { return &row.slope.delta_beta; })
      .titled("difference of beta");
  sheet.show("delta_beta_se", "± SE");
  sheet.for_people("p_holm", [](const Row& row) { return shown_text(row.slope.p_holm, p_value()); })
      .right()
      .titled("p (Holm)");
  sheet.add("verdict", [](const Row& row) { return name_of(row.slope.verdict); }).titled("slopes");
  const auto offset = sheet.part([](const Row& row) {  // One factor where one slope is possible.
    return row.slope.verdict == Verdict::kDiffer ? nullptr : &row.offset;
  });
  offset.add("ratio", &OffsetPair::ratio).as(significant(3)).titled("ratio");
  offset.interval("ratio_ci", &OffsetPair::ci)
      .as(significant(3))
      .titled(percent_text(parts.origin.fit.confidence) + " interval");
  return sheet;
}

ReportTable setting_table(const ReportParts& parts, const SettingStudy& setting) {
  SheetTable rows(pair_sheet(parts, setting));
  for (const auto& [group, contrast] : found_in(setting.contrasts)) {
    for (std::size_t i = 0; i < contrast.slopes.size(); ++i) {
      rows.add(group, LevelPair{setting, contrast, contrast.slopes[i], contrast.offsets[i]});
    }
  }
  return {.id = "setting-" + std::to_string(&setting - parts.analysis().settings.data() + 1),
          .caption = fmt::format(
              "Levels of {} in pairs. Exponents that differ by less than {} are equivalent, if the "
              "runs show it; p is of the test that they are the same, which is another question. "
              "The ratio of {} is that of the second level over the first by laws of one "
              "slope; where exponents differ, it changes with {} and is no single number.",
              setting.setting, parts.origin.margin, parts.origin.study.y, parts.origin.study.x),
          .table = rows.take()};
}

ReportSection setting_section(const ReportParts& parts) {
  ReportSection section{"settings", "What the settings change", {}};
  const std::string& x = parts.origin.study.x;
  if (!parts.findings.caps.empty()) {
    section.blocks.emplace_back(paragraph(fmt::format(
        "This compares fitted laws, which rest on the runs at {}. \"What settings save\", which "
        "chooses the settings of the first table, compares the runs themselves, at one {} and on "
        "average over all, so its percentages differ.",
        all_scales(x),
        setting_of_scale(x).empty() ? (unit_of_scale(x).empty() ? "value" : "number")
                                    : setting_of_scale(x))));
  }
  if (parts.analysis().settings.empty() && parts.has_speedup()) {
    section.blocks.emplace_back(
        paragraph("No group was measured at several levels of a power cap or clock (columns "
                  "power_cap_w and clock_mhz)."));
  }
  for (const SettingStudy& setting : parts.analysis().settings) {
    const ContrastReport head = contrast_head(parts, setting);
    section.blocks.emplace_back(said_of_each(
        setting.by, setting.contrasts,
        [&](const Contrast& contrast) { return contrast_sentence(head, contrast) + "."; }));
    section.blocks.emplace_back(setting_table(parts, setting));
  }
  return section;
}

// Forecasts.

Sheet<ScaleOutlook> forecast_sheet(const ReportParts& parts) {
  using Row = ScaleOutlook;
  const ReportOrigin& origin = parts.origin;
  const std::string share = percent_text(origin.fit.confidence);
  Sheet<Row> sheet(parts.by());
  const auto y = sheet.part([](const Row& row) { return &row.y; });
  const auto pi = sheet.part([](const Row& row) { return pointer_to(row.y.pi); });
  y.add("x", &Prediction::x).as(scale_value()).titled(origin.study.x);
  y.add("median", &Prediction::median)
      .titled("median " + label_with_unit(origin.study.y, origin.study.y_unit));
  pi.add("pi_lower", &Interval::lower).titled(share + " from");
  pi.add("pi_upper", &Interval::upper).titled(share + " to");
  if (parts.shows_speedup()) {
    y.add("speedup", &Prediction::speedup).as(significant(3)).titled("speedup");
  }
  if (parts.ideal() == Ideal::kFaster) {
    y.add("efficiency", &Prediction::efficiency).as(percent(0)).titled("efficiency");
  }
  if (origin.hours_per_unit) sheet.add("gpu_hours", &Row::gpu_hours).titled("GPU-hours");
  if (origin.energy.empty()) return sheet;
  const auto kwh = [](const Row& row) { return pointer_to(row.kwh); };
  const auto kwh_pi = [kwh](const Row& row) {
    return kwh(row) != nullptr ? pointer_to(kwh(row)->pi) : nullptr;
  };
  sheet.part(kwh).add("kwh", &Prediction::median).titled("kWh");
  sheet.part(kwh_pi).add("kwh_upper", &Interval::upper).titled(share + " kWh up to");
  if (origin.footprint.carbon_intensity) {
    sheet.add("co2_kg", &Row::co2_kg).as(significant(3)).titled("kg CO2");
  }
  if (origin.footprint.price) sheet.add("cost", &Row::cost).titled(origin.currency.cost_title());
  return sheet;
}

ReportTable forecast_table(const ReportParts& parts) {
  GroupTable rows(parts, forecast_sheet(parts));
  std::vector<const Forecast*> forecasts;
  for (const GroupStudy& group : parts.groups()) {
    const Outlook* const outlook = std::get_if<Outlook>(&group.outlook);
    if (outlook == nullptr) continue;
    forecasts.push_back(&outlook->forecast);
    for (const ScaleOutlook& at : outlook->scales) {
      rows.add(group.group, at);
    }
  }
  return {
      .id = "forecast-table",
      .caption = fmt::format(
          "Forecasts at two and four times the greatest {} that was measured, by {}. The interval "
          "is that of one new run, the laws' disagreement included. These weights are not those of "
          "AICc in \"Which law\": they count every curve that the points allow, and few points "
          "cannot rule a law out.",
          parts.origin.study.x, forecasts.empty() ? "no law" : curve_words(forecasts)),
      .table = rows.take(),
      .on_paper = rows.on_paper()};
}

ReportSection forecast_section(const ReportParts& parts) {
  ReportSection section{"forecasts", "Beyond the data", {}};
  ReportTable table = forecast_table(parts);
  if (table.table.empty()) {
    section.blocks.emplace_back(paragraph("No group has a forecast: its law could not be fitted."));
    return section;
  }
  section.blocks.emplace_back(std::move(table));
  std::vector<DrawnForecast> drawn;
  const auto chosen = leading_groups(parts, parts.groups());
  for (const std::size_t i : chosen) {
    const GroupStudy& group = parts.groups()[i];
    const Outlook* const outlook = std::get_if<Outlook>(&group.outlook);
    if (outlook != nullptr && outlook->forecast.x_max > outlook->forecast.x_min) {
      drawn.push_back({group.group, group.cells, outlook->forecast});
    }
  }
  if (drawn.empty()) return section;
  Figure figure = forecast_figure(parts.leading_axes(), drawn, {});
  figure.caption += parts.choice_text(chosen.size(), parts.groups().size());
  add_figure(section, "figure-forecast", "Forecast", std::move(figure));
  return section;
}

ReportSection doubt_section(const ReportParts& parts) {
  ReportSection section{"doubts", "More not to believe, explained", {}};
  add_list(section, doubt_list(parts));
  return section;
}

ReportSection what_if_section(const ReportParts& parts) {
  ReportSection section{"what-if", "What if", {}};
  const bool any = std::ranges::any_of(parts.groups(), [](const GroupStudy& group) {
    return std::holds_alternative<Outlook>(group.outlook);
  });
  if (any) section.blocks.emplace_back(ReportWhatIf{forecasts_json(parts)});
  return section;
}

// What not to believe, and how to make it again.

struct Doubt {
  std::string_view code;
  std::string meaning;
};

ReportTable warning_table(const ReportParts& parts) {
  Sheet<Doubt> sheet(parts.by());
  sheet.add("code", [](const Doubt& doubt) { return doubt.code; }).titled("warning");
  sheet.for_people("meaning", [](const Doubt& doubt) { return doubt.meaning; })
      .titled("what it means here");
  SheetTable rows(sheet);
  for (const GroupStudy& group : parts.groups()) {
    if (const NoFit* failure = std::get_if<NoFit>(&group.fit)) {
      rows.add(group.group, Doubt{name_of(failure->code), failure->message});
      continue;
    }
    const Fit& fit = *fit_of(group);
    for (const WarningCode code : fit.warnings) {
      rows.add(group.group, Doubt{name_of(code), explain(code, fit)});
    }
  }
  return {.id = "warning-table",
          .caption = "What is doubtful about each law, and what to do about it.",
          .table = rows.take()};
}

ReportSection warning_section(const ReportParts& parts) {
  ReportSection section{"warnings", "Warnings and residuals", {}};
  ReportTable table = warning_table(parts);
  for (const std::string& warning : parts.origin.study.warnings) {
    section.blocks.emplace_back(paragraph(warning));
  }
  if (table.table.empty()) {
    section.blocks.emplace_back(paragraph("No law has a warning."));
  } else {
    section.blocks.emplace_back(std::move(table));
  }
  const std::vector<std::vector<Cell>>& points = parts.findings.points;
  if (points.empty() || !any_reach(parts)) return section;
  std::vector<DrawnGroup> drawn;
  for (const std::size_t i : leading_groups(parts, parts.groups())) {
    drawn.push_back(parts.drawn(i));
    drawn.back().cells = points[i];
  }
  add_figure(section, "figure-residuals", "Residuals of the fitted laws",
             residuals_figure(parts.leading_axes(), drawn));
  return section;
}

std::string rows_text(const RowCounts& rows) {
  return fmt::format(
      "{} read, {} used, {} without a value, {} malformed, {} left out by --where{}{}{}", rows.read,
      rows.used, rows.missing, rows.bad, rows.filtered,
      rows.steps == 0 ? "" : fmt::format(", {} of job steps", rows.steps),
      rows.repeats == 0 ? "" : fmt::format(", {} of jobs in several files", rows.repeats),
      rows.failures.empty() ? "" : "; " + rows.failures);
}

ReportSection origin_section(const ReportParts& parts) {
  const ReportOrigin& origin = parts.origin;
  const StudyReport& study = origin.study;
  TextTable table({{.header = "setting"}, {.header = "value"}});
  const auto add = [&table](std::string name, std::string value) {
    table.add_row(std::vector<std::string>{std::move(name), std::move(value)});
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
                             study.by.empty() ? "all runs" : joined(study.by)));
  add("law", fmt::format("{}, {} errors, {} standard errors, {} intervals", law_formula(origin),
                         name_of(origin.fit.errors), name_of(origin.fit.se),
                         percent_text(origin.fit.confidence)));
  add("ranking",
      fmt::format("{} bootstrap resamples, seed {}", origin.rank.resamples, origin.rank.seed));
  add("energy", origin.energy.empty()
                    ? "no column of energy or power was used"
                    : fmt::format("{}, PUE {:g}", origin.energy, origin.footprint.pue));
  ReportSection section{"origin", "How to make it again", {}};
  section.blocks.emplace_back(ReportTable{.id = "origin-table",
                                          .caption = "Settings of this report.",
                                          .table = std::move(table),
                                          .sortable = false});
  return section;
}

/// ". Times, energies and costs are for one epoch"; or where the names of the columns tell of
/// unlike work, ". Times are for one epoch, energies and costs for one run". Empty of rates.
std::string work_clause(const ReportOrigin& origin) {
  if (work_of(origin).empty()) return "";
  const std::string named = work_in(origin.study.y);
  const std::string work = named.empty() ? "run" : named;
  if (origin.energy.empty()) {
    return fmt::format(". Times{} are for one {}", origin.hours_per_unit ? " and GPU-hours" : "",
                       work);
  }
  const std::string of_energy = origin.power.empty() ? work_in(origin.energy) : work;
  if (of_energy.empty() || of_energy == work) {
    return fmt::format(". Times, energies and costs are for one {}", work);
  }
  return fmt::format(". Times are for one {}, energies and costs for one {}", work, of_energy);
}

std::string subtitle_of(const ReportOrigin& origin, const StudyAnalysis& analysis) {
  std::vector<std::string> inputs;
  for (const std::string& input : origin.study.inputs) inputs.push_back(input_name(input));
  return fmt::format("{} over {}: {}, {} of {}{}", origin.study.y, origin.study.x,
                     counted(analysis.groups.size(), "group"),
                     counted(origin.study.rows.used, "run"), joined(inputs), work_clause(origin));
}

ReportDocument document_of(const ReportParts& parts) {
  const ReportOrigin& origin = parts.origin;
  ReportDocument document{"Scaling report", subtitle_of(origin, parts.analysis()), {}, origin.note};
  std::vector<ReportSection>& sections = document.sections;
  const auto add_folded = [&sections](std::vector<ReportSection> folded) {
    for (ReportSection& section : folded) {
      section.folded = true;
      sections.push_back(std::move(section));
    }
  };
  sections.push_back(nights_section(parts));
  sections.push_back({"answer", "Answer", {answer_of(parts)}});
  sections.push_back(what_if_section(parts));
  sections.push_back(budget_section(parts));
  sections.push_back(doubt_section(parts));
  add_folded({law_section(parts), rank_section(parts), setting_section(parts)});
  add_folded(energy_sections(parts));
  add_folded({forecast_section(parts)});
  add_folded(published_sections(parts));
  add_folded({warning_section(parts), origin_section(parts)});
  std::erase_if(sections, [](const ReportSection& section) { return section.blocks.empty(); });
  return document;
}

}  // namespace

ReportDocument study_document(const ReportOrigin& origin, const ReportFindings& findings) {
  return document_of({origin, findings});
}

}  // namespace scalelaw
