#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/replay/job.hpp"
#include "support/places.hpp"

namespace scalelaw {

/// The published traces and the published simulator's results; they are not part of the project.
inline const std::filesystem::path kZeusData = source_folder() / "../shared/data/zeus";

inline bool has_zeus_data() { return std::filesystem::exists(kZeusData / "summary_train.csv"); }

inline TrainTrace zeus_train() {
  return read_train_trace((kZeusData / "summary_train.csv").string());
}
inline PowerTrace zeus_power(const std::string& gpu) {
  return read_power_trace((kZeusData / ("summary_power_" + gpu + ".csv")).string());
}

/// Rows of a reference table by column name.
inline std::vector<std::map<std::string, std::string>> reference_rows(const std::string& name) {
  TableRows rows((kZeusData / name).string());
  std::vector<std::map<std::string, std::string>> out;
  while (rows.next()) {
    auto& row = out.emplace_back();
    for (std::size_t i = 0; i < rows.fields().size(); ++i) {
      row[rows.header().names[i]] = rows.fields()[i];
    }
  }
  return out;
}

inline double number_at(const std::map<std::string, std::string>& row, const std::string& column) {
  return parse_number(row.at(column)).value();
}

}  // namespace scalelaw
