#include "trace/csv_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "base/decimal.hpp"
#include "base/decimals.hpp"
#include "base/per_thread.hpp"
#include "input/file_parts.hpp"
#include "input/separators.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "trace/csv_sample_layout.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

using enum SampleColumn;

constexpr std::size_t kPiece = 32 << 10;       // Bytes whose separators are indexed at a time.
constexpr std::size_t kLongestRow = 64 << 10;  // A longer line is no sample.
constexpr std::size_t kWorthAnIndex = 1024;    // Bytes before a header after which to index again.
constexpr std::size_t kBatch = 512;
constexpr std::size_t kRowsAtOnce = 64;  // Whose values are read column by column.

/// The columns that hold values, in the order of SampleColumn.
constexpr std::array kValueColumns = {kSmUtil, kMemUtil, kMemUsed, kPower, kEnergy};

/// "[N/A]", "[Unknown Error]", "ERR!" and the usual spellings of a missing value.
bool is_not_measured(std::string_view cell) {
  return cell.starts_with('[') || cell == "ERR!" || is_missing(cell);
}

class CsvSampleReader {
 public:
  CsvSampleReader(std::string_view source, std::span<const SampleColumnName> names,
                  const TraceOptions& options, SampleSink& sink)
      : source_(source), names_(names), options_(options), sink_(sink) {
    digit_devices_.fill(kUnknown);
    if (!options.columns.empty()) {
      const std::vector<std::string_view> cells(options.columns.begin(), options.columns.end());
      set_layout(cells, "--columns");
    }
  }

  void read(ByteStream& in) {
    read_blocks(in);
    flush();
    if (layout_.columns > 0) return;
    throw DataError(lines_ == 0 ? fmt::format("{}: the file is empty", source_)
                                : fmt::format("{}: no header of GPU samples; --columns names the "
                                              "columns of a file without one; line 1 is {}",
                                              source_, scalelaw::quoted(first_line_)));
  }

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  static constexpr std::uint32_t kBeforeText = ~std::uint32_t{0};  // One more is the first byte.

  /// Takes the stream in blocks of whole lines; its last line may lack its line feed.
  void read_blocks(ByteStream& in) {
    thread_local PerThread<BlockBuffer> kept;  // Shared by all files that this thread reads.
    BlockBuffer& buffer = *kept;
    const char* rest = buffer.read_target();  // The line that the last block cut.
    const char* end = rest;
    for (bool ended = false; !ended;) {
      const char* const begin = buffer.carry(rest, end);
      const std::size_t got = in.read(buffer.read_target(), buffer.read_bytes());
      end = buffer.read_target() + got;
      ended = got == 0;
      const char* const line_feed = last_line_feed(buffer.read_target(), end);
      rest = ended ? end : line_feed == nullptr ? begin : line_feed + 1;
      if (end - rest > static_cast<std::ptrdiff_t>(LineReader::kLongestLine)) {
        throw DataError(fmt::format("{}: a line is longer than 64 MiB", source_));
      }
      take_block({begin, static_cast<std::size_t>(rest - begin)});
    }
  }

  void set_layout(std::span<const std::string_view> cells, std::string_view where) {
    ++layouts_;
    layout_ = sample_layout_of(cells, names_, options_.job_column);
    if (!layout_.measures()) {
      throw DataError(
          fmt::format("{}: {} names neither a utilisation nor a power", source_, where));
    }
    if (!options_.job_column.empty() && layout_.job == kNowhere) refuse_job_column(cells);
    take_units(layout_, cells, fmt::format("{}: {}", source_, where));
    digit_devices_.fill(kUnknown);
    plain_ = layout_.has(kTime) && layout_.job == kNowhere && !layout_.has(kNode) &&
             !layout_.has_units();
    checks_limit_ = layout_.has(kPower) && (layout_.limit != kNowhere || layout_.name != kNowhere);
    limit_text_.clear();
    limit_w_ = Sample::kNone;
    for (auto& values : values_) values.fill(Sample::kNone);  // Also of columns that are not there.
  }

