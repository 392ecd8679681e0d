#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

// The JSON of google-benchmark (src/json_reporter.cc): a list of results, of which some are
// repetitions and others are computed from them:
//   {"name": "BM_x/8/threads:4", "run_type": "iteration", "real_time": 1.8e+04, "time_unit": "ns"}

namespace scalelaw {
namespace {

using nlohmann::json;

bool recognises_google_benchmark(std::string_view head) {
  return has_json_keys(head, {"benchmarks", "name"}) &&
         (has_json_keys(head, {"run_type"}) || has_json_keys(head, {"real_time"}));
}

/// The members that every result has; others are a user's counters.
bool is_counter(const std::string& name) {
  static const std::set<std::string> kOwn{
      "name",         "family_index",    "run_name", "per_family_instance_index",
      "run_type",     "repetitions",     "threads",  "repetition_index",
      "iterations",   "real_time",       "cpu_time", "time_unit",
      "label",        "error_occurred",  "skipped",  "error_message",
      "skip_message", "aggregate_name",  "big_o",    "aggregate_unit",
      "rms",          "cpu_coefficient", "memory",   "real_coefficient"};
  return !kOwn.contains(name);
}

/// "median", "mean", "cv", ... of a result that is computed from others; empty for a measured one.
/// Versions before 1.5 told it by the end of the name alone.
std::string aggregate_of(const json& result) {
  if (json_member(result, "run_type").is_string()) {
    const bool is_aggregate = json_member(result, "run_type") == "aggregate";
    const std::string name = json_cell(json_member(result, "aggregate_name"));
    return is_aggregate ? (name.empty() ? "aggregate" : name) : "";
  }
  const std::string name = json_cell(json_member(result, "name"));
  for (const char* aggregate : {"mean", "median", "stddev", "cv", "BigO", "RMS"}) {
    if (name.ends_with(std::string("_") + aggregate)) return aggregate;
  }
  return "";
}

std::string run_name_of(const json& result) {
  std::string run_name = json_cell(json_member(result, "run_name"));
  if (!run_name.empty()) return run_name;
  run_name = json_cell(json_member(result, "name"));
  const std::string aggregate = aggregate_of(result);
  const bool is_suffix = !aggregate.empty() && run_name.ends_with("_" + aggregate);
  return is_suffix ? run_name.substr(0, run_name.size() - aggregate.size() - 1) : run_name;
}

/// What repetitions and their aggregates share.
std::string family_of(const json& result) {
  const json& family = json_member(result, "family_index");
  const json& instance = json_member(result, "per_family_instance_index");
  if (family.is_null() || instance.is_null()) return run_name_of(result);
  return json_cell(family) + "/" + json_cell(instance);
}

/// Parts of a name between slashes; those in template arguments divide nothing.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : name) {
    depth += (c == '<' ? 1 : 0) - (c == '>' ? 1 : 0);
    if (c == '/' && depth <= 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Parts that say how something was measured, not what.
bool is_setting_of_measurement(std::string_view part) {
  for (const std::string_view name :
       {"iterations:", "min_time:", "min_warmup_time:", "repeats:", "threads:"}) {
    if (part.starts_with(name)) return true;
  }
  return part == "real_time" || part == "process_time" || part == "manual_time";
}

/// Adds the benchmark and its arguments: "BM_x/8/size:4" has `argument` 8 and `size` 4.
void add_name(const std::string& run_name, RunFacts& facts) {
  const std::vector<std::string> parts = parts_of(run_name);
  std::string benchmark = parts.front();
  RowFacts arguments;
  std::size_t unnamed = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    const std::size_t colon = part.find(':');
    if (is_setting_of_measurement(part)) continue;
    if (parse_number(part)) {
      arguments.emplace_back(unnamed == 0 ? "argument" : fmt::format("argument_{}", unnamed + 1),
                             part);
      ++unnamed;
    } else if (colon != std::string::npos && colon > 0 && part[colon - 1] != ':' &&
               parse_number(part.substr(colon + 1))) {
      arguments.emplace_back(part.substr(0, colon), part.substr(colon + 1));
    } else {
      benchmark += "/" + part;
    }
  }
  facts.add("benchmark", benchmark);
  for (auto& [name, text] : arguments) facts.add(name, std::move(text), "argument");
}

/// Units per second of a result's times.
double per_second(const std::string& unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e3;
  return unit == "us" ? 1e6 : 1e9;  // "ns", which older versions leave out.
}

std::string seconds_in(const json& result, const char* name) {
  auto time = json_number(json_member(result, name));
  if (time) *time /= per_second(json_cell(json_member(result, "time_unit")));
  return exact_text(time);
}

JobRecord benchmark_record(const json& result, const json& context, const std::string& path,
                           std::map<std::string, int>& counts) {
  const std::string run_name = run_name_of(result);
  RunFacts facts;
  add_name(run_name, facts);
  const std::string label = json_cell(json_member(result, "label"));
  if (!label.empty()) facts.add("label", label);
  facts.add("threads", json_cell(json_member(result, "threads")));
  facts.add("repeat", json_cell(json_member(result, "repetition_index")));
  facts.add("iterations", json_cell(json_member(result, "iterations")));
  facts.add("real_time_s", seconds_in(result, "real_time"));
  facts.add("cpu_time_s", seconds_in(result, "cpu_time"));
  for (const auto& [name, value] : result.items()) {
    if (is_counter(name) && value.is_number()) facts.add(name, json_cell(value), "counter");
  }
  facts.add("host", json_cell(json_member(context, "host_name")));
  const int count = ++counts[run_name];
  return {fmt::format("{}:{}{}", origin_by_stem(path).job, run_name,
                      count > 1 ? fmt::format("#{}", count) : ""),
          facts.take(), path};
}

/// The aggregate that stands for repetitions which were not written, by its family.
std::map<std::string, const json*> lone_aggregates(const json& results) {
  std::set<std::string> measured;
  for (const json& result : results) {
    if (aggregate_of(result).empty()) measured.insert(family_of(result));
  }
  std::map<std::string, const json*> chosen;
  for (const char* wanted : {"median", "mean"}) {
    for (const json& result : results) {
      const bool is_wanted =
          aggregate_of(result) == wanted && !measured.contains(family_of(result));
      if (is_wanted) chosen.try_emplace(family_of(result), &result);
    }
  }
  return chosen;
}

std::string missing_in_google_benchmark(std::string_view head) {
  return has_json_keys(head, {"benchmarks", "name"}) ? "no result has run_type or real_time" : "";
}

std::vector<JobRecord> read_google_benchmark(const std::string& path, const TraceOptions&,
                                             TraceNotes& notes) {
  const json document = parse_json(text_of_file(path), path);
  const json& results = json_member(document, "benchmarks");
  const json& context = json_member(document, "context");
  const auto chosen = lone_aggregates(results);
  std::map<std::string, int> counts;
  std::vector<JobRecord> records;
  for (const json& result : results) {
    const std::string name = json_cell(json_member(result, "name"));
    const auto lone = chosen.find(family_of(result));
    const bool is_failed =
        json_member(result, "error_occurred") == true || json_member(result, "skipped") == true;
    if (!result.is_object() || name.empty()) {
      notes.note(TraceOddity::kForeignLine, 0, json_cell(result).substr(0, 80));
    } else if (is_failed) {
      notes.note(TraceOddity::kFailedRun, 0, name);
    } else if (!aggregate_of(result).empty() && (lone == chosen.end() || lone->second != &result)) {
      notes.note(TraceOddity::kDerivedRow, 0, name);
    } else {
      records.push_back(benchmark_record(result, context, path, counts));
    }
  }
  return records;
}

}  // namespace

const TraceFormat kGoogleBenchmark{.name = "google-benchmark",
                                   .title = "google-benchmark result",
                                   .recognises = recognises_google_benchmark,
                                   .read_records = read_google_benchmark,
                                   .missing = missing_in_google_benchmark};

}  // namespace scalelaw
