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

constexpr std::string_view kDmonTwoGpus =
    "# gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk\n"
    "# Idx     W     C     C     %     %     %     %   MHz   MHz\n"
    "    0    73    37     -    29     4     0     0  2505   875\n"
    "    1    85    46     -    31     5     0     0  2505   849\n"
    "    0    74    37     -     -     -     0     0  2505   875\n"
    "    1     -    46     -    98    27     0     0  2505   849\n";

TEST(Dmon, ReadsColumnsByTheirNames) {
  const CollectingSink read = samples_of(kDmon, kDmonTwoGpus);
  ASSERT_EQ(read.samples.size(), 4u);
  ASSERT_EQ(read.devices.size(), 2u);
  EXPECT_EQ(read.devices[0], (Device{.job = "", .node = "", .name = "0"}));
  EXPECT_EQ(read.devices[1].name, "1");
  EXPECT_EQ(read.samples[1].device, 1u);
  EXPECT_EQ(read.samples[1].power_w, 85);
  EXPECT_EQ(read.samples[1].sm_util_pct, 31);
  EXPECT_EQ(read.samples[1].mem_util_pct, 5);
  EXPECT_TRUE(std::isnan(read.samples[1].mem_used_mib));
  EXPECT_TRUE(std::isnan(read.samples[1].energy_j));
  EXPECT_TRUE(read.notes.empty());
}

TEST(Dmon, ADashIsNotMeasured) {
  const CollectingSink read = samples_of(kDmon, kDmonTwoGpus);
  ASSERT_EQ(read.samples.size(), 4u);
  EXPECT_EQ(read.samples[2].power_w, 74);
  EXPECT_TRUE(std::isnan(read.samples[2].sm_util_pct));
  EXPECT_TRUE(std::isnan(read.samples[2].mem_util_pct));
  EXPECT_TRUE(std::isnan(read.samples[3].power_w));
}

