#include "trace/formats.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace scalelaw {
namespace {

TEST(NanosecondsOfSeconds, KeepsEveryDigitOfADecimalNumber) {
  EXPECT_EQ(nanoseconds_of_seconds("0"), 0);
  EXPECT_EQ(nanoseconds_of_seconds("1618080814.783"), 1'618'080'814'783'000'000);
  EXPECT_EQ(nanoseconds_of_seconds("1541720386.718659639"), 1'541'720'386'718'659'639);
  EXPECT_EQ(nanoseconds_of_seconds("-1.5"), -1'500'000'000);
  EXPECT_EQ(nanoseconds_of_seconds("+12"), 12'000'000'000);
  EXPECT_EQ(nanoseconds_of_seconds(".25"), 250'000'000);
  EXPECT_EQ(nanoseconds_of_seconds("3."), 3'000'000'000);
  EXPECT_EQ(nanoseconds_of_seconds("-0.000000001"), -1);
}

TEST(NanosecondsOfSeconds, DropsDigitsBehindTheNinth) {
  EXPECT_EQ(nanoseconds_of_seconds("0.1234567899"), 123'456'789);
  EXPECT_EQ(nanoseconds_of_seconds("-0.1234567899"), -123'456'789);
  EXPECT_EQ(nanoseconds_of_seconds("0.0000000009"), 0);
}

TEST(NanosecondsOfSeconds, TakesLeadingZeros) {
  EXPECT_EQ(nanoseconds_of_seconds(std::string(1000, '0') + "7.5"), 7'500'000'000);
}

TEST(NanosecondsOfSeconds, ReadsScientificNotationRounded) {
  EXPECT_EQ(nanoseconds_of_seconds("1.6e9"), 1'600'000'000'000'000'000);
  EXPECT_EQ(nanoseconds_of_seconds("15E-1"), 1'500'000'000);
  EXPECT_EQ(nanoseconds_of_seconds("-6e-10"), -1);
  EXPECT_EQ(nanoseconds_of_seconds("1e-400"), 0);
}

TEST(NanosecondsOfSeconds, IsNothingBeyond64Bits) {
  EXPECT_EQ(nanoseconds_of_seconds("9223372036.854775807"),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(nanoseconds_of_seconds("9223372036.854775808"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds("9223372037"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds("-9223372037"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds("18446744073709551616"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds(std::string(100, '9')), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds("1e10"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds("1e400"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds(9223372036.8547758), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds(-std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(nanoseconds_of_seconds(std::numeric_limits<double>::quiet_NaN()), std::nullopt);
}

TEST(NanosecondsOfSeconds, IsNothingForOtherText) {
  for (const char* text : {"", "-", "+", ".", "-.", "+-1", "--1", " 1", "1 ", "1,5", "1.2.3", "1s",
                           "0x10", "inf", "nan", "1e", "12:30"}) {
    EXPECT_EQ(nanoseconds_of_seconds(text), std::nullopt) << text;
  }
}

TEST(ParseDateTime, CountsFromTheUnixEpoch) {
  EXPECT_EQ(parse_date_time("1970-01-01 00:00:00"), 0);
  EXPECT_EQ(parse_date_time("1969-12-31 23:59:59.999999999"), -1);
  EXPECT_EQ(parse_date_time("2019-08-23 14:41:50.273"), 1'566'571'310'273'000'000);
  EXPECT_EQ(parse_date_time("1678-01-01 00:00:00"), -9'214'560'000'000'000'000);
  EXPECT_EQ(parse_date_time("2261-12-31 23:59:59"), 9'214'646'399'000'000'000);
}

TEST(ParseDateTime, KnowsLeapYears) {
  EXPECT_EQ(parse_date_time("2024-02-29 00:00:00"), 1'709'164'800'000'000'000);
  EXPECT_EQ(parse_date_time("2000-02-29 00:00:00"), 951'782'400'000'000'000);
  EXPECT_EQ(parse_date_time("2023-02-29 00:00:00"), std::nullopt);
  EXPECT_EQ(parse_date_time("1900-02-29 00:00:00"), std::nullopt);
}

TEST(ParseDateTime, IsNothingForADateOrTimeThatIsNone) {
  for (const char* text :
       {"1677-12-31 00:00:00", "2262-01-01 00:00:00", "2023-00-01 00:00:00", "2023-13-01 00:00:00",
        "2023-06-00 00:00:00", "2023-06-31 00:00:00", "2023-06-03 24:00:00", "2023-06-03 00:60:00",
        "2016-12-31 23:59:60", "2023-06-03 00:00:-1"}) {
    EXPECT_EQ(parse_date_time(text), std::nullopt) << text;
  }
}

TEST(ParseDateTime, ReadsSlashesAndDashesBlankAndT) {
  for (const char* text : {"2019/08/23 14:41:50.273", "2019-08-23 14:41:50.273",
                           "2019-08-23T14:41:50.273", "2019/08/23T14:41:50.2730000009"}) {
    EXPECT_EQ(parse_date_time(text), 1'566'571'310'273'000'000) << text;
  }
  EXPECT_EQ(parse_date_time("2019-08-23 14:41:50"), 1'566'571'310'000'000'000);
}

TEST(ParseDateTime, TakesTheZoneIntoAccount) {
  for (const char* text : {"2019-08-23T14:41:50.273Z", "2019-08-23 14:41:50.273 UTC",
                           "2019-08-23T16:41:50.273+02:00", "2019-08-23 16:41:50.273 +0200",
                           "2019-08-23T09:11:50.273-05:30", "2019-08-24T00:41:50.273+10"}) {
    EXPECT_EQ(parse_date_time(text), 1'566'571'310'273'000'000) << text;
  }
}

TEST(ParseDateTime, ReadsADayFirstBetweenDashesOrPoints) {
  for (const char* text :
       {"23-08-2019 14:41:50.273", "23.08.2019 14:41:50.273", "23-08-2019T16:41:50.273+02:00"}) {
    EXPECT_EQ(parse_date_time(text), 1'566'571'310'273'000'000) << text;
  }
}

TEST(ParseDateTime, IsNothingForOtherText) {
  for (const char* text : {"",
                           "2019",
                           "2019/08/23",
                           "2019/08/23 14:41",
                           "2019/08-23 14:41:50",
                           "2019/08/23  14:41:50",
                           " 2019/08/23 14:41:50",
                           "2019/08/23 14:41:50 ",
                           "2019/08/23 14:41:50.",
                           "2019/08/23 14:41:50,273",
                           "2019/08/23 14:41:50.2a",
                           "2019/08/23 14:41:50 ",
                           "2019/08/23 14:41:50X",
                           "2019/08/23 14:41:50+",
                           "2019/08/23 14:41:50+2",
                           "2019/08/23 14:41:50+0260",
                           "2019/08/23 14:41:50+19:00",
                           "2019/08/23 14:41:50+02:00:00",
                           "23/08/2019 14:41:50",
                           "32-08-2019 14:41:50",
                           "23-13-2019 14:41:50",
                           "23-08.2019 14:41:50",
                           "2019/8/23 14:41:50",
                           "2019/13/23 14:41:50",
                           "2019/02/29 14:41:50",
                           "2019/08/23 14:41:60",
                           "2019/08/23 1 :41:50",
                           "2019.08.23 14:41:50",
                           "20190823 14:41:50",
                           "-019/08/23 14:41:50",
                           "0000000000000000000000"}) {
    EXPECT_EQ(parse_date_time(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace scalelaw
