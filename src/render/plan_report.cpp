// Plans of further runs in every format.

#include "scalelaw/render/plan_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/delimited_rows.hpp"
#include "render/group_json.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

std::optional<double> gpu_hours(const PlanReport& report, const Addition& addition) {
  if (!report.hours_per_unit) return std::nullopt;
  return addition.gpu_time * *report.hours_per_unit;
}

void write_sharpness(JsonText& json, const Sharpness& sharpness) {
  json.open('{');
  json.key("exponent_se").number(sharpness.exponent_se);
  json.key("curve_se").number(sharpness.curve_se);
  json.key("run_se").number(sharpness.run_se);
  json.key("detectable_exponent").number(sharpness.detectable_exponent);
  json.key("detectable_log_time").number(sharpness.detectable_log_time);
  json.close('}');
}

void write_plan(JsonText& json, const PlanReport& report, const GroupKey& group, const Plan& plan) {
  json.open('{');
  write_group(json.key("group"), report.by, group);
  write_sharpness(json.key("now"), plan.now);
  json.key("additions").open('[');
  for (const Addition& addition : plan.additions) {
    json.open('{');
    json.key("x").number(addition.x);
    json.key("repeats").count(std::uint64_t{addition.repeats});
    json.key("gain").number(addition.gain);
    json.key("gpu_hours").number(gpu_hours(report, addition));
    write_sharpness(json.key("after"), addition.after);
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

void write_head(std::string& out, const PlanReport& report) {
  JsonHead head(out);
  write_data(head, "scalelaw.plan/1", report);
  head.member("law").text(report.law->name());
  head.member("response").text(name_of(report.response));
  write_points(head, report);
  head.member("target").number(report.options.target);
  head.member("power").number(report.options.power);
  head.member("confidence").number(report.confidence);
  write_rows(head, report);
}

void write_json(const PlanReport& report, std::span<const GroupPlan> plans, const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report);
  write_groups<Plan>(out, "plans", report.by, plans,
                     [&](JsonText& json, const GroupKey& group, const Plan& plan) {
                       write_plan(json, report, group, plan);
                     });
}

void write_jsonl(const PlanReport& report, std::span<const GroupPlan> plans, const TextSink& sink) {
  write_group_lines<Plan>(report.by, plans, sink,
                          [&](JsonText& json, const GroupKey& group, const Plan& plan) {
                            write_plan(json, report, group, plan);
                          });
}

void write_delimited(const PlanReport& report, std::span<const GroupPlan> plans, char separator,
                     const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  for (const std::string& name : report.by) rows.add(name);
  for (const char* name : {"x", "repeats", "gain", "gpu_hours", "exponent_se", "curve_se", "run_se",
                           "detectable_exponent", "detectable_log_time"}) {
    rows.add(name);
  }
  rows.end_row();
  for (const GroupPlan& group : plans) {
    const Plan* plan = std::get_if<Plan>(&group.result);
    if (plan == nullptr) continue;
    for (const Addition& addition : plan->additions) {
      for (const std::string& value : group.group) rows.add(value);
      rows.add(exact_text(addition.x));
      rows.add(fmt::to_string(addition.repeats));
      for (const auto& value :
           {std::optional(addition.gain), gpu_hours(report, addition),
            std::optional(addition.after.exponent_se), std::optional(addition.after.curve_se),
            std::optional(addition.after.run_se), std::optional(addition.after.detectable_exponent),
            std::optional(addition.after.detectable_log_time)}) {
        rows.add(exact_text(value));
      }
      rows.end_row();
    }
  }
  rows.finish();
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::vector<TableColumn> columns_of(const PlanReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.by) columns.push_back({.header = name});
  const auto add = [&columns](std::string header) {
    columns.push_back({.header = std::move(header), .align = Align::kRight});
  };
  add("measure at " + report.x);
  add("times");
  add(fmt::format("error at {}", scale_text(report.options.target)));
  add("falls by");
  add("SE of exponent");
  if (report.hours_per_unit) add("GPU-hours");
  return columns;
}

std::string now_text(const PlanReport& report, const Plan& plan) {
  const std::string target = scale_text(report.options.target);
  return fmt::format(
      "now the curve at {} {} is known to {}, one new run there to {}; the exponent to {} "
      "(standard "
      "errors). A repeated study would show a change of the exponent of {} or of the curve there "
      "of "
      "{} with a power of {}",
      report.x, target, percent(std::expm1(plan.now.curve_se)),
      percent(std::expm1(plan.now.run_se)), with_significant_digits(plan.now.exponent_se, 2),
      with_significant_digits(plan.now.detectable_exponent, 2),
      percent(std::expm1(plan.now.detectable_log_time)), percent(report.options.power));
}

void write_table(const PlanReport& report, std::span<const GroupPlan> plans, Format format,
                 bool colour, const TextSink& sink) {
  TextTable table(columns_of(report));
  std::vector<std::string> notes;
  for (const GroupPlan& group : plans) {
    const std::string name = group_name(report.by, group.group);
    if (const NoFit* failure = std::get_if<NoFit>(&group.result)) {
      notes.push_back(
          fmt::format("no plan for {}: {} ({})", name, failure->message, name_of(failure->code)));
      continue;
    }
    const Plan& plan = std::get<Plan>(group.result);
    table.begin_part();
    for (std::size_t i = 0; i < std::min(report.shown, plan.additions.size()); ++i) {
      const Addition& addition = plan.additions[i];
      std::vector<std::string> cells(group.group.begin(), group.group.end());
      cells.push_back(scale_text(addition.x));
      cells.push_back(fmt::to_string(addition.repeats));
      cells.push_back(percent(std::expm1(addition.after.curve_se)));
      cells.push_back(percent(addition.gain));
      cells.push_back(with_significant_digits(addition.after.exponent_se, 2));
      if (const auto hours = gpu_hours(report, addition)) {
        cells.push_back(with_significant_digits(*hours, 3));
      }
      table.add_row(cells);
    }
    notes.push_back(name + ": " + now_text(report, plan));
  }
  const std::string caption =
      fmt::format("what to measure next for a forecast of {} at {} {}, by the {} law", report.y,
                  report.x, scale_text(report.options.target), report.law->name());
  write_noted_table(table, caption, notes, format, colour, sink);
}

}  // namespace

void write_plans(const PlanReport& report, std::span<const GroupPlan> plans, Format format,
                 bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_json(report, plans, sink);
    case Format::kJsonl:
      return write_jsonl(report, plans, sink);
    case Format::kCsv:
      return write_delimited(report, plans, ',', sink);
    case Format::kTsv:
      return write_delimited(report, plans, '\t', sink);
    default:
      return write_table(report, plans, format, colour, sink);
  }
}

}  // namespace scalelaw
