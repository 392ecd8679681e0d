#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"

// carbontracker's two logs of a run (carbontracker/tracker.py, loggerutil.py): what it prints,
// *_carbontracker_output.log, also on standard output,
//   CarbonTracker:
//   Actual consumption for 1 epoch(s):
//           Time:   0:00:10
//           Energy: 0.000038 kWh
//           CO2eq:  0.003130 g
// whose energy is that of the whole data centre (times its PUE), and what it measured per epoch,
// *_carbontracker.log,
//   ... - The following components were found: GPU with device(s) A, B. CPU with device(s) C.
//   ... - Duration: 0:02:21.90
//   ... - Average power usage (W) for gpu: [136.86 140.2]
// Predictions are no measurements and are passed over.

namespace scalelaw {
namespace {

/// The text behind_label a label; empty if the line lacks it.
std::optional<std::string_view> behind_label(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  return trimmed(line.substr(at + label.size()));
}

std::optional<double> joules_of(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const auto value = parse_number(text.substr(0, blank));
  if (!value || blank == std::string_view::npos) return std::nullopt;
  const auto unit = canonical_unit(trimmed(text.substr(blank)));
  const auto factor = unit ? in_base_units(*unit, Dimension::kEnergy) : std::nullopt;
  return factor ? std::optional(*value * *factor) : std::nullopt;
}

/// What the measured powers of a component say.
struct Component {
  std::vector<std::string> devices;
  std::size_t channels = 0;  ///< How many powers a line has.
  double joules = 0;         ///< Over the epochs that have a power,
  double seconds = 0;        ///< which lasted so long,
  std::size_t epochs = 0;    ///< and are so many.
};

struct Run {
  // What it printed.
  std::optional<double> printed_seconds;
  std::optional<double> printed_joules;
  std::optional<double> co2_g;
  std::string printed_epochs;
  bool is_printed = false;
  // What it measured.
  std::vector<double> epochs;
  std::map<std::string, Component> components;
  std::string pue;

  bool is_empty() const { return !is_printed && epochs.empty(); }
};

class LogReader {
 public:
  LogReader(const std::string& path, TraceNotes& notes) : lines_(path, notes) {}

  std::vector<Run> read() {
    while (const auto line = lines_.next()) take_line(*line);
    finish_run();
    return std::move(runs_);
  }
  bool has_prediction() const { return has_prediction_; }

 private:
  enum class Block { kNone, kActual, kPredicted };

  void take_line(std::string_view line) {
    if (!array_.empty()) return continue_array(line);
    if (behind_label(line, "carbontracker version")) return finish_run();
    if (behind_label(line, "Predicted consumption for ")) {
      has_prediction_ = true;
      block_ = Block::kPredicted;
    } else if (const auto actual = behind_label(line, "Actual consumption")) {
      begin_actual(*actual);
    } else if (const auto found = behind_label(line, "The following components were found:")) {
      take_components(*found);
    } else if (const auto pue = behind_label(line, "PUE coefficient of ")) {
      run_.pue = exact_text(parse_number(pue->substr(0, pue->find(' '))));
    } else if (const auto duration = behind_label(line, " - Duration: ")) {
      take_epoch(*duration);
    } else if (const auto power = behind_label(line, " - Average power usage (W) for ")) {
      begin_array(*power);
    } else if (block_ == Block::kActual) {
      take_figure(line);
    }
  }

  void finish_run() {
    block_ = Block::kNone;
    if (!run_.is_empty()) runs_.push_back(std::move(run_));
    run_ = {};
  }

  /// "for 3 epoch(s):", or only ":".
  void begin_actual(std::string_view rest) {
    if (run_.is_printed) finish_run();
    run_.is_printed = true;
    block_ = Block::kActual;
    if (!rest.starts_with("for ")) return;
    rest.remove_prefix(4);
    run_.printed_epochs = std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
  }

  void take_figure(std::string_view line) {
    const auto take = [&](std::string_view label, auto parse, std::optional<double>& into) {
      const auto text = behind_label(line, label);
      if (!text || into) return;
      into = parse(*text);
      if (!into) lines_.note(TraceOddity::kBadCell, *text);
    };
    take("Time:", parse_duration, run_.printed_seconds);
    take("Energy:", joules_of, run_.printed_joules);
    take(
        "CO2eq:",
        [](std::string_view text) { return parse_number(text.substr(0, text.find(' '))); },
        run_.co2_g);
  }

