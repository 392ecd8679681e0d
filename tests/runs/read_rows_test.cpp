// Which rows of run tables are read, and what is told of them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "runs/run_files.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/surface_runs.hpp"
#include "scalelaw/runs/work_columns.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ReadRuns, ARepeatNumberOfEveryScaleIsNoRunOfSeveralRows) {
  const Files repeats({"run,gpus,seconds\n1,1,9\n2,1,8\n1,2,5\n2,2,4\n"});
  EXPECT_EQ(read_runs(repeats.paths(), {}).unused_run_column(), "");
  const Files log({"run,gpus,seconds\n1,1,9\n1,1,8\n2,2,5\n2,2,4\n"});
  EXPECT_EQ(read_runs(log.paths(), {}).unused_run_column(), "run");
}

// Windows ends lines so. The index of separators has room for one per byte of the rows.
TEST(ReadRuns, WideRowsOfEmptyCellsMayEndInCarriageReturns) {
  for (int empty = 1; empty < 400; empty += 7) {
    const std::string names(static_cast<std::size_t>(empty), ',');
    const Files files({"gpus,seconds" + names + "\r\n1,9" + names + "\r\n2,5" + names + "\r\n"});
    const GroupedCells runs = read_runs(files.paths(), {});
    EXPECT_EQ(runs.rows().used, 2U) << empty;
  }
}

TEST(ReadSurfaceRuns, TakesTheWordInBracketsForMillionsAndBillions) {
  const Files files({"params (M),tokens [B],loss\n70,1.5,3.1\n70,2.5,3.0\n160,2.5,2.9\n"});
  const SurfaceTable table = read_surface_runs(files.paths(), {.n = "", .d = ""}, {});
  ASSERT_EQ(table.groups.size(), 1U);
  EXPECT_THAT(table.groups[0].n, ElementsAre(70e6, 70e6, 160e6));
  EXPECT_THAT(table.groups[0].d, ElementsAre(1.5e9, 2.5e9, 2.5e9));
  EXPECT_THAT(table.choice, HasSubstr("(M) is read in millions; tokens is read in billions"));
}

TEST(WorkColumns, CountRowsThatTellATimeAndNoGpus) {
  const Files files(
      {"params,tokens,loss,gpus,step_seconds\n1e8,1e9,3.1,8,0.5\n1e8,2e9,3.0,,0.5\n"
       "2e8,1e9,2.9,,2.5\n2e8,2e9,2.8,8,\n4e8,2e9,2.7,,\n"});
  WorkOptions options;
  options.tokens_per_step = 1e6;
  WorkColumns work(options);
  const SurfaceTable table = read_surface_runs(
      files.paths(),
      {.n = "params",
       .d = "tokens",
       .more = [&work](
                   const Header& header, std::string_view source,
                   const TableProfile& profile) { return work.choose(header, source, profile); }},
      {});
  work.take_units(table.more_units);
  ASSERT_EQ(table.groups.size(), 1U);
  EXPECT_EQ(work.work_of(table.groups[0]).without_gpus, 2U);
}

std::string unused_run_of(const std::vector<std::string>& tables, int threads = 1,
                          const RunOptions& chosen = {}) {
  const Files files(tables);
  RunOptions options = chosen;
  options.threads = threads;
  return read_runs(files.paths(), options).unused_run_column();
}

TEST(UnusedRunColumn, IsNoneWhereEveryRunHasOneRow) {
  EXPECT_EQ(unused_run_of({"run,gpus,seconds\na,1,2\nb,1,2\nc,2,1\n"}), "");
  EXPECT_EQ(unused_run_of({"run,gpus,seconds\na,1,2\na,1,2\nc,2,1\n"}), "run");
  // Numbers of repeats come again at every scale.
  EXPECT_EQ(unused_run_of({"run,gpus,seconds\na,1,2\nb,1,2\na,2,1\n"}), "");
}

