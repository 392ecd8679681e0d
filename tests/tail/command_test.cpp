// `scalelaw tail` as a user calls it.

#ifdef SCALELAW_HAS_COMMAND

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/json.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using test::CallResult;
using testing::HasSubstr;

CallResult run_tail(std::vector<std::string> words, const std::string& input = {}) {
  static const test::TemporaryFolder folder;
  words.insert(words.begin(), {command_binary().string(), "tail"});
  return test::run_command(words, folder.path(), input);
}

json json_of(std::vector<std::string> words, const std::string& input) {
  words.insert(words.end(), {"--bootstrap", "0", "--format", "json"});
  const CallResult outcome = run_tail(std::move(words), input);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return parse_json(outcome.out);
}

TEST(TailCommand, ReadsNumbersOneALineWithoutAHeader) {
  const json document = json_of({"-"}, "# sizes\n3\n1\n\n2\nNA\n9.5\n");
  EXPECT_EQ(document["y"], "value");
  EXPECT_EQ(document["tails"][0]["n"], 4);
  EXPECT_EQ(document["tails"][0]["x_max"], 9.5);
  EXPECT_EQ(document["rows"]["read"], 5);
  EXPECT_EQ(document["rows"]["missing"], 1);
}

TEST(TailCommand, TakesTheOnlyColumnOfATable) {
  const json document = json_of({"-"}, "duration_s\n3\n1\n2\n9\n");
  EXPECT_EQ(document["y"], "duration_s");
  EXPECT_EQ(document["tails"][0]["n"], 4);
}

TEST(TailCommand, NamesTheLineOfANumberThatIsNotWhole) {
  const CallResult outcome = run_tail({"-", "--discrete"}, "3\n1\n2.5\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr(":3: field 1 'value': expected a whole number, found \"2.5\""));
}

TEST(TailCommand, NamesTheLineOfAWholeNumberThatIsNotExact) {
  const CallResult outcome = run_tail({"-", "--discrete"}, "3\n9007199254740991\n1e300\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(":3: field 1 'value': expected a whole number up to 2^53 - 1, "
                                     "as those beyond are not exact; found \"1e300\""));
  EXPECT_EQ(run_tail({"-", "--discrete", "--xmin", "1e16"}, "3\n4\n").status, 2);
}

TEST(TailCommand, NamesTheLineOfANumberThatIsNotPositive) {
  const CallResult outcome = run_tail({"-", "-y", "t", "-b", ""}, "k,t\na,3\na,0\n");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(":3: field 2 't': expected a number > 0, found \"0\""));
}

TEST(TailCommand, LeavesBadRowsOutAndCountsThem) {
  const json document = json_of({"-", "--skip-bad-rows"}, "3\n-1\n0\n2\n7\nx\n");
  EXPECT_EQ(document["rows"]["bad"], 3);
  EXPECT_EQ(document["tails"][0]["n"], 3);
}

TEST(TailCommand, AGroupWithoutATailDoesNotStopTheOthers) {
  const std::string table = "queue,t\na,3\na,5\na,9\nb,4\nb,4\nc,1\n";
  const json document = json_of({"-", "-y", "t", "-b", "queue"}, table);
  EXPECT_EQ(document["tails"].size(), 1U);
  EXPECT_EQ(document["failed"][0]["code"], "no-spread");
  EXPECT_EQ(document["failed"][1]["code"], "too-few-points");
  EXPECT_EQ(run_tail({"-", "-y", "t", "-b", "queue", "--strict", "--bootstrap", "0"}, table).status,
            1);
}

TEST(TailCommand, RefusesCallsWithoutMeaning) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--xmin", "soon"},
                                                {"--xmin", "-1"},
                                                {"--xmin", "1.5", "--discrete"},
                                                {"--bootstrap", "20"},
                                                {"--discrete", "--run", "value"}}) {
    std::vector<std::string> call{"-"};
    call.insert(call.end(), words.begin(), words.end());
    EXPECT_EQ(run_tail(call, "1\n2\n3\n").status, 2) << words.front();
  }
}

}  // namespace
}  // namespace scalelaw

#endif
