#include "scalelaw/fit/fit_groups.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

/// A run table of many groups with 5 points each, and one group of a single point.
class FitGroups : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "scalelaw_fit_groups_" + std::to_string(::getpid()) + ".csv";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  GroupedCells study(int groups) const {
    std::ofstream out(path_);
    out << "model,gpus,seconds\nlonely,4,10\n";
    for (int group = 0; group < groups; ++group) {
      RandomStream stream(1, static_cast<std::uint64_t>(group));
      for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        out << 'm' << group << ',' << x << ',' << 100 / x * std::exp(0.05 * stream.normal())
            << '\n';
      }
    }
    out.close();
    RunOptions options;
    options.keep_points = true;
    options.threads = 1;
    return read_runs(std::vector{path_}, options);
  }

  std::string path_;
};

const Fit& fit_of(const std::vector<GroupFit>& fits, const std::string& model) {
  for (const GroupFit& fit : fits) {
    if (fit.group == GroupKey{model}) return std::get<Fit>(fit.result);
  }
  throw std::logic_error("no such group");
}

FitOptions resampled() {
  FitOptions options;
  options.bootstrap.resamples = 1500;
  return options;
}

TEST_F(FitGroups, KeepsTheOrderOfTheGroupsAndTheReasonsOfFailures) {
  const GroupedCells runs = study(5000);
  const std::vector<GroupFit> fits = fit_groups(runs, {}, 2);
  ASSERT_EQ(fits.size(), 5001u);
  for (std::size_t i = 0; i < fits.size(); ++i) EXPECT_EQ(fits[i].group, runs.key(i));
  const auto lonely = std::find_if(fits.begin(), fits.end(), [](const GroupFit& fit) {
    return std::holds_alternative<NoFit>(fit.result);
  });
  ASSERT_NE(lonely, fits.end());
  EXPECT_EQ(lonely->group, GroupKey{"lonely"});
  EXPECT_EQ(std::get<NoFit>(lonely->result).code, FailureCode::kTooFewPoints);
  EXPECT_EQ(std::get<NoFit>(lonely->result).message,
            "1 point cannot determine the 2 parameters of the power law; measure more runs");
}

TEST_F(FitGroups, GivesTheSameBitsForAnyNumberOfThreads) {
  const GroupedCells runs = study(100);
  const std::vector<GroupFit> one = fit_groups(runs, resampled(), 1);
  for (const int threads : {2, 7}) {
    const std::vector<GroupFit> many = fit_groups(runs, resampled(), threads);
    for (int group = 0; group < 100; ++group) {
      const std::string model = std::string("m").append(std::to_string(group));
      const BootstrapEstimate& a = fit_of(one, model).bootstrap->parameters[1];
      const BootstrapEstimate& b = fit_of(many, model).bootstrap->parameters[1];
      EXPECT_EQ(a.se, b.se);
      EXPECT_EQ(a.ci.lower, b.ci.lower);
    }
  }
}

TEST_F(FitGroups, DrawsTheSameNumbersForAGroupWhateverGroupsAreBesideIt) {
  const std::vector<GroupFit> few = fit_groups(study(3), resampled(), 1);
  const std::vector<GroupFit> more = fit_groups(study(20), resampled(), 1);
  EXPECT_EQ(fit_of(few, "m2").bootstrap->parameters[1].se,
            fit_of(more, "m2").bootstrap->parameters[1].se);
  EXPECT_NE(fit_of(few, "m1").bootstrap->parameters[1].se,
            fit_of(few, "m2").bootstrap->parameters[1].se);
}

}  // namespace
}  // namespace scalelaw
