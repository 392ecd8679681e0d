#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/runs/observations.hpp"
#include "scalelaw/runs/surface_runs.hpp"

namespace scalelaw {

/// Which columns of a table of losses tell what training took, as the user named them. Empty ones
/// are found by their names.
struct WorkOptions {
  std::string gpus;    ///< How many GPUs, or nodes, a run had.
  std::string time;    ///< A rate of tokens, a time per step, or a time or GPU-hours of the run.
  std::string steps;   ///< How many steps the tokens of a row are.
  std::string energy;  ///< Of all GPUs of a run until its tokens were seen.
  std::string power;   ///< Mean power of one GPU.
  bool total_power = false;               ///< `power` is that of all GPUs.
  std::optional<double> tokens_per_step;  ///< Instead of a column of steps.
  std::optional<double> gpus_per_node;    ///< Where the column of GPUs counts nodes.
  bool wants_time = true;                 ///< Else no column is read.
  bool needs_time = true;                 ///< Else columns that tell no time are no error.
  bool wants_power = true;                ///< Else none of power and energy is.
};

/// The column of a table of losses that tells how long training took; empty if none does.
std::string work_time_column(const TableProfile& profile);

/// What training took, of the rows of one group; NaN where a row does not tell it.
struct Work {
  std::vector<double> gpus;
  std::vector<double> gpu_seconds;  ///< That one token takes.
  std::vector<double> watts;        ///< Of one GPU,
  std::string power = {};           ///< by this column; empty: from energies, or not known.
  std::size_t without_gpus = 0;     ///< Rows with a time, but without a number of GPUs.
};

/// What the numbers of a column tell of training, by its name and unit.
struct WorkMeaning {
  enum class Kind { kNone, kTime, kTokenRate, kEnergy, kPower };
  Kind kind = Kind::kNone;
  bool of_step = false;     ///< Of a time or energy: of one step,
  bool of_token = false;    ///< or of one token; else of something else.
  bool of_one_gpu = false;  ///< Of a rate or an energy.
  double unit = 1;          ///< Seconds, joules or watts in one; of a rate, the seconds it is per.
};
WorkMeaning work_meaning(std::string_view name, std::string_view unit);

/// The columns that tell what training took, and how they are read.
class WorkColumns {
 public:
  explicit WorkColumns(WorkOptions asked) : asked_(std::move(asked)) {}

  /// Finds the columns of a table, as SurfaceColumns::more does.
  /// @throws DataError if a column that the user named does not exist, or tells no such thing.
  std::vector<NumberColumn> choose(const Header& header, std::string_view source,
                                   const TableProfile& profile);

  /// Takes the units that the reading found, as SurfaceTable::more_units.
  /// @throws DataError if a unit measures something else.
  void take_units(const std::vector<std::string>& units);

  Work work_of(const SurfaceRuns& runs) const;

  bool has_time() const { return time_.has_value(); }
  bool has_power() const { return energy_ || power_; }
  /// "time: seconds_per_step, GPUs: 8 times num_nodes"; empty if nothing was found.
  std::string choice() const;

 private:
  /// What the column of the time tells.
  enum class Time {
    kRate,       ///< Tokens per time of all GPUs.
    kRateOfOne,  ///< Tokens per time of one GPU or node.
    kStep,       ///< Time of a step.
    kRun,        ///< Time until the tokens of the row were seen.
    kGpuTime,    ///< The same, times the GPUs.
  };

  /// choose(), where each column that is missing is an error.
  std::vector<NumberColumn> needed_columns(const Header& header, std::string_view source,
                                           const TableProfile& profile);
  std::size_t add(std::string name);
  const std::string& name_at(std::size_t place) const { return columns_[place].name; }
  void choose_time(const Header& header, std::string_view source, const TableProfile& profile);
  void choose_gpus(const Header& header, std::string_view source, const TableProfile& profile);
  void choose_power(const Header& header, std::string_view source, const TableProfile& profile);
  void choose_steps(const Header& header, std::string_view source, const TableProfile& profile);
  bool choose_tokens_per_step(const TableProfile& profile);
  void check() const;
  double gpu_seconds_at(const SurfaceRuns& runs, std::size_t row, double gpus) const;

  WorkOptions asked_;
  std::vector<NumberColumn> columns_;
  std::optional<std::size_t> gpus_;  ///< Places in columns_.
  std::optional<std::size_t> time_;
  std::optional<std::size_t> steps_;
  std::optional<std::size_t> tokens_per_step_;
  std::optional<std::size_t> energy_;
  std::optional<std::size_t> power_;
  Time kind_ = Time::kRate;
  double devices_ = 1;  ///< GPUs that one of what is counted has.
  double seconds_ = 1;  ///< In one unit of the time; of a rate, in the time that it is per.
  double joules_ = 1;   ///< In one unit of the energy.
  double watts_ = 1;    ///< In one unit of the power.
};

}  // namespace scalelaw
