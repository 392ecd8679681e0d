#include "trace/unit_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/content_hash.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_bytes.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/told_runs.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kHead = 8 << 10;
constexpr std::size_t kLongHead = 64 << 10;
constexpr std::size_t kLongestHead = 1 << 20;

/// The numbers of a file's devices.
class DeviceTable {
 public:
  /// The number of a device, and whether it is new.
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

/// A streaming sink throws this if samples are not in order of time.
struct OutOfOrder {};

/// The job of a device: its own, or else the file's.
const std::string& job_of_device(const TraceFile& file, const Device& device) {
  return device.job.empty() ? file.origin.job : device.job;
}

/// Counts what is odd in a file.
class FileNotes : public TraceNotes {
 public:
  FileNotes(std::string path, OddityCounts& counts) : path_(std::move(path)), counts_(counts) {}

  void note(TraceOddity oddity, std::uint64_t line, std::string_view what) override {
    OddityCount& count = counts_[oddity];
    if (count.count++ == 0) count.first = place_of(line, what);
  }
  void read_from(const std::string& path) override { path_ = path; }

 protected:
  /// "file:line: what".
  std::string place_of(std::uint64_t line, std::string_view what) const {
    std::string place = input_name(path_);
    if (line > 0) place += fmt::format(":{}", line);
    if (!what.empty()) place += ": " + scalelaw::quoted(what);
    return place;
  }

 private:
  std::string path_;
  OddityCounts& counts_;
};

/// Also keeps the runs that make no row.
class RecordNotes final : public FileNotes {
 public:
  RecordNotes(const std::string& path, UnitFigures& out)
      : FileNotes(path, out.oddities), left_out_(out.left_out) {}

  void leave_out(const LeftOutRun& run) override {
    left_out_.push_back({run, place_of(run.line, run.words())});
  }

 private:
  std::vector<LeftOut>& left_out_;
};

/// Notes each time that the counter of a GPU began anew.
void note_resets(const DeviceSummary& summary, std::string_view gpu, TraceNotes& notes) {
  for (std::uint64_t i = 0; i < summary.counter_resets(); ++i) {
    notes.note(TraceOddity::kCounterReset, 0, fmt::format("GPU {}", gpu));
  }
}

/// The common part of a file's sinks: its devices, its oddities, the window of its jobs.
class FileSink : public SampleSink {
 public:
  FileSink(const TraceFile& file, const UnitOptions& options, UnitFigures& out)
      : file_(file), options_(options), out_(out) {}

  std::uint32_t device(const Device& device) override {
    const auto [number, is_new] = devices_.place_of(device);
    if (is_new) {
      windows_.push_back(window_of(job_of_device(file_, device)));
      add_device(device);
    }
    return number;
  }

  void note(TraceOddity oddity, std::uint64_t line, std::string_view what) override {
    FileNotes(file_.path, out_.oddities).note(oddity, line, what);
  }

 protected:
  virtual void add_device(const Device& device) = 0;

  std::string node_of(const Device& device) const {
    return device.node.empty() ? file_.origin.node : device.node;
  }
  DeviceRow device_row(const Device& device, DeviceFigures figures) const {
    DeviceRow row{.job = job_of_device(file_, device),
                  .node = node_of(device),
                  .gpu = device.name,
                  .figures = std::move(figures)};
    if (row.node.empty()) row.file = file_.path;
    return row;
  }
  /// Refuses times whose differences might not fit into 64 bits.
  void check_time(const Sample& sample) const {
    constexpr std::int64_t kFirst = -100'000'000'000'000'000;
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() + kFirst;
    if (sample.time_ns >= kFirst && sample.time_ns <= kLast) [[likely]]
      return;
    throw DataError(
        fmt::format("{}: a time stamp lies before 1967 or after 2258", input_name(file_.path)));
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
  /// A job that never worked keeps no samples. A job whose use was not measured keeps all.
  BusyWindow window_of(const std::string& job) const {
    constexpr BusyWindow kEverything{std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max()};
    if (!trims()) return kEverything;
    const auto found = options_.windows->find(job);
    return found == options_.windows->end() ? kEverything : found->second;
  }

  std::vector<BusyWindow> windows_;  ///< Window of each device's job.
};

/// Summarises the samples of one file while they are read.
class StreamingSink final : public FileSink {
 public:
  using FileSink::FileSink;

