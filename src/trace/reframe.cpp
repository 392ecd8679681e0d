#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/run_facts.hpp"

// Performance logs of ReFrame (reframe/core/logging.py), with bars between the fields:
// - since 4.0 with a header, and a row per run of a test:
//     result|job_completion_time|...|jobid|name|num_tasks|...|copy_bw_value|copy_bw_unit|...
// - 3.x without one, and a line per measured quantity of a run:
//     2021-...|reframe 3.9.0|check on sys:part using gnu|jobid=12|perf=1.2|ref=0 (l=..., u=...)|s
// Sites set the fields themselves, and many write names before the values: units=Gflops/s.

namespace scalelaw {
namespace {

constexpr std::string_view kValueEnd = "_value";
constexpr std::string_view kUnitEnd = "_unit";

/// The name in "jobid=12"; empty if there is none.
std::string name_before(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == std::string::npos ? "" : text.substr(0, equals);
}

/// What stands behind the name in "jobid=12"; the whole text if there is no name.
std::string without_name(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == std::string::npos ? text : text.substr(equals + 1);
}

/// The names of a header. That of a value may have another one before it: "perf_var=perf_value".
std::vector<std::string> header_names(std::vector<std::string> fields) {
  for (std::string& name : fields) name = without_name(name);
  return fields;
}

/// The measured quantities of a header: "copy_bw" of copy_bw_value and copy_bw_unit.
std::vector<std::string> quantities_of(const std::vector<std::string>& names) {
  std::vector<std::string> quantities;
  const NamePlaces places(names);
  for (const std::string& name : names) {
    if (!name.ends_with(kValueEnd)) continue;
    std::string quantity = name.substr(0, name.size() - kValueEnd.size());
    if (places.of(quantity + std::string(kUnitEnd)) != kNowhere) {
      quantities.push_back(std::move(quantity));
    }
  }
  return quantities;
}

bool is_header(const std::vector<std::string>& names) {
  return (place_of(names, "result") != kNowhere || place_of(names, "jobid") != kNowhere) &&
         !quantities_of(names).empty();
}

bool is_old_line(const std::vector<std::string>& fields) {
  return fields.size() > 4 && fields[1].starts_with("reframe ");
}

bool recognises_reframe(std::string_view head) {
  const std::string_view line = first_line(head);
  if (!holds(line, '|')) return false;
  const std::vector<std::string> fields = split(line, '|');
  return is_header(header_names(fields)) || is_old_line(fields);
}

bool is_nothing(const std::string& text) {
  return text == "None" || text == "null" || is_missing(text);
}

/// The quantity and its unit as a column: "copy_bw [MB/s]".
std::string column_of(const std::string& quantity, const std::string& unit) {
  return is_nothing(unit) ? quantity : fmt::format("{} [{}]", quantity, unit);
}

/// Adds a test's name and its parameters: "stream_test %num_threads=4 /a1b2".
void add_test(const std::string& name, RunFacts& facts) {
  const std::vector<std::string> words = split(name, ' ');
  facts.add("test", words.empty() ? "" : words.front());
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (!word.starts_with('%') || equals == std::string::npos) continue;
    facts.add(word.substr(1, equals - 1), word.substr(equals + 1), "parameter");
  }
}

/// Reads a log line by line.
class PerfLog {
 public:
  PerfLog(std::string path, TraceNotes& notes) : path_(std::move(path)), lines_(path_, notes) {}

  std::vector<JobRecord> read() {
    while (const auto line = lines_.next()) {
      if (!trimmed(*line).empty()) take(*line);
    }
    std::vector<JobRecord> records;
    for (auto& [job, facts] : runs_) records.push_back({job, facts.take(), path_});
    return records;
  }

 private:
  void take(std::string_view line) {
    const std::vector<std::string> fields = split(line, '|');
    const std::vector<std::string> names = header_names(fields);
    if (is_header(names)) {
      if (!names_.empty()) lines_.note(TraceOddity::kRepeatedHeader, line);
      names_ = names;
      labels_.clear();
      for (const std::string& text : fields) labels_.push_back(name_before(text));
      quantities_ = quantities_of(names);
    } else if (!names_.empty() && fields.size() == names_.size()) {
      if (field(fields, "result") == "fail") return lines_.note(TraceOddity::kFailedRun, line);
      add_row(fields);
    } else if (names_.empty() && is_old_line(fields)) {
      add_old_line(fields);
    } else {
      lines_.note_left_out(line);
    }
  }

