#include "runs/cell_number.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NumberFormat in_unit(std::string unit, bool in_cells = false) {
  NumberFormat format;
  format.unit = std::move(unit);
  format.unit_in_cells = in_cells;
  return format;
}

NumberFormat with(CommaState comma, char decimal, bool chosen = false) {
  NumberFormat format;
  format.comma = comma;
  format.decimal = decimal;
  format.decimal_chosen = chosen;
  return format;
}

double value_of(std::string_view text, const NumberFormat& format = {}) {
  const CellNumber cell = number_in_cell(text, format, true);
  EXPECT_EQ(cell.defect, "") << text;
  return cell.value;
}

std::string defect_of(std::string_view text, const NumberFormat& format = {}) {
  return number_in_cell(text, format, true).defect;
}

TEST(NumberInCell, ReadsClocks) {
  const NumberFormat seconds = in_unit("s");
  EXPECT_EQ(value_of("1:23:45", seconds), 5025);
  EXPECT_EQ(value_of("00:00:54.5", seconds), 54.5);
  EXPECT_EQ(value_of("90:15", seconds), 5415);
  EXPECT_EQ(value_of("1-02:03:04", seconds), 93784);
  EXPECT_EQ(value_of("1-02:03", seconds), 93780);
  EXPECT_EQ(value_of("1 day, 2:03:04", seconds), 93784);
  EXPECT_EQ(value_of("0 days 00:01:23.25", seconds), 83.25);
  EXPECT_EQ(value_of("2 weeks", seconds), 1209600);
  EXPECT_EQ(value_of("1:30:00", in_unit("h")), 1.5);
}

TEST(NumberInCell, RefusesWhatIsNoClock) {
  const NumberFormat seconds = in_unit("s");
  for (const char* text : {"1:60:00", "1:2:3", "1:23:", ":23", "1:2:3:4", "1-25:00:00", "-1:00:00",
                           "1.5:00", "1:23:4x", "24:00 PM"}) {
    EXPECT_THAT(defect_of(text, seconds), HasSubstr("expected a number, found")) << text;
  }
  EXPECT_THAT(defect_of("1:30", in_unit("h")), HasSubstr("hours:minutes or minutes:seconds"));
}

TEST(NumberInCell, ReadsDurations) {
  const NumberFormat seconds = in_unit("s");
  EXPECT_EQ(value_of("3m20s", seconds), 200);
  EXPECT_EQ(value_of("1h 2m 3.5s", seconds), 3723.5);
  EXPECT_EQ(value_of("2h", seconds), 7200);
  EXPECT_EQ(value_of("2d", seconds), 172800);
  EXPECT_EQ(value_of("3m", seconds), 180);
  EXPECT_EQ(value_of("54000 ms", seconds), 54);
  EXPECT_EQ(value_of("0.9 min", seconds), 54);
  EXPECT_THAT(defect_of("3m"), HasSubstr("expected a number"));  // Minutes, millions, metres?
  EXPECT_THAT(defect_of("20s3m", seconds), HasSubstr("expected a number"));
  EXPECT_THAT(defect_of("12 W", seconds), HasSubstr("expected the unit s"));
}

TEST(NumberInCell, ReadsRates) {
  const std::vector<std::string> cells{"450 tok/s", "1.2k tokens/sec"};
  EXPECT_EQ(number_format("rate", std::span(cells).first(1), {}, false).unit, "tok/s");
  const NumberFormat mixed = number_format("rate", cells, {}, false);
  EXPECT_EQ(mixed.unit, "token/s");
  EXPECT_EQ(value_of("450 tok/s", mixed), 450);
  EXPECT_EQ(value_of("2.5M tokens per second", mixed), 2.5e6);
  EXPECT_EQ(value_of("120 tokens/min", mixed), 2);
  EXPECT_EQ(value_of("6500 MB/s", in_unit("GB/s", true)), 6.5);
  EXPECT_EQ(value_of("1.5 TFLOPS", in_unit("GFLOP/s", true)), 1500);
  EXPECT_EQ(value_of("250 ms/step", in_unit("s/step", true)), 0.25);
  EXPECT_THAT(defect_of("12 req/s", mixed), HasSubstr("such as token/s"));
  EXPECT_THAT(defect_of("450", mixed), HasSubstr("such as token/s"));
}

