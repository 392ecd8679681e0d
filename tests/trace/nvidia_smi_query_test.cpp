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

constexpr std::string_view kOneBlock =
    "    Power Readings\n"
    "        Power Management                  : Supported\n"
    "        Power Draw                        : 25.13 W\n"
    "        Power Limit                       : 250.00 W\n"
    "    Clocks\n"
    "        Graphics                          : 135 MHz\n";

constexpr std::string_view kTwoSnapshots =
    "\n"
    "==============NVSMI LOG==============\n"
    "\n"
    "Timestamp                                 : Sat Jun  3 11:59:25 2023\n"
    "Driver Version                            : 525.105.17\n"
    "\n"
    "Attached GPUs                             : 2\n"
    "GPU 00000000:01:00.0\n"
    "    Power Readings\n"
    "        Power Management                  : Supported\n"
    "        Power Draw                        : 20.76 W\n"
    "        Power Limit                       : 350.00 W\n"
    "    Power Samples\n"
    "        Duration                          : 89.98 sec\n"
    "        Max                               : 33.22 W\n"
    "GPU 00000000:41:00.0\n"
    "    Power Readings\n"
    "        Power Draw                        : 300.5 W\n"
    "\n"
    "==============NVSMI LOG==============\n"
    "\n"
    "Timestamp                                 : Sat Jun 10 00:00:00 2023\n"
    "Attached GPUs                             : 2\n"
    "GPU 00000000:01:00.0\n"
    "    Power Readings\n"
    "        Power Draw                        : 21.76 W\n"
    "GPU 00000000:41:00.0\n"
    "    Power Readings\n"
    "        Power Draw                        : 301.5 W\n";

TEST(NvidiaSmiQuery, ReadsABlockOfAnOldDriver) {
  const CollectingSink read = samples_of(kNvidiaSmiQuery, kOneBlock);
  ASSERT_EQ(read.samples.size(), 1u);
  ASSERT_EQ(read.devices.size(), 1u);
  EXPECT_EQ(read.devices[0], (Device{.job = "", .node = "", .name = "0"}));
  EXPECT_EQ(read.samples[0].power_w, 25.13);
  EXPECT_EQ(read.samples[0].time_ns, 0);
  EXPECT_TRUE(std::isnan(read.samples[0].sm_util_pct));
  EXPECT_TRUE(read.notes.empty());
}

TEST(NvidiaSmiQuery, ReadsSeveralGpusInSeveralSnapshots) {
  const CollectingSink read = samples_of(kNvidiaSmiQuery, kTwoSnapshots);
  ASSERT_EQ(read.devices.size(), 2u);
  EXPECT_EQ(read.devices[0].name, "00000000:01:00.0");
  EXPECT_EQ(read.devices[1].name, "00000000:41:00.0");
  ASSERT_EQ(read.samples.size(), 4u);
  EXPECT_EQ(read.samples[0].time_ns, 1'685'793'565'000'000'000);
  EXPECT_EQ(read.samples[0].power_w, 20.76);
  EXPECT_EQ(read.samples[1].device, 1u);
  EXPECT_EQ(read.samples[1].time_ns, 1'685'793'565'000'000'000);
  EXPECT_EQ(read.samples[1].power_w, 300.5);
  EXPECT_EQ(read.samples[3].device, 1u);
  EXPECT_EQ(read.samples[3].time_ns, 1'686'355'200'000'000'000);
  EXPECT_EQ(read.samples[3].power_w, 301.5);
  EXPECT_TRUE(read.notes.empty());
}

TEST(NvidiaSmiQuery, TakesTheDrawOfTheGpuOnly) {
  const CollectingSink read = samples_of(kNvidiaSmiQuery,
                                         "    Module Power Readings\n"
                                         "        Power Draw                 : 900.00 W\n"
                                         "    GPU Power Readings\n"
                                         "        Power Draw                 : 101.25 W\n"
                                         "        Current Power Limit        : 370.00 W\n"
                                         "    GPU Memory Power Readings\n"
                                         "        Power Draw                 : 33.00 W\n"
                                         "    Module Power Readings\n"
                                         "        Power Draw                 : N/A\n");
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_EQ(read.samples[0].power_w, 101.25);
}

