#include "scalelaw/runs/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

constexpr std::array<std::string_view, 8> kScaleNames = {
    "gpus", "num_gpus", "n_gpus", "gpu_count", "ngpus", "accelerators", "workers", "nodes"};
constexpr std::array<std::string_view, 7> kTimeNames = {
    "epoch_seconds", "seconds_per_epoch", "train_seconds", "wall_seconds", "seconds", "time_s",
    "minutes"};
constexpr std::array<std::string_view, 5> kGroupNames = {"model", "benchmark", "accelerator",
                                                         "power_cap_w", "clock_mhz"};
constexpr std::array<std::string_view, 2> kRunNames = {"run", "job_id"};

bool has_column(const Header& header, std::string_view name) {
  return std::any_of(header.names.begin(), header.names.end(), [&](const std::string& cell) {
    return cell == name || column_label(cell).name == name;
  });
}

/// The columns of a table as messages list them: long names and long lists are cut.
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

std::string first_present(const Header& header, std::span<const std::string_view> names,
                          std::string_view option, std::string_view source) {
  for (const std::string_view name : names) {
    if (has_column(header, name)) return std::string(name);
  }
  const std::vector<std::string> usual(names.begin(), names.end());
  throw DataError(
      fmt::format("{}: no column for {}: none of {} is there; name one with {}; columns are: {}",
                  source, option.substr(1), joined(usual), option, list_of(header.names)));
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
  columns.x = options.x.empty() ? first_present(header, kScaleNames, "-x", source) : options.x;
  columns.y = options.y.empty() ? first_present(header, kTimeNames, "-y", source) : options.y;
  columns.by = options.by;
  columns.run = options.run;
  columns.weights = options.weights;
  if (columns.by.empty() && !options.by_chosen) {
    for (const std::string_view name : kGroupNames) {
      if (name != columns.x && name != columns.y && has_column(header, name))
        columns.by.emplace_back(name);
    }
  }
  for (const std::string_view name : kRunNames) {
    const bool used = name == columns.run || name == columns.x || name == columns.y ||
                      std::find(columns.by.begin(), columns.by.end(), name) != columns.by.end();
    if (columns.unused_run.empty() && columns.run.empty() && !used && has_column(header, name)) {
      columns.unused_run = name;
    }
  }
  return columns;
}

std::string description_of(const ChosenColumns& columns) {
  std::string text = fmt::format("x: {}, y: {}, by: {}", columns.x, columns.y,
                                 columns.by.empty() ? "nothing (one group)" : joined(columns.by));
  if (!columns.run.empty()) text += ", run: " + columns.run;
  if (!columns.weights.empty()) text += ", weights: " + columns.weights;
  return text;
}

}  // namespace scalelaw
