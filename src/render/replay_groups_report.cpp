// Replayed groups of a cluster in every format.

#include <fmt/format.h>

#include "documents/json_parts.hpp"
#include "render/json_lists.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_totals(JsonText& json, const std::optional<Spending>& totals) {
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

RunRow row_of(const GroupReplay& group, std::size_t i) {
  return {group.replay.history[i], group.batch_sizes[i], group.limits_w[i], &group.group};
}

void write_history(JsonText& json, const GroupReplay& group) {
  json.open('[');
  for (std::size_t i = 0; i < group.replay.history.size(); ++i) {
    write_run(json, "submission", row_of(group, i));
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

void write_runs(const ReplayGroupsReport& report, const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(run_sheet("submission", true), style, sink);
  for (const GroupReplay& group : report.groups) {
    for (std::size_t i = 0; i < group.replay.history.size(); ++i) rows.add(row_of(group, i));
  }
  rows.finish("", {});
}

/// What people see: the groups of each dataset together.
Sheet<DatasetTotals> dataset_sheet() {
  using Row = DatasetTotals;
  Sheet<Row> sheet{std::vector<KeyColumn>()};
  sheet.add("dataset", [](const Row& row) { return std::string_view(row.dataset); })
      .titled("dataset");
  sheet.add("groups", [](const Row& row) { return row.groups; }).titled("groups");
  sheet.add("failed", [](const Row& row) { return row.failed; }).titled("failed");
  sheet.add("submissions", [](const Row& row) { return row.submissions; }).titled("submissions");
  sheet.add("runs", [](const Row& row) { return row.runs; }).titled("runs");
  const auto total = [&sheet](const char* name, double Spending::*member, const char* title,
                              std::string (*text)(double)) {
    sheet
        .add(name,
             [member](const Row& row) {
               return row.totals ? std::optional((*row.totals).*member) : std::nullopt;
             })
        .seen_as([member, text](const Row& row) {
          return row.totals ? text((*row.totals).*member) : "-";
        })
        .titled(title);
  };
  total("energy_j", &Spending::energy_j, "energy", energy_text);
  total("time_s", &Spending::time_s, "time", time_text);
  const auto saving = [&sheet](const char* name, std::optional<double> Row::*member,
                               const char* title) {
    sheet.add(name, [member](const Row& row) { return row.*member; })
        .seen_as(
            [member](const Row& row) { return row.*member ? share_text(*(row.*member)) : "-"; })
        .titled(title);
  };
  saving("energy_saving", &Row::energy_saving, "energy saved");
  saving("time_saving", &Row::time_saving, "time saved");
  saving("cost_saving", &Row::cost_saving, "cost saved");
  return sheet;
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

std::string caption_of(const ReplayGroupsReport& report) {
  const PolicySettings& policy = report.settings.policy;
  return fmt::format(
      "{} groups of recurring jobs on {}, policy {} ({} mode), power limits {}, eta {}, beta {}",
      report.groups.size(), report.gpu, name_of(policy.batch_size), name_of(policy.mode),
      limits_text(policy), policy.eta, beta_text(report.settings.beta));
}

void write_datasets(const ReplayGroupsReport& report, const TableStyle& style,
                    const TextSink& sink) {
  SheetWriter rows(dataset_sheet(), style, sink);
  for (const DatasetTotals& totals : report.totals) rows.add(totals);
  rows.finish(caption_of(report), notes_of(report));
}

}  // namespace

void write_replay_groups(const ReplayGroupsReport& report, const TableStyle& style,
                         const TextSink& sink) {
  if (style.format == Format::kJson) return write_json(report, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, report.groups, write_group_replay);
  is_for_people(style.format) ? write_datasets(report, style, sink)
                              : write_runs(report, style, sink);
}

}  // namespace scalelaw
