#include "scalelaw/render/sheet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Property;
using testing::Throws;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Trial {
  std::string name;
  std::optional<std::string> note = {};
  std::size_t gpus = 0;
  std::optional<double> seconds = {};
  bool is_kept = false;
  std::optional<Interval> range = {};
  std::optional<Estimate> beta = {};
};

std::string written_sheet(const Columns& sheet, const TableStyle& style, const auto& add_rows) {
  std::string out;
  SheetWriter rows(sheet, style, [&out](std::string_view piece) { out += piece; });
  add_rows(rows);
  rows.finish();
  return out;
}

std::string written_sheet(const Columns& sheet, const TableStyle& style, const GroupKey& group,
                          const Trial& trial) {
  return written_sheet(sheet, style, [&](SheetWriter& rows) { rows.add(group, trial); });
}

Sheet<Trial> sheet_of_names(const std::vector<std::string>& by = {}) {
  Sheet<Trial> sheet(by);
  sheet.add("name", &Trial::name).titled("name");
  return sheet;
}

TEST(Sheet, PutsPrefixesBeforeGroupColumnsUntilTheirNamesAreFree) {
  Sheet<Trial> sheet({"gpus", "group_gpus", "model"});
  sheet.add("gpus", &Trial::gpus);
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, {"a", "b", "c"}, {.name = "r", .gpus = 8}),
            "group_group_gpus,group_gpus,model,gpus\na,b,c,8\n");
}

TEST(Sheet, TakesThePrefixOfTheKeyColumn) {
  Sheet<Trial> sheet(std::vector<KeyColumn>{{.name = "gpus", .prefix = "of_"}});
  sheet.add("gpus", &Trial::gpus);
  EXPECT_EQ(written_sheet(sheet, {Format::kTsv}, {"a"}, {.name = "r", .gpus = 8}),
            "of_gpus\tgpus\na\t8\n");
}

TEST(Sheet, LeavesCsvTheNameOfAGroupColumnThatOnlyTheTableHas) {
  Sheet<Trial> sheet({"range"});
  sheet.interval("range", std::mem_fn(&Trial::range)).titled("range");
  const Trial trial{.name = "r", .range = Interval{1, 2}};
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, {"a"}, trial),
            "range,range_lower,range_upper\na,1,2\n");
  EXPECT_THAT(written_sheet(sheet, {Format::kTable}, {"a"}, trial), HasSubstr("group_range"));
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv, {"range"}}, {"a"}, trial), "range\na\n");
}

TEST(Sheet, ShowsDetailsInDocumentsAndWhereAsked) {
  Sheet<Trial> sheet = sheet_of_names();
  sheet.add("gpus", &Trial::gpus).detail().titled("gpus");
  const Trial trial{.name = "r", .gpus = 8};
  EXPECT_EQ(written_sheet(sheet, {Format::kTable}, {}, trial), "name\n────\nr\n");
  const std::string full = "name  gpus\n────  ────\nr        8\n";
  EXPECT_EQ(written_sheet(sheet, {.format = Format::kTable, .details = true}, {}, trial), full);
  EXPECT_EQ(written_sheet(sheet, {Format::kTable, {"name", "gpus"}}, {}, trial), full);
  EXPECT_THAT(written_sheet(sheet, {Format::kMarkdown}, {}, trial), HasSubstr("gpus"));
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, {}, trial), "name,gpus\nr,8\n");
}

TEST(Sheet, PutsTheAnswerAboveTheTableAndWrapsSentences) {
  const Sheet<Trial> sheet = sheet_of_names();
  const auto written = [&sheet](const TableStyle& style) {
    std::string out;
    SheetWriter rows(sheet, style, [&out](std::string_view piece) { out += piece; });
    rows.add(GroupKey(), Trial{.name = "r"});
    rows.finish({.answer = {"One is fast.", "Two are slow."}, .lines = {"  but who knows that"}});
    return out;
  };
  EXPECT_EQ(written({.format = Format::kTable, .width = 16}),
            "One is fast. Two\nare slow.\n\nname\n────\nr\n\n  but who knows\n    that\n");
  EXPECT_EQ(
      written({.format = Format::kMarkdown}),
      "One is fast. Two are slow.\n\n| name |\n| ---- |\n| r    |\n\n-   but who knows that\n");
  EXPECT_THAT(written({.format = Format::kLatex}), HasSubstr("% One is fast. Two are slow.\n"));
}