  void add(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) {
      check_time(sample);
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
      note_resets(summaries_[i], device.name, *this);
      out_.devices.push_back(device_row(device, summaries_[i].figures()));
    }
  }

 private:
  void add_device(const Device& /*device*/) override {
    summaries_.emplace_back(options_.max_gap_s);
  }

  std::vector<DeviceSummary> summaries_;
};

/// Samples of several files, by device.
struct HeldSamples {
  struct Series {
    DeviceRow row;
    std::vector<Sample> samples;
    DeviceSummary summary;
  };
  DeviceTable devices;
  std::vector<Series> series;  ///< One for each device.

  /// Adds the samples of one more file.
  void add(HeldSamples&& other) {
    for (std::size_t i = 0; i < other.series.size(); ++i) {
      const auto [place, is_new] = devices.place_of(other.devices.all()[i]);
      Series& from = other.series[i];
      if (is_new) {
        series.push_back(std::move(from));
        continue;
      }
      Series& to = series[place];
      to.samples.insert(to.samples.end(), from.samples.begin(), from.samples.end());
      to.summary.take_trimmed(from.summary);
    }
  }
};

/// Keeps all samples of a file beside those of earlier files.
class HoldingSink final : public FileSink {
 public:
  HoldingSink(const TraceFile& file, const UnitOptions& options, UnitFigures& out,
              HeldSamples& held)
      : FileSink(file, options, out), held_(held) {}

  void add(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) {
      check_time(sample);
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
    const auto [place, is_new] =
        held_.devices.place_of({job_of_device(file_, named), node_of(named), named.name});
    place_.push_back(place);
    if (is_new)
      held_.series.push_back({device_row(named, {}), {}, DeviceSummary(options_.max_gap_s)});
  }

  HeldSamples& held_;
  std::vector<std::size_t> place_;
};

/// Reports the bytes that it takes from the disk as progress, and hashes what it hands on.
class WatchedStream final : public ByteStream {
 public:
  WatchedStream(ByteStream& in, Progress* progress, ContentHash* hash)
      : in_(in), progress_(progress), hash_(hash) {}
  std::size_t read(char* out, std::size_t count) override {
    const std::size_t got = in_.read(out, count);
    if (hash_ != nullptr) hash_->add({out, got});
    refuse_cancelled();
    if (progress_ != nullptr) progress_->advance(in_.consumed() - told_);
    told_ = in_.consumed();
    return got;
  }
  std::uint64_t consumed() const override { return in_.consumed(); }

