#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"

// perun (Helmholtz-AI-Energy). The CSV export of its raw data has one row per sensor and instant,
//   ,run id,hostname,device_group,sensor,unit,magnitude,timestep,value
//   0,0,hkn0402.localdomain,gpu,CUDA:0_POWER,W,0.001,0.0,55123.0
// and its text report has a table of rounds and hosts.

namespace scalelaw::perun {
namespace {

constexpr double kBytesPerMib = 1024 * 1024;

// --- CSV export ---

/// The columns that are read.
enum Column { kRun, kHost, kGroup, kSensor, kUnit, kMagnitude, kTime, kValue, kColumns };
constexpr std::string_view kColumnNames[kColumns] = {
    "run id", "hostname", "device_group", "sensor", "unit", "magnitude", "timestep", "value"};

using Layout = HeaderPlaces<kColumns>;

std::optional<Layout> layout_of(std::string_view header) {
  const Layout layout(header, kColumnNames);
  return is_one_of(kNowhere, layout.place) ? std::nullopt : std::optional(layout);
}

bool recognises_export(std::string_view head) { return layout_of(first_line(head)).has_value(); }

/// The quantity of a GPU's sensor: a field of Sample, in parts of its unit.
struct Measure {
  double Sample::*field;
  double parts;  ///< How many units of Sample one unit of perun is.
};

std::optional<Measure> quantity_of(std::string_view sensor, std::string_view unit) {
  if (sensor.ends_with("_POWER") && unit == "W") return Measure{&Sample::power_w, 1};
  if (sensor.ends_with("_UTIL") && unit == "%") return Measure{&Sample::sm_util_pct, 1};
  if (sensor.ends_with("_MEM") && unit == "B") {
    return Measure{&Sample::mem_used_mib, 1 / kBytesPerMib};
  }
  return std::nullopt;
}

/// "0" for CUDA:0_POWER; "AMD Instinct MI100_1" for AMD Instinct MI100_1_POWER.
std::string device_name(std::string_view sensor) {
  sensor = sensor.substr(0, sensor.rfind('_'));
  const std::size_t colon = sensor.rfind(':');
  return std::string(sensor.substr(colon == std::string_view::npos ? 0 : colon + 1));
}

class ExportReader {
 public:
  ExportReader(ByteStream& in, std::string_view source, const TraceOptions&, SampleSink& sink)
      : stem_(origin_by_stem(std::string(source)).job),
        source_(source),
        lines_(in, source, sink),
        sink_(sink) {}

  void read() {
    const auto header = lines_.next();
    const auto layout = header ? layout_of(*header) : std::nullopt;
    if (!layout) throw ParseError(source_, 1, "expected the header of perun's CSV export");
    layout_ = *layout;
    while (const auto line = lines_.next()) take_line(*line);
    flush();
  }

 private:
  /// The samples of a GPU by time.
  struct Series {
    std::map<std::int64_t, Sample> samples;
    std::vector<Sample> repeated;  ///< Second values for one time; the receiver counts them.
  };

  std::string_view field(Column column) const { return fields_[layout_.place[column]]; }

  void take_line(std::string_view line) {
    if (trimmed(line).empty()) return;
    split_fields(line, fields_);
    if (fields_.size() != layout_.fields) return lines_.note_left_out(line);
    if (field(kSensor) == kColumnNames[kSensor]) {
      return lines_.note(TraceOddity::kRepeatedHeader, "");
    }
    if (field(kGroup) == "gpu") take_gpu_row();
  }

  void take_gpu_row() {
    const auto quantity = quantity_of(field(kSensor), field(kUnit));
    if (!quantity || is_missing(field(kValue))) return;
    for (const Column column : {kTime, kValue, kMagnitude}) {
      if (!parse_number(field(column))) return lines_.note(TraceOddity::kBadCell, field(column));
    }
    const auto time = nanoseconds_of_seconds(field(kTime));
    if (!time) return lines_.note(TraceOddity::kBadCell, field(kTime));
    const double value = *parse_number(field(kValue)) * *parse_number(field(kMagnitude));
    start_run(field(kRun));
    put(device_of(field(kHost), field(kSensor)), *time, quantity->field, value * quantity->parts);
  }

