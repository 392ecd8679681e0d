#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/csv.hpp"
#include "trace/formats.hpp"
#include "trace/gpu_series.hpp"

// Grafana's CSV of a panel (Inspect, Data, Download CSV), series joined by time: a column of times
// and one per series, whose name is its legend or the metric with its labels,
//   "Time","{__name__=""DCGM_FI_DEV_POWER_USAGE"", gpu=""0"", Hostname=""node-1""}"
//   2024-03-05 15:53:24,113 W
// or, before Grafana 7 ("series as rows"; public/app/core/utils/file_export.ts of 4 to 6), a row
// per value,
//   "Series";"Time";"Value"
// What is measured follows from the metric, or else from the unit of the cells, or else from the
// name of the panel, which is that of the file.

namespace scalelaw {
namespace {

/// The fields of a row, unquoted. Empty if a quote is broken.
std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> raw;
  tokenize(line, separator, raw);
  std::vector<std::string> fields;
  std::string scratch;
  for (const std::string_view field : raw) {
    if (field_defect(field)) return {};
    fields.emplace_back(trimmed(field_text(field, scratch)));
  }
  return fields;
}

char separator_of(std::string_view header) {
  const bool is_semicolon =
      holds(header, "\";\"") || header.starts_with("Time;") || header.starts_with("Series;");
  return is_semicolon ? ';' : ',';
}

/// Whether a table has a row per value.
bool is_header_of_rows(const std::vector<std::string>& names) {
  return names == std::vector<std::string>{"Series", "Time", "Value"};
}

/// "sep=," that Grafana writes for Excel.
bool is_excel_line(std::string_view line) { return line.starts_with("sep="); }

/// "GPU 0", "gpu-3", "node-1 GPU 0": the number behind the word; kNowhere if there is none.
std::size_t gpu_number_at(std::string_view legend) {
  const std::string text = lower_case(legend);
  for (std::size_t at = text.find("gpu"); at != std::string::npos; at = text.find("gpu", at + 1)) {
    const std::size_t digits = text.find_first_not_of(" -_:#", at + 3);
    if (digits != std::string::npos && text[digits] >= '0' && text[digits] <= '9') return digits;
  }
  return kNowhere;
}

/// The series of a column by its name.
struct Legend {
  std::optional<std::size_t> metric;
  std::optional<Device> device;
};

/// The metric that stands for a quantity.
std::optional<std::size_t> metric_of(double Sample::*quantity) {
  for (std::size_t i = 0; i < gpu_metrics().size(); ++i) {
    if (gpu_metrics()[i].quantity == quantity) return i;
  }
  return std::nullopt;
}

/// The quantity that the name of a panel or a legend tells.
std::optional<std::size_t> metric_by_words(std::string_view text) {
  const std::string name = lower_case(text);
  const auto has = [&](const char* word) { return holds(name, word); };
  if (has("energy")) return metric_of(&Sample::energy_j);
  if (has("power")) return metric_of(&Sample::power_w);
  if (has("memory copy") || has("mem_copy") || has("memory util") || has("dram")) {
    return metric_of(&Sample::mem_util_pct);
  }
  if (has("framebuffer") || has("fb_used") || has("memory used") || has("mem used")) {
    return metric_of(&Sample::mem_used_mib);
  }
  if (has("util")) return metric_of(&Sample::sm_util_pct);
  return std::nullopt;
}

/// Whether a legend names a quantity that is not read, so that the panel's name is not its own.
bool names_other_quantity(std::string_view legend) {
  static constexpr std::string_view kOthers[] = {
      "temp", "fan", "clock", "freq", "pcie", "nvlink", "volt", "ecc", "xid", "throttl", "limit"};
  return holds_any(lower_case(legend), kOthers);
}

/// Whether a word of a legend is one of what is measured, and so none of where.
bool is_word_of_quantity(std::string_view word) {
  static constexpr std::string_view kWords[] = {"usage", "used", "draw", "consumption", "memory",
                                                "mem",   "copy", "fb",   "average",     "avg",
                                                "mean",  "max",  "total"};
  const std::string name = lower_case(word);
  return metric_by_words(name) || names_other_quantity(name) || is_one_of(name, kWords);
}

/// What a legend says before the word GPU without words of quantities, such as a host: it tells
/// equal numbers apart.
std::string place_in(std::string_view before) {
  std::string place;
  for (const std::string& word : split(std::string(before), ' ')) {
    if (is_word_of_quantity(word)) continue;
    for (const char c : word) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-') place += c;
    }
  }
  while (place.ends_with('-')) place.pop_back();
  return place;
}

