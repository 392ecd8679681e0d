#include "scalelaw/runs/read_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <tuple>

#include "runs/random_table.hpp"
#include "runs/reference_runs.hpp"
#include "runs/run_files.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "support/command.hpp"
#include "support/compress.hpp"
#include "support/exact_text.hpp"
#include "support/standard_input.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunOptions options_for(const ReferencePlan& plan) {
  RunOptions options;
  options.x = plan.x;
  options.y = plan.y;
  options.by = plan.by;
  options.by_chosen = true;
  options.run = plan.run;
  options.weights = plan.weights;
  for (const auto& condition : plan.where) options.where.push_back(condition.text);
  options.skip_bad_rows = true;
  return options;
}

/// Reads with 1, 2 and 7 threads, which must agree to the bit.
GroupedCells read_with_all_threads(const std::vector<std::string>& paths, RunOptions options) {
  options.threads = 1;
  GroupedCells one = read_runs(paths, options);
  const std::string expected = exact_text(one);
  for (const int threads : {2, 7}) {
    options.threads = threads;
    const GroupedCells several = read_runs(paths, options);
    EXPECT_EQ(exact_text(several), expected) << threads << " threads";
    EXPECT_EQ(several.bad_rows(), one.bad_rows()) << threads << " threads";
  }
  return one;
}

std::vector<Cell> cells_of(const GroupedCells& runs, std::size_t group) {
  std::vector<Cell> cells;
  runs.cells(group, cells);
  return cells;
}

void expect_counts(const RowCounts& rows, const RowCounts& expected) {
  EXPECT_EQ(rows.read, expected.read);
  EXPECT_EQ(rows.used, expected.used);
  EXPECT_EQ(rows.missing, expected.missing);
  EXPECT_EQ(rows.bad, expected.bad);
  EXPECT_EQ(rows.filtered, expected.filtered);
}

void expect_groups(const GroupedCells& runs, const ReferenceRuns& reference) {
  ASSERT_EQ(runs.size(), reference.groups.size());
  const auto in_order = [](const GroupKey& a, const GroupKey& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), natural_less);
  };
  for (std::size_t group = 0; group < runs.size(); ++group) {
    EXPECT_TRUE(reference.groups.contains(runs.key(group)));
    if (group > 0) {
      EXPECT_TRUE(in_order(runs.key(group - 1), runs.key(group)));
    }
  }
}

/// The rows behind each cell of a group, after folding.
using ExpectedCells = std::map<double, std::vector<long double>>;

constexpr long double kUnit = 0x1p-53L;

void expect_close(long double value, long double expected, long double error) {
  EXPECT_LE(std::fabs(value - expected), error)
      << static_cast<double>(value) << " instead of " << static_cast<double>(expected);
}

void expect_moments(double mean, double ss, const std::vector<long double>& values,
                    long double error_each) {
  const ReferenceMoments expected(values);
  const auto n = static_cast<long double>(values.size());
  expect_close(mean, expected.mean, 1e-13L * std::fabs(expected.mean) + 2 * error_each);
  // How much the errors of the values can change the sum of squares, beyond its own rounding.
  const long double slack =
      4 * error_each * std::sqrt(n * expected.ss) + 4 * n * error_each * error_each;
  expect_close(ss, expected.ss, 1e-10L * expected.ss + slack);
}