  void start_run(std::string_view run) {
    if (run == run_) return;
    flush();
    run_ = run;
  }

  std::uint32_t device_of(std::string_view host, std::string_view sensor) {
    // Every run starts at 0 s, so each one is a job. The first has the name of the file.
    std::string job = run_ == "0" ? std::string() : fmt::format("{}-{}", stem_, run_);
    return sink_.device(
        {.job = std::move(job), .node = std::string(host), .name = device_name(sensor)});
  }

  void put(std::uint32_t device, std::int64_t time_ns, double Sample::*field, double value) {
    Series& series = series_[device];
    Sample& sample = series.samples[time_ns];
    if (!std::isnan(sample.*field)) {
      Sample& again = series.repeated.emplace_back();
      again.time_ns = time_ns;
      again.device = device;
      again.*field = value;
      return;
    }
    sample.time_ns = time_ns;
    sample.device = device;
    sample.*field = value;
  }

  /// Hands a run on. The file lists sensor after sensor, each with all its instants, so a GPU's
  /// sample is complete only at the end of the run.
  void flush() {
    std::vector<Sample> samples;
    for (const auto& [device, series] : series_) {
      samples.clear();
      for (const auto& [time_ns, sample] : series.samples) samples.push_back(sample);
      samples.insert(samples.end(), series.repeated.begin(), series.repeated.end());
      sink_.add(samples);
    }
    series_.clear();
  }

  std::string stem_;
  std::string_view source_;
  NotedLines lines_;
  SampleSink& sink_;
  Layout layout_;
  std::vector<std::string_view> fields_;  ///< Fields of the row.
  std::string run_ = "0";
  std::map<std::uint32_t, Series> series_;  ///< Series of the run, by device.
};

// --- Text report ---

bool recognises_report(std::string_view head) {
  head = without_mark(head);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return trimmed(head.substr(0, head.find_first_of("\r\n"))) == "PERUN REPORT";
}

/// The table of a run: cells without the bars. The first row names the columns.
struct RunTable {
  std::string app;
  std::string run;
  std::vector<std::vector<std::string>> rows;
};

/// The cells between bars; empty if the line is no row or was cut.
std::vector<std::string> cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 2 || !line.starts_with('|') || !line.ends_with('|')) return {};
  return split(line.substr(1, line.size() - 2), '|');
}

bool is_rule(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of(":-") == std::string::npos;
  });
}

/// Every table of the report but that of monitored functions, which has no column of hosts.
std::vector<RunTable> read_tables(LineReader& lines) {
  std::vector<RunTable> tables;
  std::string app;
  std::string run;
  bool in_table = false;
  while (const auto line = lines.next()) {
    const auto take_label = [&](std::string_view label, std::string& text) {
      if (line->starts_with(label)) text = trimmed(line->substr(label.size()));
    };
    take_label("App name:", app);
    take_label("RUN ID:", run);
    const std::vector<std::string> cells = cells_of(*line);
    if (!cells.empty() && !in_table) tables.push_back({app, run, {}});
    in_table = !cells.empty();
    if (in_table && !is_rule(cells)) tables.back().rows.push_back(cells);
  }
  return tables;
}

