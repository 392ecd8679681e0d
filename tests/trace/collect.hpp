#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/format.hpp"
#include "scalelaw/trace/sample.hpp"

namespace scalelaw {

/// A stream of the bytes of a string, which must outlive it.
class StringStream : public ByteStream {
 public:
  /// @param most  Most bytes per read, so that reads end anywhere in a line.
  explicit StringStream(std::string_view text, std::size_t most = SIZE_MAX)
      : text_(text), most_(most) {}

  std::size_t read(char* out, std::size_t count) override {
    const std::size_t given = std::min({count, most_, text_.size() - consumed_});
    if (given > 0) std::memcpy(out, text_.data() + consumed_, given);
    consumed_ += given;
    return given;
  }
  std::uint64_t consumed() const override { return consumed_; }

 private:
  std::string_view text_;
  std::size_t most_;
  std::size_t consumed_ = 0;
};

/// Keeps the samples and notes of a reader.
class CollectingSink : public SampleSink {
 public:
  struct Note {
    TraceOddity oddity;
    std::uint64_t line;
    std::string what;
  };

  std::uint32_t device(const Device& device) override {
    const auto known = std::find(devices.begin(), devices.end(), device);
    if (known != devices.end()) return static_cast<std::uint32_t>(known - devices.begin());
    devices.push_back(device);
    return static_cast<std::uint32_t>(devices.size() - 1);
  }
  void add(std::span<const Sample> added) override {
    samples.insert(samples.end(), added.begin(), added.end());
  }
  void note(TraceOddity oddity, std::uint64_t line, std::string_view what) override {
    notes.push_back({oddity, line, std::string(what)});
  }

  /// How often an oddity was noted.
  std::size_t count(TraceOddity oddity) const {
    return static_cast<std::size_t>(std::count_if(
        notes.begin(), notes.end(), [&](const Note& note) { return note.oddity == oddity; }));
  }

  std::vector<Sample> samples;
  std::vector<Device> devices;
  std::vector<Note> notes;
};

/// What a format's reader finds in a text, which messages name "trace".
inline CollectingSink samples_of(const TraceFormat& format, std::string_view text,
                                 const TraceOptions& options = {}) {
  StringStream stream(text);
  CollectingSink sink;
  format.read_samples(stream, "trace", options, sink);
  return sink;
}

}  // namespace scalelaw
