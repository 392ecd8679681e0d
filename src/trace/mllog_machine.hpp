#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "trace/mllog_events.hpp"

// The systems on which MLPerf's runs were made.
namespace scalelaw::mllog {

struct Machine {
  std::string accelerator;
  std::optional<double> nodes;
  std::optional<double> accelerators;
  std::optional<double> processors = {};  ///< Of a system that has no accelerators.
};

/// The machine of systems/<system>.json, since v0.7; also in the log as :::SYSJSON.
Machine machine_of_system(const json& system);

/// The machine of v0.5 (entry.json) and v0.6 (submission_entry, and what systems call JSON). They
/// list kinds of nodes; v0.6 quotes a Python dictionary inside another one.
Machine machine_of_entry(std::string_view entry);

/// The machine of a system file, in either form; nothing if there is none.
Machine machine_of_system_file(const std::filesystem::path& path);

/// v0.5 describes several benchmarks at once. Its number of nodes belongs to the largest run, so it
/// is not used for systems of several nodes.
Machine machine_of_entry_file(const std::filesystem::path& path);

/// The text of a small file beside the log; empty if there is none.
std::string small_text(const std::filesystem::path& path);

}  // namespace scalelaw::mllog
