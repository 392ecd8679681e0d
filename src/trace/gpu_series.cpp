#include "trace/gpu_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

constexpr double kBytesInMib = 1024.0 * 1024.0;

constexpr GpuMetric kMetrics[] = {
    {"DCGM_FI_DEV_POWER_USAGE", &Sample::power_w},
    {"DCGM_FI_DEV_POWER_USAGE_INSTANT", &Sample::power_w},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", &Sample::energy_j, 1e-3},
    {"DCGM_FI_DEV_GPU_UTIL", &Sample::sm_util_pct},
    {"DCGM_FI_PROF_SM_ACTIVE", &Sample::sm_util_pct, 100, false},
    {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", &Sample::sm_util_pct, 100, false},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", &Sample::mem_util_pct},
    {"DCGM_FI_PROF_DRAM_ACTIVE", &Sample::mem_util_pct, 100, false},
    {"DCGM_FI_DEV_FB_USED", &Sample::mem_used_mib, 1, false},
    {"dcgm_power_usage", &Sample::power_w},
    {"dcgm_total_energy_consumption", &Sample::energy_j, 1e-3},
    {"dcgm_gpu_utilization", &Sample::sm_util_pct},
    {"dcgm_mem_copy_utilization", &Sample::mem_util_pct},
    {"dcgm_fb_used", &Sample::mem_used_mib},
    {"nvidia_smi_power_draw_watts", &Sample::power_w},
    {"nvidia_smi_power_draw_average_watts", &Sample::power_w},
    {"nvidia_smi_power_draw_instant_watts", &Sample::power_w},
    {"nvidia_smi_utilization_gpu_ratio", &Sample::sm_util_pct, 100},
    {"nvidia_smi_utilization_memory_ratio", &Sample::mem_util_pct, 100},
    {"nvidia_smi_memory_used_bytes", &Sample::mem_used_mib, 1 / kBytesInMib},
};

std::string_view label(const SeriesLabels& labels, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = labels.find(name);
    if (found != labels.end() && !found->second.empty()) return found->second;
  }
  return {};
}

bool is_of_exporter(const SeriesLabels& labels) {
  for (const std::string_view name : {"container", "pod"}) {
    if (holds(label(labels, {name}), "exporter")) return true;
  }
  return false;
}

std::string job_of_gpu_series(const SeriesLabels& labels) {
  const std::string_view job = label(labels, {"hpc_job", "slurm_job_id", "slurm_jobid",
                                              "slurmjobid", "jobid", "job_id", "exported_pod"});
  if (!job.empty() || is_of_exporter(labels)) return std::string(job);
  return std::string(label(labels, {"pod", "pod_name"}));
}

/// A host without the port of its exporter.
std::string node_of(const SeriesLabels& labels) {
  const std::string_view host =
      label(labels, {"Hostname", "hostname", "exported_hostname", "kubernetes_node", "node"});
  if (!host.empty()) return std::string(host);
  const std::string_view instance = label(labels, {"exported_instance", "instance"});
  const std::size_t colon = instance.rfind(':');
  return std::string(instance.substr(0, colon));
}

/// The end of a label's value in quotes, after which the closing quote stands; its text without
/// escapes goes to `value`.
std::size_t quoted_end(std::string_view text, std::size_t at, char quote, std::string& value) {
  for (; at < text.size() && text[at] != quote; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  return at;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

constexpr std::string_view kQuantityWords[] = {"power",  "util",   "utilization", "utilisation",
                                               "energy", "memory", "mem",         "framebuffer",
                                               "fb",     "dram",   "watts"};
constexpr std::string_view kFillingWords[] = {
    "gpu",  "gpus", "dcgm",  "fi",   "dev", "prof", "usage",       "used", "total", "consumption",
    "draw", "copy", "query", "data", "w",   "mj",   "joinbyfield", "as",   "range", "active"};

}  // namespace

std::optional<std::int64_t> series_instant(std::string_view text) {
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  constexpr double kLeastMilliseconds = 1e11;
  if (*number < kLeastMilliseconds) return nanoseconds_of_seconds(text);
  return *number < 9e12 ? std::optional(std::llround(*number) * 1'000'000) : std::nullopt;
}

std::span<const GpuMetric> gpu_metrics() { return kMetrics; }

std::optional<std::size_t> gpu_metric(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kMetrics); ++i) {
    if (kMetrics[i].name == name) return i;
  }
  return std::nullopt;
}

