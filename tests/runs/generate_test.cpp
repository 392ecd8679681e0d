#include "scalelaw/runs/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

LawTable two_laws() {
  return parse_law_table("model,alpha,beta\nBERT,1000,0.5\n\"a,b\",200,1\n", "laws.csv");
}

std::string runs_of(const LawTable& laws, const StudyPlan& plan) {
  std::string text;
  generate_runs(laws, plan, [&text](std::string_view piece) { text += piece; });
  return text;
}

std::string message_of(const auto& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

TEST(ParseLawTable, ReadsGroupsAndParameters) {
  const LawTable table = parse_law_table(
      "# laws\r\nmodel,beta,gamma,alpha,cap\r\nBERT, 0.5 ,3,1000,250\r\n\r\n", "laws.csv");
  EXPECT_EQ(table.by, (std::vector<std::string>{"model", "cap"}));
  ASSERT_EQ(table.laws.size(), 1u);
  EXPECT_EQ(table.laws[0].group, (GroupKey{"BERT", "250"}));
  EXPECT_EQ(table.laws[0].alpha, 1000);
  EXPECT_EQ(table.laws[0].beta, 0.5);
  EXPECT_EQ(table.laws[0].gamma, 3);
}

TEST(ParseLawTable, NamesThePlaceOfWhatIsWrong) {
  const auto message = [](const char* csv) {
    return message_of([csv] { parse_law_table(csv, "laws.csv"); });
  };
  EXPECT_EQ(message("model,alpha\nBERT,1\n"),
            "laws.csv: there is no column 'beta'; columns are: model, alpha");
  EXPECT_EQ(message("alpha,beta\n"), "laws.csv: there is no law below the header");
  EXPECT_EQ(message("alpha,beta\n1,x\n"),
            "laws.csv:2: field 2 'beta': expected a number, found \"x\"");
  EXPECT_EQ(message("# a\nalpha,beta\n\n0,1\n"),
            "laws.csv:4: field 1 'alpha': expected a number > 0, found \"0\"");
  EXPECT_EQ(message("alpha,beta,gamma\n1,1,-2\n"),
            "laws.csv:2: field 3 'gamma': expected a number >= 0, found \"-2\"");
  EXPECT_EQ(message("alpha,beta\n1\n"), "laws.csv:2: expected 2 fields, found 1");
  EXPECT_EQ(message("alpha,beta,sm_pct,sm_cv\n1,1,50,0.1\n"),
            "laws.csv: there is no column 'mem_pct'; columns are: alpha, beta, sm_pct, sm_cv");
  EXPECT_EQ(message("alpha,beta,sm_pct,sm_cv,mem_pct,mem_cv\n1,1,101,0.1,50,0.1\n"),
            "laws.csv:2: field 3 'sm_pct': expected a number > 0 and at most 100, found \"101\"");
}

TEST(GenerateRuns, FollowsTheLawWithoutNoise) {
  EXPECT_EQ(runs_of(two_laws(), {.gpus = {1, 4}, .noise = 0, .replicates = 1}),
            "model,gpus,replicate,epoch_seconds\n"
            "BERT,1,1,1000\n"
            "BERT,4,1,500\n"
            "\"a,b\",1,1,200\n"
            "\"a,b\",4,1,50\n");
}

TEST(GenerateRuns, AddsTheFloor) {
  const LawTable laws = parse_law_table("alpha,beta,gamma\n100,1,5\n", "laws.csv");
  EXPECT_EQ(runs_of(laws, {.gpus = {10}, .noise = 0, .replicates = 1}),
            "gpus,replicate,epoch_seconds\n10,1,15\n");
}

TEST(GenerateRuns, EnergyIsGpusTimesPowerTimesTime) {
  const LawTable laws =
      parse_law_table("model,alpha,beta,power_w,power_beta\nBERT,100,1,200,0.5\n", "laws.csv");
  EXPECT_EQ(laws.by, std::vector<std::string>{"model"});
  EXPECT_EQ(runs_of(laws, {.gpus = {1, 4}, .noise = 0, .replicates = 1}),
            "model,gpus,replicate,epoch_seconds,power_mean_w,energy_per_epoch_j\n"
            "BERT,1,1,100,200,20000\n"
            "BERT,4,1,25,100,10000\n");
}

TEST(GenerateRuns, PowerLeavesTheTimesAsTheyAre) {
  const LawTable without = parse_law_table("model,alpha,beta\nBERT,100,1\n", "laws.csv");
  const LawTable with = parse_law_table("model,alpha,beta,power_w\nBERT,100,1,200\n", "laws.csv");
  const std::string plain = runs_of(without, {.gpus = {2}, .replicates = 1});
  const std::string powered = runs_of(with, {.gpus = {2}, .replicates = 1});
  const std::string row = plain.substr(plain.find('\n') + 1);
  EXPECT_NE(powered.find(row.substr(0, row.size() - 1) + ","), std::string::npos) << powered;
}

constexpr const char* kBusyLaw =
    "model,alpha,beta,power_w,sm_pct,sm_beta,sm_cv,sm_cv_beta,mem_pct,mem_beta,mem_cv\n"
    "BERT,100,1,200,80,0,0.1,-0.5,40,0.5,0.3\n";

TEST(GenerateRuns, UtilisationFollowsItsLawWithoutNoise) {
  const LawTable laws = parse_law_table(kBusyLaw, "laws.csv");
  EXPECT_EQ(laws.by, std::vector<std::string>{"model"});
  // At N = 4: 80 %, 0.1 * 4^0.5, 40 * 4^-0.5 %, 0.3.
  EXPECT_EQ(runs_of(laws, {.gpus = {1, 4}, .noise = 0, .replicates = 1}),
            "model,gpus,replicate,epoch_seconds,power_mean_w,energy_per_epoch_j,sm_util_mean_pct,"
            "sm_util_cv,mem_util_mean_pct,mem_util_cv\n"
            "BERT,1,1,100,200,20000,80,0.1,40,0.3\n"
            "BERT,4,1,25,200,20000,80,0.2,20,0.3\n");
}

TEST(GenerateRuns, VariationIsAtMostThatOfAQuantityBetweenItsEnds) {
  const LawTable laws =
      parse_law_table("alpha,beta,sm_pct,sm_cv,mem_pct,mem_cv\n100,1,80,9,100,0.5\n", "laws.csv");
  // sqrt(20 / 80) = 0.5 means 0 % during a fifth of the time and 100 % during the rest.
  EXPECT_EQ(runs_of(laws, {.gpus = {1}, .noise = 0, .replicates = 1}),
            "gpus,replicate,epoch_seconds,sm_util_mean_pct,sm_util_cv,mem_util_mean_pct,"
            "mem_util_cv\n1,1,100,80,0.5,100,0\n");
}

TEST(GenerateRuns, UtilisationLeavesTimesAndPowerAsTheyAre) {
  const LawTable without =
      parse_law_table("model,alpha,beta,power_w\nBERT,100,1,200\n", "laws.csv");
  const std::string plain = runs_of(without, {.gpus = {2}, .replicates = 1});
  const std::string busy =
      runs_of(parse_law_table(kBusyLaw, "laws.csv"), {.gpus = {2}, .replicates = 1});
  const std::string row = plain.substr(plain.find('\n') + 1);
  EXPECT_NE(busy.find(row.substr(0, row.size() - 1) + ","), std::string::npos) << busy;
}

TEST(GenerateRuns, WritesTheSameBytesForTheSameSeedOnly) {
  const StudyPlan plan{.seed = 7};
  EXPECT_EQ(runs_of(two_laws(), plan), runs_of(two_laws(), plan));
  EXPECT_NE(runs_of(two_laws(), plan), runs_of(two_laws(), StudyPlan{.seed = 8}));
}

TEST(GenerateRuns, AGroupDoesNotDependOnTheOthers) {
  const LawTable one = parse_law_table("model,alpha,beta\n\"a,b\",200,1\n", "laws.csv");
  const std::string both = runs_of(two_laws(), {});
  const std::string alone = runs_of(one, {});
  EXPECT_TRUE(both.ends_with(alone.substr(alone.find('\n') + 1)));
}

TEST(GenerateRuns, MoreReplicatesOrGpusLeaveTheOthersAsTheyAre) {
  const LawTable law = parse_law_table("alpha,beta\n1000,0.5\n", "laws.csv");
  const std::string few = runs_of(law, {.gpus = {4}, .replicates = 2});
  const std::string many = runs_of(law, {.gpus = {2, 4, 8}, .replicates = 9});
  const std::string rows = few.substr(few.find('\n') + 1);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 2);
  EXPECT_NE(many.find(rows), std::string::npos);
}

