#include "scalelaw/base/duration.hpp"

#include <gtest/gtest.h>

namespace scalelaw {
namespace {

TEST(ParseDuration, TakesWhatPeopleWrite) {
  EXPECT_EQ(parse_duration("90 s"), 90);
  EXPECT_EQ(parse_duration(" 2h "), 7200);
  EXPECT_EQ(parse_duration("3m20s"), 200);
  EXPECT_EQ(parse_duration("1 h 30 min"), 5400);
  EXPECT_EQ(parse_duration("1.5 days"), 129600);
  EXPECT_EQ(parse_duration("1 week"), 604800);
  EXPECT_EQ(parse_duration("2 weeks"), 1209600);
  EXPECT_EQ(parse_duration("1wk 2 Days"), 777600);
  EXPECT_EQ(parse_duration("90 min"), 5400);
  EXPECT_DOUBLE_EQ(*parse_duration("95 ms"), 0.095);
  EXPECT_EQ(parse_duration("1:30:00"), 5400);
  EXPECT_EQ(parse_duration("1:30.5"), 90.5);
  EXPECT_EQ(parse_duration("1-02:03:04"), 93784);
  EXPECT_EQ(parse_duration("1-02:03"), 93780);
  EXPECT_EQ(parse_duration("1 day, 2:03:04"), 93784);
}

TEST(ParseDuration, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "90", "s", "90 W", "-5 s", "1:75", "1:2:3:4", "1:2:3", "20s3m",
                           "5 m 3 m", "1:x", "1e3:00", "two hours"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(DurationText, HasAtMostTwoUnits) {
  EXPECT_EQ(duration_text(0.0952), "95.2 ms");
  EXPECT_EQ(duration_text(0.00001), "10 us");
  EXPECT_EQ(duration_text(71.49), "71.5 s");
  EXPECT_EQ(duration_text(119.99), "120 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7173), "2 h");
  EXPECT_EQ(duration_text(7080), "1 h 58 min");
  EXPECT_EQ(duration_text(7200), "2 h");
  EXPECT_EQ(duration_text(7229), "2 h");
  EXPECT_EQ(duration_text(187200), "2 d 4 h");
}

}  // namespace
}  // namespace scalelaw
