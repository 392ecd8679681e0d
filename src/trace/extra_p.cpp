#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

// Measurements for Extra-P (its page on file formats), in four forms: text with
// PARAMETER, POINTS, REGION, METRIC and DATA; two JSON documents; JSON lines, also those of Talpas,
// which have semicolons between members.

namespace scalelaw {
namespace {

using nlohmann::json;

// --- The measurements ---

/// The values of the parameters, in their order.
using Point = std::vector<std::string>;

/// Takes measurements in any order. A row is one repetition at one point of one call path.
class Measurements {
 public:
  void add_parameter(const std::string& name) {
    if (place_of(parameters_, name) == kNowhere) parameters_.push_back(name);
  }
  std::size_t parameters() const { return parameters_.size(); }
  std::size_t parameter(const std::string& name) {
    add_parameter(name);
    return place_of(parameters_, name);
  }

  void add(const std::string& path, const std::string& metric, const Point& point, double value) {
    if (place_of(metrics_, metric) == kNowhere) metrics_.push_back(metric);
    const auto [run, is_new] = runs_.try_emplace({path, point}, order_.size());
    if (is_new) order_.push_back({path, point, {}});
    order_[run->second].values[metric].push_back(value);
  }

  std::vector<JobRecord> records(const std::string& path) const {
    std::vector<JobRecord> records;
    for (const Run& run : order_) {
      std::size_t repeats = 0;
      for (const auto& [metric, values] : run.values) repeats = std::max(repeats, values.size());
      for (std::size_t i = 0; i < repeats; ++i) records.push_back(record(path, run, i));
    }
    return records;
  }

 private:
  struct Run {
    std::string path;
    Point point;
    std::map<std::string, std::vector<double>> values;
  };

  JobRecord record(const std::string& path, const Run& run, std::size_t repeat) const {
    RunFacts facts;
    std::string place;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string text = i < run.point.size() ? run.point[i] : "";
      facts.add(parameters_[i], text, "parameter");
      place += (i > 0 ? "," : "") + text;
    }
    facts.add("callpath", run.path);
    facts.add("repeat", std::to_string(repeat + 1));
    for (const std::string& metric : metrics_) {
      const auto values = run.values.find(metric);
      const bool has_value = values != run.values.end() && repeat < values->second.size();
      facts.add(metric, has_value ? exact_text(values->second[repeat]) : "", "metric");
    }
    return {fmt::format("{}/{}/{}/{}", origin_by_stem(path).job, run.path, place, repeat + 1),
            facts.take(), path};
  }

  std::vector<std::string> parameters_;
  std::vector<std::string> metrics_;
  std::vector<Run> order_;
  std::map<std::pair<std::string, Point>, std::size_t> runs_;
};

/// What Extra-P calls the call path and metric of measurements that name none.
constexpr const char* kNoPath = "main";
constexpr const char* kNoMetric = "value";

// --- Text ---

/// Reads the lines of the text form.
class TextForm {
 public:
  TextForm(std::string_view source, Measurements& out) : source_(source), out_(out) {}

