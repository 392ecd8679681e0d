#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/energy_scaling.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of the report: it holds for the energies of all groups of one study.
struct EnergyReport {
  StudyReport study;
  std::string energy;        ///< Column of the energy; empty: power times time.
  std::string power;         ///< Column of the power; empty: energy over time.
  bool total_power = false;  ///< The power column is of all GPUs together.
  std::string batch;         ///< Column of the global batch size; empty: none.
  std::string samples;       ///< Column of the samples; empty: none.
  EnergyOptions options;
  Currency currency;  ///< Of the prices.
};

/// A writer of how energy scales, in any format. JSON is the schema scalelaw.energy/1 of
/// docs/reference/energy.md; CSV and TSV have one row per group and N, with the figures of its
/// group repeated; tables for people show the same rows, and below them what each group's numbers
/// mean.
std::unique_ptr<GroupWriter<EnergyScaling>> make_energy_writer(const EnergyReport& report,
                                                               const TableStyle& style,
                                                               TextSink sink);

/// What to doubt in the figures of a group: energies and powers that contradict each other, work
/// that varies, what minima assume, and warnings of the power laws.
std::vector<std::string> energy_doubts(const EnergyReport& report, const EnergyScaling& scaling);

/// Sentences on the figures of a group.
std::vector<std::string> energy_sentences(const EnergyReport& report, const EnergyScaling& scaling);

}  // namespace scalelaw
