#include "trace/name_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/job_facts.hpp"

namespace scalelaw {
namespace {

[[noreturn]] void refuse(std::string_view pattern, std::string_view why) {
  throw DataError(fmt::format("--name-pattern {}: {}; expected for example '{{model}}-{{gpus}}gpu'",
                              quoted(pattern), why));
}

/// An expression for the text itself.
std::string literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (holds("^$\\.*+?()[]|/", c)) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

NamePattern::NamePattern(std::string_view pattern) {
  std::string expression;
  std::string_view rest = pattern;
  while (!rest.empty()) {
    const std::size_t begin = std::min(rest.find_first_of("{}"), rest.size());
    if (begin == 0 && !names_.empty()) {
      refuse(pattern, fmt::format("nothing stands behind {{{}}}", names_.back()));
    }
    expression += literal(rest.substr(0, begin));
    rest.remove_prefix(begin);
    if (rest.empty()) break;
    const std::size_t end = rest.find_first_of("{}", 1);
    if (rest.front() == '}' || end == std::string_view::npos || rest[end] == '{') {
      refuse(pattern, "a brace has no companion");
    }
    std::string name(rest.substr(1, end - 1));
    if (name.empty()) refuse(pattern, "a name is empty");
    if (is_one_of(name, names_)) refuse(pattern, fmt::format("{{{}}} comes twice", name));
    // A count is digits: "{gpus}" does not fit all_results_4gpu as a whole.
    const bool is_count = is_gpu_count(name) || name == "nodes";
    names_.push_back(std::move(name));
    expression += is_count ? "([0-9]+)" : "(.+)";
    rest.remove_prefix(end + 1);
  }
  if (names_.empty()) refuse(pattern, "it has no name in braces");
  expression_ = std::regex(expression);
}

std::optional<NamePattern::Facts> NamePattern::match(const std::string& text) const {
  std::smatch found;
  if (!std::regex_match(text, found, expression_)) return std::nullopt;
  Facts facts;
  for (std::size_t i = 0; i < names_.size(); ++i) facts.emplace_back(names_[i], found[i + 1].str());
  return facts;
}

std::optional<NamePattern::Facts> NamePattern::facts_of(const std::string& path) const {
  if (auto facts = match(origin_by_stem(path).job)) return facts;
  for (auto folder = std::filesystem::path(path).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (auto facts = match(folder.filename().string())) return facts;
  }
  return std::nullopt;
}

}  // namespace scalelaw
