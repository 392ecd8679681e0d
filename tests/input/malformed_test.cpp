// Runs the built command on every defect in tests/malformed, and on those that are too large for
// files. tests/malformed/README.md says how to write a defect and its expectation.

#ifdef SCALELAW_HAS_COMMAND

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/command.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Words = std::vector<std::string>;

const fs::path kFolder = source_folder() / "tests/malformed";

/// What one call must do.
struct Expectation {
  int status = 0;
  std::vector<std::string> in_stderr;
  std::vector<std::pair<std::string, std::string>> in_json;  ///< JSON pointer, value.
};

/// One NAME.expected, and the call that it describes.
struct Defect {
  std::string name;
  Words call;
  Expectation plain;
  std::vector<Expectation> skipping;  ///< Empty or one: with --skip-bad-rows.
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

Expectation expectation_in(std::vector<std::string>::const_iterator line,
                           std::vector<std::string>::const_iterator end) {
  Expectation expectation;
  expectation.status = std::stoi(*line++);
  for (; line != end; ++line) {
    if (line->starts_with("json: ")) {
      const std::size_t pointer = std::string("json: ").size();
      const std::size_t blank = line->find(' ', pointer);
      expectation.in_json.emplace_back(line->substr(pointer, blank - pointer),
                                       line->substr(blank + 1));
    } else if (!line->empty()) {
      expectation.in_stderr.push_back(*line);
    }
  }
  return expectation;
}

std::string input_of(const std::string& name) {
  for (const char* ending : {".csv", ".tsv", ".csv.gz", ".csv.zst"}) {
    if (fs::exists(kFolder / (name + ending))) return name + ending;
  }
  return name + ".csv";  // It is missing on purpose.
}

Words call_of(const std::string& name) {
  const fs::path file = kFolder / (name + ".args");
  const Words extra = fs::exists(file) ? words_of(read_bytes(file)) : Words{};
  if (!extra.empty() && !extra.front().starts_with('-')) return extra;
  Words call = {"fit", input_of(name), "-x", "gpus", "-y", "epoch_seconds", "-b", "model"};
  call.insert(call.end(), extra.begin(), extra.end());
  return call;
}

Defect defect_of(const std::string& name) {
  const auto lines = lines_of(read_bytes(kFolder / (name + ".expected")));
  const auto skip = std::find(lines.begin(), lines.end(), "skip:");
  Defect defect{name, call_of(name), expectation_in(lines.begin(), skip), {}};
  if (skip != lines.end()) defect.skipping.push_back(expectation_in(skip + 1, lines.end()));
  return defect;
}

std::vector<std::string> defect_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".expected") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

CallResult call_scalelaw(Words words, const fs::path& folder) {
  words.insert(words.begin(), command_binary().string());
  return run_command(words, folder);
}

void expect_json(const std::string& out, const Expectation& expectation) {
  const auto json = nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false);
  ASSERT_FALSE(json.is_discarded()) << out;
  for (const auto& [pointer, value] : expectation.in_json) {
    const nlohmann::json::json_pointer place(pointer);
    ASSERT_TRUE(json.contains(place)) << pointer << " in " << out;
    EXPECT_EQ(json[place], parse_json(value)) << pointer;
  }
}

void expect_outcome(Words call, const Expectation& expectation) {
  if (!expectation.in_json.empty()) call.insert(call.end(), {"--format", "json"});
  const CallResult outcome = call_scalelaw(call, kFolder);
  EXPECT_EQ(outcome.status, expectation.status) << outcome.err;
  for (const auto& text : expectation.in_stderr) EXPECT_THAT(outcome.err, HasSubstr(text));
  if (expectation.status == 2) {
    EXPECT_EQ(outcome.out, "");
  } else if (!expectation.in_json.empty()) {
    expect_json(outcome.out, expectation);
  }
}

std::vector<std::string> names_with_skip_section() {
  std::vector<std::string> names;
  for (const auto& name : defect_names()) {
    if (!defect_of(name).skipping.empty()) names.push_back(name);
  }
  return names;
}

class Malformed : public testing::TestWithParam<std::string> {};
class MalformedSkipped : public testing::TestWithParam<std::string> {};