 private:
  ByteStream& in_;
  Progress* progress_;
  ContentHash* hash_;
  std::uint64_t told_ = 0;
};

/// Reads the rest that a format did not need.
void drain(ByteStream& stream) {
  std::array<char, 64 << 10> unused;
  while (stream.read(unused.data(), unused.size()) > 0) {
  }
}

/// Reads a file into a sink, and notes its state in `out` if the options ask for it.
void read_file(const TraceFile& file, const UnitOptions& options, SampleSink& sink,
               UnitFigures& out) {
  const std::string source = input_name(file.path);
  if (file.opened != nullptr) {
    return file.format->read_samples(file.opened->stream(), source, options.trace, sink);
  }
  const OpenedFile input(file.path);
  ContentHash hash;
  WatchedStream watched(*input.stream, options.progress, options.note_files ? &hash : nullptr);
  file.format->read_samples(watched, source, options.trace, sink);
  if (!options.note_files) return;
  drain(watched);
  out.files.push_back({file.path, input.file.state(), hash.hex_digest()});
}

/// Why a file has no samples: its first oddity.
DataError no_samples(const TraceFile& file, const UnitFigures& unit) {
  std::string reason;
  for (const auto& [oddity, count] : unit.oddities) {
    if (reason.empty()) reason = fmt::format("; a line that is none: {}", count.first);
  }
  return DataError(fmt::format("{}: it holds no sample{}", input_name(file.path), reason));
}

constexpr double Sample::*kUnitQuantities[] = {&Sample::sm_util_pct, &Sample::mem_util_pct,
                                               &Sample::mem_used_mib, &Sample::power_w,
                                               &Sample::energy_j};

/// Joins samples of one instant that have no quantity in common: files may hold one each.
void join_complements(std::vector<Sample>& samples) {
  std::size_t kept = 0;
  for (const Sample& sample : samples) {
    const bool complements =
        kept > 0 && samples[kept - 1].time_ns == sample.time_ns &&
        std::ranges::all_of(kUnitQuantities, [&](auto quantity) {
          return std::isnan(samples[kept - 1].*quantity) || std::isnan(sample.*quantity);
        });
    if (!complements) {
      samples[kept++] = sample;
      continue;
    }
    for (const auto quantity : kUnitQuantities) {
      if (!std::isnan(sample.*quantity)) samples[kept - 1].*quantity = sample.*quantity;
    }
  }
  samples.resize(kept);
}

/// The samples of several files, in order of time for each GPU.
HeldSamples held_samples(const std::vector<TraceFile>& files, const UnitOptions& options,
                         UnitFigures& out) {
  HeldSamples held;
  for (const TraceFile& file : files) {
    try {
      UnitFigures one;
      HeldSamples samples;
      HoldingSink sink(file, options, one, samples);
      read_file(file, options, sink, one);
      if (samples.series.empty()) throw no_samples(file, one);
      out.files.insert(out.files.end(), one.files.begin(), one.files.end());
      held.add(std::move(samples));
      add_oddities(out.oddities, one.oddities);
    } catch (const Error& error) {
      out.errors.emplace_back(error.what());
    }
  }
  for (HeldSamples::Series& series : held.series) {
    // Stable: among repeated samples the first one in the file stays.
    std::ranges::stable_sort(series.samples, {}, &Sample::time_ns);
    if (files.front().format->joins_folder) join_complements(series.samples);
  }
  return held;
}

UnitFigures read_sorted(const std::vector<TraceFile>& files, const UnitOptions& options) {
  UnitFigures out;
  HeldSamples held = held_samples(files, options, out);
  FileNotes notes(files.front().path, out.oddities);
  for (HeldSamples::Series& series : held.series) {
    for (const Sample& sample : series.samples) series.summary.add(sample);
    note_resets(series.summary, series.row.gpu, notes);
    series.row.figures = series.summary.figures();
    out.devices.push_back(std::move(series.row));
    series.samples = {};
  }
  return out;
}

UnitFigures read_streaming(const TraceFile& file, const UnitOptions& options) {
  UnitFigures out;
  StreamingSink sink(file, options, out);
  read_file(file, options, sink, out);
  sink.finish();
  if (out.devices.empty()) throw no_samples(file, out);
  return out;
}

/// Adds what the names of the file and its folders say to records that say it not themselves.
void add_facts_of_name(const std::string& path, const NamePattern& pattern, FileNotes& notes,
                       std::vector<JobRecord>& records) {
  const auto named = pattern.facts_of(path);
  if (!named) return notes.note(TraceOddity::kOtherName, 0, "");
  for (JobRecord& record : records) fill_row(record.facts, *named);
}

/// Leaves out texts that are documents, such as the listing of a machine: a cell is a word or two.
void drop_long_texts(FileNotes& notes, std::vector<JobRecord>& records) {
  constexpr std::size_t kLongest = 1000;
  for (JobRecord& record : records) {
    for (auto& [name, text] : record.facts) {
      if (text.size() < kLongest && !holds(text, '\n')) continue;
      notes.note(TraceOddity::kLongText, 0, name);
      text.clear();
    }
  }
}

/// Reads a file of records, or the files of which each holds a part of one record.
UnitFigures read_records(const std::vector<TraceFile>& files, const UnitOptions& options) {
  std::vector<std::string> paths;
  for (const TraceFile& file : files) paths.push_back(file.path);
  std::ranges::sort(paths);
  const TraceFile& file = files.front();
  UnitFigures out;
  std::vector<std::optional<FileState>> states;
  for (const std::string& path : paths) states.push_back(state_of_file(path));
  RecordNotes notes(file.path, out);
  out.records = paths.size() > 1 ? file.format->read_parts(paths, options.trace, notes)
                                 : file.format->read_records(file.path, options.trace, notes);
  notes.read_from(file.path);
  drop_long_texts(notes, out.records);
  if (options.names != nullptr) {
    add_facts_of_name(file.path, *options.names, notes, out.records);
  }
  for (std::size_t i = 0; options.note_files && i < paths.size(); ++i) {
    if (states[i]) out.files.push_back({paths[i], *states[i], content_hash_of(paths[i])});
  }
  return out;
}

/// Keeps only the times of samples that are busy enough.
class BusySink final : public FileSink {
 public:
  /// @param options  They trim nothing.
  BusySink(const TraceFile& file, const UnitOptions& options, UnitFigures& unused,
           double idle_below_pct, BusyWindows& windows)
      : FileSink(file, options, unused), idle_below_pct_(idle_below_pct), windows_(windows) {}