  /// Notes a power far above what the GPU may draw, by the limit of its row or its product's name.
  /// Averages stay below the limit, and single readings exceed it by little.
  void check_limit(std::string_view text, double power_w) {
    constexpr double kFar = 1.5;
    if (text != limit_text_) {
      limit_text_ = text;
      const auto limit = parse_measure(trimmed(text));
      const bool is_power =
          limit && (limit->unit.empty() || limit->unit == "W") && limit->value > 0;
      if (layout_.limit == kNowhere) {
        limit_w_ = greatest_power(trimmed(text));
      } else {
        limit_w_ = is_power ? limit->value : Sample::kNone;
      }
    }
    if (power_w > kFar * limit_w_) {
      sink_.note(TraceOddity::kAboveLimit, lines_,
                 fmt::format("{:g} W, the limit is {:g} W", power_w, limit_w_));
    }
  }

  [[noreturn]] void refuse_job_column(std::span<const std::string_view> cells) const {
    const std::vector<std::string> names(cells.begin(), cells.end());
    const auto near = nearest(options_.job_column, names);
    throw DataError(fmt::format("{}: there is no column '{}' for --job-column{}; columns are: {}",
                                source_, options_.job_column,
                                near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                                joined(names)));
  }

  void take_block(std::string_view block) {
    if (lines_ == 0 && block.starts_with("\xEF\xBB\xBF")) block.remove_prefix(3);
    while (!block.empty()) {
      const std::string_view lines = first_piece(block);
      take_piece(lines);
      block.remove_prefix(lines.size());
    }
  }

  static std::string_view first_line(std::string_view block) {
    const std::size_t end = block.find('\n');
    return block.substr(0, end == std::string_view::npos ? end : end + 1);
  }

  /// One line until there is a header; then whole lines of about kPiece bytes, or one longer line.
  std::string_view first_piece(std::string_view block) const {
    if (layout_.columns == 0) return first_line(block);
    if (block.size() <= kPiece) return block;
    std::size_t end = block.rfind('\n', kPiece - 1);
    if (end == std::string_view::npos) end = block.find('\n', kPiece);
    return block.substr(0, end == std::string_view::npos ? block.size() : end + 1);
  }

  void take_piece(std::string_view lines) {
    if (lines.empty()) return;
    if (lines.size() <= kLongestRow && layout_.columns > 0 && lines.back() == '\n') {
      // The place before the first separator holds an end, too: that of a row before the first.
      struct Separators {
        std::vector<std::uint32_t> places =
            std::vector<std::uint32_t>(1 + kLongestRow + 64, kBeforeText);
      };
      thread_local PerThread<Separators> kept;
      std::uint32_t* const ends = (*kept).places.data() + 1;
      const SeparatorIndex index = index_separators(lines.data(), lines.size(), ',', ends);
      // Every line then has as many fields as the header, if each last field ends in a line feed.
      if (!index.quotes && index.count == index.line_feeds * layout_.columns &&
          rows_are_whole(lines, index.line_feeds, ends)) {
        return take_rows(lines, index.line_feeds, ends);
      }
    }
    take_lines(lines);
  }

  void take_lines(std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      take_line(lines.substr(0, end), end == std::string_view::npos);
      lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
  }

  /// Whether every line has as many fields as the header, so that each line feed ends a row. A
  /// count is not enough: two halves of a torn line and one double line would have the right count.
  bool rows_are_whole(std::string_view lines, std::size_t rows, const std::uint32_t* ends) const {
    bool whole = true;
    for (std::size_t row = 0; row < rows; ++row, ends += layout_.columns) {
      whole &= lines[ends[layout_.columns - 1]] == '\n';
    }
    return whole;
  }

  /// Takes rows whose fields are indexed. Rows that are not plain take the careful path.
  void take_rows(std::string_view lines, std::size_t rows, const std::uint32_t* ends) {
    const std::size_t columns = layout_.columns;
    const std::uint64_t layouts = layouts_;
    const char* const text = lines.data();
    const std::uint32_t* last = nullptr;  // The last plain row.
    const auto keep_last_cell = [&] {
      if (last != nullptr) last_cell_ = trimmed(cell(text, last, columns - 1).text());
      last = nullptr;
    };
    bool have_values = false;
    for (std::size_t row = 0; row < rows; ++row, ends += columns) {
      const std::size_t place = row % kRowsAtOnce;
      if (place == 0 && plain_) {
        have_values = read_values(text, ends, std::min(rows - row, kRowsAtOnce));
      }
      if (plain_ && (have_values || has_values(place)) && take_plain_row(text, ends, place))
          [[likely]] {
        ++lines_;
        last = ends;
        continue;
      }
      keep_last_cell();
      const std::uint32_t begin = ends[-1] + 1;
      const std::uint32_t end = ends[columns - 1];
      take_line(lines.substr(begin, end - begin), false);
      // After another header, the index may not describe rows, and the values are others.
      if (layouts_ != layouts) {
        const std::string_view rest = lines.substr(end + 1);
        return end < kWorthAnIndex ? take_lines(rest) : take_piece(rest);
      }
    }
    keep_last_cell();
  }