TEST(NumberInCell, LeavesOutWhatStandsAroundANumber) {
  const auto read = [](std::string_view text) { return number_in_cell(text, {}, true); };
  const std::pair<const char*, CellForm> cells[] = {{"12.5 \u00B1 0.4", CellForm::kSpread},
                                                    {"(12.5 +/- 0.4)", CellForm::kSpread},
                                                    {"12.5(4)", CellForm::kSpread},
                                                    {"12.5 (7.2x)", CellForm::kRemark},
                                                    {"**12.5\u00D7** (108 %)", CellForm::kRemark},
                                                    {"12.5 [12.1, 12.9]", CellForm::kRemark},
                                                    {"~12.5", CellForm::kAbout},
                                                    {"\u2248 12.5", CellForm::kAbout},
                                                    {"12.5*", CellForm::kFootnote},
                                                    {"12.5\u2020", CellForm::kFootnote}};
  for (const auto& [text, form] : cells) {
    const CellNumber cell = read(text);
    EXPECT_EQ(cell.defect, "") << text;
    EXPECT_EQ(cell.value, 12.5) << text;
    EXPECT_EQ(cell.form, form) << text;
  }
  EXPECT_EQ(value_of("(12.5 \u00B1 0.4) ms", in_unit("ms")), 12.5);
  EXPECT_EQ(value_of("12.5 \u00B1 0.4 min", in_unit("s")), 750);
  EXPECT_THAT(defect_of("1 / 2 / 4"), HasSubstr("expected a number"));
}

TEST(NumberInCell, LosesNoUnitBetweenOrInBrackets) {
  EXPECT_THAT(defect_of("12 (3) ms (p50)"), HasSubstr("expected a number"));
  EXPECT_THAT(defect_of("12 [3] ms [p50]"), HasSubstr("expected a number"));
  EXPECT_EQ(value_of("12 ms (p50) (best of 3)", in_unit("s")), 0.012);
  EXPECT_EQ(value_of("12 ms (p50 (best))", in_unit("s")), 0.012);
  EXPECT_EQ(value_of("12 (ms)", in_unit("s")), 0.012);
  EXPECT_EQ(value_of("12 s (45 ms)", in_unit("s")), 12);
}

TEST(NumberInCell, ReadsPowersOfTen) {
  const std::pair<const char*, double> cells[] = {
      {"10\u00B2", 100},        {"10\u2074", 10000},
      {"10\u00B9\u00B2", 1e12}, {"10\u207B\u00B3", 1e-3},
      {"10^3", 1000},           {"10^-3", 1e-3},
      {"5x10^2", 500},          {"2.5 \u00D7 10\u00B3", 2500},
      {"10\u00B3 (p50)", 1000}, {"~10\u00B3*", 1000},
      {"12\u00B2", 12},         {"110\u00B2", 110},
      {"1.10\u00B2", 1.1}};
  for (const auto& [text, value] : cells) EXPECT_EQ(value_of(text), value) << text;
  EXPECT_EQ(value_of("10\u00B3 ms", in_unit("s")), 1);
  EXPECT_EQ(number_as_written("10^6"), 1e6);
  for (const char* text : {"5^2", "10^", "10^1.5", "10\u00B2,\u00B3"}) {
    EXPECT_THAT(defect_of(text), HasSubstr("expected a number")) << text;
  }
}

TEST(NumberInCell, ReadsHowManyOfSomeHardware) {
  for (const char* text : {"8x A100", "8xA100", "8\u00D7 T4", "8 x H100 SXM"}) {
    EXPECT_EQ(value_of(text), 8) << text;
  }
  EXPECT_THAT(defect_of("4x4"), HasSubstr("expected a number"));
  EXPECT_FALSE(loose_number("8x A100"));  // A condition must tell it from 8x H100.
  EXPECT_FALSE(loose_number("8 (TP=2)"));
}

TEST(IsNoNumber, KnowsBoundsAndWordsForNothing) {
  for (const char* text : {"-", "\u2014", "N/A", "n.a.", "TBD", "?", "N/A (baseline)", ">100",
                           "\u2264 5 s", "**-**"}) {
    EXPECT_TRUE(is_no_number(text)) << text;
  }
  for (const char* text : {"5", "OOM", "<none>", "-5"}) EXPECT_FALSE(is_no_number(text)) << text;
}

TEST(NumberInCell, ReadsMagnitudesAndCounts) {
  EXPECT_EQ(value_of("44M"), 44e6);
  EXPECT_EQ(value_of("7B"), 7e9);
  EXPECT_EQ(value_of("1.3T"), 1.3e12);
  EXPECT_EQ(value_of("12k"), 12e3);
  EXPECT_EQ(value_of("300B tokens"), 300e9);
  EXPECT_EQ(value_of("1.5 billion"), 1.5e9);
  EXPECT_EQ(value_of("8x"), 8);
  EXPECT_EQ(value_of("8 GPUs"), 8);
  EXPECT_EQ(value_of("16 processes"), 16);
  EXPECT_EQ(value_of("512B", in_unit("B")), 512);
  EXPECT_THAT(defect_of("54 parsecs"), HasSubstr("expected a number, found \"54 parsecs\""));
  EXPECT_THAT(defect_of("4 W"), HasSubstr("expected a number without unit"));
}

