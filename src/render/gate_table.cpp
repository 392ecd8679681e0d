// Gates for people: a table in a terminal, and a summary for a pull request.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/gate_writers.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kReasonsListed = 20;
constexpr std::string_view kUndefined = "-";

std::vector<TableColumn> columns_of(const GateReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.by) columns.push_back({.header = name});
  columns.push_back({.header = "compared"});
  const std::string interval = fmt::format("{:.6g} % interval", 100 * report.options.confidence);
  for (const std::string& header : {std::string("BASE"), std::string("NEW"), std::string("change"),
                                    interval, std::string("limit")}) {
    columns.push_back({.header = header, .align = Align::kRight});
  }
  columns.push_back({.header = "verdict", .tone = Tone::kWarning});
  return columns;
}

std::string estimate_text(const GateComparison& comparison, const Estimate& estimate) {
  if (!std::isfinite(estimate.estimate)) return std::string(kUndefined);
  if (comparison.figure == "curve") return with_significant_digits(estimate.estimate, 4);
  return rounded(estimate.estimate, estimate.se).estimate;
}

std::vector<std::string> cells_of(const GateReport& report, const GateGroup& group,
                                  const GateComparison& comparison) {
  std::vector<std::string> cells = group.group;
  cells.push_back(figure_name(report, group, comparison));
  cells.push_back(estimate_text(comparison, comparison.base));
  cells.push_back(estimate_text(comparison, comparison.current));
  cells.push_back(change_text(comparison));
  cells.push_back(change_interval(comparison));
  cells.push_back(limit_text(comparison));
  cells.emplace_back(name_of(comparison.verdict));
  return cells;
}

std::vector<std::string> cells_without_figures(const GateGroup& group) {
  std::vector<std::string> cells = group.group;
  cells.push_back(group.y);
  for (int i = 0; i < 5; ++i) cells.emplace_back(kUndefined);
  cells.emplace_back(name_of(group.verdict));
  return cells;
}

/// Which rows a reader wants: all, or those that are not the same.
enum class Rows { kAll, kNotSame };

void add_rows(TextTable& table, const GateReport& report, const GateGroup& group, Rows rows) {
  table.begin_part();
  for (const GateComparison& comparison : group.comparisons) {
    if (rows == Rows::kNotSame && comparison.verdict == GateVerdict::kSame) continue;
    table.add_row(cells_of(report, group, comparison));
  }
  if (group.comparisons.empty()) table.add_row(cells_without_figures(group));
}

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

}  // namespace

void write_gate_table(const GateReport& report, const Gate& gate, bool colour,
                      const TextSink& sink) {
  TextTable table(columns_of(report));
  for (const GateGroup& group : gate.groups) add_rows(table, report, group, Rows::kAll);
  std::vector<std::string> lines = notes_of(report, gate);
  lines.push_back(gate_sentence(report, gate));
  write_noted_table(table, caption_of(report), lines, Format::kTable, colour, sink);
}

void write_gate_markdown(const GateReport& report, const Gate& gate, const TextSink& sink) {
  TextTable table(columns_of(report));
  for (const GateGroup& group : gate.groups) add_rows(table, report, group, Rows::kNotSame);
  sink(fmt::format("**scalelaw gate {}**\n\n",
                   escaped_markdown(printable(gate_sentence(report, gate)))));
  sink(escaped_markdown(printable(caption_of(report))) + "\n\n");
  if (!table.empty()) {
    table.write_markdown(sink);
    sink("\n");
  }
  for (const std::string& line : notes_of(report, gate)) {
    sink(fmt::format("- {}\n", escaped_markdown(printable(line))));
  }
}

}  // namespace scalelaw
