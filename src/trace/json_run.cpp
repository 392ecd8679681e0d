#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/members.hpp"

// The summary that a home-made benchmark writes per run: one JSON object that says on how many
// GPUs, processes or nodes the run was, and how long something took or how fast it was.
//   {"world_size": 4, "model": "resnet152", "mean_step_sec": 0.0918, "images_per_sec_global": 697}

namespace scalelaw {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 13> kScales{
    "world_size", "num_gpus",    "n_gpus",    "ngpus",   "gpus",  "gpu_count", "num_devices",
    "nproc",      "num_workers", "num_nodes", "n_nodes", "nodes", "ranks"};

/// What stands in the names of times and rates.
constexpr std::array<std::string_view, 9> kTimes{
    "sec", "time", "elapsed", "duration", "per_s", "/s", "throughput", "runtime", "samples_s"};

/// What stands in names that hold one of kTimes, and are neither a time nor a rate of the run.
constexpr std::array<std::string_view, 6> kOthers{"timeout",    "timestamp", "limit",
                                                  "start_time", "end_time",  "interval"};

/// Numbers of the run itself stand in the outermost object: what lies deeper may be a plan, a list
/// of many runs, or anything else.
struct RunNumbers {
  bool has_scale = false;
  bool has_time = false;
};

RunNumbers run_numbers(std::string_view head) {
  head = without_mark(head);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  RunNumbers has;
  // More than one object is a table, which every command reads as it is.
  if (!head.starts_with('{') || holds(head, "}\n{")) return has;
  for_each_member(head, [&](const Member& member) {
    if (member.depth != 1 || !parse_number(member.value)) return;
    has.has_scale |= is_one_of(member.key, kScales);
    has.has_time |= holds_any(member.key, kTimes) && !holds_any(member.key, kOthers);
  });
  return has;
}

bool recognises_json_run(std::string_view head) {
  const RunNumbers has = run_numbers(head);
  return has.has_scale && has.has_time;
}

std::string missing_in_json_run(std::string_view head) {
  const RunNumbers has = run_numbers(head);
  if (has.has_scale == has.has_time) return "";
  return has.has_scale
             ? "no number of its outermost object is a time or rate, such as time_s"
             : "no number of its outermost object is one of GPUs, processes or nodes, such "
               "as gpus";
}

std::vector<JobRecord> read_json_run(const std::string& path, const TraceOptions&, TraceNotes&) {
  const json document = parse_json(text_of_file(path), path);
  RunFacts facts;
  add_json_facts(document, "", facts, "member");
  return {{origin_by_stem(path).job, facts.take(), path}};
}

}  // namespace

const TraceFormat kJsonRun{.name = "json-run",
                           .title = "JSON summary of a run",
                           .recognises = recognises_json_run,
                           .read_records = read_json_run,
                           .missing = missing_in_json_run};

}  // namespace scalelaw
