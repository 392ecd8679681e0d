// One replay in every format.

#include "scalelaw/render/replay_report.hpp"

#include <fmt/format.h>

#include "render/json_document.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

const SizeTrace& size_of(const ReplayReport& report, std::size_t size) {
  return report.trace->sizes[size];
}

double limit_of(const ReplayReport& report, std::size_t size, std::size_t limit) {
  return size_of(report, size).limits[limit].limit_w;
}

RunRow row_of(const ReplayReport& report, const ReplayedRun& run) {
  return {run, size_of(report, run.size).batch_size, limit_of(report, run.size, run.limit)};
}

std::optional<double> mean_over_seeds(const std::optional<OverSeeds>& figure) {
  return figure ? std::optional(figure->mean) : std::nullopt;
}

void write_run_settings(JsonText& json, const ReplayReport& report) {
  write_policy(json, report.settings);
  json << Members{{"seed", report.settings.seed}, {"random", report.settings.random}};
  json.key("max_power_w").number(report.trace->max_power_w);
}

void write_case_savings(JsonText& json, const CaseSummary& summary) {
  write_numbers(json, {{"energy", mean_over_seeds(summary.energy_saving)},
                       {"time", mean_over_seeds(summary.time_saving)},
                       {"cost", mean_over_seeds(summary.cost_saving)}});
}

void write_outcome(JsonText& head, const ReplayReport& report) {
  const CaseSummary& summary = report.summary;
  write_totals(head.member("totals"), &report.replay.totals);
  head << HeadMembers{{"min_cost", report.replay.min_cost},
                      {"lowest_run_cost", report.lowest_run_cost},
                      {"regret", mean_over_seeds(summary.regret)}};
  write_oracle(head.member("oracle"), *report.trace, summary);
  write_object(head.member("savings"), summary, write_case_savings);
  head << HeadMembers{{"not_started", report.replay.not_started},
                      {"failure", report.replay.failure},
                      {"warnings", report.warnings}};
}

auto write_run_of(const ReplayReport& report) {
  return [&report](JsonText& json, const ReplayedRun& run) {
    write_run(json, "recurrence", row_of(report, run));
  };
}

void write_json(const ReplayReport& report, const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.replay/1");
  write_strings(document.member("inputs"), {report.train, report.power});
  document.member("gpu").text(report.trace->power);
  write_object(document.member("job"), report.trace->job, write_job);
  write_object(document.member("settings"), report, write_run_settings);
  document.member("recurrences").count(std::uint64_t{report.replay.recurrences});
  write_outcome(document.head(), report);
  document.list("history", report.replay.history, write_run_of(report));
  document.finish();
}

std::string caption_of(const ReplayReport& report) {
  const Job& job = report.trace->job;
  const PolicySettings& policy = report.settings.policy;
  return fmt::format(
      "{} ({}, {}) was trained to {} on {} in {}. Policy: {} ({} mode); power limits: {}; eta {}; "
      "beta {}; seed {} (random numbers of {})",
      job.dataset, job.network, job.optimizer, job.target_metric, report.trace->power,
      counted(report.replay.recurrences, "recurrence"), name_of(policy.batch_size),
      name_of(policy.mode), limits_text(policy), policy.eta, beta_text(report.settings.beta),
      report.settings.seed, name_of(report.settings.random));
}

std::string totals_text(const ReplayReport& report) {
  const Spending& totals = report.replay.totals;
  return fmt::format("{} took {} and {}, which is a cost of {}",
                     counted(report.replay.history.size(), "run"), energy_text(totals.energy_j),
                     time_text(totals.time_s), energy_text(totals.cost));
}

std::string saving_text(double share, const char* of) {
  return share >= 0 ? fmt::format("{} less {}", shown_text(share, percent(1)), of)
                    : fmt::format("{} more {}", shown_text(-share, percent(1)), of);
}

