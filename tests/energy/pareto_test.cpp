#include "scalelaw/energy/pareto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"
#include "support/places.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kCap{"power_cap_w"};

KnobRuns one_run(const std::string& knob, double seconds, double joules) {
  return {.knobs = {knob}, .gpus = 1, .seconds = {seconds}, .joules = {joules}};
}

/// Five caps; tests/energy/oracle/pareto.py: curve().
std::vector<KnobRuns> five_caps() {
  return {one_run("1", 10, 4000), one_run("2", 12, 3000), one_run("3", 15, 2400),
          one_run("4", 13, 3100), one_run("5", 20, 2300)};
}

ParetoOptions options_at(std::vector<double> etas) {
  ParetoOptions options;
  options.etas = std::move(etas);
  options.max_power = 250;
  options.threads = 1;
  return options;
}

std::vector<double> costs(const Pareto& pareto, std::size_t eta) {
  std::vector<double> out;
  for (const ParetoPoint& point : pareto.points) out.push_back(point.costs[eta].joules);
  return out;
}

TEST(JudgeTradeOff, FrontierCostsAndOptima) {
  const Pareto pareto = judge_trade_off(five_caps(), kCap, options_at({0, 0.5, 1}));
  EXPECT_THAT(pareto.frontier, ElementsAre(0, 1, 2, 4));
  EXPECT_FALSE(pareto.points[3].on_frontier);
  EXPECT_THAT(costs(pareto, 0), ElementsAre(2500, 3000, 3750, 3250, 5000));
  EXPECT_THAT(costs(pareto, 1), ElementsAre(3250, 3000, 3075, 3175, 3650));
  EXPECT_THAT(costs(pareto, 2), ElementsAre(4000, 3000, 2400, 3100, 2300));
  EXPECT_EQ(pareto.optima[0].point, 0U);
  EXPECT_EQ(pareto.optima[1].point, 1U);
  EXPECT_EQ(pareto.optima[2].point, 4U);
  EXPECT_EQ(pareto.ranges.size(), 4U);
}

TEST(JudgeTradeOff, OfEqualCostsTheLastKnobsWin) {
  const Pareto pareto = judge_trade_off(
      std::vector{one_run("100", 10, 7), one_run("125", 10, 5), one_run("150", 11, 5)}, kCap,
      options_at({0, 1}));
  EXPECT_EQ(pareto.optima[0].point, 1U);  // Both take 10 s.
  EXPECT_EQ(pareto.optima[1].point, 2U);  // Both take 5 J.
}

TEST(JudgeTradeOff, WithoutADefaultTheGreatestCapIsMeant) {
  const Pareto pareto = judge_trade_off(five_caps(), kCap, options_at({0.5}));
  EXPECT_EQ(pareto.default_point, 4U);
  EXPECT_DOUBLE_EQ(pareto.points[1].time_saving->estimate, 0.4);  // 12 s of 20 s.
  EXPECT_NEAR(pareto.points[1].energy_saving->estimate, -700.0 / 2300, 1e-15);
  EXPECT_NEAR(pareto.points[1].costs[0].saving->estimate, 650.0 / 3650, 1e-15);
  EXPECT_FALSE(pareto.points[1].time_saving->ci);
}

TEST(JudgeTradeOff, OtherKnobsHaveNoDefaultByThemselves) {
  const Pareto pareto =
      judge_trade_off(five_caps(), std::vector<std::string>{"batch_size"}, options_at({0.5}));
  EXPECT_FALSE(pareto.default_point);
  EXPECT_EQ(pareto.no_default, "no default was named");
  EXPECT_FALSE(pareto.points[0].time_saving);
  EXPECT_FALSE(pareto.points[0].costs[0].saving);
}

TEST(JudgeTradeOff, ADefaultMayLeaveTheCapOut) {
  std::vector<KnobRuns> points;
  for (const char* cap : {"90", "100"}) {
    for (const char* batch : {"8", "16"}) {
      points.push_back({.knobs = {cap, batch}, .gpus = 1, .seconds = {1}, .joules = {1}});
    }
  }
  ParetoOptions options = options_at({0.5});
  options.default_knobs = {{"batch_size", "8.0"}};
  const std::vector<std::string> knobs{"cap", "batch_size"};
  EXPECT_EQ(judge_trade_off(points, knobs, options).default_point, 2U);
  options.default_knobs = {{"batch_size", "32"}};
  EXPECT_EQ(judge_trade_off(points, knobs, options).no_default,
            "no run has the default, batch_size 32");
}

