#include "trace/yaml_scalars.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <cstddef>
#include <set>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kYamlLevels = 64;
/// Aliases of aliases could make a text of a line grow without end.
constexpr std::size_t kMostYamlNodes = 10'000;

/// The first document of a text.
class YamlTree {
 public:
  YamlTree(std::string_view text, std::string_view source) : source_(source) {
    refuse_depth(text);
    yaml_parser_t parser = parser_of(text);
    const bool is_yaml = yaml_parser_load(&parser, &document_) != 0;
    const std::string problem = parser.problem == nullptr ? "no text" : parser.problem;
    const yaml_mark_t place = parser.problem_mark;
    yaml_parser_delete(&parser);
    if (!is_yaml) {
      throw ParseError(source, place.line + 1,
                       fmt::format("column {}: expected YAML: {}", place.column + 1, problem));
    }
  }
  ~YamlTree() { yaml_document_delete(&document_); }
  YamlTree(const YamlTree&) = delete;
  YamlTree& operator=(const YamlTree&) = delete;

  RowFacts scalars() {
    const yaml_node_t* const root = yaml_document_get_root_node(&document_);
    if (root != nullptr) add(*root, "", 0);
    return std::move(scalars_);
  }

 private:
  static yaml_parser_t parser_of(std::string_view text) {
    yaml_parser_t parser{};
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
    return parser;
  }

  void refuse_level(std::size_t line) const {
    throw ParseError(source_, line + 1, "expected at most 64 levels of lists and mappings");
  }

  /// Stops at the level that is refused: libyaml looks at all open ones at each word.
  void refuse_depth(std::string_view text) const {
    constexpr int kDeep = 100;
    yaml_parser_t parser = parser_of(text);
    int level = 0;
    std::size_t line = 0;
    for (bool goes_on = true; goes_on && level < kDeep;) {
      yaml_event_t event{};
      goes_on = yaml_parser_parse(&parser, &event) != 0 && event.type != YAML_STREAM_END_EVENT &&
                event.type != YAML_DOCUMENT_END_EVENT;
      if (event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT)
        ++level;
      if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) --level;
      line = event.start_mark.line;
      yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (level == kDeep) refuse_level(line);
  }

  const yaml_node_t& node(int place) { return *yaml_document_get_node(&document_, place); }

  static std::string text_of(const yaml_node_t& node) {
    const auto& scalar = node.data.scalar;
    std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (is_plain && (text == "null" || text == "~" || text == "Null" || text == "NULL")) return "";
    const bool is_block =
        scalar.style == YAML_LITERAL_SCALAR_STYLE || scalar.style == YAML_FOLDED_SCALAR_STYLE;
    while (is_block && text.ends_with('\n')) text.pop_back();
    return text;
  }

  void add(const yaml_node_t& node, const std::string& path, std::size_t level) {
    if (++nodes_ > kMostYamlNodes) return;
    if (level == kYamlLevels) {
      refuse_level(node.start_mark.line);
    }
    const bool has_name = !path.empty();
    if (node.type == YAML_SCALAR_NODE && has_name) scalars_.emplace_back(path, text_of(node));
    if (node.type == YAML_SEQUENCE_NODE) add_list(node, path, level + 1);
    std::set<std::string> known;
    if (node.type == YAML_MAPPING_NODE) add_map(node, path, level + 1, known);
  }

  void add_list(const yaml_node_t& list, const std::string& path, std::size_t level) {
    std::vector<std::string> texts;
    const auto& items = list.data.sequence.items;
    for (const int* item = items.start; item != items.top; ++item) {
      const yaml_node_t& entry = node(*item);
      if (entry.type == YAML_SCALAR_NODE) {
        texts.push_back(text_of(entry));
      } else {
        add(entry, below(path, std::to_string(item - items.start)), level);
      }
    }
    if (!texts.empty()) {
      scalars_.emplace_back(path, fmt::format("[{}]", fmt::join(texts, ", ")));
    }
  }

  /// "<<: *defaults" merges a mapping into the one around it, whose own keys hold.
  void add_map(const yaml_node_t& map, const std::string& path, std::size_t level,
               std::set<std::string>& known) {
    const auto& pairs = map.data.mapping.pairs;
    std::vector<const yaml_node_t*> merged;
    for (const auto* pair = pairs.start; pair != pairs.top; ++pair) {
      const yaml_node_t& key = node(pair->key);
      const yaml_node_t& value = node(pair->value);
      if (key.type != YAML_SCALAR_NODE) continue;
      const std::string name = text_of(key);
      if (name == "<<" && value.type == YAML_MAPPING_NODE) {
        merged.push_back(&value);
      } else if (known.insert(name).second) {
        add(value, below(path, name), level);
      }
    }
    if (level == kYamlLevels) return;
    for (const yaml_node_t* const other : merged) add_map(*other, path, level + 1, known);
  }

  static std::string below(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }

  yaml_document_t document_{};
  std::string_view source_;
  std::size_t nodes_ = 0;
  RowFacts scalars_;
};

}  // namespace

RowFacts yaml_scalars(std::string_view text, std::string_view source) {
  return YamlTree(text, source).scalars();
}

}  // namespace scalelaw