/// What the policy saves, and what its runs took.
std::vector<std::string> answer_of(const ReplayReport& report) {
  const CaseSummary& summary = report.summary;
  std::vector<std::string> answer;
  if (summary.energy_saving) {
    answer.push_back(fmt::format(
        "The policy {} takes {}, {} and {} than batch size {} at the highest power limit takes on "
        "average.",
        name_of(report.settings.policy.batch_size),
        saving_text(summary.energy_saving->mean, "energy"),
        saving_text(summary.time_saving->mean, "time"),
        saving_text(summary.cost_saving->mean, "cost"), report.trace->job.default_batch_size));
  }
  answer.push_back(totals_text(report) + ".");
  if (report.replay.failure)
    answer.push_back("The replay ended early: " + *report.replay.failure + ".");
  return answer;
}

std::vector<std::string> notes_of(const ReplayReport& report) {
  const CaseSummary& summary = report.summary;
  std::vector<std::string> notes;
  if (summary.oracle && summary.regret) {
    notes.push_back(fmt::format(
        "The least cost is that of batch size {} at {} W: {} per recurrence on average. In total "
        "the replay cost {} more than this would have ({}); this is its regret.",
        size_of(report, summary.oracle->size).batch_size,
        limit_of(report, summary.oracle->size, summary.oracle->limit),
        energy_text(*summary.oracle_cost), energy_text(summary.regret->mean),
        shown_text(summary.excess->mean, percent(1))));
  }
  if (report.replay.not_started > 0) {
    notes.push_back(fmt::format(
        "{} choices did not start, because one epoch would have cost more than the bound.",
        report.replay.not_started));
  }
  notes.push_back(fmt::format(
      "cost = eta * energy + (1 - eta) * {} W * time. --format csv and json show every run.",
      report.trace->max_power_w));
  return notes;
}

void write_runs(const ReplayReport& report, const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(run_sheet("recurrence", false), style, sink);
  for (const ReplayedRun& run : report.replay.history) rows.add(row_of(report, run));
  rows.finish();
}

/// What people see: how often knobs were used, and what runs with them took.
Sheet<KnobUse> use_sheet(const ReplayReport& report) {
  Sheet<KnobUse> sheet{std::vector<KeyColumn>()};
  sheet
      .add("batch_size",
           [&](const KnobUse& use) { return size_of(report, use.knobs.size).batch_size; })
      .titled("batch size");
  sheet
      .add("power_limit",
           [&](const KnobUse& use) { return limit_of(report, use.knobs.size, use.knobs.limit); })
      .seen_as([&](const KnobUse& use) {
        return fmt::format("{} W", limit_of(report, use.knobs.size, use.knobs.limit));
      })
      .titled("power limit");
  sheet.add("runs", &KnobUse::runs).titled("runs");
  sheet.add("failed", [](const KnobUse& use) { return use.runs - use.reached; }).titled("failed");
  const auto mean = [&sheet](const char* name, double KnobUse::*figure, const char* title,
                             std::string (*text)(double)) {
    sheet.add(name, figure)
        .seen_as([=](const KnobUse& use) { return text(use.*figure); })
        .titled(title);
  };
  mean("mean_energy_j", &KnobUse::mean_energy_j, "mean energy", energy_text);
  mean("mean_time_s", &KnobUse::mean_time_s, "mean time", time_text);
  mean("mean_cost", &KnobUse::mean_cost, "mean cost", energy_text);
  return sheet;
}

void write_uses(const ReplayReport& report, const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(use_sheet(report), style, sink);
  for (const KnobUse& use : report.uses) rows.add(use);
  rows.finish(
      {.answer = answer_of(report), .caption = caption_of(report), .lines = notes_of(report)});
}

}  // namespace

void write_replay(const ReplayReport& report, const TableStyle& style, const TextSink& sink) {
  run_sheet("recurrence", false).refuse_unknown(style);
  if (style.format == Format::kJson) return write_json(report, sink);
  if (style.format == Format::kJsonl) {
    return write_lines(sink, report.replay.history, write_run_of(report));
  }
  is_for_people(style.format) ? write_uses(report, style, sink) : write_runs(report, style, sink);
}

namespace {

// Replayed groups of a cluster in every format.

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