  /// A cell of an indexed row, without the carriage return of a line's end. ends[k] is the end of
  /// field k, and ends[-1] that of the row before.
  struct Cell {
    const char* begin;
    const char* end;
    std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  };
  Cell cell(const char* text, const std::uint32_t* ends, std::size_t k) const {
    const std::uint32_t* const end = ends + k;
    Cell found{text + static_cast<std::uint32_t>(end[-1] + 1), text + end[0]};
    const bool is_last = k + 1 == layout_.columns;
    if (is_last && found.begin < found.end && found.end[-1] == '\r') --found.end;
    return found;
  }

  /// Reads the values of `count` rows, up to kRowsAtOnce. Those that are no numbers in the column's
  /// own unit become NaN.
  /// @return Whether all are numbers.
  bool read_values(const char* text, const std::uint32_t* ends, std::size_t count) {
    bool all = true;
    for (std::size_t i = 0; i < kValueColumns.size(); ++i) {
      if (!layout_.has(kValueColumns[i])) continue;
      const std::size_t place = layout_.at(kValueColumns[i]);
      double* const values = values_[i].data();
      if (plain_decimals({text, ends + place, layout_.columns}, count, values)) continue;
      for (std::size_t row = 0; row < count; ++row) {
        if (!std::isnan(values[row])) continue;
        values[row] =
            united_value(cell(text, ends + row * layout_.columns, place), kValueColumns[i]);
        all &= !std::isnan(values[row]);
      }
    }
    return all;
  }

  /// Whether one of the rows that were read has all values.
  bool has_values(std::size_t row) const {
    for (std::size_t i = 0; i < kValueColumns.size(); ++i) {
      if (layout_.has(kValueColumns[i]) && std::isnan(values_[i][row])) return false;
    }
    return true;
  }

  /// Takes a row whose values are read directly into the next place of the batch, without a copy.
  bool take_plain_row(const char* text, const std::uint32_t* ends, std::size_t row) {
    Sample& sample = batch_[batched_];
    if (!plain_time(cell(text, ends, layout_.at(kTime)), sample.time_ns)) return false;
    if (!plain_device(text, ends, sample.device)) return false;
    sample.sm_util_pct = values_[0][row];
    sample.mem_util_pct = values_[1][row];
    sample.mem_used_mib = values_[2][row];
    sample.power_w = values_[3][row];
    sample.energy_j = values_[4][row];
    if (checks_limit_) {
      const std::size_t place = layout_.limit == kNowhere ? layout_.name : layout_.limit;
      ++lines_;  // As the row is counted when it is taken.
      check_limit(cell(text, ends, place).text(), sample.power_w);
      --lines_;
    }
    take_next_place();
    return true;
  }

  /// The value of a cell as nvidia-smi writes it, " 208.36 W": a blank before, and the column's own
  /// unit after. NaN for any other cell.
  static double united_value(const Cell& cell, SampleColumn column) {
    const char* begin = cell.begin;
    while (begin < cell.end && *begin == ' ') ++begin;
    const char* end = begin;
    while (end < cell.end && *end != ' ') ++end;
    const double value = plain_decimal(begin, end);
    if (std::isnan(value)) return value;
    const std::string_view unit = trimmed({end, static_cast<std::size_t>(cell.end - end)});
    return unit.empty() || factor_of(unit, column) == 1.0 ? value : Sample::kNone;
  }

