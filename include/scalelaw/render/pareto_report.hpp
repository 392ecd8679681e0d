#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What the frontiers of one study have in common: the head of its report.
struct ParetoReport {
  StudyReport study;               ///< `x` is the column of the number of GPUs, `y` that of time;
                                   ///< `by` are the group columns that are no knobs.
  std::vector<std::string> knobs;  ///< As many as each point has values.
  std::string energy;              ///< Column; empty: power times time.
  std::string power;               ///< Column; empty if none.
  std::string max_power_from;      ///< Where options.max_power is from: a column, or the option.
  ParetoOptions options;
};

/// The head of a report on `runs`; inputs, run and max_power_from are for the caller to add.
ParetoReport pareto_report(StudyReport study, const MeasuredRuns& runs,
                           const ParetoOptions& options);

/// Writes frontiers in any format. JSON is the schema scalelaw.pareto/1 of docs/cli.md; CSV and TSV
/// have one row a point and eta; tables for people show the frontier, the optima and the default,
/// and below them what the numbers mean.
void write_paretos(const ParetoReport& report, std::span<const GroupPareto> groups, Format format,
                   bool colour, const TextSink& sink);

/// What the frontier means, in plain words: how many points are on it, then the optimum at each
/// eta.
std::vector<std::string> pareto_sentences(const ParetoReport& report, const Pareto& pareto);

}  // namespace scalelaw
