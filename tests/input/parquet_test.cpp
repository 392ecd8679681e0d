#include "input/parquet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "input/column_stream.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "support/command.hpp"
#include "support/places.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kValues = source_folder() / "tests/input/parquet/values.parquet";
const fs::path kRuns = source_folder() / "tests/input/parquet/runs.parquet";

bool has_duckdb() {
  try {
    static_cast<void>(duckdb_library("a file"));
    return true;
  } catch (const DataError&) {
    return false;
  }
}

std::string text_of(const std::string& path) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  std::string text;
  read_to(1 << 20, *stream, text);
  return text;
}

std::string error_of(const std::string& path) {
  try {
    static_cast<void>(text_of(path));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parquet, IsReadWithAllDigitsAndQuotesWhereATextNeedsThem) {
  if (!has_duckdb()) GTEST_SKIP() << "no libduckdb.so here";
  EXPECT_EQ(text_of(kValues.string()),
            "gpus,\"na,me\",d,f,dec,big,huge,ts,day,flag,nothing\n"
            "1,\"a, \"\"b\"\"\",0.1,0.1,12345.678900,9007199254740993,"
            "1.7014118346046923e+38,2023-01-02 10:00:00.25,2023-01-02,true,\n"
            "2,\"line\nfeed\",1e+300,16777216.0,-0.000001,-1,0.0,,,false,7\n"
            "4,\"\xC3\xA9 # ; \",2.2250738585072014e-308,3.4028235e+38,,,,"
            "1969-12-31 23:59:59.999999,1700-01-01,,\n");
}

TEST(Parquet, IsATableOfRuns) {
  if (!has_duckdb()) GTEST_SKIP() << "no libduckdb.so here";
  const std::vector<std::string> inputs{kRuns.string()};
  const GroupedCells runs = read_runs(inputs, {});
  EXPECT_EQ(runs.choice(), "x: gpus, y: epoch_seconds, by: model");
  EXPECT_EQ(runs.rows().read, 1800U);
  const std::vector<std::string> folder{kRuns.parent_path().string()};
  EXPECT_THAT(expand_inputs(folder), testing::ElementsAre(kRuns.string(), kValues.string()));
}

TEST(Parquet, IsReadByTheColumnsThatAreNeeded) {
  if (!has_duckdb()) GTEST_SKIP() << "no libduckdb.so here";
  const InputFile file(kValues.string());
  const auto stream = open_stream(file);
  auto* const columns = dynamic_cast<ColumnStream*>(stream.get());
  ASSERT_NE(columns, nullptr);
  columns->keep_columns({9, 1, 9});
  std::string text;
  read_to(1 << 20, *stream, text);
  EXPECT_EQ(text,
            "gpus,\"na,me\",d,f,dec,big,huge,ts,day,flag,nothing\n"
            ",\"a, \"\"b\"\"\",,,,,,,,true,\n,\"line\nfeed\",,,,,,,,false,\n"
            ",\"\xC3\xA9 # ; \",,,,,,,,,\n");
}

TEST(Parquet, OfADamagedFileIsOneClearError) {
  if (!has_duckdb()) GTEST_SKIP() << "no libduckdb.so here";
  const TemporaryFolder folder;
  const std::string whole = read_bytes(kRuns);
  const std::string path = (folder.path() / "bad[1]*.parquet").string();
  const std::string begin = path + ": DuckDB cannot read this Parquet file: ";
  for (const std::size_t bytes : {4UL, 12UL, whole.size() / 2, whole.size() - 1}) {
    write_bytes(path, whole.substr(0, bytes));
    EXPECT_THAT(error_of(path), testing::StartsWith(begin)) << bytes;
  }
  std::string changed = whole;
  for (std::size_t i = 4; i < 60; ++i) changed[i] = '\xFF';
  write_bytes(path, changed);
  EXPECT_THAT(error_of(path), testing::StartsWith(begin));
  write_bytes(path, whole);
  EXPECT_THAT(error_of(path), "no error");
}

TEST(Parquet, HasNoLabels) {
  EXPECT_THAT(error_of(kRuns.string() + "@nightly"), HasSubstr("leave out @nightly"));
}

}  // namespace
}  // namespace scalelaw::test
