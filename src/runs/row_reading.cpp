#include "runs/row_reading.hpp"
#include "runs/where_clues.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runs/group_store.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/progress.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kSampleRows = 200;
constexpr std::size_t kMostBadRowsShown = 5;

/// The size of all inputs together; 0 if unknown.
std::uint64_t total_bytes(std::span<const std::string> paths) {
  std::uint64_t sum = 0;
  for (const auto& path : paths) {
    const auto state = path == "-" ? std::nullopt : state_of_file(path);
    if (!state) return 0;
    sum += state->bytes;
  }
  return sum;
}

}  // namespace

CellNumber number_in_cell(std::string_view text, std::string_view unit, bool positive) {
  text = trimmed(text);
  auto value = parse_number(text);
  if (!value) {
    const auto quantity = parse_quantity(text);
    if (quantity && quantity->unit != unit) {
      const std::string expected =
          unit.empty() ? "a number without unit" : fmt::format("the unit {}", unit);
      return {0, fmt::format("expected {}, found {}", expected, quoted(text))};
    }
    if (quantity) value = quantity->value;
  }
  if (!value) {
    return {0, fmt::format("expected a {}number, found {}", is_infinite(text) ? "finite " : "",
                           quoted(text))};
  }
  if (positive && !(*value > 0))
    return {0, fmt::format("expected a number > 0, found {}", quoted(text))};
  return {*value + 0.0, {}};  // -0 becomes 0, so that it does not matter which of them came first.
}

std::string text_defect(std::string_view text) {
  if (!is_utf8(text)) return "invalid UTF-8";
  if (text.find('\0') != std::string_view::npos) return "control character (NUL)";
  if (text.find(GroupStore::kKeyEnd) != std::string_view::npos) return "control character (0x1f)";
  return {};
}

void RowFields::read(const RowBlock& block, const char* begin, const char* end, char separator,
                     std::span<const std::string> names) {
  block_ = &block;
  row_ = begin;
  names_ = names;
  if (end > begin && end[-1] == '\r') --end;
  tokenize({begin, static_cast<std::size_t>(end - begin)}, separator, fields_);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (const auto defect = field_defect(fields_[i])) {
      throw RowDefect(block, begin, fmt::format("field {}: {}", i + 1, description_of(*defect)));
    }
  }
  if (fields_.size() != names.size()) {
    throw RowDefect(block, begin,
                    fmt::format("expected {} fields, found {}", names.size(), fields_.size()));
  }
}

std::string_view RowFields::text(std::size_t column) {
  return trimmed(field_text(fields_[column], scratch_));
}

bool RowFields::missing(std::size_t column) { return is_missing(text(column)); }

bool RowFields::fulfils(std::span<const RowFilter> filters, std::span<const std::size_t> columns) {
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!filters[i].holds(text(columns[i]))) return false;
  }
  return true;
}

double RowFields::number(std::size_t column, std::string_view unit, bool positive) {
  const CellNumber cell = number_in_cell(text(column), unit, positive);
  if (!cell.defect.empty()) refuse(column, cell.defect);
  return cell.value;
}

double RowFields::whole_number(std::size_t column, std::string_view unit, bool positive) {
  const double value = number(column, unit, positive);
  if (!(std::abs(value) <= kMostWhole)) {
    refuse(column, fmt::format("expected a whole number up to 2^53 - 1, as those beyond are not "
                               "exact; found {}",
                               quoted(text(column))));
  }
  if (value == std::floor(value)) return value;
  refuse(column, fmt::format("expected a whole number, found {}", quoted(text(column))));
}

std::string_view RowFields::name(std::size_t column) {
  const std::string_view found = text(column);
  const std::string defect = text_defect(found);
  if (!defect.empty()) refuse(column, defect);
  return found;
}

void RowFields::refuse(std::size_t column, const std::string& defect) const {
  throw RowDefect(*block_, row_,
                  fmt::format("field {} '{}': {}", column + 1, names_[column], defect));
}

