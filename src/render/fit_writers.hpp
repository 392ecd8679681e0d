#pragma once

#include <memory>

#include "scalelaw/render/fit_report.hpp"

namespace scalelaw {

// One writer a family of formats; make_fit_writer chooses.
std::unique_ptr<FitWriter> make_json_fit_writer(FitReport report, TextSink sink);
std::unique_ptr<FitWriter> make_jsonl_fit_writer(FitReport report, TextSink sink);
std::unique_ptr<FitWriter> make_delimited_fit_writer(const FitReport& report, const FitStyle& style,
                                                     TextSink sink);
std::unique_ptr<FitWriter> make_table_fit_writer(FitReport report, FitStyle style, TextSink sink);

/// Text on its way to a sink, handed over in pieces large enough to be cheap.
class BufferedText {
 public:
  explicit BufferedText(TextSink sink) : sink_(std::move(sink)) {
    text_.reserve(kBytes + kBytes / 8);
  }

  std::string& text() { return text_; }
  /// Call where a piece may end.
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
