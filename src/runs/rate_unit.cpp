#include "runs/cell_number.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// The work that is counted, by one name: "tokens" and "tok" are "token".
std::string name_of_work(std::string_view written) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"tok", "token"},      {"toks", "token"},      {"img", "image"},    {"imgs", "image"},
      {"req", "request"},    {"reqs", "request"},    {"it", "iteration"}, {"its", "iteration"},
      {"iter", "iteration"}, {"iters", "iteration"}, {"ex", "example"},   {"seq", "sequence"},
      {"seqs", "sequence"},  {"op", "operation"},    {"ops", "operation"}};
  std::string name = lower_case(written);
  for (const auto& [word, full] : kShort) {
    if (word == name) return std::string(full);
  }
  return singular_word(std::move(name));
}

/// Bytes, bits and floating point operations with a prefix: "GB", "Mbit", "TFLOP".
std::optional<std::pair<std::string, double>> work_with_prefix(std::string_view written) {
  static constexpr std::pair<std::string_view, double> kPrefixes[] = {
      {"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}, {"Ti", 1099511627776.0},
      {"k", 1e3},     {"K", 1e3},        {"M", 1e6},           {"G", 1e9},
      {"T", 1e12},    {"P", 1e15},       {"E", 1e18},          {"", 1}};
  for (const auto& [prefix, factor] : kPrefixes) {
    if (!written.starts_with(prefix)) continue;
    const std::string_view rest = written.substr(prefix.size());
    const std::string word = lower_case(rest);
    if (rest == "B" || word == "byte" || word == "bytes") return std::pair("B", factor);
    if (rest == "b" || word == "bit" || word == "bits") return std::pair("bit", factor);
    if (word == "flop" || word == "flops") return std::pair("FLOP", factor);
  }
  return std::nullopt;
}

/// The parts of "tokens per second" and "img / s / GPU".
std::vector<std::string> parts_of(std::string_view words) {
  std::string text(words);
  for (std::size_t at = text.find(" per "); at != std::string::npos; at = text.find(" per ")) {
    text.replace(at, 5, "/");
  }
  return split(text, '/');
}

bool is_word(std::string_view part) {
  constexpr std::size_t kLongest = 24;
  return !part.empty() && part.size() <= kLongest && std::ranges::all_of(part, [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '_' || c == '-';
  });
}

/// A rate of one word: "TFLOPS", "QPS", "fps".
std::optional<RateUnit> rate_word(std::string_view word) {
  const auto work = work_with_prefix(word);
  const std::string name = lower_case(word);
  if (work && work->first == "FLOP" && name.ends_with('s')) {
    return RateUnit{std::string(word), "FLOP/s", work->second};
  }
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"qps", "query/s"}, {"rps", "request/s"}, {"fps", "frame/s"}, {"tps", "token/s"}};
  for (const auto& [known, base] : kWords) {
    if (known == name) return RateUnit{std::string(word), std::string(base), 1};
  }
  return std::nullopt;
}

}  // namespace

std::optional<RateUnit> rate_unit(std::string_view words) {
  std::vector<std::string> parts = parts_of(words);
  if (parts.size() == 1 && is_word(parts.front())) return rate_word(parts.front());
  const auto time_of = [](const std::string& part) {
    const auto unit = part == "hr" ? "h" : canonical_unit(part).value_or("");
    return std::pair(unit, in_base_units(unit, Dimension::kTime));
  };
  if (parts.size() == 2 && parts[0].empty()) {  // "655.3/s".
    const auto [time, seconds] = time_of(parts[1]);
    if (!seconds) return std::nullopt;
    return RateUnit{"1/" + std::string(time), "1/s", 1 / *seconds};
  }
  if (parts.size() < 2 || !std::ranges::all_of(parts, is_word)) return std::nullopt;
  if (const auto [time, seconds] = time_of(parts[0]); seconds && parts[1] != "day") {  // "ns/day".
    parts[0] = time;
    const std::string unit = joined(parts, "/");
    parts[0] = "s";
    parts[1] = name_of_work(parts[1]);
    return RateUnit{unit, joined(parts, "/"), *seconds};
  }
  const auto [time, seconds] = time_of(parts[1]);
  if (!seconds) return std::nullopt;
  parts[1] = time;
  const std::string unit = joined(parts, "/");
  const auto work = work_with_prefix(parts[0]);
  parts[0] = work ? work->first : name_of_work(parts[0]);
  parts[1] = "s";
  return RateUnit{unit, joined(parts, "/"), (work ? work->second : 1) / *seconds};
}

}  // namespace scalelaw
