#include "scalelaw/base/date.hpp"

#include <gtest/gtest.h>

namespace scalelaw {
namespace {

TEST(ReadDate, ADayHasThePrecisionOfADay) {
  const auto date = read_date("2026-06-01");
  ASSERT_TRUE(date);
  EXPECT_EQ(date->seconds, 1'780'272'000);  // date -u -d 2026-06-01 +%s
  EXPECT_EQ(date->precision, 86400);
  EXPECT_FALSE(date->ahead);
  for (const char* text : {"2026/06/01", "01-06-2026", "01.06.2026"}) {
    ASSERT_TRUE(read_date(text)) << text;
    EXPECT_EQ(read_date(text)->seconds, 1'780'272'000) << text;
  }
}

TEST(ReadDate, ATimeMayHaveSecondsAndAZone) {
  EXPECT_EQ(read_date("2026-06-01 14:30")->precision, 60);
  const auto date = read_date("2026-06-01T14:30:05.25+02:00");
  ASSERT_TRUE(date);
  EXPECT_EQ(date->seconds, 1'780'272'000 + 52205);  // As the clock showed.
  EXPECT_EQ(date->nanoseconds, 250'000'000);
  EXPECT_EQ(date->precision, 1);
  EXPECT_EQ(date->ahead, 7200);
  EXPECT_EQ(read_date("2026-06-01T14:30Z")->ahead, 0);
}

TEST(ReadDate, RefusesWhatIsNoDate) {
  for (const char* text :
       {"", "2026-06", "2026-02-30", "2026-06-01x", "2026-06-01T", "2026-06-01T25:00",
        "2026-06-01 14:30 o'clock", "20260601", "03/04/2026", "2026-W23-01", "1-02:03:04"}) {
    EXPECT_FALSE(read_date(text)) << text;
  }
}

}  // namespace
}  // namespace scalelaw
