#include "trace/csv_samples.hpp"
#include "trace/formats.hpp"
#include "trace/line_samples.hpp"

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
  int left = 20;
  return any_line(
      head, [&](std::string_view line) { return left-- > 0 && is_sample_header(line, kNames); });
}

}  // namespace

const TraceFormat kNvidiaSmi{.name = "nvidia-smi",
                             .title = "nvidia-smi --query-gpu",
                             .recognises = recognises,
                             .read_samples = read_csv_samples<kNames>,
                             .has_columns = true};

}  // namespace scalelaw
