#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "input/container.hpp"
#include "scalelaw/input/lines.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/format.hpp"
#include "scalelaw/trace/sample.hpp"

// The telemetry formats, and what readers of text share: fields, words, ticks, batches of samples.
namespace scalelaw {

// MIT SuperCloud GPU series, and the other files of its tree.
extern const TraceFormat kSupercloud;
extern const TraceFormat kSupercloudOther;
// nvidia-smi --query-gpu ... --format=csv, and nvidia-smi -q -d POWER.
extern const TraceFormat kNvidiaSmi;
extern const TraceFormat kNvidiaSmiQuery;
// nvidia-smi dmon and dcgmi dmon.
extern const TraceFormat kDmon;
extern const TraceFormat kDcgm;
// MLPerf Training logs; perun's CSV export and text report; Zeus power-limit sweeps.
extern const TraceFormat kMllog;
extern const TraceFormat kPerun;
extern const TraceFormat kPerunReport;
extern const TraceFormat kZeusSweep;
// Runs of trackers: MLflow, Weights & Biases, PyTorch Lightning, TensorBoard.
extern const TraceFormat kMlflow;
extern const TraceFormat kWandb;
extern const TraceFormat kLightning;
extern const TraceFormat kTensorboard;
/// Whether a file is an SQLite database with MLflow's tables.
bool is_mlflow_database(const std::string& path);
// Benchmarks: google-benchmark, hyperfine, ReFrame, Extra-P, Caliper, Thicket, home-made summaries.
extern const TraceFormat kGoogleBenchmark;
extern const TraceFormat kHyperfine;
extern const TraceFormat kReframe;
extern const TraceFormat kExtraP;
extern const TraceFormat kCaliper;
extern const TraceFormat kThicket;
extern const TraceFormat kJsonRun;
// Trainers: Megatron-LM and Megatron-DeepSpeed, NeMo, DeepSpeed, Hugging Face, nanoGPT, TorchTitan.
extern const TraceFormat kMegatron;
extern const TraceFormat kNemo;
extern const TraceFormat kDeepspeed;
extern const TraceFormat kTransformers;
extern const TraceFormat kTransformersLog;
extern const TraceFormat kNanoGpt;
extern const TraceFormat kTorchTitan;
/// The formats that are what a trainer prints.
std::span<const TraceFormat* const> formats_of_logs();
// Slurm's accounting; monitors of energy; DCGM's metrics by way of Prometheus and Grafana.
extern const TraceFormat kSacct;
extern const TraceFormat kCodeCarbon;
extern const TraceFormat kCarbonTracker;
extern const TraceFormat kZeusMonitor;
extern const TraceFormat kPrometheusText;
extern const TraceFormat kPrometheusJson;
extern const TraceFormat kGrafana;

/// For what is of no concern, or noted elsewhere.
struct NoNotes final : TraceNotes {
  void note(TraceOddity, std::uint64_t, std::string_view) override {}
};

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

/// The time of samples without time stamps. A monitor visits its devices once per tick, so a device
/// that comes again begins the next tick.
class TickClock {
 public:
  /// Nanoseconds since the first tick.
  std::int64_t time_of(std::uint32_t device, double period_s) {
    if (device >= last_tick_.size()) last_tick_.resize(std::size_t{device} + 1, -1);
    if (last_tick_[device] == tick_) ++tick_;
    last_tick_[device] = tick_;
    return std::llround(static_cast<double>(tick_) * period_s * 1e9);
  }

 private:
  std::int64_t tick_ = 0;
  std::vector<std::int64_t> last_tick_;  ///< Last tick of each device.
};

/// The fields of a row between commas, without blanks around them. Overwrites `fields`.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);
std::vector<std::string_view> trimmed_fields(std::string_view line);

/// The place of a name that a header lacks: past the end of every row.
inline constexpr std::size_t kNowhere = ~std::size_t{0};

/// The place of a name among those of a header, or kNowhere.
template <class Names>
std::size_t place_of(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? kNowhere : static_cast<std::size_t>(found - names.begin());
}

/// The places of all names of a header, the first of each, where many are looked for.
class NamePlaces {
 public:
  explicit NamePlaces(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) places_.try_emplace(names[i], i);
  }
  /// The place of a name, or kNowhere.
  std::size_t of(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? kNowhere : found->second;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
};

/// The places of known columns in a header.
template <std::size_t kCount>
struct HeaderPlaces {
  HeaderPlaces() = default;
  HeaderPlaces(std::string_view header, const std::string_view (&known)[kCount]) {
    const std::vector<std::string_view> names = trimmed_fields(header);
    fields = names.size();
    for (std::size_t i = 0; i < kCount; ++i) place[i] = place_of(names, known[i]);
  }

  std::size_t fields = 0;
  std::array<std::size_t, kCount> place{};
};

/// A name of a column, and the quantity of a sample that the column holds.
struct QuantityName {
  std::string_view name;
  double Sample::*quantity;
  double factor = 1;  ///< From the column's unit to that of Sample.
};

/// The place of a quantity in a row.
struct QuantityColumn {
  std::size_t place;
  double Sample::*quantity;
  double factor;
};

/// How many units of a quantity of Sample are one of a unit.
struct UnitFactor {
  std::string_view unit;
  double Sample::*quantity;
  double factor;
};

/// The factor of a unit, which is no share; nullptr if it measures nothing of a sample.
const UnitFactor* unit_factor(std::string_view unit);

/// The columns of a header by their names. If a quantity has several, the first name counts.
std::vector<QuantityColumn> quantity_columns(std::span<const std::string_view> header,
                                             std::span<const QuantityName> names);

/// Whether a text has digits only, and at least one.
bool is_digits(std::string_view text);

/// Whether a text holds a part, a text or a character.
template <class Part>
bool holds(std::string_view text, const Part& part) {
  return text.find(part) != std::string_view::npos;
}
template <class Parts>
bool holds_any(std::string_view text, const Parts& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return holds(text, part); });
}

