// What sentences and captions say of the laws behind forecasts.

#include "render/forecast_words.hpp"

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {

std::vector<LawShare> laws_taking_part(const Forecast& forecast) {
  constexpr double kLeastSeen = 0.005;  // 1 % as weights are rounded.
  std::vector<LawShare> shares = forecast.laws;
  std::erase_if(shares, [](const LawShare& share) { return share.weight < kLeastSeen; });
  return shares;
}

std::string curve_words(std::span<const Forecast* const> forecasts) {
  std::vector<std::string> names;
  std::vector<std::string> weights;
  for (const Forecast* forecast : forecasts) {
    for (const LawShare& share : laws_taking_part(*forecast)) {
      const std::string name(share.law->name());
      if (!contains(names, name)) names.push_back(name);
      if (forecasts.size() == 1) weights.push_back(fmt::format("{:.0f} %", 100 * share.weight));
    }
  }
  if (names.size() == 1) return fmt::format("the {} law", names.front());
  return fmt::format("an average of the {} laws{}", joined_with_and(names),
                     weights.empty()
                         ? ", which each group weighs by itself"
                         : fmt::format(", weighted by how likely each is ({})", joined(weights)));
}

}  // namespace scalelaw
