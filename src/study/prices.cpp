#include "scalelaw/study/prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw {
namespace {

/// Whether what stands behind digits makes them thousands, millions or billions: "k", "M ", but no
/// currency, "kr".
bool is_magnitude(std::string_view behind) {
  return !behind.empty() && std::string_view("kKMB").find(behind[0]) != std::string_view::npos &&
         (behind.size() == 1 || behind[1] == ' ');
}

/// A currency in capital letters, the same for its sign and its name; empty if none was given.
std::string currency_name(const Currency& currency) {
  std::string name;
  for (const std::string_view part : {trimmed(currency.before), trimmed(currency.behind)}) {
    for (const char c : part) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  static const std::map<std::string, std::string, std::less<>> kNames{
      {"$", "USD"},    {"US$", "USD"},   {"DOLLAR", "USD"}, {"DOLLARS", "USD"}, {"€", "EUR"},
      {"EURO", "EUR"}, {"EUROS", "EUR"}, {"£", "GBP"},      {"¥", "JPY"}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
}

/// "--gpu-price "2.5 EUR"".
std::string words_of(const GivenPrice& given) {
  return fmt::format("{} {}", given.option,
                     quoted(given.price->currency.of(fmt::format("{}", given.price->amount))));
}

}  // namespace

std::optional<Price> price_in(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789.,";
  const std::size_t first = std::min(text.find_first_of(kDigits), text.size());
  std::size_t last = std::min(text.find_first_not_of(kDigits, first), text.size());
  if (is_magnitude(text.substr(last).substr(0, 2))) ++last;
  const auto number = number_as_written(text.substr(first, last - first));
  const std::string_view before = text.substr(0, first);
  const std::string_view behind = text.substr(last);
  const bool has_more = behind.find_first_of(kDigits) != std::string_view::npos ||
                        before.find_first_of("-+") != std::string_view::npos;
  if (!number || !(*number > 0) || has_more) return std::nullopt;
  return Price{*number, {std::string(before), std::string(behind)}};
}

std::optional<double> amount_of(const std::optional<Price>& price) {
  return price ? std::optional(price->amount) : std::nullopt;
}

Currency currency_of(std::initializer_list<GivenPrice> prices) {
  const GivenPrice* first = nullptr;
  for (const GivenPrice& given : prices) {
    if (!given.price || currency_name(given.price->currency).empty()) continue;
    if (first == nullptr) {
      first = &given;
    } else if (currency_name(given.price->currency) != currency_name(first->price->currency)) {
      throw DataError(fmt::format("{} and {} are in different currencies: give both prices in one",
                                  words_of(*first), words_of(given)));
    }
  }
  return first == nullptr ? Currency{} : first->price->currency;
}

Footprint footprint_of(const FootprintOptions& options) {
  return {.pue = options.pue,
          .carbon_intensity = options.carbon_intensity,
          .price = amount_of(options.price)};
}

}  // namespace scalelaw