TEST(JudgeTradeOff, ASecondCostsMaxPowerOfEveryGpu) {
  std::vector<KnobRuns> points{one_run("1", 10, 1000), one_run("4", 4, 1200)};
  points[1].gpus = 4;
  const std::vector<std::string> knobs{"gpus"};
  ParetoOptions options = options_at({0});
  Pareto pareto = judge_trade_off(points, knobs, options);
  EXPECT_THAT(costs(pareto, 0), ElementsAre(2500, 4000));  // 250 W x GPU-seconds.
  EXPECT_EQ(pareto.optima[0].point, 0U);
  EXPECT_EQ(pareto.ranges.size(), 1U);
  options.time_cost = TimeCost::kWall;
  pareto = judge_trade_off(points, knobs, options);
  EXPECT_THAT(costs(pareto, 0), ElementsAre(10000, 4000));  // 1000 W x seconds.
  EXPECT_EQ(pareto.optima[0].point, 1U);
}

TEST(JudgeTradeOff, AreaUpToTheWorstOrToAReference) {
  ParetoOptions options = options_at({});
  Pareto pareto = judge_trade_off(five_caps(), kCap, options);
  EXPECT_EQ(pareto.reference.seconds, 20);
  EXPECT_EQ(pareto.reference.joules, 4000);
  EXPECT_DOUBLE_EQ(pareto.hypervolume, 8 * 1000 + 5 * 600);
  EXPECT_DOUBLE_EQ(*pareto.hypervolume_share, 11000.0 / (10 * 1700));
  options.reference = TimeAndEnergy{30, 5000};
  pareto = judge_trade_off(five_caps(), kCap, options);
  EXPECT_DOUBLE_EQ(pareto.hypervolume, 20 * 1000 + 18 * 1000 + 15 * 600 + 10 * 100);
}

TEST(JudgeTradeOff, LinesOfEqualCostEndAtTheBox) {
  const Pareto pareto = judge_trade_off(five_caps(), kCap, options_at({0, 0.5, 1}));
  const auto& [top, bottom] = pareto.optima[0].line;  // Time only: upright.
  EXPECT_EQ(top.seconds, 10);
  EXPECT_EQ(top.joules, 4000);
  EXPECT_EQ(bottom.joules, 2300);
  // 3000 = (E + 250 t) / 2: at 10 s 3500 J; 2300 J at 14.8 s.
  EXPECT_DOUBLE_EQ(pareto.optima[1].line.first.joules, 3500);
  EXPECT_DOUBLE_EQ(pareto.optima[1].line.second.seconds, 14.8);
  EXPECT_DOUBLE_EQ(pareto.optima[1].line.second.joules, 2300);
  EXPECT_EQ(pareto.optima[2].line.first.joules, 2300);  // Energy only: level.
  EXPECT_EQ(pareto.optima[2].line.second.seconds, 20);
}

TEST(JudgeTradeOff, SaysWhyThereIsNoUncertainty) {
  EXPECT_THAT(judge_trade_off(five_caps(), kCap, options_at({0.5})).no_draws,
              HasSubstr("no point has a second run"));
  std::vector<KnobRuns> copies = five_caps();
  copies[0].seconds = {10, 10};
  copies[0].joules = {4000, 4000};
  const Pareto pareto = judge_trade_off(copies, kCap, options_at({0.5}));
  EXPECT_THAT(pareto.no_draws, HasSubstr("copies"));
  EXPECT_FALSE(pareto.points[0].frontier_share);
  EXPECT_FALSE(pareto.points[0].surely_dominated);
  copies[0].seconds = {10, 11};
  ParetoOptions options = options_at({0.5});
  options.draws = 0;
  EXPECT_EQ(judge_trade_off(copies, kCap, options).no_draws, "no draws were asked for");
}

