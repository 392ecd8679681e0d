#include "input/table_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/json_table.hpp"
#include "scalelaw/base/error.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

using testing::HasSubstr;

std::string text_of(ByteStream& stream, std::size_t step = 7) {
  std::string text;
  std::string block(step, '\0');
  while (const std::size_t got = stream.read(block.data(), step)) text.append(block, 0, got);
  return text;
}

std::string csv(const std::string& json) {
  return text_of(*csv_of_json(json, "runs.json", "saved fits"));
}

std::string json_error(const std::string& json) {
  try {
    csv(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CsvOfJson, MakesARowOfEachEntry) {
  EXPECT_EQ(csv(R"([{"gpus": 1, "s": 2.50}, {"s": null, "gpus": 2, "ok": true}])"),
            "gpus,s,ok\n1,2.50,\n2,,true\n");
  EXPECT_EQ(csv("{\"gpus\":1}\n{\"gpus\":2}\n"), "gpus\n1\n2\n");
  EXPECT_EQ(csv("{\"gpus\":1}"), "gpus\n1\n");
  EXPECT_EQ(csv("\xEF\xBB\xBF [\n {\"a\": null}, {\"a\": NaN} ]\n"), "a\n\"\"\nNaN\n");
}

TEST(CsvOfJson, JoinsNestedKeysByDots) {
  EXPECT_EQ(csv(R"([{"run": {"gpus": 1, "at": {"x": 2}}, "t": [1, 2]}])"),
            "run.gpus,run.at.x,t\n1,2,\"[1, 2]\"\n");
}

TEST(CsvOfJson, QuotesWhatCsvNeedsQuoted) {
  EXPECT_EQ(csv(R"([{"a": "x, \"y\"", "#b": "\u00e9\ud83d\ude00\n"}])"),
            "a,#b\n\"x, \"\"y\"\"\",\"\xC3\xA9\xF0\x9F\x98\x80\n\"\n");
  EXPECT_EQ(csv(R"([{"price": "5 \u20ac"}])"), "price\n5 \xE2\x82\xAC\n");
}

TEST(CsvOfJson, ReadsTheFirstAndTheLastPairOfHalvesAsOneCharacter) {
  EXPECT_EQ(csv(R"([{"a": "\ud800\udc00"}])"), "a\n\xF0\x90\x80\x80\n");  // U+10000
  EXPECT_EQ(csv(R"([{"a": "\udbff\udfff"}])"), "a\n\xF4\x8F\xBF\xBF\n");  // U+10FFFF
  EXPECT_THAT(json_error(R"([{"a": "\udc00\udc00"}])"), HasSubstr("the other half"));
  EXPECT_THAT(json_error(R"([{"a": "\ud800\ue000"}])"), HasSubstr("the second half"));
}

TEST(CsvOfJson, KeepsNumbersBeyondTheGreatestAndRefusesWords) {
  EXPECT_EQ(csv(R"([{"a": 1e999, "b": -1e999}])"), "a,b\n1e999,-1e999\n");
  EXPECT_THAT(json_error(R"([{"a": [fast]}])"), HasSubstr("expected a value, found \"fast]"));
}

TEST(CsvOfJson, TakesObjectsOf60Levels) {
  std::string deep = "1";
  for (int level = 0; level < 60; ++level) deep = "{\"x\":" + deep + "}";
  EXPECT_THAT(csv("[{\"a\": [" + deep + "]}]"), testing::StartsWith("a\n\"[{\"\"x\"\":{"));
}

TEST(CsvOfJson, TakesTheOnlyListInAnObject) {
  EXPECT_EQ(csv(R"({"host": "a", "runs": [{"n": 1}, {"n": 2}], "tags": [1]})"),
            "n,host\n1,a\n2,a\n");
  EXPECT_THAT(json_error(R"({"a": [{"n": 1}], "b": [{"n": 1}]})"), HasSubstr("several lists"));
}

