#include "scalelaw/base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kColumns = {"model", "gpus", "epoch_seconds", "power_cap_w"};

TEST(PartOf, ItsVerbAgreesWithTheFirstNumber) {
  EXPECT_EQ(part_of(1, 3, "group", "has", "have"), "1 of 3 groups has");
  EXPECT_EQ(part_of(2, 3, "group", "has", "have"), "2 of 3 groups have");
  EXPECT_EQ(part_of(1, 1, "group", "has", "have"), "1 of 1 group has");
}

TEST(Nearest, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest("epoch_second", kColumns), "epoch_seconds");
  EXPECT_EQ(nearest("modle", kColumns), "model");  // Swapped neighbours are one edit.
  EXPECT_EQ(nearest("GPUS", kColumns), "gpus");
  EXPECT_EQ(nearest("powercap_w", kColumns), "power_cap_w");
}

TEST(Nearest, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest("benchmark", kColumns), std::nullopt);
  EXPECT_EQ(nearest("", kColumns), std::nullopt);
  EXPECT_EQ(nearest("gpus", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(10'000, 'g'), kColumns), std::nullopt);
}

TEST(Joined, PutsSeparatorsBetween) {
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}, "-"), "a");
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"", "250"}), ", 250");
}

TEST(Split, TrimsPiecesAndKeepsEmptyOnes) {
  EXPECT_THAT(split("a, b ,c", ','), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split(",a,", ','), ElementsAre("", "a", ""));
  EXPECT_THAT(split("a b", ','), ElementsAre("a b"));
  EXPECT_THAT(split("", ','), IsEmpty());
}

TEST(Quoted, ShowsControlCharactersAndBrokenUtf8) {
  EXPECT_EQ(quoted("n/a"), "\"n/a\"");
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted(std::string_view("a\0b\n\x7f", 5)), "\"a\\x00b\\x0a\\x7f\"");
  EXPECT_EQ(quoted("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_EQ(quoted("caf\xE9"), "\"caf\\xe9\"");
}

TEST(Quoted, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(scalelaw::quoted(std::string(40, 'x')), '"' + std::string(40, 'x') + '"');
  EXPECT_EQ(scalelaw::quoted(std::string(41, 'x')), '"' + std::string(40, 'x') + "...\"");
  EXPECT_EQ(scalelaw::quoted(std::string(39, 'x') + "\xC3\xA9y"),
            '"' + std::string(39, 'x') + "...\"");
}

TEST(IsUtf8, TakesWellFormedTextOnly) {
  for (const char* text :
       {"", "BERT", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xF4\x8F\xBF\xBF", "\xC2\x80", "\xE0\xA0\x80", "\xF0\x90\x80\x80"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(IsUtf8, RefusesOverlongFormsSurrogatesAndCutSequences) {
  for (const char* text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3x", "\xE0\x9F\xBF", "\xE2\x82",
        "\xE2\x82x", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "a\xC3\xA9\xA9"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

TEST(NaturalLess, OrdersNumbersAsNumbersAndBeforeWords) {
  EXPECT_TRUE(natural_less("9", "10"));
  EXPECT_TRUE(natural_less("-1", "0.5"));
  EXPECT_TRUE(natural_less("1e1", "20"));
  EXPECT_TRUE(natural_less("1000", "BERT"));
  EXPECT_FALSE(natural_less("BERT", "1000"));
  EXPECT_TRUE(natural_less("BERT", "ResNet50"));
  EXPECT_TRUE(natural_less("Z", "a"));
  EXPECT_TRUE(
      natural_less("64", "64.0"));  // Equal numbers go by spelling, which makes the order total.
  EXPECT_FALSE(natural_less("64.0", "64"));
}

TEST(NaturalLess, OrdersCountsByTheirMagnitude) {
  EXPECT_TRUE(natural_less("70M", "160M"));
  EXPECT_TRUE(natural_less("160M", "1B"));
  EXPECT_TRUE(natural_less("1.4B", "13b"));
  EXPECT_TRUE(natural_less("999", "1k"));
  EXPECT_TRUE(natural_less("70M", "M70"));
  EXPECT_FALSE(natural_less("M", "1M"));  // No number, so a word.
}

TEST(NaturalLess, IsAStrictWeakOrder) {
  const std::vector<std::string> texts = {
      "",   "0",       "-0",  "+0",  "0.0",    "1",     "1.0",    "01",       "1e0",  "10",
      "9",  "-1",      "-10", "inf", "nan",    "NA",    "a",      "A",        "a1",   "a10",
      "a9", "1a",      "1 ",  " 1",  "1e999",  "1e308", "-1e308", "\xC3\xA9", "\xFF", "x",
      "1M", "1000000", "10M", "2k",  "1e308B", "B",     "b",      "-1k",      "1kk"};
  for (const auto& a : texts) {
    EXPECT_FALSE(natural_less(a, a)) << a;
    for (const auto& b : texts) {
      const bool less = natural_less(a, b);
      EXPECT_FALSE(less && natural_less(b, a)) << a << " and " << b;
      EXPECT_TRUE(a == b || less || natural_less(b, a)) << a << " and " << b;
      for (const auto& c : texts) {
        EXPECT_TRUE(!(less && natural_less(b, c)) || natural_less(a, c))
            << a << ", " << b << ", " << c;
      }
    }
  }
}

TEST(ShellWord, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_word("model,gpus"), "model,gpus");
  EXPECT_EQ(shell_word("OpenMP threads"), "'OpenMP threads'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace scalelaw
