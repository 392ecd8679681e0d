#include "measure_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

/// A currency in capital letters, the same for its sign and its name; empty if none was given.
std::string currency_name(const Price& price) {
  std::string name;
  for (const std::string_view part : {trimmed(price.before), trimmed(price.behind)}) {
    for (const char c : part) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  static const std::map<std::string, std::string, std::less<>> kNames{
      {"$", "USD"},    {"US$", "USD"},   {"DOLLAR", "USD"}, {"DOLLARS", "USD"}, {"€", "EUR"},
      {"EURO", "EUR"}, {"EUROS", "EUR"}, {"£", "GBP"},      {"¥", "JPY"}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
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
  command.text("--carbon-intensity", options.carbon_intensity, "G|REGION",
               "Grams of CO2 per kWh, or the name of a grid: FR, DE, GB, US, CN, IN, WORLD, ...");
  command.text("--price", options.price, "PRICE",
               "Price of one kWh, with or without a currency, which is that of all prices",
               price_or_zero());
  command.number("--pue", options.pue, number_from(1, 10), "PUE",
                 "Power usage effectiveness: the energy of the whole building divided by that of "
                 "its machines");
}

Check price_or_zero() {
  return [](std::string& word) -> std::string {
    return number_as_written(word) == 0 ? "" : price()(word);
  };
}

std::optional<double> number_of_price(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto price = price_in(text);
  return price ? price->number : 0;
}

Currency currency_of(std::initializer_list<GivenPrice> prices) {
  Currency currency;
  const GivenPrice* first = nullptr;
  for (const GivenPrice& given : prices) {
    const auto price = price_in(given.text);
    if (!price || currency_name(*price).empty()) continue;
    if (first == nullptr) {
      first = &given;
      currency = {price->before, price->behind};
    } else if (currency_name(*price) != currency_name(*price_in(first->text))) {
      throw DataError(fmt::format(
          "{} {} and {} {} are in different currencies: give both prices in one", first->option,
          scalelaw::quoted(first->text), given.option, scalelaw::quoted(given.text)));
    }
  }
  return currency;
}

Footprint footprint_of(const FootprintOptions& options) {
  Footprint footprint{
      .pue = options.pue, .carbon_intensity = {}, .price = number_of_price(options.price)};
  if (options.carbon_intensity.empty()) return footprint;
  footprint.carbon_intensity = parse_number(options.carbon_intensity);
  if (!footprint.carbon_intensity) {
    footprint.carbon_intensity = grid_intensity(options.carbon_intensity);
  }
  if (!footprint.carbon_intensity || *footprint.carbon_intensity < 0) {
    std::vector<std::string> regions;
    for (const GridIntensity& grid : grid_intensities()) regions.emplace_back(grid.region);
    throw DataError(fmt::format(
        "--carbon-intensity: expected grams of CO2 per kWh, 0 or more, or one of {}; found {}",
        joined(regions), scalelaw::quoted(options.carbon_intensity)));
  }
  return footprint;
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
