#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/gpu_series.hpp"

// Metrics of GPUs as Prometheus has them: its text format, as an exporter writes it,
//   DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-c45...",Hostname="node-1",pod="train-0"} 113.611000
// once or many times one after another, with or without a time in ms behind the value, and the
// answers of its HTTP API (/api/v1/query_range and /api/v1/query),
//   {"status":"success","data":{"resultType":"matrix","result":[
//     {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0"},"values":[[1773114089.9,"68.3"]]}]}}
// one or several, and the JSON lines of /api/v1/export with "values" and "timestamps".

namespace scalelaw {
namespace {

/// The value of a reading; NaN for "NaN", "+Inf".
std::optional<double> reading_of(std::string_view text) {
  if (const auto value = parse_number(text)) return value;
  if (is_missing(text) || is_infinite(text)) return Sample::kNone;
  return std::nullopt;
}

/// Names of metrics that were met and mean nothing here, for a message.
class OtherMetrics {
 public:
  void add(std::string_view name) {
    if (names_.size() < 5) names_.emplace(name.empty() ? "(no name)" : name);
  }
  std::string text() const {
    return names_.empty() ? "" : "; it has " + joined({std::vector(names_.begin(), names_.end())});
  }

 private:
  std::set<std::string> names_;
};

[[noreturn]] void refuse_nothing(std::string_view source, const OtherMetrics& others) {
  throw DataError(fmt::format(
      "{}: no metric of GPUs in it, such as DCGM_FI_DEV_POWER_USAGE of a labelled gpu{}", source,
      others.text()));
}

// --- Text ---

class TextReader {
 public:
  TextReader(ByteStream& in, std::string_view source, const TraceOptions& options, SampleSink& sink)
      : lines_(in, source, sink), source_(source), options_(options), joiner_(sink) {}

  void read() {
    while (const auto line = lines_.next()) take_line(trimmed(*line));
    if (joiner_.is_empty()) refuse_nothing(source_, others_);
    joiner_.finish();
  }

 private:
  /// A series, by the text of its name and labels.
  struct Series {
    std::uint32_t number = 0;
    std::optional<GpuSeries> gpu = {};
  };

  void take_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    std::size_t end = line.find('}');
    // Braces may stand in the value of a label; only a new series is worth a careful look.
    end = end == std::string_view::npos ? line.find_first_of(" \t") : line.rfind('}') + 1;
    if (end == std::string_view::npos) return lines_.note_left_out(line);
    const auto [place, is_new] = series_.try_emplace(std::string(line.substr(0, end)));
    Series& series = place->second;
    if (is_new) series.number = static_cast<std::uint32_t>(series_.size());
    if (is_new && !begin_series(line.substr(0, end), series)) {
      series_.erase(place);
      return lines_.note_left_out(line);
    }
    if (series.gpu) take_reading(line, trimmed(line.substr(end)), series);
  }

  bool begin_series(std::string_view text, Series& series) {
    std::size_t end = 0;
    const auto labels = series_labels(text, end);
    if (!labels || labels->empty()) return false;
    std::string name;
    series.gpu = gpu_series_of(*labels, name);
    if (!series.gpu && labels->contains("__name__")) others_.add(name);
    return true;
  }
  void take_reading(std::string_view line, std::string_view rest, Series& series) {
    const std::size_t blank = std::min(rest.find_first_of(" \t"), rest.size());
    const auto value = reading_of(rest.substr(0, blank));
    const std::string_view stamp = trimmed(rest.substr(blank));
    if (!value || lines_.is_cut()) return lines_.note_left_out(line);
    if (std::isnan(*value)) lines_.note(TraceOddity::kBadCell, line);
    // Without stamps, a series that comes again begins the next scrape.
    const auto time =
        stamp.empty() ? ticks_.time_of(series.number, options_.period_s) : series_instant(stamp);
    if (!time) return lines_.note_left_out(line);
    joiner_.add(series.gpu->device, series.gpu->metric, *time, *value);
  }
  NotedLines lines_;
  std::string_view source_;
  const TraceOptions& options_;
  SeriesJoiner joiner_;
  OtherMetrics others_;
  std::unordered_map<std::string, Series> series_;
  TickClock ticks_;
};

/// Whether a line is a series of a known metric, or the help or type of one.
bool is_gpu_line(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view begin : {"# HELP ", "# TYPE "}) {
    if (line.starts_with(begin)) {
      const std::string_view name = line.substr(begin.size());
      return gpu_metric(name.substr(0, name.find(' '))).has_value();
    }
  }
  if (line.starts_with("{__name__=")) {
    std::size_t end = 0;
    const auto labels = series_labels(line, end);
    return labels && labels->contains("__name__") &&
           gpu_metric(labels->find("__name__")->second).has_value();
  }
  const std::size_t open = line.find('{');
  return open != std::string_view::npos && gpu_metric(line.substr(0, open)).has_value();
}

