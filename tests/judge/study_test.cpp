#include "scalelaw/judge/study.hpp"

#include <gtest/gtest.h>

#include "fit/cells_of.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/published.hpp"
#include "support/command.hpp"

namespace scalelaw {
namespace {

// 100 s on 1 GPU, 52 on 2 (96 % of ideal), 40 on 4 (62.5 %), 30 on 8 (41.7 %), 10 on 16 (62.5 %).
const std::vector<double> kStudyGpus{1, 2, 4, 8, 16};
const std::vector<double> kStudySeconds{100, 52, 40, 30, 10};

TEST(ScalingReach, IsMeasuredAgainstTheLeastScale) {
  const auto reach =
      scaling_reach(point_cells(kStudyGpus, kStudySeconds), {.response = Response::kTime}, nullptr);
  ASSERT_TRUE(reach);
  EXPECT_EQ(reach->x_min, 1);
  EXPECT_EQ(reach->x_max, 16);
  EXPECT_NEAR(reach->speedup, 10, 1e-12);
  EXPECT_NEAR(*efficiency_of(reach->speedup, 16, Ideal::kFaster), 0.625, 1e-12);
  EXPECT_EQ(reach->efficient_to,
            4);  // A better scale does not count beyond one that wastes half.
  EXPECT_FALSE(reach->doubling);
}

TEST(ScalingReach, OfARateCountsItsGrowth) {
  const auto reach =
      scaling_reach(point_cells(std::vector<double>{1, 2}, std::vector<double>{10, 15}),
                    {.response = Response::kRate}, nullptr);
  ASSERT_TRUE(reach);
  EXPECT_NEAR(reach->speedup, 1.5, 1e-12);
  EXPECT_NEAR(*efficiency_of(reach->speedup, 2, Ideal::kFaster), 0.75, 1e-12);
}

// t = 80 / N seconds, and 7 sqrt(N) per second.
TEST(ScalingReach, TwiceTheScaleHalvesATimeAndRaisesARate) {
  const auto times = point_cells(std::vector<double>{1, 2, 4}, std::vector<double>{80, 40, 20});
  const Fit time = fit_law(times, {});
  EXPECT_NEAR(*scaling_reach(times, {.response = Response::kTime}, &time)->doubling, 0.5, 1e-12);
  const auto rates = point_cells(std::vector<double>{1, 4, 16}, std::vector<double>{7, 14, 28});
  const Fit rate = fit_law(rates, {.response = Response::kRate});
  EXPECT_NEAR(*scaling_reach(rates, {.response = Response::kRate}, &rate)->doubling,
              1.4142135623730951, 1e-12);
}

// 100 images per second and GPU on 2 GPUs, 60 on 16: 200 and 960 of all GPUs.
TEST(ScalingReach, OfARateOfOneGpuIsThatOfAllTogether) {
  const auto reach =
      scaling_reach(point_cells(std::vector<double>{2, 16}, std::vector<double>{100, 60}),
                    {.response = Response::kRate, .rate_of_one = true}, nullptr);
  ASSERT_TRUE(reach);
  EXPECT_NEAR(reach->speedup, 4.8, 1e-12);
  EXPECT_NEAR(*efficiency_of(reach->speedup, 8, Ideal::kFaster), 0.6, 1e-12);
}

TEST(ScalingReach, NeedsTwoScales) {
  EXPECT_FALSE(scaling_reach(point_cells(std::vector<double>{4, 4}, std::vector<double>{10, 11}),
                             {.response = Response::kTime}, nullptr));
}

TEST(UsualKnobs, AreWhatSomeGroupHasSeveralOf) {
  const std::vector<std::string> by{"model", "power_cap_w"};
  StudyAnalysis study;
  study.groups.resize(2);
  study.groups[0].group = {"BERT", "200"};
  study.groups[1].group = {"BERT", "250"};
  EXPECT_EQ(usual_knobs(study, by, "gpus"), (std::vector<std::string>{"power_cap_w", "gpus"}));
  study.groups[1].group = {"GNN", "250"};
  EXPECT_TRUE(usual_knobs(study, by, "gpus").empty());
  EXPECT_EQ(usual_knobs(study, by, "batch_size").size(), 2U);
}

TEST(UsualSettings, ArePowerCapsAndClocks) {
  EXPECT_EQ(usual_settings({"model", "clock_mhz", "accelerator", "power_cap_w"}),
            (std::vector<std::string>{"clock_mhz", "power_cap_w"}));
}

/// Two caps of a model, which differ by a factor of 2, and a model with one cap and one scale.
GroupedCells small_study(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "runs.csv";
  test::write_bytes(path,
                    "model,power_cap_w,gpus,epoch_seconds\n"
                    "A,100,1,200\nA,100,2,101\nA,100,4,52\nA,100,8,25\n"
                    "A,250,1,100\nA,250,2,51\nA,250,4,25\nA,250,8,13\n"
                    "B,250,4,7\nB,250,4,8\n");
  const std::vector<std::string> inputs{path.string()};
  return read_runs(inputs, {});
}

StudyAnalysis small_analysis() {
  const test::TemporaryFolder folder;
  const GroupedCells runs = small_study(folder.path());
  StudyQuestions questions;
  questions.settings = usual_settings(runs.by());
  questions.rank.resamples = 0;
  return analyse_study(runs, nullptr, questions);
}

TEST(AnalyseStudy, AGroupWithoutALawStopsNoOther) {
  const StudyAnalysis analysis = small_analysis();
  ASSERT_EQ(analysis.groups.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Fit>(analysis.groups[0].fit));
  EXPECT_TRUE(std::holds_alternative<NoFit>(analysis.groups[2].fit));
  EXPECT_FALSE(analysis.groups[2].reach);
  EXPECT_TRUE(std::holds_alternative<NoFit>(analysis.groups[2].outlook));
}

TEST(AnalyseStudy, ForecastsTwoAndFourTimesTheGreatestScale) {
  const StudyAnalysis analysis = small_analysis();
  const Outlook& outlook = std::get<Outlook>(analysis.groups[0].outlook);
  ASSERT_EQ(outlook.scales.size(), 2U);
  EXPECT_EQ(outlook.scales[0].y.x, 16);
  EXPECT_EQ(outlook.scales[1].y.x, 32);
  EXPECT_FALSE(outlook.energy);
}

TEST(AnalyseStudy, ContrastsSettingsWhereAGroupHasSeveral) {
  const StudyAnalysis analysis = small_analysis();
  ASSERT_EQ(analysis.settings.size(), 1U);
  const SettingStudy& setting = analysis.settings.front();
  EXPECT_EQ(setting.setting, "power_cap_w");
  EXPECT_EQ(setting.by, std::vector<std::string>{"model"});
  ASSERT_EQ(setting.contrasts.size(), 1U);  // B has one level, so there is nothing to compare.
  EXPECT_EQ(setting.contrasts.front().group, GroupKey{"A"});
  const Contrast& contrast = std::get<Contrast>(setting.contrasts.front().result);
  // 100 W is the first level, so the ratio is that of 250 W to it, about one half.
  EXPECT_NEAR(*contrast.offsets.front().ratio, 0.5, 0.01);
}

constexpr std::string_view kPrinted =
    "table,model,power_cap_w,clock_mhz,quantity,value,note\n"
    "Table 2,BERT,250,1380,beta,0.87,\n"
    "Table 2,BERT,250,1380,r2,0.97,Table 5 prints 0.99 at 250 W\n"
    "Table 2,VGG16,250,1380,beta,0.64,\n"
    "Table 2,VGG16,250,1380,r2,0.98,\n"
    "text,BERT,250,1380,beta_se,0.03,sections\n"
    "Table 5,BERT,100,,beta,0.91,clock not stated\n"
    "Table 5,BERT,100,,r2,0.99,clock not stated\n"
    "Table 3,DimeNet,250,135,beta,0.97,\n";

StudyAnalysis with_groups(const std::vector<GroupKey>& groups) {
  StudyAnalysis analysis;
  for (const GroupKey& group : groups) analysis.groups.emplace_back().group = group;
  return analysis;
}

TEST(CompareWithPublished, FindsGroupsOfTheSameSettings) {
  const StudyAnalysis analysis =
      with_groups({{"bert", "100.0", "735"}, {"bert", "100", "1380"}, {"bert", "250", "1380"}});
  const auto comparison =
      compare_with_published(analysis, {"model", "power_cap_w", "clock_mhz"}, kPrinted);
  ASSERT_EQ(comparison.tables.size(), 2U);  // The study has nothing of Table 3.
  const PublishedTable& first = comparison.tables.front();
  EXPECT_EQ(first.name, "Table 2");
  ASSERT_EQ(first.fits.size(), 2U);
  EXPECT_EQ(first.fits[0].beta, "0.87");
  EXPECT_EQ(first.fits[0].r2, "0.97");
  EXPECT_EQ(first.fits[0].note, "R²: Table 5 prints 0.99 at 250 W");
  EXPECT_EQ(first.fits[0].group, 2U);
  EXPECT_FALSE(first.fits[1].group);
  const PublishedTable& last = comparison.tables.back();
  EXPECT_EQ(last.fits.front().group, 1U);  // The paper states no clock, so the greatest is taken.
  EXPECT_EQ(last.fits.front().note, "");
}

TEST(CompareWithPublished, SaysWhatAFigureLacks) {
  const StudyAnalysis analysis = with_groups({{"BERT", "100", "1380"}, {"BERT", "250", "1380"}});
  const auto comparison =
      compare_with_published(analysis, {"model", "power_cap_w", "clock_mhz"}, kPrinted);
  ASSERT_EQ(comparison.figures.size(), 1U);
  EXPECT_EQ(comparison.figures.front().name, "Figure 11");
  EXPECT_EQ(comparison.figures.front().missing, std::vector<std::string>{"BERT at 200 W"});
}

TEST(CompareWithPublished, ComparesNothingWithoutTheSettings) {
  const StudyAnalysis analysis = with_groups({{"BERT"}});
  const auto comparison = compare_with_published(analysis, {"model"}, kPrinted);
  EXPECT_TRUE(comparison.tables.empty());
  EXPECT_TRUE(comparison.figures.empty());
}

}  // namespace
}  // namespace scalelaw