TEST(Sheet, WritesTextsThatLiveInTheRowAndTextsThatDoNot) {
  Sheet<Trial> sheet(std::vector<std::string>{});
  sheet.add("note", &Trial::note);
  sheet.add("shout", [](const Trial& trial) { return trial.name + "!"; });
  sheet.add("maybe", [](const Trial& trial) {
    return trial.note ? std::optional(*trial.note + "?") : std::nullopt;
  });
  const auto text = [&](const Trial& trial) {
    return written_sheet(sheet, {Format::kCsv}, [&](SheetWriter& rows) { rows.add(trial); });
  };
  // Both texts are too long for the room inside a std::string.
  EXPECT_EQ(text({.name = "a name of more than 16 bytes", .note = "a note of more than 16 bytes"}),
            "note,shout,maybe\na note of more than 16 bytes,a name of more than 16 bytes!,"
            "a note of more than 16 bytes?\n");
  EXPECT_EQ(text({.name = "r"}), "note,shout,maybe\n,r!,\n");
}

TEST(Sheet, WritesNumbersForProgramsAndForPeople) {
  Sheet<Trial> sheet(std::vector<std::string>{});
  sheet.add("gpus", &Trial::gpus).titled("gpus");
  sheet.add("seconds", &Trial::seconds).as(decimals(1)).titled("time");
  sheet.add("is_kept", &Trial::is_kept).titled("kept");
  const auto add = [](SheetWriter& rows) {
    rows.add(Trial{.name = "a", .gpus = 8, .seconds = 1.25e-3, .is_kept = true});
    rows.add(Trial{.name = "b", .gpus = 16});
  };
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, add),
            "gpus,seconds,is_kept\n8,0.00125,true\n16,,false\n");
  EXPECT_THAT(written_sheet(sheet, {Format::kMarkdown}, add),
              AllOf(HasSubstr("|    8 |  0.0 |  true |"), HasSubstr("|   16 |    - | false |")));
}

TEST(Sheet, GivesFailedGroupsARowOnlyInFilesWithAStatus) {
  Sheet<Trial> sheet = sheet_of_names({"model"});
  const NoFit failure{FailureCode::kTooFewPoints, "1 point, \"alone\""};
  const auto add = [&](SheetWriter& rows) {
    rows.add({"BERT"}, Trial{.name = "r"});
    rows.add({"ViT"}, failure);
  };
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, add), "model,name\nBERT,r\n");
  sheet.add_status();
  sheet.add_failure();
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, add),
            "model,name,status,code,message\nBERT,r,ok,,\n"
            "ViT,,failed,too-few-points,\"1 point, \"\"alone\"\"\"\n");
  EXPECT_THAT(written_sheet(sheet, {Format::kTable}, add),
              AllOf(HasSubstr("BERT"), Not(HasSubstr("ViT"))));
}

TEST(Sheet, LeavesAnOpenEndEmptyForProgramsAndNamesItForPeople) {
  Sheet<Trial> sheet(std::vector<std::string>{});
  sheet.interval("range", std::mem_fn(&Trial::range)).as(decimals(1)).titled("range");
  const auto add = [](SheetWriter& rows) {
    rows.add(Trial{.name = "a", .range = Interval{-kInfinity, 2}});
    rows.add(Trial{.name = "b"});
  };
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, add), "range_lower,range_upper\n,2\n,\n");
  EXPECT_THAT(written_sheet(sheet, {Format::kMarkdown}, add),
              AllOf(HasSubstr("| open .. 2.0 |"), HasSubstr("|           - |")));
}

TEST(Sheet, ExpandsAnEstimate) {
  Sheet<Trial> sheet(std::vector<std::string>{});
  sheet.estimate("beta", [](const Trial& trial) { return pointer_to(trial.beta); }).titled("beta");
  sheet.show("beta_ci", "interval");
  const auto add = [](SheetWriter& rows) {
    Trial trial{.name = "a"};
    trial.beta.emplace().estimate = 0.8754;
    trial.beta->se = 0.0125;
    trial.beta->ci = Interval{0.85, kInfinity};
    rows.add(trial);
    rows.add(Trial{.name = "b"});
  };
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, add),
            "beta,beta_se,beta_ci_lower,beta_ci_upper\n0.8754,0.0125,0.85,\n,,,\n");
  EXPECT_THAT(written_sheet(sheet, {Format::kMarkdown}, add),
              HasSubstr("| 0.875 | 0.850 .. open |"));
}

