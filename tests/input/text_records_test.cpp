#include "input/text_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/table_text.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;

/// The names of the records, then their rows, cells with bars between them.
std::vector<std::string> records_of(const std::string& text) {
  const auto records = records_in(text);
  if (!records) return {"none"};
  std::vector<std::string> found{joined(records->names, "|")};
  for (const auto& row : records->rows) found.push_back(joined(row, "|"));
  return found;
}

TEST(TextRecords, OfOneLineEach) {
  EXPECT_THAT(records_of("Threads=1 Time=104.6\nThreads=2 Time=55.6\n"),
              ElementsAre("Threads|Time", "1|104.6", "2|55.6"));
  EXPECT_THAT(records_of("Number of threads: 4, Wall time: 12.3 s\n"
                         "Number of threads: 8, Wall time: 6.4 s\n"),
              ElementsAre("Number of threads|Wall time", "4|12.3 s", "8|6.4 s"));
  EXPECT_THAT(records_of("[rank 0] n=1 t=9.5 done\nwarming up\n[rank 0] n=2 t=5.1 done\n"),
              ElementsAre("n|t", "1|9.5", "2|5.1"));
  EXPECT_THAT(records_of("{'gpus': 1, 'time': 12.5}\n{'gpus': 2, 'time': 6.5}\n"),
              ElementsAre("gpus|time", "1|12.5", "2|6.5"));
}

TEST(TextRecords, OfSeveralLinesBeginWithANameThatReturns) {
  EXPECT_THAT(records_of("Solver: CG\n\nThreads: 1\nTime: 9.5 s\n\nThreads: 2\nTime: 5.5 s\n\n"
                         "Threads: 4\nTime: 3.5 s\n"),
              ElementsAre("Threads|Time", "1|9.5 s", "2|5.5 s", "4|3.5 s"));
  EXPECT_THAT(records_of("- gpus: 1\n  seconds: 8\n- gpus: 2\n  seconds: 4\n  note: slow\n"),
              ElementsAre("gpus|seconds|note", "1|8|", "2|4|slow"));
}

TEST(TextRecords, NeedTwoRowsAndTwoColumnsOfNumbers) {
  EXPECT_THAT(records_of("Threads: 1\nTime: 9.5 s\n"), ElementsAre("none"));
  EXPECT_THAT(records_of("Name: a, Kind: b\nName: c, Kind: d\n"), ElementsAre("none"));
  EXPECT_THAT(records_of("The time was short.\nNote: it may rise.\n"), ElementsAre("none"));
}

TEST(TextRecords, OfListsWithNamesAreColumns) {
  EXPECT_THAT(records_of("import numpy as np\ngpus = [1, 2, 4]\n"
                         "times = np.array([9.5, 5.1,\n  2.8])\ncolors = ['r', 'g']\n"),
              ElementsAre("gpus|times", "1|9.5", "2|5.1", "4|2.8"));
  EXPECT_THAT(records_of("{'gpus': [1, 2, 4],\n 'times': [9.5, 5.1, 2.8]}\n"),
              ElementsAre("gpus|times", "1|9.5", "2|5.1", "4|2.8"));
  EXPECT_THAT(records_of("n <- c(1, 2)\nt <- c(9.5, 5.1)\n"), ElementsAre("n|t", "1|9.5", "2|5.1"));
}

TEST(TextRecords, OfListsWithoutNamesAreRows) {
  EXPECT_THAT(records_of("[1, 199.4, 481.4]\n[2, 136.1, 409.9]\n"),
              ElementsAre("1|199.4|481.4", "2|136.1|409.9"));
}

// The header has no comma, so the commas below it are those of decimals and lists.
TEST(TextRecords, OfListsInCellsAreDividedAsTheHeaderIs) {
  EXPECT_THAT(records_of("load (%);times\n1,5;[9.5]\n2,5;[5.1, 5.2]\n"),
              ElementsAre("load (%)|times", "1,5|9.5", "2,5|5.1", "2,5|5.2"));
}

TEST(TextRecords, OfGoBenchmarksTakeTheirNamesApart) {
  EXPECT_THAT(
      records_of("goos: linux\nBenchmarkGOL/512x512x1000-1-8  1  39972 ns/op  12 B/op\n"
                 "BenchmarkGOL/512x512x1000-2-8  1  33282 ns/op  12 B/op\nok  life  134.2s\n"),
      ElementsAre("benchmark|case|n|procs|ns/op|B/op", "GOL|512x512x1000|1|8|39972|12",
                  "GOL|512x512x1000|2|8|33282|12"));
  EXPECT_THAT(
      records_of("BenchmarkSum/threads=4/size-100-2  10  52 ns/op\n"
                 "BenchmarkSum/threads=8/size-100-2  10  31 ns/op\n"),
      ElementsAre("benchmark|threads|size|procs|ns/op", "Sum|4|100|2|52", "Sum|8|100|2|31"));
}

TEST(TextRecords, AreReadAsTablesWithEntries) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t.txt").string();
  write_bytes(path, "Threads: 1\nTime: 9.5 s\nThreads: 2\nTime: 5.5 s\n");
  TableRows rows(path, {});
  EXPECT_THAT(rows.header().names, ElementsAre("Threads", "Time"));
  ASSERT_TRUE(rows.next());
  EXPECT_THAT(rows.fields(), ElementsAre("1", "9.5 s"));
}

TEST(TextRecords, DoNotTakeTablesOver) {
  for (const char* text : {"gpus,time\n1,9\n2,5\n", "gpus: time: x\n1 2 3\n", "sep=;\na;b\n1;2\n",
                           "# threads=4\na,b\n1,2\n", "[a],[b]\n1,2\n"}) {
    EXPECT_FALSE(begins_as_records(text)) << text;
  }
}

}  // namespace
}  // namespace scalelaw::test
