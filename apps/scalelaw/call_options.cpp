#include "call_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/memory_table.hpp"

namespace scalelaw::cli {
namespace {

using Json = nlohmann::ordered_json;

bool is_word(const OptionView& option) { return option.names.empty(); }

std::string value_text(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_unsigned()) return fmt::to_string(value.get<std::uint64_t>());
  if (value.is_number_integer()) return fmt::to_string(value.get<std::int64_t>());
  if (value.is_number_float()) return exact_text(value.get<double>());
  throw DataError(fmt::format("{}: expected a text, a number, true or false, found {}", key,
                              value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::vector<std::string> value_texts(const std::string& key, const Json& value) {
  if (!value.is_array()) return {value_text(key, value)};
  std::vector<std::string> texts;
  for (const Json& item : value) texts.push_back(value_text(key, item));
  return texts;
}

/// A word of the call that no parser takes for an option.
std::string harmless_word(const std::string& text) {
  return text.size() > 1 && text.front() == '-' ? "./" + text : text;
}

void append_flag(const OptionView& option, const std::string& key, const Json& value,
                 std::vector<std::string>& words) {
  if (!value.is_boolean()) {
    throw DataError(fmt::format("{}: expected true or false, found {}", key,
                                value.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  if (value.get<bool>()) words.push_back(option.name());
}

/// An option and its value. The parser takes what follows a short name, or is empty, only as a word
/// of its own.
void append_option(const std::string& name, const std::string& value,
                   std::vector<std::string>& words) {
  const bool is_long = name.starts_with("--");
  if (is_long && !value.empty()) {
    words.push_back(fmt::format("{}={}", name, value));
  } else {
    words.push_back(name);
    words.push_back(value);
  }
}

void append_words(const OptionView& option, const std::string& key, const Json& value,
                  std::vector<std::string>& words) {
  if (value.is_null()) return;
  if (option.is_flag) return append_flag(option, key, value, words);
  std::vector<std::string> texts = value_texts(key, value);
  if (!option.is_list) texts = {joined(texts, ",")};
  for (const std::string& text : texts) {
    if (is_word(option)) {
      words.push_back(harmless_word(text));
    } else {
      append_option(option.name(), text, words);
    }
  }
}

Json parsed(const std::string& text) {
  if (trimmed(text).empty()) return Json::object();
  Json options = Json::parse(text, nullptr, false);
  if (options.is_discarded()) throw DataError("the options are no valid JSON");
  if (!options.is_object()) throw DataError("the options are no JSON object");
  return options;
}

/// The members by the keys of options.
/// @throws DataError if one is of none.
Json by_key(const Json& members, const std::vector<KeyedOption>& options) {
  Json found = Json::object();
  for (const auto& [name, value] : members.items()) {
    std::string key = name;
    std::ranges::replace(key, '-', '_');
    if (!contains(options, key, &KeyedOption::key)) {
      std::vector<std::string> keys;
      for (const KeyedOption& option : options) keys.push_back(option.key);
      const auto near = nearest(key, keys);
      throw DataError(fmt::format("there is no option {}{}", scalelaw::quoted(name),
                                  near ? fmt::format(" (did you mean {}?)", *near) : ""));
    }
    if (found.contains(key)) throw DataError(fmt::format("{} is given more than once", key));
    found[key] = value;
  }
  return found;
}

}  // namespace

std::vector<KeyedOption> options_of_call(const Program& program, const Options& command) {
  std::vector<KeyedOption> options;
  for (const Options& some : {command, program.globals()}) {
    for (OptionView& view : some.views()) {
      if (!view.is_for_people()) options.push_back({view.key(), std::move(view)});
    }
  }
  return options;
}

std::vector<std::string> words_of_options(const std::vector<KeyedOption>& options,
                                          const HostedCall& call) {
  Json members = by_key(parsed(call.options), options);
  const std::vector<std::string> tables = call.context.tables()->names();
  const bool takes_input = std::ranges::any_of(options, [](const auto& option) {
    return is_word(option.view) && option.view.positional == "INPUT";
  });
  if (takes_input && !members.contains("input") && !tables.empty()) members["input"] = tables;
  std::vector<std::string> words;
  std::vector<std::string> behind;
  for (const auto& [key, view] : options) {
    const auto member = members.find(key);
    if (member == members.end()) continue;
    // Options that take several words would take those of the call, too.
    append_words(view, key, *member, is_word(view) ? words : behind);
  }
  words.insert(words.end(), behind.begin(), behind.end());
  return words;
}

}  // namespace scalelaw::cli
