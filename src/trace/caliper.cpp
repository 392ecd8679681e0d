#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

// Caliper's format "json-split" (src/reader/JsonSplitFormatter.cpp), which Hatchet and Thicket
// read:
//   {"data": [[0.16, 1], ...], "columns": ["time", "path"], "column_metadata": [{"is_value": true},
//    {"is_value": false}], "nodes": [{"label": "main", "column": "path"}, ...], "jobsize": "8"}
// A row is a region. Columns without values refer to nodes, and other members describe the run.

namespace scalelaw {
namespace {

using nlohmann::json;

bool recognises_caliper(std::string_view head) {
  return has_json_keys(head, {"data", "columns", "column_metadata", "nodes"}) ||
         (has_json_keys(head, {"data"}) && !holds(head, "\"columns\"") &&
          head.size() >= (std::size_t{64} << 10) && has_json_keys(head, {"column_metadata"}));
}

/// The labels from the root to a node: "main/solve".
std::string path_of(const json& nodes, const json& place) {
  std::vector<std::string> labels;
  const json* at = &place;
  while (at->is_number_unsigned() && at->get<std::size_t>() < nodes.size() &&
         labels.size() <= nodes.size()) {
    const json& node = nodes[at->get<std::size_t>()];
    labels.push_back(json_cell(json_member(node, "label")));
    at = &json_member(node, "parent");
  }
  std::ranges::reverse(labels);
  return joined(labels, "/");
}

/// The name of a column with its unit: "time [s]".
std::string column_name(const json& name, const json& metadata) {
  const std::string unit = json_cell(json_member(metadata, "attribute.unit"));
  if (unit.empty()) return json_cell(name);
  return fmt::format("{} [{}]", json_cell(name), unit == "sec" ? "s" : unit);
}

std::string missing_in_caliper(std::string_view head) {
  return has_json_keys(head, {"column_metadata"}) ? "it lacks data, columns or nodes" : "";
}

std::vector<JobRecord> read_caliper(const std::string& path, const TraceOptions&,
                                    TraceNotes& notes) {
  const json document = parse_json(text_of_file(path), path);
  const json& columns = json_member(document, "columns");
  const json& metadata = json_member(document, "column_metadata");
  const json& nodes = json_member(document, "nodes");
  const std::string stem = origin_by_stem(path).job;
  std::set<std::string> long_names;
  std::vector<JobRecord> records;
  for (const json& row : json_member(document, "data")) {
    if (!row.is_array() || row.size() != columns.size() || metadata.size() != columns.size()) {
      notes.note(TraceOddity::kForeignLine, 0, json_cell(row).substr(0, 80));
      continue;
    }
    RunFacts facts;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_value = json_member(metadata[i], "is_value") == true;
      facts.add(column_name(columns[i], metadata[i]),
                is_value ? json_cell(row[i]) : path_of(nodes, row[i]), "column");
    }
    add_description(document, "", facts, long_names);
    records.push_back({fmt::format("{}-{}", stem, records.size() + 1), facts.take(), path});
  }
  for (const std::string& name : long_names) notes.note(TraceOddity::kLongText, 0, name);
  return records;
}

}  // namespace

const TraceFormat kCaliper{.name = "caliper",
                           .title = "json-split profile of Caliper",
                           .recognises = recognises_caliper,
                           .read_records = read_caliper,
                           .missing = missing_in_caliper};

}  // namespace scalelaw
