// One replay in every format.

#include "scalelaw/render/replay_report.hpp"

#include <fmt/format.h>

#include "documents/json_parts.hpp"
#include "render/by_format.hpp"
#include "render/delimited_rows.hpp"
#include "render/noted_table.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

const SizeTrace& size_of(const ReplayReport& report, std::size_t size) {
  return report.trace->sizes[size];
}

double limit_of(const ReplayReport& report, std::size_t size, std::size_t limit) {
  return size_of(report, size).limits[limit].limit_w;
}

void write_run(JsonText& json, const ReplayReport& report, const ReplayedRun& run) {
  json.open('{');
  json.key("recurrence").count(std::uint64_t{run.recurrence});
  json.key("batch_size").count(size_of(report, run.size).batch_size);
  json.key("power_limit").number(limit_of(report, run.size, run.limit));
  json.key("epochs").number(run.epochs);
  json.key("energy_j").number(run.energy_j);
  json.key("time_s").number(run.time_s);
  json.key("cost").number(run.cost);
  json.key("reached").boolean(run.reached);
  json.key("profiling").boolean(run.profiling);
  json.key("phase").text(name_of(run.phase));
  json.close('}');
}

std::optional<double> mean_of(const std::optional<OverSeeds>& figure) {
  return figure ? std::optional(figure->mean) : std::nullopt;
}

void write_settings(JsonHead& head, const ReplayReport& report) {
  JsonText job = head.member("job");
  write_job(job, report.trace->job);
  JsonText settings = head.member("settings");
  settings.open('{');
  write_policy(settings, report.settings);
  settings.key("seed").count(report.settings.seed);
  settings.key("random").text(name_of(report.settings.random));
  settings.key("max_power_w").number(report.trace->max_power_w);
  settings.close('}');
}

void write_outcome(JsonHead& head, const ReplayReport& report) {
  const CaseSummary& summary = report.summary;
  JsonText totals = head.member("totals");
  totals.open('{');
  totals.key("energy_j").number(report.replay.totals.energy_j);
  totals.key("time_s").number(report.replay.totals.time_s);
  totals.key("cost").number(report.replay.totals.cost);
  totals.close('}');
  head.member("min_cost").number(report.replay.min_cost);
  head.member("lowest_run_cost").number(report.lowest_run_cost);
  head.member("regret").number(mean_of(summary.regret));
  JsonText oracle = head.member("oracle");
  oracle.open('{');
  write_knobs(oracle, *report.trace, summary.oracle);
  oracle.key("cost").number(summary.oracle_cost);
  oracle.close('}');
  JsonText savings = head.member("savings");
  savings.open('{');
  savings.key("energy").number(mean_of(summary.energy_saving));
  savings.key("time").number(mean_of(summary.time_saving));
  savings.key("cost").number(mean_of(summary.cost_saving));
  savings.close('}');
  head.member("not_started").count(std::uint64_t{report.replay.not_started});
  JsonText failure = head.member("failure");
  report.replay.failure ? failure.text(*report.replay.failure) : failure.null();
  JsonText warnings = head.member("warnings");
  write_strings(warnings, report.warnings);
}

void write_json(const ReplayReport& report, const TextSink& sink) {
  BufferedText out(sink);
  JsonHead head(out.text());
  head.member("schema").text("scalelaw.replay/1");
  head.member("version").text(kVersion);
  JsonText inputs = head.member("inputs");
  write_strings(inputs, {report.train, report.power});
  head.member("gpu").text(report.trace->power);
  write_settings(head, report);
  head.member("recurrences").count(std::uint64_t{report.replay.recurrences});
  write_outcome(head, report);
  out.text() += ",\n \"history\": [";
  bool first = true;
  for (const ReplayedRun& run : report.replay.history) {
    out.text() += first ? "\n  " : ",\n  ";
    first = false;
    JsonText json(out.text());
    write_run(json, report, run);
    out.pass_on_if_full();
  }
  out.text() += first ? "]}\n" : "\n ]}\n";
  out.pass_on();
}

