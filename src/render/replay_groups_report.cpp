// Replayed groups of a cluster in every format.

#include <fmt/format.h>

#include "render/json_document.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/render/replay_report.hpp"

namespace scalelaw {
namespace {

void write_savings(JsonText& json, const DatasetTotals& totals) {
  write_numbers(json, {{"energy", totals.energy_saving},
                       {"time", totals.time_saving},
                       {"cost", totals.cost_saving}});
}

void write_dataset(JsonText& json, const DatasetTotals& totals) {
  json << Members{{"dataset", totals.dataset}, {"groups", totals.groups}};
  json << Members{
      {"failed", totals.failed}, {"submissions", totals.submissions}, {"runs", totals.runs}};
  write_totals(json.key("totals"), pointer_to(totals.totals));
  write_object(json.key("savings"), totals, write_savings);
}

/// The runs of a group.
std::vector<RunRow> rows_of(const GroupReplay& group) {
  std::vector<RunRow> rows;
  for (std::size_t i = 0; i < group.replay.history.size(); ++i) {
    rows.push_back(
        {group.replay.history[i], group.batch_sizes[i], group.limits_w[i], &group.group});
  }
  return rows;
}

void write_group_replay(JsonText& json, const GroupReplay& group) {
  json << Members{{"group", group.group.name}, {"dataset", group.group.dataset}};
  json.key("submissions").count(std::uint64_t{group.group.submissions.size()});
  json.key("seed").count(std::uint64_t{adler32(group.group.name)});
  write_totals(json.key("totals"), group.replay.recurrences > 0 ? &group.replay.totals : nullptr);
  json.key("default_cost")
      .number(group.default_knobs ? std::optional(group.default_knobs->cost) : std::nullopt);
  json << Members{{"oracle_cost", group.oracle_cost}, {"not_started", group.replay.not_started}};
  json.key("failure").text_or_null(group.replay.failure.value_or(""));
  write_objects(json.key("history"), rows_of(group),
                [&json](const RunRow& row) { write_run(json, "submission", row); });
}

void write_settings(JsonText& json, const ReplaySettings& settings) {
  write_policy(json, settings);
  json.key("random").text(name_of(settings.random));
}

void write_json(const ReplayGroupsReport& report, const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.replay-groups/1");
  write_strings(document.member("inputs"), {report.train, report.power, report.jobs});
  document.member("gpu").text(report.gpu);
  write_object(document.member("settings"), report.settings, write_settings);
  write_strings(document.member("warnings"), report.warnings);
  document.list("datasets", report.totals, write_dataset);
  document.list("groups", report.groups, write_group_replay);
  document.finish();
}

void write_runs(const ReplayGroupsReport& report, const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(run_sheet("submission", true), style, sink);
  for (const GroupReplay& group : report.groups) {
    for (const RunRow& row : rows_of(group)) rows.add(row);
  }
  rows.finish();
}

/// What people see: the groups of each dataset together.
Sheet<DatasetTotals> dataset_sheet() {
  using Row = DatasetTotals;
  Sheet<Row> sheet{std::vector<KeyColumn>()};
  sheet.add("dataset", &Row::dataset).titled("dataset");
  sheet.add("groups", &Row::groups).titled("groups");
  sheet.add("failed", &Row::failed).titled("failed");
  sheet.add("submissions", &Row::submissions).titled("submissions");
  sheet.add("runs", &Row::runs).titled("runs");
  const auto total = [&sheet](const char* name, double Spending::*member, const char* title,
                              std::string (*text)(double)) {
    const auto totals = sheet.part([](const Row& row) { return pointer_to(row.totals); });
    totals.add(name, member).seen_as(totals.part(member).seen(text)).titled(title);
  };
  total("energy_j", &Spending::energy_j, "energy", energy_text);
  total("time_s", &Spending::time_s, "time", time_text);
  const auto saving = [&sheet](const char* name, std::optional<double> Row::*member,
                               const char* title) {
    sheet.add(name, member).as(percent(1)).titled(title);
  };
  saving("energy_saving", &Row::energy_saving, "energy saved");
  saving("time_saving", &Row::time_saving, "time saved");
  saving("cost_saving", &Row::cost_saving, "cost saved");
  return sheet;
}

std::vector<std::string> notes_of(const ReplayGroupsReport& report) {
  std::vector<std::string> notes{
      "saved: compared with the default batch size at the highest power limit for the same "
      "submissions; mean"};
  for (const GroupReplay& group : report.groups) {
    if (const std::string reason = group.replay.failure.value_or(""); !reason.empty()) {
      notes.push_back(fmt::format("There is no replay of group {}: {}", group.group.name, reason));
    }
  }
  return notes;
}

std::string caption_of(const ReplayGroupsReport& report) {
  const PolicySettings& policy = report.settings.policy;
  return fmt::format(
      "{} of recurring jobs were replayed on {} with the policy {} ({} mode), power limits {}, eta "
      "{} "
      "and beta {}.",
      counted(report.groups.size(), "group"), report.gpu, name_of(policy.batch_size),
      name_of(policy.mode), limits_text(policy), policy.eta, beta_text(report.settings.beta));
}

void write_datasets(const ReplayGroupsReport& report, const TableStyle& style,
                    const TextSink& sink) {
  SheetWriter rows(dataset_sheet(), style, sink);
  for (const DatasetTotals& totals : report.totals) rows.add(totals);
  rows.finish({.answer = {caption_of(report)}, .lines = notes_of(report)});
}

}  // namespace

void write_replay_groups(const ReplayGroupsReport& report, const TableStyle& style,
                         const TextSink& sink) {
  run_sheet("submission", true).refuse_unknown(style);
  if (style.format == Format::kJson) return write_json(report, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, report.groups, write_group_replay);
  is_for_people(style.format) ? write_datasets(report, style, sink)
                              : write_runs(report, style, sink);
}

}  // namespace scalelaw