  std::string field(const std::vector<std::string>& fields, std::string_view name) const {
    const std::size_t place = place_of(names_, name);
    if (place == kNowhere) return "";
    // "num_tasks=4" of the column num_tasks, "perf=1.2" of perf_value, "units=s" of perf_unit.
    const bool is_quantity = name.ends_with(kValueEnd) || name.ends_with(kUnitEnd);
    const bool is_named = is_quantity || fields[place].starts_with(std::string(name) + '=');
    const std::string text = is_named ? without_name(fields[place]) : fields[place];
    return is_nothing(text) ? std::string() : text;
  }

  /// The name of what a row measures, where the header has one for all: that of the column
  /// perf_var, or the one in "copy=1000.5" below "perf_var=perf_value". Empty if it has none.
  std::string variable_of(const std::vector<std::string>& fields,
                          const std::string& quantity) const {
    const std::string stated = field(fields, quantity + "_var");
    if (!stated.empty()) return without_name(stated);
    const std::size_t place = place_of(names_, quantity + std::string(kValueEnd));
    const std::string name = name_before(fields[place]);
    return name == labels_[place] || name == names_[place] ? "" : name;
  }

  /// Adds what a row measures to a run. False if the run has such a quantity already.
  bool add_quantities(const std::vector<std::string>& fields, RunFacts& facts) const {
    RowFacts measured;
    for (const std::string& quantity : quantities_) {
      const std::string variable = variable_of(fields, quantity);
      measured.emplace_back(column_of(variable.empty() ? quantity : variable,
                                      field(fields, quantity + std::string(kUnitEnd))),
                            field(fields, quantity + std::string(kValueEnd)));
      if (facts.has(measured.back().first)) return false;
    }
    for (auto& [name, text] : measured) facts.add(name, text);
    return true;
  }

  /// Whether each row has one quantity, so that a run has several rows.
  bool has_variables(const std::vector<std::string>& fields) const {
    return std::ranges::any_of(quantities_, [&](const std::string& quantity) {
      return !variable_of(fields, quantity).empty();
    });
  }

  /// The name of a row's test, and its parameters behind it; empty if only `info` has it.
  std::string test_of(const std::vector<std::string>& fields) const {
    for (const char* name : {"name", "unique_name", "display_name", "check_name"}) {
      if (std::string text = field(fields, name); !text.empty()) return text;
    }
    return "";
  }

  void add_row(const std::vector<std::string>& fields) {
    static constexpr std::array kCopied{
        "system",           "partition",          "environ",
        "num_tasks",        "num_tasks_per_node", "num_cpus_per_task",
        "num_gpus_per_node"};
    std::string name = test_of(fields);
    const std::string info = name.empty() ? field(fields, "info") : name;
    const std::string key =
        fmt::format("{}|{}|{}|{}|{}", info, field(fields, "jobid"), field(fields, "system"),
                    field(fields, "partition"), field(fields, "environ"));
    const bool goes_on = !runs_.empty() && last_ == key && has_variables(fields);
    if (goes_on && add_quantities(fields, runs_.back().second)) return;
    last_ = key;
    RunFacts facts;
    if (name.empty()) {
      name = field(fields, "info");
      add_check(name, facts);
    } else {
      add_test(name, facts);
    }
    for (const char* copied : kCopied) {
      if (!facts.has(copied)) facts.add(copied, field(fields, copied));
    }
    facts.add("status", field(fields, "result"));
    add_quantities(fields, facts);
    std::string test = name.substr(0, name.find(' '));
    if (test.empty()) test = origin_by_stem(path_).job;
    const std::string run = test + "-" + field(fields, "jobid");
    runs_.emplace_back(numbered(run, ++counts_[run]), std::move(facts));
  }