/// A value in its unit without a prefix: "28.440 kJ" is 28440 for "J". It is exact, because the
/// prefix only moves the point.
std::optional<double> scaled_value(std::string_view cell, std::string_view unit) {
  struct Prefix {
    std::string_view symbol;
    std::string_view exponent;
  };
  static constexpr Prefix kPrefixes[] = {
      {"", ""},     {"p", "e-12"}, {"n", "e-9"}, {"u", "e-6"}, {"\xC2\xB5", "e-6"},
      {"m", "e-3"}, {"k", "e3"},   {"M", "e6"},  {"G", "e9"},  {"T", "e12"}};
  const std::size_t blank = std::min(cell.find(' '), cell.size());
  std::string_view prefix = trimmed(cell.substr(blank));
  if (!prefix.ends_with(unit)) return std::nullopt;
  prefix.remove_suffix(unit.size());
  for (const Prefix& known : kPrefixes) {
    if (known.symbol != prefix) continue;
    return parse_number(fmt::format("{}{}", cell.substr(0, blank), known.exponent));
  }
  return std::nullopt;
}

/// Empty if the column is missing, as with other hardware.
std::string_view cell_of(const RunTable& table, const std::vector<std::string>& row,
                         std::string_view name) {
  const std::size_t column = place_of(table.rows.front(), name);
  return column < row.size() ? std::string_view(row[column]) : std::string_view();
}

bool is_of_all_hosts(const RunTable& table, const std::vector<std::string>& row) {
  return cell_of(table, row, "Host") == "All";
}

/// The number of hosts in each round. The row for all hosts may precede theirs.
std::map<std::string, int> hosts_by_round(const RunTable& table) {
  std::map<std::string, int> hosts;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    int& count = hosts[std::string(cell_of(table, table.rows[i], "Round #"))];
    if (!is_of_all_hosts(table, table.rows[i])) ++count;
  }
  return hosts;
}

JobRecord record_of(const RunTable& table, const std::vector<std::string>& row, int hosts) {
  const auto value = [&](std::string_view column, std::string_view unit) {
    return scaled_value(cell_of(table, row, column), unit);
  };
  const std::string round(cell_of(table, row, "Round #"));
  std::optional<double> gpu_mem_mib = value("GPU_MEM", "B");
  if (gpu_mem_mib) *gpu_mem_mib /= kBytesPerMib;
  return {fmt::format("{}-{}-{}", table.app, table.run, round),
          {{"app", table.app},
           {"run_id", table.run},
           {"round", round},
           {"hosts", fmt::format("{}", hosts)},
           {"duration_s", exact_text(value("RUNTIME", "s"))},
           {"energy_j", exact_text(value("ENERGY", "J"))},
           {"gpu_power_w", exact_text(value("GPU_POWER", "W"))},
           {"cpu_power_w", exact_text(value("CPU_POWER", "W"))},
           {"dram_power_w", exact_text(value("DRAM_POWER", "W"))},
           {"gpu_mem_mib", exact_text(gpu_mem_mib)}}};
}

void add_rounds(const RunTable& table, std::vector<JobRecord>& records) {
  std::map<std::string, int> hosts = hosts_by_round(table);
  for (const std::vector<std::string>& row : table.rows) {
    if (!is_of_all_hosts(table, row)) continue;
    records.push_back(record_of(table, row, hosts[std::string(cell_of(table, row, "Round #"))]));
  }
}

std::vector<JobRecord> read_records(const std::string& path, const TraceOptions&, TraceNotes&) {
  NoNotes unused;
  NotedFile lines(path, unused);
  std::vector<JobRecord> records;
  for (const RunTable& table : read_tables(lines)) add_rounds(table, records);
  if (records.empty()) {
    throw DataError(
        fmt::format("{}: no round in perun's report (a row of the host 'All')", lines.name()));
  }
  return records;
}

}  // namespace
}  // namespace scalelaw::perun

namespace scalelaw {

const TraceFormat kPerun{.name = "perun",
                         .title = "perun CSV export",
                         .recognises = perun::recognises_export,
                         .read_samples = read_by<perun::ExportReader>};

const TraceFormat kPerunReport{.name = "perun-report",
                               .title = "perun text report",
                               .recognises = perun::recognises_report,
                               .read_records = perun::read_records};

}  // namespace scalelaw
