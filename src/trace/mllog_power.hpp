#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

// The power logs beside a result of MLPerf.
namespace scalelaw::mllog {

/// Whether a key is one of power logs.
bool is_of_power(std::string_view key);

/// Joules of a run, by the rule of MLPerf and by the trapezoid rule; empty without readings.
struct RunEnergy {
  std::size_t node_logs = 0;  ///< How many nodes have a power log.
  std::optional<double> nodes;
  std::optional<double> nodes_trapezoid;
  std::optional<double> switches;
};

/// Reads the power logs in a folder, of nodes and switches, over a run.
RunEnergy read_energy(const std::filesystem::path& folder, std::int64_t start_ns,
                      std::int64_t stop_ns);

}  // namespace scalelaw::mllog
