#pragma once

#include <filesystem>
#include <string>

// What the folders say in which MLPerf's results are published:
// <submitter>/results/<system>/<benchmark>/result_<n>.txt
namespace scalelaw::mllog {

struct Place {
  std::string job;
  std::string round;
  std::string submitter;
  std::string system;
  std::string benchmark;
  std::string run;
  std::string scaling;  ///< "strong" or "weak": MLPerf HPC keeps them apart.
  std::filesystem::path system_file;
  std::filesystem::path entry_file;
};

/// The place of a result file. Of a file elsewhere only the job is known: its name.
Place place_of(const std::string& path);

/// The path from the root; that of standard input has no folder.
std::filesystem::path absolute_path(const std::string& path);

/// Whether a file is a power log beside a result.
bool is_in_power_folder(const std::string& path);

}  // namespace scalelaw::mllog