TEST(NumberInCell, ReadsThousands) {
  EXPECT_EQ(value_of("1,024"), 1024);
  EXPECT_EQ(value_of("12,345,678.5"), 12345678.5);
  EXPECT_EQ(value_of("1,024", with(CommaState::kTold, '.')), 1024);
  EXPECT_EQ(value_of("1,234,567", with(CommaState::kOpen, '.')), 1234567);
  EXPECT_EQ(value_of("1,024", with(CommaState::kTold, '.', true)), 1024);
  for (const char* text : {"1,02", "0,512", ",512", "1,0245", "1234,567", "1,,024"}) {
    EXPECT_THAT(defect_of(text), HasSubstr("expected a number")) << text;
  }
}

TEST(NumberInCell, AsksWhatAnAmbiguousCommaMeans) {
  EXPECT_THAT(defect_of("1,024", with(CommaState::kOpen, '.')),
              HasSubstr("--decimal . or --decimal ,"));
  EXPECT_THAT(defect_of("54,0"), HasSubstr("--decimal ,"));
  EXPECT_THAT(defect_of("10.24", with(CommaState::kTold, ',')),
              HasSubstr("--decimal . or --decimal ,"));
  EXPECT_EQ(value_of("1.024", with(CommaState::kTold, ',', true)), 1024);
}

TEST(NumberInCell, ReadsDecimalCommas) {
  const NumberFormat format = with(CommaState::kTold, ',');
  EXPECT_EQ(value_of("12,5", format), 12.5);
  EXPECT_EQ(value_of("1,024", format), 1.024);
  EXPECT_EQ(value_of("1.234,5", format), 1234.5);
  EXPECT_EQ(value_of("12", format), 12);
  EXPECT_EQ(value_of("1,5e3", format), 1500);
  EXPECT_NE(defect_of("12.5", format), "");
}

TEST(NumberAsWritten, ReadsWhatCellsMayHold) {
  EXPECT_EQ(number_as_written("1T"), 1e12);
  EXPECT_EQ(number_as_written("1.5 B"), 1.5e9);
  EXPECT_EQ(number_as_written("7 billion"), 7e9);
  EXPECT_EQ(number_as_written("4k"), 4000);
  EXPECT_EQ(number_as_written("2G"), 2e9);
  EXPECT_EQ(number_as_written("1e3"), 1000);
  EXPECT_EQ(number_as_written("2,50"), 2.5);
  EXPECT_EQ(number_as_written("1,5T"), 1.5e12);
  EXPECT_EQ(number_as_written("1.234,50"), 1234.5);
  EXPECT_EQ(number_as_written("1,234.5"), 1234.5);
  EXPECT_EQ(number_as_written("8 GPUs"), 8);
}

TEST(NumberAsWritten, RefusesWhatIsNoNumberOrMayBeTwo) {
  for (const char* text : {"", "T", "1 tea", "1,234", "90s", "3:20", "8x", "5 %", "1,2,3", "inf"}) {
    EXPECT_EQ(number_as_written(text), std::nullopt) << text;
  }
}

TEST(NumberFormatOf, TakesTheUnitOfTheFirstCells) {
  const std::vector<std::string> ms{"", "95 ms", "80 ms"};
  EXPECT_EQ(number_format("time", ms, {}, false).unit, "ms");
  EXPECT_TRUE(number_format("time", ms, {}, false).unit_in_cells);
  EXPECT_EQ(number_format("time", ms, {}, true).unit, "s");
  EXPECT_EQ(number_format("time_s", ms, {}, false).unit, "s");
  EXPECT_FALSE(number_format("time_s", ms, {}, false).unit_in_cells);
  EXPECT_EQ(number_format("time", std::vector<std::string>{"95 ms", "1.2 s"}, {}, false).unit, "s");
  EXPECT_EQ(number_format("epoch", std::vector<std::string>{"1:23:45"}, {}, false).unit, "s");
  EXPECT_EQ(number_format("params", std::vector<std::string>{"7B"}, {}, false).unit, "");
}

