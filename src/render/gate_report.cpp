// Gates in every format: their JSON (schema scalelaw.gate/1), and one row per comparison.

#include "scalelaw/render/gate_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/gate_parts.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kReasonsListed = 20;

// JSON.

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
  json.key("limit").number(comparison.signed_limit());
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
  write_each(json.key("comparisons"), group.comparisons, write_comparison);
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

void write_gate_json(const GateReport& report, const Gate& gate, const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report, gate);
  out.text() += ",\n \"groups\": [";
  JsonElements groups(out);
  for (const GateGroup& group : gate.groups) {
    JsonText json = groups.next();
    write_group(json, report, group);
  }
  groups.finish();
  out.text() += "}\n";
  out.pass_on();
}

// Columns.

/// A comparison of a group; the group alone where it has none.
struct Row {
  const GateReport& report;
  const GateGroup& group;
  const GateComparison* comparison = nullptr;

  GateVerdict verdict() const {
    return comparison != nullptr ? comparison->verdict : group.verdict;
  }
};

std::string estimate_text(const GateComparison& comparison, const Estimate& estimate) {
  if (!std::isfinite(estimate.estimate)) return "-";
  if (comparison.figure == "curve") return with_significant_digits(estimate.estimate, 4);
  return rounded(estimate.estimate, estimate.se).estimate;
}

/// A number of the comparison, if there is one; `get` returns a double or an optional one.
auto number(auto get) {
  return [get](const Row& row) {
    return row.comparison != nullptr ? std::optional<double>(get(*row.comparison)) : std::nullopt;
  };
}

auto interval_of(auto get) {
  return [get](const Row& row) {
    return row.comparison != nullptr ? std::optional<Interval>(get(*row.comparison)) : std::nullopt;
  };
}

/// What people see of the comparison.
auto seen(auto text) {
  return [text](const Row& row) {
    return row.comparison != nullptr ? text(*row.comparison) : std::string("-");
  };
}

std::string compared(const Row& row) {
  if (row.comparison == nullptr) return row.group.y;
  return figure_name(row.report, row.group, *row.comparison);
}

using C = GateComparison;

/// What was compared, in BASE and in NEW.
void add_figures(Sheet<Row>& sheet) {
  sheet.add("y", [](const Row& row) { return std::string_view(row.group.y); });
  sheet.for_people("compared", compared).titled("compared");
  sheet.add("figure", [](const Row& row) {
    return row.comparison != nullptr ? std::string_view(row.comparison->figure)
                                     : std::string_view();
  });
  sheet.add("x", number([](const C& c) { return c.x; })).as(scale_value());
  sheet.add("base", number([](const C& c) { return c.base.estimate; }))
      .seen_as(seen([](const C& c) { return estimate_text(c, c.base); }))
      .titled("BASE");
  sheet.add("base_se", number([](const C& c) { return c.base.se; }));
  sheet.add("new", number([](const C& c) { return c.current.estimate; }))
      .seen_as(seen([](const C& c) { return estimate_text(c, c.current); }))
      .titled("NEW");
  sheet.add("new_se", number([](const C& c) { return c.current.se; }));
}

Sheet<Row> gate_sheet(const GateReport& report) {
  Sheet<Row> sheet(report.by);
  add_figures(sheet);
  sheet.add("change", number([](const C& c) { return c.change.estimate; }))
      .seen_as(seen(change_text))
      .titled("change");
  sheet.add("se", number([](const C& c) { return c.change.se; }));
  sheet.add("dof", number([](const C& c) { return c.change.dof; }));
  sheet.interval("ci", interval_of([](const C& c) { return c.change.ci; }))
      .seen_as(seen(change_interval))
      .titled(fmt::format("{:.6g} % interval", 100 * report.options.confidence));
  sheet.add("ratio", number([](const C& c) { return c.ratio; }));
  sheet.interval("ratio_ci", interval_of([](const C& c) { return c.ratio_ci; }));
  sheet.add("limit", number([](const C& c) { return c.signed_limit(); }))
      .seen_as(seen(limit_text))
      .titled("limit");
  sheet.add("p_worse", number([](const C& c) { return c.p_worse; })).as(p_value());
  sheet.add("p_worse_holm", number([](const C& c) { return c.p_worse_holm; })).as(p_value());
  sheet.add("p_better", number([](const C& c) { return c.p_better; })).as(p_value());
  sheet.add("p_better_holm", number([](const C& c) { return c.p_better_holm; })).as(p_value());
  sheet.add("extrapolated", [](const Row& row) {
    return row.comparison != nullptr ? std::optional(row.comparison->extrapolated) : std::nullopt;
  });
  sheet.add("verdict", [](const Row& row) { return name_of(row.verdict()); })
      .toned(Tone::kWarning)
      .titled("verdict");
  sheet.add("group_verdict", [](const Row& row) { return name_of(row.group.verdict); });
  sheet.add("reason", [](const Row& row) {
    return std::string_view(row.comparison != nullptr ? row.comparison->reason : row.group.reason);
  });
  return sheet;
}

