#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/source.hpp"
#include "statistics/moments.hpp"
#include "statistics/quantiles.hpp"
#include "trace/formats.hpp"

// Zeus's measurements of power limits in turn, with one window per limit:
//   start_time,window_name,elapsed_time,gpu0_energy[,gpu1_energy...]
//   529134.314032642,__GlobalPowerLimitOptimizer_250,13.367793557001278,3019.4590000000026
// (zeus/monitor/energy.py, ZeusMonitor with a log_file). Where the windows are epochs and steps of
// one training, the file is one run.

namespace scalelaw {
namespace {

/// The columns of the file.
struct Columns {
  std::size_t count = 0;
  std::size_t start = 0;
  std::size_t window = 0;
  std::size_t elapsed = 0;
  std::vector<std::size_t> energies;  ///< One per GPU, in J.
};

/// "gpu0_energy", "gpu12_energy".
bool is_gpu_energy(std::string_view name) {
  constexpr std::string_view kBegin = "gpu";
  constexpr std::string_view kEnd = "_energy";
  if (name.size() <= kBegin.size() + kEnd.size()) return false;
  const std::string_view number =
      name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  return name.starts_with(kBegin) && name.ends_with(kEnd) && is_digits(number);
}

std::optional<Columns> columns_of(std::string_view header) {
  const std::vector<std::string_view> names = trimmed_fields(header);
  Columns columns;
  columns.count = names.size();
  columns.start = place_of(names, "start_time");
  columns.window = place_of(names, "window_name");
  columns.elapsed = place_of(names, "elapsed_time");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_gpu_energy(names[i])) columns.energies.push_back(i);
  }
  const bool is_complete = columns.start < columns.count && columns.window < columns.count &&
                           columns.elapsed < columns.count && !columns.energies.empty();
  return is_complete ? std::optional(columns) : std::nullopt;
}

/// What a window measured, by its name.
enum class WindowKind { kOther, kWhole, kEpoch, kStep };

WindowKind kind_of(std::string_view window) {
  const std::string name = lower_case(window);
  const auto has = [&](const char* word) { return holds(name, word); };
  if (has("powerlimit")) return WindowKind::kOther;
  if (has("epoch")) return WindowKind::kEpoch;
  if (has("step") || has("iter") || has("batch")) return WindowKind::kStep;
  for (const char* whole : {"train", "training", "run", "total", "whole", "entire", "main"}) {
    if (name == whole) return WindowKind::kWhole;
  }
  return WindowKind::kOther;
}

std::optional<Columns> columns_in(std::string_view head) {
  const std::string_view line = first_line(head);
  return line.starts_with("start_time,") ? columns_of(line) : std::nullopt;
}

bool recognises_sweep(std::string_view head) { return columns_in(head).has_value(); }

/// Whether the first windows are epochs, steps and whole trainings, and none is anything else.
bool recognises_monitor(std::string_view head) {
  const auto columns = columns_in(head);
  if (!columns) return false;
  bool trains = false;
  std::vector<std::string_view> fields;
  const bool has_other = any_line(head.substr(head.find('\n') + 1), [&](std::string_view line) {
    split_fields(line, fields);
    if (fields.size() != columns->count) return false;
    const WindowKind kind = kind_of(fields[columns->window]);
    trains |= kind == WindowKind::kEpoch || kind == WindowKind::kStep;
    return kind == WindowKind::kOther && fields[columns->window] != "window_name";
  });
  return trains && !has_other;
}

/// A row of the file and its place.
struct Row {
  std::string_view source;
  std::uint64_t line;
  std::vector<std::string_view> fields;
};

/// The number in a field; empty if it was not measured.
std::optional<double> number_in(const Row& row, std::size_t column) {
  const std::string_view text = row.fields[column];
  if (is_missing(text)) return std::nullopt;
  if (const auto number = parse_number(text)) return number;
  throw ParseError(row.source, row.line,
                   fmt::format("field {}: expected a number, found {}", column + 1, quoted(text)));
}

/// Joules over all GPUs; empty if one of them is unknown.
std::optional<double> energy_of(const Row& row, const Columns& columns) {
  double joules = 0;
  for (const std::size_t column : columns.energies) {
    const auto gpu = number_in(row, column);
    if (!gpu) return std::nullopt;
    joules += *gpu;
  }
  return joules;
}

