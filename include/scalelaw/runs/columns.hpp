#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The columns that a reading uses, by name.
struct ChosenColumns {
  std::string x;
  std::string y;
  std::vector<std::string> by;
  std::size_t factors = 0;  ///< The last so many of `by` are factors.
  std::string run;          ///< Empty: not used.
  std::string weights;      ///< Empty: not used.
  /// Usual group columns that were not asked for, nor filtered: groups pool their values.
  std::vector<std::string> pooled = {};
  std::string unused_run =
      {};  ///< A column `run` or `job_id` that exists and is not used; empty: none.
};

/// Takes the columns that `options` name, and chooses the rest by the usual names (docs/cli.md,
/// "Columns").
/// @throws DataError naming the nearest column and the list, if one does not exist or none fits.
ChosenColumns choose_columns(const Header& header, const RunOptions& options,
                             std::string_view source);

/// The place of a column that must exist. @throws DataError naming the nearest column and the list.
std::size_t required_column(const Header& header, std::string_view name, std::string_view source);

/// The column of times, by the usual names; nothing if none is there.
std::optional<std::string> usual_time_column(const Header& header);
/// The column of the scale, by the usual names; nothing if none is there.
std::optional<std::string> usual_scale_column(const Header& header);

/// The column of the energy that goes with a column of times, by the usual names: of an epoch where
/// the time is one's. Nothing if none is there.
std::optional<std::string> usual_energy_column(const Header& header, std::string_view time);

/// The column of the mean power of one GPU, by the usual names; nothing if none is there.
std::optional<std::string> usual_power_column(const Header& header);

/// The column of the number of GPUs of a run, by the usual names of the scale but for those of
/// nodes and workers, which may have several GPUs or none; nothing if none is there.
std::optional<std::string> usual_gpus_column(const Header& header);

/// Whether a column of that name counts the GPUs of a run: one of the names of usual_gpus_column.
bool is_usual_gpus_name(std::string_view column);

/// Whether a column of that name tells the kind of hardware: "gpu", "gpu_model", "accelerator".
bool is_usual_hardware_name(std::string_view column);

/// Whether a column of that name is a power limit of one GPU: "power_cap_w", "power_limit", "cap".
bool is_usual_power_limit(std::string_view column);

/// Whether a column of that name is the batch size of training: "batch_size", "global_batch_size".
bool is_usual_batch_size(std::string_view column);

/// "x: gpus, y: epoch_seconds, by: model".
std::string description_of(const ChosenColumns& columns);

}  // namespace scalelaw
