#include "input/separators.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

struct Found {
  std::vector<std::uint32_t> offsets;
  std::size_t line_feeds = 0;
  bool quotes = false;

  friend bool operator==(const Found&, const Found&) = default;
};

Found one_by_one(std::string_view text, char separator) {
  Found found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == separator || text[i] == '\n')
      found.offsets.push_back(static_cast<std::uint32_t>(i));
    found.line_feeds += text[i] == '\n' ? 1 : 0;
    found.quotes |= text[i] == '"';
  }
  return found;
}

using Index = SeparatorIndex (*)(const char*, std::size_t, char, std::uint32_t*);

/// The text has memory of its exact size, so that the address sanitizer detects a read beyond it.
Found indexed(Index index, std::string_view text, char separator) {
  const auto copy = std::make_unique_for_overwrite<char[]>(text.size());
  std::copy(text.begin(), text.end(), copy.get());
  std::vector<std::uint32_t> offsets(text.size() + 64);
  const SeparatorIndex seen = index(copy.get(), text.size(), separator, offsets.data());
  offsets.resize(seen.count);
  return {std::move(offsets), seen.line_feeds, seen.quotes};
}

void expect_all_agree(std::string_view text, char separator) {
  const Found expected = one_by_one(text, separator);
  EXPECT_EQ(indexed(index_separators, text, separator), expected) << text.size();
  EXPECT_EQ(indexed(index_separators_portable, text, separator), expected) << text.size();
  if (has_wide_separator_index()) {
    EXPECT_EQ(indexed(index_separators_wide, text, separator), expected) << text.size();
  }
  if (has_widest_separator_index()) {
    EXPECT_EQ(indexed(index_separators_widest, text, separator), expected) << text.size();
  }
}

std::string random_text(RandomStream& random, std::size_t length, std::string_view letters) {
  std::string text(length, ' ');
  for (char& c : text) c = letters[random.below(static_cast<std::uint32_t>(letters.size()))];
  return text;
}

TEST(IndexSeparators, AgreesWithALoopOnRandomBytesOfEveryLength) {
  RandomStream random(1);
  for (std::size_t length = 0; length <= 300; ++length) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::string text(length, ' ');
      for (char& c : text) c = static_cast<char>(random.below(256));
      expect_all_agree(text, ',');
      expect_all_agree(text, '\t');
      expect_all_agree(text, static_cast<char>(0x80 + random.below(128)));
    }
  }
}

TEST(IndexSeparators, AgreesWithALoopOnDenseSeparators) {
  RandomStream random(2);
  for (std::size_t length = 0; length <= 300; ++length) {
    for (const char* letters :
         {",", "\n", ",\n", ",,,,x", ",\n\"", "aaaaaaaaaaaaaaaaaaa,\n", "\"", "+,-./\n\v\t!\"#"}) {
      expect_all_agree(random_text(random, length, letters), ',');
    }
  }
}

TEST(IndexSeparators, AgreesWithALoopOnLongTexts) {
  RandomStream random(3);
  for (const std::size_t length : {16u << 10, (16u << 10) + 63, 100'000u}) {
    expect_all_agree(random_text(random, length, "0123456789.,,\n"), ',');
    expect_all_agree(random_text(random, length, "0123456789.\t,\n"), '\t');
  }
}

TEST(IndexSeparators, SeesOneQuoteWhereverItStands) {
  for (std::size_t at = 0; at < 200; ++at) {
    std::string text(200, 'x');
    text[at] = '"';
    expect_all_agree(text, ',');
    EXPECT_TRUE(indexed(index_separators, text, ',').quotes);
  }
  EXPECT_FALSE(indexed(index_separators, std::string(200, 'x'), ',').quotes);
}

}  // namespace
}  // namespace scalelaw
