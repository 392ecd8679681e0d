#include "trace/json_documents.hpp"

#include "trace/formats.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;

}  // namespace

std::string text_of_file(const std::string& path) {
  return whole_document(*OpenedFile(path).stream, "", path, HeldAs::kTree);
}

void add_json_facts(const json& object, const std::string& name, RunFacts& facts,
                    std::string_view kind) {
  if (!object.is_object()) {
    facts.add(name, json_cell(object), kind);
    return;
  }
  for (const auto& [key, value] : object.items()) {
    add_json_facts(value, name.empty() ? key : name + "." + key, facts, kind);
  }
}

void add_description(const json& object, std::string_view but, RunFacts& facts,
                     std::set<std::string>& long_names) {
  constexpr std::size_t kLongest = 64;
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (value.is_structured() || name == but) continue;
    std::string text = json_cell(value);
    if (text.size() > kLongest) {
      long_names.insert(name);
    } else {
      facts.add(name, std::move(text), "run");
    }
  }
}

}  // namespace scalelaw
