#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "trace/event_file.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/metrics.hpp"
#include "trace/run_places.hpp"
#include "trace/step_log.hpp"

// Event files of TensorBoard. Records hold the messages Event, Summary and TensorProto
// (tensorboard/compat/proto), and settings by HParamsPluginData (tensorboard/plugins/hparams).
// A run is a folder: those of its files that are given, and of the folders such as train and
// validation below it.
// What a reader downloads is a CSV or JSON per scalar (tensorboard/plugins/scalar/
// scalars_plugin.py), whose name has the run and the tag: run-<run>-tag-<tag>.csv.

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

/// A value of a tag.
struct Point {
  std::int64_t step;
  double value;
  double wall;  ///< Unix seconds; NaN if the event has none.
};

/// Seconds between the first and the last event of a file.
struct Span {
  double begin = kInfinity;
  double end = -kInfinity;
};

/// What the files of a run say.
struct Run {
  std::vector<std::pair<std::string, std::string>> settings;
  std::map<std::string, std::vector<Point>> tags;
  std::vector<Span> spans;
  std::optional<std::int64_t> last_step;
};

// --- Tensors ---

constexpr std::uint64_t kFloat = 1;
constexpr std::uint64_t kDouble = 2;
constexpr std::uint64_t kInt32 = 3;
constexpr std::uint64_t kInt64 = 9;
constexpr std::uint64_t kBfloat16 = 14;
constexpr std::uint64_t kHalf = 19;

double half_precision(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const auto fraction = static_cast<double>(bits & 0x3FF);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 0x1F) return fraction == 0 ? sign * kInfinity : Sample::kNone;
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// A number of a tensor's type from its bits; empty if the type holds no real numbers.
std::optional<double> number_of_bits(std::uint64_t type, std::uint64_t bits) {
  const ProtoField field{.value = bits};
  switch (type) {
    case kFloat:
      return field.as_float();
    case kDouble:
      return field.as_double();
    case kInt32:
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    case kInt64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case kBfloat16:
      return ProtoField{.value = bits << 16}.as_float();
    case kHalf:
      return half_precision(bits);
    default:
      return std::nullopt;
  }
}

std::size_t size_of_type(std::uint64_t type) {
  if (type == kDouble || type == kInt64) return 8;
  return type == kHalf || type == kBfloat16 ? 2 : 4;
}

std::uint64_t bits_of(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return bits;
}

/// The bits of a field of values: one value, or a packed list of one.
std::optional<std::uint64_t> only_value(const ProtoField& field, std::uint64_t type) {
  if (field.bytes.empty()) return field.value;
  const bool is_varint = type == kInt32 || type == kInt64 || type == kHalf || type == kBfloat16;
  if (!is_varint) {
    if (field.bytes.size() != size_of_type(type)) return std::nullopt;
    return bits_of(field.bytes);
  }
  // A packed list of one varint reads as a field if a key stands before it.
  const std::string keyed = '\x08' + std::string(field.bytes);
  ProtoReader reader(keyed);
  const auto value = reader.next();
  return value && !reader.next() ? std::optional(value->value) : std::nullopt;
}

/// The number of a TensorProto that holds one.
std::optional<double> scalar_of(std::string_view tensor) {
  constexpr std::uint64_t kContent = 4;
  constexpr std::array<std::uint64_t, 5> kValues{5, 6, 7, 10, 13};
  std::uint64_t type = 0;
  std::optional<std::uint64_t> bits;
  int values = 0;
  for (ProtoReader reader(tensor); const auto field = reader.next();) {
    if (field->number == 1) type = field->value;
    const bool is_value = std::find(kValues.begin(), kValues.end(), field->number) != kValues.end();
    if (!is_value && field->number != kContent) continue;
    ++values;
    if (is_value) {
      bits = only_value(*field, type);
    } else if (field->bytes.size() == size_of_type(type)) {
      bits = bits_of(field->bytes);
    } else {
      return std::nullopt;
    }
  }
  return values == 1 && bits ? number_of_bits(type, *bits) : std::nullopt;
}

// --- Settings ---

std::string_view message_in(std::string_view message, std::uint64_t number) {
  for (ProtoReader reader(message); const auto field = reader.next();) {
    if (field->number == number) return field->bytes;
  }
  return {};
}

/// The text of a google.protobuf.Value.
std::string value_text(std::string_view message) {
  for (ProtoReader reader(message); const auto field = reader.next();) {
    if (field->number == 2) return exact_text(field->as_double());
    if (field->number == 3) return std::string(field->bytes);
    if (field->number == 4) return field->value != 0 ? "true" : "false";
  }
  return "";
}