TEST(Dmon, CountsTicksWhereThereIsNoTime) {
  const CollectingSink read =
      samples_of(kDmon, kDmonTwoGpus, {.columns = {}, .job_column = {}, .period_s = 2.5});
  ASSERT_EQ(read.samples.size(), 4u);
  EXPECT_EQ(read.samples[0].time_ns, 0);
  EXPECT_EQ(read.samples[1].time_ns, 0);
  EXPECT_EQ(read.samples[2].time_ns, 2'500'000'000);
  EXPECT_EQ(read.samples[3].time_ns, 2'500'000'000);
}

TEST(Dmon, ReadsDateAndTimeAsUtc) {
  const CollectingSink read = samples_of(kDmon,
                                         "#Date       Time        gpu    pwr     sm     fb \n"
                                         "#YYYYMMDD   HH:MM:SS    Idx      W      %     MB \n"
                                         " 20260529   23:59:59      0     15      -      2 \n"
                                         " 20260530   00:00:01      0    120     97  40536 \n");
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[0].time_ns, 1'780'099'199'000'000'000);
  EXPECT_EQ(read.samples[1].time_ns, 1'780'099'201'000'000'000);
  EXPECT_EQ(read.samples[1].power_w, 120);
  EXPECT_EQ(read.samples[1].sm_util_pct, 97);
  EXPECT_EQ(read.samples[1].mem_used_mib, 40536);
  EXPECT_TRUE(read.notes.empty());
}

TEST(Dmon, ATimeWithoutADateGoesOnBehindMidnight) {
  const CollectingSink read = samples_of(kDmon,
                                         "#Time        gpu    pwr\n"
                                         "#HH:MM:SS    Idx      W\n"
                                         " 23:59:59      0     15\n"
                                         " 00:00:01      0     16\n"
                                         " 00:00:00      0     17\n");
  ASSERT_EQ(read.samples.size(), 3u);
  EXPECT_EQ(read.samples[0].time_ns, 86'399'000'000'000);
  EXPECT_EQ(read.samples[1].time_ns, 86'401'000'000'000);
  EXPECT_EQ(read.samples[2].time_ns, 86'400'000'000'000);  // The clock was set back.
}

TEST(Dmon, ARowWithoutAValidTimeIsNoSample) {
  const CollectingSink read = samples_of(kDmon,
                                         "#Date       Time        gpu    pwr\n"
                                         "#YYYYMMDD   HH:MM:SS    Idx      W\n"
                                         " 20260230   10:00:00      0     15\n"
                                         " 2026053    10:00:00      0     15\n"
                                         " 20260530   10:00:61      0     15\n");
  EXPECT_TRUE(read.samples.empty());
  EXPECT_TRUE(read.devices.empty());
  EXPECT_EQ(read.count(TraceOddity::kForeignLine), 3u);
}

TEST(Dmon, TheHeaderComesAgainAndMayChange) {
  const CollectingSink read = samples_of(kDmon,
                                         "# gpu   pwr    sm\n"
                                         "# Idx     W     %\n"
                                         "    0    70     5\n"
                                         "# gpu   pwr    sm\n"
                                         "# Idx     W     %\n"
                                         "    0    71     6\n"
                                         "# gpu    sm   mem   pwr\n"
                                         "# Idx     %     %     W\n"
                                         "    0     7     3    72\n");
  ASSERT_EQ(read.samples.size(), 3u);
  EXPECT_EQ(read.samples[1].power_w, 71);
  EXPECT_EQ(read.samples[2].power_w, 72);
  EXPECT_EQ(read.samples[2].sm_util_pct, 7);
  EXPECT_EQ(read.samples[2].mem_util_pct, 3);
  EXPECT_EQ(read.samples[2].time_ns, 2'000'000'000);
  EXPECT_TRUE(read.notes.empty());
}

TEST(Dmon, ANameLineWithoutUnitsIsARemark) {
  const CollectingSink read = samples_of(kDmon,
                                         "# gpu   pwr    sm\n"
                                         "# Idx     W     %\n"
                                         "    0    70     5\n"
                                         "# gpu temperature too high\n"
                                         "    0    71     6\n");
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[1].power_w, 71);
}

TEST(Dmon, ALaterHeaderMayMeasureNothing) {
  const CollectingSink read = samples_of(kDmon,
                                         "# gpu   pwr    sm\n"
                                         "# Idx     W     %\n"
                                         "    0    70     5\n"
                                         "# gpu  mclk  pclk\n"
                                         "# Idx   MHz   MHz\n"
                                         "    0  7000  1350\n");
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_TRUE(std::isnan(read.samples[1].power_w));
  EXPECT_TRUE(std::isnan(read.samples[1].sm_util_pct));
}

TEST(Dmon, ALineOfTooManyWordsIsNoHeaderAndNoSample) {
  std::string many;
  for (int i = 0; i < 300; ++i) many += " 1";
  const CollectingSink read = samples_of(
      kDmon, "# gpu" + many + "\n# gpu   pwr\n# Idx     W\n    0" + many + "\n    0    70\n");
  EXPECT_EQ(read.samples.size(), 1u);
  EXPECT_EQ(read.count(TraceOddity::kForeignLine), 2u);
}

TEST(Dmon, DropsACutLastLineAndKeepsAWholeOne) {
  constexpr std::string_view kHeader =
      "# gpu   pwr    sm\n"
      "# Idx     W     %\n"
      "    0    70     5\n";
  const CollectingSink cut = samples_of(kDmon, std::string(kHeader) + "    0    7");
  EXPECT_EQ(cut.samples.size(), 1u);
  ASSERT_EQ(cut.notes.size(), 1u);
  EXPECT_EQ(cut.notes[0].oddity, TraceOddity::kCutLine);
  EXPECT_EQ(cut.notes[0].line, 4u);
  const CollectingSink whole = samples_of(kDmon, std::string(kHeader) + "    0    71     6");
  ASSERT_EQ(whole.samples.size(), 2u);
  EXPECT_EQ(whole.samples[1].sm_util_pct, 6);
  EXPECT_TRUE(whole.notes.empty());
  const CollectingSink header = samples_of(kDmon, std::string(kHeader) + "# gpu");
  EXPECT_EQ(header.samples.size(), 1u);
}

TEST(Dmon, NotesLinesThatAreNoSample) {
  const CollectingSink read =
      samples_of(kDmon,
                 "Failed to initialize NVML\n"
                 "# gpu   pwr    sm\n"
                 "# Idx     W     %\n"
                 "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.\n"
                 "GPU is lost\n"
                 "    0    70\n"
                 "    0    70     5     6\n"
                 "# a remark\n"
                 "\n"
                 "    0    70     5\n");
  ASSERT_EQ(read.samples.size(), 1u);
  ASSERT_EQ(read.notes.size(), 6u);
  EXPECT_EQ(read.count(TraceOddity::kForeignLine), 6u);
  EXPECT_EQ(read.notes[1].line, 4u);
  EXPECT_EQ(read.notes[2].what, "GPU is lost");
}

TEST(Dmon, TextInPlaceOfANumberIsNotMeasured) {
  const CollectingSink read = samples_of(kDmon,
                                         "# gpu   pwr    sm\n"
                                         "# Idx     W     %\n"
                                         "    0   ERR     5\n");
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_TRUE(std::isnan(read.samples[0].power_w));
  EXPECT_EQ(read.samples[0].sm_util_pct, 5);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_EQ(read.notes[0].oddity, TraceOddity::kBadCell);
  EXPECT_EQ(read.notes[0].line, 3u);
  EXPECT_EQ(read.notes[0].what, "ERR");
}

TEST(Dmon, RefusesAFileWithoutAHeaderThatMeasures) {
  EXPECT_THROW(samples_of(kDmon, ""), DataError);
  EXPECT_THROW(samples_of(kDmon, "    0    70     5\n"), DataError);
  EXPECT_THROW(samples_of(kDmon, "# gpu  mclk  pclk\n# Idx   MHz   MHz\n    0  7000  1350\n"),
               DataError);
}

TEST(Dmon, HandsOnManySamplesInOrder) {
  std::string text =
      "# gpu   pwr\r\n"
      "# Idx     W\r\n";
  for (int row = 0; row < 1000; ++row) text += "    0    " + std::to_string(row) + "\r\n";
  const CollectingSink read = samples_of(kDmon, text);
  ASSERT_EQ(read.samples.size(), 1000u);
  for (int row = 0; row < 1000; ++row) {
    ASSERT_EQ(read.samples[static_cast<std::size_t>(row)].power_w, row);
    ASSERT_EQ(read.samples[static_cast<std::size_t>(row)].time_ns, row * 1'000'000'000LL);
  }
}

TEST(Dmon, IsRecognisedByItsTwoHeaderLines) {
  EXPECT_TRUE(kDmon.recognises(kDmonTwoGpus));
  EXPECT_TRUE(kDmon.recognises("a sentence\r\n# gpu   pwr \r\n# Idx     W \r\n"));
  EXPECT_TRUE(kDmon.recognises("#Date Time gpu pwr\n#YYYYMMDD HH:MM:SS Idx W\n"));
  EXPECT_FALSE(kDmon.recognises(""));
  EXPECT_FALSE(kDmon.recognises("# gpu   pwr\n"));
  EXPECT_FALSE(kDmon.recognises("# gpu type, power\n0, 1\n"));
  EXPECT_FALSE(kDmon.recognises("#Entity   POWER\nID        W\nGPU 0     120.5\n"));
  EXPECT_FALSE(
      kDmon.recognises("# gpu        pid  type    sm   mem\n# Idx          #   C/G     %\n"));
  EXPECT_FALSE(kDmon.recognises("timestamp, index, power.draw [W]\n"));
  EXPECT_FALSE(kDmon.recognises("    Power Readings\n        Power Draw : 20.76 W\n"));
}

TEST(Dmon, MayBeCutAnywhere) {
  const CollectingSink whole = samples_of(kDmon, kDmonTwoGpus);
  for (std::size_t length = kDmonTwoGpus.find("    0"); length <= kDmonTwoGpus.size(); ++length) {
    const CollectingSink read = samples_of(kDmon, kDmonTwoGpus.substr(0, length));
    ASSERT_LE(read.samples.size(), whole.samples.size());
    for (std::size_t i = 0; i < read.samples.size(); ++i) {
      ASSERT_EQ(read.samples[i].time_ns, whole.samples[i].time_ns) << length;
      ASSERT_EQ(read.samples[i].device, whole.samples[i].device) << length;
    }
    ASSERT_EQ(read.count(TraceOddity::kForeignLine), 0u) << length;
  }
}

TEST(Dmon, ReadsTheSampleFiles) {
  const std::filesystem::path folder = source_folder() / "../shared/data/nvidia_smi";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no sample files";
  const CollectingSink cut =
      samples_of(kDmon, test::read_bytes(folder / "dmon_4gpu_pci_errors.txt"));
  EXPECT_EQ(cut.devices.size(), 4u);
  ASSERT_EQ(cut.samples.size(), 9u);
  EXPECT_EQ(cut.samples[6].power_w, 128);
  EXPECT_EQ(cut.samples[6].mem_util_pct, 27);
  EXPECT_EQ(cut.samples[8].time_ns, 2'000'000'000);
  // The last line of that file is cut, but has a line end.
  EXPECT_EQ(cut.count(TraceOddity::kForeignLine), 1u);
  const CollectingSink dated = samples_of(kDmon, test::read_bytes(folder / "dmon_date_time.txt"));
  ASSERT_EQ(dated.samples.size(), 2u);
  EXPECT_EQ(dated.samples[1].time_ns, 1'780'048'285'000'000'000);
  EXPECT_EQ(dated.samples[1].power_w, 5);
  EXPECT_EQ(dated.samples[1].mem_used_mib, 2);
  EXPECT_EQ(samples_of(kDmon, test::read_bytes(folder / "dmon_default_8col.txt")).samples.size(),
            9u);
  EXPECT_EQ(samples_of(kDmon, test::read_bytes(folder / "dmon_dashes.txt")).samples.size(), 2u);
  const CollectingSink wide =
      samples_of(kDmon, test::read_bytes(folder / "dmon_pucm_4gpu_trailing_space.txt"));
  ASSERT_EQ(wide.samples.size(), 4u);
  EXPECT_EQ(wide.samples[3].mem_used_mib, 48209);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const bool is_dmon = file.path().filename().string().starts_with("dmon_");
    EXPECT_EQ(kDmon.recognises(test::read_bytes(file.path())), is_dmon) << file.path();
  }
}

}  // namespace
}  // namespace scalelaw
