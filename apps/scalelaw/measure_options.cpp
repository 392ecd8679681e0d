#include "measure_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

/// Grams of CO2 per kWh, or those of a grid.
std::optional<double> carbon_intensity_of(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto number = parse_number(text);
  const auto grams = number ? number : grid_intensity(text);
  if (grams && *grams >= 0) return grams;
  std::vector<std::string> regions;
  for (const GridIntensity& grid : grid_intensities()) regions.emplace_back(grid.region);
  throw DataError(
      fmt::format("{}: expected grams of CO2 per kWh, 0 or more, or one of {}; found {}", option,
                  joined(regions), scalelaw::quoted(text)));
}

}  // namespace

void add_energy_columns(Options& command, MeasureOptions& measures, const char* group) {
  command.group(group);
  command.text("--energy", measures.energy, "COL",
               "Column of the energy that all GPUs of a run take together, in the unit that its "
               "name says. Default: found by its name");
  command.text("--power", measures.power, "COL",
               "Column of the mean power of one GPU, in the unit that its name says. Default: "
               "found by its name");
  command.flag("--total-power", measures.total_power,
               "The power column is the power of all GPUs of a run together");
}

void add_footprint_options(Options& command, FootprintOptions& options) {
  command.group("Footprint");
  command.parsed("--carbon-intensity", options.carbon_intensity, carbon_intensity_of, "G|REGION",
                 "Grams of CO2 per kWh, or the name of a grid: FR, DE, GB, US, CN, IN, WORLD, ...");
  command.parsed("--price", options.price, price_or_zero_of, "PRICE",
                 "Price of one kWh, with or without a currency, which is that of all prices");
  command.number("--pue", options.pue, number_from(1, 10), "PUE",
                 "Power usage effectiveness: the energy of the whole building divided by that of "
                 "its machines");
}

std::vector<double> etas_of(const std::string& option, const std::string& list) {
  std::vector<double> etas;
  for (const std::string& word : split(list, ',')) {
    const auto eta = parse_number(word);
    if (!eta || !(*eta >= 0 && *eta <= 1)) {
      throw DataError(
          fmt::format("{}: expected numbers from 0 (time only) to 1 (energy only), found {}",
                      option, scalelaw::quoted(word)));
    }
    if (std::find(etas.begin(), etas.end(), *eta) != etas.end()) {
      throw DataError(fmt::format("{}: {} is named twice", option, word));
    }
    etas.push_back(*eta);
  }
  return etas;
}

}  // namespace scalelaw::cli