  void add(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) {
      std::int64_t& last_ns = last_ns_[sample.device];
      if (sample.time_ns < last_ns) throw OutOfOrder{};
      const bool repeated = std::exchange(last_ns, sample.time_ns) == sample.time_ns;
      if (repeated || std::isnan(sample.sm_util_pct)) continue;
      BusyWindow*& window = of_device_[sample.device];
      if (window == nullptr) window = &windows_[jobs_[sample.device]];
      if (sample.sm_util_pct >= idle_below_pct_) window->widen({sample.time_ns, sample.time_ns});
    }
  }

 private:
  void add_device(const Device& device) override {
    jobs_.push_back(job_of_device(file_, device));
    of_device_.push_back(nullptr);
    last_ns_.push_back(std::numeric_limits<std::int64_t>::min());
  }

  double idle_below_pct_;
  BusyWindows& windows_;
  std::vector<std::string> jobs_;
  std::vector<BusyWindow*> of_device_;  ///< nullptr until its use was measured.
  std::vector<std::int64_t> last_ns_;   ///< Last time of each device.
};

}  // namespace

std::string content_hash_of(const std::string& path) {
  ContentHash hash;
  if (is_mlflow_database(path)) {  // It has no text of its own.
    const std::error_code error = read_blocks(path, [&hash](std::string_view block) {
      hash.add(block);
      return true;
    });
    if (error) throw DataError(fmt::format("{}: cannot be read: {}", path, error.message()));
    return hash.hex_digest();
  }
  const OpenedFile file(path);
  WatchedStream watched(*file.stream, nullptr, &hash);
  drain(watched);
  return hash.hex_digest();
}

void add_oddities(OddityCounts& to, const OddityCounts& from) {
  for (const auto& [oddity, count] : from) {
    OddityCount& total = to[oddity];
    if (total.count == 0) total.first = count.first;
    total.count += count.count;
  }
}

OpenedTrace::OpenedTrace(const std::string& path) : file_(path), rest_(open_stream(file_)) {
  read_to(kHead, *rest_, head_);
}

bool OpenedTrace::lengthen_head() {
  const std::size_t before = head_.size();
  read_to(before < kLongHead ? kLongHead : kLongestHead, *rest_, head_);
  return head_.size() > before;
}

bool OpenedTrace::is_long() const { return head_.size() >= kLongestHead; }

ByteStream& OpenedTrace::stream() {
  if (used_) {
    throw DataError(
        fmt::format("{}: the samples are out of order, so they must be read twice, and a pipe "
                    "cannot be: save them as a file",
                    file_.name()));
  }
  used_ = true;
  stream_ = stream_of(head_, rest_.get());
  return *stream_;
}

UnitFigures read_unit(const Unit& unit, const UnitOptions& options) {
  if (unit.files.size() > 1 && !unit.has_records()) return read_sorted(unit.files, options);
  try {
    return unit.has_records() ? read_records(unit.files, options)
                              : read_streaming(unit.files.front(), options);
  } catch (const OutOfOrder&) {
    return read_sorted(unit.files, options);
  } catch (const Error& error) {
    UnitFigures out;
    out.errors.emplace_back(error.what());
    return out;
  }
}

void find_busy_windows(const std::vector<TraceFile>& files, const UnitOptions& options,
                       double idle_below_pct, BusyWindows& windows) {
  UnitFigures unused;
  UnitOptions untrimmed = options;
  untrimmed.windows = nullptr;
  if (files.size() == 1) {
    try {
      BusyWindows own;  // If samples turn out to be out of order, this is discarded.
      BusySink sink(files.front(), untrimmed, unused, idle_below_pct, own);
      read_file(files.front(), untrimmed, sink, unused);
      for (const auto& [job, window] : own) windows[job].widen(window);
      return;
    } catch (const OutOfOrder&) {
      // Handled below, by sorting.
    } catch (const Error&) {
      return;
    }
  }
  for (const auto& series : held_samples(files, untrimmed, unused).series) {
    BusySink sink(files.front(), untrimmed, unused, idle_below_pct, windows);
    sink.device({series.row.job, series.row.node, series.row.gpu});
    for (Sample sample : series.samples) {
      sample.device = 0;
      sink.add(std::span(&sample, 1));
    }
  }
}

}  // namespace scalelaw
