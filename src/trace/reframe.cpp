#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/run_facts.hpp"

// Performance logs of ReFrame (reframe/core/logging.py), with bars between the fields:
// - since 4.0 with a header, and a row per run of a test:
//     result|job_completion_time|...|jobid|name|num_tasks|...|copy_bw_value|copy_bw_unit|...
// - 3.x without one, and a line per measured quantity of a run:
//     2021-...|reframe 3.9.0|check on sys:part using gnu|jobid=12|perf=1.2|ref=0 (l=..., u=...)|s

namespace scalelaw {
namespace {

constexpr std::string_view kValue = "_value";
constexpr std::string_view kUnit = "_unit";

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '|') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (std::string& field : fields) field = std::string(trimmed(field));
  return fields;
}

/// The measured quantities of a header: "copy_bw" of copy_bw_value and copy_bw_unit.
std::vector<std::string> quantities_of(const std::vector<std::string>& names) {
  std::vector<std::string> quantities;
  for (const std::string& name : names) {
    if (!name.ends_with(kValue)) continue;
    std::string quantity = name.substr(0, name.size() - kValue.size());
    if (place_of(names, quantity + std::string(kUnit)) != kNowhere) {
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

bool recognises(std::string_view head) {
  head = without_mark(head);
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.find('|') == std::string_view::npos) return false;
  const std::vector<std::string> fields = fields_of(line);
  return is_header(fields) || is_old_line(fields);
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

/// Gives runs of the same name the endings "-2", "-3", ...
std::string unused(const std::string& name, std::map<std::string, int>& counts) {
  const int count = ++counts[name];
  return count == 1 ? name : fmt::format("{}-{}", name, count);
}

/// Reads a log line by line.
class PerfLog {
 public:
  PerfLog(std::string path, TraceNotes& notes) : path_(std::move(path)), notes_(notes) {}

  void take(std::string_view line, std::uint64_t number, bool is_cut) {
    const std::vector<std::string> fields = fields_of(line);
    const auto note = [&](TraceOddity oddity) { notes_.note(oddity, number, line.substr(0, 80)); };
    if (is_header(fields)) {
      if (!names_.empty()) note(TraceOddity::kRepeatedHeader);
      names_ = fields;
      quantities_ = quantities_of(fields);
    } else if (!names_.empty() && fields.size() == names_.size()) {
      if (is_failed(fields)) return note(TraceOddity::kFailedRun);
      add_row(fields);
    } else if (names_.empty() && is_old_line(fields)) {
      add_old_line(fields);
    } else {
      note(is_cut ? TraceOddity::kCutLine : TraceOddity::kForeignLine);
    }
  }

  std::vector<JobRecord> finish() {
    for (auto& [job, facts] : old_) records_.push_back({job, facts.take(), path_});
    return std::move(records_);
  }

 private:
  std::string field(const std::vector<std::string>& fields, std::string_view name) const {
    const std::size_t place = place_of(names_, name);
    return place == kNowhere || is_nothing(fields[place]) ? std::string() : fields[place];
  }

  bool is_failed(const std::vector<std::string>& fields) const {
    return field(fields, "result") == "fail";
  }

  void add_row(const std::vector<std::string>& fields) {
    static constexpr std::array kCopied{
        "system",           "partition",          "environ",
        "num_tasks",        "num_tasks_per_node", "num_cpus_per_task",
        "num_gpus_per_node"};
    std::string name = field(fields, "name");
    if (name.empty()) name = field(fields, "unique_name");
    RunFacts facts;
    add_test(name, facts);
    for (const char* copied : kCopied) facts.add(copied, field(fields, copied));
    facts.add("status", field(fields, "result"));
    for (const std::string& quantity : quantities_) {
      facts.add(column_of(quantity, field(fields, quantity + std::string(kUnit))),
                field(fields, quantity + std::string(kValue)));
    }
    const std::string test = name.empty() ? "run" : name.substr(0, name.find(' '));
    records_.push_back({unused(test + "-" + field(fields, "jobid"), counts_), facts.take(), path_});
  }

  /// Adds a quantity to its run: the lines of one test and job follow each other.
  void add_old_line(const std::vector<std::string>& fields) {
    std::string job;
    std::string quantity;
    std::string value;
    std::vector<std::pair<std::string, std::string>> others;
    const std::string unit = fields.back().find('=') == std::string::npos ? fields.back() : "";
    for (std::size_t i = 3; i < fields.size(); ++i) {
      const std::size_t equals = fields[i].find('=');
      if (equals == std::string::npos || fields[i].starts_with("ref=")) continue;
      const std::string name = fields[i].substr(0, equals);
      const std::string text = fields[i].substr(equals + 1);
      if (name == "jobid") {
        job = text;
      } else if (name.starts_with("num_")) {
        others.emplace_back(name, text);
      } else {
        quantity = name;
        value = text;
      }
    }
    const std::string& check = fields[2];
    const std::string key = check + "-" + job;
    if (old_.empty() || last_ != key) {
      last_ = key;
      RunFacts facts;
      add_check(check, facts);
      for (auto& [name, text] : others) facts.add(name, text);
      old_.emplace_back(unused(key, counts_), std::move(facts));
    }
    old_.back().second.add(column_of(quantity, unit), value);
  }

  /// Adds what "check %n=4 on system:partition using environ" says.
  static void add_check(const std::string& check, RunFacts& facts) {
    const std::size_t on = check.rfind(" on ");
    const std::size_t with = check.rfind(" using ");
    if (on == std::string::npos || with == std::string::npos || with < on) {
      return add_test(check, facts);
    }
    add_test(check.substr(0, on), facts);
    const std::string place = check.substr(on + 4, with - on - 4);
    const std::size_t colon = std::min(place.find(':'), place.size());
    facts.add("system", place.substr(0, colon));
    facts.add("partition", place.substr(std::min(colon + 1, place.size())));
    facts.add("environ", check.substr(with + 7));
  }

  std::string path_;
  TraceNotes& notes_;
  std::vector<std::string> names_;
  std::vector<std::string> quantities_;
  std::map<std::string, int> counts_;
  std::vector<JobRecord> records_;
  std::vector<std::pair<std::string, RunFacts>> old_;  ///< Runs in logs without a header.
  std::string last_;                                   ///< The run of the last line.
};

std::string missing(std::string_view head) {
  const std::string_view line = without_mark(head);
  return line.starts_with("result|") || line.starts_with("job_completion_time|")
             ? "no quantity has both a column _value and a column _unit"
             : "";
}

std::vector<JobRecord> read_records(const std::string& path, const TraceOptions&,
                                    TraceNotes& notes) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  LineReader lines(*stream, file.name());
  PerfLog log(path, notes);
  while (const auto line = lines.next()) {
    if (!trimmed(*line).empty()) log.take(*line, lines.line_number(), lines.is_cut());
  }
  return log.finish();
}

}  // namespace

const TraceFormat kReframe{.name = "reframe",
                           .title = "performance log of ReFrame",
                           .recognises = recognises,
                           .read_records = read_records,
                           .missing = missing};

}  // namespace scalelaw
