#include "scalelaw/runs/table_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "input/file_parts.hpp"
#include "input/table_text.hpp"
#include "runs/cell_marks.hpp"
#include "runs/cell_number.hpp"
#include "runs/column_words.hpp"
#include "runs/job_steps.hpp"
#include "runs/row_reading.hpp"
#include "runs/run_state.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kStretch = 4 << 10;
constexpr std::size_t kMostTables = 16;  // Of many tables the first ones tell what all are.

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

bool is_duration(CellForm form) {
  return form == CellForm::kClock || form == CellForm::kShortClock || form == CellForm::kDayClock ||
         form == CellForm::kDuration;
}

/// Notes how the first cell of a value is written.
void note_form(ColumnProfile& column, std::string_view text, const CellNumber& number) {
  const bool device = !number.counted.empty() && names_scale(number.counted);
  const bool millions = text.ends_with('M') || text.ends_with('B') || text.ends_with('T');
  const bool size = number.form == CellForm::kMagnitude && number.counted.empty() && millions;
  column.durations = column.durations || is_duration(number.form);
  column.counts += device ? 1 : 0;
  column.sizes += size ? 1 : 0;
}

/// A column of sizes, "125M" and "1B", beside a loss has the parameters of models, although its
/// name says a kind: "Model".
void find_parameters(std::vector<ColumnProfile>& columns) {
  using enum ColumnRole;
  const auto has = [&columns](ColumnRole role) {
    return std::ranges::any_of(
        columns, [role](const ColumnProfile& one) { return one.meaning.role == role; });
  };
  if (!has(kLoss) || has(kParameters)) return;
  for (ColumnProfile& column : columns) {
    const ColumnRole role = column.meaning.role;
    const bool kind = role == kOther || role == kCategory || role == kHardware;
    const bool sizes = column.is_number() && column.sizes == column.values.size();
    if (kind && sizes && !column.has_many_values) column.meaning = {kParameters, 3};
  }
}

/// The unit of a column of numbers whose name tells none stands in the next one, the same in all
/// rows: "410 img/sec" in a table of blanks.
void find_units(std::vector<ColumnProfile>& columns, bool headerless) {
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    const ColumnProfile& next = columns[i + 1];
    const bool named = headerless || is_one_of(lower_case(next.name), {"unit", "units"});
    if (!named || !columns[i].is_number() || next.values.size() != 1 || next.missing > 0) continue;
    const std::string& text = next.values.front();
    const auto rate = rate_unit(text);
    const auto unit = canonical_unit(text);
    if (columns[i].unit.empty() && rate) columns[i].unit = rate->unit;
    if (columns[i].unit.empty() && unit) columns[i].unit = *unit;
  }
}

/// Whether a column holds measurements, in whose place a word such as OOM tells a failure.
bool holds_measurements(ColumnRole role) {
  using enum ColumnRole;
  return role == kTime || role == kRate || role == kEnergy || role == kPower || role == kLoss;
}

/// The fields of a line that was translated, and that nobody would know again as a whole.
std::string quoted_each(std::span<const std::string_view> fields) {
  std::vector<std::string> texts;
  for (const std::string_view field : fields) texts.push_back(scalelaw::quoted(field));
  return joined(texts);
}

/// Whether a comment has letters and is neither a row nor a header that is repeated.
bool tells_something(std::string_view line, const Header& header) {
  const bool letters =
      std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; });
  std::vector<std::string_view> fields;
  tokenize(line, header.separator, fields);
  return letters && fields.size() != header.names.size();
}

/// A comment as it is shown, with blanks for tabs.
std::string text_of_comment(std::string_view line) {
  std::string text(trimmed(line));
  std::ranges::replace(text, '\t', ' ');
  return text;
}