  /// "GPU with device(s) A, B. CPU with device(s) C."
  void take_components(std::string_view text) {
    if (!run_.epochs.empty()) finish_run();
    constexpr std::string_view kWith = " with device(s) ";
    while (true) {
      const std::size_t with = text.find(kWith);
      if (with == std::string_view::npos) return;
      std::string_view name = trimmed(text.substr(0, with));
      name = name.substr(name.find_last_of(" .") + 1);
      text.remove_prefix(with + kWith.size());
      const std::size_t next = text.find(kWith);
      std::string_view devices = text.substr(0, next);
      devices = devices.substr(0, devices.rfind('.'));
      run_.components[lower_case(name)].devices = split(devices, ',');
    }
  }

  void take_epoch(std::string_view text) {
    if (const auto seconds = parse_duration(text)) {
      run_.epochs.push_back(*seconds);
    } else {
      lines_.note(TraceOddity::kBadCell, text);
    }
  }

  /// "gpu: [136.8 140.2]", "cpu: 13.4", "gpu: None". NumPy breaks long arrays into lines.
  void begin_array(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    component_ = lower_case(text.substr(0, colon));
    array_ = trimmed(text.substr(std::min(colon + 1, text.size())));
    if (!array_.starts_with('[') || array_.ends_with(']')) take_powers();
  }

  void continue_array(std::string_view line) {
    constexpr std::size_t kLongest = 16 << 10;
    array_ += ' ';
    array_ += trimmed(line).substr(0, kLongest);
    if (array_.ends_with(']') || array_.size() > kLongest) take_powers();
  }

  void take_powers() {
    std::string text;
    text.swap(array_);
    std::ranges::replace_if(
        text, [](char c) { return c == '[' || c == ']' || c == ','; }, ' ');
    std::vector<std::string_view> words;
    split_words(text, words);
    if (words.empty() || words.front() == "None" || run_.epochs.empty()) return;
    double watts = 0;
    for (const std::string_view word : words) {
      const auto value = parse_number(word);
      if (!value) return lines_.note(TraceOddity::kBadCell, word);
      watts += *value;
    }
    Component& component = run_.components[component_];
    component.channels = words.size();
    component.joules += watts * run_.epochs.back();
    component.seconds += run_.epochs.back();
    ++component.epochs;
  }

