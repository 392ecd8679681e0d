// Bytes as the telemetry of a family of formats, SCALELAW_TRACE_FORMATS. Whatever they are, a
// reader answers with samples, with records or with an Error. Samples do not depend on where the
// reads of a stream end. A run table depends neither on the number of threads nor on how a file is
// read: from its path, or from behind the beginning that was used to recognise it.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fuzz/reading.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "trace/collect.hpp"
#include "trace/job_table.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw::fuzz {
namespace {

constexpr std::size_t kHead = 64 << 10;

/// The formats of the family.
const std::vector<const TraceFormat*>& family() {
  static const std::vector<const TraceFormat*> formats = [] {
    std::vector<const TraceFormat*> found;
    std::istringstream names(SCALELAW_TRACE_FORMATS);
    for (std::string name; names >> name;) {
      found.push_back(find_trace_format(name));
      if (found.back() == nullptr) std::abort();
    }
    return found;
  }();
  return formats;
}

/// The format as which the present input is read.
const TraceFormat* present_format = nullptr;
const TraceFormat& format() { return *present_format; }

/// The one of the family that claims the text. A text that none claims, and one in eight others, is
/// read as any of them.
const TraceFormat* format_for(std::string_view text, std::uint32_t sum) {
  const TraceFormat* const found = recognised_format(text.substr(0, kHead));
  const bool is_member = std::find(family().begin(), family().end(), found) != family().end();
  return is_member && sum % 8 != 7 ? found : family()[sum / 8 % family().size()];
}

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", claim);
  std::abort();
}

/// An archive or a study store, which fuzz_stream and fuzz_store test, or a Parquet file.
bool is_wrapped(std::string_view text) {
  return text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd") ||
         text.starts_with("SQLite format 3") || text.starts_with("PAR1");
}