TEST(NvidiaSmiQuery, PrefersTheAverageDraw) {
  const auto power_of = [](std::string_view draws) {
    const CollectingSink read =
        samples_of(kNvidiaSmiQuery, "    GPU Power Readings\n" + std::string(draws));
    return read.samples.size() == 1 ? read.samples[0].power_w : -1;
  };
  EXPECT_EQ(power_of("        Instantaneous Power Draw   : 19.07 W\n"
                     "        Average Power Draw         : 18.01 W\n"
                     "        Power Draw                 : 17.50 W\n"),
            18.01);
  EXPECT_EQ(power_of("        Average Power Draw         : N/A\n"
                     "        Instantaneous Power Draw   : 19.07 W\n"),
            19.07);
  EXPECT_EQ(power_of("        Power Draw                 : 17.50 W\n"), 17.5);
  EXPECT_TRUE(
      std::isnan(power_of("        Average Power Draw         : N/A\n"
                          "        Instantaneous Power Draw   : N/A\n")));
}

TEST(NvidiaSmiQuery, CountsTicksWhereThereIsNoTime) {
  const std::string text = std::string(kOneBlock) + std::string(kOneBlock);
  const CollectingSink read =
      samples_of(kNvidiaSmiQuery, text, {.columns = {}, .job_column = {}, .period_s = 5});
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[1].time_ns, 5'000'000'000);
}

TEST(NvidiaSmiQuery, LeavesOutASnapshotOfAnUnknownTime) {
  const CollectingSink read = samples_of(
      kNvidiaSmiQuery,
      "Timestamp                    : Sa 3. Jun 11:59:25 2023\n" + std::string(kOneBlock) +
          "Timestamp                    : Sat Jun  3 11:59:26 2023\n" + std::string(kOneBlock));
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_EQ(read.samples[0].time_ns, 1'685'793'566'000'000'000);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_EQ(read.notes[0].oddity, TraceOddity::kBadCell);
  EXPECT_EQ(read.notes[0].line, 1u);
}

TEST(NvidiaSmiQuery, LeavesOutWhatStandsBeforeTheFirstTime) {
  const CollectingSink read =
      samples_of(kNvidiaSmiQuery, std::string(kOneBlock) +
                                      "Timestamp                    : Sat Jun  3 11:59:26 2023\n" +
                                      std::string(kOneBlock));
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_EQ(read.samples[0].time_ns, 1'685'793'566'000'000'000);
  EXPECT_EQ(read.count(TraceOddity::kForeignLine), 1u);
}

TEST(NvidiaSmiQuery, NotesTextInPlaceOfADraw) {
  const CollectingSink read = samples_of(kNvidiaSmiQuery,
                                         "    Power Readings\n"
                                         "        Power Draw           : Unknown Error\n"
                                         "    Power Readings\n"
                                         "        Power Draw           : [N/A]\n"
                                         "    Power Readings\n"
                                         "        Power Draw           : 20.76\n");
  ASSERT_EQ(read.samples.size(), 3u);
  for (const Sample& sample : read.samples) EXPECT_TRUE(std::isnan(sample.power_w));
  ASSERT_EQ(read.notes.size(), 2u);
  EXPECT_EQ(read.count(TraceOddity::kBadCell), 2u);
  EXPECT_EQ(read.notes[0].what, "Power Draw           : Unknown Error");
  EXPECT_EQ(read.notes[1].line, 6u);
}

TEST(NvidiaSmiQuery, NotesSentencesOfTheDriver) {
  const CollectingSink read =
      samples_of(kNvidiaSmiQuery,
                 std::string(kTwoSnapshots) +
                     "Unable to determine the device handle for GPU0000:81:00.0: GPU is lost.\n" +
                     std::string(kTwoSnapshots));
  EXPECT_EQ(read.samples.size(), 8u);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_EQ(read.notes[0].oddity, TraceOddity::kForeignLine);
  EXPECT_EQ(read.notes[0].line, 30u);
}

TEST(NvidiaSmiQuery, MayBeCutAnywhere) {
  const CollectingSink whole = samples_of(kNvidiaSmiQuery, kTwoSnapshots);
  for (std::size_t length = kTwoSnapshots.find("20.76 W") + 7; length <= kTwoSnapshots.size();
       ++length) {
    const CollectingSink read = samples_of(kNvidiaSmiQuery, kTwoSnapshots.substr(0, length));
    ASSERT_LE(read.samples.size(), whole.samples.size());
    ASSERT_GE(read.samples.size(), 1u);
    for (std::size_t i = 0; i < read.samples.size(); ++i) {
      ASSERT_EQ(read.samples[i].time_ns, whole.samples[i].time_ns) << length;
      ASSERT_EQ(read.samples[i].device, whole.samples[i].device) << length;
      ASSERT_EQ(read.samples[i].power_w, whole.samples[i].power_w) << length;
    }
    ASSERT_EQ(read.count(TraceOddity::kForeignLine), 0u) << length;
    ASSERT_EQ(read.count(TraceOddity::kBadCell), 0u) << length;
  }
}