TEST(UnusedRunColumn, IsNoNumberThatEverySystemBeginsAnew) {
  EXPECT_EQ(unused_run_of({"run,system,gpus,seconds\n0,a,1,2\n1,a,1,2\n0,b,1,2\n1,b,1,3\n"}), "");
  EXPECT_EQ(unused_run_of({"run,job_id,gpus,seconds\n0,a0,1,2\n1,a1,1,2\n0,b0,1,2\n"}), "");
  // A job of several rows is told by its id.
  EXPECT_EQ(unused_run_of({"run,job_id,gpus,seconds\n0,a,1,2\n0,a,1,2\n0,b,1,2\n"}), "job_id");
  // Rows of one number lie at several scales, or in several groups.
  EXPECT_EQ(unused_run_of({"run,system,gpus,seconds\n0,a,1,2\n1,a,1,2\n0,b,2,2\n1,b,2,3\n"}), "");
  EXPECT_EQ(unused_run_of({"run,system,gpus,seconds\n0,a,1,2\n0,a,1,2\n0,b,2,2\n0,b,2,3\n"}),
            "run");
  EXPECT_EQ(unused_run_of({"run,system,gpus,seconds\n0,a,1,2\n0,a,1,2\n1,b,1,2\n"}), "run");
}

TEST(UnusedRunColumn, RowsOfARunMayBeInSeveralFilesAndQuoted) {
  const std::string first = "run,gpus,seconds\na,1,2\nb,1,2\n";
  EXPECT_EQ(unused_run_of({first, "gpus,seconds,run\n1,2,c\n"}), "");
  EXPECT_EQ(unused_run_of({first, "gpus,seconds,run\n1,2,c\n1,2, b\n"}), "run");
  EXPECT_EQ(unused_run_of({first, "gpus,seconds,run\n1,2,\"b\"\n"}), "run");
  EXPECT_EQ(unused_run_of({first, "gpus,seconds\n1,2\n"}), "");
}

TEST(UnusedRunColumn, OnlyRowsThatAreUsedCount) {
  const std::string table =
      "run,phase,model,gpus,seconds\na,train,M,1,2\na,eval,M,1,2\na,train,N,1,2\nb,train,M,2,NA\n"
      "b,train,M,2,1\n,train,M,4,1\n,train,M,4,1\n";
  EXPECT_EQ(unused_run_of({table}), "run");
  RunOptions options;
  options.where = {"phase=train"};
  EXPECT_EQ(unused_run_of({table}, 1, options), "run");
  options.where.push_back("model=M");
  EXPECT_EQ(unused_run_of({table}, 1, options), "");
}

// Several threads read 60,000 rows in blocks. The rows of a run are far apart, or no run has two.
TEST(UnusedRunColumn, IsTheSameForAnyNumberOfThreads) {
  std::string table = "run,gpus,seconds\n";
  for (int i = 0; i < 60'000; ++i) {
    table += fmt::format("job-with-a-long-name-{},{},{}\n", i, 1 << i % 5, 1 + i % 7);
  }
  for (const int threads : {1, 2, 5}) {
    EXPECT_EQ(unused_run_of({table}, threads), "");
    EXPECT_EQ(unused_run_of({table + "job-with-a-long-name-17,1,2\n"}, threads), "run");
  }
}

TEST(ReadRuns, HowRowsThatAreLeftOutAreWrittenDoesNotMatter) {
  Files files({"model,n,t\nA,1,4\nA,2 GPUs,2\nB,4 nodes,3\n"});
  RunOptions options = options_of("n", "t");
  options.by = {"model"};
  EXPECT_THAT(error_of_reading(files.paths(), options), HasSubstr("counts different things"));
  options.where = {"model=A"};
  EXPECT_EQ(read_runs(files.paths(), options).rows().used, 2);
}

/// 600 rows whose commas are open, and one that may tell, at some place.
std::string rows_with_commas(const std::string& telling, std::size_t place) {
  std::string text = "gpus\tseconds\n";
  for (std::size_t i = 0; i < 600; ++i) {
    if (i == place) text += telling;
    text += std::to_string(1 + i % 8) + "\t" + std::to_string(20 + i % 70) + ",125\n";
  }
  return text;
}

TEST(Commas, AreToldByACellAnywhereInTheTable) {
  for (const std::size_t place : {0, 300, 599}) {
    Files files({});
    files.add(rows_with_commas("1\t20,5\n", place), ".tsv");
    const GroupedCells decimals = read_runs(files.paths(), options_of("gpus", "seconds"));
    std::vector<Cell> cells;
    decimals.cells(0, cells);
    EXPECT_LT(cells.front().max, 100) << place;
    Files other({});
    other.add(rows_with_commas("1\t20,125.5\n", place), ".tsv");
    const GroupedCells thousands = read_runs(other.paths(), options_of("gpus", "seconds"));
    thousands.cells(0, cells);
    EXPECT_GT(cells.front().min, 1000) << place;
  }
}