/// The power limit in W: the number after the last underscore in windows of Zeus's optimiser. A
/// user's own windows ("epoch_3") have none.
std::optional<double> power_limit_of(std::string_view window) {
  const std::size_t last = window.rfind('_');
  if (last == std::string_view::npos || !holds(window, "PowerLimit")) return std::nullopt;
  return parse_number(window.substr(last + 1));
}

/// Gives jobs of the same name the endings "-2", "-3", ...
class JobNames {
 public:
  std::string unused(const std::string& name) {
    int& count = counts_[name];
    std::string job = ++count == 1 ? name : fmt::format("{}-{}", name, count);
    // The second "250W" may find that a window is called "250W-2".
    while (job != name && counts_.count(job) > 0) job = fmt::format("{}-{}", name, ++count);
    if (job != name) counts_[job] = 1;
    return job;
  }

 private:
  std::map<std::string, int> counts_;
};

JobRecord sweep_record(const Row& row, const Columns& columns, const std::string& stem,
                       JobNames& names) {
  std::string scratch;
  const std::string window(field_text(row.fields[columns.window], scratch));
  const auto limit = power_limit_of(window);
  const auto seconds = number_in(row, columns.elapsed);
  const auto joules = energy_of(row, columns);
  const auto gpus = static_cast<double>(columns.energies.size());
  std::optional<double> watts;  // Per GPU: the limit holds for each of them.
  if (joules && seconds && *seconds > 0) watts = *joules / *seconds / gpus;
  const std::string name = fmt::format("{}-{}", stem, limit ? exact_text(limit) + "W" : window);
  return {names.unused(name),
          {{"power_cap_w", exact_text(limit)},
           {"gpus", exact_text(gpus)},
           {"duration_s", exact_text(seconds)},
           {"energy_j", exact_text(joules)},
           {"power_mean_w", exact_text(watts)},
           {"window", window},
           {"sweep", stem}}};
}

/// Reads the rows of a file one after another.
class WindowRows {
 public:
  WindowRows(const std::string& path, TraceNotes& notes) : lines_(path, notes) {
    header_ = lines_.next().value_or("");
    const auto columns = columns_of(header_);
    if (!columns) {
      throw ParseError(lines_.name(), 1, "expected the header of a Zeus power-limit sweep");
    }
    columns_ = *columns;
  }

  const Columns& columns() const { return columns_; }

  std::optional<Row> next() {
    while (const auto line = lines_.next()) {
      if (trimmed(*line).empty() || *line == header_) continue;  // Sweeps may be appended.
      Row row{lines_.name(), lines_.line_number(), trimmed_fields(*line)};
      if (row.fields.size() == columns_.count) return row;
      if (lines_.is_cut()) return std::nullopt;  // Was still being written.
      throw ParseError(row.source, row.line,
                       fmt::format("expected {} fields as in the header, found {}", columns_.count,
                                   row.fields.size()));
    }
    return std::nullopt;
  }

 private:
  NotedFile lines_;
  std::string header_;
  Columns columns_;
};

std::vector<JobRecord> read_sweep(const std::string& path, const TraceOptions&, TraceNotes& notes) {
  WindowRows rows(path, notes);
  const std::string stem = origin_by_stem(path).job;
  JobNames names;
  std::vector<JobRecord> records;
  while (const auto row = rows.next()) {
    records.push_back(sweep_record(*row, rows.columns(), stem, names));
  }
  return records;
}

// --- A training: windows of epochs and steps ---

struct Window {
  double start = 0;
  double seconds = 0;
  std::optional<double> joules;
  WindowKind kind = WindowKind::kOther;
  std::uint64_t line = 0;
};

/// Windows that stand in no other one, in order of time: together they are the run. Their sums are
/// those of the run, because nothing counts twice.
std::vector<Window> outer_windows(std::vector<Window> windows) {
  std::ranges::stable_sort(windows, [](const Window& a, const Window& b) {
    return a.start != b.start ? a.start < b.start : a.seconds > b.seconds;
  });
  std::vector<Window> outer;
  double end = -kInfinity;
  for (const Window& window : windows) {
    // Begin and end of a window inside another one; half of it may not be outside.
    if (window.start + window.seconds / 2 < end) continue;
    outer.push_back(window);
    end = std::max(end, window.start + window.seconds);
  }
  return outer;
}

std::vector<double> sweep_seconds(const std::vector<Window>& windows, WindowKind kind) {
  std::vector<double> seconds;
  for (const Window& window : windows) {
    if (window.kind == kind) seconds.push_back(window.seconds);
  }
  return seconds;
}

