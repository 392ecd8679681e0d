#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "input/json_values.hpp"
#include "trace/run_facts.hpp"

// JSON that trackers and benchmarks write.
namespace scalelaw {

/// The text of a file, decompressed. @throws DataError if it cannot be read.
std::string text_of_file(const std::string& path);

/// Adds the values of an object, with the names of nested ones joined by dots.
/// @param kind  RunFacts::add.
void add_json_facts(const nlohmann::json& object, const std::string& name, RunFacts& facts,
                    std::string_view kind);

/// Adds what describes a run: the members of an object that are texts, numbers or booleans. Lists
/// of libraries and other long texts are left out.
/// @param but         A member that is no description.
/// @param long_names  Gets the names of what is left out.
void add_description(const nlohmann::json& object, std::string_view but, RunFacts& facts,
                     std::set<std::string>& long_names);

}  // namespace scalelaw
