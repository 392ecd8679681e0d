// Tables whose cells are written as people write them, through the whole reading.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "support/command.hpp"
#include "support/compress.hpp"
#include "support/exact_text.hpp"
#include "support/standard_input.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunOptions n_and_t(int threads = 1) {
  RunOptions options;
  options.x = "n";
  options.y = "t";
  options.by_chosen = true;
  options.threads = threads;
  return options;
}

/// What a reading gives: its cells and what is told of them, or its error without the path.
std::string outcome(const std::string& path, const RunOptions& options) {
  try {
    const GroupedCells runs = read_runs(std::vector{path}, options);
    std::string text = exact_text(runs) + "\nunit " + runs.y_unit() + "\n" + runs.rows().failures;
    for (const std::string& sentence : runs.rows().understood) text += "\n" + sentence;
    for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.erase(at, path.size());
    return text;
  } catch (const Error& error) {
    return error.what();
  }
}

/// Reads a table with several numbers of threads, plain and as gzip; all must agree.
std::string outcome_of(const std::string& table, RunOptions options = n_and_t()) {
  const TemporaryFolder folder;
  const std::string plain = (folder.path() / "t.txt").string();
  const std::string zipped = (folder.path() / "t.gz").string();
  write_bytes(plain, table);
  write_bytes(zipped, gzip(table));
  const std::string first = outcome(plain, options);
  for (const int threads : {2, 5}) {
    options.threads = threads;
    const std::string other = outcome(plain, options);
    EXPECT_EQ(other, first) << threads << " threads";
  }
  if (first.find(plain) == std::string::npos) {
    EXPECT_EQ(outcome(zipped, options), first);
  }
  return first;
}

/// A header and rows "n,CELL", in order and in reverse.
std::vector<std::string> both_orders(std::vector<std::string> cells, std::string_view header) {
  std::vector<std::string> tables;
  for (int order = 0; order < 2; ++order) {
    std::string table(header);
    for (const std::string& cell : cells) table += "4," + cell + "\n";
    tables.push_back(table);
    std::reverse(cells.begin(), cells.end());
  }
  return tables;
}

TEST(WrittenValues, MixedUnitsGiveTheSameInAnyOrderOfRows) {
  std::vector<std::string> cells(5000, "95 ms");
  cells.push_back("1.5 s");
  const auto tables = both_orders(cells, "n,t\n");
  const std::string first = outcome_of(tables[0]);
  EXPECT_EQ(first, outcome_of(tables[1]));
  EXPECT_THAT(first, HasSubstr("unit s"));
  EXPECT_THAT(first, HasSubstr("t: '95 ms' is read as 0.095 s"));
}

TEST(WrittenValues, UnitsThatAgreeStay) {
  const std::string text = outcome_of("n,t\n1,95 ms\n2,50 ms\n");
  EXPECT_THAT(text, HasSubstr("unit ms\n"));
}

TEST(WrittenValues, BareNumbersAmongUnitsAreRefusedInAnyOrder) {
  for (const std::size_t count : {3u, 5000u}) {
    std::vector<std::string> cells(count, "95 ms");
    cells.push_back("100");
    for (const std::string& table : both_orders(cells, "n,t\n")) {
      EXPECT_THAT(outcome_of(table), HasSubstr("field 2 't': expected a number with"));
    }
  }
}

TEST(WrittenValues, UnitsOfOtherKindsAreRefusedInAnyOrder) {
  for (const std::string& table : both_orders({"95 ms", "12 W", "80 ms"}, "n,t\n")) {
    EXPECT_THAT(outcome_of(table), HasSubstr("field 2 't': expected a number with a unit"));
  }
}

TEST(WrittenValues, DifferentCountsAreRefusedInAnyOrder) {
  for (const char* const table : {"n,t\n8 GPUs,1\n2 nodes,2\n", "n,t\n2 nodes,2\n8 GPUs,1\n"}) {
    EXPECT_EQ(outcome_of(table),
              "the column 'n' counts different things: '8 GPUs' and '2 nodes'; put them in columns "
              "of their own");
  }
}

TEST(WrittenValues, ConditionsReadThemToo) {
  RunOptions options = n_and_t();
  options.where = {"t<=60.5"};
  EXPECT_THAT(outcome_of("n;t\n1;60,5\n2;61,5\n4;12,25\n", options), HasSubstr("\n3 2 0 0 1 "));
  EXPECT_THAT(outcome_of("n,t\n1,1:00\n2,1:01\n", options), HasSubstr("\n2 1 0 0 1 "));
  options.where = {"p<=13e9"};
  EXPECT_THAT(outcome_of("n,t,p\n1,2,7B\n2,3,70B\n", options), HasSubstr("\n2 1 0 0 1 "));
}