Legend legend_of(const std::string& name) {
  Legend legend;
  std::size_t end = 0;
  if (const auto labels = series_labels(name, end); labels && holds(name, '{')) {
    const auto metric = labels->find("__name__");
    if (metric != labels->end()) legend.metric = gpu_metric(metric->second);
    legend.device = device_of(*labels, legend.metric ? gpu_metrics()[*legend.metric] : GpuMetric{});
    return legend;
  }
  legend.metric = gpu_metric(name);
  const std::size_t digits = gpu_number_at(name);
  if (digits == kNowhere) return legend;
  const std::size_t last = name.find_first_not_of("0123456789", digits);
  const std::string before = name.substr(0, lower_case(name).find("gpu"));
  Device device{.job = {}, .node = {}, .name = name.substr(digits, last - digits)};
  device.node = place_in(before);
  legend.device = device;
  return legend;
}

bool is_share(const GpuMetric& metric) {
  return metric.quantity == &Sample::sm_util_pct || metric.quantity == &Sample::mem_util_pct;
}

std::optional<std::int64_t> instant_of(std::string_view text) {
  if (text.size() > 19 && text[10] == 'T' && text.ends_with('Z')) text.remove_suffix(1);
  if (const auto date = parse_date_time(text)) return date;
  return series_instant(text);
}

class PanelReader {
 public:
  PanelReader(ByteStream& in, std::string_view source, const TraceOptions&, SampleSink& sink)
      : lines_(in, source, sink), source_(source), joiner_(sink) {}

  void read() {
    auto line = lines_.next();
    if (line && is_excel_line(*line)) line = lines_.next();
    if (!line) throw DataError(fmt::format("{}: the file is empty", source_));
    take_header(*line);
    while (const auto row = lines_.next()) take_row(*row);
    if (joiner_.is_empty() && !first_bad_time_.empty()) {
      throw DataError(
          fmt::format("{}: no row has a time that can be read: expected 2024-03-05 15:53:24 or "
                      "Unix time, found "
                      "{}",
                      source_, scalelaw::quoted(first_bad_time_)));
    }
    if (joiner_.is_empty() && !first_bad_cell_.empty()) {
      throw DataError(
          fmt::format("{}: no cell of a GPU can be read: expected a number such as 300.5 or 300.5 "
                      "W, found {}",
                      source_, scalelaw::quoted(first_bad_cell_)));
    }
    if (joiner_.is_empty()) {
      throw DataError(
          fmt::format("{}: no series of a GPU in it: the columns are {}", source_, joined(names_)));
    }
    joiner_.finish();
  }

 private:
  void take_header(std::string_view line) {
    separator_ = separator_of(line);
    const std::vector<std::string> names = fields_of(line, separator_);
    as_rows_ = is_header_of_rows(names);
    for (const std::string& name : names) {
      if (names_.empty() || !as_rows_) add_series(name);
    }
  }

  void add_series(const std::string& name) {
    names_.push_back(name);
    legends_.push_back(legend_of(name));
    if (names_.size() == 1) return;  // The column of times.
    if (!is_read(legends_.back(), names_.size() - 1)) {
      lines_.note(TraceOddity::kOtherSeries, name);
    }
    tells_quantity_ = tells_quantity_ || legends_.back().metric || metric_by_words(name) ||
                      names_other_quantity(name);
  }

  /// The series of a row, which may be new.
  std::size_t series_named(const std::string& name) {
    const auto [known, is_new] = series_.try_emplace(name, names_.size());
    if (is_new) add_series(name);
    return known->second;
  }