/// Adds the settings in the metadata of a summary, of the plugin "hparams".
void add_settings(std::string_view metadata, Run& run) {
  const std::string_view plugin = message_in(metadata, 1);
  if (message_in(plugin, 1) != "hparams") return;
  const std::string_view start = message_in(message_in(plugin, 2), 3);
  for (ProtoReader reader(start); const auto field = reader.next();) {
    if (field->number != 1) continue;
    run.settings.emplace_back(std::string(message_in(field->bytes, 1)),
                              value_text(message_in(field->bytes, 2)));
  }
}

// --- Events ---

/// Reads the events of one file into its run.
class EventFile {
 public:
  EventFile(std::string prefix, Run& run) : prefix_(std::move(prefix)), run_(run) {}

  void take(std::string_view event) {
    double wall = Sample::kNone;
    std::int64_t step = 0;
    std::string_view summary;
    for (ProtoReader reader(event); const auto field = reader.next();) {
      if (field->number == 1) wall = field->as_double();
      if (field->number == 2) step = static_cast<std::int64_t>(field->value);
      if (field->number == 5) summary = field->bytes;
    }
    if (!std::isfinite(wall) || !(wall > 0)) wall = Sample::kNone;
    if (!std::isnan(wall)) {
      span_.begin = std::min(span_.begin, wall);
      span_.end = std::max(span_.end, wall);
    }
    for (ProtoReader reader(summary); const auto field = reader.next();) {
      if (field->number == 1) take_value(field->bytes, step, wall);
    }
  }

  void finish() {
    if (span_.begin <= span_.end) run_.spans.push_back(span_);
  }

 private:
  void take_value(std::string_view message, std::int64_t step, double wall) {
    std::string tag;
    std::optional<double> value;
    for (ProtoReader reader(message); const auto field = reader.next();) {
      if (field->number == 1) tag = std::string(field->bytes);
      if (field->number == 2) value = field->as_float();
      if (field->number == 8) value = scalar_of(field->bytes);
      if (field->number == 9) add_settings(field->bytes, run_);
    }
    if (!value || tag.empty() || tag.starts_with("_hparams_/")) return;
    std::vector<Point>& points = run_.tags[prefix_ + tag];
    const bool is_first = begun_.try_emplace(tag, true).second;
    if (is_first) forget_overtaken(points, step);
    points.push_back({step, *value, wall});
    run_.last_step = std::max(run_.last_step.value_or(step), step);
  }

  /// A restarted run logs steps again; those of the file before it do not count, as TensorBoard
  /// has it.
  static void forget_overtaken(std::vector<Point>& points, std::int64_t step) {
    if (points.empty() || points.back().step <= step) return;
    std::erase_if(points, [step](const Point& point) { return point.step >= step; });
  }

  std::string prefix_;
  Run& run_;
  std::map<std::string, bool> begun_;  ///< Tags that this file has.
  Span span_;
};

/// Whether a text begins as the CSV of a scalar.
bool is_scalar_table(std::string_view head) {
  head = without_mark(head);
  return trimmed(head.substr(0, head.find_first_of("\r\n"))) == "Wall time,Step,Value";
}

/// Whether a text begins as the JSON of a scalar: [[1700000000.5, 10, 2.5], ...].
bool is_scalar_json(std::string_view head) {
  head = trimmed(without_mark(head));
  if (!head.starts_with('[')) return false;
  head = trimmed(head.substr(1));
  const std::size_t end = head.find(']');
  if (!head.starts_with('[') || end == std::string_view::npos) return false;
  const std::vector<std::string_view> cells = trimmed_fields(head.substr(1, end - 1));
  constexpr double kFirstTime = 1e9;  // 2001, so that other lists of three numbers are none.
  return cells.size() == 3 && parse_number(cells[0]).value_or(0) > kFirstTime &&
         is_digits(cells[1]);
}

bool recognises(std::string_view head) {
  constexpr std::size_t kLength = 8;
  constexpr std::size_t kFirst = 80;  // The first event holds the time and the version.
  if (is_scalar_table(head) || is_scalar_json(head)) return true;
  return head.size() > 12 &&
         bits_of(head.substr(kLength, 4)) == masked_crc32c(head.substr(0, kLength)) &&
         head.substr(0, kFirst).find("brain.Event:") != std::string_view::npos;
}

// --- Files of a run ---

bool is_event_file(const fs::path& path) {
  return path.filename().string().find("tfevents") != std::string::npos;
}

/// Whether a folder holds a part of the run above it.
bool is_part(const std::string& name) {
  static constexpr std::array kParts{"train", "training", "validation", "valid",
                                     "val",   "eval",     "test"};
  return std::find(kParts.begin(), kParts.end(), name) != kParts.end();
}

/// The folder of the run that an event file belongs to.
fs::path folder_of_run(const std::string& path) {
  const fs::path folder = fs::absolute(folder_of(path)).lexically_normal();
  return is_part(folder.filename().string()) ? folder.parent_path() : folder;
}

