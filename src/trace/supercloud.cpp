#include <algorithm>
#include <string>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "trace/csv_samples.hpp"
#include "trace/formats.hpp"

// MIT SuperCloud (Samsi et al. 2021, release 202201): one file per job and node, samples 0.1 s
// apart, the node's GPUs interleaved.

namespace scalelaw {
namespace {

constexpr SampleColumnName kSupercloudNames[] = {
    {"timestamp", SampleColumn::kTime},
    {"gpu_index", SampleColumn::kDevice},
    {"utilization_gpu_pct", SampleColumn::kSmUtil},
    {"utilization_memory_pct", SampleColumn::kMemUtil},
    {"memory_used_mib", SampleColumn::kMemUsed},
    {"power_draw_w", SampleColumn::kPower},
};

/// The first line that is not empty.
std::string_view supercloud_header(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));
  return take_line(head);
}

bool recognises_supercloud(std::string_view head) {
  const std::string_view line = supercloud_header(head);
  return holds(line, "gpu_index") && is_sample_header(line, kSupercloudNames);
}

/// "<job>-<node>": a number is the job, and the text after the first hyphen is the node. Any other
/// name is the job as it stands.
TraceOrigin origin(const std::string& path) {
  TraceOrigin origin = origin_by_stem(path);
  const std::size_t hyphen = origin.job.find('-');
  if (hyphen != std::string::npos && is_digits(std::string_view(origin.job).substr(0, hyphen))) {
    origin.node = origin.job.substr(hyphen + 1);
    origin.job.resize(hyphen);
  }
  return origin;
}

/// Whether a header names the job of its rows.
bool is_job_table(std::string_view line) {
  const char separator = holds(line, '\t') ? '\t' : ',';
  std::vector<std::string_view> fields;
  tokenize(line, separator, fields);
  return fields.size() > 1 &&
         (place_of(fields, "job_id") != kNowhere || place_of(fields, "id_job") != kNowhere);
}

/// Files of the tree beside the GPU series: CPU series and their summaries, node data, tables of
/// jobs, the counts of labels, the list of Slurm's resources. Run tables are tables of jobs too.
bool recognises_other(std::string_view head) {
  const std::string_view line = supercloud_header(head);
  for (const std::string_view begin :
       {"Step,Node,Series,ElapsedTime", "Node,Time,UserPIDCount", "model,count", "1\tcpu"}) {
    if (line.starts_with(begin)) return true;
  }
  return line.size() < (64u << 10) && is_job_table(line);
}

}  // namespace

const TraceFormat kSupercloud{.name = "supercloud",
                              .title = "MIT SuperCloud GPU series",
                              .recognises = recognises_supercloud,
                              .origin = origin,
                              .read_samples = read_csv_samples<kSupercloudNames>,
                              .has_columns = true};

const TraceFormat kSupercloudOther{
    .name = "", .title = "a table beside traces", .recognises = recognises_other};

}  // namespace scalelaw
