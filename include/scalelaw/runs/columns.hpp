#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The names of the columns that a reading uses.
struct ChosenColumns {
  std::string x;
  std::string y;
  std::vector<std::string> by;
  std::size_t factors = 0;  ///< How many of the last names in `by` are factors.
  std::string run;          ///< Empty if unused.
  std::string weights;      ///< Empty if unused.
  /// Usual group columns that were neither requested nor filtered: groups pool their values.
  std::vector<std::string> pooled = {};
  std::string unused_run =
      {};  ///< A column `run` or `job_id` that exists but is not used; or empty.
};

/// Takes the columns that `options` name, and chooses the others by the usual names
/// (docs/reference/tables.md, "Columns").
/// @throws DataError naming the nearest column and the list, if a column does not exist or none
/// fits.
ChosenColumns choose_columns(const Header& header, const RunOptions& options,
                             std::string_view source);

/// The place of a column that must exist. @throws DataError naming the nearest column and the list.
std::size_t required_column(const Header& header, std::string_view name, std::string_view source);

/// What the usual names of columns stand for (docs/reference/tables.md, "Columns").
enum class UsualColumn {
  kScale,
  kGpus,  ///< Names of the scale that count GPUs. A node or worker may have several GPUs or none.
  kTime,
  kGroup,
  kEnergy,
  kEpochEnergy,  ///< Energy per epoch.
  kPower,        ///< Mean power of one GPU.
  kPowerLimit,   ///< Power limit of one GPU.
  kBatchSize,    ///< Batch size of training.
  kHardware,
  kRun,
};

/// The column that a header has under the first of the usual names; empty if there is none.
std::optional<std::string> usual_column(const Header& header, UsualColumn what);

/// The usual column of the energy that belongs to a column of times: per epoch if the time is.
std::optional<std::string> usual_energy_column(const Header& header, std::string_view time);

/// Whether a column's name is a usual one, with or without a unit.
bool is_usual_name(std::string_view column, UsualColumn what);

/// "x: gpus, y: epoch_seconds, by: model".
std::string description_of(const ChosenColumns& columns);

}  // namespace scalelaw