void read_events(const fs::path& path, const std::string& prefix, TraceNotes& notes, Run& run) {
  const InputFile input(path.string());
  const auto stream = open_stream(input);
  RecordReader records(*stream);
  EventFile events(prefix, run);
  while (const auto record = records.next()) events.take(*record);
  events.finish();
  if (records.end() == RecordReader::End::kCut) {
    notes.note(TraceOddity::kCutLine, 0, fmt::format("record {}", records.count() + 1));
  }
  if (records.end() == RecordReader::End::kDamaged) {
    notes.note(TraceOddity::kDamagedRecord, 0, fmt::format("record {}", records.count() + 1));
  }
}

/// Seconds that are inside at least one of the spans.
std::optional<double> seconds_of(std::vector<Span> spans) {
  if (spans.empty()) return std::nullopt;
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  double seconds = 0;
  double end = -kInfinity;
  for (const Span& span : spans) {
    if (span.end > end) seconds += span.end - std::max(span.begin, end);
    end = std::max(end, span.end);
  }
  return seconds;
}

/// The settings of a run and its scalars by their steps.
JobRecord steps_record_of(const std::string& job, const Run& run, const std::string& path,
                          TraceNotes& notes) {
  RunFacts facts;
  for (const auto& [name, text] : run.settings) facts.add(name, text, "hparam");
  double begin = kInfinity;
  for (const Span& span : run.spans) begin = std::min(begin, span.begin);
  StepLog log;
  for (const auto& [tag, points] : run.tags) {
    for (const Point& point : points) {
      log.add(static_cast<double>(point.step), tag, point.value, point.wall - begin);
    }
  }
  StepTable steps = log.table(facts, notes);
  return {job, facts.take(), path, std::move(steps)};
}

JobRecord record_of(const std::string& job, const Run& run, const TraceOptions& options,
                    const std::string& path, TraceNotes& notes) {
  const MetricChoices choices(options.metrics);
  if (options.steps) return steps_record_of(job, run, path, notes);
  RunFacts facts;
  facts.add("duration_s", exact_text(seconds_of(run.spans)));
  facts.add("last_step", run.last_step ? std::to_string(*run.last_step) : "");
  for (const auto& [name, text] : run.settings) facts.add(name, text, "hparam");
  RunMetrics metrics;
  for (const auto& [tag, points] : run.tags) {
    MetricSeries& series = metrics.of(tag);
    for (const Point& point : points) series.add(point.value);
  }
  metrics.add_to(facts, choices, notes);
  return {job, facts.take(), path};
}

// --- The CSV of a scalar ---

/// A name without the number that a browser adds to that of a second download: "loss (1)".
std::string without_copy_number(std::string name) {
  const std::size_t open = name.rfind(" (");
  const bool is_copy = open != std::string::npos && name.ends_with(')') &&
                       is_digits(std::string_view(name).substr(open + 2, name.size() - open - 3));
  if (is_copy) name.resize(open);
  return name;
}

/// The run and the tag in the name of a CSV: "run-bert-tag-train_loss.csv".
struct ScalarName {
  std::string run;
  std::string tag;
  bool is_part = false;  ///< The name has both.
};

ScalarName scalar_name_of(const std::string& path) {
  constexpr std::string_view kTag = "-tag-";
  const std::string stem = origin_by_stem(path).job;
  const std::size_t tag = stem.find(kTag);
  const bool is_named = tag != std::string::npos && tag >= 4 &&
                        (stem.starts_with("run-") || stem.starts_with("run_"));
  if (!is_named) return {stem, "value"};
  const std::string run = stem.substr(4, tag - 4);
  const bool is_folder = run.empty() || run == ".";
  return {is_folder ? run_of_folder(folder_of(path)) : run,
          without_copy_number(stem.substr(tag + kTag.size())), true};
}

bool is_scalar_file(const fs::path& path) {
  if (!is_regular_file(path.string())) return false;
  const InputFile file(path.string());
  std::string head;
  constexpr std::size_t kRow = 256;
  read_to(kRow, *open_stream(file), head);
  return is_scalar_table(head) || is_scalar_json(head);
}

/// Calls take_row(fields, line) for each row of a scalar.
void for_each_scalar(const std::string& path, TraceNotes& notes, const TakeRow& take_row) {
  const InputFile file(path);
  std::string head;
  read_to(1, *open_stream(file), head);
  if (head != "[") {
    return for_each_logged_row(
        path, notes, [](const auto&) {}, take_row);
  }
  for (const nlohmann::json& row : parse_json(text_of_file(path), input_name(path))) {
    std::vector<std::string> fields;
    if (row.is_array()) {
      for (const nlohmann::json& cell : row) fields.push_back(json_cell(cell));
    }
    fields.resize(3);
    take_row(fields, 0);
  }
}

