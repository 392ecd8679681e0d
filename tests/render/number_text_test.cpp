#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

std::string exact(double value) {
  std::string out;
  append_exact(out, value);
  return out;
}

TEST(AppendExact, WritesTheShortestTextThatReadsBack) {
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(exact(45), "45");
  EXPECT_EQ(exact(-2.5), "-2.5");
  EXPECT_EQ(exact(1e15), "1000000000000000");
  EXPECT_EQ(exact(1e16), "1e+16");
  EXPECT_EQ(exact(0.0001), "0.0001");
  EXPECT_EQ(exact(0.00001), "1e-05");
  EXPECT_EQ(exact(1.5e-300), "1.5e-300");
  EXPECT_EQ(exact(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(exact(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(exact(0), "0");
  EXPECT_EQ(exact(-0.0), "-0");
}

TEST(AppendExact, AgreesWithFmtOnRandomBits) {
  RandomStream random(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(exact(value), fmt::format("{}", value));
    const double ordinary = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(70)));
    ASSERT_EQ(exact(ordinary), fmt::format("{}", ordinary));
  }
}

TEST(WithSignificantDigits, StaysInPlainNotationForOrdinarySizes) {
  EXPECT_EQ(with_significant_digits(0.84123, 4), "0.8412");
  EXPECT_EQ(with_significant_digits(21637.25, 4), "21637");
  EXPECT_EQ(with_significant_digits(927.18, 4), "927.2");
  EXPECT_EQ(with_significant_digits(0.00012345, 3), "0.000123");
  EXPECT_EQ(with_significant_digits(1e-9, 3), "1.00e-09");
  EXPECT_EQ(with_significant_digits(2.5e20, 2), "2.5e+20");
  EXPECT_EQ(with_significant_digits(0, 4), "0");
}

TEST(Rounded, GivesTheEstimateTheDecimalsOfTheErrorsTwoDigits) {
  EXPECT_EQ(rounded(0.87537, 0.00662).estimate, "0.8754");
  EXPECT_EQ(rounded(0.87537, 0.00662).se, "0.0066");
  EXPECT_EQ(rounded(0.87537, 0.0662).estimate, "0.875");
  EXPECT_EQ(rounded(1234.5, 12.0).estimate, "1234");
  EXPECT_EQ(rounded(1234.5, 250.0).se, "250");
}

TEST(Rounded, HasFourDigitsWithoutAnError) {
  EXPECT_EQ(rounded(0.87537, std::nullopt).estimate, "0.8754");
  EXPECT_EQ(rounded(0.87537, std::nullopt).se, "");
}

TEST(Rounded, DoesNotPrintNoiseWhereThereIsNoScatter) {
  EXPECT_EQ(rounded(0.82, 3e-17).estimate, "0.82000000");
  EXPECT_EQ(rounded(0.82, 3e-17).se, "3.0e-17");
  EXPECT_EQ(rounded(0.82, 0.0).estimate, "0.8200");
}

TEST(Rounded, WritesNoMinusBeforeZero) { EXPECT_EQ(rounded(-0.0001, 0.5).estimate, "0.00"); }

TEST(ScaleText, WritesWholeNumbersWithAllDigits) {
  EXPECT_EQ(scale_text(1048576), "1048576");
  EXPECT_EQ(scale_text(0.5), "0.5");
}

TEST(DisplayWidth, CountsCodePointsAndWideOnesTwice) {
  EXPECT_EQ(display_width("BERT"), 4u);
  EXPECT_EQ(display_width("± SE"), 4u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);  // A combining accent.
  EXPECT_EQ(display_width("\xFF"), 1u);
}

TEST(Printable, ShowsWhatWouldCommandATerminal) {
  EXPECT_EQ(printable("a\nb\x1b[31m"), "a\\nb\\x1b[31m");
  EXPECT_EQ(printable("\xC2\x9B"), "\\x9b");        // The one-byte form of ESC [.
  EXPECT_EQ(printable("\xE2\x80\xAE"), "\\u202e");  // Right-to-left override.
  EXPECT_EQ(printable("caf\xC3\xA9"), "café");
  EXPECT_EQ(printable("\xC3"), "\xEF\xBF\xBD");  // Cut inside a character.
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(AppendJsonString, EscapesWhatJsonMustNotHold) {
  EXPECT_EQ(json_string("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(json_string(std::string_view("\n\t\r\0\x1f", 5)), "\"\\n\\t\\r\\u0000\\u001f\"");
  EXPECT_EQ(json_string("漢"), "\"漢\"");
}

TEST(AppendJsonString, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(json_string("a\xFF"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\xED\xA0\x80"),  // A surrogate.
            "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace scalelaw
