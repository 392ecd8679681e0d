#include "input/json_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/container.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;

/// Python's words for numbers that JSON lacks, longest first.
constexpr std::string_view kNoNumbers[] = {"-Infinity", "Infinity", "NaN"};

std::size_t line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// The place behind the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// The text with null in place of Python's words. Lines stay what they are.
std::string plain_json(std::string_view text, std::string_view source) {
  std::string out;
  out.reserve(text.size());
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > kDeepest) {
      throw ParseError(source, line_at(text, at),
                       "expected at most 64 levels of lists and objects");
    }
    const bool may_be_word = c == '-' || c == 'I' || c == 'N';
    const auto* const word =
        may_be_word ? std::ranges::find_if(kNoNumbers,
                                           [&](auto no) { return text.substr(at).starts_with(no); })
                    : std::end(kNoNumbers);
    if (word != std::end(kNoNumbers)) {
      out += "null";
      at += word->size();
      continue;
    }
    const std::size_t end = c == '"' ? string_end(text, at) : at + 1;
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

/// The number that no double holds, of which the message of nlohmann's parser has the text.
std::string_view overflowing_number(const json::out_of_range& error) {
  const std::string_view what = error.what();
  const std::size_t begin = what.find('\'') + 1;
  return what.substr(begin, what.rfind('\'') - begin);
}

}  // namespace

json parse_json(std::string_view text, std::string_view source) {
  const std::string plain = plain_json(without_mark(text), source);
  try {
    return json::parse(plain);
  } catch (const json::parse_error& error) {
    const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, plain.size());
    if (at == plain.size()) {
      throw ParseError(source, line_at(plain, at),
                       "expected the rest of a JSON document, found the end of the file");
    }
    throw ParseError(
        source, line_at(plain, at),
        fmt::format("expected JSON, found {}", scalelaw::quoted(plain.substr(at, 20))));
  } catch (const json::out_of_range& error) {
    const std::string_view number = overflowing_number(error);
    throw ParseError(
        source, line_at(plain, std::min(plain.find(number), plain.size())),
        fmt::format("expected a number below 1.8e308, found {}", number.substr(0, 40)));
  }
}

json parse_json_if_any(std::string_view text) {
  try {
    return parse_json(text, "");
  } catch (const ParseError&) {
    return json(json::value_t::discarded);
  }
}

const json& json_member(const json& object, const char* name) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

std::string json_cell(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (value.is_number_float()) return exact_text(value.get<double>());
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<double> json_number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return parse_number(trimmed(value.get_ref<const std::string&>()));
  return std::nullopt;
}

bool has_json_keys(std::string_view head, std::initializer_list<std::string_view> keys) {
  head = without_mark(head);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{') return false;
  return std::ranges::all_of(keys, [&](std::string_view key) {
    const std::string wanted = fmt::format("\"{}\"", key);
    for (std::size_t at = head.find(wanted); at != std::string_view::npos;
         at = head.find(wanted, at + 1)) {
      const std::size_t behind = head.find_first_not_of(" \t\r\n", at + wanted.size());
      if (behind != std::string_view::npos && head[behind] == ':') return true;
    }
    return false;
  });
}

}  // namespace scalelaw