/// Whether a list has an item.
template <class Item, class List>
bool is_one_of(const Item& item, const List& list) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

/// The first line of a text, without a byte order mark, and without blanks around it.
std::string_view first_line(std::string_view text);

/// "bert", and "bert-2" for the second of that name.
std::string numbered(const std::string& name, std::size_t number);

/// A line with more words is neither header nor sample.
inline constexpr std::size_t kMostWords = 256;

/// Splits a line at blanks and tabs. False beyond `most` words; then not all are split.
bool split_words(std::string_view line, std::vector<std::string_view>& words,
                 std::size_t most = kMostWords);

/// Whether the last cell of a line without end looks as complete as the same cell one row before.
/// It must have the same ending ("W") and as many decimals. A bare whole number must have as many
/// digits. A cut "100.25 W" never passes.
bool looks_whole(std::string_view cell, std::string_view before);

/// Whether `is_it` holds for a line in the beginning of a file. Lines come without their ends.
template <class IsIt>
bool any_line(std::string_view head, IsIt is_it) {
  while (!head.empty()) {
    if (is_it(take_line(head))) return true;
  }
  return false;
}

/// The rest of a stream, of at most so many bytes.
std::string rest_of(ByteStream& in, std::size_t most);

/// A file, and its text.
struct OpenedFile {
  explicit OpenedFile(const std::string& path) : file(path), stream(open_stream(file)) {}

  InputFile file;
  std::unique_ptr<ByteStream> stream;
};

/// Lines, of which what is odd is noted.
class NotedLines : public LineReader {
 public:
  NotedLines(ByteStream& in, std::string_view source, TraceNotes& notes)
      : LineReader(in, source), notes_(notes) {}

  /// Notes an oddity of the current line.
  void note(TraceOddity oddity, std::string_view text) {
    notes_.note(oddity, line_number(), text.substr(0, 80));
  }
  /// Notes that the current line, which was cut or is no sample, is left out.
  void note_left_out(std::string_view line) {
    note(is_cut() ? TraceOddity::kCutLine : TraceOddity::kForeignLine, line);
  }

 private:
  TraceNotes& notes_;
};

/// Those of a file.
class NotedFile : OpenedFile, public NotedLines {
 public:
  NotedFile(const std::string& path, TraceNotes& notes)
      : OpenedFile(path), NotedLines(*stream, file.name(), notes) {}

  /// As messages name the file.
  const std::string& name() const { return file.name(); }
};

/// Reads samples from lines of words.
class LineSamples {
 public:
  LineSamples(ByteStream& in, std::string_view source, const TraceOptions& options,
              SampleSink& sink)
      : lines_(in, source, sink), source_(source), options_(options), sink_(sink), batch_(sink) {}

 protected:
  /// Why there are no samples: `reason`, unless the file is empty.
  [[noreturn]] void refuse_file(std::string_view reason) const;
  /// Notes an oddity of the current line.
  void note(TraceOddity oddity, std::string_view text) { lines_.note(oddity, text); }
  /// Whether the last line lacks its end, and with it some of its words or a part of one.
  bool is_cut_row(std::size_t words) const {
    return lines_.is_cut() && (words_.size() < words ||
                               (!last_word_.empty() && !looks_whole(words_.back(), last_word_)));
  }

  NotedLines lines_;
  std::string_view source_;
  const TraceOptions& options_;
  SampleSink& sink_;
  SampleBatch batch_;
  TickClock ticks_;
  std::vector<std::string_view> words_;  ///< Words of the current line.
  std::string last_word_;                ///< Last word of the row before.
};

/// TraceFormat::read_samples for a class that reads the samples of one file.
template <class Reader>
void read_by(ByteStream& in, std::string_view source, const TraceOptions& options,
             SampleSink& sink) {
  Reader(in, source, options, sink).read();
}

/// Rounded nanoseconds of seconds. Empty if they are not finite or exceed 64 bits (292 years).
std::optional<std::int64_t> nanoseconds_of_seconds(double seconds);

/// Exact nanoseconds of decimal seconds such as "1618080814.783". As a double, today's Unix seconds
/// would be off by about a hundred nanoseconds. Digits after the ninth decimal are dropped.
///
/// Scientific notation (1.618e9) goes through a double and is rounded. Empty if `text` is not
/// wholly a number, as in parse_number, or exceeds 64 bits.
std::optional<std::int64_t> nanoseconds_of_seconds(std::string_view text);

/// Nanoseconds since the Unix epoch of "2019/08/23 14:41:50.273", "2019-08-23 14:41:50" or
/// "23-08-2019 14:41:50" in the proleptic Gregorian calendar. A T may replace the blank. A zone may
/// follow (Z, UTC, +02:00, -0530); without one the time is taken as UTC. Digits after the ninth
/// decimal are dropped. Empty for any other text, such as one with outer blanks or with slashes and
/// the year last, for a date or time that does not exist (30 February, 24:00, second 60), and
/// outside the years 1678 to 2261, which fit into 64 bits.
std::optional<std::int64_t> parse_date_time(std::string_view text);

/// Seconds between times in order, at any distance: a damaged store may hold any values.
double seconds_between(std::int64_t first_ns, std::int64_t last_ns);

}  // namespace scalelaw