TEST(JudgeTradeOff, OnePointIsItsOwnFrontier) {
  const Pareto pareto =
      judge_trade_off(std::vector{one_run("250", 10, 100)}, kCap, options_at({0.5}));
  EXPECT_THAT(pareto.frontier, ElementsAre(0));
  EXPECT_EQ(pareto.hypervolume, 0);
  EXPECT_FALSE(pareto.hypervolume_share);
  EXPECT_EQ(pareto.points[0].costs[0].saving->estimate, 0);
}

/// Three runs at 100 W and two at 150 W; tests/energy/oracle/pareto.py: two_caps().
std::vector<KnobRuns> two_caps() {
  return {
      {.knobs = {"150"}, .gpus = 1, .seconds = {103, 106}, .joules = {18000, 18800}},
      {.knobs = {"250"}, .gpus = 1, .seconds = {100, 104, 99}, .joules = {20000, 20500, 20100}}};
}

TEST(JudgeTradeOff, SharesAndIntervalsOfTwoPointsAreThoseOfABivariateT) {
  ParetoOptions options = options_at({1});
  options.draws = 400000;
  const Pareto pareto = judge_trade_off(two_caps(), kCap, options);
  EXPECT_EQ(pareto.dof, 3);
  EXPECT_NEAR(*pareto.sigma_time, 0.02427462, 1e-8);
  EXPECT_NEAR(*pareto.sigma_energy, 0.02070782, 1e-8);
  EXPECT_NEAR(*pareto.correlation, 0.8315341074100167, 1e-12);
  const ParetoPoint& capped = pareto.points[0];
  const ParetoPoint& base = pareto.points[1];
  EXPECT_NEAR(capped.time_saving->estimate, -0.034653465346534684, 1e-14);
  EXPECT_NEAR(capped.time_saving->ci->lower, -0.11025340177168164, 0.0008);
  EXPECT_NEAR(capped.time_saving->ci->upper, 0.03579868195374569, 0.0008);
  EXPECT_NEAR(capped.energy_saving->ci->lower, 0.03262819442921505, 0.0006);
  EXPECT_NEAR(capped.energy_saving->ci->upper, 0.14229195905864644, 0.0006);
  EXPECT_NEAR(*base.frontier_share, 0.8891785284855568, 0.002);
  EXPECT_NEAR(*capped.frontier_share, 0.9921178945636191, 0.0007);
  EXPECT_NEAR(*capped.costs[0].optimum_share, 0.9920330478210555, 0.0007);
  EXPECT_FALSE(*base.surely_dominated);
  EXPECT_FALSE(base.time_saving->ci);  // The default against itself.
}

// Two-sided 95 % for six treatments against a control, three runs each, 14 degrees of freedom.
// tests/energy/oracle/pareto.py gives 2.91244; Dunnett (1964) has 2.91 by interpolation.
TEST(JudgeTradeOff, IntervalsHoldForAllPointsAtOnceAsDunnetts) {
  std::vector<KnobRuns> points;
  for (int i = 1; i <= 7; ++i) {
    points.push_back({.knobs = {std::to_string(i)},
                      .gpus = 1,
                      .seconds = {100, 110, 121},
                      .joules = {1000, 1100.0 - i, 1200}});
  }
  ParetoOptions options = options_at({});
  options.draws = 400000;
  const Pareto pareto = judge_trade_off(points, kCap, options);
  ASSERT_EQ(pareto.dof, 14);
  // ln 1.1 is the standard deviation; the means are equal.
  const double half = std::log1p(-pareto.points[0].time_saving->ci->lower);
  EXPECT_NEAR(half / (std::log(1.1) * std::sqrt(2.0 / 3)), 2.9124373, 0.02);
}

TEST(JudgeTradeOff, DrawsAreTheSameForAnyNumberOfThreads) {
  ParetoOptions options = options_at({0, 0.5});
  options.draws = 60000;
  const Pareto one = judge_trade_off(two_caps(), kCap, options, 5);
  options.threads = 3;
  const Pareto three = judge_trade_off(two_caps(), kCap, options, 5);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(one.points[i].frontier_share, three.points[i].frontier_share);
    EXPECT_EQ(one.points[i].costs[1].optimum_share, three.points[i].costs[1].optimum_share);
  }
  EXPECT_EQ(one.points[0].time_saving->ci->lower, three.points[0].time_saving->ci->lower);
  options.seed = 2;
  EXPECT_NE(one.points[0].time_saving->ci->lower,
            judge_trade_off(two_caps(), kCap, options, 5).points[0].time_saving->ci->lower);
}