/// A sum of the bytes chooses the variant, so that a seed is only a trace.
std::uint32_t sum_of(std::string_view text) {
  std::uint32_t sum = 0;
  for (const char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
  return sum ^ (sum >> 15);
}

TraceOptions options_for(std::uint32_t sum) {
  TraceOptions options;
  if (sum % 16 == 0) {
    options.columns = {"timestamp", "gpu_index", "utilization_gpu_pct", "utilization.gpu"};
  }
  if (sum % 16 == 1) options.job_column = "job";
  if (sum % 16 == 2) options.period_s = 0.1;
  return options;
}

// --- Samples ---

/// Keeps samples, and checks what a reader promises its receiver.
class StrictSink final : public CollectingSink {
 public:
  void add(std::span<const Sample> added) override {
    for (const Sample& sample : added) {
      expect(sample.device < devices.size(), "a sample of a device that was not announced");
    }
    CollectingSink::add(added);
  }
  void note(TraceOddity oddity, std::uint64_t line, std::string_view what) override {
    expect(line >= 1, "an oddity before line 1");
    expect(notes.empty() || notes.back().line <= line, "an oddity on a line before the last one's");
    CollectingSink::note(oddity, line, what);
  }
};

/// The result of a reading. After an error, samples may or may not have been handed on.
struct Outcome {
  StrictSink sink;
  std::string error;
};

Outcome outcome_of(std::string_view text, std::size_t most, const TraceOptions& options) {
  Outcome outcome;
  StringStream stream(text, most);
  try {
    format().read_samples(stream, "trace", options, outcome.sink);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

std::string text_of(const Sample& sample) {
  std::string text = std::to_string(sample.time_ns) + " " + std::to_string(sample.device);
  for (const double value : {sample.sm_util_pct, sample.mem_util_pct, sample.mem_used_mib,
                             sample.power_w, sample.energy_j}) {
    // NaN means "no value", whatever its bits.
    text += value == value ? " " + std::to_string(std::bit_cast<std::uint64_t>(value)) : " -";
  }
  return text;
}

bool same_value(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

bool same_sample(const Sample& a, const Sample& b) {
  return a.time_ns == b.time_ns && a.device == b.device &&
         same_value(a.sm_util_pct, b.sm_util_pct) && same_value(a.mem_util_pct, b.mem_util_pct) &&
         same_value(a.mem_used_mib, b.mem_used_mib) && same_value(a.power_w, b.power_w) &&
         same_value(a.energy_j, b.energy_j);
}

bool same_note(const CollectingSink::Note& a, const CollectingSink::Note& b) {
  return a.oddity == b.oddity && a.line == b.line && a.what == b.what;
}

bool same_outcome(const Outcome& a, const Outcome& b) {
  if (a.error != b.error) return false;
  if (!a.error.empty()) return true;
  return a.sink.devices == b.sink.devices &&
         std::equal(a.sink.samples.begin(), a.sink.samples.end(), b.sink.samples.begin(),
                    b.sink.samples.end(), same_sample) &&
         std::equal(a.sink.notes.begin(), a.sink.notes.end(), b.sink.notes.begin(),
                    b.sink.notes.end(), same_note);
}

std::string text_of(const Outcome& outcome) {
  if (!outcome.error.empty()) return "error: " + outcome.error;
  std::string text;
  for (const Device& device : outcome.sink.devices) {
    text += "device " + device.job + "|" + device.node + "|" + device.name + "\n";
  }
  for (const Sample& sample : outcome.sink.samples) text += text_of(sample) + "\n";
  for (const auto& note : outcome.sink.notes) {
    text += "note " + std::to_string(static_cast<int>(note.oddity)) + " " +
            std::to_string(note.line) + " " + note.what + "\n";
  }
  return text;
}

void check_pieces(std::string_view text, std::size_t most, const TraceOptions& options) {
  const Outcome whole = outcome_of(text, SIZE_MAX, options);
  const Outcome pieces = outcome_of(text, most, options);
  if (!same_outcome(whole, pieces)) expect_same(text_of(whole), text_of(pieces), "whole, pieces");
}

/// The text repeated until it spans several blocks.
std::string repeated(std::string_view text) {
  constexpr std::size_t kBytes = 150 << 10;
  std::string all;
  while (all.size() < kBytes) all += text;
  return all;
}

std::string text_of(const RunTable& table) {
  std::string text;
  for (const std::string& name : table.names) text += name + "|";
  table.for_each_row([&](const std::vector<std::string>& row) {
    text += "\n";
    for (const std::string& cell : row) text += cell + "|";
  });
  return text;
}

/// The run tables of a file.
std::string tables_of(const TraceFile& file, const UnitOptions& options) {
  try {
    const UnitFigures unit = read_unit({.job = {}, .node = {}, .files = {file}}, options);
    std::string text;
    for (const IngestRows rows : {IngestRows::kJob, IngestRows::kNode, IngestRows::kGpu}) {
      text += text_of(run_table(unit.devices, {}, {}, rows, false)) + "\n";
    }
    for (const std::string& warning : quality_warnings(unit.devices)) text += warning + "\n";
    for (const std::string& error : unit.errors) text += "error: " + error + "\n";
    for (const auto& [oddity, count] : unit.oddities) {
      text += std::to_string(count.count) + " " + count.first + "\n";
    }
    return text;
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

void check_unit(const MemoryFile& memory, const TraceOptions& trace, std::uint32_t sum) {
  UnitOptions options{.trace = trace, .max_gap_s = {}, .windows = nullptr, .progress = nullptr};
  if (sum % 4 == 0) options.max_gap_s = 0.5;
  TraceFile file{memory.path(), &format(), {.job = "job", .node = {}}, nullptr};
  const std::string by_path = tables_of(file, options);
  file.opened = std::make_shared<OpenedTrace>(file.path);
  if (sum % 2 == 0) file.opened->lengthen_head();
  const std::string resumed = tables_of(file, options);
  const bool is_second_reading = resumed.find("samples are out of order") != std::string::npos;
  if (!is_second_reading) expect_same(by_path, resumed, "by its path, behind its beginning");
}

// --- Records ---

/// A tree like MLPerf's with the same file in every place: a result, its power logs, its system. It
/// is beside the program and stays there, because a fuzzer ends without destructors.
class MlperfTree {
 public:
  explicit MlperfTree(const std::string& target) {
    std::filesystem::path org = std::filesystem::read_symlink("/proc/self/exe");
    org += ".tree";
    org = org / "training_results_v9.9" / "org";
    const std::filesystem::path folder = org / "results" / "sys" / "bench";
    result_ = folder / "result_0.txt";
    power_ = folder / "power" / "result_0" / "node_0.txt";
    for (const auto& path :
         {result_, power_, folder / "power" / "result_0" / "sw_0.txt", folder / "scaling.json",
          org / "results" / "sys" / "entry.json", org / "systems" / "sys.json"}) {
      link(path, target);
    }
  }

  std::string result() const { return result_.string(); }
  std::string power_log() const { return power_.string(); }

 private:
  static void link(const std::filesystem::path& path, const std::string& target) {
    std::error_code error;
    if (std::filesystem::read_symlink(path, error) == target) return;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::remove(path);
    std::filesystem::create_symlink(target, path);
  }

  std::filesystem::path result_;
  std::filesystem::path power_;
};

struct NoNotes : TraceNotes {
  void note(TraceOddity, std::uint64_t, std::string_view) override {}
};

/// The records of a file; empty if it cannot be understood.
std::vector<JobRecord> records_of(const std::string& path, const TraceOptions& options = {}) {
  try {
    NoNotes notes;
    return format().read_records(path, options, notes);
  } catch (const Error&) {
    return {};
  }
}

/// Whether the runs of a format name their columns themselves.
bool has_own_columns() {
  static const std::set<std::string_view> names = {
      "mlflow",  "wandb",   "lightning", "tensorboard", "google-benchmark", "hyperfine",
      "reframe", "extra-p", "caliper",   "thicket",     "json-run"};
  return names.count(format().name) > 0;
}

/// An undefined figure is an empty cell.
void expect_figures(const JobRecord& record) {
  if (has_own_columns()) return;
  static const std::set<std::string_view> texts = {
      "round", "submitter", "system", "benchmark", "run", "status", "accelerator", "app", "run_id",
      "window",
      // Trainers.
      "framework",
      // Accounts and monitors of energy.
      "job_name", "partition", "account", "user", "qos", "gpu_type", "node_list", "submit_time",
      "start_time", "end_time", "project", "task", "tracking_mode", "country", "sweep"};
  for (const auto& [name, text] : record.facts) {
    const bool is_figure = text.empty() || parse_number(text);
    expect(is_figure || texts.count(name) > 0, "a figure that is no number");
  }
}

/// The files of one run may be of several kinds, and of other programs: none ends the reader.
void check_parts(const MemoryFile& memory) {
  if (format().read_parts == nullptr) return;
  static MemoryFile other;
  other.assign("Wall time,Step,Value\n1.5,1,2.5\n");
  for (const std::vector<std::string>& paths :
       {std::vector{memory.path(), other.path()}, std::vector{other.path(), memory.path()},
        std::vector{memory.path(), memory.path()}}) {
    try {
      NoNotes notes;
      for (const JobRecord& record : format().read_parts(paths, {}, notes)) {
        expect(!record.job.empty(), "a record without a job");
      }
    } catch (const Error&) {
    }
  }
}

void check_records(const MemoryFile& memory) {
  check_parts(memory);
  const std::vector<JobRecord> records = records_of(memory.path());
  for (const JobRecord& record : records) expect_figures(record);
  std::set<std::string_view> jobs;
  for (const JobRecord& record : records) {
    expect(!record.job.empty(), "a record without a job");
    // Trainers state more of some runs than of others.
    expect(record.facts.size() == records.front().facts.size() || !record.file.empty() ||
               has_own_columns(),
           "a record with facts of its own");
    const bool is_new = jobs.insert(record.job).second;
    expect(is_new || format().name != "zeus-sweep", "two windows with one name");
  }
  for (const JobRecord& record : records_of(memory.path(), {.steps = true})) {
    const std::size_t width = record.steps.names.size();
    expect(record.steps.rows() * width == record.steps.cells.size(), "a step in part");
    const std::set<std::string> names(record.steps.names.begin(), record.steps.names.end());
    expect(names.size() == width, "two columns of steps with one name");
  }
  if (format().name != "mllog") return;
  static const MlperfTree tree(memory.path());
  const std::vector<JobRecord> in_tree = records_of(tree.result());
  for (const JobRecord& record : in_tree) expect_figures(record);
  expect(in_tree.size() == records.size(), "its place makes a log one");
  expect(in_tree.empty() || in_tree.front().job == "v9.9/org/results/sys/bench/result_0",
         "a result is not named by its place");
  expect(records_of(tree.power_log()).empty(), "a power log is a run");
}

// --- Tables ---

std::string ingested(const std::vector<std::string>& paths, IngestOptions options, int threads) {
  options.threads = threads;
  try {
    const IngestResult result = ingest(paths, options);
    std::string text = text_of(result.table);
    for (const auto* lines : {&result.bad_files, &result.warnings}) {
      for (const std::string& line : *lines) text += "\n" + line;
    }
    return text;
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

void check_table(const MemoryFile& a, const MemoryFile& b, std::uint32_t sum) {
  IngestOptions options;
  if (sum % 2 == 0) options.format = format().name;
  if (sum % 4 < 2) options.idle_below_pct = 10;
  options.rows = static_cast<IngestRows>(sum / 4 % 4);
  const std::vector<std::string> paths = {a.path(), b.path()};
  expect_same(ingested(paths, options, 1), ingested(paths, options, 2), "one thread and two");
}

void check(std::string_view text) {
  static MemoryFile first;
  static MemoryFile second;
  const std::uint32_t sum = sum_of(text);
  const TraceOptions options = options_for(sum);
  present_format = format_for(text, sum);
  for (const TraceFormat& one : trace_formats()) one.recognises(text.substr(0, kHead));
  if (format().read_samples != nullptr) {
    check_pieces(text, 1 + sum % 7, options);
    if (sum % 128 == 3) check_pieces(repeated(text), 1 + sum / 128 % 5000, options);
  }
  if (is_wrapped(text)) return;
  first.assign(text);
  if (format().read_samples != nullptr) {
    check_unit(first, options, sum);
  } else {
    check_records(first);
  }
  if (sum % 32 != 5) return;
  second.assign(text);
  check_table(first, second, sum / 32);
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
