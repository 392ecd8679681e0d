// Frontiers as CSV or TSV: one row a point and eta, every digit of every number.

#include <algorithm>
#include <array>

#include "render/delimited_rows.hpp"
#include "render/pareto_writers.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

/// What a row is made from.
struct PointRow {
  const Pareto& pareto;
  std::size_t index;          ///< Of the point.
  const PointCost* cost;      ///< Null without an eta.
  const EtaOptimum* optimum;  ///< Of that eta.

  const ParetoPoint& point() const { return pareto.points[index]; }
  const EtaRange* range() const {
    const auto found = std::find_if(pareto.ranges.begin(), pareto.ranges.end(),
                                    [this](const EtaRange& one) { return one.point == index; });
    return found == pareto.ranges.end() ? nullptr : &*found;
  }
};

/// A column that rows of points fill.
struct Column {
  std::string_view name;
  std::string (*text)(const PointRow& row);
};

std::string truth(bool value) { return value ? "true" : "false"; }

std::string estimate(const std::optional<Saving>& saving) {
  return saving ? exact_text(saving->estimate) : std::string();
}

std::string lower(const std::optional<Saving>& saving) {
  return saving && saving->ci ? exact_text(saving->ci->lower) : std::string();
}

std::string upper(const std::optional<Saving>& saving) {
  return saving && saving->ci ? exact_text(saving->ci->upper) : std::string();
}

std::optional<Saving> cost_saving(const PointRow& row) {
  return row.cost == nullptr ? std::nullopt : row.cost->saving;
}

constexpr auto kColumns = std::to_array<Column>({
    {"n", [](const PointRow& row) { return std::to_string(row.point().n); }},
    {"gpus_of_run", [](const PointRow& row) { return exact_text(row.point().gpus); }},
    {"time_s", [](const PointRow& row) { return exact_text(row.point().seconds); }},
    {"energy_j", [](const PointRow& row) { return exact_text(row.point().joules); }},
    {"on_frontier", [](const PointRow& row) { return truth(row.point().on_frontier); }},
    {"frontier_share", [](const PointRow& row) { return exact_text(row.point().frontier_share); }},
    {"surely_dominated",
     [](const PointRow& row) {
       const auto& surely = row.point().surely_dominated;
       return surely ? truth(*surely) : std::string();
     }},
    {"is_default",
     [](const PointRow& row) {
       return row.pareto.default_point ? truth(*row.pareto.default_point == row.index)
                                       : std::string();
     }},
    {"time_saving", [](const PointRow& row) { return estimate(row.point().time_saving); }},
    {"time_saving_ci_lower", [](const PointRow& row) { return lower(row.point().time_saving); }},
    {"time_saving_ci_upper", [](const PointRow& row) { return upper(row.point().time_saving); }},
    {"energy_saving", [](const PointRow& row) { return estimate(row.point().energy_saving); }},
    {"energy_saving_ci_lower",
     [](const PointRow& row) { return lower(row.point().energy_saving); }},
    {"energy_saving_ci_upper",
     [](const PointRow& row) { return upper(row.point().energy_saving); }},
    {"eta_from",
     [](const PointRow& row) { return row.range() ? exact_text(row.range()->from) : ""; }},
    {"eta_to", [](const PointRow& row) { return row.range() ? exact_text(row.range()->to) : ""; }},
    {"eta", [](const PointRow& row) { return row.optimum ? exact_text(row.optimum->eta) : ""; }},
    {"cost_j", [](const PointRow& row) { return row.cost ? exact_text(row.cost->joules) : ""; }},
    {"is_optimum",
     [](const PointRow& row) {
       return row.optimum ? truth(row.optimum->point == row.index) : std::string();
     }},
    {"optimum_share",
     [](const PointRow& row) { return row.cost ? exact_text(row.cost->optimum_share) : ""; }},
    {"cost_saving", [](const PointRow& row) { return estimate(cost_saving(row)); }},
    {"cost_saving_ci_lower", [](const PointRow& row) { return lower(cost_saving(row)); }},
    {"cost_saving_ci_upper", [](const PointRow& row) { return upper(cost_saving(row)); }},
});

bool is_own_column(const std::string& name) {
  return std::any_of(kColumns.begin(), kColumns.end(),
                     [&name](const Column& column) { return column.name == name; });
}

void write_header(DelimitedRows& rows, const ParetoReport& report) {
  for (const std::string& name : report.study.by) {
    rows.add(is_own_column(name) ? "group_" + name : name);
  }
  for (const std::string& name : report.knobs) {
    rows.add(is_own_column(name) ? "knob_" + name : name);
  }
  for (const Column& column : kColumns) rows.add(column.name);
  rows.end_row();
}

void write_row(DelimitedRows& rows, const GroupKey& group, const PointRow& row) {
  for (const std::string& value : group) rows.add(value);
  for (const std::string& value : row.point().knobs) rows.add(value);
  for (const Column& column : kColumns) rows.add(column.text(row));
  rows.end_row();
}

}  // namespace

void write_pareto_rows(const ParetoReport& report, std::span<const GroupPareto> groups,
                       char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  write_header(rows, report);
  for (const GroupPareto& group : groups) {
    const Pareto& pareto = group.result;
    for (std::size_t i = 0; i < pareto.points.size(); ++i) {
      if (pareto.optima.empty()) write_row(rows, group.group, {pareto, i, nullptr, nullptr});
      for (std::size_t e = 0; e < pareto.optima.size(); ++e) {
        write_row(rows, group.group, {pareto, i, &pareto.points[i].costs[e], &pareto.optima[e]});
      }
    }
  }
  rows.finish();
}

}  // namespace scalelaw
