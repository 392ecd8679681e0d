#include "scalelaw/input/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Hands out a text in pieces of at most some bytes.
class SlowStream final : public ByteStream {
 public:
  SlowStream(std::string text, std::size_t most) : text_(std::move(text)), most_(most) {}
  std::size_t read(char* out, std::size_t count) override {
    const std::size_t got = text_.copy(out, std::min(count, most_), given_);
    given_ += got;
    return got;
  }
  std::uint64_t consumed() const override { return given_; }

 private:
  std::string text_;
  std::size_t most_;
  std::size_t given_ = 0;
};

struct ReadLines {
  std::vector<std::string> lines;
  bool is_cut = false;
};

ReadLines lines_of(const std::string& text, std::size_t most) {
  SlowStream stream(text, most);
  LineReader reader(stream, "text");
  ReadLines read;
  while (const auto line = reader.next()) {
    read.lines.emplace_back(*line);
    EXPECT_EQ(reader.line_number(), read.lines.size());
    read.is_cut = reader.is_cut();
    if (read.is_cut) {
      EXPECT_FALSE(reader.next().has_value());
    }
  }
  EXPECT_FALSE(reader.next().has_value());
  return read;
}

/// The same by way of blocks, which share their room.
ReadLines lines_by_blocks(const std::string& text, std::size_t most) {
  SlowStream stream(text, most);
  LineBlocks blocks(stream, "text");
  ReadLines read;
  for (LineBlock block; blocks.next(block);) {
    EXPECT_EQ(block.line, read.lines.size() + 1);
    EXPECT_FALSE(read.is_cut);
    read.is_cut = block.is_cut;
    std::string_view rest = block.text;
    do {
      read.lines.emplace_back(take_line(rest));
    } while (!rest.empty());
  }
  return read;
}

TEST(LineReader, EndsLinesAtLineFeeds) {
  for (const std::size_t most : {1, 2, 3, 100}) {
    EXPECT_THAT(lines_of("", most).lines, ElementsAre());
    EXPECT_THAT(lines_of("\n", most).lines, ElementsAre(""));
    EXPECT_THAT(lines_of("a", most).lines, ElementsAre("a"));
    EXPECT_THAT(lines_of("a\r\n\r\n\nb\rc\n", most).lines, ElementsAre("a", "", "", "b\rc"));
    EXPECT_THAT(lines_of("\xEF\xBB\xBFgpus\n\xEF\xBB\xBF"
                         "1",
                         most)
                    .lines,
                ElementsAre("gpus",
                            "\xEF\xBB\xBF"
                            "1"));
    EXPECT_TRUE(lines_of("a\nb", most).is_cut);
    EXPECT_FALSE(lines_of("a\nb\n", most).is_cut);
  }
}

TEST(LineReader, JoinsWhatReadsHavePartedHoweverLongALineIs) {
  RandomStream random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> expected;
    std::string text;
    for (std::uint64_t count = random() % 9; count > 0; --count) {
      const std::size_t length = random() % (random() % 4 == 0 ? 700'000 : 40);
      expected.emplace_back(length, static_cast<char>('a' + random() % 26));
      text += expected.back() + (random() % 2 == 0 ? "\n" : "\r\n");
    }
    const std::size_t most = 1 + random() % (random() % 2 == 0 ? 5000 : 1'000'000);
    EXPECT_EQ(lines_of(text, most).lines, expected);
    EXPECT_EQ(lines_by_blocks(text, most).lines, expected);
    expected.emplace_back("last");
    const ReadLines cut = lines_by_blocks(text + "last", most);
    EXPECT_EQ(cut.lines, expected);
    EXPECT_TRUE(cut.is_cut);
  }
}

TEST(LineBlocks, AreSmallAgainBehindALongLine) {
  SlowStream stream(std::string(5'000'000, 'x') + "\n" + std::string(3'000'000, '\n'), 1 << 30);
  LineBlocks blocks(stream, "text");
  LineBlock block;
  ASSERT_TRUE(blocks.next(block));
  EXPECT_GE(block.text.size(), 5'000'000U);
  while (blocks.next(block)) EXPECT_LE(block.text.size(), 200'000U);
}

TEST(LineReader, RefusesALineWithoutEnd) {
  try {
    lines_of("one\ntwo\n" + std::string(LineReader::kLongestLine + 1, 'x'), 1 << 20);
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("text:3"));
    EXPECT_THAT(error.what(), HasSubstr("longer than 64 MiB"));
  }
}

}  // namespace
}  // namespace scalelaw