TEST(JudgeTradeOff, OneDegreeOfFreedomStaysWithinNumbers) {
  std::vector<KnobRuns> points = five_caps();
  points[1].seconds = {12, 12.5};
  points[1].joules = {3000, 3010};
  const Pareto pareto = judge_trade_off(points, kCap, options_at({0, 0.5, 1}));
  EXPECT_EQ(pareto.dof, 1);
  double sum = 0;
  for (const ParetoPoint& point : pareto.points) sum += *point.costs[1].optimum_share;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_LT(pareto.points[0].time_saving->ci->lower, pareto.points[0].time_saving->ci->upper);
}

TEST(JudgeTradeOff, RefusesWhatCannotBe) {
  ParetoOptions options = options_at({1.5});
  EXPECT_THROW(judge_trade_off(five_caps(), kCap, options), std::invalid_argument);
  options = options_at({0.5});
  options.max_power.reset();
  EXPECT_THROW(judge_trade_off(five_caps(), kCap, options), std::invalid_argument);
  EXPECT_THROW(judge_trade_off({}, kCap, options_at({1})), std::invalid_argument);
  EXPECT_THROW(judge_trade_off(std::vector{one_run("1", std::nan(""), 1)}, kCap, options_at({1})),
               std::invalid_argument);
}

/// A run table in its own file, read with these knobs.
MeasuredRuns read_text(const std::string& text, std::vector<std::string> knobs,
                       bool total_power = false) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "runs.csv", text);
  MeasureOptions measures;
  measures.has_x = false;
  measures.gpus_if_there = true;
  measures.total_power = total_power;
  measures.factors = std::move(knobs);
  return read_measured_runs({(folder.path() / "runs.csv").string()}, measures, {});
}

TEST(ParetoEach, PowerOfOneGpuTimesTheirNumberIsEnergyThoughThatIsAKnob) {
  const std::string table = "gpus,seconds,power_w\n2,10,100\n4,6,90\n";
  const auto groups = pareto_each(read_text(table, {"gpus"}), options_at({0.5}));
  EXPECT_EQ(std::get<Pareto>(groups.at(0).result).points.at(0).joules, 2000);
  EXPECT_EQ(std::get<Pareto>(groups.at(0).result).points.at(1).joules, 2160);
  EXPECT_EQ(std::get<Pareto>(groups.at(0).result).points.at(1).gpus, 4);
  const auto total = pareto_each(read_text(table, {"gpus"}, true), options_at({0.5}));
  EXPECT_EQ(std::get<Pareto>(total.at(0).result).points.at(1).joules, 540);
}

TEST(ParetoEach, GroupsAreJudgedApart) {
  const auto groups = pareto_each(
      read_text("model,cap,seconds,joules\nB,100,3,3\nA,250,1,2\nA,100,2,1\nB,250,1,1\n", {"cap"}),
      options_at({0.5}));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].group, GroupKey{"A"});
  EXPECT_THAT(std::get<Pareto>(groups[0].result).frontier, ElementsAre(1, 0));
  EXPECT_THAT(std::get<Pareto>(groups[1].result).frontier, ElementsAre(1));
}