TEST(NumberInCell, WantsAUnitInEachCellIfOneHasIt) {
  const NumberFormat ms = in_unit("ms", true);
  EXPECT_THAT(defect_of("100", ms), HasSubstr("expected a number with a unit such as ms"));
  EXPECT_TRUE(number_in_cell("1.2 s", ms, true).mixed);
  EXPECT_FALSE(number_in_cell("95 ms", in_unit("s", true), true).mixed);
}

TEST(CommaEvidence, IsSureOnly) {
  const auto says = [](std::string_view cell, bool counts = false) {
    CommaEvidence evidence;
    evidence.add(cell, counts);
    return std::string(evidence.decimals ? "d" : "") + (evidence.thousands ? "t" : "") +
           (evidence.open ? "o" : "") + (evidence.points ? "p" : "") +
           (evidence.hundreds ? "h" : "") + (evidence.texts ? "x" : "");
  };
  for (const char* cell : {"12,5", "0,512", "1234,567", "1.234,5", "-3,25", ",5", "12,5 s"}) {
    EXPECT_EQ(says(cell), "d") << cell;
  }
  for (const char* cell : {"12.5", "1,024.5", "1,024,000", "12.5 s"}) {
    EXPECT_EQ(says(cell), "t") << cell;
  }
  for (const char* cell : {"1,024", "-30,120", "1,024 s"}) EXPECT_EQ(says(cell), "o") << cell;
  for (const char* cell : {"12", "", "-", "OOM?1:02", "1:02,5", "012"}) {
    EXPECT_EQ(says(cell), "") << cell;
  }
  for (const char* cell : {"a,b", "1,2,3", "12,", ",", "1.10.2"})
    EXPECT_EQ(says(cell), "x") << cell;
  for (const char* cell : {"33.055", "1.234.567"}) EXPECT_EQ(says(cell), "p") << cell;
  EXPECT_EQ(says("0.512"), "t");
  EXPECT_EQ(says("781"), "h");
  EXPECT_EQ(says("1,024", true), "t");
}

/// What is known of the commas in the first of some columns: "decimals", "thousands", "open".
std::string commas_in(const std::vector<std::vector<std::string>>& cells) {
  std::vector<CommaEvidence> columns(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const std::string& cell : cells[i]) columns[i].add(cell, false);
  }
  constexpr std::size_t kFirst[] = {0};
  const auto known = evidence_of_columns(columns, kFirst, evidence_of_table(columns));
  return std::string(known.decimals ? "decimals" : "") + (known.thousands ? "thousands" : "") +
         (known.is_open() ? "open" : "");
}

TEST(CommaEvidence, OfOtherColumnsTells) {
  EXPECT_EQ(commas_in({{"21,450"}, {"8"}}), "open");
  for (const char* cell : {"0.93", "97.3%", "0.31 ms", "33.055"}) {
    EXPECT_EQ(commas_in({{"21,450"}, {cell}}), "thousands") << cell;
  }
  EXPECT_EQ(commas_in({{"21,450"}, {"0,5 ms"}}), "decimals");
  EXPECT_EQ(commas_in({{"33.055"}, {"0,030 ms"}}), "decimals");
  EXPECT_EQ(commas_in({{"33.055"}, {"1,024"}}), "thousands");
  EXPECT_EQ(commas_in({{"12,5"}, {"0.93"}}), "decimals") << "a column knows itself best";
  EXPECT_EQ(commas_in({{"21,450"}, {"0.93"}, {"0,5"}}), "open") << "they disagree";
  EXPECT_EQ(commas_in({{"21,450"}, {"0,1", "0,1,2,3"}}), "open") << "lists are no numbers";
}

TEST(CommaEvidence, WholeNumbersOfThreeDigitsTellOfTheirColumn) {
  EXPECT_EQ(commas_in({{"1,834", "781"}}), "thousands");
  EXPECT_EQ(commas_in({{"781", "1,834"}}), "thousands");
  EXPECT_EQ(commas_in({{"1,834", "78"}}), "open");
  EXPECT_EQ(commas_in({{"1,834"}, {"781"}}), "open");
  EXPECT_EQ(commas_in({{"1,834", "781"}, {"0,5"}}), "decimals");
}

TEST(NumberInCell, TakesPointsForThousandsBesideDecimalCommas) {
  NumberFormat format;
  format.decimal = ',';
  EXPECT_EQ(number_in_cell("33.055", format, true).value, 33055);
  EXPECT_EQ(number_in_cell("33.055", format, true).form, CellForm::kThousands) << "it is told";
  EXPECT_THAT(defect_of("33.05", format), HasSubstr("in a table with decimal commas"));
}

