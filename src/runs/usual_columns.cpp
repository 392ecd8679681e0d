#include "runs/usual_columns.hpp"

#include <algorithm>
#include <cctype>

#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// A usual name matches in any case, and with blanks for underscores: "GPUs", "Epoch Seconds".
bool is_called(std::string_view cell, std::string_view name) {
  const auto same = [](char a, char b) {
    return (a == ' ' ? '_' : std::tolower(static_cast<unsigned char>(a))) == b;
  };
  return std::equal(cell.begin(), cell.end(), name.begin(), name.end(), same);
}

}  // namespace

std::vector<std::string> first_names_of(UsualColumn what) {
  using enum UsualColumn;
  const std::string_view names = word_for(
      what,
      {{kScale, "gpus num_gpus n_gpus gpu_count ngpus accelerators workers nodes"},
       {kGpus, "gpus num_gpus n_gpus gpu_count ngpus accelerators"},
       {kTime,
        "epoch_seconds seconds_per_epoch train_seconds wall_seconds seconds time_s minutes "
        "seconds_per_step duration_s"},
       {kGroup, "model benchmark accelerator power_cap_w clock_mhz sweep"},
       {kEnergy, "energy_j energy_kj energy_wh energy_kwh joules energy"},
       {kEpochEnergy, "energy_per_epoch_j epoch_energy_j epoch_joules"},
       {kPower, "power_mean_w mean_power_w power_w average_power"},
       {kPowerLimit,
        "power_limit power_limit_w power_limit_watts power_cap power_cap_w power_cap_watts cap "
        "cap_w"},
       {kBatchSize, "batch_size global_batch_size local_batch_size batch"},
       {kHardware,
        "gpu gpu_type gpu_model gpu_name accelerator accelerator_type hardware device device_name"},
       {kRun, "run job_id"},
       {kClock, "clock_mhz"}});
  return split(names, ' ');
}

bool is_meant(const ColumnMeaning& meaning, UsualColumn what) {
  using Role = ColumnRole;
  constexpr int kLastDevice = 3;    // Ranks of scales beyond count processes or nodes.
  constexpr int kLastWholeRun = 4;  // Ranks of energies beyond are of parts of a run.
  const bool kind = meaning.may_be_kind;
  switch (what) {
    case UsualColumn::kScale:
      return meaning.role == Role::kScale && !kind;
    case UsualColumn::kGpus:
      return meaning.role == Role::kScale && !kind && meaning.rank <= kLastDevice;
    case UsualColumn::kTime:
      return meaning.role == Role::kTime;
    case UsualColumn::kGroup:
      return meaning.role == Role::kCategory || meaning.role == Role::kHardware ||
             meaning.role == Role::kSystem || meaning.role == Role::kPowerLimit ||
             meaning.role == Role::kClock;
    case UsualColumn::kEnergy:
    case UsualColumn::kEpochEnergy:
      return meaning.role == Role::kEnergy && meaning.rank <= kLastWholeRun &&
             meaning.per_epoch == (what == UsualColumn::kEpochEnergy);
    case UsualColumn::kPower:
      return meaning.role == Role::kPower && meaning.rank == 1;
    case UsualColumn::kPowerLimit:
      return meaning.role == Role::kPowerLimit;
    case UsualColumn::kBatchSize:
      return meaning.role == Role::kBatchSize;
    case UsualColumn::kHardware:
      return meaning.role == Role::kHardware ||
             (meaning.role == Role::kScale && kind && meaning.rank <= kLastDevice);
    case UsualColumn::kRun:
      return meaning.role == Role::kRun;
    case UsualColumn::kClock:
      return meaning.role == Role::kClock;
  }
  return false;
}

std::optional<std::string> column_called(const Header& header, std::string_view name) {
  for (const std::string& cell : header.names) {
    if (cell.size() < name.size()) continue;  // A label is a part of its cell.
    const std::string_view label = column_label(cell).name;
    if (is_called(label, name)) return std::string(label);
    if (is_called(cell, name)) return cell;
  }
  return std::nullopt;
}

}  // namespace scalelaw
