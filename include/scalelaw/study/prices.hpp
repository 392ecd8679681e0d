#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "scalelaw/base/footprint.hpp"

namespace scalelaw {

/// An amount of money in a currency, which may be unknown.
struct Price {
  double amount = 0;
  Currency currency = {};
};

/// A price above 0, with or without a currency before or behind it: 2.5, '$2.50', '2,50 EUR'.
std::optional<Price> price_in(std::string_view text);

/// The amount; nothing without a price.
std::optional<double> amount_of(const std::optional<Price>& price);

/// A price and the option that gives it, for messages.
struct GivenPrice {
  std::string_view option;
  const std::optional<Price>& price;
};

/// The currency of prices of which some may name none.
/// @throws DataError naming both if two are in different currencies.
Currency currency_of(std::initializer_list<GivenPrice> prices);

/// What is asked of power plants and electricity.
struct FootprintOptions {
  double pue = 1;
  std::optional<double> carbon_intensity = {};  ///< Grams of CO2 equivalent per kWh.
  std::optional<Price> price = {};              ///< Of one kWh.
};
Footprint footprint_of(const FootprintOptions& options);

}  // namespace scalelaw
