#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/runs/observations.hpp"

namespace scalelaw {

/// Which columns hold time, energy and power, and what else is wanted. Empty names are chosen by
/// the usual names (docs/cli.md, "Columns").
struct MeasureOptions {
  bool has_x = true;  ///< Whether there is a scale at all.
  bool x_optional = false;  ///< A table without a usual column of the scale has none.
  std::string x;            ///< Column of the scale.
  /// Without a scale: take the number of GPUs, `x` or by the usual names, where the table has it.
  /// It may be a group column or factor as well.
  bool gpus_if_there = false;
  std::string time;          ///< Column of the time of a run or epoch.
  std::string energy;        ///< Column of its energy at all GPUs.
  std::string power;         ///< Column of the mean power, of one GPU.
  bool total_power = false;  ///< The power is that of all GPUs together.
  std::vector<std::string> by;
  bool by_chosen = false;  ///< `by` is final even if empty.
  std::vector<std::string> factors;
  std::vector<std::string> where;
  std::string run;
  std::vector<NumberColumn> more;  ///< Further columns of numbers.
};

/// Where the measurements stand among the numbers of Observations, and in which unit.
struct MeasureColumns {
  std::optional<std::size_t> x;
  std::size_t time = 0;
  std::optional<std::size_t> energy;  ///< One of energy and power is there.
  std::optional<std::size_t> power;
  bool total_power = false;
  std::size_t more = 0;  ///< The first of MeasureOptions::more.
  double seconds = 1;    ///< Of one unit of the time column,
  double joules = 1;     ///< of the energy column,
  double watts = 1;      ///< of the power column.
};

/// What was measured in the observations of one group, in s, J and W.
struct Measurements {
  std::vector<double> x;        ///< The scale; empty without one.
  std::vector<double> seconds;  ///< Time.
  std::vector<double> joules;   ///< Energy at all GPUs; power times time where only power is known.
  /// Mean power of all GPUs by its own column, NaN where it has no value; empty without one.
  std::vector<double> watts;
};

/// Observations with time and energy.
struct MeasuredRuns {
  Observations observations;
  MeasureColumns columns;
  std::string choice;  ///< What was chosen, for the user to read.

  Measurements measurements(std::size_t group) const;
};

/// Reads time, energy and power of runs. Units come from the columns' names or their first row;
/// where these do not tell, seconds, joules and watts are taken, and `choice` says so.
/// @throws DataError if a column is not there, or there is neither energy nor power.
MeasuredRuns read_measured_runs(const std::vector<std::string>& inputs,
                                const MeasureOptions& measures, const ObservationOptions& options);

}  // namespace scalelaw
