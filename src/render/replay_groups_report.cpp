// Replayed groups of a cluster in every format.

#include <fmt/format.h>

#include "documents/json_parts.hpp"
#include "render/by_format.hpp"
#include "render/delimited_rows.hpp"
#include "render/noted_table.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_totals(JsonText& json, const std::optional<ReplayTotals>& totals) {
  using Number = std::optional<double>;
  json.open('{');
  json.key("energy_j").number(totals ? Number(totals->energy_j) : std::nullopt);
  json.key("time_s").number(totals ? Number(totals->time_s) : std::nullopt);
  json.key("cost").number(totals ? Number(totals->cost) : std::nullopt);
  json.close('}');
}

void write_dataset(JsonText& json, const DatasetTotals& totals) {
  json.open('{');
  json.key("dataset").text(totals.dataset);
  json.key("groups").count(std::uint64_t{totals.groups});
  json.key("failed").count(std::uint64_t{totals.failed});
  json.key("submissions").count(std::uint64_t{totals.submissions});
  json.key("runs").count(std::uint64_t{totals.runs});
  write_totals(json.key("totals"), totals.totals);
  json.key("savings").open('{');
  json.key("energy").number(totals.energy_saving);
  json.key("time").number(totals.time_saving);
  json.key("cost").number(totals.cost_saving);
  json.close('}');
  json.close('}');
}

void write_history(JsonText& json, const GroupReplay& group) {
  json.open('[');
  for (std::size_t i = 0; i < group.replay.history.size(); ++i) {
    const ReplayedRun& run = group.replay.history[i];
    json.open('{');
    json.key("submission").count(std::uint64_t{run.recurrence});
    json.key("batch_size").count(group.batch_sizes[i]);
    json.key("power_limit").number(group.limits_w[i]);
    json.key("epochs").number(run.epochs);
    json.key("energy_j").number(run.energy_j);
    json.key("time_s").number(run.time_s);
    json.key("cost").number(run.cost);
    json.key("reached").boolean(run.reached);
    json.key("profiling").boolean(run.profiling);
    json.key("phase").text(name_of(run.phase));
    json.close('}');
  }
  json.close(']');
}

void write_group_replay(JsonText& json, const GroupReplay& group) {
  json.open('{');
  json.key("group").text(group.group.name);
  json.key("dataset").text(group.group.dataset);
  json.key("submissions").count(std::uint64_t{group.group.submissions.size()});
  json.key("seed").count(std::uint64_t{adler32(group.group.name)});
  write_totals(json.key("totals"),
               group.failure.empty() ? std::optional(group.replay.totals) : std::nullopt);
  json.key("default_cost")
      .number(group.default_knobs ? std::optional(group.default_knobs->cost) : std::nullopt);
  json.key("oracle_cost").number(group.oracle_cost);
  json.key("not_started").count(std::uint64_t{group.replay.not_started});
  json.key("failure");
  if (!group.failure.empty()) {
    json.text(group.failure);
  } else {
    group.replay.failure ? json.text(*group.replay.failure) : json.null();
  }
  write_history(json.key("history"), group);
  json.close('}');
}

template <class Items, class Write>
void write_list(BufferedText& out, std::string_view name, const Items& items, Write write) {
  out.text().append(",\n \"").append(name).append("\": [");
  bool first = true;
  for (const auto& item : items) {
    out.text() += first ? "\n  " : ",\n  ";
    first = false;
    JsonText json(out.text());
    write(json, item);
    out.pass_on_if_full();
  }
  out.text() += first ? "]" : "\n ]";
}

void write_json(const ReplayGroupsReport& report, const TextSink& sink) {
  BufferedText out(sink);
  JsonHead head(out.text());
  head.member("schema").text("scalelaw.replay-groups/1");
  head.member("version").text(kVersion);
  JsonText inputs = head.member("inputs");
  write_strings(inputs, {report.train, report.power, report.jobs});
  head.member("gpu").text(report.gpu);
  JsonText settings = head.member("settings");
  settings.open('{');
  write_policy(settings, report.settings);
  settings.key("random").text(name_of(report.settings.random));
  settings.close('}');
  JsonText warnings = head.member("warnings");
  write_strings(warnings, report.warnings);
  write_list(out, "datasets", report.totals, write_dataset);
  write_list(out, "groups", report.groups, write_group_replay);
  out.text() += "}\n";
  out.pass_on();
}

