// Gates as a program makes them: by typed requests, without the words of a command.

#include "scalelaw/study/gate_study.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"

namespace scalelaw {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Rows of one model at 1 to 16 GPUs, three runs each, whose times are `factor` times the usual.
std::string rows(double factor, const std::string& first_cell = "") {
  std::string text;
  for (const int gpus : {1, 2, 4, 8, 16}) {
    for (const double scatter : {0.99, 1.0, 1.012}) {
      text += fmt::format("{}{},{:.4f}\n", first_cell, gpus,
                          factor * scatter * 800 * std::pow(gpus, -0.9));
    }
  }
  return text;
}

class JudgeGate : public testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text) const {
    test::write_bytes(folder_.path() / name, text);
    return (folder_.path() / name).string();
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  GateRequest of_two_tables(double factor) const {
    GateRequest request;
    request.base = written("base.csv", "gpus,seconds\n" + rows(1));
    request.current = written("new.csv", "gpus,seconds\n" + rows(factor));
    return request;
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(JudgeGate, RunsThatTakeAFifthLongerAreWorse) {
  const GateStudy study = judge_gate(of_two_tables(1.2));
  ASSERT_EQ(study.gate.groups.size(), 1U);
  EXPECT_EQ(study.gate.groups.front().verdict, GateVerdict::kWorse);
  EXPECT_TRUE(fails(study.gate, FailOn::kWorse));
  EXPECT_THAT(study.report.y, ElementsAre("seconds"));
  EXPECT_THAT(study.baselines, IsEmpty());
}

TEST_F(JudgeGate, TheLimitIsThatOfTheRequest) {
  GateRequest request = of_two_tables(1.2);
  request.gate.max_slowdown = 0.4;
  EXPECT_FALSE(fails(judge_gate(request).gate, FailOn::kWorse));
}

TEST_F(JudgeGate, OneTableIsJudgedByItsNewestNight) {
  std::string table = "night,gpus,seconds\n";
  int night = 0;
  for (const double factor : {1.003, 0.996, 1.001, 0.999, 1.002}) {
    table += rows(factor, fmt::format("2026-03-{:02},", ++night));
  }
  GateRequest request;
  request.base = written("nights.csv", table + rows(1.3, "2026-03-06,"));
  const GateStudy study = judge_gate(request);
  EXPECT_EQ(study.report.newest, "night 2026-03-06");
  EXPECT_EQ(study.gate.nights, 5U);
  EXPECT_TRUE(fails(study.gate, FailOn::kWorse));
  request.without_nights = {"2026-03-02"};
  EXPECT_EQ(judge_gate(request).gate.nights, 4U);
}

TEST_F(JudgeGate, ANewBaselineIsWrittenByTheCallerAndThenFollowed) {
  GateRequest request = of_two_tables(1);
  request.base = path("baseline.json");
  request.update = true;
  request.study.law = find_law("amdahl");
  const GateStudy first = judge_gate(request);
  ASSERT_EQ(first.baselines.size(), 1U);
  EXPECT_TRUE(first.baselines.front().created);
  written("baseline.json", first.baselines.front().document);

  GateRequest next = of_two_tables(1);
  next.base = request.base;
  EXPECT_EQ(judge_gate(next).report.law, "amdahl");
  next.chosen = {FollowedSetting::kLaw};
  EXPECT_THROW(judge_gate(next), DataError);  // The power law was chosen, which is the usual one.
}

TEST_F(JudgeGate, NotesGoToWhoeverTakesThem) {
  std::vector<std::string> notes;
  const auto take = [&notes](Said said, std::string_view sentence) {
    if (said == Said::kNote) notes.emplace_back(sentence);
  };
  judge_gate(of_two_tables(1), {.threads = 1, .say = Messages(take)});
  EXPECT_THAT(notes, Contains(HasSubstr("x: gpus, y: seconds")));
}

TEST_F(JudgeGate, ARequestWithoutABaselineIsAnError) {
  EXPECT_THROW(judge_gate(GateRequest()), DataError);
}

}  // namespace
}  // namespace scalelaw
