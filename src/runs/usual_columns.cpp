#include "runs/usual_columns.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>

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

/// How many rows have a number in both columns; empty if not all rows are known, or a column has
/// no numbers.
std::optional<std::size_t> rows_with_both(const TableProfile* profile, const std::string& cell,
                                          const std::string& x) {
  if (profile == nullptr || !profile->is_complete() || x.empty()) return std::nullopt;
  const ColumnProfile* const column = profile->column(cell);
  const ColumnProfile* const scale = profile->column(x);
  if (column == nullptr || scale == nullptr || column->numbers * scale->numbers == 0) {
    return std::nullopt;
  }
  std::size_t both = 0;
  const std::size_t rows = std::min(column->quantities.size(), scale->quantities.size());
  for (std::size_t row = 0; row < rows; ++row) {
    both += !std::isnan(column->quantities[row]) && !std::isnan(scale->quantities[row]) ? 1 : 0;
  }
  return both;
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

bool has_few_rows(const Header& header, const TableProfile* profile, const std::string& cell,
                  const std::string& x, ColumnRole role) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  if (column == nullptr || column->numbers == column->codes.size()) return false;
  const auto own = rows_with_both(profile, cell, x);
  if (!own) return false;
  std::size_t most = 1;
  for (const std::string& other : header.names) {
    const ColumnMeaning meaning = meaning_of(other);
    if (meaning.role != role || meaning.last_resort) continue;
    most = std::max(most, rows_with_both(profile, other, x).value_or(0));
  }
  return 2 * *own < most;
}

}  // namespace scalelaw