std::optional<SeriesLabels> series_labels(std::string_view text, std::size_t& end) {
  SeriesLabels labels;
  const std::size_t open = std::min(text.find_first_of("{ \t"), text.size());
  const std::string_view name = trimmed(text.substr(0, open));
  if (!name.empty()) labels["__name__"] = name;
  std::size_t at = skip_blanks(text, open);
  end = at;
  if (at >= text.size() || text[at] != '{') return labels;
  for (at = skip_blanks(text, at + 1); at < text.size() && text[at] != '}';) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string key(trimmed(text.substr(at, equals - at)));
    at = skip_blanks(text, equals + 1);
    if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return std::nullopt;
    std::string value;
    const std::size_t closing = quoted_end(text, at + 1, text[at], value);
    if (closing >= text.size()) return std::nullopt;
    labels[key] = std::move(value);
    at = skip_blanks(text, closing + 1);
    if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
  }
  if (at >= text.size()) return std::nullopt;
  end = at + 1;
  return labels;
}

std::optional<Device> device_of(const SeriesLabels& labels, const GpuMetric& metric) {
  const std::string_view gpu =
      label(labels, {"gpu", "index", "minor_number", "gpu_index", "UUID", "uuid", "device"});
  if (gpu.empty()) return std::nullopt;
  const std::string_view instance = label(labels, {"GPU_I_ID"});
  std::string name(gpu);
  // The board's power and energy come again with each of its instances.
  if (!instance.empty() && !metric.of_board) name = fmt::format("GPU-I {}.{}", gpu, instance);
  return Device{.job = job_of_gpu_series(labels), .node = node_of(labels), .name = std::move(name)};
}

std::optional<GpuSeries> gpu_series_of(const SeriesLabels& labels, std::string& name) {
  const auto said = labels.find("__name__");
  if (said != labels.end()) name = said->second;
  const auto metric = gpu_metric(name);
  auto device = metric ? device_of(labels, kMetrics[*metric]) : std::nullopt;
  return device ? std::optional(GpuSeries{*metric, *std::move(device)}) : std::nullopt;
}

TraceOrigin origin_of_series(const std::string& path) {
  TraceOrigin origin = origin_by_stem(path);
  if (path == "-") return origin;
  // Grafana: "GPU Power Usage-data-2024-03-05 15_53_24".
  const std::size_t data = origin.job.find("-data-");
  if (data != std::string::npos && data > 0) origin.job.resize(data);
  std::string rest;
  bool names_quantity = data != std::string::npos && data > 0;
  std::string_view text = origin.job;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" _-."), text.size());
    const std::string word = lower_case(text.substr(0, end));
    if (is_one_of(word, kQuantityWords)) {
      names_quantity = true;
    } else if (!word.empty() && !is_one_of(word, kFillingWords)) {
      if (!rest.empty()) rest += '-';
      rest += text.substr(0, end);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!names_quantity) return origin;
  const std::string folder = std::filesystem::path(path).parent_path().filename().string();
  if (!rest.empty() || !folder.empty()) origin.job = rest.empty() ? folder : rest;
  return origin;
}

void SeriesJoiner::add(const Device& device, std::size_t metric, std::int64_t time_ns,
                       double value) {
  // DCGM's marks of no value begin here, as in dcgmi dmon.
  constexpr double kBlank = 140737488355328;
  const bool is_none = !std::isfinite(value) || value >= kBlank;
  readings_[sink_.device(device)].push_back(
      {time_ns, is_none ? Sample::kNone : value, static_cast<std::uint32_t>(metric)});
}

void SeriesJoiner::finish() {
  SampleBatch batch(sink_);
  for (auto& [device, readings] : readings_) {
    // Of two metrics for one quantity, the earlier name counts, for all instants alike.
    std::array<bool, std::size(kMetrics)> is_there{};
    for (const Reading& reading : readings) is_there[reading.metric] = true;
    const auto counts = [&](const Reading& reading) {
      for (std::size_t i = 0; i < reading.metric; ++i) {
        if (is_there[i] && kMetrics[i].quantity == kMetrics[reading.metric].quantity) return false;
      }
      return true;
    };
    std::ranges::stable_sort(readings, {}, &Reading::time_ns);
    std::optional<Sample> sample;
    for (const Reading& reading : readings) {
      if (!counts(reading)) continue;
      const GpuMetric& metric = kMetrics[reading.metric];
      if (sample && sample->time_ns != reading.time_ns) batch.add(*std::exchange(sample, {}));
      if (!sample) {
        sample.emplace();
        sample->time_ns = reading.time_ns;
        sample->device = device;
      }
      double& value = (*sample).*metric.quantity;
      if (std::isnan(value)) value = reading.value * metric.factor;
    }
    if (sample) batch.add(*sample);
  }
  batch.flush();
}

}  // namespace scalelaw
