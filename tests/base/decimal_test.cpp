// Compiled for the same processors as the library (tests/CMakeLists.txt); otherwise there would be
// nothing to compare.
#include "base/decimal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

struct Readings {
  double fast;
  double slow;
};

/// A field inside a table, after bytes that must not matter.
Readings read(std::string_view field, std::string_view before = "0123456789.,5.1,") {
  const std::string text = std::string(before) + std::string(field) + ",9.9\n";
  const char* const begin = text.data() + before.size();
  return {plain_decimal(begin, begin + field.size()),
          plain_decimal_by_digits(begin, begin + field.size())};
}

TEST(PlainDecimal, ReadsUnsignedDecimals) {
  EXPECT_EQ(read("0").fast, 0);
  EXPECT_EQ(read("7").fast, 7);
  EXPECT_EQ(read("007").fast, 7);
  EXPECT_EQ(read("12.5").fast, 12.5);
  EXPECT_EQ(read("5.").fast, 5);
  EXPECT_EQ(read("0.1").fast, 0.1);
  EXPECT_EQ(read("123456789012345").fast, 123456789012345.0);
  EXPECT_EQ(read("1.23456789012345").slow, 1.23456789012345);
  EXPECT_EQ(read("0.00000000000001").slow, 1e-14);
}

TEST(PlainDecimal, LeavesEverythingElseToParseNumber) {
  for (const char* field : {"",
                            ".",
                            ".5",
                            ".123",
                            "-1",
                            "+1",
                            "1e3",
                            "1.2.3",
                            "1..2",
                            "..1",
                            "1.2.",
                            " 1",
                            "1 ",
                            "1,5",
                            "x",
                            "1x",
                            "x1",
                            "/",
                            ":",
                            "12:",
                            "1/2",
                            "\xC2\xB2",
                            "1\r",
                            "1\t",
                            "nan",
                            "0x1",
                            "1234567890123456",
                            "12345678901234567890",
                            "123456789012345.6",
                            "1.2345678901234567"}) {
    EXPECT_TRUE(std::isnan(read(field).fast)) << field;
    EXPECT_TRUE(std::isnan(read(field).slow)) << field;
  }
}

TEST(PlainDecimal, SixteenCharactersWithAPointAreReadOrLeft) {
  for (const char* field : {"12345678.9012345", "1.23456789012345", "123456789012345."}) {
    EXPECT_EQ(read(field).slow, std::strtod(field, nullptr)) << field;
    if (!std::isnan(read(field).fast)) {
      EXPECT_EQ(read(field).fast, read(field).slow) << field;
    }
  }
}

TEST(PlainDecimal, DoesNotSeeTheBytesBefore) {
  for (const char* before :
       {"................", "0000000000000000", "-,-,-,-,-,-,-,-,", "abcdefghijklmn.,",
        "9999999999999999", "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"", ",,,,,,,,,,,,,,,."}) {
    EXPECT_EQ(read("12.5", before).fast, 12.5) << before;
    EXPECT_EQ(read("123456789012345", before).fast, 123456789012345.0) << before;
    EXPECT_TRUE(std::isnan(read(".5", before).fast)) << before;
    EXPECT_TRUE(std::isnan(read("", before).fast)) << before;
  }
}

TEST(PlainDecimal, AgreesWithItsLoopAndStrtodOnRandomTexts) {
  RandomStream random(1);
  const auto below = [&](std::size_t n) { return random.below(static_cast<std::uint32_t>(n)); };
  const std::string_view letters = "0123456789012345678901234567890123456789..-+eEx ,/:";
  std::size_t numbers = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    // Mostly digits and a point, sometimes any byte.
    const std::size_t kinds = below(3) == 0 ? letters.size() : 42;
    std::string field(below(20), '0');
    for (char& c : field) c = letters[below(kinds)];
    std::string before(16, '0');
    for (char& c : before) c = letters[below(letters.size())];
    const Readings number = read(field, before);
    const bool plain = !field.empty() && field.size() <= 16 && field.front() != '.' &&
                       field.find_first_not_of("0123456789.") == std::string::npos &&
                       field.find('.') == field.rfind('.') &&
                       field.size() - (field.find('.') == std::string::npos ? 0 : 1) <= 15;
    ASSERT_EQ(!std::isnan(number.slow), plain) << field;
    if (!plain || field.size() < 16) {
      ASSERT_EQ(!std::isnan(number.fast), plain) << field << " after " << before;
    }
    if (!plain) continue;
    ASSERT_EQ(number.slow, std::strtod(field.c_str(), nullptr)) << field;
    if (!std::isnan(number.fast)) {
      ASSERT_EQ(number.fast, number.slow) << field << " after " << before;
      ASSERT_FALSE(std::signbit(number.fast));
    }
    ++numbers;
  }
  EXPECT_GT(numbers, 300'000u);
}

}  // namespace
}  // namespace scalelaw
