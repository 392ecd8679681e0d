#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/units.hpp"
#include "trace/csv_samples.hpp"
#include "trace/formats.hpp"

// nvidia-smi --query-gpu=... --format=csv: comma and blank, units in header and cells, aliases
// spelt out. The rows of several GPUs are a few milliseconds apart.
//
// nvidia-smi -q -d POWER: snapshots of blocks with "Key : Value" lines. The blocks of a GPU, its
// memory and its module have the same keys; only the GPU's block counts. power_w is its average
// draw, as in power.draw of a query, or else the instantaneous one. Older drivers have only "Power
// Draw".

namespace scalelaw {
namespace {

constexpr SampleColumnName kNvidiaSmiNames[] = {
    {"timestamp", SampleColumn::kTime},
    {"index", SampleColumn::kDevice},
    {"gpu_index", SampleColumn::kDevice},
    {"uuid", SampleColumn::kDevice},
    {"gpu_uuid", SampleColumn::kDevice},
    {"pci.bus_id", SampleColumn::kDevice},
    {"gpu_bus_id", SampleColumn::kDevice},
    {"hostname", SampleColumn::kNode},
    {"node", SampleColumn::kNode},
    {"utilization.gpu", SampleColumn::kSmUtil},
    {"utilization.memory", SampleColumn::kMemUtil},
    {"memory.used", SampleColumn::kMemUsed},
    // power.draw is the average if the driver knows one; instant values may exceed the limit.
    {"power.draw", SampleColumn::kPower},
    {"power.draw.average", SampleColumn::kPower},
    {"power.draw.instant", SampleColumn::kPower},
};

/// A driver's sentence may precede the header.
bool recognises_table(std::string_view head) {
  int left = 20;
  return any_line(head, [&](std::string_view line) {
    return left-- > 0 && is_sample_header(line, kNvidiaSmiNames);
  });
}

struct KeyValue {
  std::string_view key;
  std::string_view value;
};

/// The parts of "Power Draw : 20.76 W"; empty if the line is no such pair.
std::optional<KeyValue> parse_key_value(std::string_view line) {
  std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos && line.ends_with(" :")) colon = line.size() - 2;
  if (colon == std::string_view::npos) return std::nullopt;
  return KeyValue{.key = trimmed(line.substr(0, colon)), .value = trimmed(line.substr(colon + 2))};
}

bool is_power_title(std::string_view title) {
  return title == "Power Readings" || title == "GPU Power Readings";
}

/// Whether a line is "======NVSMI LOG======".
bool is_banner(std::string_view line) {
  const std::size_t first = line.find_first_not_of('=');
  const std::size_t last = line.find_last_not_of('=');
  return first != std::string_view::npos && first > 0 && last + 1 < line.size() &&
         line.substr(first, last - first + 1) == "NVSMI LOG";
}

/// The bus id of "GPU 00000000:01:00.0"; empty for other lines.
std::optional<std::string_view> parse_bus_id(std::string_view line) {
  if (!line.starts_with("GPU ")) return std::nullopt;
  const std::string_view id = trimmed(line.substr(4));
  const bool is_id = holds(id, ':') && id.size() <= 32 &&
                     id.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  return is_id ? std::optional(id) : std::nullopt;
}

/// The month of "Jun", from 1, or 0.
int month_of(std::string_view name) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t place = kMonths.find(name);
  const bool is_month = name.size() == 3 && place != std::string_view::npos && place % 3 == 0;
  return is_month ? static_cast<int>(place / 3) + 1 : 0;
}

/// Nanoseconds of "Sat Jun 3 11:59:25 2023", the format of C's asctime. It is taken as UTC, since
/// nvidia-smi writes no zone. The day of the week is ignored.
std::optional<std::int64_t> parse_asctime(std::string_view text) {
  constexpr std::size_t kLength = 24;
  if (text.size() != kLength || text[3] != ' ' || text[7] != ' ' || text[10] != ' ' ||
      text[19] != ' ') {
    return std::nullopt;
  }
  const char first_of_day = text[8] == ' ' ? '0' : text[8];
  return parse_date_time(fmt::format("{}/{:02}/{}{} {}", text.substr(20),
                                     month_of(text.substr(4, 3)), first_of_day, text[9],
                                     text.substr(11, 8)));
}

bool recognises_snapshots(std::string_view head) {
  bool in_power = false;
  return any_line(head, [&](std::string_view line) {
    const auto pair = parse_key_value(line);
    if (is_banner(line) || (in_power && pair && pair->key.starts_with("Power"))) return true;
    if (in_power && pair && pair->key.ends_with(" Power Draw")) return true;
    in_power = is_power_title(trimmed(line));
    return false;
  });
}

/// The draws of a block; NaN if missing or not measured.
struct PowerReadings {
  bool has_draw = false;  ///< Whether a draw is present, measured or not.
  double average = Sample::kNone;
  double instantaneous = Sample::kNone;
  double unnamed = Sample::kNone;
  double limit = Sample::kNone;

  /// The place for the value of a key, a draw or the limit; nullptr if there is none.
  double* draw_named(std::string_view key) {
    if (key == "Average Power Draw") return &average;
    if (key == "Instantaneous Power Draw") return &instantaneous;
    if (key == "Power Draw") return &unnamed;
    if (key == "Power Limit" || key == "Current Power Limit") return &limit;
    return nullptr;
  }