TEST_P(Malformed, IsAnsweredAsExpected) {
  const Defect defect = defect_of(GetParam());
  expect_outcome(defect.call, defect.plain);
}

TEST_P(MalformedSkipped, IsAnsweredAsExpected) {
  const Defect defect = defect_of(GetParam());
  Words call = defect.call;
  call.push_back("--skip-bad-rows");
  expect_outcome(call, defect.skipping.front());
}

std::string name_of_case(const testing::TestParamInfo<std::string>& instance) {
  return instance.param;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Malformed, testing::ValuesIn(defect_names()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Corpus, MalformedSkipped, testing::ValuesIn(names_with_skip_section()),
                         name_of_case);

TEST(MalformedCorpus, EveryInputHasAnExpectation) {
  const auto names = defect_names();
  EXPECT_GE(names.size(), 45u);
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    std::string name = entry.path().filename();
    if (name.starts_with('.') || name == "README.md") continue;
    name = name.substr(0, name.find('.'));
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << entry.path();
  }
}

// Defects too large to keep as files.

constexpr std::size_t kMebibyte = 1 << 20;

/// Six good rows with `row` after the second one.
std::string table_with(const std::string& row) {
  return "model,gpus,epoch_seconds,note\nBERT,2,100.0,a\nBERT,4,54.0,b\n" + row +
         "\nBERT,8,30.5,c\nBERT,16,16.0,d\nBERT,32,9.1,e\nBERT,64,5.2,f\n";
}

CallResult fit_text(const std::string& text) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "large.csv", text);
  return call_scalelaw(
      {"fit", "large.csv", "-x", "gpus", "-y", "epoch_seconds", "-b", "model", "--format", "json"},
      folder.path());
}

TEST(MalformedLarge, AFieldOfOneMebibyteInAnUnusedColumnIsAccepted) {
  const CallResult outcome = fit_text(table_with("BERT,128,3.0," + std::string(kMebibyte, 'x')));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(parse_json(outcome.out)["rows"]["used"], 7);
}

TEST(MalformedLarge, AQuotedFieldOfOneMebibyteOfLineEndsIsAccepted) {
  const CallResult outcome =
      fit_text(table_with("BERT,128,3.0,\"" + std::string(kMebibyte, '\n') + '"'));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(parse_json(outcome.out)["rows"]["used"], 7);
}

TEST(MalformedLarge, AnErrorBehindAMebibyteOfQuotedLineEndsNamesTheRightLine) {
  std::string text = table_with("BERT,128,3.0,\"" + std::string(kMebibyte, '\n') + '"');
  text += "BERT,256,fast,g\n";
  const CallResult outcome = fit_text(text);
  EXPECT_EQ(outcome.status, 2);
  // The header, two rows, 1,048,576 + 1 lines of the long row and four rows precede the bad one.
  EXPECT_THAT(
      outcome.err,
      HasSubstr("large.csv:1048585: field 3 'epoch_seconds': expected a number, found \"fast\""));
}