/// A row of a scalar; empty if its cells are not a time, a whole step and a number.
std::optional<Point> point_of(const std::vector<std::string>& fields) {
  constexpr double kMost = 9e15;
  const auto wall = parse_number(fields[0]);
  const auto step = parse_number(fields[1]);
  const auto value = logged_number(fields[2]);
  const bool is_whole = step && std::abs(*step) < kMost && *step == std::floor(*step);
  if (!wall || !value || !is_whole) return std::nullopt;
  return Point{static_cast<std::int64_t>(*step), *value, *wall};
}

/// Reads the table of a scalar. Of two downloads the one with more rows counts.
void read_scalars(const std::string& path, TraceNotes& notes, Run& run) {
  notes.read_from(path);
  const std::string tag = scalar_name_of(path).tag;
  std::vector<Point> points;
  std::vector<std::uint64_t> lost;
  const auto take_row = [&](const std::vector<std::string>& fields, std::uint64_t line) {
    const auto point = point_of(fields);
    if (!point) {
      return notes.note(TraceOddity::kForeignLine, line,
                        fields[0] + ',' + fields[1] + ',' + fields[2]);
    }
    if (!std::isfinite(point->value) && names_loss(tag)) lost.push_back(line);
    points.push_back(*point);
  };
  for_each_scalar(path, notes, take_row);
  std::vector<Point>& known = run.tags[tag];
  if (!known.empty()) notes.note(TraceOddity::kRepeatedLine, 0, tag + ", in a second file");
  if (points.size() <= known.size()) return;
  for (const std::uint64_t line : lost) notes.note(TraceOddity::kLostLoss, line, tag);
  known = std::move(points);
}

/// The record of a run from its tables of scalars.
JobRecord record_of_scalars(std::span<const std::string> paths, const TraceOptions& options,
                            TraceNotes& notes) {
  Run run;
  for (const std::string& path : paths) read_scalars(path, notes, run);
  for (const auto& [tag, points] : run.tags) {
    Span span;
    for (const Point& point : points) {
      run.last_step = std::max(run.last_step.value_or(point.step), point.step);
      span.begin = std::min(span.begin, point.wall);
      span.end = std::max(span.end, point.wall);
    }
    if (span.begin <= span.end) run.spans.push_back(span);
  }
  const std::string& first = paths.front();
  if (run.spans.empty()) throw DataError(fmt::format("{}: no value in it", input_name(first)));
  NoNotes noted;  // Lost losses are, with their lines.
  return record_of(scalar_name_of(first).run, run, options, first, noted);
}

std::string missing(std::string_view head) {
  return head.substr(0, 80).find("brain.Event:") == std::string_view::npos
             ? ""
             : "the checksum of its first record is wrong";
}

/// The record of a run from its event files.
JobRecord record_of_events(std::span<const std::string> paths, const TraceOptions& options,
                           TraceNotes& notes) {
  Run run;
  const fs::path whole = folder_of_run(paths.front());
  for (const std::string& path : paths) {
    notes.read_from(path);
    const fs::path folder = fs::absolute(folder_of(path)).lexically_normal();
    read_events(path, folder == whole ? "" : folder.filename().string() + "/", notes, run);
  }
  notes.read_from(paths.front());
  return record_of(run_of_folder(whole.string()), run, options, paths.front(), notes);
}

/// All files of a run are tables of scalars, or all are event files.
std::vector<JobRecord> read_parts(std::span<const std::string> paths, const TraceOptions& options,
                                  TraceNotes& notes) {
  if (is_scalar_file(paths.front())) return {record_of_scalars(paths, options, notes)};
  return {record_of_events(paths, options, notes)};
}

std::vector<JobRecord> read_records(const std::string& path, const TraceOptions& options,
                                    TraceNotes& notes) {
  if (is_scalar_file(path) || is_event_file(path)) return read_parts({&path, 1}, options, notes);
  Run run;
  read_events(path, "", notes, run);
  return {record_of(origin_by_stem(path).job, run, options, path, notes)};
}

std::string run_of_part(const std::string& path) {
  if (is_event_file(path)) return folder_of_run(path).string();
  const ScalarName name = scalar_name_of(path);
  if (!name.is_part || !is_scalar_file(path)) return "";
  return (fs::path(path).parent_path() / ("run-" + name.run)).string();
}

}  // namespace

const TraceFormat kTensorboard{.name = "tensorboard",
                               .title = "TensorBoard event file",
                               .recognises = recognises,
                               .read_records = read_records,
                               .run_of_part = run_of_part,
                               .read_parts = read_parts,
                               .missing = missing};

}  // namespace scalelaw