void expect_cells(const std::vector<Cell>& cells, const ExpectedCells& expected) {
  ASSERT_EQ(cells.size(), expected.size());
  auto cell = cells.begin();
  for (const auto& [x, values] : expected) {
    EXPECT_EQ(cell->x, x);
    EXPECT_EQ(cell->count, values.size());
    EXPECT_EQ(cell->weight, 1);
    EXPECT_EQ(cell->min, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(cell->max, *std::max_element(values.begin(), values.end()));
    expect_moments(cell->mean, cell->ss, values, 0);
    std::vector<long double> logs;
    for (const long double value : values) logs.push_back(std::log(value));
    expect_moments(cell->mean_log, cell->ss_log, logs, 2 * kUnit);
    ++cell;
  }
}

ExpectedCells each_row(const std::map<double, std::vector<ReferenceRow>>& rows_at) {
  ExpectedCells cells;
  for (const auto& [x, rows] : rows_at) {
    for (const auto& row : rows) cells[x].push_back(row.y);
  }
  return cells;
}

void expect_agreement(const GroupedCells& runs, const ReferenceRuns& reference) {
  expect_counts(runs.rows(), reference.rows);
  expect_groups(runs, reference);
  for (std::size_t group = 0; group < runs.size(); ++group) {
    const auto found = reference.groups.find(runs.key(group));
    if (found != reference.groups.end())
      expect_cells(cells_of(runs, group), each_row(found->second));
  }
}

/// Reads the tables with every number of threads, and compares with the reference.
void expect_agreement(const std::vector<std::string>& tables, const ReferencePlan& plan) {
  const ReferenceRuns reference = read_reference(tables, plan);
  if (reference.rows.used == 0) return;
  const Files files(tables);
  expect_agreement(read_with_all_threads(files.paths(), options_for(plan)), reference);
}

RandomTable random_table(std::uint64_t seed, std::size_t rows, bool bad_rows = false,
                         bool runs_and_weights = false) {
  return RandomTable(
      {.seed = seed, .rows = rows, .bad_rows = bad_rows, .runs_and_weights = runs_and_weights});
}

// ---- random tables compared with the reference

class ReadRunsRandomly : public testing::TestWithParam<int> {
 protected:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(GetParam()); }
};

TEST_P(ReadRunsRandomly, AgreesWithAPlainReading) {
  for (const std::size_t rows : {3u, 40u, 900u}) {
    const RandomTable table = random_table(10 * seed() + rows, rows);
    SCOPED_TRACE(rows);
    expect_agreement({table.text()}, {.by = table.by()});
  }
}

TEST_P(ReadRunsRandomly, AgreesWithAPlainReadingWhereRowsAreBad) {
  const RandomTable table = random_table(seed() + 1000, 700, true);
  expect_agreement({table.text()}, {.by = table.by()});
}

TEST_P(ReadRunsRandomly, AgreesWithAPlainReadingUnderConditions) {
  const RandomTable table = random_table(seed() + 2000, 700, true);
  ReferencePlan plan{.by = table.by()};
  plan.where.push_back({"n<=64", "n", [](std::string_view cell) {
                          const auto number = parse_number(cell);
                          return number && *number <= 64;
                        }});
  plan.where.push_back({"t > 5.5", "t", [](std::string_view cell) {
                          const auto number = parse_number(cell);
                          return number && *number > 5.5;
                        }});
  if (table.group_columns > 0) {
    plan.where.push_back({"g0!=100,1380.0", "g0",
                          [](std::string_view cell) { return cell != "100" && cell != "1380"; }});
  }
  expect_agreement({table.text()}, plan);
}

/// Reads runs or medians, checks that every point has a cell, and returns the points.
void expect_points(const GroupedCells& runs, std::size_t group, const ExpectedCells& expected) {
  std::vector<Cell> cells = cells_of(runs, group);
  ExpectedCells points;
  for (const Cell& cell : cells) {
    EXPECT_EQ(cell.count, 1u);
    EXPECT_EQ(cell.ss, 0);
    EXPECT_EQ(cell.ss_log, 0);
    EXPECT_EQ(cell.min, cell.mean);
    EXPECT_EQ(cell.max, cell.mean);
    EXPECT_NEAR(cell.mean_log, std::log(cell.mean),
                4e-16 * std::max(1.0, std::fabs(cell.mean_log)));
    points[cell.x].push_back(cell.mean);
  }
  ASSERT_EQ(points.size(), expected.size());
  for (const auto& [x, values] : expected) {
    std::vector<long double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::vector<long double>& found = points[x];
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found.size(), sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      expect_close(found[i], sorted[i], 1e-13L * sorted[i]);
  }
}