void write_jsonl(const ReplayGroupsReport& report, const TextSink& sink) {
  BufferedText out(sink);
  for (const GroupReplay& group : report.groups) {
    JsonText json(out.text());
    write_group_replay(json, group);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

void write_delimited(const ReplayGroupsReport& report, char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  for (const char* name : {"group", "dataset", "submission", "batch_size", "power_limit", "epochs",
                           "energy_j", "time_s", "cost", "reached", "profiling", "phase"}) {
    rows.add(name);
  }
  rows.end_row();
  for (const GroupReplay& group : report.groups) {
    for (std::size_t i = 0; i < group.replay.history.size(); ++i) {
      const ReplayedRun& run = group.replay.history[i];
      rows.add(group.group.name);
      rows.add(group.group.dataset);
      rows.add(fmt::to_string(run.recurrence));
      rows.add(fmt::to_string(group.batch_sizes[i]));
      for (const double number :
           {group.limits_w[i], run.epochs, run.energy_j, run.time_s, run.cost}) {
        rows.add(exact_text(number));
      }
      rows.add(run.reached ? "true" : "false");
      rows.add(run.profiling ? "true" : "false");
      rows.add(name_of(run.phase));
      rows.end_row();
    }
  }
  rows.finish();
}

std::string share_or_dash(const std::optional<double>& share) {
  return share ? share_text(*share) : "-";
}

std::vector<std::string> cells_of(const DatasetTotals& totals) {
  return {totals.dataset,
          fmt::to_string(totals.groups),
          fmt::to_string(totals.failed),
          fmt::to_string(totals.submissions),
          fmt::to_string(totals.runs),
          totals.totals ? energy_text(totals.totals->energy_j) : "-",
          totals.totals ? time_text(totals.totals->time_s) : "-",
          share_or_dash(totals.energy_saving),
          share_or_dash(totals.time_saving),
          share_or_dash(totals.cost_saving)};
}

std::vector<std::string> notes_of(const ReplayGroupsReport& report) {
  std::vector<std::string> notes{
      "saved: against b0 at the highest power limit for the same submissions, on average"};
  for (const GroupReplay& group : report.groups) {
    const std::string& reason =
        group.failure.empty() ? group.replay.failure.value_or("") : group.failure;
    if (!reason.empty()) {
      notes.push_back(fmt::format("no replay of group {}: {}", group.group.name, reason));
    }
  }
  return notes;
}

void write_table(const ReplayGroupsReport& report, Format format, bool colour,
                 const TextSink& sink) {
  std::vector<TableColumn> columns{{.header = "dataset"}};
  for (const char* name : {"groups", "failed", "submissions", "runs", "energy", "time",
                           "energy saved", "time saved", "cost saved"}) {
    columns.push_back({.header = name, .align = Align::kRight});
  }
  TextTable table(columns);
  for (const DatasetTotals& totals : report.totals) table.add_row(cells_of(totals));
  const PolicySettings& policy = report.settings.policy;
  const std::string caption = fmt::format(
      "{} groups of recurring jobs on {}, policy {} ({} mode), power limits {}, eta {}, beta {}",
      report.groups.size(), report.gpu, name_of(policy.batch_size), name_of(policy.mode),
      limits_text(policy), policy.eta, beta_text(report.settings.beta));
  write_noted_table(table, caption, notes_of(report), format, colour, sink);
}

}  // namespace

void write_replay_groups(const ReplayGroupsReport& report, Format format, bool colour,
                         const TextSink& sink) {
  write_by_format(
      format, [&] { write_json(report, sink); }, [&] { write_jsonl(report, sink); },
      [&](char separator) { write_delimited(report, separator, sink); },
      [&] { write_table(report, format, colour, sink); });
}

}  // namespace scalelaw
