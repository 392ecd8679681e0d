#include "scalelaw/runs/table_profile.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "runs/run_state.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kStretch = 4 << 10;

/// Adds the number of one cell, or NaN for a text.
void add_quantity(ColumnProfile& column, double value) {
  column.quantities.push_back(value);
  if (std::isnan(value)) {
    ++column.texts;
    return;
  }
  ++column.numbers;
  column.whole = column.whole && std::floor(value) == value;
  column.min = std::min(column.min, value);
  column.max = std::max(column.max, value);
}

}  // namespace

TableProfile::TableProfile(std::span<const RowFilter> where, std::uint32_t most_values)
    : filters_(where.begin(), where.end()), most_values_(most_values) {}

void TableProfile::add_cell(ColumnProfile& column, KnownValues& known,
                            std::string_view text) const {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  if (!column.values.empty() && column.values[known.last] == text) {
    column.codes.push_back(known.last);
    return add_quantity(column, known.quantities[known.last]);
  }
  if (!column.has_many_values) {
    if (const auto found = known.places.find(text); found != known.places.end()) {
      known.last = found->second;
      column.codes.push_back(known.last);
      return add_quantity(column, known.quantities[known.last]);
    }
  }
  if (is_missing(text)) {
    ++column.missing;
    column.codes.push_back(ColumnProfile::kMissing);
    column.quantities.push_back(nothing);
    return;
  }
  const auto quantity = parse_quantity(text);
  if (quantity && column.unit.empty()) column.unit = quantity->unit;
  add_quantity(column, quantity ? quantity->value : nothing);
  column.has_many_values = column.has_many_values || column.values.size() >= most_values_;
  if (column.has_many_values) {
    column.codes.push_back(ColumnProfile::kMostValues);
    return;
  }
  known.last = static_cast<std::uint32_t>(column.values.size());
  known.places.emplace(text, known.last);
  known.quantities.push_back(column.quantities.back());
  column.values.emplace_back(text);
  column.codes.push_back(known.last);
}

void TableProfile::adopt(const Header& header) {
  for (const std::string& name : header.names) {
    columns_.push_back(
        {.name = name, .meaning = meaning_of(name), .unit = std::string(column_label(name).unit)});
  }
  known_.resize(columns_.size());
}

void TableProfile::take_row(std::span<const std::string_view> fields,
                            const std::vector<std::size_t>& places) {
  std::string scratch;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool has = places[i] != kNowhere && !field_defect(fields[places[i]]);
    add_cell(columns_[i], known_[i],
             has ? trimmed(field_text(trimmed(fields[places[i]]), scratch)) : "");
  }
  ++rows_;
}

void TableProfile::take(const Header& header, std::string_view text, std::string_view source) {
  if (columns_.empty()) adopt(header);
  std::vector<std::size_t> places;
  for (const ColumnProfile& column : columns_) {
    const auto found = std::find(header.names.begin(), header.names.end(), column.name);
    places.push_back(found == header.names.end()
                         ? kNowhere
                         : static_cast<std::size_t>(found - header.names.begin()));
  }
  std::vector<std::optional<std::size_t>> filtered;
  for (const RowFilter& filter : filters_) {
    filtered.push_back(find_column_by_words(header, filter.column(), source));
  }
  std::vector<std::string_view> fields;
  std::string scratch;
  while (!text.empty()) {
    const std::size_t length = text.starts_with('#') ? text.find('\n') : row_end(text);
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (is_skipped_line(line.data(), line.data() + line.size())) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    tokenize(line, header.separator, fields);
    if (fields.size() != header.names.size()) continue;
    bool fits = true;
    for (std::size_t i = 0; i < filters_.size() && fits; ++i) {
      fits = !filtered[i] || field_defect(fields[*filtered[i]]) ||
             filters_[i].holds(trimmed(field_text(trimmed(fields[*filtered[i]]), scratch)));
    }
    if (fits) take_row(fields, places);
  }
}