/// The steps without the first ones (at most ten, or a tenth of them), and without those that took
/// more than three times the median, which are notes of evaluations and checkpoints.
std::vector<double> settled_steps(const std::vector<Window>& windows, TraceNotes& notes) {
  std::vector<const Window*> steps;
  for (const Window& window : windows) {
    if (window.kind == WindowKind::kStep) steps.push_back(&window);
  }
  const std::size_t first = std::min<std::size_t>(10, steps.size() / 10);
  std::vector<double> seconds;
  for (std::size_t i = first; i < steps.size(); ++i) seconds.push_back(steps[i]->seconds);
  const double limit = seconds.empty() ? 0 : 3 * median(seconds);
  seconds.clear();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i >= first && steps[i]->seconds <= limit) {
      seconds.push_back(steps[i]->seconds);
    } else {
      notes.note(TraceOddity::kOtherStep, steps[i]->line, exact_text(steps[i]->seconds) + " s");
    }
  }
  return seconds;
}

std::string median_text(std::vector<double> values) {
  return values.empty() ? std::string() : exact_text(median(std::move(values)));
}

std::string variation_text(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return values.size() < 2 ? std::string() : exact_text(moments.variation());
}

/// Mean joules of the windows of a kind; empty if one of them is unknown.
std::optional<double> mean_joules(const std::vector<Window>& windows, WindowKind kind) {
  double sum = 0;
  std::size_t count = 0;
  for (const Window& window : windows) {
    if (window.kind != kind) continue;
    if (!window.joules) return std::nullopt;
    sum += *window.joules;
    ++count;
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

std::string sweep_count_text(std::size_t count) { return count > 0 ? std::to_string(count) : ""; }

JobRecord training_of(const std::string& job, const std::vector<Window>& windows,
                      std::size_t gpu_count, TraceNotes& notes) {
  std::optional<double> joules = 0;
  double seconds = 0;
  const std::vector<Window> outer = outer_windows(windows);
  for (const Window& window : outer) {
    joules = joules && window.joules ? std::optional(*joules + *window.joules) : std::nullopt;
    seconds += window.seconds;
  }
  std::optional<double> watts;
  if (joules && seconds > 0) watts = *joules / seconds / static_cast<double>(gpu_count);
  const std::vector<double> epochs = sweep_seconds(windows, WindowKind::kEpoch);
  const std::vector<double> steps = settled_steps(windows, notes);
  return {job,
          {{"gpus", std::to_string(gpu_count)},
           {"duration_s", exact_text(seconds)},
           {"energy_j", exact_text(joules)},
           {"power_mean_w", exact_text(watts)},
           {"epochs", sweep_count_text(epochs.size())},
           {"epoch_seconds", median_text(epochs)},
           {"energy_per_epoch_j", exact_text(mean_joules(windows, WindowKind::kEpoch))},
           {"steps", sweep_count_text(sweep_seconds(windows, WindowKind::kStep).size())},
           {"seconds_per_step", median_text(steps)},
           {"seconds_per_step_cv", variation_text(steps)}}};
}

std::vector<JobRecord> read_training(const std::string& path, const TraceOptions&,
                                     TraceNotes& notes) {
  WindowRows rows(path, notes);
  std::vector<Window> windows;
  while (const auto row = rows.next()) {
    const auto start = number_in(*row, rows.columns().start);
    const auto seconds = number_in(*row, rows.columns().elapsed);
    if (!start || !seconds || !(*seconds >= 0)) {
      notes.note(TraceOddity::kForeignLine, row->line, "a window without start or time");
      continue;
    }
    windows.push_back({*start, *seconds, energy_of(*row, rows.columns()),
                       kind_of(row->fields[rows.columns().window]), row->line});
  }
  if (windows.empty()) throw DataError(fmt::format("{}: no window in it", input_name(path)));
  return {training_of(origin_by_stem(path).job, windows, rows.columns().energies.size(), notes)};
}

}  // namespace

const TraceFormat kZeusMonitor{.name = "zeus-monitor",
                               .title = "ZeusMonitor log",
                               .recognises = recognises_monitor,
                               .read_records = read_training};

const TraceFormat kZeusSweep{.name = "zeus-sweep",
                             .title = "Zeus power-limit sweep",
                             .recognises = recognises_sweep,
                             .read_records = read_sweep};

}  // namespace scalelaw