bool recognises_text(std::string_view head) { return any_line(head, is_gpu_line); }

// --- JSON ---

/// Takes the series of one document. Depths are counted in open objects and lists.
class SeriesHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  SeriesHandler(SeriesJoiner& joiner, OtherMetrics& others) : joiner_(joiner), others_(others) {}

  const std::string& api_error() const { return api_error_; }
  std::size_t bad_values() const { return bad_values_; }
  std::size_t error_at() const { return error_at_; }
  const std::string& error() const { return error_; }

  bool null() override { return take("null"); }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return take(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return take(text); }
  bool string(string_t& text) override {
    if (depth_ == series_ + 1 && member_ == Member::kMetric) {
      labels_[key_] = text;
      return true;
    }
    if (depth_ == 1 && key_ == "error") api_error_ = text;
    return take(text);
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override {
    if (depth_ == series_ + 1 && member_ == Member::kValues) pair_.clear();
    return open();
  }
  bool key(string_t& text) override {
    key_ = text;
    const Member member = text == "metric"       ? Member::kMetric
                          : text == "value"      ? Member::kValue
                          : text == "values"     ? Member::kValues
                          : text == "timestamps" ? Member::kTimestamps
                                                 : Member::kNone;
    const bool is_inside = series_ != kNoSeries && depth_ > series_;
    if (is_inside) return true;
    if (member != Member::kNone && series_ != depth_) begin_series();
    member_ = member;
    return true;
  }
  bool end_object() override {
    if (depth_ == series_) finish_series();
    --depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    const bool is_point = depth_ == series_ + 1 && member_ == Member::kValues;
    const bool is_only_point = depth_ == series_ && member_ == Member::kValue;
    if (is_point || is_only_point) take_pair();
    return true;
  }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception& error) override {
    error_at_ = at;
    error_ = error.what();
    return false;
  }

 private:
  static constexpr std::size_t kNoSeries = ~std::size_t{0} - 8;
  static constexpr std::size_t kDeepest = 64;
  enum class Member { kNone, kMetric, kValue, kValues, kTimestamps };
  struct Point {
    std::int64_t time_ns;
    double value;
  };

  bool open() { return ++depth_ < kDeepest; }

  void begin_series() {
    series_ = depth_;
    labels_.clear();
    points_.clear();
    pair_.clear();
    values_.clear();
    stamps_.clear();
  }

  /// A number or text: a part of a point, or of the lists of values and times.
  bool take(const std::string& text) {
    if (series_ == kNoSeries) return true;
    const bool in_pair = (depth_ == series_ + 2 && member_ == Member::kValues) ||
                         (depth_ == series_ + 1 && member_ == Member::kValue);
    if (in_pair && pair_.size() < 2) pair_.push_back(text);
    if (depth_ != series_ + 1) return true;
    if (member_ == Member::kValues) values_.push_back(reading_of(text).value_or(Sample::kNone));
    if (member_ == Member::kTimestamps) stamps_.push_back(series_instant(text));
    return true;
  }

  void take_pair() {
    const auto time = pair_.size() == 2 ? series_instant(pair_[0]) : std::nullopt;
    const auto value = pair_.size() == 2 ? reading_of(pair_[1]) : std::nullopt;
    if (time && value) {
      points_.push_back({*time, *value});
    } else {
      ++bad_values_;
    }
    pair_.clear();
  }

  void finish_series() {
    series_ = kNoSeries;
    for (std::size_t i = 0; i < std::min(values_.size(), stamps_.size()); ++i) {
      if (stamps_[i]) {
        points_.push_back({*stamps_[i], values_[i]});
      } else {
        ++bad_values_;
      }
    }
    if (points_.empty()) return;
    std::string name;
    const auto gpu = gpu_series_of(labels_, name);
    if (!gpu) return others_.add(name);
    for (const Point& point : points_) {
      if (std::isnan(point.value)) ++bad_values_;
      joiner_.add(gpu->device, gpu->metric, point.time_ns, point.value);
    }
  }

  SeriesJoiner& joiner_;
  OtherMetrics& others_;
  std::size_t depth_ = 0;
  std::size_t series_ = kNoSeries;  ///< The depth inside the object of a series.
  Member member_ = Member::kNone;   ///< The member of that object that is read.
  std::string key_;
  SeriesLabels labels_;
  std::vector<Point> points_;
  std::vector<std::string> pair_;
  std::vector<double> values_;
  std::vector<std::optional<std::int64_t>> stamps_;
  std::string api_error_;
  std::size_t bad_values_ = 0;
  std::size_t error_at_ = 0;
  std::string error_;
};

