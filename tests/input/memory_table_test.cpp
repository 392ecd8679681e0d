#include "scalelaw/input/memory_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {
namespace {

using Kind = MemoryChunk::Kind;

std::vector<std::string> texts_of(const MemoryChunk& chunk) {
  std::vector<std::string> texts;
  std::string scratch;
  for (std::int64_t row = 0; row < chunk.rows; ++row) texts.emplace_back(chunk.text(row, scratch));
  return texts;
}

std::string text_of(const MemoryTables& tables, const std::string& name) {
  CallContext call(&tables);
  const CallScope scope(&call);
  const InputFile file(name);
  const auto stream = open_stream(file);
  std::string text;
  read_to(10000, *stream, text);
  return text;
}

TEST(MemoryChunk, NumbersHaveTheFewestDigitsThatReadBackTheSame) {
  const std::array doubles{0.1, 250.0, std::nan(""), std::numeric_limits<double>::infinity()};
  EXPECT_EQ(texts_of({.kind = Kind::kDouble, .rows = 4, .values = doubles.data()}),
            (std::vector<std::string>{"0.1", "250", "", "inf"}));
  const std::array floats{0.1F, 3.5F};
  EXPECT_EQ(texts_of({.kind = Kind::kFloat, .rows = 2, .values = floats.data()}),
            (std::vector<std::string>{"0.1", "3.5"}));
  const std::array<std::uint64_t, 1> wide{18446744073709551615U};
  EXPECT_EQ(texts_of({.kind = Kind::kUint64, .rows = 1, .values = wide.data()}),
            (std::vector<std::string>{"18446744073709551615"}));
  const std::array<std::int8_t, 2> small{-128, 7};
  EXPECT_EQ(texts_of({.kind = Kind::kInt8, .rows = 2, .values = small.data()}),
            (std::vector<std::string>{"-128", "7"}));
}

TEST(MemoryChunk, InstantsAreDatesAndTimes) {
  const std::array<std::int64_t, 3> instants{1'700'000'000'123'000'000, -1'000'000'000,
                                             std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(texts_of({.kind = Kind::kInstant,
                      .rows = 3,
                      .values = instants.data(),
                      .units_per_second = 1'000'000'000}),
            (std::vector<std::string>{"2023-11-14 22:13:20.123000000", "1969-12-31 23:59:59", ""}));
  const std::array<std::int32_t, 2> days{19675, -1};
  EXPECT_EQ(texts_of({.kind = Kind::kDate, .rows = 2, .values = days.data()}),
            (std::vector<std::string>{"2023-11-14", "1969-12-31"}));
}

TEST(MemoryChunk, TextsOfArrowAreFoundByOffsetsViewsAndIndices) {
  const std::array<std::int32_t, 4> ends{0, 4, 4, 10};
  const MemoryChunk words{
      .kind = Kind::kText32, .rows = 3, .values = ends.data(), .bytes = "BERTResNet"};
  EXPECT_EQ(texts_of(words), (std::vector<std::string>{"BERT", "", "ResNet"}));
  const std::array<std::int8_t, 4> codes{2, 0, -1, 9};
  EXPECT_EQ(texts_of({.kind = Kind::kDictionary,
                      .rows = 4,
                      .values = codes.data(),
                      .index = Kind::kInt8,
                      .words = &words}),
            (std::vector<std::string>{"ResNet", "BERT", "", ""}));
  const std::string rest = "..a text of more than twelve bytes";
  const std::array<const void*, 1> buffers{rest.data()};
  std::array<std::int32_t, 8> views{3, 0x00636261, 0, 0, 32, 0, 0, 2};
  EXPECT_EQ(texts_of({.kind = Kind::kTextView,
                      .rows = 2,
                      .values = views.data(),
                      .view_buffers = buffers.data()}),
            (std::vector<std::string>{"abc", "a text of more than twelve bytes"}));
  const std::uint8_t valid = 0b101;
  EXPECT_EQ(texts_of({.kind = Kind::kText32,
                      .rows = 2,
                      .offset = 1,
                      .valid = {&valid, 1},
                      .values = ends.data(),
                      .bytes = "BERTResNet"}),
            (std::vector<std::string>{"", "ResNet"}));
}

TEST(MemoryTables, ReadAsTheCsvFileOfTheirCells) {
  const std::array models{"a, b", "#c", static_cast<const char*>(nullptr)};
  const std::array seconds{1.5, 2.0, 3.0};
  MemoryTables tables;
  // The chunks of columns need not end at the same rows.
  tables.at("runs").columns = {
      {"model", {{.kind = Kind::kTexts, .rows = 3, .values = models.data()}}},
      {"s",
       {{.kind = Kind::kDouble, .rows = 1, .values = seconds.data()},
        {.kind = Kind::kDouble, .rows = 2, .offset = 1, .values = seconds.data()}}}};
  EXPECT_EQ(text_of(tables, "runs"), "model,s\n\"a, b\",1.5\n\"#c\",2\n,3\n");
  tables.at("alone").columns = {
      {"a name", {{.kind = Kind::kTexts, .rows = 3, .values = models.data()}}}};
  EXPECT_EQ(text_of(tables, "alone"), "\"a name\"\n\"a, b\"\n\"#c\"\n\"\"\n");
  tables.at("fits.json").text = "{}";
  EXPECT_EQ(text_of(tables, "fits.json"), "{}");
}

TEST(MemoryTables, HaveColumnsOfOneLength) {
  const std::array numbers{1.0, 2.0};
  MemoryTables tables;
  tables.at("runs").columns = {
      {"x", {{.kind = Kind::kDouble, .rows = 2, .values = numbers.data()}}}, {"y", {}}};
  EXPECT_THROW(tables.refuse_ragged(), DataError);
  tables.at("runs").columns.clear();
  EXPECT_THROW(tables.refuse_ragged(), DataError);
}

TEST(MemoryTables, AreFilesOfTheirCallAlone) {
  const std::array numbers{1.0};
  MemoryTables tables;
  tables.at("runs").columns = {
      {"x", {{.kind = Kind::kDouble, .rows = 1, .values = numbers.data()}}}};
  EXPECT_FALSE(input_exists("runs"));
  CallContext call(&tables);
  {
    const CallScope scope(&call);
    EXPECT_TRUE(input_exists("runs"));
    EXPECT_FALSE(input_exists("walks"));
  }
  EXPECT_FALSE(input_exists("runs"));
}

/// Six runs of two models; the last cell of each column is missing.
struct Runs {
  std::array<const char*, 7> models{"BERT", "BERT", "BERT", "GPT", "GPT", "GPT", nullptr};
  std::array<double, 7> gpus{1, 2, 4, 1, 2, 4, 8};
  std::array<double, 7> seconds{800, 400, 200, 90, std::nan(""), 30, 5};

  MemoryTables tables() const {
    MemoryTables all;
    all.at("runs").columns = {
        {"model", {{.kind = Kind::kTexts, .rows = 7, .values = models.data()}}},
        {"gpus", {{.kind = Kind::kDouble, .rows = 7, .values = gpus.data()}}},
        {"seconds", {{.kind = Kind::kDouble, .rows = 7, .values = seconds.data()}}}};
    return all;
  }
};

/// The runs of each model in the table "runs".
GroupedCells read_by_model(const MemoryTables& tables) {
  CallContext call(&tables);
  const CallScope scope(&call);
  RunOptions options;
  options.x = "gpus";
  options.y = "seconds";
  options.by = {"model"};
  return read_runs(std::vector<std::string>{"runs"}, options);
}

TEST(ReadRuns, TakesTablesInMemoryByTheirColumns) {
  const Runs runs;
  const GroupedCells cells = read_by_model(runs.tables());
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells.key(0), GroupKey{"BERT"});
  EXPECT_EQ(cells.rows().read, 7U);
  EXPECT_EQ(cells.rows().used, 5U);
  EXPECT_EQ(cells.rows().missing, 2U);
  std::vector<Cell> found;
  cells.cells(1, found);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].x, 4);
  EXPECT_EQ(found[1].min, 30);
}

// More scales than are kept beside their codes, codes without a word, and codes that change their
// meaning in the next chunk.
TEST(ReadRuns, TakesCodesOfManyScalesAndSeveralDictionaries) {
  constexpr std::int64_t kRows = 20'000;
  const std::array first_names{"BERT", "GPT"};
  const std::array second_names{"GPT", "T5", "BERT"};
  const MemoryChunk first_words{.kind = Kind::kTexts, .rows = 2, .values = first_names.data()};
  const MemoryChunk second_words{.kind = Kind::kTexts, .rows = 3, .values = second_names.data()};
  std::vector<std::int8_t> codes;
  std::vector<double> gpus;
  std::vector<double> seconds;
  std::map<std::pair<std::string, double>, std::pair<std::uint64_t, double>> expected;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const bool is_first = row < kRows / 2;
    codes.push_back(static_cast<std::int8_t>(row % (is_first ? 3 : 4) - 1));
    gpus.push_back(static_cast<double>(row * 7 % 200 + 1));
    seconds.push_back(static_cast<double>(row % 1009 + 1));
    if (codes.back() < 0) continue;
    const auto code = static_cast<std::size_t>(codes.back());
    const char* const name = is_first ? first_names[code] : second_names[code];
    auto& [count, greatest] = expected[{name, gpus.back()}];
    ++count;
    greatest = std::max(greatest, seconds.back());
  }
  const auto models = [&](std::int64_t offset, const MemoryChunk& words) {
    return MemoryChunk{.kind = Kind::kDictionary,
                       .rows = kRows / 2,
                       .offset = offset,
                       .values = codes.data(),
                       .index = Kind::kInt8,
                       .words = &words};
  };
  MemoryTables tables;
  tables.at("runs").columns = {
      {"model", {models(0, first_words), models(kRows / 2, second_words)}},
      {"gpus", {{.kind = Kind::kDouble, .rows = kRows, .values = gpus.data()}}},
      {"seconds", {{.kind = Kind::kDouble, .rows = kRows, .values = seconds.data()}}}};
  const GroupedCells cells = read_by_model(tables);
  ASSERT_EQ(cells.size(), 3U);
  std::map<std::pair<std::string, double>, std::pair<std::uint64_t, double>> found;
  std::vector<Cell> group;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells.cells(i, group);
    for (const Cell& cell : group) {
      found[{cells.key(i).front(), cell.x}] = {static_cast<std::uint64_t>(cell.count), cell.max};
    }
  }
  EXPECT_EQ(found, expected);
}

TEST(ReadRuns, NamesTheRowOfAMalformedCellInMemory) {
  Runs runs;
  runs.seconds[5] = -1;
  try {
    read_by_model(runs.tables());
    FAIL() << "a negative time was read";
  } catch (const ParseError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("runs:7: field 3 'seconds'")) << error.what();
  }
}

TEST(ReadRuns, EndsWhereItsCallIsCancelled) {
  const Runs runs;
  const MemoryTables tables = runs.tables();
  CallContext call(&tables);
  call.cancel();
  const CallScope scope(&call);
  EXPECT_THROW(read_runs(std::vector<std::string>{"runs"}, {}), Cancelled);
}

}  // namespace
}  // namespace scalelaw
