#include "render/forecast_words.hpp"

#include <gtest/gtest.h>

#include <array>

namespace scalelaw {
namespace {

Forecast forecast_by(std::vector<std::pair<std::string_view, double>> shares) {
  Forecast forecast;
  for (const auto& [law, weight] : shares)
    forecast.laws.push_back({find_law(law), weight, weight, {}});
  return forecast;
}

TEST(CurveWords, NameTheLawsThatTookPart) {
  const Forecast one = forecast_by({{"power", 0.61}, {"floor", 0.388}, {"usl", 0.002}});
  EXPECT_EQ(curve_words(std::array<const Forecast*, 1>{&one}),
            "an average of the power and floor laws (61 %, 39 %)");
  const Forecast other = forecast_by({{"usl", 1}});
  EXPECT_EQ(curve_words(std::array<const Forecast*, 2>{&one, &other}),
            "an average of the power, floor and usl laws, which each group weighs by itself");
  EXPECT_EQ(curve_words(std::array<const Forecast*, 1>{&other}), "the usl law");
}

}  // namespace
}  // namespace scalelaw
