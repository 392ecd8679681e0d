#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What the frontiers of one study have in common: the head of its report.
struct ParetoReport {
  StudyReport study;               ///< `x` is the column of the number of GPUs, `y` that of time;
                                   ///< `by` are the group columns that are no knobs.
  std::vector<std::string> knobs;  ///< As many as each point has values.
  std::string energy;              ///< Column; empty: power times time.
  std::string power;               ///< Column; empty if none.
  bool total_power = false;        ///< The power column is of all GPUs together.
  std::string max_power_from;      ///< A column, or the option; empty: there is no MaxPower.
  ParetoOptions options;
};

/// Writes frontiers in any format. JSON is the schema scalelaw.pareto/1 of docs/cli.md; CSV and TSV
/// have one row per point and eta; tables for people show the frontier, the optima and the default,
/// and below them what the numbers mean.
void write_paretos(const ParetoReport& report, std::span<const GroupPareto> groups,
                   const TableStyle& style, const TextSink& sink);

/// What the frontier means, in plain words: how many points are on it, then the optimum at each
/// eta.
std::vector<std::string> pareto_sentences(const ParetoReport& report, const Pareto& pareto);

/// The area that the frontier dominates, and how runs scatter, in plain words.
std::string pareto_area_sentence(const Pareto& pareto);
std::string pareto_scatter_sentence(const Pareto& pareto);

/// What the cost is, in plain words.
std::string pareto_cost_sentence(const ParetoReport& report);

}  // namespace scalelaw
