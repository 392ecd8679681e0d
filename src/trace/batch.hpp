#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "scalelaw/trace/sample.hpp"

namespace scalelaw {

/// Samples on their way to a sink, handed over a few hundred at a time.
class SampleBatch {
 public:
  static constexpr std::size_t kMost = 256;

  explicit SampleBatch(SampleSink& sink) : sink_(sink) {}

  void add(const Sample& sample) {
    waiting_.push_back(sample);
    if (waiting_.size() == kMost) flush();
  }
  void flush() {
    if (!waiting_.empty()) sink_.add(waiting_);
    waiting_.clear();
  }
  /// Samples that were not handed over yet: they may still be changed or taken back.
  std::vector<Sample>& waiting() { return waiting_; }

 private:
  SampleSink& sink_;
  std::vector<Sample> waiting_;
};

/// A line of more words is neither header nor sample.
inline constexpr std::size_t kMostWords = 256;

/// Splits a line at blanks and tabs; false if there are more than kMostWords, which are not all
/// split.
bool split_words(std::string_view line, std::vector<std::string_view>& words);

/// Whether the last cell of a line that lacks its end looks as whole as the same cell a row before:
/// it ends alike ("W"), has as many decimals, and if it is a bare whole number as many digits. What
/// is cut of "100.25 W" never does.
bool looks_whole(std::string_view cell, std::string_view before);

}  // namespace scalelaw