TEST(Commas, AreToldByOtherColumns) {
  for (const bool last : {false, true}) {
    std::string text = "gpus\trate\tshare\n";
    const std::string telling = "1\t21,450\t0.93\n";
    if (!last) text += telling;
    for (int i = 0; i < 600; ++i) text += "2\t41,125\t1\n";
    if (last) text += telling;
    Files files({});
    files.add(text, ".tsv");
    const GroupedCells runs = read_runs(files.paths(), options_of("gpus", "rate"));
    std::vector<Cell> cells;
    runs.cells(0, cells);
    EXPECT_EQ(cells.front().max, 21450);
    EXPECT_THAT(runs.rows().understood, testing::Contains(HasSubstr("is read as 21450")));
  }
}

TEST(Commas, ThatNothingTellsAreRefused) {
  Files files({});
  files.add(rows_with_commas("", 0), ".tsv");
  RunOptions options = options_of("gpus", "seconds");
  EXPECT_THAT(error_of_reading(files.paths(), options),
              HasSubstr(".tsv:2: field 2 'seconds': found \"20,125\""));
  options.skip_bad_rows = true;
  EXPECT_THAT(error_of_reading(files.paths(), options), HasSubstr("--decimal . or --decimal ,"));
  options.layout.decimal = ',';
  EXPECT_EQ(read_runs(files.paths(), options).rows().used, 600);
}

