#include "trace/unit_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kHead = 8 << 10;
constexpr std::size_t kLongHead = 64 << 10;

/// Bytes that were read already, then the rest of the stream.
class ResumedStream final : public ByteStream {
 public:
  ResumedStream(std::string_view head, ByteStream& rest) : head_(head), rest_(rest) {}
  std::size_t read(char* out, std::size_t count) override {
    if (head_.empty()) return rest_.read(out, count);
    const std::size_t part = std::min(count, head_.size());
    std::memcpy(out, head_.data(), part);
    head_.remove_prefix(part);
    return part;
  }
  std::uint64_t consumed() const override { return rest_.consumed(); }

 private:
  std::string_view head_;
  ByteStream& rest_;
};

/// Reads on until `text` has `bytes` bytes, or to the end.
void read_to(std::size_t bytes, ByteStream& stream, std::string& text) {
  std::size_t have = text.size();
  text.resize(bytes);
  while (have < bytes) {
    const std::size_t got = stream.read(text.data() + have, bytes - have);
    if (got == 0) break;
    have += got;
  }
  text.resize(have);
}

/// The devices of a file by number.
class DeviceTable {
 public:
  /// The number of a device, and whether it is a new one.
  std::pair<std::uint32_t, bool> place_of(const Device& device) {
    key_.clear();
    for (const std::string* part : {&device.job, &device.node, &device.name}) {
      key_ += *part;
      key_ += '\x1f';
    }
    const auto [place, is_new] =
        numbers_.try_emplace(key_, static_cast<std::uint32_t>(devices_.size()));
    if (is_new) devices_.push_back(device);
    return {place->second, is_new};
  }
  const std::vector<Device>& all() const { return devices_; }

 private:
  std::string key_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<Device> devices_;
};

/// Thrown by a sink that streams when samples are not in order of time.
struct OutOfOrder {};

/// What the sinks of a file have in common: its devices, its oddities, the window of its jobs.
class FileSink : public SampleSink {
 public:
  FileSink(const TraceFile& file, const UnitOptions& options, UnitFigures& out)
      : file_(file), options_(options), out_(out) {}

  std::uint32_t device(const Device& device) override {
    const auto [number, is_new] = devices_.place_of(device);
    if (is_new) {
      windows_.push_back(window_of(job_of(device)));
      add_device(device);
    }
    return number;
  }

  void note(TraceOddity oddity, std::uint64_t line, std::string_view what) override {
    OddityCount& count = out_.oddities[oddity];
    if (count.count++ == 0) {
      count.first = fmt::format("{}:{}{}{}", input_name(file_.path), line, what.empty() ? "" : ": ",
                                what.empty() ? "" : scalelaw::quoted(what));
    }
  }

 protected:
  virtual void add_device(const Device& device) = 0;

  std::string job_of(const Device& device) const {
    return device.job.empty() ? file_.origin.job : device.job;
  }
  std::string node_of(const Device& device) const {
    return device.node.empty() ? file_.origin.node : device.node;
  }
  bool is_trimmed(const Sample& sample) const {
    const BusyWindow& window = windows_[sample.device];
    return sample.time_ns < window.first_ns || sample.time_ns > window.last_ns;
  }
  bool trims() const { return options_.windows != nullptr; }

  const TraceFile& file_;
  const UnitOptions& options_;
  UnitFigures& out_;
  DeviceTable devices_;

 private:
  /// Of a job that never worked nothing is left.
  BusyWindow window_of(const std::string& job) const {
    if (!trims()) return {0, 0};
    const auto found = options_.windows->find(job);
    return found == options_.windows->end() ? BusyWindow{1, 0} : found->second;
  }

  std::vector<BusyWindow> windows_;  ///< Of each device's job.
};

/// Summarises the samples of one file while they are read.
class StreamingSink final : public FileSink {
 public:
  using FileSink::FileSink;

  void add(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) {
      if (trims() && is_trimmed(sample)) {
        summaries_[sample.device].trim();
        continue;
      }
      const auto order = summaries_[sample.device].add(sample);
      if (order == DeviceSummary::Order::kEarlier) [[unlikely]]
        throw OutOfOrder{};
    }
  }

  void finish() {
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      const Device& device = devices_.all()[i];
      out_.devices.push_back({job_of(device), node_of(device), device.name,
                              summaries_[i].figures(options_.max_gap_s)});
    }
  }

 private:
  void add_device(const Device& /*device*/) override { summaries_.emplace_back(); }

  std::vector<DeviceSummary> summaries_;
};

/// The samples of the devices of several files.
struct HeldSamples {
  struct Series {
    Device device;
    std::vector<Sample> samples;
    DeviceSummary summary;
  };
  std::vector<Series> series;
};

/// Keeps all samples of a file beside those of the files before it.
class HoldingSink final : public FileSink {
 public:
  HoldingSink(const TraceFile& file, const UnitOptions& options, UnitFigures& out,
              HeldSamples& held)
      : FileSink(file, options, out), held_(held) {}