TEST(ParetoEach, NamesMistakesInTheDefault) {
  const MeasuredRuns runs =
      read_text("batch_size,cap,seconds,joules\n8,100,3,3\n16,250,1,1\n", {"batch_size", "cap"});
  const auto message_of = [&](std::vector<KnobValue> wanted) -> std::string {
    ParetoOptions options = options_at({0.5});
    options.default_knobs = std::move(wanted);
    try {
      pareto_each(runs, options);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message_of({{"batchsize", "8"}}),
            "--default names \"batchsize\", which is no knob (did you mean 'batch_size'?); knobs "
            "are: batch_size, cap");
  EXPECT_THAT(message_of({{"cap", "100"}}), HasSubstr("leaves out the knob 'batch_size'"));
  EXPECT_THAT(message_of({{"batch_size", "8"}, {"batch_size", "9"}}), HasSubstr("twice"));
  EXPECT_EQ(message_of({{"batch_size", "9"}}),
            "no run has the default, batch_size 9; points are: 8 x 100, 16 x 250");
}

std::optional<PowerLimits> limits_of(const std::string& text, std::vector<std::string> knobs) {
  return greatest_power_limits(read_text(text, std::move(knobs)).observations);
}

TEST(GreatestPowerLimits, AreOfTheWholeTableWhateverTheUnitWhereNothingTellsTheHardware) {
  const std::string rows = "A,8,100 W,1,1\nA,8,250 W,1,1\nB,8,300 W,1,1\n";
  const auto limits = limits_of("model,batch,power_limit,seconds,joules\n" + rows, {"power_limit"});
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->column, "power_limit");
  EXPECT_THAT(limits->watts, ElementsAre(300, 300, 300));
  EXPECT_FALSE(limits->varies());
  EXPECT_EQ(limits->smallest_greatest, 250);  // Model A has no greater limit.
  EXPECT_FALSE(limits_of("batch,seconds,joules\n8,1,1\n", {"batch"}));
}

const std::string kTwoKinds =
    "accelerator,power_limit,seconds,joules\n"
    "V100,100,10,1000\nV100,250,8,1500\nA40,100,9,900\nA40,300,6,1400\n";

TEST(GreatestPowerLimits, AreOfEachKindOfHardware) {
  const auto limits = limits_of(kTwoKinds, {"power_limit"});
  ASSERT_TRUE(limits && limits->varies());
  EXPECT_THAT(limits->hardware, ElementsAre("accelerator"));
  EXPECT_EQ(limits->kinds.at(0).kind, GroupKey{"A40"});
  EXPECT_EQ(limits->kinds.at(0).watts, 300);
  EXPECT_THAT(limits->watts, ElementsAre(300, 300, 250, 250));
  EXPECT_THROW(limits_of("accelerator,cap,seconds,joules\nA,100,1,1\nB,off,1,1\n", {"cap"}),
               DataError);
}

TEST(ParetoEach, EachKindOfHardwareIsPricedAtItsOwnLimit) {
  ParetoOptions options = options_at({0, 0.5});
  options.max_power.reset();
  const MeasuredRuns runs = read_text(kTwoKinds, {"power_limit"});
  const auto limits = greatest_power_limits(runs.observations);
  const auto groups = pareto_each(runs, options, limits->watts);
  EXPECT_THAT(costs(std::get<Pareto>(groups.at(0).result), 0),
              ElementsAre(2700, 1800));  // A40: 300 W.
  EXPECT_THAT(costs(std::get<Pareto>(groups.at(1).result), 0),
              ElementsAre(2500, 2000));  // V100: 250 W.
  EXPECT_THAT(costs(std::get<Pareto>(groups.at(1).result), 1), ElementsAre(1750, 1750));
  EXPECT_EQ(std::get<Pareto>(groups.at(1).result).ranges.size(), 2U);
  EXPECT_EQ(std::get<Pareto>(groups.at(1).result).points.at(0).max_power, 250);
  // With the kind as a knob, each point has its own limit.
  const MeasuredRuns chosen = read_text(kTwoKinds, {"accelerator", "power_limit"});
  const auto one = pareto_each(chosen, options, greatest_power_limits(chosen.observations)->watts);
  EXPECT_THAT(costs(std::get<Pareto>(one.at(0).result), 0), ElementsAre(2700, 1800, 2500, 2000));
}