  double power_w() const {
    if (!std::isnan(average)) return average;
    return std::isnan(instantaneous) ? unnamed : instantaneous;
  }
};

class QueryReader : LineSamples {
 public:
  using LineSamples::LineSamples;

  void read() {
    while (const auto line = lines_.next()) take_line(*line);
    end_block();
    batch_.flush();
    if (has_readings_) return;
    refuse_file(
        "no power draw of a GPU; it stands in a block \"Power Readings\" or \"GPU Power "
        "Readings\"");
  }

 private:
  void take_line(std::string_view line) {
    if (const auto pair = parse_key_value(line)) return take_pair(*pair, line);
    const std::string_view title = trimmed(line);
    if (title.empty()) return;
    end_block();
    if (is_banner(title)) return;
    if (const auto bus_id = parse_bus_id(title)) {
      gpu_ = *bus_id;
    } else if (is_power_title(title)) {
      readings_.emplace();
    } else if (lines_.is_cut()) {
      note(TraceOddity::kCutLine, line);
    } else if (!line.starts_with(' ') && !line.starts_with('\t')) {
      note(TraceOddity::kForeignLine, line);  // Titles are indented; a driver's sentence is not.
    }
  }

  void take_pair(const KeyValue& pair, std::string_view line) {
    if (pair.key == "Timestamp") return take_timestamp(pair.value, line);
    double* const draw = readings_ ? readings_->draw_named(pair.key) : nullptr;
    if (draw == nullptr) return;
    const auto quantity = parse_measure(pair.value);
    const bool is_power = quantity && quantity->unit == "W";
    if (draw == &readings_->limit) {
      if (is_power) *draw = quantity->value;
      return;
    }
    const bool is_whole = is_power || (is_missing(pair.value) && !pair.value.empty());
    if (!is_whole && lines_.is_cut()) return note(TraceOddity::kCutLine, line);
    if (!is_whole) note(TraceOddity::kBadCell, line);
    if (is_power) *draw = quantity->value;
    readings_->has_draw = true;
  }

  void take_timestamp(std::string_view text, std::string_view line) {
    end_block();
    if (!is_stamped_ && !batch_.waiting().empty()) {
      // The beginning of the file is lost. Ticks beside dates would mix two clocks.
      note(TraceOddity::kForeignLine, "power readings before the first time stamp");
      batch_.waiting().clear();
    }
    is_stamped_ = true;
    stamp_ = parse_asctime(text);
    if (!stamp_) note(lines_.is_cut() ? TraceOddity::kCutLine : TraceOddity::kBadCell, line);
  }

  /// Hands on the draw of the GPU's block, if one ends here.
  void end_block() {
    const auto block = std::exchange(readings_, std::nullopt);
    if (!block || !block->has_draw) return;
    has_readings_ = true;
    if (is_stamped_ && !stamp_) return;  // The time of the snapshot is unknown.
    Sample sample;
    sample.device = sink_.device({.name = gpu_});
    sample.time_ns = stamp_ ? *stamp_ : ticks_.time_of(sample.device, options_.period_s);
    sample.power_w = block->power_w();
    if (sample.power_w > 1.5 * block->limit) {
      note(TraceOddity::kAboveLimit,
           fmt::format("{:g} W, the limit is {:g} W", sample.power_w, block->limit));
    }
    batch_.add(sample);
  }

  void note(TraceOddity oddity, std::string_view text) { LineSamples::note(oddity, trimmed(text)); }

  std::string gpu_ = "0";                  ///< The GPU of the current lines.
  std::optional<PowerReadings> readings_;  ///< Readings of the GPU's block, inside it.
  bool has_readings_ = false;              ///< Whether there was such a block with a draw.
  bool is_stamped_ = false;                ///< Whether there was a time stamp.
  std::optional<std::int64_t> stamp_;      ///< Time stamp of the snapshot.
};

/// What the screen of nvidia-smi and home-made tables of GPUs lack.
std::string table_lacks(std::string_view head) {
  if (holds(head, "| NVIDIA-SMI ")) {
    return "this is the table that nvidia-smi draws on a screen, without times of its own; log "
           "with nvidia-smi --query-gpu=timestamp,index,power.draw,utilization.gpu --format=csv "
           "-l 1";
  }
  const std::vector<std::string_view> names = trimmed_fields(first_line(head));
  const auto is_gpu = [](std::string_view name) {
    if (!name.starts_with("GPU") && !name.starts_with("gpu")) return false;
    name.remove_prefix(3);
    if (name.starts_with('_') || name.starts_with(' ')) name.remove_prefix(1);
    return is_digits(name);
  };
  if (names.size() > 1 && std::all_of(names.begin() + 1, names.end(), is_gpu)) {
    return "it has a column per GPU, which does not say what was measured; write a row "
           "per GPU and time under the header timestamp, index, power.draw [W]";
  }
  return "";
}

}  // namespace

const TraceFormat kNvidiaSmi{.name = "nvidia-smi",
                             .title = "nvidia-smi --query-gpu",
                             .recognises = recognises_table,
                             .read_samples = read_csv_samples<kNvidiaSmiNames>,
                             .has_columns = true,
                             .missing = table_lacks};

const TraceFormat kNvidiaSmiQuery{.name = "nvidia-smi-q",
                                  .title = "nvidia-smi -q -d POWER",
                                  .recognises = recognises_snapshots,
                                  .read_samples = read_by<QueryReader>};

}  // namespace scalelaw