/// Reads with options that fold rows to points, and compares with `fold` of each group's rows.
template <class Fold>
void expect_folded(const RandomTable& table, const ReferencePlan& plan, RunOptions options,
                   Fold fold) {
  const ReferenceRuns reference = read_reference({table.text()}, plan);
  if (reference.rows.used == 0) return;
  const Files files({table.text()});
  const GroupedCells runs = read_with_all_threads(files.paths(), options);
  expect_counts(runs.rows(), reference.rows);
  expect_groups(runs, reference);
  for (std::size_t group = 0; group < runs.size(); ++group) {
    expect_points(runs, group, fold(reference.groups.at(runs.key(group))));
  }
}

long double mean_of(const std::vector<long double>& values) {
  return ReferenceMoments(values).mean;
}

long double median_of(std::vector<long double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

TEST_P(ReadRunsRandomly, MeansAreOnePointAScale) {
  const RandomTable table = random_table(seed() + 3000, 500);
  const ReferencePlan plan{.by = table.by()};
  RunOptions options = options_for(plan);
  options.points = Points::kMean;
  expect_folded(table, plan, options, [](const auto& rows_at) {
    ExpectedCells cells = each_row(rows_at);
    for (auto& [x, values] : cells) values = {mean_of(values)};
    return cells;
  });
}

TEST_P(ReadRunsRandomly, MediansAreOnePointAScale) {
  const RandomTable table = random_table(seed() + 4000, 500);
  const ReferencePlan plan{.by = table.by()};
  RunOptions options = options_for(plan);
  options.points = Points::kMedian;
  expect_folded(table, plan, options, [](const auto& rows_at) {
    ExpectedCells cells = each_row(rows_at);
    for (auto& [x, values] : cells) values = {median_of(values)};
    return cells;
  });
}

TEST_P(ReadRunsRandomly, KeptPointsAreTheRows) {
  const RandomTable table = random_table(seed() + 5000, 500, true);
  const ReferencePlan plan{.by = table.by()};
  RunOptions options = options_for(plan);
  options.keep_points = true;
  expect_folded(table, plan, options, [](const auto& rows_at) { return each_row(rows_at); });
}

/// The mean of each run's rows at each scale.
ExpectedCells each_run(const std::map<double, std::vector<ReferenceRow>>& rows_at) {
  ExpectedCells cells;
  for (const auto& [x, rows] : rows_at) {
    std::map<std::string, std::vector<long double>> runs;
    for (const auto& row : rows) runs[row.run].push_back(row.y);
    for (const auto& [run, values] : runs) cells[x].push_back(mean_of(values));
  }
  return cells;
}

TEST_P(ReadRunsRandomly, RunsFoldToTheirMeans) {
  const RandomTable table = random_table(seed() + 6000, 500, false, true);
  const ReferencePlan plan{.by = table.by(), .run = "job"};
  expect_folded(table, plan, options_for(plan), each_run);
}

TEST_P(ReadRunsRandomly, MeansOfRunsAreMeansOfTheirMeans) {
  const RandomTable table = random_table(seed() + 6000, 500, false, true);
  const ReferencePlan plan{.by = table.by(), .run = "job"};
  RunOptions options = options_for(plan);
  options.points = Points::kMean;
  expect_folded(table, plan, options, [](const auto& rows_at) {
    ExpectedCells cells = each_run(rows_at);
    for (auto& [x, values] : cells) values = {mean_of(values)};
    return cells;
  });
}

/// (x, y, weight, cluster) of every cell, in a fixed order.
using Points4 = std::multiset<std::tuple<double, double, double, std::uint32_t>>;

TEST_P(ReadRunsRandomly, WeightsAndClustersStayWithTheirRows) {
  const RandomTable table = random_table(seed() + 7000, 500, true, true);
  const ReferencePlan plan{.by = table.by(), .run = "job", .weights = "w"};
  RunOptions options = options_for(plan);
  options.runs_are_clusters = true;
  const ReferenceRuns reference = read_reference({table.text()}, plan);
  const Files files({table.text()});
  const GroupedCells runs = read_with_all_threads(files.paths(), options);
  expect_counts(runs.rows(), reference.rows);
  expect_groups(runs, reference);
  for (std::size_t group = 0; group < runs.size(); ++group) {
    const auto& rows_at = reference.groups.at(runs.key(group));
    std::set<std::string> names;
    for (const auto& [x, rows] : rows_at) {
      for (const auto& row : rows) names.insert(row.run);
    }
    Points4 expected;
    for (const auto& [x, rows] : rows_at) {
      for (const auto& row : rows) {
        const auto place = std::distance(names.begin(), names.find(row.run));
        expected.emplace(x, row.y, row.weight, static_cast<std::uint32_t>(place));
      }
    }
    Points4 found;
    for (const Cell& cell : cells_of(runs, group)) {
      EXPECT_EQ(cell.count, 1u);
      found.emplace(cell.x, cell.mean, cell.weight, cell.cluster);
    }
    EXPECT_EQ(found, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReadRunsRandomly, testing::Range(1, 41));

// ---- the same bits for any order of rows

/// Enough rows for several parts and threads: a part has at least 256 KiB.
constexpr std::size_t kManyRows = 40'000;

class ReadRunsAlike : public testing::TestWithParam<int> {
 protected:
  ReadRunsAlike()
      : table_(random_table(static_cast<std::uint64_t>(GetParam()), kManyRows)),
        files_({table_.text()}) {
    options_ = options_for({.by = table_.by()});
    expected_ = exact_text(read_with_all_threads(files_.paths(), options_));
  }
  std::string read(const std::vector<std::string>& paths, int threads) {
    options_.threads = threads;
    return exact_text(read_runs(paths, options_));
  }
  void expect_alike(const Files& files) {
    for (const int threads : {1, 2, 7})
      EXPECT_EQ(read(files.paths(), threads), expected_) << threads;
  }

  RandomTable table_;
  Files files_;
  RunOptions options_;
  std::string expected_;
};

TEST_P(ReadRunsAlike, FromTenFiles) {
  std::vector<std::string> tables;
  for (std::size_t i = 0; i < 10; ++i) {
    tables.push_back(table_.text(i * kManyRows / 10, (i + 1) * kManyRows / 10));
  }
  expect_alike(Files(tables));
}

TEST_P(ReadRunsAlike, FromShuffledRows) {
  table_.shuffle();
  expect_alike(Files({table_.text()}));
}

TEST_P(ReadRunsAlike, FromCompressedFiles) {
  const std::size_t third = kManyRows / 3;
  Files whole({});
  whole.add(gzip(table_.text()), ".csv.gz");
  expect_alike(whole);
  Files parts({table_.text(0, third)});
  parts.add(gzip(table_.text(third, 2 * third)), ".csv");
  parts.add(zstd(table_.text(2 * third, kManyRows)), ".csv");
  expect_alike(parts);
}

TEST_P(ReadRunsAlike, FromStandardInput) {
  for (const int threads : {1, 2, 7}) {
    const PipedInput pipe(table_.text());
    EXPECT_EQ(read({"-"}, threads), expected_) << threads;
  }
  const FileAsInput file(files_.paths().front());
  EXPECT_EQ(read({"-"}, 2), expected_);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReadRunsAlike, testing::Range(101, 107));

// ---- tables at the limits of the scan

std::string header_of(const std::string& columns) { return columns + '\n'; }

TEST(ReadRuns, MorePairsOfGroupAndScaleThanOneTableHolds) {
  // 6,000 pairs: above 4,096, groups and scales are looked up separately.
  RandomStream random(1);
  std::string table = header_of("model,n,t");
  for (int row = 0; row < 60'000; ++row) {
    table += fmt::format("m{},{},{:.3f}\n", random.below(600), 1 + random.below(10),
                         1 + random.uniform());
  }
  expect_agreement({table}, {.by = {"model"}});
}

TEST(ReadRuns, MoreScalesThanAreIndexed) {
  RandomStream random(2);
  std::string table = header_of("model,n,t");
  for (int row = 0; row < 60'000; ++row) {
    table += fmt::format("m{},{},{:.3f}\n", random.below(3), 1 + random.below(3000),
                         1 + random.uniform());
  }
  expect_agreement({table}, {.by = {"model"}});
}

TEST(ReadRuns, GroupsTurnFromPointsToCells) {
  // 31, 32 and 33 rows: a group becomes cells at 32.
  std::string table = header_of("model,n,t");
  for (const int rows : {1, 31, 32, 33, 100}) {
    for (int row = 0; row < rows; ++row)
      table += fmt::format("m{},{},{}.5\n", rows, 1 + row % 4, row + 1);
  }
  expect_agreement({table}, {.by = {"model"}});
}

TEST(ReadRuns, AHundredThousandGroups) {
  std::string table = header_of("model,cap,n,t");
  for (int group = 0; group < 100'000; ++group) {
    table += fmt::format("model{},{},2,{}.25\nmodel{},{},4,1.5\n", group / 7, group % 7, group,
                         group / 7, group % 7);
  }
  expect_agreement({table}, {.by = {"cap", "model"}});
}

TEST(ReadRuns, GroupNamesThatGrowLongerLateInTheTable) {
  std::string table = header_of("n,model,note,cap,t");
  for (int row = 0; row < 60'000; ++row) {
    const std::string model(1 + static_cast<std::size_t>(row) / 1000,
                            static_cast<char>('a' + row % 2));
    const std::string cap(1 + static_cast<std::size_t>(row) / 3000, '1');
    table += fmt::format("{},{},,{},{}.5\n", 1 << (row % 5), model, cap, row % 97 + 1);
  }
  expect_agreement({table}, {.by = {"cap", "model"}});
}

TEST(ReadRuns, FilesWithTheirOwnOrdersOfColumns) {
  std::vector<std::string> tables = {"model,n,t\n", "t\tn\tx\tmodel\n", "\"n\",\"model\",\"t\"\n",
                                     "t,model,y,n,z\r\n"};
  for (int row = 0; row < 20'000; ++row) {
    const std::string model = fmt::format("m{}", row % 5);
    const int n = 1 << (row % 4);
    const int t = 1 + row % 89;
    tables[0] += fmt::format("{},{},{}\n", model, n, t);
    tables[1] += fmt::format("{}\t{}\t,\t{}\n", t, n, model);
    tables[2] += fmt::format("\"{}\",\"{}\",\"{}\"\n", n, model, t);
    tables[3] += fmt::format("{},{},,{},\r\n", t, model, n);
  }
  expect_agreement(tables, {.by = {"model"}});
}

TEST(ReadRuns, WithoutGroupColumnsAllRowsAreOneGroup) {
  const Files files({"n,t\n1,8\n2,4\n4,2\n"});
  const GroupedCells runs = read_with_all_threads(files.paths(), options_for({}));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_THAT(runs.key(0), IsEmpty());
  EXPECT_EQ(cells_of(runs, 0).size(), 3u);
}

TEST(ReadRuns, AGroupWithoutAUsableRowIsNoGroup) {
  const Files files({"model,n,t\nA,1,2\nB,1,NA\nC,x,3\nD,1,-1\n\"E\",1,\n"});
  const GroupedCells runs = read_with_all_threads(files.paths(), options_for({.by = {"model"}}));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_THAT(runs.key(0), ElementsAre("A"));
  expect_counts(runs.rows(), {.read = 5, .used = 1, .missing = 2, .bad = 2, .filtered = 0});
}

TEST(ReadRuns, GroupsStandInOrderNumbersBeforeWords) {
  const Files files(
      {"g,n,t\nb,1,1\n100,1,1\nB,1,1\n-5,1,1\n20,1,1\n20.0,1,1\n1e1,1,1\n0,1,1\n-0.5,1,1\n"
       "aaaaaaaab,1,1\naaaaaaaaa,1,1\n\xC3\xA9,1,1\n"});
  const GroupedCells runs = read_with_all_threads(files.paths(), options_for({.by = {"g"}}));
  std::vector<std::string> order;
  for (std::size_t group = 0; group < runs.size(); ++group)
    order.push_back(runs.key(group).front());
  EXPECT_THAT(order, ElementsAre("-5", "-0.5", "0", "1e1", "20", "20.0", "100", "B", "aaaaaaaaa",
                                 "aaaaaaaab", "b", "\xC3\xA9"));
}

TEST(ReadRuns, TheUnitOfTheFirstRowHoldsHoweverItIsWritten) {
  for (const char* first :
       {"A,1,2 s\n", "\"A\",\"1\",\"2 s\"\n", "# 5\" wide\nA,1,2 s\n", "\r\n# x\nA,1, 2s \n"}) {
    const Files files({std::string("model,n,t\n") + first + "A,2,3 s\nA,4,5\nA,8,7 ms\n"});
    const GroupedCells runs = read_with_all_threads(files.paths(), options_for({.by = {"model"}}));
    EXPECT_EQ(runs.rows().used, 3u) << first;
    EXPECT_EQ(runs.y_unit(), "s");
    ASSERT_EQ(runs.bad_rows().size(), 1u);
    EXPECT_THAT(runs.bad_rows().front(), HasSubstr("field 3 't': expected a number with a unit"));
  }
  const Files one_row({"model,n,t\nA,1,2 s"});
  EXPECT_EQ(read_with_all_threads(one_row.paths(), options_for({.by = {"model"}})).rows().used, 1u);
}

TEST(ReadRuns, NegativeZeroIsZeroWhereNoLogarithmIsTaken) {
  RunOptions options = options_for({});
  options.logarithmic_x = options.logarithmic_y = false;
  std::vector<std::string> texts;
  for (const char* table :
       {"n,t\n0,-0.0\n-0,0\n", "n,t\n-0,0\n0,-0.0\n", "n,t\n-0,-0\n-0.0,-0\n"}) {
    const Files files({table});
    texts.push_back(exact_text(read_with_all_threads(files.paths(), options)));
  }
  EXPECT_EQ(texts[1], texts[0]);
  EXPECT_EQ(texts[2], texts[0]);
}

TEST(ReadRuns, NegativeValuesAreReadWhereNoLogarithmIsTaken) {
  const Files files({"n,t\n-1,-2.5\n-1,2.5\n0,0\n"});
  RunOptions options = options_for({});
  options.logarithmic_x = options.logarithmic_y = false;
  const GroupedCells runs = read_with_all_threads(files.paths(), options);
  const std::vector<Cell> cells = cells_of(runs, 0);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].x, -1);
  EXPECT_EQ(cells[0].mean, 0);
  EXPECT_EQ(cells[0].ss, 12.5);
  EXPECT_EQ(cells[0].min, -2.5);
  EXPECT_EQ(cells[0].max, 2.5);
  EXPECT_EQ(cells[1].mean, 0);
}

TEST(ReadRuns, TheFirstFiveBadRowsAreQuotedInInputOrder) {
  std::string table = "model,n,t\n";
  for (int row = 0; row < 40'000; ++row) {
    table += row % 6'000 == 5'999 ? "A,1,bad" + std::to_string(row) + "\n" : "A,1,2.5000000000\n";
  }
  const Files files({table});
  const GroupedCells runs = read_with_all_threads(files.paths(), options_for({.by = {"model"}}));
  EXPECT_EQ(runs.rows().bad, 6u);
  ASSERT_EQ(runs.bad_rows().size(), 5u);
  EXPECT_EQ(runs.bad_rows()[0],
            files.paths()[0] + ":6001: field 3 't': expected a number, found \"bad5999\"");
  EXPECT_THAT(runs.bad_rows()[4], HasSubstr(":30001: "));
}

TEST(ReadRuns, TheFirstBadRowIsNamedForAnyNumberOfThreads) {
  std::string good = "model,n,t\n";
  for (int row = 0; row < 60'000; ++row) good += "A,1,2.500000\n";
  const Files files({good, good + "A,1,first\n" + good, good + "A,1,second\n"});
  RunOptions options = options_for({.by = {"model"}});
  options.skip_bad_rows = false;
  for (const int threads : {1, 2, 7}) {
    options.threads = threads;
    EXPECT_EQ(error_of_reading(files.paths(), options),
              files.paths()[1] + ":60002: field 3 't': expected a number, found \"first\"");
  }
}

TEST(ReadRuns, SaysWhatWasChosen) {
  const Files files({"job_id,clock_mhz,model,gpus,epoch_seconds\n7,1380,A,1,2\n7,1380,A,1,3\n"});
  const GroupedCells runs = read_runs(files.paths(), {});
  EXPECT_EQ(runs.x(), "gpus");
  EXPECT_EQ(runs.y(), "epoch_seconds");
  EXPECT_THAT(runs.by(), ElementsAre("model", "clock_mhz"));
  EXPECT_EQ(runs.unused_run_column(), "job_id");
  EXPECT_EQ(runs.choice(), "x: gpus, y: epoch_seconds, by: model, clock_mhz");
}

TEST(GroupedCells, FindTheGroupOfAKey) {
  const Files files({"model,cap,gpus,seconds\nB,10,1,2\nA,9,1,3\nA,10,1,5\n10,9,1,6\n9,9,1,7\n"});
  RunOptions options;
  options.by = {"model", "cap"};
  const GroupedCells runs = read_runs(files.paths(), options);
  ASSERT_EQ(runs.size(), 5U);
  for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs.find(runs.key(i)), i);
  EXPECT_FALSE(runs.find({"A", "11"}));
  EXPECT_FALSE(runs.find({"C", "9"}));
  EXPECT_FALSE(runs.find({"A"}));
  EXPECT_FALSE(runs.find({}));
}

/// The rows of two groups in a table, and at hand.
const std::string kTwoGroups =
    "model,gpus,seconds,w\nB,4,5,1\nB,1,17,2\nB,1,16,1\nA,1,10,1\nA,2,5.5,3\nA,1,11,2\n";
const std::vector<GroupRows> kRowsOfTwoGroups{{{"B"}, {4, 1, 1}, {5, 17, 16}, {1, 2, 1}},
                                              {{"A"}, {1, 2, 1}, {10, 5.5, 11}, {1, 3, 2}}};

void expect_same_cells(const GroupedCells& a, const GroupedCells& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t group = 0; group < a.size(); ++group) {
    EXPECT_EQ(a.key(group), b.key(group));
    const auto mine = cells_of(a, group);
    const auto theirs = cells_of(b, group);
    ASSERT_EQ(mine.size(), theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const Cell& one = mine[i];
      const Cell& other = theirs[i];
      EXPECT_EQ(
          std::tie(one.x, one.count, one.mean_log, one.ss_log, one.mean, one.weight),
          std::tie(other.x, other.count, other.mean_log, other.ss_log, other.mean, other.weight));
    }
  }
}

