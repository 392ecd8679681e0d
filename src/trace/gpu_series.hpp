#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/trace/format.hpp"
#include "scalelaw/trace/sample.hpp"

// What Prometheus text, its JSON and Grafana's CSV share: names of metrics, labels, and series of
// one quantity that are joined to samples.
namespace scalelaw {

/// The labels of a series, {gpu="0",Hostname="node-1"}.
using SeriesLabels = std::map<std::string, std::string, std::less<>>;

/// A quantity of a GPU by the name of its metric.
struct GpuMetric {
  std::string_view name;
  double Sample::*quantity;
  double factor = 1;     ///< From the metric's unit to that of Sample.
  bool of_board = true;  ///< Of the whole GPU, also where it is divided (MIG).
};

/// DCGM's metrics as dcgm-exporter names them (etc/default-counters.csv), those of its first
/// versions, and those of nvidia_gpu_exporter. Of several for one quantity, the first one counts.
std::span<const GpuMetric> gpu_metrics();

/// The place of a metric among gpu_metrics(); empty if it is none of them.
std::optional<std::size_t> gpu_metric(std::string_view name);

/// The labels in "{gpu=\"0\", pod=\"a\"}", with or without a name before it, which is the label
/// __name__. Empty if the text is malformed.
/// @param end  Where the labels end.
std::optional<SeriesLabels> series_labels(std::string_view text, std::size_t& end);

/// The GPU of a series; empty if no label names one. Its job is that of a scheduler (hpc_job) or a
/// pod; an exporter's own pod is none.
std::optional<Device> device_of(const SeriesLabels& labels, const GpuMetric& metric);

/// What a series is read as.
struct GpuSeries {
  std::size_t metric = 0;
  Device device = {};
};
/// Empty if the series is of no known metric, or of no GPU.
/// @param name  Becomes the name of its metric, if it has one.
std::optional<GpuSeries> gpu_series_of(const SeriesLabels& labels, std::string& name);

/// The time of a reading: in ms, or in seconds as in OpenMetrics; empty if it is no number.
std::optional<std::int64_t> series_instant(std::string_view text);

/// The job of a file by its name, without words that say which quantity the file holds: files of
/// one run tell of power, utilisation, ... each. Only such words: the name of its folder.
TraceOrigin origin_of_series(const std::string& path);

/// Joins readings of one quantity to samples, GPU by GPU and in order of time.
class SeriesJoiner {
 public:
  explicit SeriesJoiner(SampleSink& sink) : sink_(sink) {}

  /// Adds a reading in the metric's unit. No value is none.
  void add(const Device& device, std::size_t metric, std::int64_t time_ns, double value);
  bool is_empty() const { return readings_.empty(); }
  /// Hands all samples on.
  void finish();

 private:
  struct Reading {
    std::int64_t time_ns;
    double value;
    std::uint32_t metric;
  };
  SampleSink& sink_;
  std::map<std::uint32_t, std::vector<Reading>> readings_;  ///< By device.
};

}  // namespace scalelaw
