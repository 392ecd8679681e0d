#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/judge/study.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "scalelaw/render/predict_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// Adds --energy, --power and --total-power. `measures` must outlive the parsing.
/// @param group  Where the help lists them.
void add_energy_columns(Options& command, MeasureOptions& measures, const char* group = "Data");

/// What the user said of power plants and prices.
struct FootprintOptions {
  std::string carbon_intensity;  ///< Grams per kWh, or a region.
  std::string price;             ///< Per kWh, with or without a currency.
  double pue = 1;
};

/// Adds --carbon-intensity, --price and --pue. `options` must outlive the parsing.
void add_footprint_options(Options& command, FootprintOptions& options);

/// price(), or 0.
Check price_or_zero();

/// A price as the user gave it.
struct GivenPrice {
  std::string_view option;
  const std::string& text;  ///< Empty if it was not given.
};

/// The number of a price that price_or_zero() accepts; nothing where none was given.
std::optional<double> number_of_price(const std::string& text);

/// The currency of prices of which some may name none.
/// @throws DataError naming both if two are in different currencies.
Currency currency_of(std::initializer_list<GivenPrice> prices);

/// @throws DataError if the carbon intensity is neither a number >= 0 nor a region of the table.
Footprint footprint_of(const FootprintOptions& options);

/// The weights of energy in Zeus's cost that an option lists; none for an empty list.
/// @throws DataError if one is not in [0, 1] or is named twice.
std::vector<double> etas_of(const std::string& option, const std::string& list);

/// `measures` with the rows, axes and groups of a study.
MeasureOptions measure_options(const StudyOptions& study, MeasureOptions measures);

/// Which rows are read with such columns.
RunOptions measured_rows(const StudyOptions& study, const MeasureOptions& measures,
                         const GlobalOptions& global);

/// Reads the inputs and says on stderr what was chosen and what was left out.
/// @throws DataError if there is nothing to read.
MeasuredRuns read_measured(const StudyOptions& study, const MeasureOptions& measures,
                           const GlobalOptions& global);

/// Joules of one unit of a column; `unit` is what its header or cells say. Where nothing tells,
/// joules are taken and a warning says so.
/// @throws DataError if that is no unit of energy.
double joules_of(const std::string& column, const std::string& unit, const Messages& console);

/// Why a column of energy is not taken: one of runs beside a time of epochs, or the other way
/// round, as its name does not tell that both are of the same. Empty if there is none. For a table
/// without a column of the energy that goes with the time.
std::string untold_energy(const StudyOptions& study, const std::string& time);

/// Whether the user named a column of power, or said whose power it is.
bool names_power(const MeasureOptions& measures);

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
                                       const GlobalOptions& global);

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
  if constexpr (requires { report.work; }) {
    if (columns.work) report.work = numbers[*columns.work].name;
  }
  return report;
}

/// The head of a report on frontiers; warnings are for the caller to add.
ParetoReport pareto_report(const StudyOptions& study, const MeasuredRuns& runs,
                           const ParetoOptions& options, const MaxPower& max_power);

}  // namespace scalelaw::cli