TEST(GenerateRuns, ScattersByTheNoise) {
  const GroupLaw law{.group = {"BERT"}, .alpha = 1, .beta = 0};
  const StudyPlan plan{.noise = 0.05};
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 4000;
  for (int n = 1; n <= kDraws; ++n) {
    const double z = std::log(EpochSeconds(law, static_cast<std::uint64_t>(n), plan)()) / 0.05;
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.06);
  EXPECT_NEAR(squares / kDraws, 1, 0.09);
}

class GenerateTraces : public testing::Test {
 protected:
  GenerateTraces() {
    std::string pattern = (fs::temp_directory_path() / "scalelaw-traces-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    tree_ = (folder_ / "tree").string();
  }
  ~GenerateTraces() override { fs::remove_all(folder_); }

  static std::vector<std::string> lines_of(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  std::vector<fs::path> traces() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(tree_) / "gpu")) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
  }

  fs::path folder_;
  std::string tree_;
};

TEST_F(GenerateTraces, WritesTheJobsWithTheTimesOfTheLaw) {
  EXPECT_EQ(generate_traces(two_laws(), {.gpus = {1, 4, 64}, .noise = 0}, tree_, 24), 4u);
  const auto jobs = lines_of(fs::path(tree_) / "jobs.csv");
  ASSERT_EQ(jobs.size(), 5u);
  EXPECT_EQ(jobs[0], "job_id,model,gpus,epochs,start_time,end_time");
  // Three epochs of 1000 s.
  EXPECT_TRUE(jobs[1].ends_with(",BERT,1,3,1612137600.000,1612140600.000")) << jobs[1];
}