/// Whether a number with words around it, "8 (TP=2)" and "8x A100", may as well name a setting.
bool may_be_a_name(const CellNumber& number, ColumnRole role) {
  const bool words = number.form == CellForm::kRemark ||
                     (number.form == CellForm::kTimes && !number.counted.empty());
  return words && (role == ColumnRole::kOther || role == ColumnRole::kCategory ||
                   role == ColumnRole::kHardware || role == ColumnRole::kSystem);
}

}  // namespace

/// Where a table has the columns of the profile, and those that leave rows out.
struct TableProfile::Places {
  std::vector<std::size_t> columns;                 ///< kNowhere: it has no such column.
  std::vector<std::optional<std::size_t>> filters;  ///< By condition.
  std::vector<StateColumn> states;
  std::optional<std::size_t> job;
};

/// The tables that were added, with the hashes of their rows, and where the columns stand.
struct TableProfile::Tables {
  struct Table {
    std::string name;
    std::vector<std::size_t> rows = {};
  };
  std::vector<Table> all;
  std::unordered_map<std::string, std::size_t, KnownValues::Hash, std::equal_to<>> columns;
};

/// Runs of the sample that failed, and steps of jobs.
struct TableProfile::LeftOut {
  std::uint64_t runs = 0;
  std::vector<Failure> failures;
  std::set<std::string, std::less<>> jobs;
  std::set<std::string, std::less<>> jobs_of_steps;
  bool of_slurm = false;  ///< Its names show that ids with points are steps: JobID, 7.batch.
  bool steps_of_jobs = false;

  bool job_steps() const { return of_slurm && steps_of_jobs; }

  /// Whether a row is of a step whose job was met.
  bool is_step(std::string_view cell) {
    const std::string_view job = job_of_step(cell);
    if (job.empty()) {
      jobs.emplace(cell);
      steps_of_jobs = steps_of_jobs || jobs_of_steps.contains(cell);
      return false;
    }
    jobs_of_steps.emplace(job);
    const bool known = jobs.contains(job);
    steps_of_jobs = steps_of_jobs || known;
    of_slurm = of_slurm || cell.back() < '0' || cell.back() > '9';
    return known && of_slurm;
  }
};

TableProfile::TableProfile(const RunOptions& options, std::uint32_t most_values)
    : options_(options),
      left_out_(std::make_unique<LeftOut>()),
      tables_(std::make_unique<Tables>()),
      most_values_(most_values) {
  for (const std::string& condition : options.where) filters_.emplace_back(condition);
}
TableProfile::~TableProfile() = default;
TableProfile::TableProfile(TableProfile&&) noexcept = default;
TableProfile& TableProfile::operator=(TableProfile&&) noexcept = default;

std::string TableProfile::failures() const {
  return left_out_->runs == 0 ? "" : failed_sentence(left_out_->runs, left_out_->failures);
}

std::string TableProfile::misfits() const {
  if (misfits_.rows == 0) return "";
  return fmt::format("{} not fit the header and {} left out{}{}",
                     misfits_.rows == 1 ? "1 row does" : fmt::format("{} rows do", misfits_.rows),
                     misfits_.rows == 1 ? "is" : "are",
                     misfits_.first.empty() ? "" : "; the first: ", misfits_.first);
}

std::string TableProfile::overlap() const {
  constexpr std::size_t kFewestRows = 5;
  constexpr std::size_t kShare = 10;
  std::unordered_map<std::size_t, const Tables::Table*> first_with;
  for (const Tables::Table& table : tables_->all) {
    std::size_t repeated = 0;
    const Tables::Table* earlier = nullptr;
    for (const std::size_t row : table.rows) {
      const Tables::Table* const first = first_with.try_emplace(row, &table).first->second;
      if (first == &table) continue;
      ++repeated;
      earlier = first;
    }
    if (repeated < kFewestRows || kShare * repeated < table.rows.size()) continue;
    const std::string rows = complete_ ? fmt::format("{} rows", repeated) : "rows";
    return fmt::format("{} of {} stand in {}, too: if they are the same runs, they count twice",
                       rows, table.name, earlier->name);
  }
  return "";
}

