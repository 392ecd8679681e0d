#include "scalelaw/input/row_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <mutex>

#include "scalelaw/base/random.hpp"
#include "support/command.hpp"
#include "support/compress.hpp"
#include "support/standard_input.hpp"

namespace scalelaw::test {
namespace {

using testing::HasSubstr;

/// A row and its place.
struct FoundRow {
  std::size_t file;
  std::uint64_t offset;
  std::string text;

  friend bool operator==(const FoundRow&, const FoundRow&) = default;
  friend auto operator<=>(const FoundRow&, const FoundRow&) = default;
};

/// Records every row, and refuses the requested ones.
class RowCollector : public RowConsumer {
 public:
  explicit RowCollector(std::string defect = {}) : defect_(std::move(defect)) {}

  void open_table(std::size_t file, const Header& header, std::string_view) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(header.names.front(), "a") << file;
  }
  const char* take_plain(const RowBlock& block, int) override {
    const char* const quote = std::find(block.begin, block.end, '"');
    // A stretch ends with a line feed, here with that of the last row before the quote.
    const char* stop = quote;
    while (quote != block.end && stop > block.begin && stop[-1] != '\n') --stop;
    take(block, stop);
    return stop;
  }
  void take_quoted(const RowBlock& block, int) override { take(block, block.end); }
  void restart() override {
    rows_.clear();
    ++restarts_;
  }
  std::function<void()> at_first_block;  ///< Called once, before any row is taken.

  std::vector<FoundRow> sorted_rows() {
    std::sort(rows_.begin(), rows_.end());
    return rows_;
  }
  int restarts() const { return restarts_; }

 private:
  void take(const RowBlock& block, const char* end) {
    const std::lock_guard lock(mutex_);
    if (at_first_block) std::exchange(at_first_block, nullptr)();
    for (const char* row = block.begin; row < end;) {
      const std::string_view rest(row, static_cast<std::size_t>(end - row));
      const std::size_t found = *row == '#' ? rest.find('\n') : row_end(rest);
      const std::string_view text = rest.substr(0, found);
      EXPECT_EQ(end[-1], '\n');
      if (!defect_.empty() && text == defect_) throw RowDefect(block, row, "refused");
      const auto offset = block.offset + static_cast<std::uint64_t>(row - block.begin);
      if (!is_skipped_line(text.data(), text.data() + text.size())) {
        rows_.push_back({block.file, offset, std::string(text)});
      }
      row += std::min(text.size() + 1, rest.size());
    }
  }

  std::string defect_;
  std::mutex mutex_;
  std::vector<FoundRow> rows_;
  int restarts_ = 0;
};

/// The rows to be found in a table, from a walk over its characters.
std::vector<FoundRow> rows_in(const std::string& text, std::size_t file) {
  std::vector<FoundRow> rows;
  bool quoted = false;
  std::size_t begin = text.find('\n') + 1;
  for (std::size_t at = begin; at <= text.size(); ++at) {
    if (at == text.size() ? begin == at : false) break;
    const bool comment = begin < text.size() && text[begin] == '#';
    if (at < text.size() && text[at] == '"' && !comment) quoted = !quoted;
    if (at < text.size() && (text[at] != '\n' || quoted)) continue;
    const std::string row = text.substr(begin, at - begin);
    if (!row.empty() && row != "\r" && row.front() != '#') rows.push_back({file, begin, row});
    begin = at + 1;
    quoted = false;
  }
  return rows;
}

class Tables {
 public:
  std::string add(const std::string& bytes, const std::string& ending = ".csv") {
    paths.push_back(folder_.path() / ("t" + std::to_string(100 + paths.size()) + ending));
    write_bytes(paths.back(), bytes);
    return paths.back();
  }
  std::vector<std::string> paths;

 private:
  TemporaryFolder folder_;
};

/// Expects every row once, in plain, gzip and zstd form, for any number of threads.
void expect_every_row_once(const std::string& text) {
  const std::vector<FoundRow> expected = rows_in(text, 0);
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    Tables tables;
    tables.add(bytes);
    for (const int threads : {1, 2, 3, 7}) {
      RowCollector collector;
      for_each_row_block(tables.paths, threads, collector, nullptr);
      EXPECT_TRUE(collector.sorted_rows() == expected)
          << threads << " threads: " << collector.sorted_rows().size() << " rows instead of "
          << expected.size();
    }
  }
}

/// Rows of many lengths, each different.
std::string table_of(std::size_t bytes, const std::string& line_end = "\n",
                     std::uint64_t seed = 1) {
  RandomStream random(seed);
  std::string text = "a,b" + line_end;
  for (std::size_t row = 0; text.size() < bytes; ++row) {
    text += std::to_string(row) + ',' + std::string(random.below(120), 'x') + line_end;
  }
  return text;
}

constexpr std::size_t kLarge = 3 << 20;  // Several parts for each number of threads.