void for_each_sample_row(std::string_view sample, char separator, std::size_t width,
                         const std::function<void(std::span<const std::string_view>)>& take) {
  std::vector<std::string_view> fields;
  bool first = true;
  for (std::size_t row = 0, at = 0; row < kSampleRows && at < sample.size(); ++row) {
    const std::string_view rest = sample.substr(at);
    const std::size_t length = rest.starts_with('#') ? rest.find('\n') : row_end(rest);
    if (length == std::string_view::npos && !first) break;  // Cut, unless it is the only row.
    const std::string_view line = rest.substr(0, length);
    at += line.size() + 1;
    if (is_skipped_line(line.data(), line.data() + line.size())) continue;
    tokenize(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line, separator, fields);
    if (fields.size() != width) continue;
    take(fields);
    first = false;
  }
}

std::string unit_of_column(std::string_view header, std::string_view first_cell) {
  if (const auto unit = column_label(header).unit; !unit.empty()) return std::string(unit);
  std::string scratch;
  if (first_cell.empty() || field_defect(first_cell)) return {};
  const auto quantity = parse_quantity(field_text(first_cell, scratch));
  return quantity ? std::string(quantity->unit) : std::string();
}

void refuse_other_unit(std::string_view header, std::string_view unit, std::string_view source) {
  const std::string_view found = column_label(header).unit;
  if (found.empty() || unit.empty() || found == unit) return;
  throw DataError(fmt::format("{}: the column '{}' is in {}, that of the tables before it in {}",
                              source, header, found, unit));
}

void RowTally::add_bad_row(BadRow row) {
  bad_rows.push_back(std::move(row));
  std::sort(bad_rows.begin(), bad_rows.end(), [](const BadRow& a, const BadRow& b) {
    return std::pair(a.file, a.offset) < std::pair(b.file, b.offset);
  });
  if (bad_rows.size() > kMostBadRowsShown) bad_rows.pop_back();
}

void RowTally::merge(const RowTally& other) {
  counts.read += other.counts.read;
  counts.used += other.counts.used;
  counts.missing += other.counts.missing;
  counts.bad += other.counts.bad;
  counts.filtered += other.counts.filtered;
  for (const BadRow& row : other.bad_rows) add_bad_row(row);
}

void scan_tables(std::span<const std::string> paths, int threads, bool progress,
                 RowConsumer& consumer, Ranks* ranks) {
  std::optional<Progress> bar;
  if (ranks != nullptr && !ranks->leads()) {
    bar.emplace();
  } else if (progress && isatty(STDERR_FILENO) != 0) {
    bar.emplace("reading", total_bytes(paths));
  }
  for_each_row_block(paths, threads, consumer, bar ? &*bar : nullptr, ranks);
}

std::vector<std::string> messages_of(std::span<const BadRow> rows,
                                     std::span<const std::string> paths) {
  std::vector<std::string> messages;
  for (const BadRow& row : rows) {
    const std::string& path = paths[row.file];
    const std::uint64_t line = row.line > 0 ? row.line : line_at(path, row.offset);
    messages.push_back(fmt::format("{}:{}: {}", input_name(path), line, row.message));
  }
  return messages;
}

void refuse_nothing(const RowCounts& rows, std::span<const std::string> paths,
                    std::span<const std::string> where) {
  if (rows.read == 0) {
    const std::string more =
        paths.size() > 1 ? fmt::format(" (nor in {} more files)", paths.size() - 1) : "";
    throw DataError(fmt::format("{}: no rows under the header{}", input_name(paths.front()), more));
  }
  if (rows.used == 0 && rows.filtered == rows.read) {
    const std::string clues = where_clues(where, paths);
    throw DataError(
        fmt::format("no row is left: --where left out {}{}{}",
                    rows.read == 1 ? "the only row" : fmt::format("all {} rows", rows.read),
                    clues.empty() ? "" : "; ", clues));
  }
  if (rows.used == 0) {
    throw DataError(fmt::format(
        "no row can be used: of {} rows, {} hold no value, {} are bad, {} are filtered out",
        rows.read, rows.missing, rows.bad, rows.filtered));
  }
}

}  // namespace scalelaw