TEST(CsvOfJson, ReadsTablesByColumns) {
  EXPECT_EQ(csv(R"({"gpus": [1, 2], "model": "a,b", "s": [3.5, null]})"),
            "gpus,model,s\n1,\"a,b\",3.5\n2,\"a,b\",\n");
  EXPECT_EQ(csv(R"({"gpus": {"0": 1, "1": 2}, "s": {"0": 3, "1": 4}})"), "gpus,s\n1,3\n2,4\n");
  EXPECT_EQ(csv(R"({"s": {"4": 30, "8": 16}})"), "index,s\n4,30\n8,16\n");
  EXPECT_EQ(csv(R"({"4": {"s": 30, "e": 1}, "8": {"s": 16, "e": 2}})"),
            "index,s,e\n4,30,1\n8,16,2\n");
  EXPECT_EQ(csv(R"({"columns": ["n", "s"], "index": [0, 1], "data": [[1, 3], [2, 4]]})"),
            "n,s\n1,3\n2,4\n");
  EXPECT_EQ(csv(R"({"columns": ["s"], "index": ["a", "b"], "data": [[null], [4]]})"),
            "s,index\n,a\n4,b\n");
  EXPECT_EQ(csv(R"([["n", "s"], [1, 3], [2, "x"]])"), "n,s\n1,3\n2,x\n");
}

TEST(CsvOfJson, RefusesColumnsOfDifferentLengths) {
  EXPECT_EQ(json_error(R"({"gpus": [1, 2, 3], "s": [3, 4]})"),
            "runs.json: a table by columns has lists of one length, but 'gpus' has 3 values and "
            "'s' has 2 values");
  EXPECT_THAT(json_error(R"([["n", "s"], [1]])"), HasSubstr("a list of 2 values for each row"));
}

TEST(CsvOfJson, TakesARunWithListsForARun) {
  EXPECT_EQ(csv(R"({"gpus": 4, "losses": [3, 2], "at": [1, 2, 3]})"),
            "gpus,losses,at\n4,\"[3, 2]\",\"[1, 2, 3]\"\n");
  EXPECT_EQ(csv(R"({"run": {"gpus": 4}, "out": {"s": 3}})"), "run.gpus,out.s\n4,3\n");
  EXPECT_EQ(csv("{\"gpus\": [1, 2]}\n{\"gpus\": [3, 4]}\n"), "gpus\n\"[1, 2]\"\n\"[3, 4]\"\n");
}

TEST(CsvOfJson, RefusesWhatStandsBehindAByteOfZero) {
  const std::string table = R"({"gpus": [1, 2], "s": [3, 4]})";
  EXPECT_EQ(csv(table), "gpus,s\n1,3\n2,4\n");
  EXPECT_THAT(json_error(table + '\0' + "[]"), HasSubstr("JSON"));
}

