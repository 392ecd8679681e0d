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
#include "trace/formats.hpp"

// Zeus's measurements of power limits in turn, with one window per limit:
//   start_time,window_name,elapsed_time,gpu0_energy[,gpu1_energy...]
//   529134.314032642,__GlobalPowerLimitOptimizer_250,13.367793557001278,3019.4590000000026

namespace scalelaw {
namespace {

/// The columns of the file.
struct Columns {
  std::size_t count = 0;
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
  columns.window = place_of(names, "window_name");
  columns.elapsed = place_of(names, "elapsed_time");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_gpu_energy(names[i])) columns.energies.push_back(i);
  }
  const bool is_complete = place_of(names, "start_time") < columns.count &&
                           columns.window < columns.count && columns.elapsed < columns.count &&
                           !columns.energies.empty();
  return is_complete ? std::optional(columns) : std::nullopt;
}

bool recognises(std::string_view head) {
  head = without_mark(head);
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.starts_with("start_time,") && columns_of(line).has_value();
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
  if (last == std::string_view::npos || window.find("PowerLimit") == std::string_view::npos) {
    return std::nullopt;
  }
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

JobRecord record_of(const Row& row, const Columns& columns, const std::string& stem,
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

std::vector<JobRecord> read_records(const std::string& path, const TraceOptions&, TraceNotes&) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  LineReader lines(*stream, file.name());
  const std::string header(lines.next().value_or(""));
  const auto columns = columns_of(header);
  if (!columns) throw ParseError(file.name(), 1, "expected the header of a Zeus power-limit sweep");

  const std::string stem = origin_by_stem(path).job;
  JobNames names;
  std::vector<JobRecord> records;
  while (const auto line = lines.next()) {
    if (trimmed(*line).empty() || *line == header) continue;  // Sweeps may be appended.
    const Row row{file.name(), lines.line_number(), trimmed_fields(*line)};
    if (row.fields.size() != columns->count && lines.is_cut()) break;  // Was still being written.
    if (row.fields.size() != columns->count) {
      throw ParseError(row.source, row.line,
                       fmt::format("expected {} fields as in the header, found {}", columns->count,
                                   row.fields.size()));
    }
    records.push_back(record_of(row, *columns, stem, names));
  }
  return records;
}

}  // namespace

const TraceFormat kZeusSweep{.name = "zeus-sweep",
                             .title = "Zeus power-limit sweep",
                             .recognises = recognises,
                             .read_records = read_records};

}  // namespace scalelaw
