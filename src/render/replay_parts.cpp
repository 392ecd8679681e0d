#include "render/replay_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "documents/json_parts.hpp"

namespace scalelaw {

void write_job(JsonText& json, const Job& job) {
  json.key("dataset").text(job.dataset);
  json.key("model").text(job.network);
  json.key("optimizer").text(job.optimizer);
  json.key("target_metric").number(job.target_metric);
  json.key("max_epochs").count(std::uint64_t{job.max_epochs});
  json.key("b0").count(job.default_batch_size);
}

void write_policy(JsonText& json, const ReplaySettings& settings) {
  const PolicySettings& policy = settings.policy;
  json.key("policy").text(name_of(policy.batch_size));
  json.key("power_policy").text(name_of(policy.power_limit));
  if (policy.power_limit == PowerLimitRule::kFixed) {
    json.key("fixed_limit_w").number(policy.fixed_limit_w);
  }
  json.key("mode").text(name_of(policy.mode));
  json.key("eta").number(policy.eta);
  json.key("beta").number(settings.beta);
  json.key("window").count(std::uint64_t{policy.window});
}

void write_run(JsonText& json, std::string_view count, const RunRow& row) {
  const ReplayedRun& run = row.run;
  json.key(count).count(std::uint64_t{run.recurrence});
  json.key("batch_size").count(row.batch_size);
  json.key("power_limit").number(row.limit_w);
  json.key("epochs").number(run.epochs);
  write_numbers(json, {{"energy_j", run.energy_j}, {"time_s", run.time_s}, {"cost", run.cost}});
  json.key("reached").boolean(run.reached);
  json.key("profiling").boolean(run.profiling);
  json.key("phase").text(name_of(run.phase));
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
