// Gates as JSON: schema scalelaw.gate/1, and the shape that github-action-benchmark takes.

#include <fmt/format.h>

#include <cmath>

#include "render/buffered_text.hpp"
#include "render/gate_writers.hpp"
#include "render/json_parts.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_ratio(JsonText& json, const GateComparison& comparison) {
  if (!comparison.ratio) return json.null();
  json.open('{');
  json.key("estimate").number(comparison.ratio);
  write_interval(json.key("ci"), comparison.ratio_ci);
  json.close('}');
}

void write_reason(JsonText& json, const std::string& reason) {
  reason.empty() ? json.null() : json.text(reason);
}

void write_comparison(JsonText& json, const GateComparison& comparison) {
  json.open('{');
  json.key("figure").text(comparison.figure);
  json.key("x").number(comparison.x);
  json.key("extrapolated").boolean(comparison.extrapolated);
  json.key("less_is_better").boolean(comparison.less_is_better);
  write_estimate(json.key("base"), comparison.base, false);
  write_estimate(json.key("new"), comparison.current, false);
  write_estimate(json.key("change"), comparison.change, false);
  write_ratio(json.key("ratio"), comparison);
  json.key("limit").number(comparison.less_is_better ? comparison.limit : -comparison.limit);
  json.key("p_worse").number(comparison.p_worse);
  json.key("p_worse_holm").number(comparison.p_worse_holm);
  json.key("p_better").number(comparison.p_better);
  json.key("p_better_holm").number(comparison.p_better_holm);
  json.key("verdict").text(name_of(comparison.verdict));
  write_reason(json.key("reason"), comparison.reason);
  json.close('}');
}

void write_group(JsonText& json, const GateReport& report, const GateGroup& group) {
  json.open('{');
  write_group(json.key("group"), report.by, group.group);
  json.key("y").text(group.y);
  json.key("verdict").text(name_of(group.verdict));
  write_reason(json.key("reason"), group.reason);
  json.key("comparisons").open('[');
  for (const GateComparison& comparison : group.comparisons) write_comparison(json, comparison);
  json.close(']');
  json.close('}');
}

void write_limits(JsonText json, const GateOptions& options) {
  json.open('{');
  json.key("max_slowdown").number(options.max_slowdown);
  json.key("max_beta_drop").number(options.max_beta_drop);
  json.close('}');
}

void write_multiplicity(JsonText json, const Gate& gate) {
  json.open('{');
  json.key("method").text("holm");
  json.key("family").count(static_cast<std::uint64_t>(gate.family));
  json.close('}');
}

void write_counts(JsonText json, const Gate& gate) {
  json.open('{');
  for (const GateVerdict verdict : all_gate_verdicts()) {
    json.key(name_of(verdict)).count(static_cast<std::uint64_t>(gate.count(verdict)));
  }
  json.close('}');
}

void write_head(std::string& out, const GateReport& report, const Gate& gate) {
  JsonHead head(out);
  head.member("schema").text("scalelaw.gate/1");
  head.member("version").text(kVersion);
  head.member("base").text(report.base);
  head.member("new").text(report.current);
  head.member("x").text(report.x);
  JsonText y = head.member("y");
  write_strings(y, report.y);
  JsonText by = head.member("by");
  write_strings(by, report.by);
  head.member("law").text(report.law);
  head.member("errors").text(name_of(report.errors));
  write_limits(head.member("limits"), report.options);
  head.member("confidence").number(report.options.confidence);
  write_multiplicity(head.member("multiplicity"), gate);
  head.member("fail_on").text(name_of(report.fail_on));
  head.member("failed").boolean(fails(gate, report.fail_on));
  write_counts(head.member("counts"), gate);
  head.member("sentence").text(gate_sentence(report, gate));
  JsonText warnings = head.member("warnings");
  write_strings(warnings, report.warnings);
}

/// Elements of a list, one a line.
class Elements {
 public:
  explicit Elements(BufferedText& out) : out_(out) {}

  JsonText next() {
    out_.pass_on_if_full();
    out_.text() += any_ ? ",\n  " : "\n  ";
    any_ = true;
    return JsonText(out_.text());
  }
  void finish() { out_.text() += any_ ? "\n ]" : "]"; }

 private:
  BufferedText& out_;
  bool any_ = false;
};

/// Half the width of the interval of NEW's curve, as the plot of such a benchmark has one number.
std::string range_text(const Estimate& current) {
  if (!current.ci) return "";
  return "± " + with_significant_digits((current.ci->upper - current.ci->lower) / 2, 3);
}

void write_benchmark(JsonText json, const GateReport& report, const GateGroup& group,
                     const GateComparison& comparison) {
  json.open('{');
  json.key("name").text(fmt::format("{}: {}", group_name(report.by, group.group),
                                    figure_name(report, group, comparison)));
  json.key("unit").text(group.y);
  json.key("value").number(comparison.current.estimate);
  const std::string range = range_text(comparison.current);
  if (!range.empty()) json.key("range").text(range);
  json.key("extra").text(
      fmt::format("{}: {}", name_of(comparison.verdict), comparison_sentence(report, comparison)));
  json.close('}');
}

}  // namespace

void write_gate_json(const GateReport& report, const Gate& gate, const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report, gate);
  out.text() += ",\n \"groups\": [";
  Elements groups(out);
  for (const GateGroup& group : gate.groups) {
    JsonText json = groups.next();
    write_group(json, report, group);
  }
  groups.finish();
  out.text() += "}\n";
  out.pass_on();
}

void write_gate_benchmark(const GateReport& report, const Gate& gate, const TextSink& sink) {
  BufferedText out(sink);
  out.text() += '[';
  Elements elements(out);
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) {
      const bool is_value =
          comparison.figure == "curve" && std::isfinite(comparison.current.estimate);
      if (is_value) write_benchmark(elements.next(), report, group, comparison);
    }
  }
  elements.finish();
  out.text() += '\n';
  out.pass_on();
}

}  // namespace scalelaw
