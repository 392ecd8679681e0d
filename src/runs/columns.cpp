#include "scalelaw/runs/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {
namespace {

std::vector<std::string> names_of(UsualColumn what) {
  using enum UsualColumn;
  const std::string_view names = word_for(
      what,
      {{kScale, "gpus num_gpus n_gpus gpu_count ngpus accelerators workers nodes"},
       {kGpus, "gpus num_gpus n_gpus gpu_count ngpus accelerators"},
       {kTime,
        "epoch_seconds seconds_per_epoch train_seconds wall_seconds seconds time_s minutes "
        "duration_s"},
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
       {kRun, "run job_id"}});
  return split(names, ' ');
}

/// A usual name matches in any case, and with blanks for underscores: "GPUs", "Epoch Seconds".
bool is_called(std::string_view cell, std::string_view name) {
  const auto same = [](char a, char b) {
    return (a == ' ' ? '_' : std::tolower(static_cast<unsigned char>(a))) == b;
  };
  return std::equal(cell.begin(), cell.end(), name.begin(), name.end(), same);
}

/// The column with a usual name, as the header spells it.
std::optional<std::string> column_called(const Header& header, std::string_view name) {
  for (const std::string& cell : header.names) {
    const std::string_view label = column_label(cell).name;
    if (is_called(label, name)) return std::string(label);
    if (is_called(cell, name)) return cell;
  }
  return std::nullopt;
}

/// The columns of a table for messages, with long names and long lists cut.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 40;
  constexpr std::size_t kMostBytes = 40;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    shown.push_back(names[i].size() <= kMostBytes ? names[i] : quoted(names[i]));
  }
  if (names.size() > kMostNames)
    shown.push_back(fmt::format("and {} more", names.size() - kMostNames));
  return joined(shown);
}

std::string first_present(const Header& header, UsualColumn what, std::string_view option,
                          std::string_view source) {
  if (const auto column = usual_column(header, what)) return *column;
  throw DataError(
      fmt::format("{}: no column for {}: none of {} is there; name one with {}; columns are: {}",
                  source, option.substr(1), joined(names_of(what)), option, list_of(header.names)));
}

/// Moves the factors from the group columns to the end, whatever their spelling.
void move_factors_last(ChosenColumns& columns, const std::vector<std::string>& factors,
                       const Header& header, std::string_view source) {
  const auto place = [&](const std::string& name) { return find_column(header, name, source); };
  const auto is_factor = [&](const std::string& name) {
    return std::any_of(factors.begin(), factors.end(), [&](const std::string& factor) {
      return factor == name || (place(name) && place(factor) == place(name));
    });
  };
  std::erase_if(columns.by, is_factor);
  columns.by.insert(columns.by.end(), factors.begin(), factors.end());
  columns.factors = factors.size();
}

std::span<const std::string> factors_of(const ChosenColumns& columns) {
  return std::span<const std::string>(columns.by).last(columns.factors);
}

std::span<const std::string> groups_of(const ChosenColumns& columns) {
  return std::span<const std::string>(columns.by).first(columns.by.size() - columns.factors);
}

/// Refuses a column with two uses.
void refuse_repeats(const ChosenColumns& columns) {
  if (columns.x == columns.y) {
    throw DataError(fmt::format("x and y are the same column '{}'", columns.x));
  }
  for (const std::string& factor : factors_of(columns)) {
    const bool is_axis = factor == columns.x || factor == columns.y;
    if (!is_axis && factor != columns.run && factor != columns.weights) continue;
    throw DataError(fmt::format("the factor '{}' is the column of {} already", factor,
                                factor == columns.x     ? "the scale, x,"
                                : factor == columns.y   ? "the response, y,"
                                : factor == columns.run ? "the run"
                                                        : "the weights"));
  }
  for (auto column = columns.by.begin(); column != columns.by.end(); ++column) {
    if (std::find(columns.by.begin(), column, *column) == column) continue;
    throw DataError(fmt::format("the group column '{}' is named twice", *column));
  }
}

