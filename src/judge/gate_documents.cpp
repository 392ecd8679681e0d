// Whether documents of fits can be gated together.

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/gate.hpp"

namespace scalelaw {
namespace {

void refuse_difference(const GatePair& pair, std::string_view what, std::string_view base,
                       std::string_view current) {
  if (base == current) return;
  throw DataError(fmt::format(
      "{} and {} cannot be compared: {} is '{}' in the first, '{}' in the "
      "second",
      input_name(pair.base.source), input_name(pair.current.source), what, base, current));
}

}  // namespace

void check_baseline(const SavedFits& base) {
  const bool any = std::any_of(base.groups.begin(), base.groups.end(), [](const GroupFit& group) {
    return std::holds_alternative<Fit>(group.result);
  });
  if (any) return;
  std::string why = "it holds no group";
  if (!base.groups.empty()) why = std::get<NoFit>(base.groups.front().result).message;
  throw DataError(fmt::format("{}: the baseline holds no fit: {}", input_name(base.source), why));
}

void check_one_study(std::span<const GatePair> pairs) {
  const SavedFits& first = pairs.front().base;
  for (const GatePair& pair : pairs) {
    const SavedFits& other = pair.base;
    if (first.x == other.x && first.by == other.by && first.law == other.law &&
        first.errors == other.errors) {
      continue;
    }
    throw DataError(
        fmt::format("{} and {}: one gate judges fits of one law, over one x, in the same groups",
                    input_name(first.source), input_name(other.source)));
  }
}

std::vector<std::string> differences_of_methods(std::span<const GatePair> pairs) {
  std::vector<std::string> sentences;
  for (const auto& [base, current] : pairs) {
    std::vector<std::string> options;
    if (base.se != current.se) options.emplace_back("--se");
    if (base.robust != current.robust) options.emplace_back("--robust");
    if (base.points != current.points) options.emplace_back("--points");
    if (base.run != current.run) options.emplace_back("--run");
    if (base.weights != current.weights) options.emplace_back("--weights");
    if (options.empty()) continue;
    sentences.push_back(fmt::format(
        "{} and {} were fitted with different {}: their standard errors differ in meaning",
        input_name(base.source), input_name(current.source), joined(options)));
  }
  return sentences;
}

void check_comparable(const GatePair& pair) {
  const SavedFits& base = pair.base;
  const SavedFits& current = pair.current;
  refuse_difference(pair, "x", base.x, current.x);
  refuse_difference(pair, "y", base.y, current.y);
  refuse_difference(pair, "by", joined(base.by), joined(current.by));
  refuse_difference(pair, "law", base.law->name(), current.law->name());
  refuse_difference(pair, "response", name_of(base.response), name_of(current.response));
  refuse_difference(pair, "errors", name_of(base.errors), name_of(current.errors));
}

}  // namespace scalelaw
