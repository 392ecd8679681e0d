#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "scalelaw/trace/sample.hpp"

namespace scalelaw {

/// Samples on their way to a sink, which gets a few hundred at a time.
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
  /// Samples that the sink does not have yet: they may still be changed or removed.
  std::vector<Sample>& waiting() { return waiting_; }

 private:
  SampleSink& sink_;
  std::vector<Sample> waiting_;
};

/// A line with more words is neither header nor sample.
inline constexpr std::size_t kMostWords = 256;

/// Splits a line at blanks and tabs. False if there are more than kMostWords; then not all are
/// split.
bool split_words(std::string_view line, std::vector<std::string_view>& words);

/// Whether the last cell of a line without end looks as complete as the same cell one row before.
/// It must have the same ending ("W") and as many decimals. A bare whole number must have as many
/// digits. A cut "100.25 W" never passes.
bool looks_whole(std::string_view cell, std::string_view before);

}  // namespace scalelaw
