#include "scalelaw/base/footprint.hpp"

#include <gtest/gtest.h>

namespace scalelaw::test {
namespace {

TEST(Footprint, CountsTheBuildingAndTheGrid) {
  const Footprint footprint{.pue = 1.5, .carbon_intensity = 400, .price = 0.25};
  EXPECT_DOUBLE_EQ(footprint.kwh(7.2e6), 3);
  EXPECT_DOUBLE_EQ(*footprint.co2_kg(7.2e6), 1.2);
  EXPECT_DOUBLE_EQ(*footprint.cost(7.2e6), 0.75);
}

TEST(Footprint, SaysNothingOfWhatIsNotKnown) {
  EXPECT_FALSE(Footprint{}.co2_kg(1));
  EXPECT_FALSE(Footprint{}.cost(1));
}

// Frey et al. 2022: "Training on 128 V100 GPUs emits 22 kg of carbon dioxide an hour". With boards
// of 250 W this is 32 kWh per hour, so 22 kg imply 687.5 g per kWh. That is a grid of mostly coal,
// or a grid of 430 g per kWh with a PUE of 1.6.
TEST(Footprint, FreysTwentyTwoKilograms) {
  const double joules = 128 * 250.0 * 3600;
  EXPECT_DOUBLE_EQ(*(Footprint{.pue = 1, .carbon_intensity = 687.5}.co2_kg(joules)), 22);
  EXPECT_NEAR(*(Footprint{.pue = 1.6, .carbon_intensity = 429.6875}.co2_kg(joules)), 22, 1e-12);
}

TEST(GridIntensity, IsFoundInAnyCase) {
  EXPECT_EQ(grid_intensity("fr"), 56);
  EXPECT_EQ(grid_intensity("World"), 481);
  EXPECT_FALSE(grid_intensity("Atlantis"));
  EXPECT_FALSE(grid_intensity(""));
}

}  // namespace
}  // namespace scalelaw::test
