// A study of replays in every format.

#include <fmt/format.h>

#include <algorithm>

#include "documents/json_parts.hpp"
#include "render/by_format.hpp"
#include "render/delimited_rows.hpp"
#include "render/noted_table.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_figure(JsonText& json, const std::optional<OverSeeds>& figure) {
  if (!figure) return json.null();
  json.open('{');
  json.key("mean").number(figure->mean);
  json.key("sd").number(figure->standard_deviation);
  write_interval(json.key("ci"), figure->ci);
  json.close('}');
}

/// The figures of a summary that failed for every seed are none.
std::optional<OverSeeds> known(const CaseSummary& summary, const OverSeeds& figure) {
  return summary.failed < summary.seeds ? std::optional(figure) : std::nullopt;
}

/// NAME and NAME_ci.
void write_curve_value(JsonText& json, const std::string& name,
                       const std::optional<CurveValue>& value) {
  json.key(name).number(value ? std::optional(value->mean) : std::nullopt);
  write_interval(json.key(name + "_ci"), value ? value->ci : std::nullopt);
}

void write_curve(JsonText& json, const std::vector<CurvePoint>& curve) {
  json.open('[');
  for (const CurvePoint& point : curve) {
    json.open('{');
    write_curve_value(json, "cost", point.cost);
    write_curve_value(json, "energy_j", point.energy_j);
    write_curve_value(json, "time_s", point.time_s);
    write_curve_value(json, "regret", point.regret);
    write_curve_value(json, "cost_ratio", point.cost_ratio);
    write_curve_value(json, "energy_ratio", point.energy_ratio);
    write_curve_value(json, "time_ratio", point.time_ratio);
    json.key("best_share").number(point.best_share);
    json.close('}');
  }
  json.close(']');
}

void write_summary(JsonText& json, const ReplayStudyReport& report, const StudyRow& row,
                   const CaseSummary& summary) {
  json.key("recurrences").count(std::uint64_t{summary.recurrences});
  json.key("seeds").count(std::uint64_t{summary.seeds});
  json.key("failed").count(std::uint64_t{summary.failed});
  json.key("failure");
  summary.first_failure ? json.text(*summary.first_failure) : json.null();
  json.key("runs").number(summary.failed < summary.seeds ? std::optional(summary.runs)
                                                         : std::nullopt);
  write_figure(json.key("energy_j"), known(summary, summary.energy_j));
  write_figure(json.key("time_s"), known(summary, summary.time_s));
  write_figure(json.key("cost"), known(summary, summary.cost));
  write_figure(json.key("regret"), summary.regret);
  write_figure(json.key("excess"), summary.excess);
  write_figure(json.key("energy_saving"), summary.energy_saving);
  write_figure(json.key("time_saving"), summary.time_saving);
  write_figure(json.key("cost_saving"), summary.cost_saving);
  json.key("oracle").open('{');
  write_knobs(json, *row.trace, summary.oracle);
  json.key("cost").number(summary.oracle_cost);
  json.close('}');
  json.key("best_share")
      .number(summary.failed < summary.seeds ? std::optional(summary.best_share) : std::nullopt);
  json.key("converged_after");
  summary.converged_after ? json.count(std::uint64_t{*summary.converged_after}) : json.null();
  if (report.curves) write_curve(json.key("curve"), summary.curve);
}

void write_row(JsonText& json, const ReplayStudyReport& report, const StudyRow& row) {
  json.open('{');
  json.key("gpu").text(row.gpu);
  json.key("dataset").text(row.dataset);
  write_policy(json, row.settings);
  if (row.trace != nullptr) write_job(json.key("job"), row.trace->job);
  if (const CaseSummary* summary = std::get_if<CaseSummary>(&row.result)) {
    write_summary(json, report, row, *summary);
  } else {
    json.key("failure").text(std::get<std::string>(row.result));
  }
  json.close('}');
}

