#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

/// What a joule at the GPUs costs elsewhere. Unknown values are empty.
struct Footprint {
  double pue = 1;  ///< Power usage effectiveness: the building's energy over that of its machines,
                   ///< >= 1.
  std::optional<double> carbon_intensity = {};  ///< Grams of CO2 equivalent per kWh, >= 0.
  std::optional<double> price = {};             ///< Price per kWh, in any currency, >= 0.

  /// kWh that the building uses if its machines use `joules`.
  double kwh(double joules) const { return pue * joules / 3.6e6; }
  /// kg of CO2 equivalent for `joules`; empty if the intensity is unknown.
  std::optional<double> co2_kg(double joules) const;
  /// Price of `joules`; empty if the price is unknown.
  std::optional<double> cost(double joules) const;
};

/// How amounts of money are written: "$2.5", "2.5 EUR".
struct Currency {
  std::string before = {};
  std::string behind = {};

  /// "cost [EUR]"; "cost" in a currency that nobody named.
  std::string cost_title() const;
  bool is_known() const { return !before.empty() || !behind.empty(); }
  std::string of(std::string_view amount) const { return before + std::string(amount) + behind; }
};

/// The carbon intensity of one electricity grid.
struct GridIntensity {
  std::string_view region;  ///< The name for --carbon-intensity: "FR".
  std::string_view name;    ///< "France".
  double grams_per_kwh;     ///< CO2 equivalent of electricity in 2023, over its life cycle.
};

/// A few grids, by region.
///
/// Source: Our World in Data, "Carbon intensity of electricity generation", 2023 (Ember 2024 and
/// Energy Institute 2024); for the world's mean Ember 2024. Values are means of a year, rounded to
/// grams. Hours and places within a country differ more than countries do.
std::span<const GridIntensity> grid_intensities();

/// The intensity of a region, in upper or lower case; empty if it is not in the table.
std::optional<double> grid_intensity(std::string_view region);

}  // namespace scalelaw
