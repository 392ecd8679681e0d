#include "scalelaw/base/option_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

/// What the rules say of a call of a command with some options and defaults.
std::string said_of(const OptionRules& rules,
                    std::map<std::string, std::vector<std::string>> given) {
  const CallOptions call{std::move(given),
                         {{"--rate", ""},
                          {"--time", ""},
                          {"--run", ""},
                          {"--keep", ""},
                          {"--law", "power"},
                          {"--se", "classic"},
                          {"--robust", "none"},
                          {"KIND", ""}}};
  try {
    rules.check(call);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionRules, TwoOptionsThatSayTheSameAreNamedWithTheWayOut) {
  OptionRules rules;
  rules.about("--rate").excludes("--time", "both say what y is");
  EXPECT_EQ(said_of(rules, {{"--rate", {"true"}}, {"--time", {"true"}}}),
            "--rate and --time both say what y is: leave one of them out");
  EXPECT_EQ(said_of(rules, {{"--rate", {"true"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--time", {"true"}}}), "");
}

TEST(OptionRules, AFlagThatIsFalseAndAnEmptyTextAreNotUsed) {
  OptionRules rules;
  rules.about("--keep").excludes("--time");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}, {"--time", {"false"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--keep", {""}}, {"--time", {"true"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}, {"--time", {"true"}}}),
            "--keep does not go with --time");
}

TEST(OptionRules, WhatIsNeededIsNamedWithItsReason) {
  OptionRules rules;
  rules.about("--se=cluster|cr2").needs("--run", "it tells the rows of a run");
  EXPECT_EQ(said_of(rules, {{"--se", {"cr2"}}}),
            "--se cr2 needs --run: it tells the rows of a run");
  EXPECT_EQ(said_of(rules, {{"--se", {"cr2"}}, {"--run", {"id"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--se", {"hc3"}}}), "");
}

TEST(OptionRules, OneOfSeveralNeededOptionsIsEnough) {
  OptionRules rules;
  rules.about("--keep").needs({"--rate", "--time"});
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}}), "--keep needs --rate or --time");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}, {"--time", {"true"}}}), "");
}

TEST(OptionRules, ADefaultIsAValueButNoWish) {
  OptionRules rules;
  rules.about("--keep").only_for("--law=power", "{0} is for the power law, not for {2}");
  rules.about("--law=power").excludes("--rate");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}, {"--law", {"floor"}}}),
            "--keep is for the power law, not for floor");
  EXPECT_EQ(said_of(rules, {{"--rate", {"true"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--rate", {"true"}}, {"--law", {"power"}}}),
            "--law power does not go with --rate");
}

TEST(OptionRules, AValueThatSwitchesOffIsNoUse) {
  OptionRules rules;
  rules.about("--robust!=none").excludes("--se!=classic", "{0} has its own errors: leave out {1}");
  EXPECT_EQ(said_of(rules, {{"--robust", {"none"}}, {"--se", {"hc3"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--robust", {"huber"}}, {"--se", {"classic"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--robust", {"huber"}}, {"--se", {"hc3"}}}),
            "--robust huber has its own errors: leave out --se hc3");
}

TEST(OptionRules, AKindOfCallIsAskedOnlyWhereTheOptionIsUsed) {
  int asked = 0;
  const CallKind odd{"an odd call", [&asked](const CallOptions& call) -> std::optional<KindFound> {
                       ++asked;
                       if (call.value("KIND").empty()) return std::nullopt;
                       return KindFound{call.value("KIND") == "odd", call.value("KIND")};
                     }};
  OptionRules rules;
  rules.about("--rate").excludes(odd);
  rules.about("--time").only_for(odd, "{0} is for {1}, and this is {2}");
  EXPECT_EQ(said_of(rules, {{"KIND", {"odd"}}}), "");
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(said_of(rules, {{"--rate", {"true"}}, {"KIND", {"odd"}}}),
            "--rate does not go with an odd call");
  EXPECT_EQ(said_of(rules, {{"--time", {"true"}}, {"KIND", {"even"}}}),
            "--time is for an odd call, and this is even");
  EXPECT_EQ(said_of(rules, {{"--time", {"true"}}}), "");  // Nothing tells the kind.
}

TEST(OptionRules, AScopeLimitsWhatFollowsIt) {
  OptionRules rules;
  rules.about("--keep").excludes("--rate").unless("--law=floor").excludes("--time");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}, {"--time", {"true"}}}),
            "--keep does not go with --time");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}, {"--time", {"true"}}, {"--law", {"floor"}}}), "");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}, {"--rate", {"true"}}, {"--law", {"floor"}}}),
            "--keep does not go with --rate");
}

TEST(OptionRules, OptionsThatACommandLacksBreakNoRule) {
  OptionRules rules;
  rules.about("--keep").needs("--store").excludes("--update").only_for("--format=json");
  EXPECT_EQ(said_of(rules, {{"--keep", {"a"}}}), "");
}

TEST(OptionRules, TheTableHasOneRowForCommandsOfTheSameRules) {
  OptionRules rules;
  rules.about("--rate").excludes({"--time", "--unit"}).when("--law=power").excludes("--run");
  rules.about("--se=cluster|cr2").needs("--run");
  OptionRules other;
  other.about("--rate").only_for(CallKind{"figures", {}});
  const std::vector<std::string> options{"--rate", "--time", "--se", "--run", "--law"};
  EXPECT_EQ(rules_table({{"fit", options, &rules},
                         {"rank", options, &rules},
                         {"plot", options, &other},
                         {"look", {"--run"}, &rules}}),
            "| option | of | excludes | needs | only for |\n"
            "| --- | --- | --- | --- | --- |\n"
            "| `--rate` | plot |  |  | figures |\n"
            "| `--rate` | fit, rank | `--time`; `--run` (with `--law` `power`) |  |  |\n"
            "| `--se` `cluster` or `cr2` | fit, rank |  | `--run` |  |\n");
}

}  // namespace
}  // namespace scalelaw
