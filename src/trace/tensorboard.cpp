#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/event_file.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/metrics.hpp"
#include "trace/run_places.hpp"

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
struct TensorboardPoint {
  std::int64_t step;
  double value;
  double wall;             ///< Unix seconds; NaN if the event has none.
  std::uint32_t file = 0;  ///< Its place among the files of the run.
  std::uint64_t line = 0;  ///< Of a table.
};

using Tags = std::map<std::string, std::vector<TensorboardPoint>>;

/// Seconds between the first and the last event of a file.
struct Span {
  double begin = kInfinity;
  double end = -kInfinity;

  void widen(double time) {
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
  bool is_empty() const { return !(begin <= end); }
  bool overlaps(const Span& other) const { return begin <= other.end && other.begin <= end; }
};

/// What the files of a run say.
struct TensorboardRun {
  RowFacts settings;
  Tags tags;
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

/// The bits of a field of values: one value, or a packed list of one.
std::optional<std::uint64_t> only_value(const ProtoField& field, std::uint64_t type) {
  if (field.bytes.empty()) return field.value;
  const bool is_varint = type == kInt32 || type == kInt64 || type == kHalf || type == kBfloat16;
  if (!is_varint) {
    if (field.bytes.size() != size_of_type(type)) return std::nullopt;
    return little_endian(field.bytes);
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
    const bool is_value = is_one_of(field->number, kValues);
    if (!is_value && field->number != kContent) continue;
    ++values;
    if (is_value) {
      bits = only_value(*field, type);
    } else if (field->bytes.size() == size_of_type(type)) {
      bits = little_endian(field->bytes);
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
void add_settings(std::string_view metadata, TensorboardRun& run) {
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

/// Adds points of another file at the steps that are not known, and notes the others.
void add_new_steps(const std::vector<TensorboardPoint>& added, const std::string& tag,
                   TraceNotes& notes, std::vector<TensorboardPoint>& known) {
  std::set<std::int64_t> steps;
  for (const TensorboardPoint& point : known) steps.insert(point.step);
  for (const TensorboardPoint& point : added) {
    if (!steps.contains(point.step)) {
      known.push_back(point);
    } else {
      notes.note(TraceOddity::kRepeatedLine, point.line,
                 fmt::format("step {} of {}, in a second file", point.step, tag));
    }
  }
  std::ranges::stable_sort(known, {}, &TensorboardPoint::step);
}

/// Reads the events of one file of a run.
class EventFile {
 public:
  EventFile(std::uint32_t file, TensorboardRun& run) : file_(file), run_(run) {}

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
    if (!std::isnan(wall)) span_.widen(wall);
    for (ProtoReader reader(summary); const auto field = reader.next();) {
      if (field->number == 1) take_value(field->bytes, step, wall);
    }
  }

  /// Adds what was read to the run.
  void finish(const std::string& prefix, TraceNotes& notes) {
    bool is_beside = false;
    for (auto& [tag, points] : tags_) {
      is_beside |= add_points(prefix + tag, std::move(points), notes);
    }
    if (is_beside) notes.note(TraceOddity::kSecondWriter, 0, "");
    if (!span_.is_empty()) run_.spans.push_back(span_);
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
    tags_[tag].push_back({step, *value, wall, file_});
    run_.last_step = std::max(run_.last_step.value_or(step), step);
  }

  /// A restarted run logs steps again; those of the file before it do not count, as TensorBoard
  /// has it. A file that begins before the last one ends is of no restart: what was known stays.
  /// @returns Whether it was such a file, with steps that were known.
  bool add_points(const std::string& tag, std::vector<TensorboardPoint> points, TraceNotes& notes) {
    std::vector<TensorboardPoint>& known = run_.tags[tag];
    if (known.empty()) {
      known = std::move(points);
      return false;
    }
    if (points.front().wall < known.back().wall) {
      const std::size_t both = known.size() + points.size();
      add_new_steps(points, tag, notes, known);
      return known.size() < both;
    }
    const std::int64_t begin = points.front().step;
    // A program that does not say its steps logs all at one.
    const bool has_steps = known.front().step < known.back().step;
    if (known.back().step > begin || (has_steps && known.back().step == begin)) {
      std::erase_if(known, [&](const TensorboardPoint& point) {
        if (point.step < begin) return false;
        notes.note(TraceOddity::kRepeatedLine, 0,
                   fmt::format("step {} of {}, done again after a restart", point.step, tag));
        return true;
      });
    }
    known.insert(known.end(), points.begin(), points.end());
    return false;
  }

  std::uint32_t file_;
  TensorboardRun& run_;
  Tags tags_;
  Span span_;
};

/// Whether a text begins as the CSV of a scalar.
bool is_scalar_table(std::string_view head) { return first_line(head) == "Wall time,Step,Value"; }

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

bool recognises_tensorboard(std::string_view head) {
  constexpr std::size_t kLength = 8;
  constexpr std::size_t kFirst = 80;  // The first event holds the time and the version.
  if (is_scalar_table(head) || is_scalar_json(head)) return true;
  return head.size() > 12 &&
         little_endian(head.substr(kLength, 4)) == masked_crc32c(head.substr(0, kLength)) &&
         holds(head.substr(0, kFirst), "brain.Event:");
}

// --- Files of a run ---

bool is_event_file(const fs::path& path) { return holds(path.filename().string(), "tfevents"); }

/// Whether a folder holds a part of the run above it.
bool is_part(const std::string& name) {
  static constexpr std::array kParts{"train", "training", "validation", "valid",
                                     "val",   "eval",     "test"};
  return is_one_of(name, kParts);
}

/// The folder of the run that an event file belongs to.
fs::path folder_of_run(const std::string& path) {
  const fs::path folder = whole_folder(folder_of(path));
  return is_part(folder.filename().string()) ? folder.parent_path() : folder;
}

/// Reads an event file of a run.
/// @param prefix  Before the names of its tags: "validation/".
void read_events(const std::string& path, std::uint32_t number, const std::string& prefix,
                 TraceNotes& notes, TensorboardRun& run) {
  const OpenedFile input(path);
  RecordReader records(*input.stream);
  EventFile events(number, run);
  while (const auto record = records.next()) events.take(*record);
  events.finish(prefix, notes);
  note_end(records.end(), records.count(), notes);
}

/// Seconds that are inside at least one of the spans.
std::optional<double> tensorboard_seconds(std::vector<Span> spans) {
  if (spans.empty()) return std::nullopt;
  std::ranges::sort(spans, {}, &Span::begin);
  double seconds = 0;
  double end = -kInfinity;
  for (const Span& span : spans) {
    if (span.end > end) seconds += span.end - std::max(span.begin, end);
    end = std::max(end, span.end);
  }
  return seconds;
}

/// Notes the losses that are NaN or infinite, with their files and lines.
void note_lost_losses_of(const TensorboardRun& run, std::span<const std::string> paths,
                         TraceNotes& notes) {
  for (const auto& [tag, points] : run.tags) {
    if (!names_loss(tag)) continue;
    for (const TensorboardPoint& point : points) {
      if (std::isfinite(point.value)) continue;
      notes.read_from(paths[point.file]);
      notes.note(TraceOddity::kLostLoss, point.line, tag);
    }
  }
}

/// The settings of a run and its scalars by their steps.
JobRecord steps_record_of(const std::string& job, const TensorboardRun& run,
                          const std::string& path) {
  RunFacts facts;
  for (const auto& [name, text] : run.settings) facts.add(name, text, "hparam");
  double begin = kInfinity;
  for (const Span& span : run.spans) begin = std::min(begin, span.begin);
  StepLog log;
  for (const auto& [tag, points] : run.tags) {
    for (const TensorboardPoint& point : points) {
      log.add(static_cast<double>(point.step), tag, point.value, point.wall - begin);
    }
  }
  NoNotes noted;  // Lost losses are, and each value has its step.
  StepTable steps = log.table(facts, noted);
  return {job, facts.take(), path, std::move(steps)};
}

/// The record of a run from those of its files that are given.
JobRecord tensorboard_record(const std::string& job, const TensorboardRun& run,
                             const TraceOptions& options, std::span<const std::string> paths,
                             TraceNotes& notes) {
  const MetricChoices choices(options.metrics);
  note_lost_losses_of(run, paths, notes);
  if (options.steps) return steps_record_of(job, run, paths.front());
  RunFacts facts;
  facts.add("duration_s", exact_text(tensorboard_seconds(run.spans)));
  facts.add("last_step", run.last_step ? std::to_string(*run.last_step) : "");
  for (const auto& [name, text] : run.settings) facts.add(name, text, "hparam");
  RunMetrics metrics;
  for (const auto& [tag, points] : run.tags) {
    MetricSeries& series = metrics.of(tag);
    for (const TensorboardPoint& point : points) series.add(point.value);
  }
  NoNotes noted;
  metrics.add_to(facts, choices, noted);
  return {job, facts.take(), paths.front()};
}

// --- The CSV of a scalar ---

/// The run and the tag in the name of a CSV: "run-bert-tag-train_loss.csv".
struct ScalarName {
  std::string run;
  std::string tag;
  bool is_part = false;  ///< The name has both.
  /// What a browser adds to the name of a second download: 1 in "loss (1)".
  double copy = 0;
};

/// Cuts the number of a second download off a name, and returns it.
double cut_copy_number(std::string& name) {
  const std::size_t open = name.rfind(" (");
  if (open == std::string::npos || !name.ends_with(')')) return 0;
  const std::string number = name.substr(open + 2, name.size() - open - 3);
  if (!is_digits(number)) return 0;
  name.resize(open);
  return parse_number(number).value_or(0);
}

ScalarName scalar_name_of(const std::string& path) {
  constexpr std::string_view kTag = "-tag-";
  const std::string stem = origin_by_stem(path).job;
  const std::size_t place = stem.find(kTag);
  const bool is_named = place != std::string::npos && place >= 4 &&
                        (stem.starts_with("run-") || stem.starts_with("run_"));
  if (!is_named) return {stem, "value"};
  const std::string run = stem.substr(4, place - 4);
  const bool is_folder = run.empty() || run == ".";
  std::string tag = stem.substr(place + kTag.size());
  const double copy = cut_copy_number(tag);
  return {is_folder ? run_of_folder(folder_of(path)) : run, std::move(tag), true, copy};
}

bool is_scalar_file(const fs::path& path) {
  if (!is_regular_file(path.string())) return false;
  constexpr std::size_t kRow = 256;
  const std::string head = rest_of(*OpenedFile(path.string()).stream, kRow);
  return is_scalar_table(head) || is_scalar_json(head);
}

/// Calls take_row(fields, line) for each row of a scalar.
void for_each_scalar(const std::string& path, TraceNotes& notes, const TakeRow& take_row) {
  if (rest_of(*OpenedFile(path).stream, 1) != "[") {
    return for_each_logged_row(
        path, notes, [](const auto&) {}, take_row);
  }
  for (const nlohmann::json& row : parse_json(text_of_file(path), input_name(path))) {
    std::vector<std::string> fields;
    if (row.is_array()) {
      for (const nlohmann::json& cell : row) fields.push_back(json_cell(cell));
    }
    take_row(fields, 0);
  }
}

/// A row of a scalar; empty if its cells are not a time, a whole step and a number.
std::optional<TensorboardPoint> point_of(const std::vector<std::string>& fields, std::uint32_t file,
                                         std::uint64_t line) {
  constexpr double kLatest = 9e15;
  if (fields.size() < 3) return std::nullopt;
  const auto wall = parse_number(fields[0]);
  const auto step = parse_number(fields[1]);
  const auto value = logged_number(fields[2]);
  const bool is_whole = step && std::abs(*step) < kLatest && *step == std::floor(*step);
  if (!wall || !value || !is_whole) return std::nullopt;
  return TensorboardPoint{static_cast<std::int64_t>(*step), *value, *wall, file, line};
}

/// The table of a scalar.
struct Scalar {
  ScalarName name;
  std::string path;
  std::vector<TensorboardPoint> points = {};
  Span span = {};
};

void read_scalar(std::uint32_t file, TraceNotes& notes, Scalar& scalar) {
  const auto take_row = [&](const std::vector<std::string>& fields, std::uint64_t line) {
    const auto point = point_of(fields, file, line);
    if (!point) {
      return notes.note(TraceOddity::kForeignLine, line, joined(fields, ","));
    }
    scalar.span.widen(point->wall);
    scalar.points.push_back(*point);
  };
  for_each_scalar(scalar.path, notes, take_row);
}

/// What two downloads of a scalar say of the steps that both have.
enum class Downloads { kAgree, kDiffer, kApart };

Downloads compare(const std::vector<TensorboardPoint>& a, const std::vector<TensorboardPoint>& b) {
  std::map<std::int64_t, const TensorboardPoint*> steps;
  for (const TensorboardPoint& point : a) steps[point.step] = &point;
  Downloads found = Downloads::kApart;
  for (const TensorboardPoint& point : b) {
    const auto same = steps.find(point.step);
    if (same == steps.end()) continue;
    const TensorboardPoint& other = *same->second;
    const bool is_lost = std::isnan(point.value) && std::isnan(other.value);
    if (point.wall != other.wall || (point.value != other.value && !is_lost)) {
      return Downloads::kDiffer;
    }
    found = Downloads::kAgree;
  }
  return found;
}

/// Whether a table is of a run of its name: it has the values that are known of its tag, or of
/// another tag or other steps values of the same time. The first downloads are of one run.
bool is_of_run(const Scalar& scalar, const TensorboardRun& run) {
  const auto known = run.tags.find(scalar.name.tag);
  const bool is_known = known != run.tags.end();
  const Downloads downloads = is_known ? compare(known->second, scalar.points) : Downloads::kApart;
  if (downloads != Downloads::kApart) return downloads == Downloads::kAgree;
  if (!is_known && scalar.name.copy == 0) return true;
  return std::ranges::any_of(run.spans,
                             [&](const Span& span) { return span.overlaps(scalar.span); });
}

void add_scalar(const Scalar& scalar, TraceNotes& notes, TensorboardRun& run) {
  for (const TensorboardPoint& point : scalar.points) {
    run.last_step = std::max(run.last_step.value_or(point.step), point.step);
  }
  run.spans.push_back(scalar.span);
  std::vector<TensorboardPoint>& known = run.tags[scalar.name.tag];
  if (known.empty()) {
    known = scalar.points;
  } else {
    add_new_steps(scalar.points, scalar.name.tag, notes, known);
  }
}

/// The records of the runs of one name from their tables of scalars: downloads of several
/// experiments may have the same name, apart from the number of the download.
std::vector<JobRecord> records_of_scalars(std::span<const std::string> paths,
                                          const TraceOptions& options, TraceNotes& notes) {
  std::vector<Scalar> scalars;
  for (const std::string& path : paths) scalars.push_back({scalar_name_of(path), path});
  std::ranges::stable_sort(scalars, {}, [](const Scalar& one) { return one.name.copy; });
  std::vector<std::string> files;
  std::vector<TensorboardRun> runs;
  for (Scalar& scalar : scalars) {
    notes.read_from(scalar.path);
    read_scalar(static_cast<std::uint32_t>(files.size()), notes, scalar);
    files.push_back(scalar.path);
    if (scalar.points.empty()) continue;
    auto run = std::ranges::find_if(
        runs, [&](const TensorboardRun& one) { return is_of_run(scalar, one); });
    if (run == runs.end()) run = runs.emplace(runs.end());
    add_scalar(scalar, notes, *run);
  }
  if (runs.empty()) throw DataError(fmt::format("{}: no value in it", input_name(files.front())));
  const std::string& name = scalars.front().name.run;
  std::vector<JobRecord> records;
  for (const TensorboardRun& run : runs) {
    const std::string job = numbered(name, records.size() + 1);
    records.push_back(tensorboard_record(job, run, options, files, notes));
  }
  return records;
}

std::string missing_in_tensorboard(std::string_view head) {
  return holds(head.substr(0, 80), "brain.Event:") ? "the checksum of its first record is wrong"
                                                   : "";
}

/// The record of a run from its event files.
JobRecord record_of_events(std::span<const std::string> paths, const TraceOptions& options,
                           TraceNotes& notes) {
  TensorboardRun run;
  const fs::path whole = folder_of_run(paths.front());
  for (std::uint32_t i = 0; i < paths.size(); ++i) {
    notes.read_from(paths[i]);
    const fs::path folder = whole_folder(folder_of(paths[i]));
    read_events(paths[i], i, folder == whole ? "" : folder.filename().string() + "/", notes, run);
  }
  return tensorboard_record(run_of_folder(whole.string()), run, options, paths, notes);
}

/// All files of a run are tables of scalars, or all are event files.
std::vector<JobRecord> read_parts(std::span<const std::string> paths, const TraceOptions& options,
                                  TraceNotes& notes) {
  if (is_scalar_file(paths.front())) return records_of_scalars(paths, options, notes);
  return {record_of_events(paths, options, notes)};
}

std::vector<JobRecord> read_tensorboard(const std::string& path, const TraceOptions& options,
                                        TraceNotes& notes) {
  if (is_scalar_file(path) || is_event_file(path)) return read_parts({&path, 1}, options, notes);
  TensorboardRun run;
  read_events(path, 0, "", notes, run);
  return {tensorboard_record(origin_by_stem(path).job, run, options, {&path, 1}, notes)};
}

/// A folder has runs of both kinds: a mark that no name has tells them apart.
std::string run_of_part(const std::string& path) {
  if (!is_scalar_file(path)) return is_event_file(path) ? folder_of_run(path).string() : "";
  const ScalarName name = scalar_name_of(path);
  if (!name.is_part) return "";
  return (whole_folder(folder_of(path)) / ("run-" + name.run + '\x1f')).string();
}

}  // namespace

const TraceFormat kTensorboard{.name = "tensorboard",
                               .title = "TensorBoard event file",
                               .recognises = recognises_tensorboard,
                               .read_records = read_tensorboard,
                               .run_of_part = run_of_part,
                               .read_parts = read_parts,
                               .missing = missing_in_tensorboard};

}  // namespace scalelaw
