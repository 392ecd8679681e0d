#include "trace/mllog_machine.hpp"

#include <algorithm>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

namespace scalelaw::mllog {
namespace {

namespace fs = std::filesystem;

Machine machine_with(std::string_view accelerator, std::optional<double> nodes,
                     std::optional<double> per_node) {
  Machine machine{{}, nodes, {}};
  // A system may say that it has none.
  if (!is_missing(accelerator) && is_utf8(accelerator)) machine.accelerator = trimmed(accelerator);
  // 0 is no scale of a run: a system without accelerators has a number of processors instead.
  if (nodes && per_node && *per_node > 0) machine.accelerators = *nodes * *per_node;
  return machine;
}

/// A member of a system by its name, in which some submitters write blanks: "number of nodes".
const json& system_member(const json& system, std::string_view name) {
  static const json none;
  if (!system.is_object()) return none;
  for (const auto& [key, value] : system.items()) {
    std::string plain(trimmed(key));
    std::replace(plain.begin(), plain.end(), ' ', '_');
    if (plain == name) return value;
  }
  return none;
}

/// The value for 'key' in a dictionary as Python or JSON writes it, perhaps with escaped quotes.
/// Empty if the key is missing.
std::string_view entry_value(std::string_view dictionary, std::string_view key) {
  constexpr std::string_view kQuotes = "'\"\\";
  const auto skip = [](std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  };
  for (std::size_t at = dictionary.find(key); at != std::string_view::npos;
       at = dictionary.find(key, at + 1)) {
    std::string_view rest = dictionary.substr(at + key.size());
    const bool is_whole = at > 0 && holds(kQuotes, dictionary[at - 1]) && !rest.empty() &&
                          holds(kQuotes, rest.front());
    if (!is_whole) continue;
    skip(rest, kQuotes);
    skip(rest, ": ");
    if (rest.starts_with('\\')) rest.remove_prefix(1);
    const bool is_quoted = rest.starts_with('\'') || rest.starts_with('"');
    if (is_quoted) rest.remove_prefix(1);
    return trimmed(rest.substr(0, rest.find_first_of(is_quoted ? kQuotes : ",}\r\n")));
  }
  return {};
}

}  // namespace

Machine machine_of_system(const json& system) {
  const auto nodes = json_number(system_member(system, "number_of_nodes"));
  const auto per_node = json_number(system_member(system, "accelerators_per_node"));
  Machine machine =
      machine_with(text_of(system_member(system, "accelerator_model_name")), nodes, per_node);
  const auto processors = json_number(system_member(system, "host_processors_per_node"));
  if (nodes && processors && *processors > 0 && per_node == 0.0) {
    machine.processors = *nodes * *processors;
  }
  return machine;
}

Machine machine_of_entry(std::string_view entry) {
  constexpr std::string_view kNodes = "num_nodes";
  const std::size_t at = entry.find(kNodes);
  // There are several kinds of nodes, and nothing says which of them a run used.
  if (at == std::string_view::npos || entry.find(kNodes, at + 1) != std::string_view::npos)
    return {};
  const std::size_t begin = std::min(entry.rfind('{', at), at);
  const std::string_view node = entry.substr(begin, entry.find('}', at) - begin);
  return machine_with(entry_value(node, "accelerator"), parse_number(entry_value(node, kNodes)),
                      parse_number(entry_value(node, "num_accelerators")));
}

std::string small_text(const fs::path& path) {
  constexpr std::size_t kMost = 1 << 20;
  if (!is_regular_file(path.string())) return {};
  return rest_of(*OpenedFile(path.string()).stream, kMost);
}

Machine machine_of_system_file(const fs::path& path) {
  const std::string text = small_text(path);
  const Machine machine = machine_of_system(parse_object(text));
  const bool is_told = machine.accelerators || machine.processors || !machine.accelerator.empty();
  return is_told ? machine : machine_of_entry(text);
}

Machine machine_of_entry_file(const fs::path& path) {
  Machine machine = machine_of_entry(small_text(path));
  if (machine.nodes && *machine.nodes > 1) {
    machine.nodes.reset();
    machine.accelerators.reset();
  }
  return machine;
}

}  // namespace scalelaw::mllog