void TableProfile::take_stretches(const std::string& path, const Header& header, std::uint64_t from,
                                  std::size_t bytes) {
  if (!is_regular_file(path)) {
    complete_ = false;
    return;
  }
  const InputFile file(path);
  if (!file.seekable() || file.size() <= from) {
    complete_ = complete_ && file.seekable();
    return;
  }
  const std::uint64_t rest = file.size() - from;
  const std::size_t stretches = std::max<std::size_t>(1, bytes / kStretch);
  const bool all = rest <= bytes;
  complete_ = complete_ && all;
  std::string text(all ? rest : kStretch, '\0');
  for (std::size_t i = 0; i < (all ? 1 : stretches); ++i) {
    // The last stretch ends with the file.
    const std::uint64_t at = all ? from : from + (rest - kStretch) * (i + 1) / stretches;
    const std::string_view got(text.data(), file.read_at(text.data(), text.size(), at));
    // A stretch begins and ends inside rows.
    const std::size_t first = all ? 0 : got.find('\n') + 1;
    const std::size_t last = all ? got.size() : got.rfind('\n') + 1;
    if (first < last) take(header, got.substr(first, last - first), file.name());
  }
}

const ColumnProfile* TableProfile::column(std::string_view name) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [name](const auto& one) {
    return one.name == name || column_label(one.name).name == name;
  });
  return found == columns_.end() ? nullptr : &*found;
}

TableProfile profile_of_files(std::span<const std::string> paths, std::span<const RowFilter> where,
                              std::size_t bytes, Header& header) {
  constexpr std::size_t kMostTables = 16;
  TableProfile profile(where);
  const std::size_t tables = std::min(paths.size(), kMostTables);
  const std::size_t budget = std::max<std::size_t>(bytes / std::max<std::size_t>(tables, 1), 2);
  for (std::size_t i = 0; i < tables; ++i) {
    const InputFile file(paths[i]);
    const auto stream = open_stream(file);
    std::string text;
    std::optional<Header> found;
    for (std::size_t wanted = budget / 2; !found; wanted *= 2) {
      read_to(wanted, *stream, text);
      found = parse_header(text, text.size() < wanted, file.name());
    }
    if (i == 0) header = *found;
    const bool whole = text.size() < budget / 2;
    const std::size_t end = whole ? text.size() : text.rfind('\n') + 1;
    if (end > found->end) {
      profile.take(*found, std::string_view(text).substr(found->end, end - found->end),
                   file.name());
    }
    if (!whole) profile.take_stretches(paths[i], *found, end, budget / 2);
  }
  return profile;
}

bool varies_within(const ColumnProfile& column, std::span<const ColumnProfile* const> fixed) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> first;
  std::vector<std::uint32_t> key;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (column.codes[row] == ColumnProfile::kMissing) continue;
    key.clear();
    for (const ColumnProfile* one : fixed) key.push_back(one->codes[row]);
    const auto [place, is_new] = first.try_emplace(key, column.codes[row]);
    if (!is_new && place->second != column.codes[row]) return true;
  }
  return false;
}

std::string values_text(const ColumnProfile& column) {
  constexpr std::size_t kMostShown = 3;
  constexpr std::size_t kLongest = 20;
  std::vector<std::string> values = column.values;
  std::sort(values.begin(), values.end(), natural_less);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(values.size(), kMostShown); ++i) {
    const bool plain = values[i].size() <= kLongest && printable(values[i]) == values[i];
    shown.push_back(plain ? values[i] : quoted(values[i]));
  }
  if (values.size() > kMostShown) shown.emplace_back("...");
  return joined(shown);
}

bool could_be_group(const ColumnProfile& column) {
  using enum ColumnRole;
  constexpr std::size_t kMostTexts = 50;
  constexpr std::size_t kMostNumbers = 12;
  const std::size_t count = column.values.size();
  const std::size_t rows = column.codes.size();
  if (count < 2 || column.has_many_values) return false;
  if (!state_columns({.names = {column.name}}, {}).empty()) return false;
  switch (column.meaning.role) {
    case kRun:
    case kRepeat:
    case kEpoch:
    case kState:
    case kTimestamp:
    case kEnergy:
    case kPower:
    case kTime:
    case kRate:
    case kLoss:
      return false;
    default:
      break;
  }
  if (!column.is_number()) return column.texts > 0 && count <= kMostTexts && 2 * count <= rows + 2;
  if (column.meaning.role == kDerived) return false;
  const bool chosen = column.meaning.role != kOther;
  const std::size_t most = chosen ? kMostTexts : kMostNumbers;
  return (column.whole || chosen) && count <= most && (chosen ? 2 : 3) * count <= rows + 1;
}

}  // namespace scalelaw