void write_jsonl(const ReplayReport& report, const TextSink& sink) {
  BufferedText out(sink);
  for (const ReplayedRun& run : report.replay.history) {
    JsonText json(out.text());
    write_run(json, report, run);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

void write_delimited(const ReplayReport& report, char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  for (const char* name : {"recurrence", "batch_size", "power_limit", "epochs", "energy_j",
                           "time_s", "cost", "reached", "profiling", "phase"}) {
    rows.add(name);
  }
  rows.end_row();
  for (const ReplayedRun& run : report.replay.history) {
    rows.add(fmt::to_string(run.recurrence));
    rows.add(fmt::to_string(size_of(report, run.size).batch_size));
    rows.add(exact_text(limit_of(report, run.size, run.limit)));
    for (const double number : {run.epochs, run.energy_j, run.time_s, run.cost}) {
      rows.add(exact_text(number));
    }
    rows.add(run.reached ? "true" : "false");
    rows.add(run.profiling ? "true" : "false");
    rows.add(name_of(run.phase));
    rows.end_row();
  }
  rows.finish();
}

std::string caption_of(const ReplayReport& report) {
  const Job& job = report.trace->job;
  const PolicySettings& policy = report.settings.policy;
  return fmt::format(
      "{} ({}, {}) to {} on {}: {} recurrence{} with the policy {} ({} mode), power limits {}, eta "
      "{}, beta {}, seed {} ({})",
      job.dataset, job.network, job.optimizer, job.target_metric, report.trace->power,
      report.replay.recurrences, report.replay.recurrences == 1 ? "" : "s",
      name_of(policy.batch_size), name_of(policy.mode), limits_text(policy), policy.eta,
      beta_text(report.settings.beta), report.settings.seed, name_of(report.settings.random));
}

std::string totals_text(const ReplayReport& report) {
  const ReplayTotals& totals = report.replay.totals;
  return fmt::format("{} run{} took {} and {}, a cost of {}", report.replay.history.size(),
                     report.replay.history.size() == 1 ? "" : "s", energy_text(totals.energy_j),
                     time_text(totals.time_s), energy_text(totals.cost));
}

std::string saving_text(double share, const char* of) {
  return share >= 0 ? fmt::format("{} less {}", share_text(share), of)
                    : fmt::format("{} more {}", share_text(-share), of);
}

std::vector<std::string> notes_of(const ReplayReport& report) {
  const CaseSummary& summary = report.summary;
  std::vector<std::string> notes{totals_text(report)};
  if (summary.energy_saving) {
    notes.push_back(fmt::format(
        "{}, {} and {} than batch size {} at the highest limit would take on average",
        saving_text(summary.energy_saving->mean, "energy"),
        saving_text(summary.time_saving->mean, "time"),
        saving_text(summary.cost_saving->mean, "cost"), report.trace->job.default_batch_size));
  }
  if (summary.oracle && summary.regret) {
    notes.push_back(fmt::format(
        "best known knobs: {} at {} W, {} a recurrence on average; regret {} ({} of that cost)",
        size_of(report, summary.oracle->size).batch_size,
        limit_of(report, summary.oracle->size, summary.oracle->limit),
        energy_text(*summary.oracle_cost), energy_text(summary.regret->mean),
        share_text(summary.excess->mean)));
  }
  if (report.replay.not_started > 0) {
    notes.push_back(fmt::format("{} choices did not start: one epoch would have passed the bound",
                                report.replay.not_started));
  }
  notes.push_back(fmt::format(
      "cost = eta * energy + (1 - eta) * {} W * time; --format csv and json have every run",
      report.trace->max_power_w));
  if (report.replay.failure) notes.push_back("ended early: " + *report.replay.failure);
  return notes;
}

void write_table(const ReplayReport& report, Format format, bool colour, const TextSink& sink) {
  std::vector<TableColumn> columns;
  for (const char* name :
       {"batch size", "power limit", "runs", "failed", "mean energy", "mean time", "mean cost"}) {
    columns.push_back({.header = name, .align = Align::kRight});
  }
  TextTable table(columns);
  for (const KnobUse& use : report.uses) {
    table.add_row(std::vector<std::string>{
        fmt::to_string(size_of(report, use.knobs.size).batch_size),
        fmt::format("{} W", limit_of(report, use.knobs.size, use.knobs.limit)),
        fmt::to_string(use.runs), fmt::to_string(use.runs - use.reached),
        energy_text(use.mean_energy_j), time_text(use.mean_time_s), energy_text(use.mean_cost)});
  }
  write_noted_table(table, caption_of(report), notes_of(report), format, colour, sink);
}

}  // namespace

void write_replay(const ReplayReport& report, Format format, bool colour, const TextSink& sink) {
  write_by_format(
      format, [&] { write_json(report, sink); }, [&] { write_jsonl(report, sink); },
      [&](char separator) { write_delimited(report, separator, sink); },
      [&] { write_table(report, format, colour, sink); });
}

}  // namespace scalelaw
