// Gates as CSV: one row a comparison, every digit of every number; one row for a group without any.

#include <algorithm>
#include <array>

#include "render/delimited_rows.hpp"
#include "render/gate_writers.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

struct Column {
  std::string_view name;
  std::string (*text)(const GateComparison& comparison);
};

using C = GateComparison;

constexpr auto kColumns = std::to_array<Column>({
    {"figure", [](const C& c) { return c.figure; }},
    {"x", [](const C& c) { return exact_text(c.x); }},
    {"base", [](const C& c) { return exact_text(c.base.estimate); }},
    {"base_se", [](const C& c) { return exact_text(c.base.se); }},
    {"new", [](const C& c) { return exact_text(c.current.estimate); }},
    {"new_se", [](const C& c) { return exact_text(c.current.se); }},
    {"change", [](const C& c) { return exact_text(c.change.estimate); }},
    {"se", [](const C& c) { return exact_text(c.change.se); }},
    {"dof", [](const C& c) { return exact_text(c.change.dof); }},
    {"ci_lower", [](const C& c) { return lower_text(c.change.ci); }},
    {"ci_upper", [](const C& c) { return upper_text(c.change.ci); }},
    {"ratio", [](const C& c) { return exact_text(c.ratio); }},
    {"ratio_ci_lower", [](const C& c) { return lower_text(c.ratio_ci); }},
    {"ratio_ci_upper", [](const C& c) { return upper_text(c.ratio_ci); }},
    {"limit", [](const C& c) { return exact_text(c.less_is_better ? c.limit : -c.limit); }},
    {"p_worse", [](const C& c) { return exact_text(c.p_worse); }},
    {"p_worse_holm", [](const C& c) { return exact_text(c.p_worse_holm); }},
    {"p_better", [](const C& c) { return exact_text(c.p_better); }},
    {"p_better_holm", [](const C& c) { return exact_text(c.p_better_holm); }},
    {"extrapolated", [](const C& c) { return truth_text(c.extrapolated); }},
    {"verdict", [](const C& c) { return std::string(name_of(c.verdict)); }},
});

bool is_own_column(const std::string& name) {
  if (name == "y" || name == "group_verdict" || name == "reason") return true;
  return is_column(kColumns, name);
}

/// Rows of one file.
class Rows {
 public:
  Rows(const GateReport& report, const TextSink& sink) : report_(report), rows_(',', sink) {}

  void write_header() {
    for (const std::string& name : report_.by)
      rows_.add(is_own_column(name) ? "group_" + name : name);
    rows_.add("y");
    for (const Column& column : kColumns) rows_.add(column.name);
    rows_.add("group_verdict");
    rows_.add("reason");
    rows_.end_row();
  }

  void write(const GateGroup& group) {
    for (const GateComparison& comparison : group.comparisons) {
      begin_row(group);
      for (const Column& column : kColumns) rows_.add(column.text(comparison));
      finish_row(group, comparison.reason);
    }
    if (!group.comparisons.empty()) return;
    begin_row(group);
    for (std::size_t i = 0; i + 1 < kColumns.size(); ++i) rows_.add("");
    rows_.add(name_of(group.verdict));
    finish_row(group, group.reason);
  }

  void finish() { rows_.finish(); }

 private:
  void begin_row(const GateGroup& group) {
    for (const std::string& value : group.group) rows_.add(value);
    rows_.add(group.y);
  }

  void finish_row(const GateGroup& group, const std::string& reason) {
    rows_.add(name_of(group.verdict));
    rows_.add(reason);
    rows_.end_row();
  }

  const GateReport& report_;
  DelimitedRows rows_;
};

}  // namespace

void write_gate_rows(const GateReport& report, const Gate& gate, const TextSink& sink) {
  Rows rows(report, sink);
  rows.write_header();
  for (const GateGroup& group : gate.groups) rows.write(group);
  rows.finish();
}

}  // namespace scalelaw