TEST(WrittenValues, ACommaInDecimalCommaTablesNeverTakesThePlainScan) {
  std::string table = "n;t\n";
  for (int i = 0; i < 5000; ++i) table += "1;1,5\n";
  const std::string text = outcome_of(table + "2;1.024\n");
  EXPECT_THAT(text, HasSubstr("'1.024' is read as 1024"));
  EXPECT_THAT(outcome_of(table + "2;1.02\n"), HasSubstr("tell with --decimal . or --decimal ,"));
}

TEST(WrittenValues, LargeTablesOfEachKindAgreeWithCsv) {
  std::string csv = "n,t\n";
  std::string blanks = "# n   t\n";
  std::string json = "[";
  std::string lines;
  for (int i = 0; i < 60'000; ++i) {
    const std::string n = std::to_string(1 << (i % 9));
    const std::string t = std::to_string(i % 997 + 1) + ".5";
    csv += n + "," + t + "\n";
    blanks += (i % 7 == 0 ? "  " : "") + n + "  \t" + t + (i % 5 == 0 ? " \n# c \"\n" : "\n");
    json += std::string(i > 0 ? ",\n" : "") + "{\"t\": " + t + ", \"n\": " + n + "}";
    lines += "{\"n\":" + n + ",\"t\":\"" + t + "\"}\n";
  }
  json += "]";
  const std::string expected = outcome_of(csv);
  const auto head = [](const std::string& text) { return text.substr(0, text.find("\nunit")); };
  EXPECT_EQ(head(outcome_of(blanks)), head(expected));
  EXPECT_EQ(outcome_of(json), expected);
  EXPECT_EQ(outcome_of(lines), expected);
}

TEST(WrittenValues, AreTheSameFromStandardInput) {
  const TemporaryFolder folder;
  for (const char* table : {"n;t\n1;2,5\n2;1,5\n", "# n t\n1 2\n2 1\n", "[{\"n\":1,\"t\":\"2 s\"}]",
                            "n,t,state\n1,2,ok\n2,,FAILED\n"}) {
    const std::string path = (folder.path() / "t").string();
    write_bytes(path, table);
    const std::string expected = outcome(path, n_and_t());
    const PipedInput input(table);
    std::string found = outcome("-", n_and_t(3));
    if (const std::size_t at = found.find("standard input"); at != std::string::npos) {
      found.erase(at, std::string("standard input").size());
    }
    EXPECT_EQ(found, expected) << table;
  }
}

TEST(FailedRuns, AreLeftOutByBothReaders) {
  const std::string table =
      "n,t,State,exit_code\n1,9,COMPLETED,0:0\n2,,FAILED,1:0\n2,5,\"TIMEOUT\",0:0\n4,3,OK,0:9\n"
      "4,oom,OK,0:0\n8,1.5,OK,0:0\n";
  const std::string text = outcome_of(table);
  EXPECT_THAT(text, HasSubstr("\n6 2 0 0 0 "));
  EXPECT_THAT(text, HasSubstr("4 runs are left out: State is FAILED or TIMEOUT; exit_code is 0:9; "
                              "t is oom"));
  const TemporaryFolder folder;
  write_bytes(folder.path() / "t.csv", table);
  const ChooseColumns choose = [](const Header&, std::string_view, const TableProfile&) {
    return ObservationColumns{.numbers = {{"n"}, {"t"}}};
  };
  const auto rows = read_observations(std::vector{(folder.path() / "t.csv").string()}, choose, {});
  EXPECT_EQ(rows.rows().used, 2u);
  EXPECT_EQ(rows.rows().failed, 4u);
  EXPECT_THAT(text, HasSubstr(rows.rows().failures));
}

TEST(FailedRuns, StayWhereTheColumnHasAUse) {
  const std::string table = "n,t,state\n1,9,ok\n2,5,FAILED\n";
  RunOptions options = n_and_t();
  options.by = {"state"};
  EXPECT_THAT(outcome_of(table, options), HasSubstr("\n2 2 0 0 0 "));
  options.by.clear();
  options.where = {"state!=other"};
  EXPECT_THAT(outcome_of(table, options), HasSubstr("\n2 2 0 0 0 "));
  options.where.clear();
  options.keep_failed = true;
  EXPECT_THAT(outcome_of(table, options), HasSubstr("\n2 2 0 0 0 "));
}

TEST(FailedRuns, AreFoundInLargePlainTables) {
  std::string table = "n,t,status\n";
  for (int i = 0; i < 50'000; ++i) {
    table += std::to_string(1 << (i % 9)) + "," + std::to_string(i % 97 + 1) +
             (i % 100 == 7 ? ",FAILED\n"
              : i % 2 == 0 ? ",done\n"
                           : ",ok\n");
  }
  EXPECT_THAT(outcome_of(table), HasSubstr("\n50000 49500 0 0 0 "));
}

}  // namespace
}  // namespace scalelaw::test
