#include "scalelaw/energy/setting_number.hpp"

#include <gtest/gtest.h>

namespace scalelaw {
namespace {

TEST(SettingNumber, IsInOneUnitOfItsKind) {
  EXPECT_EQ(setting_number("250")->value, 250);
  EXPECT_EQ(setting_number("250")->unit, "");
  EXPECT_EQ(setting_number("0.29 kW")->value, 290);
  EXPECT_EQ(setting_number("0.29 kW")->unit, "W");
  EXPECT_EQ(setting_number("1.38GHz")->value, 1380);
  EXPECT_EQ(setting_number("1.38GHz")->unit, "MHz");
  EXPECT_EQ(setting_number("80 %")->unit, "%");
  EXPECT_FALSE(setting_number("boost"));
  EXPECT_FALSE(setting_number("250 apples"));
}

TEST(SameSetting, SeesThroughSpellingsButNotThroughUnits) {
  EXPECT_TRUE(same_setting("200", "200 W"));
  EXPECT_TRUE(same_setting("0.2 kW", "200 W"));
  EXPECT_TRUE(same_setting("200.0", "200"));
  EXPECT_TRUE(same_setting("boost", "boost"));
  EXPECT_FALSE(same_setting("200 MHz", "200 W"));
  EXPECT_FALSE(same_setting("200 kW", "200 W"));
  EXPECT_FALSE(same_setting("boost", "base"));
}

TEST(WattsOfSetting, TakesPowerAndPlainNumbers) {
  EXPECT_EQ(watts_of_setting("0.25 kW"), 250);
  EXPECT_EQ(watts_of_setting("250"), 250);
  EXPECT_FALSE(watts_of_setting("250 MHz"));
  EXPECT_FALSE(watts_of_setting("0"));
  EXPECT_FALSE(watts_of_setting("off"));
}

}  // namespace
}  // namespace scalelaw