bool is_used(const ChosenColumns& columns, const std::string& column) {
  return column == columns.x || column == columns.y || column == columns.run ||
         column == columns.weights ||
         std::find(columns.by.begin(), columns.by.end(), column) != columns.by.end();
}

std::vector<std::string> pooled_columns(const Header& header, const ChosenColumns& columns,
                                        const std::vector<std::string>& where) {
  std::vector<std::string> pooled;
  for (const std::string& name : names_of(UsualColumn::kGroup)) {
    const auto column = column_called(header, name);
    if (!column || is_used(columns, *column)) continue;
    const bool filtered = std::any_of(where.begin(), where.end(), [&](const std::string& text) {
      return RowFilter(text).column() == *column;
    });
    if (!filtered) pooled.push_back(*column);
  }
  return pooled;
}

}  // namespace

std::size_t required_column(const Header& header, std::string_view name, std::string_view source) {
  if (const auto column = find_column(header, name, source)) return *column;
  const auto near = nearest(name, header.names);
  throw DataError(fmt::format("{}: no column '{}'{}; columns are: {}", source, name,
                              near ? fmt::format("; nearest is '{}'", *near) : "",
                              list_of(header.names)));
}

ChosenColumns choose_columns(const Header& header, const RunOptions& options,
                             std::string_view source) {
  ChosenColumns columns;
  if (options.has_x) {
    columns.x =
        options.x.empty() ? first_present(header, UsualColumn::kScale, "-x", source) : options.x;
  }
  columns.y =
      options.y.empty() ? first_present(header, UsualColumn::kTime, "-y", source) : options.y;
  columns.by = options.by;
  columns.run = options.run;
  columns.weights = options.weights;
  if (columns.by.empty() && !options.by_chosen) {
    for (const std::string& name : names_of(UsualColumn::kGroup)) {
      const auto column = column_called(header, name);
      if (column && *column != columns.x && *column != columns.y) columns.by.push_back(*column);
    }
  }
  move_factors_last(columns, options.factors, header, source);
  refuse_repeats(columns);
  columns.pooled = pooled_columns(header, columns, options.where);
  for (const std::string& name : names_of(UsualColumn::kRun)) {
    const auto column = column_called(header, name);
    if (!column || !columns.run.empty() || !columns.unused_run.empty()) continue;
    if (!is_used(columns, *column)) columns.unused_run = *column;
  }
  return columns;
}

std::optional<std::string> usual_column(const Header& header, UsualColumn what) {
  for (const std::string& name : names_of(what)) {
    if (auto column = column_called(header, name)) return column;
  }
  return std::nullopt;
}

std::optional<std::string> usual_energy_column(const Header& header, std::string_view time) {
  const bool per_epoch = time.find("epoch") != std::string_view::npos;
  return usual_column(header, per_epoch ? UsualColumn::kEpochEnergy : UsualColumn::kEnergy);
}

bool is_usual_name(std::string_view column, UsualColumn what) {
  return usual_column({.names = {std::string(column)}}, what).has_value();
}

std::string description_of(const ChosenColumns& columns) {
  const auto groups = groups_of(columns);
  std::string text =
      fmt::format("{}y: {}, by: {}", columns.x.empty() ? "" : fmt::format("x: {}, ", columns.x),
                  columns.y, groups.empty() ? "nothing (one group)" : joined(groups));
  if (columns.factors > 0) text += ", factor: " + joined(factors_of(columns));
  if (!columns.run.empty()) text += ", run: " + columns.run;
  if (!columns.weights.empty()) text += ", weights: " + columns.weights;
  if (!columns.pooled.empty()) {
    text += fmt::format("; whatever the value of {}: -b adds a column, --where picks a value",
                        joined(columns.pooled));
  }
  return text;
}

}  // namespace scalelaw
