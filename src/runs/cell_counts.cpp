#include "runs/cell_counts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

#include "runs/column_words.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::array<std::string_view, 4> kTimesSigns = {"x", "X", "*", "\u00D7"};

/// Takes a whole number above 0 from the beginning of a text.
std::optional<double> take_whole(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, length));
  if (!number || !(*number > 0)) return std::nullopt;
  text = trimmed(text.substr(length));
  return number;
}

bool take_one_of(std::span<const std::string_view> words, std::string_view& text) {
  for (const std::string_view word : words) {
    if (!text.starts_with(word)) continue;
    text = trimmed(text.substr(word.size()));
    return true;
  }
  return false;
}

bool is_device(std::string_view thing) {
  constexpr std::array<std::string_view, 8> kNone = {"token", "param",  "step",      "epoch",
                                                     "image", "sample", "parameter", ""};
  return std::ranges::find(kNone, thing) == kNone.end();
}

/// Takes "8 GPUs" from the beginning of a text.
std::optional<ThingCount> take_count(std::string_view& text) {
  const auto number = take_whole(text);
  if (!number) return std::nullopt;
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto* const end = std::ranges::find_if_not(text, is_letter);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view thing = counted_thing(text.substr(0, length));
  if (!is_device(thing)) return std::nullopt;
  text = trimmed(text.substr(length));
  return ThingCount{*number, thing};
}

}  // namespace

std::string_view counted_thing(std::string_view word) {
  static constexpr std::string_view kThings[] = {
      "gpu",  "cpu",   "tpu",   "node",   "core",      "device", "chip",  "worker",     "rank",
      "task", "proc",  "host",  "server", "process",   "thread", "token", "machine",    "param",
      "step", "epoch", "image", "sample", "parameter", "socket", "card",  "accelerator"};
  const std::string lower = singular_word(lower_case(word));
  const auto* const found = std::ranges::find(kThings, lower);
  return found == std::end(kThings) ? std::string_view() : *found;
}

std::optional<ThingCount> count_in_words(std::string_view text) {
  constexpr std::array<std::string_view, 5> kPlaces = {"across ", "on ", "over ", "in ", "/ "};
  constexpr std::array<std::string_view, 4> kEach = {"each", "per node", "/ node", "/node"};
  const auto first = take_count(text);
  if (!first) return std::nullopt;
  const bool all = take_one_of(kPlaces, text);
  if (!all && !take_one_of(kTimesSigns, text)) return std::nullopt;
  auto second = take_count(text);
  if (!second) return std::nullopt;
  if (!all) take_one_of(kEach, text);
  if (!text.empty()) return std::nullopt;
  if (all) return first;
  return ThingCount{first->number * second->number, second->thing};
}

std::optional<ModelCount> count_of_model(std::string_view text) {
  auto product = take_whole(text);
  while (product && take_one_of(kTimesSigns, text)) {
    if (is_gpu_model(text)) return ModelCount{*product, text};
    const auto factor = take_whole(text);
    if (!factor) return std::nullopt;
    *product *= *factor;
  }
  return std::nullopt;
}

std::optional<double> product_of_tuple(std::string_view text) {
  const bool in_brackets = (text.starts_with('(') && text.ends_with(')')) ||
                           (text.starts_with('[') && text.ends_with(']'));
  if (!in_brackets || text.find(',') == text.npos) return std::nullopt;
  double product = 1;
  for (const std::string& part : split(text.substr(1, text.size() - 2), ',')) {
    std::string_view rest = trimmed(part);
    const auto number = take_whole(rest);
    if (!number || !rest.empty()) return std::nullopt;
    product *= *number;
  }
  return product;
}

std::optional<double> product_in(std::string_view text) {
  auto product = take_whole(text);
  if (!product || text.empty()) return std::nullopt;
  while (!text.empty()) {
    const bool times = take_one_of(kTimesSigns, text);
    const auto factor = times ? take_whole(text) : std::nullopt;
    if (!factor) return std::nullopt;
    *product *= *factor;
  }
  return product;
}

}  // namespace scalelaw
