#include <algorithm>

#include "trace/csv_samples.hpp"
#include "trace/formats.hpp"

// nvidia-smi --query-gpu=... --format=csv: comma and blank, units in header and cells, aliases
// spelt out. The rows of several GPUs are a few milliseconds apart.

namespace scalelaw {
namespace {

constexpr SampleColumnName kNames[] = {
    {"timestamp", SampleColumn::kTime},
    {"index", SampleColumn::kDevice},
    {"gpu_index", SampleColumn::kDevice},
    {"uuid", SampleColumn::kDevice},
    {"gpu_uuid", SampleColumn::kDevice},
    {"pci.bus_id", SampleColumn::kDevice},
    {"gpu_bus_id", SampleColumn::kDevice},
    {"hostname", SampleColumn::kNode},
    {"node", SampleColumn::kNode},
    {"utilization.gpu", SampleColumn::kSmUtil},
    {"utilization.memory", SampleColumn::kMemUtil},
    {"memory.used", SampleColumn::kMemUsed},
    // power.draw is the average if the driver knows one; instant values may exceed the limit.
    {"power.draw", SampleColumn::kPower},
    {"power.draw.average", SampleColumn::kPower},
    {"power.draw.instant", SampleColumn::kPower},
};

/// A driver's sentence may precede the header.
bool recognises(std::string_view head) {
  constexpr int kMostLines = 20;
  for (int i = 0; i < kMostLines && !head.empty(); ++i) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    if (is_sample_header(head.substr(0, end), kNames)) return true;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return false;
}

void read_samples(ByteStream& in, std::string_view source, const TraceOptions& options,
                  SampleSink& sink) {
  read_csv_samples(in, source, kNames, options, sink);
}

}  // namespace

const TraceFormat kNvidiaSmi{.name = "nvidia-smi",
                             .title = "nvidia-smi --query-gpu",
                             .recognises = recognises,
                             .origin = origin_by_stem,
                             .read_samples = read_samples,
                             .read_records = nullptr,
                             .has_columns = true};

}  // namespace scalelaw