// What stands around tables.

/// Why groups have no figures, or figures no interval.
std::vector<std::string> reasons_of(const GateReport& report, const Gate& gate) {
  std::vector<std::string> lines;
  for (const GateGroup& group : gate.groups) {
    const std::string name = group_name(report.by, group.group);
    if (!group.reason.empty() && group.verdict != GateVerdict::kNew) {
      lines.push_back(fmt::format("{}: {}: {}", name, name_of(group.verdict), group.reason));
    }
    for (const GateComparison& comparison : group.comparisons) {
      if (comparison.reason.empty()) continue;
      lines.push_back(fmt::format("{}: {}: {}", name, figure_name(report, group, comparison),
                                  comparison.reason));
    }
  }
  if (lines.size() > kReasonsListed) {
    const std::size_t more = lines.size() - kReasonsListed;
    lines.resize(kReasonsListed);
    lines.push_back(fmt::format("{} more; --format csv and json list them all", more));
  }
  return lines;
}

std::vector<std::string> notes_of(const GateReport& report, const Gate& gate) {
  std::vector<std::string> lines = reasons_of(report, gate);
  lines.insert(lines.end(), report.warnings.begin(), report.warnings.end());
  lines.push_back(multiplicity_sentence(report, gate));
  return lines;
}

std::string caption_of(const GateReport& report) {
  return fmt::format("BASE {} and NEW {}: law {}, x: {}; limits: {:.4g} % slower, beta {:.4g} less",
                     report.base, report.current, report.law, report.x,
                     100 * report.options.max_slowdown, report.options.max_beta_drop);
}

/// Writes the rows, of a summary only those that need a look; returns whether there are any.
bool write_rows(SheetWriter& rows, const GateReport& report, const Gate& gate, bool is_summary) {
  bool any = false;
  const auto add = [&](const GateGroup& group, const GateComparison* comparison) {
    rows.add(group.group, Row{report, group, comparison});
    any = true;
  };
  for (const GateGroup& group : gate.groups) {
    rows.begin_part();
    if (group.comparisons.empty()) add(group, nullptr);
    for (const GateComparison& comparison : group.comparisons) {
      if (!is_summary || comparison.verdict != GateVerdict::kSame) add(group, &comparison);
    }
  }
  return any;
}

void write_gate_rows(const GateReport& report, const Gate& gate, const TableStyle& style,
                     const TextSink& sink) {
  SheetWriter rows(gate_sheet(report), style, sink);
  write_rows(rows, report, gate, false);
  std::vector<std::string> lines = notes_of(report, gate);
  lines.push_back(gate_sentence(report, gate));
  rows.finish(caption_of(report), lines);
}

/// A summary for a pull request: the outcome, and what needs a look.
void write_gate_markdown(const GateReport& report, const Gate& gate, const TableStyle& style,
                         const TextSink& sink) {
  sink(fmt::format("**scalelaw gate {}**\n\n",
                   escaped_markdown(printable(gate_sentence(report, gate)))));
  sink(escaped_markdown(printable(caption_of(report))) + "\n\n");
  SheetWriter rows(gate_sheet(report), style, sink);
  const std::vector<std::string> lines = notes_of(report, gate);
  if (write_rows(rows, report, gate, true)) return rows.finish("", lines);
  write_notes(lines, Format::kMarkdown, sink);
}

}  // namespace

void write_gate(const GateReport& report, const Gate& gate, const TableStyle& style,
                const TextSink& sink) {
  switch (style.format) {
    case Format::kJson:
      return write_gate_json(report, gate, sink);
    case Format::kMarkdown:
      return write_gate_markdown(report, gate, style, sink);
    case Format::kJunit:
      return write_gate_junit(report, gate, sink);
    case Format::kGithub:
      return write_gate_github(report, gate, sink);
    case Format::kBenchmark:
      return write_gate_benchmark(report, gate, sink);
    default:
      return write_gate_rows(report, gate, style, sink);
  }
}

}  // namespace scalelaw