TEST(CellsOfRows, AreThoseOfATableWithTheSameRows) {
  const Files files({kTwoGroups});
  for (const Points points : {Points::kEach, Points::kMean, Points::kMedian}) {
    RunOptions options = options_of("gpus", "seconds");
    options.by = {"model"};
    options.points = points;
    expect_same_cells(cells_of_rows(kRowsOfTwoGroups, options), read_runs(files.paths(), options));
  }
  RunOptions weighted = options_of("gpus", "seconds");
  weighted.by = {"model"};
  weighted.weights = "w";
  expect_same_cells(cells_of_rows(kRowsOfTwoGroups, weighted), read_runs(files.paths(), weighted));
}

TEST(CellsOfRows, AreFoundByTheirGroup) {
  const GroupedCells cells = cells_of_rows(kRowsOfTwoGroups, {});
  EXPECT_EQ(cells.find({"A"}), 0U);
  EXPECT_EQ(cells.find({"B"}), 1U);
  EXPECT_EQ(cells.find({"C"}), std::nullopt);
}

TEST(CellsOfRows, OfOneGroupWithoutAName) {
  const GroupedCells cells = cells_of_rows(std::vector<GroupRows>{{{}, {1, 2}, {8, 4}, {}}}, {});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells.find({}), 0U);
  EXPECT_EQ(cells_of(cells, 0)[1].mean, 4);
}

}  // namespace
}  // namespace scalelaw::test