TEST(ForEachRowBlock, GivesEveryRowOnce) {
  for (const std::size_t bytes : {0u, 50u, 1000u, 128u << 10, 256u << 10, 700u << 10}) {
    expect_every_row_once(table_of(bytes));
  }
  expect_every_row_once(table_of(kLarge));
}

TEST(ForEachRowBlock, GivesRowsThatEndInCarriageReturns) {
  expect_every_row_once(table_of(kLarge, "\r\n"));
}

TEST(ForEachRowBlock, GivesTheLastRowWithoutLineFeed) {
  for (const std::size_t bytes : {50u, 1u << 20}) {
    std::string text = table_of(bytes);
    text.pop_back();
    expect_every_row_once(text);
    expect_every_row_once(text + "\n\"quoted\n\"");
  }
}

TEST(ForEachRowBlock, GivesTablesWhoseLengthFallsOnABlock) {
  for (const std::size_t block : {4096u, 64u << 10, 128u << 10, 256u << 10, 512u << 10}) {
    for (const int more : {-1, 0, 1}) {
      std::string text = table_of(block);
      text.resize(block + static_cast<std::size_t>(more) - 1, 'y');
      expect_every_row_once(text);
      expect_every_row_once(text + '\n');
    }
  }
}

TEST(ForEachRowBlock, GivesRowsLongerThanABlock) {
  std::string text = table_of(100'000);
  for (const std::size_t length : {64u << 10, 130u << 10, 700u << 10, 3u << 20}) {
    text += std::string(length, 'z') + "\nshort,row\n";
  }
  text += table_of(100'000, "\n", 2).substr(4);
  expect_every_row_once(text);
}

TEST(ForEachRowBlock, GivesQuotedRowsLongerThanABlock) {
  std::string text = table_of(100'000);
  for (const std::size_t length : {64u << 10, 700u << 10, 3u << 20}) {
    text += "long,\"" + std::string(length, '\n') + "\"\nshort,row\n";
  }
  text += table_of(100'000, "\n", 2).substr(4);
  expect_every_row_once(text);
}

/// The table with a quoted field of several lines after the row at `offset`.
std::string with_quote_at(std::string text, std::size_t offset) {
  const std::size_t row = text.find('\n', offset) + 1;
  return text.insert(row, "quoted,\"a\n# no comment\n1,2\n\"\"\n\"\n");
}

TEST(ForEachRowBlock, GivesRowsOfTablesWithQuotesEarlyAndLate) {
  const std::string text = table_of(kLarge);
  for (const std::size_t offset :
       {std::size_t{0}, std::size_t{100'000}, kLarge / 2, kLarge - 200}) {
    expect_every_row_once(with_quote_at(text, offset));
  }
  std::string many = text;
  for (std::size_t offset = 0; offset + 1000 < many.size(); offset += 9973)
    many = with_quote_at(many, offset);
  expect_every_row_once(many);
}

TEST(ForEachRowBlock, GivesRowsInsideAQuoteThatIsNeverClosed) {
  const std::string text = table_of(1 << 20);
  for (const std::size_t offset : {std::size_t{0}, std::size_t{400'000}, std::size_t{1'040'000}}) {
    const std::size_t row = text.find('\n', offset) + 1;
    const std::string cut = text.substr(0, row) + '"' + text.substr(row);
    // The last row reaches to the end of the table, with or without its line feed.
    const std::vector<FoundRow> expected = rows_in(cut, 0);
    for (const int threads : {1, 2, 3, 7}) {
      Tables tables;
      tables.add(cut);
      RowCollector collector;
      for_each_row_block(tables.paths, threads, collector, nullptr);
      const std::vector<FoundRow> rows = collector.sorted_rows();
      ASSERT_EQ(rows.size(), expected.size()) << threads;
      EXPECT_EQ(rows.back().offset, expected.back().offset);
    }
  }
}

TEST(ForEachRowBlock, ACommentMayHoldAQuote) {
  std::string text = table_of(kLarge);
  for (std::size_t offset = 0; offset + 1000 < text.size(); offset += 50'021) {
    text.insert(text.find('\n', offset) + 1, "# it's 5\" wide\n\r\n\n");
  }
  expect_every_row_once(text);
}

TEST(ForEachRowBlock, GivesTheRowsOfManyFiles) {
  Tables tables;
  std::vector<FoundRow> expected;
  for (std::size_t file = 0; file < 12; ++file) {
    std::string text = table_of(file % 3 == 0 ? 600'000 : 2'000, "\n", file);
    if (file % 4 == 3) text = with_quote_at(text, text.size() - 500);
    tables.add(file % 5 == 1 ? gzip(text) : file % 5 == 2 ? zstd(text) : text);
    const auto rows = rows_in(text, file);
    expected.insert(expected.end(), rows.begin(), rows.end());
  }
  for (const int threads : {1, 2, 3, 7}) {
    RowCollector collector;
    for_each_row_block(tables.paths, threads, collector, nullptr);
    EXPECT_TRUE(collector.sorted_rows() == expected) << threads;
  }
}

TEST(ForEachRowBlock, ReadsStandardInputInBlocks) {
  const std::string text = with_quote_at(table_of(kLarge), 2 << 20);
  for (const int threads : {1, 2, 7}) {
    const PipedInput pipe(text);
    RowCollector collector;
    for_each_row_block(std::vector<std::string>{"-"}, threads, collector, nullptr);
    EXPECT_TRUE(collector.sorted_rows() == rows_in(text, 0)) << threads;
  }
}

TEST(ForEachRowBlock, BeginsAgainOnlyForAQuoteThatComesLate) {
  const std::string text = table_of(kLarge);
  const auto restarts = [](const std::string& table, int threads) {
    Tables tables;
    tables.add(table);
    RowCollector collector;
    for_each_row_block(tables.paths, threads, collector, nullptr);
    return collector.restarts();
  };
  EXPECT_EQ(restarts(text, 2), 0);
  EXPECT_EQ(restarts(with_quote_at(text, 0), 2), 0);
  EXPECT_EQ(restarts(with_quote_at(text, 2 << 20), 2), 1);
  EXPECT_EQ(restarts(with_quote_at(text, 2 << 20), 1), 0);
}

std::string error_of(const std::vector<std::string>& paths, int threads, RowCollector& collector) {
  try {
    for_each_row_block(paths, threads, collector, nullptr);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ForEachRowBlock, NamesTheLineOfADefect) {
  std::string text = with_quote_at(table_of(kLarge), 1 << 20);
  text.insert(text.find('\n', 2 << 20) + 1, "bad,row\n");
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("bad,row")),
                 '\n') +
      1;
  text += "bad,row\n";
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    Tables tables;
    const std::string path = tables.add(bytes);
    for (const int threads : {1, 2, 7}) {
      RowCollector collector("bad,row");
      EXPECT_EQ(error_of(tables.paths, threads, collector),
                path + ':' + std::to_string(line) + ": refused");
    }
  }
}

TEST(ForEachRowBlock, AFileThatShrinksIsAnError) {
  for (const int threads : {1, 2}) {
    Tables tables;
    const std::string path = tables.add(table_of(kLarge));
    RowCollector collector;
    collector.at_first_block = [&] { std::filesystem::resize_file(path, 1000); };
    EXPECT_EQ(error_of(tables.paths, threads, collector),
              path + ": the file became shorter while it was read");
  }
}

TEST(ForEachRowBlock, AFileThatGrowsIsReadUpToItsFormerEnd) {
  Tables tables;
  const std::string text = table_of(kLarge);
  const std::string path = tables.add(text);
  RowCollector collector;
  collector.at_first_block = [&] { write_bytes(path, text + table_of(100'000).substr(4)); };
  for_each_row_block(tables.paths, 1, collector, nullptr);
  EXPECT_TRUE(collector.sorted_rows() == rows_in(text, 0));
}

TEST(ForEachRowBlock, NamesTheFirstTableThatFailsWhateverTheThreads) {
  const std::string late = table_of(kLarge) + "bad,row\n";
  const auto line = std::count(late.begin(), late.end(), '\n');
  for (const std::string& next : {gzip(""), gzip("a,b\nbad,row\n"), gzip(table_of(50))}) {
    Tables tables;
    const std::string path = tables.add(gzip(late));
    tables.add(next, ".csv.gz");
    tables.add(gzip("a,b\nbad,row\n"));
    for (const int threads : {1, 2, 3, 7}) {
      RowCollector collector("bad,row");
      EXPECT_EQ(error_of(tables.paths, threads, collector),
                path + ':' + std::to_string(line) + ": refused")
          << threads << " threads, then " << next.size() << " bytes";
    }
  }
}

TEST(ForEachRowBlock, NamesACompressedTableThatFailsBeforeAPlainOne) {
  Tables tables;
  const std::string path = tables.add(gzip(table_of(kLarge) + "bad,row\n"));
  tables.add("a,b\nbad,row\n");
  tables.add("");
  for (const int threads : {1, 2, 7}) {
    RowCollector collector("bad,row");
    EXPECT_THAT(error_of(tables.paths, threads, collector), testing::StartsWith(path)) << threads;
  }
}

TEST(PlaceOfRow, CountsLinesFromOne) {
  Tables tables;
  const std::string path = tables.add(gzip("a\nbb\n\nccc\n"));
  EXPECT_EQ(place_of_row(path, 0, 0), path + ":1");
  EXPECT_EQ(place_of_row(path, 1, 0), path + ":1");
  EXPECT_EQ(place_of_row(path, 2, 0), path + ":2");
  EXPECT_EQ(place_of_row(path, 6, 0), path + ":4");
  EXPECT_EQ(place_of_row(path, 1000, 0), path + ":5");
  EXPECT_EQ(place_of_row(path, 6, 9), path + ":9");
}

}  // namespace
}  // namespace scalelaw::test
