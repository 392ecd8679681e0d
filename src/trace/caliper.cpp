#include <fmt/format.h>

#include <algorithm>
#include <map>
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

namespace {

// The JSON of Thicket (Thicket.to_json in thicket/thicket.py of LLNL/thicket), which holds many
// profiles, and of Hatchet (GraphFrame.to_dict in hatchet/graphframe.py of LLNL/hatchet):
//   {"graph": [{"0": {"data": {"name": "main", "type": "function"}, "children": [1]}, ...}],
//    "dataframe_indices": ["node", "profile"],
//    "dataframe": [{"node": 0, "profile": 42, "time": 0.5, "name": "main"}, ...],
//    "metadata": [{"profile": 42, "jobsize": "8", "cluster": "quartz"}, ...], "stats": [...]}
// A row of the data frame is a region of a profile. Statistics are computed from these rows.

using nlohmann::json;

bool recognises_thicket(std::string_view head) {
  return has_json_keys(head, {"graph", "dataframe_indices", "dataframe"});
}

std::string missing_in_thicket(std::string_view head) {
  return has_json_keys(head, {"graph", "children"}) ? "it has no dataframe" : "";
}

/// The regions of a call graph by the names of their nodes.
class CallGraph {
 public:
  explicit CallGraph(const json& graphs) {
    for (const json& graph : graphs) {
      if (!graph.is_object()) continue;
      for (const auto& [id, node] : graph.items()) {
        names_[id] = json_cell(json_member(json_member(node, "data"), "name"));
        for (const json& child : json_member(node, "children")) {
          parents_.try_emplace(json_cell(child), id);
        }
      }
    }
  }

  /// The names from the root to a node: "main/solve". Of several parents one counts.
  std::string path_of(const std::string& node) const {
    std::vector<std::string> names;
    auto at = names_.find(node);
    while (at != names_.end() && names.size() <= names_.size()) {
      names.push_back(at->second);
      const auto parent = parents_.find(at->first);
      at = parent == parents_.end() ? names_.end() : names_.find(parent->second);
    }
    std::ranges::reverse(names);
    return joined(names, "/");
  }

 private:
  std::map<std::string, std::string> names_;
  std::map<std::string, std::string> parents_;
};

/// The index that tells profiles apart, "profile" or the first beside the nodes; "" for a single
/// one of Hatchet.
std::string profile_index(const json& document) {
  std::string first;
  for (const json& index : json_member(document, "dataframe_indices")) {
    const std::string name = json_cell(index);
    if (name == "profile") return name;
    if (first.empty() && name != "node") first = name;
  }
  return first;
}

/// The metadata of each profile.
std::map<std::string, const json*> metadata_of(const json& document, const std::string& index) {
  std::map<std::string, const json*> metadata;
  for (const json& profile : json_member(document, "metadata")) {
    metadata.try_emplace(json_cell(json_member(profile, index.c_str())), &profile);
  }
  return metadata;
}

std::vector<JobRecord> read_thicket(const std::string& path, const TraceOptions&,
                                    TraceNotes& notes) {
  const json document = parse_json(text_of_file(path), path);
  const CallGraph graph(json_member(document, "graph"));
  const std::string index = profile_index(document);
  const std::map<std::string, const json*> metadata = metadata_of(document, index);
  const std::string stem = origin_by_stem(path).job;
  std::set<std::string> long_names;
  std::vector<JobRecord> records;
  for (const json& row : json_member(document, "dataframe")) {
    if (!row.is_object()) {
      notes.note(TraceOddity::kForeignLine, 0, json_cell(row).substr(0, 80));
      continue;
    }
    RunFacts facts;
    const std::string profile = json_cell(json_member(row, index.c_str()));
    if (!index.empty()) facts.add(index, profile);
    facts.add("path", graph.path_of(json_cell(json_member(row, "node"))));
    for (const auto& [name, value] : row.items()) {
      if (name != "node" && name != index) facts.add(name, json_cell(value), "column");
    }
    const auto described = metadata.find(profile);
    if (described != metadata.end()) {
      add_description(*described->second, index, facts, long_names);
    }
    records.push_back({fmt::format("{}-{}", stem, records.size() + 1), facts.take(), path});
  }
  for (const std::string& name : long_names) notes.note(TraceOddity::kLongText, 0, name);
  return records;
}

}  // namespace

const TraceFormat kThicket{.name = "thicket",
                           .title = "ensemble of Thicket",
                           .recognises = recognises_thicket,
                           .read_records = read_thicket,
                           .missing = missing_in_thicket};

}  // namespace scalelaw