TEST_F(GenerateTraces, HasAFileANodeUnderTheNamesOfSuperCloud) {
  generate_traces(two_laws(), {.gpus = {8}}, tree_, 1);
  const auto files = traces();
  ASSERT_EQ(files.size(), 4u);
  for (const fs::path& file : files) {
    EXPECT_TRUE(std::regex_search(file.string(),
                                  std::regex("gpu/00[0-9][0-9]/[0-9]+-r[0-9]+-n[0-9]+[.]csv$")))
        << file;
    const auto lines = lines_of(file);
    EXPECT_EQ(lines[0],
              "timestamp,gpu_index,utilization_gpu_pct,utilization_memory_pct,memory_free_MiB,"
              "memory_used_MiB,temperature_gpu,temperature_memory,power_draw_W,"
              "pcie_link_width_current");
    EXPECT_EQ(std::count(lines[1].begin(), lines[1].end(), ','), 9);
    EXPECT_NEAR(static_cast<double>(lines.size()), 300, 10);
  }
}

TEST_F(GenerateTraces, HalfTheClockDrawsLess) {
  const auto mean_watts = [this](const std::string& clock) {
    const std::string tree = tree_ + clock;
    const LawTable laws =
        parse_law_table("clock_mhz,alpha,beta\n" + clock + ",1000,0.5\n", "laws.csv");
    generate_traces(laws, {.gpus = {1}}, tree, 1);
    double sum = 0;
    double rows = -1;  // The header has no watts.
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(tree) / "gpu")) {
      if (!entry.is_regular_file()) continue;
      for (const std::string& line : lines_of(entry.path())) {
        const std::size_t last = line.rfind(',');
        const std::size_t watts = line.rfind(',', last - 1) + 1;
        if (++rows > 0) sum += std::stod(line.substr(watts, last - watts));
      }
    }
    return sum / rows;
  };
  // 42 W idle and 250 W at full clock; at half of it 42 + 208 (0.25 + 0.75 / 2) = 172 W.
  EXPECT_NEAR(mean_watts("690") / mean_watts("1380"), 172.0 / 250, 0.02);
}

std::string losses_of(const LossPlan& plan) {
  std::string text;
  generate_losses(plan, [&text](std::string_view piece) { text += piece; });
  return text;
}

// loss = 1 + 2 N^-0.5 + 8 D^-1 at N D = 6e9 / 6 is least at N^1.5 = 0.5 * 2 / 8 * 1e9.
TEST(GenerateLosses, PutsTheBestSizeInTheMiddleOfItsBudget) {
  const LossPlan plan{
      .law = {1, 2, 8, 0.5, 1}, .budgets = {6e9}, .sizes = 3, .reach = 2, .noise = 0};
  EXPECT_EQ(losses_of(plan),
            "parameters,tokens,loss\n"
            "125000,8000,1.00666\n"
            "250000,4000,1.006\n"
            "500000,2000,1.00683\n");
}

TEST(GenerateLosses, LeavesBudgetsAsTheyAreWhereThereAreMore) {
  LossPlan plan{.budgets = {1e18, 1e19}, .replicates = 2};
  const std::string both = losses_of(plan);
  plan.budgets = {1e18};
  const std::string one = losses_of(plan);
  EXPECT_EQ(both.substr(0, one.size()), one);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 1 + 7 * 2);
  plan.seed = 2;
  EXPECT_NE(losses_of(plan), one);
}

TEST_F(GenerateTraces, StopsAtTheNumberOfJobs) {
  EXPECT_EQ(generate_traces(two_laws(), {}, tree_, 3), 3u);
  EXPECT_EQ(lines_of(fs::path(tree_) / "jobs.csv").size(), 4u);
}

TEST_F(GenerateTraces, RefusesAFolderWithFiles) {
  fs::create_directory(tree_);
  std::ofstream(fs::path(tree_) / "old.csv") << "x";
  EXPECT_EQ(message_of([this] { generate_traces(two_laws(), {}, tree_, 3); }),
            "the folder " + tree_ + " is not empty");
}

TEST_F(GenerateTraces, NeedsANumberOfGpusThatItTraces) {
  EXPECT_EQ(message_of([this] { generate_traces(two_laws(), {.gpus = {32}}, tree_, 3); }),
            "no job to trace: no number of GPUs is 16 or less");
  EXPECT_FALSE(fs::exists(tree_));
}

}  // namespace
}  // namespace scalelaw