  /// Whether a line could be used.
  bool take(std::string_view line, std::uint64_t number) {
    line_ = number;
    const std::string_view text = trimmed(line.substr(0, line.find('#')));
    if (text.empty()) return true;
    const std::size_t blank = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, blank);
    const std::string_view rest = trimmed(text.substr(blank));
    if (word == "PARAMETER") return take_parameters(rest);
    if (word == "POINTS") return take_points(rest);
    if (word == "DATA") return take_data(rest);
    if (word == "REGION" || word == "METRIC") {
      (word == "REGION" ? path_ : metric_) = std::string(rest);
      next_ = 0;
      return true;
    }
    return word == "EXPERIMENT";
  }
  /// Whether the last region has values at all points.
  bool is_whole() const { return next_ == 0 || next_ == points_.size(); }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw ParseError(source_, line_, what);
  }

  static constexpr std::size_t kAllWords = ~std::size_t{0};

  bool take_parameters(std::string_view text) {
    split_words(text, words_);
    for (const std::string_view name : words_) out_.add_parameter(std::string(name));
    return true;
  }

  bool take_points(std::string_view text) {
    std::string plain(text);
    std::ranges::replace_if(
        plain, [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
    std::vector<std::string_view> values;
    split_words(plain, values, kAllWords);
    const std::size_t width = std::max<std::size_t>(out_.parameters(), 1);
    if (values.size() % width != 0) {
      refuse(fmt::format("expected points of {} numbers, found {} numbers", width, values.size()));
    }
    for (std::size_t i = 0; i < values.size(); i += width) {
      points_.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i),
                           values.begin() + static_cast<std::ptrdiff_t>(i + width));
    }
    return true;
  }

  bool take_data(std::string_view text) {
    if (next_ == points_.size()) {
      refuse(fmt::format("expected DATA for {}, found more", counted(points_.size(), "point")));
    }
    split_words(text, words_, kAllWords);
    for (const std::string_view word : words_) {
      const auto value = parse_number(word);
      if (!value) refuse(fmt::format("expected a number, found {}", scalelaw::quoted(word)));
      out_.add(path_, metric_, points_[next_], *value);
    }
    ++next_;
    return true;
  }

  std::string_view source_;
  Measurements& out_;
  std::uint64_t line_ = 0;
  std::vector<Point> points_;
  std::size_t next_ = 0;  ///< The point of the next DATA.
  std::string path_ = kNoPath;
  std::string metric_ = kNoMetric;
  std::vector<std::string_view> words_;
};

void read_text(const std::string& path, TraceNotes& notes, Measurements& out) {
  NotedFile lines(path, notes);
  TextForm form(lines.name(), out);
  while (const auto line = lines.next()) {
    if (!form.take(*line, lines.line_number())) lines.note(TraceOddity::kForeignLine, *line);
  }
  if (!form.is_whole()) lines.note(TraceOddity::kCutLine, "DATA");
}

// --- JSON documents ---

void add_values(const json& values, const std::string& path, const std::string& metric,
                const Point& point, Measurements& out) {
  if (values.is_number()) return out.add(path, metric, point, values.get<double>());
  if (!values.is_array()) return;
  for (const json& value : values) add_values(value, path, metric, point, out);
}

void read_new_document(const json& document, Measurements& out) {
  for (const json& name : json_member(document, "parameters")) out.add_parameter(json_cell(name));
  for (const auto& [path, metrics] : json_member(document, "measurements").items()) {
    if (!metrics.is_object()) continue;
    for (const auto& [metric, entries] : metrics.items()) {
      for (const json& entry : entries) {
        Point point;
        for (const json& value : json_member(entry, "point")) point.push_back(json_cell(value));
        add_values(json_member(entry, "values"), path, metric, point, out);
      }
    }
  }
}

/// The names in a list of objects with ids.
std::map<std::string, std::string> names_by_id(const json& list) {
  std::map<std::string, std::string> names;
  for (const json& item : list) {
    names[json_cell(json_member(item, "id"))] = json_cell(json_member(item, "name"));
  }
  return names;
}

void read_old_document(const json& document, Measurements& out) {
  const auto parameters = names_by_id(json_member(document, "parameters"));
  const auto paths = names_by_id(json_member(document, "callpaths"));
  const auto metrics = names_by_id(json_member(document, "metrics"));
  const auto name_in = [](const auto& names, const json& id, const char* otherwise) {
    const auto found = names.find(json_cell(id));
    return found == names.end() ? std::string(otherwise) : found->second;
  };
  for (const json& parameter : json_member(document, "parameters")) {
    out.add_parameter(json_cell(json_member(parameter, "name")));
  }
  std::map<std::string, Point> points;
  for (const json& coordinate : json_member(document, "coordinates")) {
    Point& point = points[json_cell(json_member(coordinate, "id"))];
    point.resize(out.parameters());
    for (const json& pair : json_member(coordinate, "parameter_value_pairs")) {
      const std::size_t place =
          out.parameter(name_in(parameters, json_member(pair, "parameter_id"), "parameter"));
      point.resize(std::max(point.size(), place + 1));
      point[place] = json_cell(json_member(pair, "parameter_value"));
    }
  }
  for (const json& entry : json_member(document, "measurements")) {
    add_values(json_member(entry, "value"),
               name_in(paths, json_member(entry, "callpath_id"), kNoPath),
               name_in(metrics, json_member(entry, "metric_id"), kNoMetric),
               points[json_cell(json_member(entry, "coordinate_id"))], out);
  }
}