TEST(CsvOfJson, NamesWhatIsWrong) {
  EXPECT_EQ(json_error("[{\"a\": 1},\n {\"a\" 2}]"),
            "runs.json:2: JSON: expected ':' after the key \"a\", found \"2}]\"");
  EXPECT_EQ(json_error("[{\"a\": 1}, 2]"),
            "runs.json:1: JSON: expected an object for each entry, found \"2]\"");
  EXPECT_THAT(json_error("[{\"a\": 1}"), HasSubstr("found the end of the file"));
  EXPECT_THAT(json_error("[{\"a\": \"x"), HasSubstr("the closing quote of a text"));
  EXPECT_THAT(json_error("[{\"a\": 1, \"a\": 2}]"),
              HasSubstr("entry 1: the key 'a' has two values"));
  EXPECT_THAT(json_error("[{\"a\": \"\\ud800\"}]"), HasSubstr("the other half"));
  EXPECT_THAT(json_error("[]"), HasSubstr("no entries"));
  EXPECT_EQ(
      json_error("[{\"a\": 1}]\n[{\"a\": 2}]"),
      "runs.json:2: JSON: expected the end of the file after the list, found \"[{\"a\": 2}]\"");
  EXPECT_EQ(json_error("[[\"n\"], [1]]\n[[\"n\"], [2]]"),
            "runs.json:2: JSON: expected the end of the file after the list, found \"[[\"n\"], "
            "[2]]\"");
  EXPECT_THAT(json_error(std::string("{\"a\": 1}\0", 9)), HasSubstr("an object for each entry"));
  EXPECT_THAT(json_error("{\"schema\": \"scalelaw.fit/1\", \"fits\": []}"),
              HasSubstr("saved fits"));
  EXPECT_THAT(json_error("[" + std::string(100'000, '[')), HasSubstr("an object for each entry"));
  EXPECT_THAT(json_error("[{\"a\": " + std::string(100'000, '[')), HasSubstr("64 levels"));
}

TEST(BeginsAsJson, AsksForObjects) {
  EXPECT_TRUE(begins_as_json(" [ {"));
  EXPECT_TRUE(begins_as_json("{\"a\": 1}"));
  EXPECT_FALSE(begins_as_json("[gpus],[time]\n"));
  EXPECT_FALSE(begins_as_json("{a},{b}\n"));
}

/// The text of a table in a file.
std::string table_of(const std::string& text, TableKind kind) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t.txt").string();
  write_bytes(path, text);
  const InputFile file(path);
  const TableText table = table_text(file, {});
  EXPECT_EQ(table.kind, kind);
  return text_of(*table.bytes);
}

TEST(TableText, MakesTabsOfRunsOfBlanks) {
  EXPECT_EQ(table_of("# a  b\n  1   2\t\r\n\"x y\"  3\n\n4 5", TableKind::kBlankRuns),
            "#\ta\tb\n1\t2\n\"x y\"\t3\n\n4\t5");
  EXPECT_EQ(table_of("a,b\n1, 2\n", TableKind::kDelimited), "a,b\n1, 2\n");
}

std::string foreign(std::string_view text) {
  try {
    refuse_foreign_file(text, "f");
  } catch (const Error& error) {
    return error.what();
  }
  return "a table";
}

TEST(ForeignFiles, AreNamedForWhatTheyAre) {
  const std::string tar = std::string(257, 'x') + "ustar";
  const std::string event(
      "\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\0\0\0\0\xd8\x41\x1a\x0d"
      "brain.Event:2",
      36);
  EXPECT_THAT(foreign("PK\x03\x04....xl/workbook.xml"), HasSubstr("Excel workbook"));
  EXPECT_THAT(foreign("PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
              HasSubstr("OpenDocument"));
  EXPECT_THAT(foreign("PK\x03\x04whatever"), HasSubstr("zip archive"));
  EXPECT_THAT(foreign("PAR1"), HasSubstr("Parquet"));
  EXPECT_THAT(foreign("%PDF-1.4"), HasSubstr("PDF"));
  EXPECT_THAT(foreign("\x7f"
                      "ELF"),
              HasSubstr("program"));
  EXPECT_THAT(foreign(tar), HasSubstr("tar archive"));
  EXPECT_THAT(foreign(event), HasSubstr("TensorBoard"));
  EXPECT_THAT(foreign(std::string_view("\x80\x04\x95\0\0", 5)), HasSubstr("pickle"));
  EXPECT_THAT(foreign("\n<!DOCTYPE HTML><html>"), HasSubstr("HTML"));
  EXPECT_THAT(foreign("\xFF\xFE"
                      "a"),
              HasSubstr("UTF-16"));
  EXPECT_THAT(foreign(std::string_view("g\0p\0u\0s\0,\0t\0i\0m\0e\0,\0t\0i\0m\0e\0,\0x\0", 32)),
              HasSubstr("UTF-16"));
  EXPECT_EQ(foreign("gpus,time\n1,2\n"), "a table");
  EXPECT_EQ(foreign(""), "a table");
  EXPECT_EQ(foreign(std::string_view("<html>").substr(0, 4)),
            "a table");  // What follows is unread.
}

}  // namespace
}  // namespace scalelaw::test
