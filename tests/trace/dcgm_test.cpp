#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/collect.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kDcgmTwoGpus =
    "#Entity   POWER       TOTEC         GPUTL  MCUTL  FBUSD  SMCLK  \n"
    "ID        W           mJ                                 \n"
    "GPU 1     120.500     3000000000    97     41     40536  1410   \n"
    "GPU 0     60.250      1500          0      0      4      345    \n"
    "GPU 1     121.500     3000121000    98     42     40536  1410   \n"
    "GPU 0     N/A         N/A           N/A    N/A    N/A    N/A    \n";

TEST(Dcgm, ReadsColumnsByTheirNames) {
  const CollectingSink read = samples_of(kDcgm, kDcgmTwoGpus);
  ASSERT_EQ(read.samples.size(), 4u);
  ASSERT_EQ(read.devices.size(), 2u);
  EXPECT_EQ(read.devices[0], (Device{.job = "", .node = "", .name = "1"}));
  EXPECT_EQ(read.devices[1].name, "0");
  EXPECT_EQ(read.samples[0].device, 0u);
  EXPECT_EQ(read.samples[0].power_w, 120.5);
  EXPECT_DOUBLE_EQ(read.samples[0].energy_j, 3'000'000);
  EXPECT_EQ(read.samples[0].sm_util_pct, 97);
  EXPECT_EQ(read.samples[0].mem_util_pct, 41);
  EXPECT_EQ(read.samples[0].mem_used_mib, 40536);
  EXPECT_DOUBLE_EQ(read.samples[1].energy_j, 1.5);
  EXPECT_TRUE(read.notes.empty());
}

TEST(Dcgm, NotAvailableIsNotMeasured) {
  const CollectingSink read = samples_of(kDcgm, kDcgmTwoGpus);
  ASSERT_EQ(read.samples.size(), 4u);
  EXPECT_TRUE(std::isnan(read.samples[3].power_w));
  EXPECT_TRUE(std::isnan(read.samples[3].energy_j));
  EXPECT_TRUE(std::isnan(read.samples[3].sm_util_pct));
  EXPECT_TRUE(std::isnan(read.samples[3].mem_util_pct));
  EXPECT_TRUE(std::isnan(read.samples[3].mem_used_mib));
}

TEST(Dcgm, CountsTicksInAnyOrderOfEntities) {
  const CollectingSink read =
      samples_of(kDcgm, kDcgmTwoGpus, {.columns = {}, .job_column = {}, .period_s = 0.1});
  ASSERT_EQ(read.samples.size(), 4u);
  EXPECT_EQ(read.samples[1].time_ns, 0);
  EXPECT_EQ(read.samples[2].time_ns, 100'000'000);
  EXPECT_EQ(read.samples[3].time_ns, 100'000'000);
}

TEST(Dcgm, ProfilingFractionsBecomePercent) {
  const CollectingSink read = samples_of(kDcgm,
                                         "#Entity   GRACT        SMACT        DRAMA\n"
                                         "ID\n"
                                         "GPU 2     0.984        0.75         0.25\n");
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_DOUBLE_EQ(read.samples[0].sm_util_pct, 75);
  EXPECT_DOUBLE_EQ(read.samples[0].mem_util_pct, 25);
  const CollectingSink active = samples_of(kDcgm, "#Entity   GRACT\nID\nGPU 2     0.5\n");
  ASSERT_EQ(active.samples.size(), 1u);
  EXPECT_DOUBLE_EQ(active.samples[0].sm_util_pct, 50);
}

TEST(Dcgm, UtilisationComesBeforeActivity) {
  const CollectingSink read = samples_of(kDcgm,
                                         "#Entity   GRACT   SMACT   GPUTL   DRAMA   MCUTL\n"
                                         "ID\n"
                                         "GPU 0     0.9     0.8     70      0.6     50\n"
                                         "GPU 0     0.9     0.8     N/A     0.6     N/A\n");
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[0].sm_util_pct, 70);
  EXPECT_EQ(read.samples[0].mem_util_pct, 50);
  EXPECT_TRUE(std::isnan(read.samples[1].sm_util_pct));  // Each series has one quantity.
}

