#include "trace/unit_bytes.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

/// Moments whose sums have more digits than a double has.
Moments awkward_moments() {
  Moments moments;
  for (int i = 0; i < 3000; ++i) moments.add(0.1 + i * 1e-3 + (i % 7) * 1e9);
  return moments;
}

UnitFigures awkward_figures() {
  UnitFigures unit;
  DeviceRow device{.job = "17", .node = "r1-n2", .gpu = "GPU-I 3", .figures = {}, .file = "a/b,c"};
  device.figures.samples = 3000;
  device.figures.dropped = 2;
  device.figures.trimmed = 1;
  device.figures.first_ns = -5;
  device.figures.last_ns = 1'700'000'000'000'000'001;
  device.figures.sm_util = awkward_moments();
  device.figures.power.add(250.25);
  device.figures.gap_s = 0.1;
  device.figures.longest_interval_s = 1.0 / 3;
  device.figures.period_s = 0.25;
  unit.devices.push_back(device);
  unit.records.push_back({.job = "18",
                          .facts = {{"benchmark", "bert"}, {"minutes", ""}},
                          .identity = {.system = "mlflow", .id = "18", .gpus = "8"},
                          .values = 7});
  unit.oddities[TraceOddity::kCutLine] = {2, "a:7"};
  unit.errors.emplace_back("b: no sample in it");
  unit.left_out.push_back(
      {{.why = TraceOddity::kFailedRun,
        .identity = {.system = "sacct", .id = "19", .cluster = "A", .submitted = "2024"}},
       "c:1"});
  return unit;
}

TEST(UnitBytes, FiguresComeBackToTheLastBit) {
  const UnitFigures unit = unit_figures_of(bytes_of(awkward_figures()));
  ASSERT_EQ(unit.devices.size(), 1u);
  const DeviceRow& device = unit.devices[0];
  EXPECT_EQ(device.job, "17");
  EXPECT_EQ(device.node, "r1-n2");
  EXPECT_EQ(device.gpu, "GPU-I 3");
  EXPECT_EQ(device.file, "a/b,c");
  EXPECT_EQ(device.figures.samples, 3000u);
  EXPECT_EQ(device.figures.dropped, 2u);
  EXPECT_EQ(device.figures.trimmed, 1u);
  EXPECT_EQ(device.figures.first_ns, -5);
  EXPECT_EQ(device.figures.last_ns, 1'700'000'000'000'000'001);
  EXPECT_EQ(device.figures.power.mean(), 250.25);
  EXPECT_EQ(device.figures.mem_util.mean(), std::nullopt);
  EXPECT_EQ(device.figures.energy_j, std::nullopt);
  EXPECT_EQ(device.figures.gap_s, 0.1);
  EXPECT_EQ(device.figures.longest_interval_s, 1.0 / 3);
  EXPECT_EQ(device.figures.period_s, 0.25);
  ASSERT_EQ(unit.records.size(), 1u);
  EXPECT_EQ(unit.records[0].job, "18");
  EXPECT_EQ(unit.records[0].facts[1].first, "minutes");
  EXPECT_EQ(unit.records[0].identity.system, "mlflow");
  EXPECT_EQ(unit.records[0].identity.gpus, "8");
  EXPECT_EQ(unit.records[0].values, 7u);
  EXPECT_EQ(unit.oddities.at(TraceOddity::kCutLine).count, 2u);
  EXPECT_EQ(unit.oddities.at(TraceOddity::kCutLine).first, "a:7");
  EXPECT_EQ(unit.errors, std::vector<std::string>{"b: no sample in it"});
  ASSERT_EQ(unit.left_out.size(), 1u);
  EXPECT_EQ(unit.left_out[0].run.why, TraceOddity::kFailedRun);
  EXPECT_EQ(unit.left_out[0].run.identity.system, "sacct");
  EXPECT_EQ(unit.left_out[0].run.identity.id, "19");
  EXPECT_EQ(unit.left_out[0].run.identity.cluster, "A");
  EXPECT_EQ(unit.left_out[0].run.identity.submitted, "2024");
  EXPECT_EQ(unit.left_out[0].place, "c:1");
}

TEST(UnitBytes, MomentsThatCameBackMergeAsThoseThatStayed) {
  const Moments stayed = awkward_moments();
  const Moments back = unit_figures_of(bytes_of(awkward_figures())).devices[0].figures.sm_util;
  Moments other;
  other.add(3.7);
  other.add(1e-3);
  Moments with_stayed = other;
  with_stayed.merge(stayed);
  Moments with_back = other;
  with_back.merge(back);
  EXPECT_EQ(back.mean(), stayed.mean());
  EXPECT_EQ(back.variation(), stayed.variation());
  EXPECT_EQ(back.largest(), stayed.largest());
  EXPECT_EQ(with_back.mean(), with_stayed.mean());
  EXPECT_EQ(with_back.variation(), with_stayed.variation());
}

TEST(UnitBytes, BytesThatAreCutOrDamagedAreRefused) {
  const std::string bytes = bytes_of(awkward_figures());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(unit_figures_of(std::string_view(bytes).substr(0, length)), DataError) << length;
  }
  std::string huge_count = bytes;
  for (std::size_t i = 8; i < 16; ++i) huge_count[i] = '\x7f';
  EXPECT_THROW(unit_figures_of(huge_count), DataError);
  EXPECT_THROW(unit_figures_of(bytes + "x"), DataError);
  UnitFigures backwards = awkward_figures();
  std::swap(backwards.devices[0].figures.first_ns, backwards.devices[0].figures.last_ns);
  EXPECT_THROW(unit_figures_of(bytes_of(backwards)), DataError);
}

}  // namespace
}  // namespace scalelaw