TEST(MalformedLarge, AMebibyteOfDigitsAsANumberIsQuotedInShort) {
  const CallResult outcome =
      fit_text(table_with("BERT,128,3" + std::string(kMebibyte, 'x') + ",g"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err,
              HasSubstr("large.csv:4: field 3 'epoch_seconds': expected a number, found \"3xxx"));
  EXPECT_LT(outcome.err.size(), 1000u);
}

TEST(MalformedLarge, AnUnclosedQuoteBeforeMebibytesNamesItsOwnLine) {
  std::string text = table_with("\"BERT,128,3.0,g");
  for (std::size_t row = 0; row < 200'000; ++row) text += "BERT,128,3.0,g\n";
  const CallResult outcome = fit_text(text);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("large.csv:4: field 1: unclosed quote"));
}

TEST(MalformedLarge, AHundredThousandFieldsInARowAreCounted) {
  const CallResult outcome = fit_text(table_with("BERT,128,3.0" + std::string(100'000, ',')));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("large.csv:4: expected 4 fields, found 100003"));
}

TEST(MalformedLarge, MebibytesWithoutALineEndAreQuotedInShort) {
  const CallResult outcome = fit_text(std::string(8 * kMebibyte, 'x'));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("large.csv: there is no column 'gpus'"));
  EXPECT_LT(outcome.err.size(), 5000u);
}

TEST(MalformedLarge, QuotesAndCommentsAcrossBlocksAreReadTheSameByAnyNumberOfThreads) {
  // Quoted line ends, separators, comment-like lines and comments with an odd quote come at prime
  // distances.
  std::string text = "model,gpus,epoch_seconds,note\n";
  std::size_t rows = 0;
  for (std::size_t i = 0; text.size() < 6 * kMebibyte; ++i, ++rows) {
    text += "BERT," + std::to_string(2 << (i % 8)) + ',' + std::to_string(1 + i % 97) + ',';
    if (i % 3 == 0) {
      text += "\"a\n# no comment, \"\"b\"\"\n\"\n";
    } else {
      text += "plain\n";
    }
    if (i % 101 == 0) text += "# it's 5\" wide\n";
    if (i % 211 == 0) text += "\r\n";
  }
  const TemporaryFolder folder;
  write_bytes(folder.path() / "large.csv", text);
  std::vector<std::string> outputs;
  for (const char* threads : {"1", "2", "7"}) {
    const CallResult outcome =
        call_scalelaw({"--threads", threads, "fit", "large.csv", "-x", "gpus", "-y",
                       "epoch_seconds", "-b", "model", "--format", "json"},
                      folder.path());
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    outputs.push_back(outcome.out);
  }
  EXPECT_EQ(parse_json(outputs[0])["rows"]["used"], rows);
  EXPECT_EQ(outputs[1], outputs[0]);
  EXPECT_EQ(outputs[2], outputs[0]);
}

/// A table with one quoted field of two mebibytes of `line`, longer than the parts that threads
/// share.
std::string table_with_long_quote(const std::string& line) {
  std::string field;
  while (field.size() < 2 * kMebibyte) field += line + '\n';
  std::string text = table_with("BERT,128,3.0,\"" + field + '"');
  for (std::size_t row = 0; row < 1000; ++row) text += "BERT,128,3.0,g\n";
  return text;
}

TEST(MalformedLarge, LinesInsideQuotesAreNoRowsForAnyNumberOfThreads) {
  for (const char* line : {"x", "BERT,2,abc,g", "BERT,2,100.0,g", "# \"\"", "a,b,c,d,e"}) {
    const TemporaryFolder folder;
    write_bytes(folder.path() / "large.csv", table_with_long_quote(line));
    for (const char* threads : {"1", "2", "7"}) {
      const CallResult outcome =
          call_scalelaw({"--threads", threads, "fit", "large.csv", "-x", "gpus", "-y",
                         "epoch_seconds", "-b", "model", "--format", "json"},
                        folder.path());
      ASSERT_EQ(outcome.status, 0) << threads << " threads, " << line << ": " << outcome.err;
      EXPECT_EQ(parse_json(outcome.out)["rows"]["used"], 1007) << threads << " threads, " << line;
    }
  }
}

TEST(MalformedLarge, TheFirstBadRowOfALargeFileIsNamedForAnyNumberOfThreads) {
  std::string text = "model,gpus,epoch_seconds,note\n";
  for (std::size_t row = 0; row < 400'000; ++row) {
    text += row == 150'000 || row == 390'000 ? "BERT,128,bad,g\n" : "BERT,128,3.0,g\n";
  }
  const TemporaryFolder folder;
  write_bytes(folder.path() / "large.csv", text);
  for (const char* threads : {"1", "2", "7"}) {
    const CallResult outcome = call_scalelaw(
        {"--threads", threads, "fit", "large.csv", "-x", "gpus", "-y", "epoch_seconds"},
        folder.path());
    EXPECT_EQ(outcome.status, 2) << threads;
    EXPECT_THAT(
        outcome.err,
        HasSubstr("large.csv:150002: field 3 'epoch_seconds': expected a number, found \"bad\""));
  }
}

}  // namespace
}  // namespace scalelaw::test

#endif  // SCALELAW_HAS_COMMAND