TEST(Sheet, QuotesARowOfOneEmptyField) {
  const Sheet<Trial> sheet = sheet_of_names();
  const auto add = [](SheetWriter& rows) { rows.add(Trial{.name = ""}); };
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, add), "name\n\"\"\n");
}

TEST(Sheet, WritesTheColumnsThatAreAskedForInTheirOrder) {
  Sheet<Trial> sheet = sheet_of_names({"model"});
  sheet.add("gpus", &Trial::gpus);
  sheet.add("rare", &Trial::is_kept).on_request();
  const Trial trial{.name = "r", .gpus = 8};
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv}, {"BERT"}, trial), "model,name,gpus\nBERT,r,8\n");
  EXPECT_EQ(written_sheet(sheet, {Format::kCsv, {"rare", "gpus", "model"}}, {"BERT"}, trial),
            "rare,gpus,model\nfalse,8,BERT\n");
}

auto throws_data_error(const auto& message) {
  return Throws<DataError>(Property(&DataError::what, message));
}

TEST(Sheet, RefusesColumnsThatItDoesNotHaveAndRepeatedOnes) {
  const Sheet<Trial> sheet = sheet_of_names({"model"});
  const auto choose = [&](std::vector<std::string> names) {
    return [&sheet, names] {
      static_cast<void>(sheet.chosen({.format = Format::kCsv, .columns = names}));
    };
  };
  EXPECT_THAT(choose({"modle"}),
              throws_data_error(testing::StrEq(
                  "--columns: there is no column 'modle' (did you mean 'model'?); columns "
                  "are: model, name")));
  EXPECT_THAT(choose({"name", "model", "name"}),
              throws_data_error(testing::StrEq("--columns: 'name' appears twice")));
}

TEST(Sheet, RefusesRowsOfAnotherType) {
  const Sheet<Trial> sheet = sheet_of_names({"model"});
  const std::string other = "no trial";
  SheetTable table(sheet);
  EXPECT_THROW(table.add({"BERT"}, other), std::invalid_argument);
  EXPECT_NO_THROW(table.add({"BERT"}, Trial{.name = "r"}));
  SheetWriter rows(sheet, {Format::kCsv}, [](std::string_view) {});
  EXPECT_THROW(rows.add({"BERT"}, other), std::invalid_argument);
  EXPECT_THROW(rows.add(other), std::invalid_argument);
}

TEST(ShownText, HasNoNegativeZero) {
  EXPECT_EQ(shown_text(-0.0004, percent(1)), "0.0 %");
  EXPECT_EQ(shown_text(-0.0004, signed_percent(1)), "+0.0 %");
  EXPECT_EQ(shown_text(-0.0006, signed_percent(1)), "-0.1 %");
  EXPECT_EQ(shown_text(-0.00004, decimals(4)), "0.0000");
  EXPECT_EQ(shown_text(-0.04, signed_decimals(1)), "+0.0");
  EXPECT_EQ(shown_text(-0.0, significant(4)), "0");
  EXPECT_EQ(shown_text(-0.0, scale_value()), "0");
  EXPECT_EQ(shown_text(-10.0, decimals(0)), "-10");
}

TEST(IntervalText, WritesTheEndsAsAsked) {
  const auto whole = [](double end) { return std::to_string(static_cast<int>(end)); };
  EXPECT_EQ(interval_text(Interval{1, 2}, whole, " to "), "1 to 2");
  EXPECT_EQ(interval_text(Interval{1, kInfinity}, whole), "1 .. open");
  EXPECT_EQ(interval_text(std::nullopt, whole), "-");
}

TEST(NamesOf, ListsNames) {
  EXPECT_EQ(names_of(std::vector{Format::kCsv, Format::kTsv}), "csv;tsv");
}

}  // namespace
}  // namespace scalelaw