TEST(ParetoEach, ManyGroupsAreTheSameForAnyNumberOfThreads) {
  std::string table = "model,cap,seconds,joules\n";
  for (int group = 0; group < 40; ++group) {
    for (const char* row : {",100,10,500\n", ",100,11,520\n", ",250,8,600\n", ",250,8.5,580\n"}) {
      table += 'm';
      table += std::to_string(group);
      table += row;
    }
  }
  const MeasuredRuns runs = read_text(table, {"cap"});
  ParetoOptions options = options_at({0.5});
  const auto one = pareto_each(runs, options);
  options.threads = 4;
  const auto four = pareto_each(runs, options);
  ASSERT_EQ(four.size(), 40U);
  for (std::size_t i = 0; i < four.size(); ++i) {
    EXPECT_EQ(four[i].group, one[i].group);
    for (std::size_t point = 0; point < 2; ++point) {
      const ParetoPoint& a = std::get<Pareto>(one[i].result).points[point];
      const ParetoPoint& b = std::get<Pareto>(four[i].result).points[point];
      EXPECT_EQ(a.frontier_share, b.frontier_share);
      EXPECT_EQ(a.costs[0].optimum_share, b.costs[0].optimum_share);
    }
    EXPECT_EQ(std::get<Pareto>(one[i].result).points[0].energy_saving->ci->lower,
              std::get<Pareto>(four[i].result).points[0].energy_saving->ci->lower);
  }
}

TEST(PointsOfMixedGpus, CountsPointsThatPoolSizes) {
  const std::string table = "cap,gpus,seconds,joules\n100,2,1,1\n100,4,1,1\n250,2,1,1\n";
  EXPECT_EQ(points_of_mixed_gpus(read_text(table, {"cap"})), 1U);
  EXPECT_EQ(points_of_mixed_gpus(read_text(table, {"cap", "gpus"})), 0U);
}

/// Measurements that are not part of the project may be here.
const fs::path kZeusData = source_folder() / "../shared/data/zeus";

/// Fields of the rows of a CSV without quotes, after its header.
std::vector<std::vector<std::string>> rows_of(const fs::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(read_bytes(file));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    auto& row = rows.emplace_back();
    while (std::getline(fields, field, ',')) row.push_back(field);
  }
  return rows;
}

/// Both power traces in one table, with the GPU in front.
std::string both_traces() {
  std::string table =
      "gpu,dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n";
  for (const std::string gpu : {"v100", "a40"}) {
    std::istringstream lines(read_bytes(kZeusData / ("summary_power_" + gpu + ".csv")));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) table += gpu + "," + line + "\n";
  }
  return table;
}

/// The groups of one trace, or of both traces with the GPU as the first group column.
std::map<GroupKey, Pareto> zeus_groups(const fs::path& file, bool with_gpu) {
  MeasureOptions measures;
  measures.has_x = false;
  measures.time = "time_per_epoch";
  measures.power = "average_power";
  measures.total_power = true;
  measures.by = {"dataset", "network", "optimizer", "batch_size"};
  if (with_gpu) measures.by.insert(measures.by.begin(), "gpu");
  measures.factors = {"power_limit"};
  const MeasuredRuns runs = read_measured_runs({file.string()}, measures, {});
  ParetoOptions options;
  options.etas = {0, 0.5, 1};
  const auto limits = greatest_power_limits(runs.observations);
  std::map<GroupKey, Pareto> groups;
  for (GroupPareto& group : pareto_each(runs, options, limits->watts)) {
    groups.emplace(group.group, std::get<Pareto>(std::move(group.result)));
  }
  return groups;
}

/// Zeus's figures for a batch size at an eta: a row of reference_power_limits.csv.
void expect_row(const std::vector<std::string>& row, const Pareto& pareto) {
  const std::size_t eta = row[5] == "0.0" ? 0 : row[5] == "0.5" ? 1 : 2;
  const ParetoPoint& best = pareto.points[pareto.optima[eta].point];
  EXPECT_EQ(best.knobs.front(), row[6]);
  EXPECT_NEAR(best.costs[eta].joules / std::stod(row[7]), 1, 1e-14);
  EXPECT_NEAR(best.seconds / std::stod(row[8]), 1, 1e-14);
  EXPECT_NEAR(best.joules / best.seconds / std::stod(row[9]), 1, 1e-14);
}