void write_json(const ReplayStudyReport& report, const TextSink& sink) {
  BufferedText out(sink);
  JsonHead head(out.text());
  head.member("schema").text("scalelaw.replay-study/1");
  head.member("version").text(kVersion);
  std::vector<std::string> files{report.train};
  files.insert(files.end(), report.power.begin(), report.power.end());
  JsonText inputs = head.member("inputs");
  write_strings(inputs, files);
  head.member("random").text(name_of(report.random));
  JsonText seeds = head.member("seeds");
  seeds.open('[');
  for (const std::uint64_t seed : report.seeds) seeds.count(seed);
  seeds.close(']');
  head.member("confidence").number(report.confidence);
  JsonText warnings = head.member("warnings");
  write_strings(warnings, report.warnings);
  out.text() += ",\n \"cases\": [";
  bool first = true;
  for (const StudyRow& row : report.rows) {
    out.text() += first ? "\n  " : ",\n  ";
    first = false;
    JsonText json(out.text());
    write_row(json, report, row);
    out.pass_on_if_full();
  }
  out.text() += first ? "]}\n" : "\n ]}\n";
  out.pass_on();
}

void write_jsonl(const ReplayStudyReport& report, const TextSink& sink) {
  BufferedText out(sink);
  for (const StudyRow& row : report.rows) {
    JsonText json(out.text());
    write_row(json, report, row);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

constexpr const char* kFigures[] = {"energy_j", "time_s",        "cost",        "regret",
                                    "excess",   "energy_saving", "time_saving", "cost_saving"};

std::vector<std::optional<OverSeeds>> figures_of(const CaseSummary& summary) {
  return {known(summary, summary.energy_j),
          known(summary, summary.time_s),
          known(summary, summary.cost),
          summary.regret,
          summary.excess,
          summary.energy_saving,
          summary.time_saving,
          summary.cost_saving};
}

void write_names(DelimitedRows& rows) {
  for (const char* name : {"gpu", "dataset", "policy", "power_policy", "fixed_limit_w", "mode",
                           "eta", "beta", "window", "b0", "target_metric", "random", "confidence",
                           "recurrences", "seeds", "failed", "runs"}) {
    rows.add(name);
  }
  for (const char* name : kFigures) {
    for (const char* part : {"", "_sd", "_lower", "_upper"}) rows.add(std::string(name) + part);
  }
  for (const char* name : {"oracle_batch_size", "oracle_power_limit", "oracle_cost", "best_share",
                           "converged_after", "failure"}) {
    rows.add(name);
  }
  rows.end_row();
}

void write_figure_cells(DelimitedRows& rows, const std::optional<OverSeeds>& figure) {
  using Number = std::optional<double>;
  const bool has_ci = figure && figure->ci;
  rows.add(exact_text(figure ? Number(figure->mean) : std::nullopt));
  rows.add(exact_text(figure ? figure->standard_deviation : std::nullopt));
  rows.add(exact_text(has_ci ? figure->ci->lower : Number()));
  rows.add(exact_text(has_ci ? figure->ci->upper : Number()));
}

void write_summary_cells(DelimitedRows& rows, const StudyRow& row, const CaseSummary& summary) {
  const bool any = summary.failed < summary.seeds;
  rows.add(fmt::to_string(summary.recurrences));
  rows.add(fmt::to_string(summary.seeds));
  rows.add(fmt::to_string(summary.failed));
  rows.add(any ? exact_text(summary.runs) : "");
  for (const auto& figure : figures_of(summary)) write_figure_cells(rows, figure);
  const SizeTrace* best = summary.oracle ? &row.trace->sizes[summary.oracle->size] : nullptr;
  rows.add(best == nullptr ? "" : fmt::to_string(best->batch_size));
  rows.add(best == nullptr ? "" : exact_text(best->limits[summary.oracle->limit].limit_w));
  rows.add(exact_text(summary.oracle_cost));
  rows.add(any ? exact_text(summary.best_share) : "");
  rows.add(summary.converged_after ? fmt::to_string(*summary.converged_after) : "");
  rows.add(summary.first_failure.value_or(""));
}

void write_setting_cells(DelimitedRows& rows, const ReplayStudyReport& report,
                         const StudyRow& row) {
  const PolicySettings& policy = row.settings.policy;
  const Job* job = row.trace == nullptr ? nullptr : &row.trace->job;
  rows.add(row.gpu);
  rows.add(row.dataset);
  rows.add(name_of(policy.batch_size));
  rows.add(name_of(policy.power_limit));
  rows.add(policy.power_limit == PowerLimitRule::kFixed ? exact_text(policy.fixed_limit_w) : "");
  rows.add(name_of(policy.mode));
  rows.add(exact_text(policy.eta));
  rows.add(beta_text(row.settings.beta));
  rows.add(fmt::to_string(policy.window));
  rows.add(job == nullptr ? "" : fmt::to_string(job->default_batch_size));
  rows.add(job == nullptr ? "" : exact_text(job->target_metric));
  rows.add(name_of(report.random));
  rows.add(exact_text(report.confidence));
}

void write_delimited(const ReplayStudyReport& report, char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  write_names(rows);
  for (const StudyRow& row : report.rows) {
    write_setting_cells(rows, report, row);
    if (const CaseSummary* summary = std::get_if<CaseSummary>(&row.result)) {
      write_summary_cells(rows, row, *summary);
    } else {
      for (std::size_t i = 0; i < 4 + 4 * std::size(kFigures) + 5; ++i) rows.add("");
      rows.add(std::get<std::string>(row.result));
    }
    rows.end_row();
  }
  rows.finish();
}

/// A setting as a column where it varies, in the caption where it does not.
struct SettingColumn {
  const char* name;
  std::string (*text)(const StudyRow&);
};

constexpr SettingColumn kSettings[] = {
    {"GPU", [](const StudyRow& row) { return row.gpu; }},
    {"dataset", [](const StudyRow& row) { return row.dataset; }},
    {"policy",
     [](const StudyRow& row) { return std::string(name_of(row.settings.policy.batch_size)); }},
    {"limits", [](const StudyRow& row) { return limits_text(row.settings.policy); }},
    {"mode", [](const StudyRow& row) { return std::string(name_of(row.settings.policy.mode)); }},
    {"eta", [](const StudyRow& row) { return fmt::format("{}", row.settings.policy.eta); }},
    {"beta", [](const StudyRow& row) { return beta_text(row.settings.beta); }}};

bool varies(const ReplayStudyReport& report, const SettingColumn& setting) {
  return std::any_of(report.rows.begin(), report.rows.end(), [&](const StudyRow& row) {
    return setting.text(row) != setting.text(report.rows.front());
  });
}

/// Mean and half the interval, as percentages.
std::string share_and_error(const std::optional<OverSeeds>& figure) {
  if (!figure) return "-";
  if (!figure->ci) return share_text(figure->mean);
  std::string mean = share_text(figure->mean);
  mean.resize(mean.size() - 2);  // The unit comes behind the error.
  return fmt::format("{} ± {:.1f} %", mean, 50 * (figure->ci->upper - figure->ci->lower));
}

/// The settings that tell a case from the others of the study; empty for the only one.
std::string case_name(const ReplayStudyReport& report, const StudyRow& row) {
  std::vector<std::string> parts;
  for (const SettingColumn& setting : kSettings) {
    if (varies(report, setting)) {
      parts.push_back(fmt::format("{} {}", setting.name, setting.text(row)));
    }
  }
  return joined(parts);
}

bool any_seed_failed(const ReplayStudyReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), [](const StudyRow& row) {
    const CaseSummary* summary = std::get_if<CaseSummary>(&row.result);
    return summary != nullptr && summary->failed > 0;
  });
}