std::string sacct_of(const std::vector<std::string>& rows) {
  std::string text = "JobID|NNodes|Elapsed\n";
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

TEST(JobSteps, AreLeftOutWhereTheirJobHasARow) {
  std::vector<std::string> rows{"7|1|100",    "7.batch|1|99", "7.0|1|98",           "8_1|2|52",
                                "8_1.0|2|50", "9|4|27",       "9.interactive|4|25", "10.0|8|15"};
  for (int order = 0; order < 2; ++order) {
    Files files({sacct_of(rows)});
    for (const int threads : {1, 3}) {
      RunOptions options = options_of("NNodes", "Elapsed");
      options.layout.delimiter = '|';
      options.threads = threads;
      const GroupedCells runs = read_runs(files.paths(), options);
      EXPECT_EQ(runs.rows().used, 4);  // The job of 10.0 has no row.
      EXPECT_EQ(runs.rows().steps, 4);
      EXPECT_EQ(runs.rows().read, 8);
      EXPECT_THAT(runs.rows().understood,
                  testing::Contains(HasSubstr("4 rows of job steps such as 7.0 are left out")));
    }
    std::reverse(rows.begin(), rows.end());
  }
}

TEST(JobSteps, ToldUnlikeInSeveralFilesAreNamed) {
  Files files({sacct_of({"7|1|100", "8|2|52", "9|4|27"}), sacct_of({"7|1|101", "8|2|52"})});
  RunOptions options = options_of("NNodes", "Elapsed");
  options.layout.delimiter = '|';
  const GroupedCells runs = read_runs(files.paths(), options);
  EXPECT_EQ(runs.rows().repeats, 1);
  EXPECT_THAT(runs.rows().understood,
              testing::Contains(HasSubstr("1 row of jobs such as 7 has other cells than in an "
                                          "earlier file and counts, too")));
}

TEST(JobSteps, ARowOfAJobCountsOnceWhereFilesTellItOtherwise) {
  const std::string submit = "|2024-05-01T08:00:00|";
  const std::string may = "JobID|NNodes|Elapsed|Submit|End\n7|1|100" + submit +
                          "2024-05-01T10:00:00\n8|2|20" + submit + "Unknown\n9|4|27" + submit +
                          "2024-05-01T10:00:00\n9|4|28" + submit + "2024-05-01T10:00:00\n";
  // Other columns, a later state of job 8, another job 7, and one more row of job 9.
  const std::string june =
      "JobID|Submit|End|NNodes|Elapsed|ConsumedEnergyRaw\n"
      "7|2024-06-01T08:00:00|2024-06-01T10:00:00|1|110|5\n8" +
      submit + "2024-05-01T11:00:00|2|52|7\n9" + submit + "2024-05-01T10:00:00|4|27|9\n";
  for (const int threads : {1, 3}) {
    Files files({may, june});
    RunOptions options = options_of("NNodes", "Elapsed");
    options.layout.delimiter = '|';
    options.threads = threads;
    const GroupedCells runs = read_runs(files.paths(), options);
    EXPECT_EQ(runs.rows().read, 7);
    EXPECT_EQ(runs.rows().used, 5);
    EXPECT_EQ(runs.rows().repeats, 2);
    std::vector<Cell> cells;
    runs.cells(0, cells);
    ASSERT_EQ(cells.size(), 3U);
    EXPECT_EQ(cells[0].min, 100);
    EXPECT_EQ(cells[0].max, 110);
    EXPECT_EQ(cells[1].min, 52) << "the row that ended";
    EXPECT_EQ(cells[2].min, 27);
    EXPECT_EQ(cells[2].max, 28) << "rows of one file are of several starts";
    EXPECT_THAT(runs.rows().understood,
                testing::Contains(HasSubstr("2 of them such as 8 have other cells")));
    EXPECT_THAT(runs.rows().understood, testing::Not(testing::Contains(HasSubstr("counts, too"))));
  }
}

TEST(JobSteps, AreReadWhereTheirJobsAreLeftOutOrTheirColumnIsUsed) {
  Files files({"JobID,JobName,NNodes,Elapsed\n7,a,1,100\n7.0,py,1,98\n8,a,2,52\n8.0,py,2,50\n"});
  RunOptions options = options_of("NNodes", "Elapsed");
  EXPECT_EQ(read_runs(files.paths(), options).rows().used, 2);
  options.where = {"JobName=py"};
  EXPECT_EQ(read_runs(files.paths(), options).rows().used, 2);
  options.where.clear();
  options.run = "JobID";
  EXPECT_EQ(read_runs(files.paths(), options).rows().used, 4);
}

TEST(ToldUnits, AreUnitsThatAreKnown) {
  Files files({"gpus,epoch_time\n1,9\n2,5\n4,3\n"});
  RunOptions options = options_of("gpus", "epoch_time");
  add_units_of("epoch_time[y]", options.layout);
  EXPECT_THAT(
      [&] { read_runs(files.paths(), options); },
      testing::ThrowsMessage<DataError>(HasSubstr("'epoch_time[y]' tells no unit that is known")));
  Files named({"gpus,epoch_time [a.u.]\n1,9\n2,5\n4,3\n"});
  options = options_of("gpus", "epoch_time [a.u.]");
  add_units_of("epoch_time [a.u.]", options.layout);
  EXPECT_EQ(read_runs(named.paths(), options).rows().used, 3);
}

TEST(JobSteps, AreNoJobNumbersWithDecimals) {
  Files files({"job_id,gpus,seconds\n1.0,1,9\n2.0,2,5\n3.0,4,3\n"});
  EXPECT_EQ(read_runs(files.paths(), options_of("gpus", "seconds")).rows().used, 3);
  Files versions({"job_id,gpus,seconds\n1,1,9\n1.1,1,9.5\n1.2,2,5\n2,2,5.5\n2.1,4,3\n"});
  EXPECT_EQ(read_runs(versions.paths(), options_of("gpus", "seconds")).rows().used, 5);
}

TEST(ReadRuns, NothingToReadIsAnErrorThatCounts) {
  RunOptions options = options_of("n", "t");
  options.by = {"model"};
  options.skip_bad_rows = true;
  const Files header_only({"model,n,t\n# nothing\n\n"});
  EXPECT_EQ(error_of_reading(header_only.paths(), options),
            header_only.paths()[0] + ": there are no rows below the header");
  const Files missing({"model,n,t\nA,NA,1\nA,1,\nA,x,1\n"});
  EXPECT_EQ(error_of_reading(missing.paths(), options),
            "no row can be used: of 3 rows, 2 without a value of 'n' or 't', 1 malformed, 0 left "
            "out by --where");
}

TEST(CommentedRows, AreCountedAndTold) {
  const Files files({"gpus,t\n1,9\n#2,5\n# a remark\n4,3\n#8,1\n", "gpus,t\n#1,x\n2,4\n"});
  const GroupedCells runs = read_runs(files.paths(), options_of("gpus", "t"));
  EXPECT_EQ(runs.rows().commented, 3U);
  EXPECT_EQ(runs.rows().read, 3U);
  EXPECT_THAT(runs.rows().understood,
              ElementsAre(HasSubstr("3 rows with a # before them are not read, such as \"#1,x\"")));
}

}  // namespace
}  // namespace scalelaw::test