  void take_row(std::string_view line) {
    if (trimmed(line).empty()) return;
    const std::vector<std::string> cells = fields_of(line, separator_);
    // A row or header with a broken quote has no fields.
    const bool is_row = !cells.empty() && cells.size() == (as_rows_ ? 3 : names_.size());
    const std::size_t time_place = as_rows_ ? 1 : 0;
    const auto time = is_row ? instant_of(cells[time_place]) : std::nullopt;
    if (is_row && !time && !has_rows_ && first_bad_time_.empty()) {
      first_bad_time_ = cells[time_place];
    }
    if (!time || (lines_.is_cut() && cells.back().empty())) {
      return lines_.note_left_out(line);
    }
    if (as_rows_) {
      const std::size_t series = series_named(cells[0]);
      take_cell(legends_[series], series, *time, cells[2]);
    } else {
      for (std::size_t i = 1; i < cells.size(); ++i) take_cell(legends_[i], i, *time, cells[i]);
    }
    has_rows_ = true;
  }

  /// Whether a series is of a GPU, and not of a quantity such as a temperature.
  bool is_read(const Legend& legend, std::size_t column) const {
    return legend.device && (legend.metric || !names_other_quantity(names_[column]));
  }

  void take_cell(Legend& legend, std::size_t column, std::int64_t time, const std::string& cell) {
    if (!is_read(legend, column)) return;
    if (is_missing(cell) || cell == "undefined") return;
    const auto quantity = parse_measure(cell);
    if (!quantity) return note_bad_cell(cell);
    const UnitFactor* const unit = unit_factor(quantity->unit);
    if (!legend.metric) legend.metric = metric_of_column(column, unit);
    const GpuMetric& metric = gpu_metrics()[*legend.metric];
    double value = quantity->value;
    if (unit != nullptr && unit->quantity == metric.quantity) {
      // Readings are in the metric's own unit.
      value *= unit->factor / metric.factor;
    } else if (!quantity->unit.empty() && !(quantity->unit == "%" && is_share(metric))) {
      return note_bad_cell(cell);
    }
    joiner_.add(*legend.device, *legend.metric, time, value);
  }

  void note_bad_cell(const std::string& cell) {
    if (first_bad_cell_.empty()) first_bad_cell_ = cell;
    lines_.note(TraceOddity::kBadCell, cell);
  }

  std::size_t metric_of_column(std::size_t column, const UnitFactor* unit) const {
    auto metric = unit == nullptr ? std::nullopt : metric_of(unit->quantity);
    if (!metric) metric = metric_by_words(names_[column]);
    if (!metric && !tells_quantity_)
      metric = metric_by_words(source_.substr(source_.rfind('/') + 1));
    if (metric) return *metric;
    throw DataError(fmt::format(
        "{}: nothing tells what column {} measures: name the file after its panel (\"GPU Power "
        "Usage-data-....csv\"), or export cells with units",
        source_, scalelaw::quoted(names_[column])));
  }

  NotedLines lines_;
  std::string_view source_;
  SeriesJoiner joiner_;
  char separator_ = ',';
  bool as_rows_ = false;            ///< A row tells one value, of the series that it names.
  std::vector<std::string> names_;  ///< Of the column of times and the series.
  std::unordered_map<std::string, std::size_t> series_;  ///< Where rows name them: their places.
  std::vector<Legend> legends_;
  bool tells_quantity_ = false;  ///< A legend does, so that the name of the panel is not for all.
  bool has_rows_ = false;
  std::string first_bad_time_;  ///< Before any row with a time.
  std::string first_bad_cell_;
};

bool recognises_grafana(std::string_view head) {
  head = without_mark(head);
  if (is_excel_line(head)) head.remove_prefix(std::min(head.find('\n'), head.size() - 1) + 1);
  const std::string_view line = first_line(head);
  const std::vector<std::string> names = fields_of(line, separator_of(line));
  if (is_header_of_rows(names)) {
    return any_line(head, [&](std::string_view row) {
      const std::vector<std::string> cells = fields_of(row, separator_of(line));
      return cells.size() == 3 && instant_of(cells[1]) && legend_of(cells[0]).device;
    });
  }
  if (names.size() < 2 || lower_case(names.front()) != "time") return false;
  return std::any_of(names.begin() + 1, names.end(),
                     [](const std::string& name) { return legend_of(name).device.has_value(); });
}

}  // namespace

const TraceFormat kGrafana{.name = "grafana",
                           .title = "Grafana CSV export",
                           .recognises = recognises_grafana,
                           .origin = origin_of_series,
                           .read_samples = read_by<PanelReader>,
                           .joins_folder = true};

}  // namespace scalelaw
