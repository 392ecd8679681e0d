#pragma once

#include <optional>
#include <string>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/judge/study.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "scalelaw/study/study_options.hpp"

namespace scalelaw {

/// `measures` with the rows, axes and groups of a study.
MeasureOptions measure_options(const StudyOptions& study, MeasureOptions measures);

/// Which rows are read with such columns.
RunOptions measured_rows(const StudyOptions& study, const MeasureOptions& measures,
                         const CallConditions& conditions);

/// Reads the inputs and says what was chosen and what was left out.
/// @throws DataError if there is nothing to read.
MeasuredRuns read_measured(const StudyOptions& study, const MeasureOptions& measures,
                           const CallConditions& conditions);

/// Joules of one unit of a column; `unit` is what its header or cells say. Where nothing tells,
/// joules are taken and a warning says so.
/// @throws DataError if that is no unit of energy.
double joules_of(const std::string& column, const std::string& unit, const Messages& say);

/// Why a column of energy is not taken: one of runs beside a time of epochs, or the other way
/// round, as its name does not tell that both are of the same. Empty if there is none. For a table
/// without a column of the energy that goes with the time.
std::string untold_energy(const StudyOptions& study, const std::string& time);

/// @throws DataError if the user asks for a power that is to be multiplied by a rate.
/// @param y  Column of the response.
void refuse_power_of_rate(const MeasureOptions& measures, bool is_rate, const std::string& y);

/// The energy of a study of times, and where it is from.
struct TableEnergy : StudyEnergy {
  std::string power = {};  ///< The power that it is computed from; empty: it has a column.
  std::string doubt = {};  ///< A warning that this power is implausible; empty: it is not.
};

/// The energy of a study of times: from the column that `measures` name, or else from one with a
/// usual name, or else from power, the number of GPUs and the time, as `energy` takes them. Empty
/// if there is none, if the input cannot be read twice, or if a column that nobody asked for cannot
/// be used, which a warning says.
/// @param required  Something was asked that needs energy.
/// @throws Error if a column that was asked for cannot be used.
std::optional<TableEnergy> read_energy(const StudyOptions& study, const StudyReport& report,
                                       const MeasureOptions& measures, bool required,
                                       const CallConditions& conditions);

/// The head of a report on such runs.
StudyReport measured_report(const StudyOptions& study, const MeasuredRuns& runs);

/// The head of a report on energy, with the columns that were read.
template <class Report>
Report measured_head(const StudyOptions& study, const MeasuredRuns& runs) {
  const MeasureColumns& columns = runs.columns;
  const auto& numbers = runs.observations.numbers();
  Report report;
  report.study = measured_report(study, runs);
  if (columns.energy) report.energy = numbers[*columns.energy].name;
  if (columns.power) report.power = numbers[*columns.power].name;
  report.total_power = columns.total_power;
  if constexpr (requires { report.work; }) report.work = runs.work();
  return report;
}

/// The head of a report on frontiers; warnings are for the caller to add.
ParetoReport pareto_report(const StudyOptions& study, const MeasuredRuns& runs,
                           const ParetoOptions& options, const MaxPower& max_power);

}  // namespace scalelaw
