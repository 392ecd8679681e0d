#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/runs/observations.hpp"

namespace scalelaw {

/// The columns of time, energy and power, and further wishes. An empty name means that the words
/// of names and the values decide (docs/reference/tables.md, "Columns").
struct MeasureOptions {
  bool has_x = true;  ///< Whether there is a scale at all.
  /// The table has no scale if it lacks a usual column for it or if that column is a factor.
  bool x_optional = false;
  std::string x = {};  ///< Column of the scale.
  /// Without a scale, read the number of GPUs where the table has it, from column `x` or a usual
  /// one. That column may also be a group column or a factor.
  bool gpus_if_there = false;
  std::string time = {};    ///< Column of the time of a run or epoch.
  std::string energy = {};  ///< Column of the energy at all GPUs.
  /// Column of the mean power of one GPU. With a scale, it needs the number of GPUs: `x` if its
  /// name is usual for GPUs, else the usual column.
  std::string power = {};
  bool total_power = false;  ///< The power column holds the power of all GPUs together.
  std::vector<std::string> by = {};
  bool by_chosen = false;  ///< `by` is final even if empty.
  std::vector<std::string> factors = {};
  UsualFactors usual_factors = {};  ///< What is taken if `factors` is empty.
  std::vector<std::string> where = {};
  std::string run = {};
  std::vector<NumberColumn> more = {};  ///< Further columns of numbers.
  bool energy_optional = false;         ///< Times alone are enough where nothing tells the energy.
  bool of_equal_work = false;           ///< Runs of unlike work are compared by one unit of it.
};

/// Where the measurements stand among the numbers of Observations, and their units.
struct MeasureColumns {
  std::optional<std::size_t> x;
  /// The number of GPUs, which multiplies the power of one GPU. Often it is `x` itself.
  std::optional<std::size_t> gpus;
  std::size_t time = 0;
  std::optional<std::size_t> energy;  ///< It or the power is there but for energy_optional.
  std::optional<std::size_t> power;
  bool total_power = false;
  std::vector<std::size_t> work;  ///< Their product counts it, where runs do unlike amounts.
  std::size_t more = 0;           ///< The first column of MeasureOptions::more.
  double seconds = 1;             ///< Seconds per unit of the time column.
  double joules = 1;              ///< Joules per unit of the energy column.
  double watts = 1;               ///< Watts per unit of the power column.
};

/// What was measured in the observations of one group, in s, J and W.
struct Measurements {
  std::vector<double> x;        ///< The scale; empty without one.
  std::vector<double> seconds;  ///< Time.
  /// Energy at all GPUs; power times time where only power is known, NaN where neither is.
  std::vector<double> joules;
  /// Mean power of all GPUs from the power column, NaN where that is empty. Empty without one.
  std::vector<double> watts;
};

/// Observations with time and energy.
struct MeasuredRuns {
  Observations observations;
  MeasureColumns columns;
  std::string choice;  ///< What was chosen, for the user to read.
  /// Sentences on units that nothing tells, and on columns that are equally good. They stand in
  /// `choice`, too.
  std::vector<std::string> assumed;

  /// @param of_one  Times and energies are of one unit of columns.work, where there is one.
  Measurements measurements(std::size_t group, bool of_one = true) const;

  /// The name of columns.work, "batch * length"; empty without it.
  std::string work() const;
  std::vector<double> work_of(std::size_t group) const;

  /// A sentence on columns.work; empty without it.
  std::string work_note() const;
};

/// The energies of runs with an x, in joules, as cells of every group.
/// @param options  How runs become points. Weights are the first of MeasureOptions::more.
GroupedCells energy_cells(const MeasuredRuns& runs, const RunOptions& options);

/// What the energies of runs are, in words: the column of the energy, or "power_w times gpus times
/// seconds".
std::string energy_words(const MeasuredRuns& runs);

/// Where groups begin that are one but for their factors; the last value is the end.
std::vector<std::size_t> judged_groups(const Observations& observations);

/// Reads time, energy and power of runs. The columns' names or their first row tell the units;
/// otherwise they are seconds, joules and watts, and `choice` says so.
/// @throws DataError if a column is missing, if there is neither energy nor power, or if the power
/// of one GPU is given and nothing tells the number of GPUs.
MeasuredRuns read_measured_runs(const std::vector<std::string>& inputs,
                                const MeasureOptions& measures, const RowOptions& options);

/// A warning if the energy is power times time and nothing tells the number of GPUs, so that every
/// run counts as one of a single GPU. Empty otherwise.
/// @param option  The option that names the column of the number.
std::string one_gpu_warning(const MeasuredRuns& runs, std::string_view option);

/// A warning if the power of one GPU grows with their number, as that of all together does, or else
/// if some runs drew less than 5 W or more than 2,000 W per GPU, which points at another
/// unit, at another number of GPUs, or at a time that is not that of the energy. Where nothing
/// tells the number of GPUs, only too little can be told. Empty otherwise.
std::string implausible_power_warning(const MeasuredRuns& runs);

/// The same for times and energies that were read apart, by their means at each x.
/// @param joules  How many joules one unit of the energies is.
std::string implausible_power_warning(const GroupedCells& times, const GroupedCells& energies,
                                      double joules);

/// The unit of a column that a program writes without saying it: CodeCarbon's energies are in kWh.
/// Empty if the table is of no such program.
std::string_view unit_by_program(const Header& header, std::string_view column);

/// unit_by_program() for the first input; empty if it cannot be read twice.
std::string unit_by_program(const std::vector<std::string>& inputs, const std::string& column,
                            const TextLayout& layout = {});

/// How many joules one unit of a column is.
struct JoulesPerUnit {
  double joules = 1;
  bool assumed = false;  ///< Nothing tells the unit, so joules are taken.
};

/// @param unit  What header or cells say; if it is empty, the column's name may tell.
/// @throws DataError if that is no unit of energy.
JoulesPerUnit joules_per_unit(const std::string& column, const std::string& unit);

/// Whether a column holds the power of all GPUs of a run together by its name: "Total Power (kW)".
/// It is taken so where nobody names a power.
bool is_total_power(std::string_view column);

/// Whether a name says that an energy is that of one GPU: "energy_per_gpu_j".
bool is_energy_of_one(std::string_view column);

/// Whether a table has a column of power by its name; false if the first input cannot be read
/// twice.
bool has_power_column(const std::vector<std::string>& inputs, const TextLayout& layout = {});

/// The energy column of the inputs by its usual names; empty if there is none or the first input
/// cannot be read twice.
/// @param time  The column of the time, which is not meant.
std::string usual_energy_column(const std::vector<std::string>& inputs, const std::string& time,
                                const TextLayout& layout = {});

/// A column of powers.
struct PowerColumn {
  std::string name = {};  ///< Empty: what was measured is an energy, or is not known.
  bool is_total = false;  ///< The power of all GPUs of a run, and not of one.
};

/// A warning if some runs drew less than 5 W or more than 2,000 W per GPU, as
/// implausible_power_warning() of measured runs. Empty otherwise.
/// @param watts  Of one GPU in each run; NaN where they are not known.
std::string odd_power_warning(std::span<const double> watts, const PowerColumn& power = {});

}  // namespace scalelaw
