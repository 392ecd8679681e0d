#include "scalelaw/render/tail_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/json.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TailReport hand_made_tail_report() {
  TailReport report;
  report.study.y = "duration_s";
  report.study.by = {"queue"};
  report.study.rows = {.read = 12, .used = 10, .missing = 2};
  return report;
}

TailAlternative alternative(TailModel model, double ratio, std::optional<double> p,
                            TailComparison comparison) {
  TailAlternative out{.model = model, .parameters = {{"a", 1.5}}, .log_ratio = ratio};
  if (p && model != TailModel::kTruncated) out.normalised = ratio / 2;
  out.p = p;
  out.comparison = comparison;
  return out;
}

Tail hand_made_tail() {
  Tail tail{.n = 1000, .distinct = 990, .tail_n = 250, .x_min = 600, .x_max = 9000};
  tail.alpha = 2.2345;
  tail.alpha_se = 0.051;
  tail.distance = 0.02345;
  tail.usable = 1000;
  tail.alpha_bootstrap_se = 0.09;
  tail.alpha_ci = Interval{2.05, 2.42};
  tail.x_min_ci = Interval{410, 880.5};
  tail.tail_n_ci = Interval{180, 400};
  tail.p = 0.43;
  tail.alternatives = {
      alternative(TailModel::kLognormal, -1, 0.6, TailComparison::kUndecided),
      alternative(TailModel::kExponential, 8, 0.00001, TailComparison::kWorse),
      alternative(TailModel::kStretched, 0, std::nullopt, TailComparison::kUndecided),
      alternative(TailModel::kTruncated, -0.5, 0.16, TailComparison::kUndecided)};
  tail.alternatives[2].at_limit = true;
  tail.alternatives[2].parameters.clear();
  tail.verdict = TailVerdict::kPlausible;
  return tail;
}

std::string written_tail(Format format) {
  const std::vector<GroupTail> groups{
      {{"batch"}, hand_made_tail()},
      {{"debug"}, NoFit{FailureCode::kNoSpread, "all 4 values of the tail are equal"}}};
  std::string out;
  write_groups(*make_tail_writer(hand_made_tail_report(), {.format = format},
                                 [&out](std::string_view text) { out += text; }),
               groups);
  return out;
}

TEST(WriteTails, JsonHasEveryFigureAndNullForWhatIsUndefined) {
  const json document = parse_json(written_tail(Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.tail/1");
  EXPECT_EQ(document["x"], nullptr);
  EXPECT_EQ(document["y"], "duration_s");
  EXPECT_EQ(document["given_x_min"], nullptr);
  EXPECT_EQ(document["rows"]["missing"], 2);
  const json& tail = document["tails"][0];
  EXPECT_EQ(tail["group"]["queue"], "batch");
  EXPECT_EQ(tail["x_min"]["estimate"], 600.0);
  EXPECT_EQ(tail["x_min"]["ci"], parse_json("[410.0, 880.5]"));
  EXPECT_EQ(tail["alpha"]["estimate"], 2.2345);
  EXPECT_EQ(tail["alpha"]["bootstrap_se"], 0.09);
  EXPECT_EQ(tail["p"], 0.43);
  EXPECT_EQ(tail["alternatives"][0]["model"], "lognormal");
  EXPECT_EQ(tail["alternatives"][0]["normalised"], -0.5);
  EXPECT_EQ(tail["alternatives"][2]["p"], nullptr);
  EXPECT_EQ(tail["alternatives"][2]["at_limit"], true);
  EXPECT_EQ(tail["alternatives"][3]["normalised"], nullptr);
  EXPECT_EQ(tail["verdict"], "plausible");
  EXPECT_EQ(document["failed"][0]["code"], "no-spread");
}

TEST(WriteTails, TheTableSaysWhatTheNumbersMean) {
  const std::string text = written_tail(Format::kTable);
  EXPECT_THAT(text, HasSubstr("1000      250    600  2.235   2.05 .. 2.42  0.43  plausible"));
  EXPECT_THAT(text, HasSubstr("The tail begins at 600 and has 250 of 1000 values."));
  EXPECT_THAT(text, StartsWith("queue batch: A power law is plausible, but not the only shape that "
                               "is (p = 0.43); the log-normal, the stretched exponential and the "
                               "truncated power law fit as well; the exponential fits worse"));
  EXPECT_THAT(text, Not(HasSubstr("log-normal -0.500")));
  EXPECT_THAT(written_tail(Format::kMarkdown),
              HasSubstr("log-normal -0.500 (p = 0.60); exponential +4.00 (p &lt; 0.0001); "
                        "stretched exponential: none fits better than the power law; "
                        "truncated power law log ratio -0.500 (p = 0.16)"));
  EXPECT_THAT(text, HasSubstr("queue debug has no tail: all 4 values of the tail are equal"));
}

TEST(WriteTails, CsvHasOneRowAGroup) {
  const std::string text = written_tail(Format::kCsv);
  EXPECT_THAT(text, HasSubstr("queue,status,n,distinct,tail_n,"));
  EXPECT_THAT(text, HasSubstr("\nbatch,ok,1000,990,250,180,400,600,410,880.5,9000,2.2345,0.051,"));
  EXPECT_THAT(text, HasSubstr("\ndebug,failed,,"));
  EXPECT_THAT(text, HasSubstr(",no-spread,all 4 values of the tail are equal\n"));
}

TEST(WriteTails, CsvTakesChosenColumns) {
  const std::vector<GroupTail> groups{{{"batch"}, hand_made_tail()}};
  std::string text;
  write_groups(*make_tail_writer(hand_made_tail_report(),
                                 {.format = Format::kCsv,
                                  .columns = {"queue", "truncated_p", "stretched_at_limit"}},
                                 [&text](std::string_view piece) { text += piece; }),
               groups);
  EXPECT_EQ(text, "queue,truncated_p,stretched_at_limit\nbatch,0.16,true\n");
}

/// The lines before the caption of tails with these verdicts.
std::string answer_on(const std::vector<TailVerdict>& verdicts) {
  std::vector<GroupTail> groups;
  for (const TailVerdict verdict : verdicts) {
    Tail tail = hand_made_tail();
    tail.verdict = verdict;
    groups.push_back({{fmt::format("queue {}", groups.size())}, tail});
  }
  std::string text;
  write_groups(*make_tail_writer(hand_made_tail_report(), {.format = Format::kTable},
                                 [&text](std::string_view piece) { text += piece; }),
               groups);
  return text.substr(0, text.find("\n\n"));
}

TEST(WriteTails, TheAnswerSaysWhichTailsCouldNotBeJudged) {
  const TailVerdict few = TailVerdict::kTooFewValues;
  EXPECT_EQ(answer_on({few, few}), "No tail has enough values to tell: at least 50 are needed.");
  EXPECT_EQ(answer_on({few, TailVerdict::kSupported, TailVerdict::kImplausible}),
            "A power law is plausible for 1 of 3 tails; 1 has too few values to tell (at least 50 "
            "are needed).");
  EXPECT_EQ(answer_on({TailVerdict::kUntested, few}),
            "No tail was tested, because no draws were made.");
}

TEST(TailSentence, SaysThatFewValuesTellNothing) {
  Tail tail = hand_made_tail();
  tail.tail_n = 20;
  tail.verdict = TailVerdict::kTooFewValues;
  EXPECT_EQ(tail_sentence(tail),
            "The tail has too few values to tell: 20, at least 50 are needed (p = 0.43)");
}

}  // namespace
}  // namespace scalelaw
