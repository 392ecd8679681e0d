#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace scalelaw {

/// What a joule at the GPUs costs elsewhere. What is not known is empty.
struct Footprint {
  double pue = 1;  ///< Power usage effectiveness: energy of the building over that of its machines,
                   ///< >= 1.
  std::optional<double> carbon_intensity = {};  ///< Grams of CO2 equivalent a kWh, >= 0.
  std::optional<double> price = {};             ///< Of a kWh, in any currency, >= 0.

  /// kWh that the building takes for `joules` at its machines.
  double kwh(double joules) const { return pue * joules / 3.6e6; }
  /// kg of CO2 equivalent for `joules`; empty without an intensity.
  std::optional<double> co2_kg(double joules) const;
  /// Price of `joules`; empty without one of a kWh.
  std::optional<double> cost(double joules) const;
};

/// The carbon intensity of one grid.
struct GridIntensity {
  std::string_view region;  ///< As --carbon-intensity takes it: "FR".
  std::string_view name;    ///< "France".
  double grams_per_kwh;     ///< CO2 equivalent of electricity generated in 2023, life cycle.
};

/// A few grids, by region.
///
/// Source: Our World in Data, "Carbon intensity of electricity generation", 2023 (Ember 2024 and
/// Energy Institute 2024); the world's mean: Ember 2024. Rounded to grams, means of a year: hours
/// and places inside a country differ by more than countries do.
std::span<const GridIntensity> grid_intensities();

/// The intensity of a region, in any case; nothing if it is not in the table.
std::optional<double> grid_intensity(std::string_view region);

}  // namespace scalelaw