TEST(Dcgm, BlankMarksAreNotMeasured) {
  const CollectingSink read = samples_of(
      kDcgm,
      "#Entity   POWER                TOTEC                GPUTL       FBUSD\n"
      "ID        W                    mJ\n"
      "GPU 0     140737488355328.000  9223372036854775792  2147483632  2147483634\n"
      "GPU 0     140737488355330.000  9223372036854775794  2147483635  9223372036854775793\n"
      "GPU 0     100                  2147483640           100         81920\n");
  ASSERT_EQ(read.samples.size(), 3u);
  for (const std::size_t row : {0, 1}) {
    EXPECT_TRUE(std::isnan(read.samples[row].power_w));
    EXPECT_TRUE(std::isnan(read.samples[row].energy_j));
    EXPECT_TRUE(std::isnan(read.samples[row].sm_util_pct));
    EXPECT_TRUE(std::isnan(read.samples[row].mem_used_mib));
  }
  // A counter after two hours at 300 W exceeds the mark of a blank of 32 bits.
  EXPECT_DOUBLE_EQ(read.samples[2].energy_j, 2'147'483.640);
  EXPECT_TRUE(read.notes.empty());
}

TEST(Dcgm, ReadsTheStampOfAWrapper) {
  const CollectingSink read = samples_of(kDcgm,
                                         "1777708107.001 #Entity   POWER\n"
                                         "1777708107.002 ID        W\n"
                                         "1777708107.135 GPU 0     120.5\n"
                                         "1777708108.140 #Entity   POWER\n"
                                         "1777708108.140 ID        W\n"
                                         "1777708108.141 GPU 0     121.5\n"
                                         "GPU 0     122.5\n");
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[0].time_ns, 1'777'708'107'135'000'000);
  EXPECT_EQ(read.samples[1].time_ns, 1'777'708'108'141'000'000);
  EXPECT_EQ(read.samples[1].power_w, 121.5);
  ASSERT_EQ(read.notes.size(), 1u);  // The row without a stamp.
  EXPECT_EQ(read.notes[0].oddity, TraceOddity::kForeignLine);
  EXPECT_EQ(read.notes[0].line, 7u);
}