bool TableProfile::has_job_steps() const { return left_out_->job_steps(); }

void TableProfile::add_cell(std::size_t place, std::string_view text) {
  ColumnProfile& column = columns_[place];
  KnownValues& known = known_[place];
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
  const bool failed = holds_measurements(column.meaning.role) && is_failure_word(text);
  if (failed || is_no_number(text)) {
    ++column.missing;
    column.failed += failed ? 1 : 0;
    column.codes.push_back(ColumnProfile::kMissing);
    column.quantities.push_back(nothing);
    return;
  }
  if (!commas_.empty()) commas_[place].add(text, counts_things(column.meaning.role));
  const auto number = number_if_any(text, formats_[place]);
  const bool is_number = number && !may_be_a_name(*number, column.meaning.role);
  if (is_number) note_form(column, text, *number);
  add_quantity(column, is_number ? number->value : nothing);
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

void TableProfile::take_counts_of_model(std::size_t place) {
  ColumnProfile& column = columns_[place];
  if (column.texts == 0 || column.has_many_values || column.values.size() < 2) return;
  std::vector<double> counts;
  std::string_view model;
  for (const std::string& value : column.values) {
    const auto count = count_of_model(value);
    if (!count || (!model.empty() && model != count->model)) return;
    model = count->model;
    counts.push_back(count->number);
  }
  column.numbers = column.texts = 0;
  column.counts = column.values.size();
  known_[place].quantities = counts;
  column.quantities.clear();
  for (const std::uint32_t code : column.codes) {
    if (code < counts.size()) {
      add_quantity(column, counts[code]);
    } else {
      column.quantities.push_back(std::numeric_limits<double>::quiet_NaN());
    }
  }
}

void TableProfile::adopt(const Header& header, std::string_view text) {
  formats_ = formats_of_columns(header, text, options_.layout);
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    columns_.push_back({.name = header.names[i],
                        .meaning = meaning_of(header.names[i]),
                        .unit = formats_[i].unit});
    tables_->columns.try_emplace(header.names[i], i);
    tables_->columns.try_emplace(std::string(column_label(header.names[i]).name), i);
  }
  known_.resize(columns_.size());
  const bool is_told = options_.layout.decimal || header.decimal || header.separator == ',';
  if (!is_told) commas_.resize(columns_.size());
}

TableProfile::Places TableProfile::places_in(const Header& header, std::string_view source) const {
  Places places;
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t i = 0; i < header.names.size(); ++i) place_of.try_emplace(header.names[i], i);
  for (const ColumnProfile& column : columns_) {
    const auto found = place_of.find(column.name);
    places.columns.push_back(found == place_of.end() ? kNowhere : found->second);
  }
  std::vector<std::size_t> used;
  const auto use = [&](const std::string& name) {
    const auto place = name.empty() ? std::nullopt : find_column_by_words(header, name, source);
    if (place) used.push_back(*place);
    return place;
  };
  for (const RowFilter& filter : filters_) places.filters.push_back(use(filter.column()));
  for (const auto& names : {options_.by, options_.factors}) {
    for (const std::string& name : names) use(name);
  }
  for (const auto& name : {options_.x, options_.y, options_.run, options_.weights}) use(name);
  places.job = job_column(header, used);
  if (places.job && header.names[*places.job].starts_with("JobID")) left_out_->of_slurm = true;
  if (!options_.keep_failed) places.states = state_columns(header, used);
  return places;
}

bool TableProfile::keeps(std::span<const std::string_view> fields, const Places& places) {
  std::string scratch;
  const auto text = [&](std::size_t place) {
    return field_defect(fields[place]) ? std::string_view()
                                       : trimmed(field_text(trimmed(fields[place]), scratch));
  };
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const auto place = places.filters[i];
    if (place && !field_defect(fields[*place]) && !filters_[i].holds(text(*place))) return false;
  }
  if (places.job && left_out_->is_step(text(*places.job))) return false;
  for (const StateColumn& state : places.states) {
    const std::string_view value = text(state.place);
    if (!tells_failure(state.kind, value)) continue;
    ++left_out_->runs;
    add_failure(left_out_->failures, {columns_[state.place].name, std::string(value)});
    return false;
  }
  return true;
}

