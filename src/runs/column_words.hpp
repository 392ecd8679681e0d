#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/name_words.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {

using Words = std::vector<std::string>;
using Vocabulary = std::initializer_list<std::string_view>;

/// The words of one name, as the rules ask for them.
class Name {
 public:
  explicit Name(std::string_view header) : header_(header), words_(words_of_name(header)) {
    const std::size_t last = header.find_last_not_of("0123456789()[]{}#_.:;- \t");
    is_plural_ = last != std::string_view::npos && (header[last] == 's' || header[last] == 'S');
  }

  const Words& words() const { return words_; }
  std::string_view header() const { return header_; }
  bool is_plural() const { return is_plural_; }
  bool has(std::string_view word) const { return std::ranges::find(words_, word) != words_.end(); }
  bool has_any(Vocabulary words) const {
    return std::ranges::any_of(words, [this](auto word) { return has(word); });
  }
  /// Whether the name has no other words.
  bool is_of(Vocabulary words) const {
    return std::ranges::all_of(words_, [&words](const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    });
  }
  /// What follows the first "per"; empty without one.
  std::string_view per() const {
    const auto found = std::ranges::find(words_, "per");
    return found == words_.end() || found + 1 == words_.end() ? std::string_view() : *(found + 1);
  }

 private:
  std::string_view header_;
  Words words_;
  bool is_plural_ = false;
};

/// Whether a name says that it is the power of all GPUs of a run together: "Total Power (kW)".
inline bool names_total_power(std::string_view header) {
  const Name name(header);
  return name.has("total") && meaning_of(header).role == ColumnRole::kPower &&
         !name.has_any({"max", "peak", "min", "idle", "node", "system", "server", "rack", "cpu",
                        "dram", "cluster", "per"});
}

/// Whether a text is the model of a GPU, "A100" or "MI250X-128GB".
bool is_gpu_model(std::string_view text);

/// Whether a column counts the tokens of a run, and neither unique ones nor a limit.
inline bool counts_tokens(const ColumnMeaning& meaning) {
  return meaning.role == ColumnRole::kTokens && meaning.rank < 4;
}

inline bool is_one_of(std::string_view word, Vocabulary words) {
  return std::ranges::find(words, word) != words.end();
}

inline bool is_time_unit(std::string_view word) {
  return is_one_of(word,
                   {"second", "s", "ms", "us", "ns", "minute", "min", "hour", "h", "day", "d"});
}

inline bool is_device_word(std::string_view word) {
  return is_one_of(word, {"gpu", "accelerator", "tpu", "npu", "xpu", "gcd", "hpu", "gaudi", "chip",
                          "card", "device"});
}

/// Whether what a name is "per" is a GPU: "tokens/s/GPU", "energy_per_gpu_j".
inline bool is_per_device(const Name& name) {
  const Words& words = name.words();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "per" && is_device_word(words[i])) return true;
  }
  return false;
}

inline bool names_device(const Name& name) {
  return name.has_any({"gpu", "device", "accelerator", "node", "core", "cpu", "rank", "worker",
                       "process", "chip", "tpu", "thread", "host"});
}

/// "throughput/total_tokens": what OLMo calls the tokens that a run has seen.
inline bool is_count_of_tokens(const Name& name) {
  return name.header().ends_with("throughput/total_tokens");
}

/// What a name says of what was measured: a scatter or ratio of other columns.
std::optional<ColumnMeaning> derived_meaning(const Name& name);
/// A rate: something per time, a throughput, FLOP/s.
std::optional<ColumnMeaning> rate_meaning(const Name& name);
/// Whether a unit of time follows a "per", or a noun means a rate.
bool has_words_of_rate(const Name& name);
/// A rate of computing times a time, which is a compute: "PFLOP-days", "petaflop/s-days".
bool is_flop_time(const Name& name);
/// A time.
std::optional<ColumnMeaning> time_meaning(const Name& name);

/// Whether a "min" at the end of a name is the least of several values and no minute, by the other
/// names: "total_min" beside "total_max", "min" beside "mean" or "median".
bool is_least_of_several(const std::vector<std::string>& names, const std::string& cell);

}  // namespace scalelaw
