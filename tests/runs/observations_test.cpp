#include "scalelaw/runs/observations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A table in its own file.
class TableFile {
 public:
  explicit TableFile(const std::string& text) : path_(folder_.path() / "runs.csv") {
    write_bytes(path_, text);
  }
  std::vector<std::string> inputs() const { return {path_.string()}; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

ChooseColumns columns(ObservationColumns chosen) {
  return [chosen](const Header&, std::string_view, const TableProfile&) { return chosen; };
}

std::vector<double> values(const Observations& rows, std::size_t group, std::size_t number) {
  const auto found = rows.values(group, number);
  return {found.begin(), found.end()};
}

TEST(ReadObservations, GroupsStandInOrderAndRowsByTheirNumbers) {
  const TableFile table("model,gpus,s,j\nB,16,2,20\nA,8,3,30\nB,8,4,40\nA,16,1,10\nA,8,2,31\n");
  const auto rows = read_observations(
      table.inputs(), columns({.by = {"model"}, .numbers = {{"gpus"}, {"s"}, {"j"}}}), {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.key(0), GroupKey{"A"});
  EXPECT_THAT(values(rows, 0, 0), ElementsAre(8, 8, 16));
  EXPECT_THAT(values(rows, 0, 1), ElementsAre(2, 3, 1));
  EXPECT_THAT(values(rows, 0, 2), ElementsAre(31, 30, 10));
  EXPECT_THAT(values(rows, 1, 2), ElementsAre(40, 20));
  EXPECT_EQ(rows.rows().used, 5U);
}

TEST(ReadObservations, NamesColumnsThatVaryWhereSettingsAgree) {
  const std::string header = "gpus,flavour,run,s,joulez\n";
  const TableFile table(header + "1,a,r1,9,5\n2,a,r2,5,5\n1,b,r3,8,7\n2,b,r4,4,7\n");
  const NumberColumn gpus{.name = "gpus", .setting = true};
  const auto pooled =
      read_observations(table.inputs(), columns({.numbers = {gpus, {"s"}, {"joulez"}}}), {});
  EXPECT_THAT(pooled.ungrouped(), ElementsAre(testing::Field(&UngroupedColumn::name, "flavour")));
  const auto grouped = read_observations(
      table.inputs(), columns({.by = {"flavour"}, .numbers = {gpus, {"s"}, {"joulez"}}}), {});
  EXPECT_THAT(grouped.ungrouped(), testing::IsEmpty());
}

TEST(ReadObservations, ARunHasSeveralRowsOnlyIfTheyAgreeInTheirSettings) {
  const NumberColumn gpus{.name = "gpus", .setting = true};
  const TableFile one("gpus,run,s\n1,r1,9\n2,r1,5\n1,r2,8\n");
  EXPECT_FALSE(read_observations(one.inputs(), columns({.numbers = {gpus, {"s"}}}), {})
                   .has_several_rows_of_a_run("run"));
  const TableFile log("gpus,run,s\n1,r1,9\n1,r1,9.1\n2,r2,5\n");
  EXPECT_TRUE(read_observations(log.inputs(), columns({.numbers = {gpus, {"s"}}}), {})
                  .has_several_rows_of_a_run("run"));
}

TEST(ReadObservations, FactorsStandLastAndNumbersAreOrderedAsNumbers) {
  const TableFile table("cap,model,s\n250,A,1\n100,A,2\n50,B,3\n50,A,4\n");
  const auto rows = read_observations(
      table.inputs(), columns({.by = {"cap", "model"}, .factors = {"cap"}, .numbers = {{"s"}}}),
      {});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows.by(), ElementsAre("model", "cap"));
  EXPECT_EQ(rows.key(0), (GroupKey{"A", "50"}));
  EXPECT_EQ(rows.key(1), (GroupKey{"A", "100"}));
  EXPECT_EQ(rows.key(2), (GroupKey{"A", "250"}));
  EXPECT_TRUE(rows.same_but_for_factors(0, 2));
  EXPECT_FALSE(rows.same_but_for_factors(2, 3));
}

TEST(ReadObservations, AValueThatIsNotNeededMayBeMissing) {
  const TableFile table("s,w\n1,100\n2,NA\n,90\n");
  const auto rows = read_observations(
      table.inputs(), columns({.numbers = {{"s"}, {.name = "w", .needed = false}}}), {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(values(rows, 0, 0), ElementsAre(1, 2));
  EXPECT_TRUE(std::isnan(values(rows, 0, 1)[1]));
  EXPECT_EQ(rows.rows().missing, 1U);
}

TEST(ReadObservations, RowsOfOneRunAreAveragedWhereTheyAgreeInTheirSettings) {
  const TableFile table("run,gpus,s,w\nr1,8,1,\nr1,8,3,80\nr2,8,5,70\nr1,16,7,60\nr2,8,6,\n");
  const auto rows = read_observations(
      table.inputs(),
      columns(
          {.numbers = {{.name = "gpus", .setting = true}, {"s"}, {.name = "w", .needed = false}},
           .run = "run"}),
      {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(values(rows, 0, 0), ElementsAre(8, 8, 16));
  EXPECT_THAT(values(rows, 0, 1), ElementsAre(2, 5.5, 7));
  EXPECT_THAT(values(rows, 0, 2), ElementsAre(80, 70, 60));
}

TEST(ReadObservations, RowsOfRunsThatAreClustersStayApartInTheOrderOfTheirNumbers) {
  const TableFile table("model,run,n,s\nA,r2,8,5\nA,r1,8,3\nA,r10,4,9\nA,r1,16,7\nB,r2,1,2\n");
  const auto rows = read_observations(table.inputs(),
                                      columns({.by = {"model"},
                                               .numbers = {{.name = "n", .setting = true}, {"s"}},
                                               .run = "run",
                                               .runs_are_clusters = true}),
                                      {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(values(rows, 0, 0), ElementsAre(4, 8, 8, 16));
  EXPECT_THAT(values(rows, 0, 1), ElementsAre(9, 3, 5, 7));
  const auto runs = rows.runs(0);
  EXPECT_EQ(runs[1], runs[3]);  // Both of r1.
  EXPECT_NE(runs[0], runs[1]);
  EXPECT_NE(runs[1], runs[2]);
  EXPECT_EQ(rows.runs(1).size(), 1U);
}

TEST(ReadObservations, UnitsComeFromTheHeaderOrTheFirstRow) {
  const TableFile table("t_s,e [kJ],p\n1,2,100 W\n2,3,90 W\n");
  const auto rows =
      read_observations(table.inputs(), columns({.numbers = {{"t_s"}, {"e"}, {"p"}}}), {});
  EXPECT_EQ(rows.unit(0), "s");
  EXPECT_EQ(rows.unit(1), "kJ");
  EXPECT_EQ(rows.unit(2), "W");
  EXPECT_THAT(values(rows, 0, 2), ElementsAre(100, 90));
}

TEST(ReadObservations, AMalformedRowIsAnErrorWithItsPlaceOrCounted) {
  const TableFile table("model,s\nA,1\nA,fast\nA,-2\nB,2\n");
  const auto choose = columns({.by = {"model"}, .numbers = {{"s"}}});
  try {
    read_observations(table.inputs(), choose, {});
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr(":3: field 2 's': expected a number, found \"fast\""));
  }
  const auto rows = read_observations(table.inputs(), choose, {.skip_bad_rows = true});
  EXPECT_EQ(rows.rows().bad, 2U);
  EXPECT_EQ(rows.rows().used, 2U);
  EXPECT_EQ(rows.bad_rows().size(), 2U);
  EXPECT_EQ(rows.size(), 2U);
}

TEST(ReadObservations, ThreadsAndOrderOfRowsDoNotMatter) {
  std::string forwards = "a,b,x,y\n";
  std::vector<std::string> lines;
  for (int i = 0; i < 60000; ++i) {
    lines.push_back(std::to_string(i % 7) + ",\"v" + std::to_string(i % 11) + "\"," +
                    std::to_string(1 + i * 37 % 101) + "," + std::to_string(1 + i * 53 % 997) +
                    "\n");
  }
  std::string backwards = forwards;
  for (const auto& line : lines) forwards += line;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) backwards += *line;
  const TableFile one(forwards);
  const TableFile other(backwards);
  const auto choose = columns({.by = {"a"}, .factors = {"b"}, .numbers = {{"x"}, {"y"}}});
  const auto first = read_observations(one.inputs(), choose, {.threads = 1});
  const auto second = read_observations(other.inputs(), choose, {.threads = 3});
  ASSERT_EQ(first.size(), 77U);
  ASSERT_EQ(second.size(), 77U);
  for (std::size_t group = 0; group < first.size(); ++group) {
    EXPECT_EQ(first.key(group), second.key(group));
    EXPECT_EQ(values(first, group, 0), values(second, group, 0));
    EXPECT_EQ(values(first, group, 1), values(second, group, 1));
  }
}

TEST(CellsOf, RowsOfOneScaleBecomeOneCell) {
  const std::vector<double> x{16, 8, 8};
  const std::vector<double> y{3, 1, 4};
  const auto cells = cells_of(x, y);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].x, 8);
  EXPECT_EQ(cells[0].count, 2U);
  EXPECT_DOUBLE_EQ(cells[0].mean, 2.5);
  EXPECT_DOUBLE_EQ(cells[0].ss, 4.5);
  EXPECT_NEAR(cells[0].mean_log, 0.69314718055994531, 1e-15);  // ln 4 / 2
  EXPECT_NEAR(cells[0].ss_log, 0.96090602783640270, 1e-15);    // (ln 4)^2 / 2
  EXPECT_EQ(cells[0].min, 1);
  EXPECT_EQ(cells[0].max, 4);
}

}  // namespace
}  // namespace scalelaw::test