  NotedFile lines_;
  Block block_ = Block::kNone;
  bool has_prediction_ = false;
  Run run_;
  std::vector<Run> runs_;
  std::string component_;  ///< Whose powers `array_` lists.
  std::string array_;      ///< Powers whose end is not read yet.
};

/// Joules of a component; empty if some epoch lacks its power.
std::optional<double> joules_of(const Run& run, const std::string& name) {
  const auto found = run.components.find(name);
  if (found == run.components.end() || run.epochs.empty()) return std::nullopt;
  const Component& component = found->second;
  return component.epochs == run.epochs.size() ? std::optional(component.joules) : std::nullopt;
}

/// The names of the devices, each once.
std::string kinds_of(const std::vector<std::string>& devices) {
  const std::set<std::string> kinds(devices.begin(), devices.end());
  return joined(std::vector(kinds.begin(), kinds.end()));
}

/// The energy of all components that were found; empty if one was not measured.
std::optional<double> measured_joules(const Run& run) {
  if (run.components.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [name, component] : run.components) {
    const auto joules = joules_of(run, name);
    if (!joules) return std::nullopt;
    sum += *joules;
  }
  return sum;
}

JobRecord record_of(const Run& run, const std::string& job) {
  const auto gpu = run.components.find("gpu");
  const bool has_gpu = gpu != run.components.end();
  const double gpus =
      has_gpu ? static_cast<double>(std::max(gpu->second.channels, gpu->second.devices.size())) : 0;
  std::optional<double> watts;
  if (has_gpu && gpu->second.seconds > 0) watts = gpu->second.joules / gpu->second.seconds / gpus;
  std::optional<double> seconds = run.printed_seconds;
  std::string epochs = run.printed_epochs;
  if (!run.epochs.empty()) {
    seconds = std::accumulate(run.epochs.begin(), run.epochs.end(), 0.0);
    epochs = std::to_string(run.epochs.size());
  }
  const auto count = parse_number(epochs);
  std::optional<double> per_epoch;
  if (seconds && *seconds > 0 && count && *count > 0) per_epoch = *seconds / *count;
  return {job,
          {{"gpus", gpus > 0 ? exact_text(gpus) : ""},
           {"gpu_type", has_gpu ? kinds_of(gpu->second.devices) : ""},
           {"epochs", epochs},
           {"duration_s", exact_text(seconds)},
           {"epoch_seconds", exact_text(per_epoch)},
           {"energy_j", exact_text(run.printed_joules ? run.printed_joules : measured_joules(run))},
           {"gpu_energy_j", exact_text(joules_of(run, "gpu"))},
           {"cpu_energy_j", exact_text(joules_of(run, "cpu"))},
           {"power_mean_w", exact_text(watts)},
           {"emissions_g", exact_text(run.co2_g)},
           {"pue", run.printed_joules ? run.pue : std::string(run.pue.empty() ? "" : "1")}}};
}

// --- The two logs of a run ---

constexpr std::string_view kMeasuredEnd = "_carbontracker.log";
constexpr std::string_view kPrintedEnd = "_carbontracker_output.log";

struct LogPaths {
  std::string measured;
  std::string printed;
};

/// The logs of a run by their names; the other one is empty if the name is another or it is
/// missing.
LogPaths logs_of(const std::string& path) {
  const auto other = [&](std::string_view end, std::string_view other_end) -> std::string {
    if (!path.ends_with(end)) return "";
    std::string name = path.substr(0, path.size() - end.size()).append(other_end);
    return is_regular_file(name) ? name : "";
  };
  if (path.ends_with(kPrintedEnd)) return {other(kPrintedEnd, kMeasuredEnd), path};
  return {path, other(kMeasuredEnd, kPrintedEnd)};
}

std::vector<Run> runs_in(const std::string& path, TraceNotes& notes, bool& has_prediction) {
  if (path.empty()) return {};
  LogReader reader(path, notes);
  std::vector<Run> runs = reader.read();
  has_prediction |= reader.has_prediction();
  return runs;
}

/// Joins what a run printed to what it measured, if it is the only one in both logs.
std::vector<Run> joined_runs(std::vector<Run> measured, std::vector<Run> printed) {
  if (measured.size() == 1 && printed.size() == 1) {
    Run& run = measured.front();
    run.printed_seconds = printed.front().printed_seconds;
    run.printed_joules = printed.front().printed_joules;
    run.printed_epochs = printed.front().printed_epochs;
    run.co2_g = printed.front().co2_g;
    return measured;
  }
  return measured.empty() ? printed : measured;
}

std::string job_of(const std::string& path) {
  std::string job = origin_by_stem(path).job;
  for (const std::string_view end : {"_carbontracker_output", "_carbontracker"}) {
    if (job.size() > end.size() && job.ends_with(end)) job.erase(job.size() - end.size());
  }
  return job;
}

std::vector<JobRecord> read_carbontracker(const std::string& path, const TraceOptions&,
                                          TraceNotes& notes) {
  const LogPaths logs = logs_of(path);
  bool has_prediction = false;
  const std::vector<Run> runs = joined_runs(runs_in(logs.measured, notes, has_prediction),
                                            runs_in(logs.printed, notes, has_prediction));
  std::vector<JobRecord> records;
  const std::string job = job_of(path);
  for (const Run& run : runs) records.push_back(record_of(run, numbered(job, records.size() + 1)));
  if (records.empty()) {
    throw DataError(
        fmt::format("{}: no \"Actual consumption\" and no epoch with a duration in "
                    "carbontracker's log{}",
                    input_name(path), has_prediction ? "; a prediction is no measurement" : ""));
  }
  return records;
}

bool recognises_carbontracker(std::string_view head) {
  static constexpr std::string_view kMarks[] = {"CarbonTracker: ", "carbontracker version ",
                                                " - Average power usage (W) for "};
  return any_line(head, [](std::string_view line) {
    return line.ends_with("CarbonTracker:") || holds_any(line, kMarks);
  });
}

}  // namespace

const TraceFormat kCarbonTracker{.name = "carbontracker",
                                 .title = "carbontracker log",
                                 .recognises = recognises_carbontracker,
                                 .read_records = read_carbontracker};

}  // namespace scalelaw