void TableProfile::take_row(std::span<const std::string_view> fields, const Places& places) {
  std::string scratch;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t place = places.columns[i];
    const bool has = place != kNowhere && !field_defect(fields[place]);
    add_cell(i, has ? trimmed(field_text(trimmed(fields[place]), scratch)) : "");
  }
  ++rows_;
}

void TableProfile::take_rows(const Header& header, const Places& places, std::string_view text,
                             std::pair<std::string_view, std::uint64_t> place) {
  std::vector<std::string_view> fields;
  const char* const begin = text.data();
  std::string_view comment;
  while (!text.empty()) {
    const std::size_t length = text.starts_with('#') ? text.find('\n') : row_end(text);
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (is_skipped_line(line.data(), line.data() + line.size())) {
      if (rows_ > 0 && tells_something(line, header)) comment = line;
      continue;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!comment.empty() && parting_comment_.empty()) parting_comment_ = text_of_comment(comment);
    tokenize(line, header.separator, fields);
    if (fields.size() != header.names.size()) {
      if (misfits_.rows++ == 0 && place.second > 0) {
        const auto above = static_cast<std::uint64_t>(std::count(begin, line.data(), '\n'));
        misfits_.first =
            fmt::format("{}:{}: expected {} fields, found {}: {}", place.first,
                        place.second + above, header.names.size(), fields.size(),
                        header.told.empty() ? scalelaw::quoted(line) : quoted_each(fields));
      }
    } else if (!repeat_names(fields, header.names) && keeps(fields, places)) {
      take_row(fields, places);
      tables_->all.back().rows.push_back(std::hash<std::string_view>{}(line));
    }
  }
  find_parameters(columns_);
  find_units(columns_, header.headerless);
  for (std::size_t i = 0; i < columns_.size(); ++i) take_counts_of_model(i);
  const CommaEvidence all = evidence_of_table(commas_);
  for (std::size_t i = 0; i < commas_.size(); ++i) {
    columns_[i].comma_is_open = evidence_of_columns(commas_, std::array{i}, all).is_open();
  }
}

void TableProfile::take(const Header& header, std::string_view text, std::string_view source) {
  if (columns_.empty()) adopt(header, text);
  tables_->all.push_back({.name = std::string(source)});
  take_rows(header, places_in(header, source), text, {source, header.lines + 1});
}