  /// What a line without a header says. The quantity is the first number that has no other
  /// meaning.
  struct OldLine {
    std::string job;
    std::string quantity;
    std::string value;
    std::string unit;
    RowFacts others;
  };

  static OldLine old_line_of(const std::vector<std::string>& fields) {
    static constexpr std::array kLimits{"ref", "lower", "upper", "l", "u"};
    OldLine line;
    if (!holds(fields.back(), '=')) line.unit = fields.back();
    for (std::size_t i = 3; i < fields.size(); ++i) {
      const std::size_t equals = fields[i].find('=');
      if (equals == std::string::npos) continue;
      const std::string name = fields[i].substr(0, equals);
      const std::string text = fields[i].substr(equals + 1);
      if (name == "jobid") {
        line.job = text;
      } else if (name == "units" || name == "unit") {
        line.unit = text;
      } else if (is_one_of(name, kLimits)) {
        continue;
      } else if (!name.starts_with("num_") && line.quantity.empty() && parse_number(text)) {
        line.quantity = name;
        line.value = text;
      } else if (!is_nothing(text)) {
        line.others.emplace_back(name, text);
      }
    }
    return line;
  }

  /// Adds a quantity to its run: the lines of one test and job follow each other.
  void add_old_line(const std::vector<std::string>& fields) {
    OldLine line = old_line_of(fields);
    const std::string& check = fields[2];
    const std::string key = check + "-" + line.job;
    if (runs_.empty() || last_ != key) {
      last_ = key;
      RunFacts facts;
      add_check(check, facts);
      for (auto& [name, text] : line.others) facts.add(name, text);
      runs_.emplace_back(numbered(key, ++counts_[key]), std::move(facts));
    }
    if (line.quantity.empty()) return;
    runs_.back().second.add(column_of(line.quantity, line.unit), line.value);
  }

  /// Adds what "check %n=4 on system:partition using environ" says, or since 3.10
  /// "check %n=4 /a1b2 @system:partition+environ".
  static void add_check(const std::string& check, RunFacts& facts) {
    const std::size_t at = check.rfind(" @");
    const std::size_t plus = check.find('+', at == std::string::npos ? check.size() : at);
    if (plus != std::string::npos) {
      add_test(check.substr(0, at), facts);
      return add_place(check.substr(at + 2, plus - at - 2), check.substr(plus + 1), facts);
    }
    const std::size_t on = check.rfind(" on ");
    const std::size_t with = check.rfind(" using ");
    if (on == std::string::npos || with == std::string::npos || with < on) {
      return add_test(check, facts);
    }
    add_test(check.substr(0, on), facts);
    add_place(check.substr(on + 4, with - on - 4), check.substr(with + 7), facts);
  }

  static void add_place(const std::string& place, const std::string& environ, RunFacts& facts) {
    const std::size_t colon = std::min(place.find(':'), place.size());
    facts.add("system", place.substr(0, colon));
    facts.add("partition", place.substr(std::min(colon + 1, place.size())));
    facts.add("environ", environ);
  }

  std::string path_;
  NotedFile lines_;
  std::vector<std::string> names_;
  std::vector<std::string> quantities_;
  std::map<std::string, std::size_t> counts_;  ///< Of runs of the same name.
  std::vector<std::string> labels_;            ///< What stands before the names of the header.
  std::vector<std::pair<std::string, RunFacts>> runs_;
  std::string last_;  ///< The run of the last line.
};

std::string missing_in_reframe(std::string_view head) {
  const std::string_view line = without_mark(head);
  return line.starts_with("result|") || line.starts_with("job_completion_time|")
             ? "no quantity has both a column _value and a column _unit"
             : "";
}

std::vector<JobRecord> read_reframe(const std::string& path, const TraceOptions&,
                                    TraceNotes& notes) {
  return PerfLog(path, notes).read();
}

}  // namespace

const TraceFormat kReframe{.name = "reframe",
                           .title = "performance log of ReFrame",
                           .recognises = recognises_reframe,
                           .read_records = read_reframe,
                           .missing = missing_in_reframe};

}  // namespace scalelaw
