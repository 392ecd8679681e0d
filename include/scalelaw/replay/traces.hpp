#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The columns by which both traces tell rows apart.
struct TraceKey {
  std::string dataset;
  std::string network;
  std::string optimizer;
  std::int64_t batch_size = 0;

  auto operator<=>(const TraceKey&) const = default;
};

/// One training run and the epoch in which it first reached a target.
struct TrainRow {
  TraceKey key;
  double target_metric = 0;                 ///< A label to match, not a number to compare.
  std::optional<double> target_epoch = {};  ///< Whole, from 1; empty if it was never reached.
};

/// Time and power of an epoch under one power limit.
struct PowerRow {
  TraceKey key;
  double power_limit_w = 0;
  double epoch_seconds = 0;
  double average_power_w = 0;

  double epoch_energy_j() const { return epoch_seconds * average_power_w; }
};

struct TrainTrace {
  std::string source;
  std::vector<TrainRow> rows = {};
  std::size_t repeated =
      0;  ///< Rows that equal an earlier one, run and learning rate included; kept.
};

struct PowerTrace {
  std::string source;
  std::string name;  ///< "v100" for summary_power_v100.csv: its name in results.
  std::vector<PowerRow> rows = {};
  std::size_t repeated = 0;  ///< Rows that repeat the key and limit of an earlier one; kept.
};

/// Reads dataset, network, batch_size, optimizer, target_metric and target_epoch; other columns
/// only tell rows apart. An empty or "nan" target_epoch means that the target was never reached.
/// @throws ParseError, DataError naming file, line and column if a cell or a column is not usable,
/// or there is no row.
TrainTrace read_train_trace(const std::string& path);
TrainTrace read_train_trace(std::string_view text, std::string_view source);

/// Reads dataset, network, batch_size, optimizer, power_limit (W), time_per_epoch (s) and
/// average_power (W).
/// @throws as read_train_trace().
PowerTrace read_power_trace(const std::string& path);
PowerTrace read_power_trace(std::string_view text, std::string_view source);

}  // namespace scalelaw