/// The seeds that went through, which are all that the figures tell of.
std::string seeds_cell(const StudyRow& row) {
  const CaseSummary* summary = std::get_if<CaseSummary>(&row.result);
  if (summary == nullptr) return "-";
  return fmt::format("{} of {}", summary->seeds - summary->failed, summary->seeds);
}

std::vector<std::string> summary_cells(const StudyRow& row) {
  const CaseSummary* summary = std::get_if<CaseSummary>(&row.result);
  if (summary == nullptr) return std::vector<std::string>(7, "-");
  std::string best = "-";
  if (summary->oracle) {
    const SizeTrace& size = row.trace->sizes[summary->oracle->size];
    best = fmt::format("{} at {} W", size.batch_size, size.limits[summary->oracle->limit].limit_w);
  }
  return {fmt::to_string(summary->recurrences),
          share_and_error(summary->energy_saving),
          share_and_error(summary->time_saving),
          share_and_error(summary->cost_saving),
          share_and_error(summary->excess),
          best,
          summary->converged_after ? fmt::to_string(*summary->converged_after) : "-"};
}

std::string caption_of(const ReplayStudyReport& report) {
  std::string caption =
      fmt::format("replays of recurring jobs over {} seed{} ({} random numbers)",
                  report.seeds.size(), report.seeds.size() == 1 ? "" : "s", name_of(report.random));
  for (const SettingColumn& setting : kSettings) {
    if (report.rows.empty() || varies(report, setting)) continue;
    caption += fmt::format(", {} {}", setting.name, setting.text(report.rows.front()));
  }
  return caption;
}

