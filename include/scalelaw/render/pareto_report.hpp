#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of the report: it holds for the frontiers of one study.
struct ParetoReport {
  StudyReport study;               ///< `x` is the column of the number of GPUs, `y` that of time;
                                   ///< `by` are the group columns that are no knobs.
  std::vector<std::string> knobs;  ///< As many as each point has values.
  std::string energy;              ///< Column; empty: power times time.
  std::string power;               ///< Column; empty if none.
  std::string work = {};           ///< As CapsReport::work.
  bool total_power = false;        ///< The power column is of all GPUs together.
  std::string energy_unit = "J";   ///< In which people see energies: that of the column.
  std::string max_power_from;      ///< A column, or the option; empty: there is no MaxPower.
  ParetoOptions options;
};

/// A writer of frontiers in any format. JSON is the schema scalelaw.pareto/1 of
/// docs/reference/pareto.md; CSV and TSV have one row per point and eta; tables for people show the
/// frontier, the optima and the default, and below them what the numbers mean.
/// @param survey  Of all groups that will be written.
std::unique_ptr<GroupWriter<Pareto>> make_pareto_writer(const ParetoReport& report,
                                                        const ParetoSurvey& survey,
                                                        const TableStyle& style, TextSink sink);

/// Sentences on the frontier: how many points are on it, then the optimum at each eta.
std::vector<std::string> pareto_sentences(const ParetoReport& report, const Pareto& pareto);

}  // namespace scalelaw