TEST(NumberInCell, TakesANumberBeforeAColon) {
  EXPECT_EQ(number_in_cell("8:", {}, true).value, 8);
  EXPECT_THAT(defect_of("1:2:", {}), HasSubstr("expected a number"));
}

TEST(CellReadings, AreToldOncePerColumnAndForm) {
  std::vector<CellReading> readings;
  add_reading(readings, {"epoch", CellForm::kClock, "", "11:23:45", 41025, "s"});
  add_reading(readings, {"epoch", CellForm::kClock, "", "1:23:45", 5025, "s"});
  add_reading(readings, {"params", CellForm::kMagnitude, "", "44M", 44e6, ""});
  EXPECT_THAT(sentences_of(readings),
              ElementsAre("epoch: '1:23:45' is read as hours:minutes:seconds, 5025 s",
                          "params: '44M' is read as 44000000"));
}

TEST(CellReadings, OfDifferentThingsAreRefused) {
  std::vector<CellReading> readings;
  add_reading(readings, {"n", CellForm::kCounted, "gpu", "8 GPUs", 8, ""});
  EXPECT_NO_THROW(refuse_different_counts(readings));
  add_reading(readings, {"n", CellForm::kCounted, "node", "2 nodes", 2, ""});
  EXPECT_THROW(refuse_different_counts(readings), DataError);
}

TEST(Converted, KnowsOneThingByItsPluralAndItsShortForm) {
  EXPECT_EQ(converted(3, "queries/s", "qps"), 3);
  EXPECT_EQ(converted(60, "batches/min", "batch/s"), 1);
}

TEST(NumberInCell, OfRatesInTurnHasTheUnitOfEach) {
  NumberFormat format;
  format.unit = "tokens/s";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(number_in_cell("95 tokens/s", format, true).value, 95);
    EXPECT_EQ(number_in_cell("60 tokens/min", format, true).value, 1);
  }
}

TEST(NumberInCell, TakesBlanksAndApostrophesBetweenThousands) {
  EXPECT_EQ(number_in_cell("8 859", {}, true).value, 8859);
  EXPECT_EQ(number_in_cell("1 234 567.5", {}, true).value, 1234567.5);
  EXPECT_EQ(number_in_cell("8\u00A0859", {}, true).value, 8859);
  EXPECT_EQ(number_in_cell("8\u2009859", {}, true).value, 8859);
  EXPECT_EQ(number_in_cell("8\u202F859", {}, true).value, 8859);
  EXPECT_EQ(number_in_cell("8'859", {}, true).value, 8859);
  EXPECT_EQ(number_in_cell("8 859", {}, true).form, CellForm::kThousands);
  NumberFormat rate;
  rate.unit = "tokens/s";
  EXPECT_EQ(number_in_cell("8 859 tokens/s", rate, true).value, 8859);
  EXPECT_THAT(defect_of("8 85", {}), HasSubstr("expected a number"));
  EXPECT_THAT(defect_of("8 8590", {}), HasSubstr("expected a number"));
  EXPECT_THAT(defect_of("0 859", {}), HasSubstr("expected a number"));
}

TEST(NumberInCell, MultipliesProcessesAndThreadsInAColumnOfAScale) {
  const std::vector<std::string> cells = {"1x1", "2x4"};
  const NumberFormat format = number_format("threads", cells, {}, false);
  EXPECT_EQ(number_in_cell("2x4", format, true).value, 8);
  EXPECT_EQ(number_in_cell("2 \u00D7 4 \u00D7 3", format, true).value, 24);
  EXPECT_EQ(number_in_cell("8x", format, true).value, 8);
  EXPECT_THAT(defect_of("2x", number_format("mesh", cells, {}, false)), "");
  EXPECT_THAT(defect_of("2x4", number_format("mesh", cells, {}, false)),
              HasSubstr("expected a number"));
}

TEST(NumberInCell, CountsTheGpusOfAllNodes) {
  EXPECT_EQ(number_in_cell("4 GPUs across 2 nodes", {}, true).value, 4);
  EXPECT_EQ(number_in_cell("2 nodes x 8 GPUs", {}, true).value, 16);
  EXPECT_EQ(number_in_cell("2 nodes \u00D7 8 GPUs each", {}, true).counted, "gpu");
  EXPECT_THAT(defect_of("4 GPUs and 2 nodes", {}), HasSubstr("expected a number"));
  EXPECT_THAT(defect_of("4 epochs on 2 nodes", {}), HasSubstr("expected a number"));
}

}  // namespace
}  // namespace scalelaw
