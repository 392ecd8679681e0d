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

/// Takes the columns that `options` name, and chooses the others by the usual names (docs/cli.md,
/// "Columns").
/// @throws DataError naming the nearest column and the list, if a column does not exist or none
/// fits.
ChosenColumns choose_columns(const Header& header, const RunOptions& options,
                             std::string_view source);

/// The place of a column that must exist. @throws DataError naming the nearest column and the list.
std::size_t required_column(const Header& header, std::string_view name, std::string_view source);

/// The column of times by the usual names; empty if there is none.
std::optional<std::string> usual_time_column(const Header& header);
/// The column of the scale by the usual names; empty if there is none.
std::optional<std::string> usual_scale_column(const Header& header);

/// The column of the energy that belongs to a column of times, by the usual names: per epoch if the
/// time is per epoch. Empty if there is none.
std::optional<std::string> usual_energy_column(const Header& header, std::string_view time);

/// The column of the mean power of one GPU by the usual names; empty if there is none.
std::optional<std::string> usual_power_column(const Header& header);

/// The column of a run's number of GPUs, by the usual names of the scale. Names for nodes and
/// workers do not count, since these may have several GPUs or none. Empty if there is none.
std::optional<std::string> usual_gpus_column(const Header& header);

/// Whether a name is one that usual_gpus_column() accepts.
bool is_usual_gpus_name(std::string_view column);

/// Whether a name is usual for the kind of hardware: "gpu", "gpu_model", "accelerator".
bool is_usual_hardware_name(std::string_view column);

/// Whether a name is usual for the power limit of one GPU: "power_cap_w", "power_limit", "cap".
bool is_usual_power_limit(std::string_view column);

/// Whether a name is usual for the batch size of training: "batch_size", "global_batch_size".
bool is_usual_batch_size(std::string_view column);

/// "x: gpus, y: epoch_seconds, by: model".
std::string description_of(const ChosenColumns& columns);

}  // namespace scalelaw
