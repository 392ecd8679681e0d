#include "render/replay_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/json_document.hpp"

namespace scalelaw {

void write_job(JsonText& json, const Job& job) {
  json << Members{{"dataset", job.dataset},       {"model", job.network},
                  {"optimizer", job.optimizer},   {"target_metric", job.target_metric},
                  {"max_epochs", job.max_epochs}, {"b0", job.default_batch_size}};
}

void write_policy(JsonText& json, const ReplaySettings& settings) {
  const PolicySettings& policy = settings.policy;
  json << Members{{"policy", policy.batch_size}, {"power_policy", policy.power_limit}};
  if (policy.power_limit == PowerLimitRule::kFixed) {
    json.key("fixed_limit_w").number(policy.fixed_limit_w);
  }
  json << Members{{"mode", policy.mode}, {"eta", policy.eta}, {"beta", settings.beta}};
  json.key("window").count(std::uint64_t{policy.window});
}

void write_run(JsonText& json, std::string_view count, const RunRow& row) {
  const ReplayedRun& run = row.run;
  json << Members{{count, run.recurrence}, {"batch_size", row.batch_size}};
  json << Members{{"power_limit", row.limit_w}, {"epochs", run.epochs}, {"energy_j", run.energy_j},
                  {"time_s", run.time_s},       {"cost", run.cost},     {"reached", run.reached},
                  {"profiling", run.profiling}, {"phase", run.phase}};
}

Sheet<RunRow> run_sheet(const std::string& count, bool with_group) {
  Sheet<RunRow> sheet{std::vector<KeyColumn>()};
  if (with_group) {
    sheet.add("group", [](const RunRow& row) { return std::string_view(row.group->name); });
    sheet.add("dataset", [](const RunRow& row) { return std::string_view(row.group->dataset); });
  }
  sheet.add(count, [](const RunRow& row) { return row.run.recurrence; });
  sheet.add("batch_size", [](const RunRow& row) { return row.batch_size; });
  sheet.add("power_limit", [](const RunRow& row) { return row.limit_w; });
  sheet.add("epochs", [](const RunRow& row) { return row.run.epochs; });
  sheet.add("energy_j", [](const RunRow& row) { return row.run.energy_j; });
  sheet.add("time_s", [](const RunRow& row) { return row.run.time_s; });
  sheet.add("cost", [](const RunRow& row) { return row.run.cost; });
  sheet.add("reached", [](const RunRow& row) { return row.run.reached; });
  sheet.add("profiling", [](const RunRow& row) { return row.run.profiling; });
  sheet.add("phase", [](const RunRow& row) { return name_of(row.run.phase); });
  return sheet;
}

void write_totals(JsonText& json, const Spending* totals) {
  json.open('{');
  write_numbers(json, {{"energy_j", member_of(totals, &Spending::energy_j)},
                       {"time_s", member_of(totals, &Spending::time_s)},
                       {"cost", member_of(totals, &Spending::cost)}});
  json.close('}');
}

void write_oracle(JsonText& json, const JobTrace& trace, const CaseSummary& summary) {
  const auto& knobs = summary.oracle;
  const SizeTrace* size = knobs ? &trace.sizes[knobs->size] : nullptr;
  const auto* limit = size != nullptr ? &size->limits[knobs->limit] : nullptr;
  json.open('{');
  write_numbers(json, {{"batch_size", member_of(size, &SizeTrace::batch_size)},
                       {"power_limit", member_of(limit, &LimitTrace::limit_w)},
                       {"cost", summary.oracle_cost}});
  json.close('}');
}

std::string energy_text(double joules) {
  static constexpr std::pair<double, const char*> kUnits[] = {
      {1e12, "TJ"}, {1e9, "GJ"}, {1e6, "MJ"}, {1e3, "kJ"}};
  for (const auto& [factor, unit] : kUnits) {
    if (std::abs(joules) >= factor) return fmt::format("{:.4g} {}", joules / factor, unit);
  }
  return fmt::format("{:.4g} J", joules);
}

std::string time_text(double seconds) {
  if (seconds >= 2 * 86400) return fmt::format("{:.4g} d", seconds / 86400);
  if (seconds >= 2 * 3600) return fmt::format("{:.4g} h", seconds / 3600);
  return fmt::format("{:.4g} s", seconds);
}

std::string limits_text(const PolicySettings& policy) {
  const std::string name(name_of(policy.power_limit));
  const bool fixed = policy.power_limit == PowerLimitRule::kFixed;
  return fixed ? fmt::format("{} at {} W", name, policy.fixed_limit_w) : name;
}

std::string beta_text(double beta) { return std::isinf(beta) ? "inf" : fmt::format("{}", beta); }

}  // namespace scalelaw
