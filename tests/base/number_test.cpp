#include "scalelaw/base/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

TEST(ParseNumber, ReadsDecimalAndScientificNotation) {
  EXPECT_EQ(parse_number("0"), 0.0);
  EXPECT_EQ(parse_number("12"), 12.0);
  EXPECT_EQ(parse_number("+12.5"), 12.5);
  EXPECT_EQ(parse_number("-12.5"), -12.5);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("+.5"), 0.5);
  EXPECT_EQ(parse_number("5."), 5.0);
  EXPECT_EQ(parse_number("1.2e3"), 1200.0);
  EXPECT_EQ(parse_number("1E+3"), 1000.0);
  EXPECT_EQ(parse_number("25e-1"), 2.5);
  EXPECT_EQ(parse_number("000000000000000000000000000001"), 1.0);
}

TEST(ParseNumber, RefusesWhatIsNotWhollyANumber) {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "-.",
                           "e5",
                           ".e5",
                           "1e",
                           "1e+",
                           "1e5.",
                           "1.2.3",
                           "--1",
                           "+-1",
                           "-+1",
                           "++1",
                           " 1",
                           "1 ",
                           "1\t",
                           "1,5",
                           "1 000",
                           "1_000",
                           "0x10",
                           "1p3",
                           "inf",
                           "-inf",
                           "infinity",
                           "nan",
                           "NaN",
                           "1f",
                           "1W",
                           "\xEF\xBC\x91",
                           "\xE2\x88\x92"
                           "1"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number(std::string_view("1\0", 2)), std::nullopt);
}

TEST(ParseNumber, ReadsToTheNearestDouble) {
  EXPECT_EQ(parse_number("9007199254740993"), 9007199254740992.0);  // A tie, to even.
  EXPECT_EQ(parse_number("9007199254740993.0000000000000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(parse_number("0.1"), 0x1.999999999999ap-4);
  EXPECT_EQ(parse_number("2.2250738585072011e-308"), 0x0.fffffffffffffp-1022);
  EXPECT_EQ(parse_number("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(ParseNumber, ReadsTooLargeAsNothingAndTooSmallAsZero) {
  EXPECT_EQ(parse_number("1e309"), std::nullopt);
  EXPECT_EQ(parse_number("-1e999999999999"), std::nullopt);
  EXPECT_EQ(parse_number("1.7976931348623159e308"), std::nullopt);
  EXPECT_EQ(parse_number("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_number("2e-324"), 0.0);
  EXPECT_EQ(parse_number("1e-999999999999"), 0.0);
  EXPECT_TRUE(std::signbit(*parse_number("-0")));
}

TEST(ParseNumber, AgreesWithStrtodOnRandomDoubles) {
  RandomStream random(2);
  for (int i = 0; i < 300'000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    const std::string exact = fmt::format("{}", number);
    ASSERT_EQ(parse_number(exact), number) << exact;
    const std::string shortened = fmt::format("{:.{}e}", number, random.below(20));
    const double expected = std::strtod(shortened.c_str(), nullptr);
    if (std::isfinite(expected)) {
      ASSERT_EQ(parse_number(shortened), expected) << shortened;
    } else {
      ASSERT_EQ(parse_number(shortened), std::nullopt) << shortened;
    }
  }
}

TEST(IsInfinite, IsTrueOfInfinityAndOfNumbersBeyondDouble) {
  for (const char* text : {"inf", "-inf", "+inf", "Infinity", "INF", "1e309", "-1e400", "+1e400"}) {
    EXPECT_TRUE(is_infinite(text)) << text;
  }
  for (const char* text : {"", "1", "1e308", "nan", "infinite", "++inf", "+-inf", "inf ", "x"}) {
    EXPECT_FALSE(is_infinite(text)) << text;
  }
}

TEST(IsMissing, KnowsTheSpellingsInAnyCase) {
  for (const char* text : {"", " ", " \t", "NA", "na", "N/A", "n/a", "[N/A]", "[Not Supported]",
                           "[NOT SUPPORTED]", "nan", "NaN", "null", "NULL", " Null "}) {
    EXPECT_TRUE(is_missing(text)) << text;
  }
  for (const char* text :
       {"0", "-", "none", "N A", "[NA]", "nanx", "\"\"", "NotSupported", "nul"}) {
    EXPECT_FALSE(is_missing(text)) << text;
  }
}

TEST(Trimmed, RemovesBlanksAndTabsOnly) {
  EXPECT_EQ(trimmed("  a b\t"), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("a\r"), "a\r");
}

}  // namespace
}  // namespace scalelaw