TEST(NvidiaSmiQuery, NotesACutDraw) {
  for (const char* cut : {"", " 2", " 20.7", " N/"}) {
    const CollectingSink read = samples_of(
        kNvidiaSmiQuery, std::string(kOneBlock) + "    Power Readings\n        Power Draw :" + cut);
    EXPECT_EQ(read.samples.size(), 1u) << cut;
    EXPECT_EQ(read.count(TraceOddity::kCutLine), 1u) << cut;
  }
}

TEST(NvidiaSmiQuery, RefusesAFileWithoutADraw) {
  EXPECT_THROW(samples_of(kNvidiaSmiQuery, ""), DataError);
  EXPECT_THROW(samples_of(kNvidiaSmiQuery, "No devices were found\n"), DataError);
  EXPECT_THROW(samples_of(kNvidiaSmiQuery, "    Clocks\n        Graphics : 135 MHz\n"), DataError);
}

TEST(NvidiaSmiQuery, IsRecognisedByItsBannerOrABlockOfPower) {
  EXPECT_TRUE(kNvidiaSmiQuery.recognises(kOneBlock));
  EXPECT_TRUE(kNvidiaSmiQuery.recognises(kTwoSnapshots));
  EXPECT_TRUE(kNvidiaSmiQuery.recognises("==============NVSMI LOG==============\r\n"));
  EXPECT_TRUE(kNvidiaSmiQuery.recognises(
      "    GPU Power Readings\r\n        Average Power Draw    : 18.01 W\r\n"));
  EXPECT_FALSE(kNvidiaSmiQuery.recognises(""));
  EXPECT_FALSE(kNvidiaSmiQuery.recognises("NVSMI LOG\n"));
  EXPECT_FALSE(kNvidiaSmiQuery.recognises("Power Readings\npower,1\n"));
  EXPECT_FALSE(kNvidiaSmiQuery.recognises("    Module Power Readings\n        Power Draw : 1 W\n"));
  EXPECT_FALSE(kNvidiaSmiQuery.recognises("Power Draw : 20 W\n"));
  EXPECT_FALSE(kNvidiaSmiQuery.recognises("timestamp, index, power.draw [W]\n"));
  EXPECT_FALSE(kNvidiaSmiQuery.recognises("# gpu   pwr\n# Idx     W\n    0    70\n"));
}

TEST(NvidiaSmiQuery, ReadsTheSampleFiles) {
  const std::filesystem::path data = source_folder() / "../shared/data";
  const std::filesystem::path folder = data / "nvidia_smi";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no sample files";
  const CollectingSink old =
      samples_of(kNvidiaSmiQuery, test::read_bytes(folder / "q_power_old_v100_block.txt"));
  ASSERT_EQ(old.samples.size(), 1u);
  EXPECT_EQ(old.samples[0].power_w, 25.13);
  const CollectingSink full =
      samples_of(kNvidiaSmiQuery, test::read_bytes(folder / "q_power_525_full.txt"));
  ASSERT_EQ(full.samples.size(), 1u);
  EXPECT_EQ(full.devices[0].name, "00000000:01:00.0");
  EXPECT_EQ(full.samples[0].power_w, 20.76);
  EXPECT_EQ(full.samples[0].time_ns, 1'685'793'565'000'000'000);
  const CollectingSink newer =
      samples_of(kNvidiaSmiQuery, test::read_bytes(folder / "q_power_new_average_instant.txt"));
  ASSERT_EQ(newer.samples.size(), 1u);
  EXPECT_EQ(newer.samples[0].power_w, 18.01);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const bool is_query = file.path().filename().string().starts_with("q_power_");
    EXPECT_EQ(kNvidiaSmiQuery.recognises(test::read_bytes(file.path())), is_query) << file.path();
  }
  for (const auto& file : std::filesystem::directory_iterator(data / "dcgm")) {
    EXPECT_FALSE(kNvidiaSmiQuery.recognises(test::read_bytes(file.path()))) << file.path();
  }
}

}  // namespace
}  // namespace scalelaw