/// The end of the document that begins a text: behind the bracket that closes it, or the text's
/// end.
std::size_t document_end(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && (depth == 0 || --depth == 0)) {
      return i + 1;
    }
  }
  return text.size();
}

class JsonReader {
 public:
  JsonReader(std::string_view source, SampleSink& sink)
      : source_(source), sink_(sink), joiner_(sink) {}

  void read(std::string_view text) {
    text = without_mark(text);
    std::uint64_t line = 1;
    while (true) {
      const std::size_t blanks = std::min(text.find_first_not_of(" \t\r\n"), text.size());
      line += count_lines(text.substr(0, blanks));
      text.remove_prefix(blanks);
      if (text.empty()) break;
      const std::size_t end = document_end(text);
      take_document(text.substr(0, end), line, end == text.size());
      line += count_lines(text.substr(0, end));
      text.remove_prefix(end);
    }
    if (joiner_.is_empty() && others_.text().empty()) {
      throw DataError(fmt::format(
          "{}: the answer of Prometheus has no series: does its query name a metric that was "
          "scraped in that time?",
          source_));
    }
    if (joiner_.is_empty()) refuse_nothing(source_, others_);
    joiner_.finish();
  }

 private:
  static std::uint64_t count_lines(std::string_view text) {
    return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  }

  void take_document(std::string_view text, std::uint64_t line, bool is_last) {
    SeriesHandler handler(joiner_, others_);
    const bool whole = nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
    if (!handler.api_error().empty()) {
      throw DataError(fmt::format("{}: Prometheus answered with an error: {}", source_,
                                  scalelaw::quoted(handler.api_error())));
    }
    if (!whole) {
      const std::string_view before = text.substr(0, handler.error_at());
      const std::uint64_t at = line + count_lines(before);
      // A download that broke off: the series before its end are whole.
      if (!is_last || handler.error_at() < text.size()) {
        throw ParseError(source_, at, "expected the JSON of a Prometheus answer, found other text");
      }
      sink_.note(TraceOddity::kCutLine, at,
                 text.substr(text.size() - std::min<std::size_t>(text.size(), 40)));
    }
    for (std::size_t i = 0; i < handler.bad_values(); ++i) {
      sink_.note(TraceOddity::kBadCell, line + count_lines(text), "a point without time or value");
    }
  }

  std::string_view source_;
  SampleSink& sink_;
  SeriesJoiner joiner_;
  OtherMetrics others_;
};

void read_json(ByteStream& in, std::string_view source, const TraceOptions&, SampleSink& sink) {
  JsonReader(source, sink).read(whole_document(in, "", source, HeldAs::kText));
}

/// Without its blanks, the beginning of an answer or of an exported series.
bool recognises_json(std::string_view head) {
  constexpr std::size_t kSeen = 4 << 10;
  head = without_mark(head);
  std::string text;
  for (const char c : head.substr(0, kSeen)) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') text += c;
  }
  if (!text.starts_with('{')) return false;
  const auto has = [&](const char* part) { return holds(text, part); };
  return has("\"resultType\":") || (has("\"metric\":{") && has("\"__name__\":")) ||
         (text.starts_with("{\"status\":") && has("\"data\":{\"result\":[")) ||
         (text.starts_with("{\"status\":\"error\"") && has("\"errorType\":"));
}

}  // namespace

const TraceFormat kPrometheusText{.name = "prometheus",
                                  .title = "Prometheus text",
                                  .recognises = recognises_text,
                                  .origin = origin_of_series,
                                  .read_samples = read_by<TextReader>,
                                  .joins_folder = true};

const TraceFormat kPrometheusJson{.name = "prometheus-json",
                                  .title = "Prometheus answer (JSON)",
                                  .recognises = recognises_json,
                                  .origin = origin_of_series,
                                  .read_samples = read_json,
                                  .joins_folder = true};

}  // namespace scalelaw
