#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

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

/// Whether a key of the text holds one of the words, and a number stands behind it.
bool has_number(std::string_view head, std::string_view word) {
  for (std::size_t at = head.find(word); at != std::string_view::npos;
       at = head.find(word, at + 1)) {
    const std::size_t quote = head.find_first_of("\"\n", at);
    if (quote == std::string_view::npos || head[quote] != '"') continue;
    const std::size_t colon = head.find_first_not_of(" \t", quote + 1);
    if (colon == std::string_view::npos || head[colon] != ':') continue;
    const std::size_t value = head.find_first_not_of(" \t\r\n", colon + 1);
    if (value != std::string_view::npos && (is_digits(head.substr(value, 1)) || head[value] == '-'))
      return true;
  }
  return false;
}

bool recognises(std::string_view head) {
  const bool has_scale = std::any_of(kScales.begin(), kScales.end(), [&](std::string_view name) {
    return has_json_keys(head, {name}) && has_number(head, std::string(name));
  });
  // More than one object is a table, which every command reads as it is.
  return has_scale && head.find("}\n{") == std::string_view::npos &&
         std::any_of(kTimes.begin(), kTimes.end(),
                     [&](std::string_view word) { return has_number(head, word); });
}

std::vector<JobRecord> read_records(const std::string& path, const TraceOptions&, TraceNotes&) {
  const json document = parse_json(text_of_file(path), path);
  RunFacts facts;
  add_json_facts(document, "", facts, "member");
  return {{origin_by_stem(path).job, facts.take(), path}};
}

}  // namespace

const TraceFormat kJsonRun{.name = "json-run",
                           .title = "JSON summary of a run",
                           .recognises = recognises,
                           .read_records = read_records};

}  // namespace scalelaw