void TableProfile::take_stretches(const std::string& path, const Header& header, std::uint64_t from,
                                  std::size_t bytes) {
  // What is translated has no rows at the offsets of the file.
  if (!is_regular_file(path) || header.translated) {
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
  const Places places = places_in(header, file.name());
  for (std::size_t i = 0; i < (all ? 1 : stretches); ++i) {
    // The last stretch ends with the file.
    const std::uint64_t at = all ? from : from + (rest - kStretch) * (i + 1) / stretches;
    const std::string_view got(text.data(), file.read_at(text.data(), text.size(), at));
    // A stretch begins and ends inside rows.
    const std::size_t first = all ? 0 : got.find('\n') + 1;
    const std::size_t last = all ? got.size() : got.rfind('\n') + 1;
    if (first < last) take_rows(header, places, got.substr(first, last - first), {});
  }
}

void TableProfile::take_sample(std::span<const std::string> paths, std::size_t file,
                               const Header& header, std::string_view sample) {
  constexpr std::size_t kMostBytes = 32 << 10;
  if (file >= kMostTables) {
    complete_ = false;
    return;
  }
  const std::string source = input_name(paths[file]);
  const std::size_t bytes = kMostBytes / std::min(paths.size(), kMostTables);
  const bool whole = header.end + sample.size() < BlockBuffer::kReadBytes;
  if (whole && sample.size() <= bytes) return take(header, sample, source);
  const std::string_view head = sample.substr(0, bytes / 2);
  take(header, head.substr(0, head.rfind('\n') + 1), source);
  take_stretches(paths[file], header, header.end + head.rfind('\n') + 1, bytes / 2);
}

const ColumnProfile* TableProfile::column(std::string_view name) const {
  const auto found = tables_->columns.find(name);
  return found == tables_->columns.end() ? nullptr : &columns_[found->second];
}

ColumnProfiles TableProfile::columns(std::span<const std::string> names) const {
  ColumnProfiles found;
  for (const std::string& name : names) found.push_back(column(name));
  std::erase(found, nullptr);
  return found;
}

TableProfile profile_of_files(std::span<const std::string> paths, const RunOptions& options,
                              std::size_t bytes, Header& header) {
  TableProfile profile(options);
  const std::size_t tables = std::min(paths.size(), kMostTables);
  const std::size_t budget = std::max<std::size_t>(bytes / std::max<std::size_t>(tables, 1), 2);
  for (std::size_t i = 0; i < tables; ++i) {
    const InputFile file(paths[i]);
    const TableText table = table_text(file, options.layout);
    std::string text;
    std::optional<Header> found;
    for (std::size_t wanted = budget / 2; !found; wanted *= 2) {
      read_to(wanted, *table.bytes, text);
      found = parse_header(text, text.size() < wanted, file.name(), table.layout);
    }
    table.note_origin(*found);
    if (i == 0) header = *found;
    const bool whole = text.size() < budget / 2;
    const std::size_t end = std::max(whole ? text.size() : text.rfind('\n') + 1, found->end);
    // A first row that is longer than the sample leaves it none.
    if (!whole || end > found->end) {
      profile.take(*found, std::string_view(text).substr(found->end, end - found->end),
                   file.name());
    }
    if (!whole) profile.take_stretches(paths[i], *found, end, budget / 2);
  }
  return profile;
}

std::vector<std::uint32_t> codes_at(std::span<const ColumnProfile* const> columns,
                                    std::size_t row) {
  std::vector<std::uint32_t> codes;
  for (const ColumnProfile* const column : columns) codes.push_back(column->codes[row]);
  return codes;
}

bool varies_within(const ColumnProfile& column, std::span<const ColumnProfile* const> fixed) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> first;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (column.codes[row] == ColumnProfile::kMissing) continue;
    const std::vector<std::uint32_t> key = codes_at(fixed, row);
    // Rows without a value of a column of groups are not used.
    if (std::ranges::find(key, ColumnProfile::kMissing) != key.end()) continue;
    const auto [place, is_new] = first.try_emplace(key, column.codes[row]);
    if (!is_new && place->second != column.codes[row]) return true;
  }
  return false;
}

bool each_varies(const ColumnProfile& column, const ColumnProfile& fixed) {
  std::map<std::uint32_t, std::set<std::uint32_t>> met;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (std::max(column.codes[row], fixed.codes[row]) == ColumnProfile::kMissing) continue;
    met[fixed.codes[row]].insert(column.codes[row]);
  }
  return std::ranges::all_of(met, [](const auto& one) { return one.second.size() > 1; });
}

bool have_equal_rows(std::span<const ColumnProfile* const> columns) {
  std::set<std::vector<std::uint32_t>> met;
  for (std::size_t row = 0; !columns.empty() && row < columns.front()->codes.size(); ++row) {
    if (!met.insert(codes_at(columns, row)).second) return true;
  }
  return false;
}

std::vector<std::string> first_values(const ColumnProfile& column) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> values = column.values;
  std::ranges::sort(values, natural_less);
  values.resize(std::min(values.size(), kMost));
  return values;
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
    case kRevision:
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
  return count <= most && (chosen ? 2 : 3) * count <= rows + 1;
}

}  // namespace scalelaw