std::vector<std::string> notes_of(const ReplayStudyReport& report) {
  std::vector<std::string> notes{
      fmt::format("saved: against b0 at the highest power limit, mean over seeds{}",
                  report.seeds.size() > 1
                      ? fmt::format(" ± half of its {:g} % interval", 100 * report.confidence)
                      : ""),
      "over oracle: cost above that of always running the best knobs, at whatever limit",
      "settled: recurrences after which 95 % of the choices are the best batch size"};
  if (any_seed_failed(report)) {
    notes.push_back("seeds: those that went through all recurrences; the others count nowhere");
  }
  for (const StudyRow& row : report.rows) {
    const std::string name = case_name(report, row);
    if (const std::string* reason = std::get_if<std::string>(&row.result)) {
      notes.push_back(fmt::format("no replay{}: {}", name.empty() ? "" : " of " + name, *reason));
    } else if (const auto& summary = std::get<CaseSummary>(row.result); summary.failed > 0) {
      notes.push_back(fmt::format("{}{} of {} seeds ended early: {}",
                                  name.empty() ? "" : name + ": ", summary.failed, summary.seeds,
                                  *summary.first_failure));
    }
  }
  return notes;
}

void write_table(const ReplayStudyReport& report, Format format, bool colour,
                 const TextSink& sink) {
  std::vector<TableColumn> columns;
  std::vector<const SettingColumn*> shown;
  for (const SettingColumn& setting : kSettings) {
    if (!varies(report, setting)) continue;
    shown.push_back(&setting);
    columns.push_back({.header = setting.name});
  }
  const bool with_seeds = any_seed_failed(report);
  if (with_seeds) columns.push_back({.header = "seeds", .align = Align::kRight});
  for (const char* name : {"recurrences", "energy saved", "time saved", "cost saved", "over oracle",
                           "best knobs", "settled"}) {
    columns.push_back({.header = name, .align = Align::kRight});
  }
  TextTable table(columns);
  for (const StudyRow& row : report.rows) {
    std::vector<std::string> cells;
    for (const SettingColumn* setting : shown) cells.push_back(setting->text(row));
    if (with_seeds) cells.push_back(seeds_cell(row));
    for (std::string& cell : summary_cells(row)) cells.push_back(std::move(cell));
    table.add_row(cells);
  }
  write_noted_table(table, caption_of(report), notes_of(report), format, colour, sink);
}

}  // namespace

void write_replay_study(const ReplayStudyReport& report, Format format, bool colour,
                        const TextSink& sink) {
  write_by_format(
      format, [&] { write_json(report, sink); }, [&] { write_jsonl(report, sink); },
      [&](char separator) { write_delimited(report, separator, sink); },
      [&] { write_table(report, format, colour, sink); });
}

}  // namespace scalelaw