  void add(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) {
      HeldSamples::Series& series = held_.series[place_[sample.device]];
      if (trims() && is_trimmed(sample)) {
        series.summary.trim();
      } else {
        series.samples.push_back(sample);
      }
    }
  }

 private:
  void add_device(const Device& named) override {
    Device device{job_of(named), node_of(named), named.name};
    const auto same = std::find_if(
        held_.series.begin(), held_.series.end(),
        [&device](const HeldSamples::Series& series) { return series.device == device; });
    place_.push_back(static_cast<std::size_t>(same - held_.series.begin()));
    if (same == held_.series.end()) held_.series.push_back({std::move(device), {}, {}});
  }

  HeldSamples& held_;
  std::vector<std::size_t> place_;
};

/// Tells the progress of the bytes that are taken from the disk.
class WatchedStream final : public ByteStream {
 public:
  WatchedStream(ByteStream& in, Progress* progress) : in_(in), progress_(progress) {}
  std::size_t read(char* out, std::size_t count) override {
    const std::size_t got = in_.read(out, count);
    if (progress_ != nullptr) progress_->advance(in_.consumed() - told_);
    told_ = in_.consumed();
    return got;
  }
  std::uint64_t consumed() const override { return in_.consumed(); }

 private:
  ByteStream& in_;
  Progress* progress_;
  std::uint64_t told_ = 0;
};

void read_file(const TraceFile& file, const UnitOptions& options, SampleSink& sink) {
  const std::string source = input_name(file.path);
  if (file.opened != nullptr) {
    file.format->read_samples(file.opened->stream(), source, options.trace, sink);
    return;
  }
  const InputFile input(file.path);
  const auto stream = open_stream(input);
  WatchedStream watched(*stream, options.progress);
  file.format->read_samples(watched, source, options.trace, sink);
}

UnitFigures read_sorted(const std::vector<TraceFile>& files, const UnitOptions& options) {
  UnitFigures out;
  HeldSamples held;
  for (const TraceFile& file : files) {
    HoldingSink sink(file, options, out, held);
    read_file(file, options, sink);
  }
  for (HeldSamples::Series& series : held.series) {
    // Stable: of repeated samples the first one in the file stays.
    std::stable_sort(series.samples.begin(), series.samples.end(),
                     [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
    for (const Sample& sample : series.samples) series.summary.add(sample);
    out.devices.push_back({series.device.job, series.device.node, series.device.name,
                           series.summary.figures(options.max_gap_s)});
    series.samples = {};
  }
  return out;
}

/// Takes nothing but the times of samples that are busy enough.
class BusySink final : public SampleSink {
 public:
  BusySink(const TraceFile& file, double idle_below_pct, BusyWindows& windows)
      : file_(file), idle_below_pct_(idle_below_pct), windows_(windows) {}

  std::uint32_t device(const Device& device) override {
    const auto [number, is_new] = devices_.place_of(device);
    if (is_new) jobs_.push_back(device.job.empty() ? file_.origin.job : device.job);
    return number;
  }
  void add(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) {
      if (!(sample.sm_util_pct >= idle_below_pct_)) continue;
      const auto [place, is_new] =
          windows_.try_emplace(jobs_[sample.device], BusyWindow{sample.time_ns, sample.time_ns});
      place->second.first_ns = std::min(place->second.first_ns, sample.time_ns);
      place->second.last_ns = std::max(place->second.last_ns, sample.time_ns);
    }
  }
  void note(TraceOddity /*oddity*/, std::uint64_t /*line*/, std::string_view /*what*/) override {}

 private:
  const TraceFile& file_;
  double idle_below_pct_;
  BusyWindows& windows_;
  DeviceTable devices_;
  std::vector<std::string> jobs_;
};

}  // namespace

OpenedTrace::OpenedTrace(const std::string& path)
    : path_(path), file_(std::make_unique<InputFile>(path)) {
  size_ = file_->size();
  rest_ = open_stream(*file_);
  read_to(kHead, *rest_, head_);
}

void OpenedTrace::lengthen_head() { read_to(kLongHead, *rest_, head_); }

ByteStream& OpenedTrace::stream() {
  if (used_) {
    throw DataError(fmt::format(
        "{}: samples are out of order, which takes a second reading: store it as a file",
        input_name(path_)));
  }
  used_ = true;
  stream_ = std::make_unique<ResumedStream>(head_, *rest_);
  return *stream_;
}

UnitFigures read_unit(const std::vector<TraceFile>& files, const UnitOptions& options) {
  if (files.size() == 1) {
    try {
      UnitFigures out;
      StreamingSink sink(files.front(), options, out);
      read_file(files.front(), options, sink);
      sink.finish();
      return out;
    } catch (const OutOfOrder&) {
      // Read again below, to be sorted.
    }
  }
  return read_sorted(files, options);
}

void find_busy_windows(const TraceFile& file, const UnitOptions& options, double idle_below_pct,
                       BusyWindows& windows) {
  BusySink sink(file, idle_below_pct, windows);
  read_file(file, options, sink);
}

}  // namespace scalelaw