  bool plain_time(const Cell& cell, std::int64_t& out) {
    const auto length = static_cast<std::size_t>(cell.end - cell.begin);
    if (length < 8 || length > 16) return false;
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // May overlap the first ones.
    std::memcpy(&first, cell.begin, 8);
    std::memcpy(&last, cell.end - 8, 8);
    // The GPUs of a node have the same time stamp.
    const bool same = first == time_first_ && last == time_last_ && length == time_length_;
    if (!same) {
      const double seconds = plain_decimal(cell.begin, cell.end);
      // Nine digits before the point leave at most six after it, so microseconds are exact.
      if (!(seconds >= 1e8 && seconds < 4e9)) return false;
      time_ns_ = static_cast<std::int64_t>(seconds * 1e6 + 0.5) * 1000;
      time_first_ = first;
      time_last_ = last;
      time_length_ = length;
    }
    out = time_ns_;
    return true;
  }

  bool plain_device(const char* text, const std::uint32_t* ends, std::uint32_t& out) {
    if (!layout_.has(kDevice)) {
      out = device_named("0");
      return true;
    }
    const Cell found = cell(text, ends, layout_.at(kDevice));
    if (found.end - found.begin != 1) {
      const std::string_view name = trimmed(found.text());
      if (name.empty() || is_not_measured(name)) return false;
      out = device_named(name);
      return true;
    }
    const auto digit = static_cast<unsigned>(static_cast<unsigned char>(*found.begin)) - '0';
    if (digit > 9) return false;
    if (digit_devices_[digit] == kUnknown) digit_devices_[digit] = device_named(found.text());
    out = digit_devices_[digit];
    return true;
  }

  std::uint32_t device_named(std::string_view name) {
    if (name == last_name_) return last_device_;
    last_device_ = sink_.device({.name = std::string(name)});
    last_name_ = name;
    return last_device_;
  }