TEST(Dcgm, InstancesTellTheUtilisationAndTheGpuThePower) {
  const CollectingSink read = samples_of(kDcgm,
                                         "  # Entity  POWER   TOTEC  GPUTL  SMACT  DRAMA  FBUSD\n"
                                         "      Id\n"
                                         "   GPU 0    300.5   1000   N/A    0.5    0.25   30000\n"
                                         "   GPU-I 0  300.5   1000   N/A    0.25   0.125  10000\n"
                                         "   GPU-I 1  300.5   1000   N/A    0.75   0.375  20000\n"
                                         "   GPU 1    200     2000   90     0.5    0.5    5000\n"
                                         "   GPU 0    301.5   1000   N/A    0.5    0.25   30000\n");
  ASSERT_EQ(read.devices.size(), 4u);
  EXPECT_EQ(read.devices[0].name, "0");
  EXPECT_EQ(read.devices[1].name, "GPU-I 0");
  EXPECT_EQ(read.devices[2].name, "GPU-I 1");
  ASSERT_EQ(read.samples.size(), 5u);
  EXPECT_EQ(read.samples[0].power_w, 300.5);
  EXPECT_TRUE(std::isnan(read.samples[0].mem_util_pct));
  EXPECT_EQ(read.samples[0].mem_used_mib, 30000);
  EXPECT_TRUE(std::isnan(read.samples[1].power_w));
  EXPECT_TRUE(std::isnan(read.samples[1].energy_j));
  EXPECT_DOUBLE_EQ(read.samples[1].sm_util_pct, 25);
  EXPECT_DOUBLE_EQ(read.samples[1].mem_util_pct, 12.5);
  EXPECT_EQ(read.samples[1].mem_used_mib, 10000);
  EXPECT_DOUBLE_EQ(read.samples[2].sm_util_pct, 75);
  EXPECT_EQ(read.samples[3].sm_util_pct, 90);  // This GPU is not divided.
  EXPECT_EQ(read.samples[3].power_w, 200);
  EXPECT_TRUE(std::isnan(read.samples[4].mem_util_pct));
  EXPECT_EQ(read.samples[4].time_ns, 1'000'000'000);
}

TEST(Dcgm, AGpuKeepsItsUtilisationWhileItsInstancesTellNone) {
  const CollectingSink read = samples_of(kDcgm,
                                         "#Entity   SMACT\n"
                                         "ID\n"
                                         "GPU 0     0.5\n"
                                         "GPU-I 0   N/A\n"
                                         "GPU 0     0.5\n"
                                         "GPU-I 0   0.75\n"
                                         "GPU 0     0.5\n"
                                         "GPU-I 0   N/A\n");
  ASSERT_EQ(read.samples.size(), 6u);
  EXPECT_DOUBLE_EQ(read.samples[0].sm_util_pct, 50);
  EXPECT_TRUE(std::isnan(read.samples[2].sm_util_pct));
  EXPECT_TRUE(std::isnan(read.samples[4].sm_util_pct));
}

TEST(Dcgm, AGpuIsDividedWhereverABatchEnds) {
  for (int others = 180; others < 270; ++others) {
    std::string text = "#Entity   SMACT\nID\n";
    for (int gpu = 0; gpu < others; ++gpu) text += "GPU " + std::to_string(gpu + 10) + " 0.5\n";
    text += "GPU 0 0.5\nGPU-I 0 0.5\n";
    const CollectingSink read = samples_of(kDcgm, text);
    ASSERT_EQ(read.samples.size(), static_cast<std::size_t>(others) + 2);
    ASSERT_TRUE(std::isnan(read.samples[static_cast<std::size_t>(others)].sm_util_pct)) << others;
    ASSERT_DOUBLE_EQ(read.samples[static_cast<std::size_t>(others) - 1].sm_util_pct, 50);
  }
}

TEST(Dcgm, NotesLinesThatAreNoSample) {
  const CollectingSink read = samples_of(kDcgm,
                                         "Error: unable to connect\n"
                                         "#Entity   POWER  GPUTL\n"
                                         "ID        W\n"
                                         "Switch 0  12     3\n"
                                         "GPU 0     120\n"
                                         "GPU 0     120    97     5\n"
                                         "GPU x     120    97\n"
                                         "GPU 0     120    12...\n"
                                         "\n"
                                         "dmon was stopped do to receiving a signal\n");
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_TRUE(std::isnan(read.samples[0].sm_util_pct));
  EXPECT_EQ(read.count(TraceOddity::kForeignLine), 5u);
  EXPECT_EQ(read.count(TraceOddity::kBadCell), 1u);
  ASSERT_EQ(read.notes.size(), 6u);
  EXPECT_EQ(read.notes[5].line, 8u);
  EXPECT_EQ(read.notes[5].what, "12...");
}

TEST(Dcgm, TheHeaderComesAgainAndMayChange) {
  const CollectingSink read = samples_of(kDcgm,
                                         "#Entity   POWER  GPUTL\n"
                                         "ID        W\n"
                                         "GPU 0     120    97\n"
                                         "#Entity   POWER  GPUTL\n"
                                         "ID        W\n"
                                         "GPU 0     121    98\n"
                                         "#Entity   GPUTL  SMCLK  POWER\n"
                                         "ID                      W\n"
                                         "GPU 0     99     1410   122\n");
  ASSERT_EQ(read.samples.size(), 3u);
  EXPECT_EQ(read.samples[1].power_w, 121);
  EXPECT_EQ(read.samples[2].power_w, 122);
  EXPECT_EQ(read.samples[2].sm_util_pct, 99);
  EXPECT_EQ(read.samples[2].time_ns, 2'000'000'000);
  EXPECT_TRUE(read.notes.empty());
}

TEST(Dcgm, ALineOfTooManyWordsIsNoHeaderAndNoSample) {
  std::string many;
  for (int i = 0; i < 300; ++i) many += " 1";
  const CollectingSink read =
      samples_of(kDcgm, "# Entity" + many + "\n#Entity POWER\nID\nGPU 0" + many + "\nGPU 0 70\n");
  EXPECT_EQ(read.samples.size(), 1u);
  EXPECT_EQ(read.count(TraceOddity::kForeignLine), 2u);
}

TEST(Dcgm, DropsACutLastLineAndKeepsAWholeOne) {
  constexpr std::string_view kHeader = "#Entity   POWER  GPUTL\nID        W\nGPU 0     120    97\n";
  const CollectingSink cut = samples_of(kDcgm, std::string(kHeader) + "GPU 0     12");
  EXPECT_EQ(cut.samples.size(), 1u);
  ASSERT_EQ(cut.notes.size(), 1u);
  EXPECT_EQ(cut.notes[0].oddity, TraceOddity::kCutLine);
  EXPECT_EQ(cut.notes[0].line, 4u);
  const CollectingSink whole = samples_of(kDcgm, std::string(kHeader) + "GPU 0     121    98");
  EXPECT_EQ(whole.samples.size(), 2u);
  EXPECT_TRUE(whole.notes.empty());
  EXPECT_EQ(samples_of(kDcgm, std::string(kHeader) + "#Entity").samples.size(), 1u);
}

TEST(Dcgm, RefusesAFileWithoutAHeaderThatMeasures) {
  EXPECT_THROW(samples_of(kDcgm, ""), DataError);
  EXPECT_THROW(samples_of(kDcgm, "GPU 0     120    97\n"), DataError);
  EXPECT_THROW(samples_of(kDcgm, "#Entity   SMCLK\nID        MHz\nGPU 0     1410\n"), DataError);
}

TEST(Dcgm, IsRecognisedByItsHeader) {
  EXPECT_TRUE(kDcgm.recognises(kDcgmTwoGpus));
  EXPECT_TRUE(kDcgm.recognises("  # Entity  GRACT  SMACT\r\n      Id\r\n"));
  EXPECT_TRUE(kDcgm.recognises("1777708107.135 #Entity   POWER\n"));
  EXPECT_FALSE(kDcgm.recognises(""));
  EXPECT_FALSE(kDcgm.recognises("#Entity\n"));
  EXPECT_FALSE(kDcgm.recognises("#Entity,POWER\nGPU 0,120\n"));
  EXPECT_FALSE(kDcgm.recognises("# Entity of interest\n"));
  EXPECT_FALSE(kDcgm.recognises("# gpu   pwr\n# Idx     W\n    0    70\n"));
  EXPECT_FALSE(kDcgm.recognises("timestamp, index, power.draw [W]\n"));
}

TEST(Dcgm, MayBeCutAnywhere) {
  const CollectingSink whole = samples_of(kDcgm, kDcgmTwoGpus);
  for (std::size_t length = kDcgmTwoGpus.find("GPU 1"); length <= kDcgmTwoGpus.size(); ++length) {
    const CollectingSink read = samples_of(kDcgm, kDcgmTwoGpus.substr(0, length));
    ASSERT_LE(read.samples.size(), whole.samples.size());
    for (std::size_t i = 0; i < read.samples.size(); ++i) {
      ASSERT_EQ(read.samples[i].time_ns, whole.samples[i].time_ns) << length;
      ASSERT_EQ(read.samples[i].device, whole.samples[i].device) << length;
    }
    ASSERT_EQ(read.count(TraceOddity::kForeignLine), 0u) << length;
  }
}

TEST(Dcgm, ReadsTheSampleFiles) {
  const std::filesystem::path data = source_folder() / "../shared/data";
  const std::filesystem::path folder = data / "dcgm";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no sample files";
  const CollectingSink active =
      samples_of(kDcgm, test::read_bytes(folder / "dmon_active_3gpu.txt"));
  ASSERT_EQ(active.samples.size(), 3u);
  EXPECT_EQ(active.devices[0].name, "2");
  EXPECT_DOUBLE_EQ(active.samples[1].sm_util_pct, 92.6);
  EXPECT_DOUBLE_EQ(active.samples[1].mem_util_pct, 86.9);
  const CollectingSink instances =
      samples_of(kDcgm, test::read_bytes(folder / "dmon_mig_instances.txt"));
  ASSERT_EQ(instances.samples.size(), 3u);
  EXPECT_EQ(instances.devices[2].name, "GPU-I 1");
  EXPECT_TRUE(std::isnan(instances.samples[0].sm_util_pct));
  EXPECT_DOUBLE_EQ(instances.samples[2].sm_util_pct, 75);
  const CollectingSink energy =
      samples_of(kDcgm, test::read_bytes(folder / "dmon_power_energy_clock.txt"));
  ASSERT_EQ(energy.samples.size(), 4u);
  EXPECT_EQ(energy.samples[3].power_w, 131.5);
  EXPECT_DOUBLE_EQ(energy.samples[3].energy_j, 2.1);
  EXPECT_EQ(energy.samples[3].time_ns, 1'000'000'000);
  const CollectingSink first =
      samples_of(kDcgm, test::read_bytes(folder / "dmon_profiling_na_first.txt"));
  ASSERT_EQ(first.samples.size(), 2u);
  EXPECT_TRUE(std::isnan(first.samples[0].sm_util_pct));
  EXPECT_EQ(first.samples[1].sm_util_pct, 0);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const bool is_dmon = file.path().filename().string().starts_with("dmon_");
    EXPECT_EQ(kDcgm.recognises(test::read_bytes(file.path())), is_dmon) << file.path();
  }
  for (const auto& file : std::filesystem::directory_iterator(data / "nvidia_smi")) {
    EXPECT_FALSE(kDcgm.recognises(test::read_bytes(file.path()))) << file.path();
  }
}

}  // namespace
}  // namespace scalelaw
