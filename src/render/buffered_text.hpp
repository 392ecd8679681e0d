#pragma once

#include <string>
#include <utility>

#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Collects text and hands it to a sink in large pieces.
class BufferedText {
 public:
  explicit BufferedText(TextSink sink) : sink_(std::move(sink)) {
    text_.reserve(kBytes + kBytes / 8);
  }

  std::string& text() { return text_; }
  /// Call this where a piece may end.
  void pass_on_if_full() {
    if (text_.size() >= kBytes) pass_on();
  }
  void pass_on() {
    sink_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kBytes =
      std::size_t{64} * 1024;  // What Output writes without copying it once more.
  TextSink sink_;
  std::string text_;
};

}  // namespace scalelaw