// reference_power_limits.csv has the columns gpu, dataset, network, optimizer, batch_size, eta,
// best_power_limit_w, epoch_cost_j, time_per_epoch_s and average_power_w. Zeus computed it.
TEST(JudgeTradeOff, FindsEveryPowerLimitThatZeusFinds) {
  const auto file = kZeusData / "reference_power_limits.csv";
  if (!fs::exists(file)) GTEST_SKIP() << "no measurements here";
  const auto rows = rows_of(file);
  EXPECT_EQ(rows.size(), 303U);
  std::map<std::string, std::map<GroupKey, Pareto>> groups;
  for (const char* gpu : {"v100", "a40"}) {
    groups[gpu] = zeus_groups(kZeusData / ("summary_power_" + std::string(gpu) + ".csv"), false);
  }
  for (const auto& row : rows) {
    expect_row(row, groups[row[0]].at({row[1], row[2], row[3], row[4]}));
  }
}

TEST(JudgeTradeOff, FindsThemAsWellWithBothGpusInOneTable) {
  const auto file = kZeusData / "reference_power_limits.csv";
  if (!fs::exists(file)) GTEST_SKIP() << "no measurements here";
  const TemporaryFolder folder;
  write_bytes(folder.path() / "both.csv", both_traces());
  const auto groups = zeus_groups(folder.path() / "both.csv", true);
  for (const auto& row : rows_of(file)) {
    expect_row(row, groups.at({row[0], row[1], row[2], row[3], row[4]}));
  }
}

/// A sweep of one workload: start_time, window_name with the limit, elapsed_time, J of each GPU.
std::vector<KnobRuns> sweep_of(const fs::path& file) {
  std::vector<KnobRuns> points;
  for (const auto& row : rows_of(file)) {
    double joules = 0;
    for (std::size_t i = 3; i < row.size(); ++i) joules += std::stod(row[i]);
    points.push_back({.knobs = {row[1].substr(row[1].rfind('_') + 1)},
                      .gpus = static_cast<double>(row.size() - 3),
                      .seconds = {std::stod(row[2])},
                      .joules = {joules}});
  }
  return {points.rbegin(), points.rend()};  // From the lowest limit upwards.
}

// Limit and cost in J at eta 0, 0.5 and 1, from Python: the minimum over limits of eta E + (1 -
// eta) 250 W gpus t.
TEST(JudgeTradeOff, AgreesWithADirectComputationOnZeusSweeps) {
  const auto folder = kZeusData / "../zeus_power_sweep";
  if (!fs::exists(folder)) GTEST_SKIP() << "no measurements here";
  struct Best {
    std::string file;
    std::vector<std::pair<std::string, double>> optima;
  };
  const std::vector<Best> sweeps{
      {"bert-base-uncased_gpu0",
       {{"250", 3341.9483892503195}, {"200", 3154.6603952558653}, {"125", 2400.313999999984}}},
      {"resnet18_gpu0-1",
       {{"250", 5176.832871511579}, {"100", 3476.3433322482306}, {"100", 1770.758999999991}}},
      {"resnet18_gpu0",
       {{"250", 2497.7625467290636}, {"150", 1997.8420727489574}, {"125", 1449.1879999999946}}},
      {"resnet50_gpu0-1",
       {{"250", 7639.3345014657825}, {"175", 6912.9470034781625}, {"125", 5120.901000000027}}},
      {"resnet50_gpu0",
       {{"250", 6668.633538240101}, {"175", 6211.375044241024}, {"150", 4830.296000000031}}},
      {"shufflenetv2_gpu0",
       {{"200", 439.6448102488648}, {"100", 348.05894274104503}, {"100", 198.14299999998184}}}};
  for (const Best& sweep : sweeps) {
    const auto points = sweep_of(folder / ("V100_" + sweep.file + ".csv"));
    const Pareto pareto = judge_trade_off(points, kCap, options_at({0, 0.5, 1}));
    for (std::size_t e = 0; e < 3; ++e) {
      const ParetoPoint& best = pareto.points[pareto.optima[e].point];
      EXPECT_EQ(best.knobs.front(), sweep.optima[e].first) << sweep.file;
      EXPECT_NEAR(best.costs[e].joules / sweep.optima[e].second, 1, 1e-14) << sweep.file;
    }
  }
}

}  // namespace
}  // namespace scalelaw::test