  /// Takes any line, with care.
  void take_line(std::string_view line, bool cut) {
    ++lines_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line).empty()) return;
    if (line.size() > kLongestRow) return note_foreign(line);
    const std::vector<std::string_view> fields = unquoted_fields(line);
    if (layout_.columns == 0) return look_for_header(line, fields);
    if (cut && is_cut_row(fields)) {
      return sink_.note(TraceOddity::kCutLine, lines_, line.substr(0, 80));
    }
    const std::size_t extra = fields.size() - layout_.columns;
    const bool comma_in_name = fields.size() > layout_.columns && layout_.name != kNowhere;
    const bool has_other_length = fields.size() != layout_.columns && !comma_in_name;
    if ((has_other_length || !has_time(fields)) && is_header(fields)) return repeat_header(fields);
    if (has_other_length) return note_foreign(line);
    last_cell_ = fields.back();
    take_fields(fields, comma_in_name ? extra : 0);
  }

  /// Whether the last line lacks its end, and with it some cells or a part of a cell that is used.
  bool is_cut_row(std::span<const std::string_view> fields) const {
    const bool taken = is_one_of(layout_.columns - 1, layout_.place);
    return fields.size() < layout_.columns ||
           (taken && !last_cell_.empty() && !looks_whole(fields.back(), last_cell_));
  }

  void look_for_header(std::string_view line, std::span<const std::string_view> fields) {
    if (is_header(fields)) return set_layout(fields, fmt::format("line {}", lines_));
    if (first_line_.empty()) first_line_ = line.substr(0, 200);
    note_foreign(line);
  }

  bool is_header(std::span<const std::string_view> fields) const {
    return sample_layout_of(fields, names_, {}).measures();
  }

  /// A line with a time is a row, even if one of its cells reads like the name of a column.
  bool has_time(std::span<const std::string_view> fields) const {
    return layout_.has(kTime) && time_of(fields[layout_.at(kTime)]);
  }

  void repeat_header(std::span<const std::string_view> fields) {
    sink_.note(TraceOddity::kRepeatedHeader, lines_, "");
    set_layout(fields, fmt::format("line {}", lines_));
  }

  void note_foreign(std::string_view line) {
    sink_.note(TraceOddity::kForeignLine, lines_, line.substr(0, 80));
  }

  /// Takes a row by its trimmed fields. Fields after a name with commas are `extra` places further.
  void take_fields(std::span<const std::string_view> fields, std::size_t extra) {
    const auto field = [&](std::size_t place) {
      return fields[place + (place > layout_.name && layout_.name != kNowhere ? extra : 0)];
    };
    const auto text_of = [&](SampleColumn column) {
      return layout_.has(column) ? field(layout_.at(column)) : std::string_view();
    };
    Sample sample;
    const bool timed = layout_.has(kTime);
    if (timed) {
      const std::string_view text = text_of(kTime);
      const auto time = time_of(text);
      if (!time) {
        return sink_.note(TraceOddity::kForeignLine, lines_,
                          fmt::format("expected a time, found \"{}\"", text.substr(0, 60)));
      }
      sample.time_ns = *time;
    }
    const std::string_view name = text_of(kDevice);
    if (layout_.has(kDevice) && is_not_measured(name)) {
      return sink_.note(TraceOddity::kForeignLine, lines_, "no GPU is named");
    }
    sample.device = sink_.device(
        {.job = std::string(layout_.job == kNowhere ? std::string_view() : field(layout_.job)),
         .node = std::string(text_of(kNode)),
         .name = std::string(name.empty() ? "0" : name)});
    if (!timed) sample.time_ns = ticks_.time_of(sample.device, options_.period_s);
    const auto value = [&](SampleColumn column) {
      return layout_.has(column) ? careful_value(text_of(column), column) : Sample::kNone;
    };
    sample.sm_util_pct = value(kSmUtil);
    sample.mem_util_pct = value(kMemUtil);
    sample.mem_used_mib = value(kMemUsed);
    sample.power_w = value(kPower);
    sample.energy_j = value(kEnergy);
    if (checks_limit_) {
      // A name with commas has some of its fields behind its own place, and its words before.
      check_limit(layout_.limit == kNowhere ? fields[layout_.name] : field(layout_.limit),
                  sample.power_w);
    }
    batch_[batched_] = sample;
    take_next_place();
  }

  std::optional<std::int64_t> time_of(std::string_view text) const {
    if (text.find_first_of("/: ") != std::string_view::npos) return parse_date_time(text);
    return nanoseconds_of_seconds(text);
  }

  double careful_value(std::string_view text, SampleColumn column) {
    if (is_not_measured(text)) return Sample::kNone;
    if (const auto quantity = parse_measure(text)) {
      if (quantity->unit.empty()) return quantity->value * layout_.factor[index_of(column)];
      if (const auto factor = factor_of(quantity->unit, column)) return quantity->value * *factor;
    }
    sink_.note(TraceOddity::kBadCell, lines_, text.substr(0, 60));
    return Sample::kNone;
  }

  void take_next_place() {
    if (++batched_ == kBatch) flush();
  }
  void flush() {
    if (batched_ > 0) sink_.add(std::span(batch_).first(batched_));
    batched_ = 0;
  }

  std::string_view source_;
  std::span<const SampleColumnName> names_;
  const TraceOptions& options_;
  SampleSink& sink_;
  SampleLayout layout_;
  TickClock ticks_;
  std::uint64_t lines_ = 0;
  std::string last_cell_;      ///< Last cell of the row before, for lines that may be cut.
  std::string first_line_;     ///< Kept until there is a header.
  std::uint64_t layouts_ = 0;  ///< How many headers there were.
  std::array<std::array<double, kRowsAtOnce>, kValueColumns.size()>
      values_{};  ///< Of the rows at hand.
  std::vector<Sample> batch_ = std::vector<Sample>(kBatch);
  std::size_t batched_ = 0;
  bool checks_limit_ = false;       ///< Rows say what their GPU may draw.
  std::string limit_text_;          ///< The last cell that said it,
  double limit_w_ = Sample::kNone;  ///< and what it said; NaN if nothing is known.
  bool plain_ = false;              ///< Rows can be taken by the index alone.
  std::uint64_t time_first_ = 0;    ///< The last time stamp: its first and last eight bytes,
  std::uint64_t time_last_ = 0;
  std::size_t time_length_ = 0;  ///< its length,
  std::int64_t time_ns_ = 0;     ///< and its value.
  std::array<std::uint32_t, 10> digit_devices_;
  std::string last_name_;
  std::uint32_t last_device_ = kUnknown;
};

}  // namespace

void read_csv_samples(ByteStream& in, std::string_view source,
                      std::span<const SampleColumnName> names, const TraceOptions& options,
                      SampleSink& sink) {
  CsvSampleReader(source, names, options, sink).read(in);
}

bool is_sample_header(std::string_view line, std::span<const SampleColumnName> names) {
  if (line.size() > kLongestRow) return false;
  return sample_layout_of(unquoted_fields(line), names, {}).measures();
}

}  // namespace scalelaw
