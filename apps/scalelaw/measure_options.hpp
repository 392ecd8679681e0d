#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/judge/study.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "scalelaw/render/predict_report.hpp"
#include "scalelaw/study/measures.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// Adds --energy, --power and --total-power. `measures` must outlive the parsing.
/// @param group  Where the help lists them.
void add_energy_columns(Options& command, MeasureOptions& measures, const char* group = "Data");

/// What the user said of power plants and prices.
struct FootprintOptions {
  std::string carbon_intensity;  ///< Grams per kWh, or a region.
  std::string price;             ///< Per kWh, with or without a currency.
  double pue = 1;
};

/// Adds --carbon-intensity, --price and --pue. `options` must outlive the parsing.
void add_footprint_options(Options& command, FootprintOptions& options);

/// price(), or 0.
Check price_or_zero();

/// A price as the user gave it.
struct GivenPrice {
  std::string_view option;
  const std::string& text;  ///< Empty if it was not given.
};

/// The number of a price that price_or_zero() accepts; nothing where none was given.
std::optional<double> number_of_price(const std::string& text);

/// The currency of prices of which some may name none.
/// @throws DataError naming both if two are in different currencies.
Currency currency_of(std::initializer_list<GivenPrice> prices);

/// @throws DataError if the carbon intensity is neither a number >= 0 nor a region of the table.
Footprint footprint_of(const FootprintOptions& options);

/// The weights of energy in Zeus's cost that an option lists; none for an empty list.
/// @throws DataError if one is not in [0, 1] or is named twice.
std::vector<double> etas_of(const std::string& option, const std::string& list);

}  // namespace scalelaw::cli
