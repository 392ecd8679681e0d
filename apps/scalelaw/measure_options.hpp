#pragma once

#include <string>
#include <vector>

#include "scalelaw/study/measures.hpp"
#include "scalelaw/study/prices.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// Adds --energy, --power and --total-power. `measures` must outlive the parsing.
/// @param group  Where the help lists them.
void add_energy_columns(Options& command, MeasureOptions& measures, const char* group = "Data");

/// Adds --carbon-intensity, --price and --pue. `options` must outlive the parsing.
void add_footprint_options(Options& command, FootprintOptions& options);

/// The weights of energy in Zeus's cost that an option lists; none for an empty list.
/// @throws DataError if one is not in [0, 1] or is named twice.
std::vector<double> etas_of(const std::string& option, const std::string& list);

}  // namespace scalelaw::cli
