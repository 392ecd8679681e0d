#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/collect.hpp"
#include "trace/formats.hpp"

// Prometheus text, its JSON, and Grafana's CSV.
namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string series_message(const TraceFormat& format, std::string_view text) {
  try {
    samples_of(format, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// --- Text ---

/// As in the evidence on accelerator metrics of NVIDIA/aicr, with fewer labels.
const std::string kScrape =
    "# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).\n"
    "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
    "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-c4\",Hostname=\"n1\",container=\"main\","
    "pod=\"train-0\"} 113.611000\n"
    "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"GPU-bc\",Hostname=\"n1\"} 68.347000\n"
    "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-c4\",Hostname=\"n1\",container=\"main\","
    "pod=\"train-0\"} 97\n"
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"1\",UUID=\"GPU-bc\",Hostname=\"n1\"} 1500\n"
    "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",Hostname=\"n1\"} 0\n"
    "process_cpu_seconds_total 3.5\n";

TEST(PrometheusText, MakesASampleOfAGpuFromItsSeries) {
  const CollectingSink sink = samples_of(kPrometheusText, kScrape);
  ASSERT_EQ(sink.samples.size(), 2U);
  EXPECT_EQ(sink.devices[0], (Device{"train-0", "n1", "0"}));
  EXPECT_EQ(sink.devices[1], (Device{"", "n1", "1"}));
  EXPECT_EQ(sink.samples[0].power_w, 113.611);
  EXPECT_EQ(sink.samples[0].sm_util_pct, 97);
  EXPECT_EQ(sink.samples[1].energy_j, 1.5);
  EXPECT_TRUE(std::isnan(sink.samples[1].sm_util_pct));
  EXPECT_TRUE(sink.notes.empty());
}

TEST(PrometheusText, CountsAppendedScrapesAsTicks) {
  TraceOptions options;
  options.period_s = 15;
  const CollectingSink sink = samples_of(kPrometheusText, kScrape + kScrape + kScrape, options);
  ASSERT_EQ(sink.samples.size(), 6U);
  EXPECT_EQ(sink.samples[2].time_ns, 30'000'000'000);
  EXPECT_EQ(sink.samples[2].device, 0U);
}

TEST(PrometheusText, ReadsTimeStampsInMillisecondsAndSeconds) {
  const CollectingSink sink =
      samples_of(kPrometheusText,
                 "{__name__=\"DCGM_FI_DEV_POWER_USAGE\",gpu=\"0\"} 100 1773114089943\n"
                 "{__name__=\"DCGM_FI_DEV_POWER_USAGE\",gpu=\"0\"} 101 1773114090.943\n"
                 "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 50 1773114089943\n"
                 "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} NaN 1773114090943\n");
  ASSERT_EQ(sink.samples.size(), 2U);
  EXPECT_EQ(sink.samples[0].time_ns, 1773114089943000000);
  EXPECT_EQ(sink.samples[1].time_ns, 1773114090943000000);
  EXPECT_EQ(sink.samples[0].sm_util_pct, 50);
  EXPECT_TRUE(std::isnan(sink.samples[1].sm_util_pct));
}

TEST(PrometheusText, GivesTheBoardItsPowerAndInstancesTheirUse) {
  const CollectingSink sink =
      samples_of(kPrometheusText,
                 "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",GPU_I_PROFILE=\"3g.20gb\",GPU_I_ID=\"1\"} 250\n"
                 "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",GPU_I_PROFILE=\"3g.20gb\",GPU_I_ID=\"2\"} 250\n"
                 "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",GPU_I_ID=\"1\"} 0.5\n"
                 "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",GPU_I_ID=\"2\"} 0.25\n");
  ASSERT_EQ(sink.devices.size(), 3U);
  EXPECT_EQ(sink.devices[0].name, "0");
  EXPECT_EQ(sink.devices[1].name, "GPU-I 0.1");
  ASSERT_EQ(sink.samples.size(), 3U);
  EXPECT_EQ(sink.samples[0].power_w, 250);
  EXPECT_EQ(sink.samples[1].sm_util_pct, 50);
}

TEST(PrometheusText, KnowsOtherExportersAndJobsOfSchedulers) {
  const CollectingSink sink =
      samples_of(kPrometheusText,
                 "dcgm_power_usage{gpu=\"0\",uuid=\"GPU-8f\"} 31.737\n"
                 "nvidia_smi_utilization_gpu_ratio{uuid=\"df6e\"} 0.5\n"
                 "nvidia_smi_memory_used_bytes{uuid=\"df6e\"} 1048576\n"
                 "DCGM_FI_DEV_FB_USED{gpu=\"3\",hpc_job=\"4711\",pod=\"x\",Hostname=\"n\"} 12\n"
                 "DCGM_FI_DEV_FB_USED{gpu=\"4\",pod=\"nvidia-dcgm-exporter-wq\",instance=\"10.0.0."
                 "1:9400\"} 9\n");
  ASSERT_EQ(sink.devices.size(), 4U);
  EXPECT_EQ(sink.devices[1].name, "df6e");
  EXPECT_EQ(sink.samples[1].sm_util_pct, 50);
  EXPECT_EQ(sink.samples[1].mem_used_mib, 1);
  EXPECT_EQ(sink.devices[2].job, "4711");
  EXPECT_EQ(sink.devices[3], (Device{"", "10.0.0.1", "4"}));
}

TEST(PrometheusText, NotesWhatIsNoSeriesAndRefusesOtherMetrics) {
  const CollectingSink sink =
      samples_of(kPrometheusText,
                 "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 10\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0} 10\n"
                 "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} many\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 1");
  EXPECT_EQ(sink.samples.size(), 1U);
  EXPECT_EQ(sink.count(TraceOddity::kForeignLine), 2U);
  EXPECT_EQ(sink.count(TraceOddity::kCutLine), 1U);
  EXPECT_THAT(series_message(kPrometheusText, "node_load1{instance=\"a\"} 3\n"),
              HasSubstr("node_load1"));
  EXPECT_FALSE(kPrometheusText.recognises("node_load1{instance=\"a\"} 3\n"));
  EXPECT_TRUE(kPrometheusText.recognises(kScrape));
  EXPECT_TRUE(kPrometheusText.recognises("# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).\n"));
  EXPECT_TRUE(kPrometheusText.recognises("# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"));
  EXPECT_FALSE(kPrometheusText.recognises("# HELP node_load1 1m load average.\n"));
}

// --- JSON ---

const std::string kMatrix =
    "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[\n"
    "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE\",\"gpu\":\"0\",\"Hostname\":\"n1\","
    "\"exported_pod\":\"train-0\",\"pod\":\"nvidia-dcgm-exporter-1\"},"
    "\"values\":[[1773114089.943,\"100.5\"],[1773114104.943,\"200\"],[1773114119.943,\"NaN\"]]},\n"
    "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_GPU_UTIL\",\"gpu\":\"0\",\"Hostname\":\"n1\","
    "\"exported_pod\":\"train-0\"},\"values\":[[1773114089.943,\"90\"],[1773114104.943,\"91\"]]}\n"
    "]}}";

TEST(PrometheusJson, JoinsSeriesOfOneGpu) {
  const CollectingSink sink = samples_of(kPrometheusJson, kMatrix);
  ASSERT_EQ(sink.devices.size(), 1U);
  EXPECT_EQ(sink.devices[0], (Device{"train-0", "n1", "0"}));
  ASSERT_EQ(sink.samples.size(), 3U);
  EXPECT_EQ(sink.samples[0].time_ns, 1773114089943000000);
  EXPECT_EQ(sink.samples[0].power_w, 100.5);
  EXPECT_EQ(sink.samples[1].sm_util_pct, 91);
  EXPECT_TRUE(std::isnan(sink.samples[2].power_w));
  EXPECT_EQ(sink.count(TraceOddity::kBadCell), 1U) << "NaN";
  EXPECT_EQ(sink.notes.size(), 1U);
}

TEST(PrometheusJson, ReadsVectorsSeveralAnswersAndExportedLines) {
  const CollectingSink sink = samples_of(
      kPrometheusJson,
      "{\"data\":{\"result\":[{\"value\":[5.5,\"7\"],\"metric\":{\"gpu\":\"1\",\"__name__\":"
      "\"DCGM_FI_DEV_FB_USED\"}}],\"resultType\":\"vector\"},\"status\":\"success\"}\n" +
          kMatrix +
          "\n{\"metric\":{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE\",\"gpu\":\"2\"},"
          "\"values\":[10,20.5],\"timestamps\":[1773114089943,1773114090943]}\n");
  ASSERT_EQ(sink.devices.size(), 3U);
  ASSERT_EQ(sink.samples.size(), 6U);
  EXPECT_EQ(sink.samples[0].time_ns, 5'500'000'000);
  EXPECT_EQ(sink.samples[0].mem_used_mib, 7);
  EXPECT_EQ(sink.samples[5].power_w, 20.5);
  EXPECT_EQ(sink.samples[5].time_ns, 1773114090943000000);
}

TEST(PrometheusJson, IsKnownByTheNameInAMetric) {
  EXPECT_TRUE(kPrometheusJson.recognises("{\"metric\": {\"__name__\": \"DCGM_FI_DEV_FB_USED\"}}"));
  EXPECT_FALSE(kPrometheusJson.recognises("{\"metric\": {\"loss\": 2.5}}"));
  EXPECT_FALSE(kPrometheusJson.recognises("{\"config\": {\"__name__\": \"bert\"}}"));
}

TEST(PrometheusJson, KeepsTheSeriesBeforeACutAndRefusesOtherText) {
  const CollectingSink sink = samples_of(kPrometheusJson, kMatrix.substr(0, kMatrix.size() - 20));
  EXPECT_EQ(sink.samples.size(), 3U);
  EXPECT_EQ(sink.count(TraceOddity::kCutLine), 1U);
  EXPECT_THAT(series_message(kPrometheusJson, kMatrix + "\n{\"a\":x}\n{}"), HasSubstr("trace:5: "));
  EXPECT_THAT(
      series_message(kPrometheusJson,
                     "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"too many\"}"),
      HasSubstr("answered with an error: \"too many\""));
  EXPECT_THAT(
      series_message(kPrometheusJson,
                     "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":"
                     "[{\"metric\":{},\"values\":[[1,\"2\"]]}]}}"),
      HasSubstr("(no name)"));
  std::string deep = "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":";
  deep += std::string(100'000, '[');
  EXPECT_NE(series_message(kPrometheusJson, deep), "");
  for (std::size_t length = 0; length < kMatrix.size(); ++length) {
    EXPECT_NO_THROW(series_message(kPrometheusJson, kMatrix.substr(0, length)));
  }
}

TEST(PrometheusJson, FilesOfAFolderTellOfOneRun) {
  const TemporaryFolder folder;
  const auto answer = [](const std::string& metric, const std::string& values) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{"
           "\"__name__\":\"" +
           metric + "\",\"gpu\":\"0\",\"Hostname\":\"n1\"},\"values\":[" + values + "]}]}}";
  };
  write_bytes(folder.path() / "run7_power.json",
              answer("DCGM_FI_DEV_POWER_USAGE", "[100,\"100\"],[110,\"200\"]"));
  write_bytes(folder.path() / "run7_power-2.json",
              answer("DCGM_FI_DEV_POWER_USAGE", "[120,\"200\"]"));
  write_bytes(folder.path() / "run7_util.json",
              answer("DCGM_FI_DEV_GPU_UTIL", "[100,\"50\"],[110,\"60\"]"));
  const IngestResult result = ingest(std::vector{folder.path().string()}, {});
  const auto cell = [&](std::size_t row, const std::string& name) -> std::string {
    for (std::size_t i = 0; i < result.table.names.size(); ++i) {
      if (result.table.names[i] == name) return result.table.rows.at(row)[i];
    }
    return "(none)";
  };
  ASSERT_EQ(result.table.rows.size(), 2U) << "run7-2 is another name";
  EXPECT_EQ(cell(0, "job_id"), "run7");
  EXPECT_EQ(cell(0, "gpus_seen"), "1");
  EXPECT_EQ(cell(0, "samples"), "2");
  EXPECT_EQ(cell(0, "energy_j"), "1500");
  EXPECT_EQ(cell(0, "sm_util_mean_pct"), "55");
}

TEST(PrometheusJson, FilesOfSeveralFoldersTellOfOneGpuOnce) {
  const auto answer = [](const std::string& metric, const std::string& values) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{"
           "\"__name__\":\"" +
           metric + "\",\"gpu\":\"0\",\"Hostname\":\"n1\",\"pod\":\"train\"},\"values\":[" +
           values + "]}]}}";
  };
  const std::string power = "DCGM_FI_DEV_POWER_USAGE";
  const std::string monday = answer(power, "[100,\"100\"],[110,\"200\"]");
  const auto table_of = [](const std::vector<std::string>& texts) {
    const TemporaryFolder folder;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const fs::path below = folder.path() / std::to_string(i);
      fs::create_directories(below);
      write_bytes(below / "q.json", texts[i]);
    }
    return ingest(std::vector{folder.path().string()}, {});
  };
  const auto cell = [](const IngestResult& result, const std::string& name) -> std::string {
    for (std::size_t i = 0; i < result.table.names.size(); ++i) {
      if (result.table.names[i] == name) return result.table.rows.at(0)[i];
    }
    return "(none)";
  };
  const IngestResult copies = table_of({monday, monday});
  EXPECT_EQ(cell(copies, "gpus_seen"), "1");
  EXPECT_EQ(cell(copies, "energy_j"), "1500");
  EXPECT_EQ(cell(copies, "samples_dropped"), "2");
  const IngestResult days = table_of({answer(power, "[200,\"300\"],[210,\"300\"]"), monday});
  EXPECT_EQ(cell(days, "gpus_seen"), "1");
  EXPECT_EQ(cell(days, "samples"), "4");
  EXPECT_EQ(cell(days, "energy_j"), "4500");
  EXPECT_EQ(cell(days, "duration_s"), "110");
  EXPECT_EQ(cell(days, "gap_s"), "90");
  EXPECT_EQ(cell(days, "power_mean_w"), "225");
  const IngestResult quantities =
      table_of({monday, answer("DCGM_FI_DEV_GPU_UTIL", "[101,\"50\"],[112,\"60\"]")});
  EXPECT_EQ(cell(quantities, "gpus_seen"), "1");
  EXPECT_EQ(cell(quantities, "sm_util_mean_pct"), "55");
  EXPECT_EQ(cell(quantities, "energy_j"), "1500");
  const IngestResult overlap = table_of({monday, answer(power, "[105,\"1\"],[106,\"1\"]")});
  EXPECT_THAT(overlap.warnings,
              testing::Contains(HasSubstr("1 GPU stands several times, from files that overlap")));
}

// --- Grafana ---

TEST(Grafana, ReadsMetricsWithLabels) {
  const CollectingSink sink = samples_of(
      kGrafana,
      "sep=,\n\"Time\",\"{__name__=\"\"DCGM_FI_DEV_POWER_USAGE\"\", gpu=\"\"0\"\", "
      "Hostname=\"\"n1\"\"}\",\"DCGM_FI_DEV_GPU_UTIL{gpu=\"\"0\"\", Hostname=\"\"n1\"\"}\"\n"
      "1704067200000,100.5,90\n1704067215000,,91\n");
  ASSERT_EQ(sink.devices.size(), 1U);
  ASSERT_EQ(sink.samples.size(), 2U);
  EXPECT_EQ(sink.samples[0].time_ns, 1704067200000000000);
  EXPECT_EQ(sink.samples[0].power_w, 100.5);
  EXPECT_TRUE(std::isnan(sink.samples[1].power_w));
  EXPECT_EQ(sink.samples[1].sm_util_pct, 91);
}

TEST(Grafana, ReadsLegendsByTheUnitOfTheirCellsOrTheNameOfThePanel) {
  const std::string text = "\"Time\",\"GPU 0\",\"GPU 1\"\n2024-03-05 15:53:24,113 W,0.2 kW\n";
  const CollectingSink watts = samples_of(kGrafana, text);
  ASSERT_EQ(watts.samples.size(), 2U);
  EXPECT_EQ(watts.samples[1].power_w, 200);
  EXPECT_EQ(watts.devices[1].name, "1");
  const std::string bare = "Time,GPU 0\n2024-03-05 15:53:24,55\n";
  EXPECT_THAT(series_message(kGrafana, bare),
              HasSubstr("nothing tells what column \"GPU 0\" measures"));
  StringStream stream(bare);
  CollectingSink sink;
  kGrafana.read_samples(stream, "x/GPU Utilization-data-2024-03-05 15_53_24.csv", {}, sink);
  EXPECT_EQ(sink.samples.at(0).sm_util_pct, 55);
}

TEST(Grafana, ReadsSeriesAsRows) {
  const std::string text =
      "sep=;\n\"Series\";\"Time\";\"Value\"\n\"GPU 0\";2024-01-02T10:00:00.000Z;100\n"
      "\"GPU 0\";2024-01-02T10:00:15.000Z;101\n\"GPU 1\";2024-01-02T10:00:00.000Z;200\n"
      "\"Temperature GPU 1\";2024-01-02T10:00:00.000Z;50\n"
      "\"Temperature GPU 1\";2024-01-02T10:00:15.000Z;51\n";
  EXPECT_TRUE(kGrafana.recognises(text));
  EXPECT_FALSE(kGrafana.recognises("Series,Time,Value\nload,2024-01-02 10:00:00,1\n"));
  StringStream stream(text);
  CollectingSink sink;
  kGrafana.read_samples(stream, "gpu_power.csv", {}, sink);
  ASSERT_EQ(sink.devices.size(), 2U);
  ASSERT_EQ(sink.samples.size(), 3U);
  EXPECT_EQ(sink.samples[1].power_w, 101);
  EXPECT_EQ(sink.samples[2].power_w, 200);
  EXPECT_EQ(sink.count(TraceOddity::kOtherSeries), 1U);
}

TEST(Grafana, TakesTheNameOfThePanelOnlyWhereNoLegendNamesAQuantity) {
  StringStream stream(
      "Time,Power Usage GPU 0,Temperature GPU 0,Total\n2024-01-02 10:00:00,100,50,500\n"
      "2024-01-02 10:00:15,101,51,500\n");
  CollectingSink sink;
  kGrafana.read_samples(stream, "gpu_power.csv", {}, sink);
  ASSERT_EQ(sink.devices.size(), 1U);
  EXPECT_EQ(sink.devices[0].node, "");
  ASSERT_EQ(sink.samples.size(), 2U);
  EXPECT_EQ(sink.samples[1].power_w, 101);
  EXPECT_EQ(sink.count(TraceOddity::kOtherSeries), 2U) << "a temperature, and a sum";
  StringStream mixed("Time,GPU 0,Fan GPU 0\n2024-01-02 10:00:00,100,50\n");
  EXPECT_THROW(kGrafana.read_samples(mixed, "gpu_power.csv", {}, sink), Error);
  StringStream shares("Time,GPU 0\n2024-01-02 10:00:00,50 %\n2024-01-02 10:00:15,60\n");
  CollectingSink none;
  kGrafana.read_samples(shares, "gpu_power.csv", {}, none);
  EXPECT_EQ(none.count(TraceOddity::kBadCell), 1U) << "a share is no power";
}

TEST(Grafana, TellsThatNoTimeCanBeRead) {
  EXPECT_THAT(series_message(kGrafana, "Time,GPU 0\n3/5/2024 3:53:24 PM,113 W\n"),
              HasSubstr("found \"3/5/2024 3:53:24 PM\""));
}

TEST(Grafana, NamesTheJobWithoutWordsOfQuantities) {
  const auto job = [](const std::string& path) { return kGrafana.origin(path).job; };
  EXPECT_EQ(job("runs/bert8/GPU Power Usage-data-as-joinbyfield-2024-03-05 15_53_24.csv"), "bert8");
  EXPECT_EQ(job("runs/run1_power.json"), "run1");
  EXPECT_EQ(job("runs/run1.json"), "run1");
  EXPECT_EQ(job("power.json"), "power");
}

TEST(Grafana, IsRecognisedByATimeAndAGpu) {
  EXPECT_TRUE(kGrafana.recognises("\"Time\",\"GPU 0\"\n"));
  EXPECT_FALSE(kGrafana.recognises("\"Time\",\"CPU\"\n"));
  EXPECT_FALSE(kGrafana.recognises("gpu,time\n"));
  EXPECT_THAT(series_message(kGrafana, "Time,CPU\n2024-03-05 15:53:24,1\n"),
              HasSubstr("the columns are Time, CPU"));
  EXPECT_NE(series_message(kGrafana, "\"Time,GPU 0\n\"1,2\n"), "") << "a broken quote";
  const CollectingSink sink =
      samples_of(kGrafana, "Time,GPU 0 power\nlater,1\n2024-03-05 15:53:24,x\n1,2\n3");
  EXPECT_EQ(sink.count(TraceOddity::kForeignLine), 1U);
  EXPECT_EQ(sink.count(TraceOddity::kBadCell), 1U);
  EXPECT_EQ(sink.count(TraceOddity::kCutLine), 1U);
}

TEST(PrometheusJson, CountsEveryPointWithoutTimeOrValue) {
  const CollectingSink sink = samples_of(
      kPrometheusJson,
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":)"
      R"("DCGM_FI_DEV_POWER_USAGE","gpu":"0"},"values":[[1714557600,"300"],["x","1"],["y","1"],)"
      R"([1714557620,null],[1714557630,"NaN"],[1714557640,"+Inf"],[1714557650,"300"]]}]}})");
  EXPECT_EQ(sink.count(TraceOddity::kBadCell), 5U);
  // A value that is null stays with its time.
  const CollectingSink lines = samples_of(
      kPrometheusJson,
      R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0"},"values":[100,null,300],)"
      R"("timestamps":[1714557600000,1714557601000,1714557602000]})");
  EXPECT_EQ(lines.count(TraceOddity::kBadCell), 1U);
  EXPECT_EQ(lines.samples.back().power_w, 300);
  EXPECT_EQ(lines.samples.back().time_ns, 1714557602'000'000'000);
}

TEST(PrometheusJson, SaysThatAnAnswerIsEmpty) {
  EXPECT_THAT(series_message(kPrometheusJson, R"({"status":"success","data":{"resultType":)"
                                              R"("matrix","result":[]}})"),
              HasSubstr("the answer of Prometheus has no series"));
}

TEST(Grafana, ShowsTheCellThatIsNoNumber) {
  EXPECT_THAT(series_message(kGrafana, "\"Time\",\"GPU 0\"\n\"2024-05-01 10:00:00\",\"300,5 W\"\n"),
              HasSubstr("no cell of a GPU can be read: expected a number such as 300.5 or 300.5 W, "
                        "found \"300,5 W\""));
}

}  // namespace
}  // namespace scalelaw::test