// --- JSON lines ---

/// Talpas has semicolons between the members of a line.
std::string with_commas(std::string_view line) {
  std::string out(line);
  bool inside = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '\\') {
      ++i;
    } else if (out[i] == '"') {
      inside = !inside;
    } else if (out[i] == ';' && !inside) {
      out[i] = ',';
    }
  }
  return out;
}

void add_line(const json& entry, Measurements& out) {
  const json& own = json_member(entry, "params");
  const json& parameters = own.is_object() ? own : json_member(entry, "parameters");
  Point point;
  if (parameters.is_object()) {
    for (const auto& [name, value] : parameters.items()) {
      const std::size_t place = out.parameter(name);
      point.resize(std::max(point.size(), place + 1));
      point[place] = json_cell(value);
    }
  }
  const std::string path = json_cell(json_member(entry, "callpath"));
  const std::string metric = json_cell(json_member(entry, "metric"));
  add_values(json_member(entry, "value"), path.empty() ? kNoPath : path,
             metric.empty() ? kNoMetric : metric, point, out);
}

void read_lines(const std::string& path, TraceNotes& notes, Measurements& out) {
  NotedFile lines(path, notes);
  while (const auto line = lines.next()) {
    if (trimmed(*line).empty()) continue;
    const json entry = parse_json_if_any(with_commas(*line));
    if (entry.is_object()) {
      add_line(entry, out);
    } else if (lines.is_cut()) {
      lines.note(TraceOddity::kCutLine, *line);
    } else {
      throw ParseError(lines.name(), lines.line_number(),
                       fmt::format("expected a measurement of Extra-P as JSON, found {}",
                                   scalelaw::quoted(*line)));
    }
  }
}

// --- All forms ---

bool is_text(std::string_view head) {
  const auto begins_with = [head](std::string_view word) {
    return any_line(head, [word](std::string_view line) {
      line = trimmed(line);
      return line.starts_with(word) && line.size() > word.size() &&
             (line[word.size()] == ' ' || line[word.size()] == '\t');
    });
  };
  return begins_with("PARAMETER") && begins_with("POINTS") &&
         (begins_with("DATA") || begins_with("REGION"));
}

/// Whether the first line is a measurement.
bool is_lines(std::string_view head) {
  const std::string_view line = first_line(head);
  return line.starts_with('{') && has_json_keys(line, {"value"}) &&
         (has_json_keys(line, {"params"}) ||
          (has_json_keys(line, {"parameters"}) && !has_json_keys(line, {"measurements"})));
}

bool is_document(std::string_view head) {
  return has_json_keys(head, {"parameters", "measurements", "values"}) ||
         has_json_keys(head, {"callpaths", "coordinates"});
}

bool recognises_extra_p(std::string_view head) {
  return is_text(head) || is_lines(head) || is_document(head);
}

std::string missing_in_extra_p(std::string_view head) {
  const bool has_parameter =
      any_line(head, [](std::string_view line) { return line.starts_with("PARAMETER "); });
  return has_parameter ? "it lacks POINTS, or DATA" : "";
}

std::vector<JobRecord> read_extra_p(const std::string& path, const TraceOptions&,
                                    TraceNotes& notes) {
  Measurements measurements;
  const std::string head = rest_of(*OpenedFile(path).stream, 64 << 10);
  if (is_lines(head)) {
    read_lines(path, notes, measurements);
  } else if (without_mark(head).starts_with('{')) {
    const json document = parse_json(text_of_file(path), path);
    const bool is_old = json_member(document, "measurements").is_array();
    (is_old ? read_old_document : read_new_document)(document, measurements);
  } else {
    read_text(path, notes, measurements);
  }
  return measurements.records(path);
}

}  // namespace

const TraceFormat kExtraP{.name = "extra-p",
                          .title = "measurements for Extra-P",
                          .recognises = recognises_extra_p,
                          .read_records = read_extra_p,
                          .missing = missing_in_extra_p};

}  // namespace scalelaw
