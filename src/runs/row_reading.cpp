#include "runs/row_reading.hpp"
#include "runs/job_steps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "runs/cell_marks.hpp"
#include "runs/column_words.hpp"
#include "runs/group_store.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/progress.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/table_rows.hpp"

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

std::vector<std::size_t> all_columns(const Header& header) {
  std::vector<std::size_t> columns(header.names.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

/// Keeps the first of two texts in natural order, of which either may be empty.
void keep_first(std::string& first, const std::string& other) {
  if (first.empty() || (!other.empty() && natural_less(other, first))) first = other;
}

bool is_count(std::string_view header) { return counts_things(meaning_of(header).role); }

/// What all rows of a table say about the commas of each column. Malformed rows say nothing.
std::vector<CommaEvidence> evidence_of_all_rows(const std::string& path, const Header& header,
                                                const TextLayout& layout) {
  std::vector<CommaEvidence> evidence(header.names.size());
  TableRows rows(path, layout);
  const auto next = [&rows] {
    for (;;) {
      try {
        return rows.next();
      } catch (const ParseError&) {
        continue;
      }
    }
  };
  std::vector<bool> counts;
  for (const std::string& name : header.names) counts.push_back(is_count(name));
  while (next()) {
    for (std::size_t i = 0; i < evidence.size(); ++i) evidence[i].add(rows.fields()[i], counts[i]);
  }
  return evidence;
}

/// How the numbers of a table with that header are written, as far as its columns share that.
NumberFormat format_of_table(const Header& header, const CommaEvidence& evidence,
                             const TextLayout& layout) {
  NumberFormat table;
  table.decimal = layout.decimal.value_or('.');
  table.decimal_chosen = layout.decimal.has_value();
  if (layout.decimal || header.separator == ',') return table;
  if (evidence.decimals && !evidence.thousands) table.decimal = ',';
  if (evidence.is_told()) return table;
  // The numbers in the text around a table are written as those in it.
  if (header.decimal) {
    table.decimal = *header.decimal;
  } else {
    table.comma = CommaState::kOpen;
  }
  return table;
}

/// The first cells of some columns of a table: by column, then row, unquoted and trimmed.
std::vector<std::vector<std::string>> sample_cells(std::string_view sample, const Header& header,
                                                   std::span<const std::size_t> columns) {
  std::vector<std::vector<std::string>> cells(columns.size());
  std::string scratch;
  for_each_sample_row(sample, header.separator, header.names.size(), [&](auto fields) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string_view field = fields[columns[i]];
      if (!field_defect(field)) cells[i].emplace_back(trimmed(field_text(field, scratch)));
    }
  });
  return cells;
}

/// What the first rows of a table say about the commas of each column.
std::vector<CommaEvidence> evidence_of_sample(std::string_view sample, const Header& header) {
  std::vector<CommaEvidence> evidence(header.names.size());
  if (header.separator == ',') return evidence;  // Commas are known.
  const std::vector<std::size_t> columns = all_columns(header);
  const auto cells = sample_cells(sample, header, columns);
  for (const std::size_t i : columns) {
    const bool counts = is_count(header.names[i]);
    for (const std::string& cell : cells[i]) evidence[i].add(cell, counts);
  }
  return evidence;
}

}  // namespace

std::string_view name_with_unit(const Header& header, std::size_t column) {
  const std::string& name = header.names[column];
  return is_least_of_several(header.names, name) ? std::string_view() : name;
}

bool counts_things(ColumnRole role) {
  using enum ColumnRole;
  return role == kScale || role == kParameters || role == kTokens || role == kBatchSize ||
         role == kProblemSize;
}

std::string text_defect(std::string_view text) {
  if (!is_utf8(text)) return "invalid UTF-8";
  if (text.find('\0') != std::string_view::npos) return "control character (NUL)";
  if (text.find(GroupStore::kKeyEnd) != std::string_view::npos) return "control character (0x1f)";
  return {};
}

bool repeat_names(std::span<const std::string_view> fields, std::span<const std::string> names) {
  if (fields.size() != names.size()) return false;
  std::string scratch;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (field_defect(fields[i])) return false;
    const std::string_view name = trimmed(names[i]);
    const std::string_view field = trimmed(field_text(trimmed(fields[i]), scratch));
    if (field.size() != name.size() || lower_case(field) != lower_case(name)) return false;
  }
  return true;
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

std::size_t RowFields::count_filled() {
  std::size_t filled = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) filled += missing(i) || text(i) == "0" ? 0 : 1;
  return filled;
}

bool RowFields::lacks_number(std::size_t column, RowTally& tally) {
  const std::string_view written = text(column);
  if (!is_no_number(written)) return false;
  if (is_bound(written)) {
    CellNumber bound;
    bound.form = CellForm::kBound;
    tally.note_reading(names_[column], written, bound, {});
  }
  return true;
}

bool RowFields::fulfils(std::span<const RowFilter> filters, std::span<const std::size_t> columns,
                        char decimal) {
  std::optional<std::size_t> no_date;  // A row that another condition leaves out may hold anything.
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::string_view cell = text(columns[i]);
    if (filters[i].refuses(cell)) {
      no_date = no_date ? no_date : i;
    } else if (!filters[i].holds(cell, decimal, names_[columns[i]])) {
      return false;
    }
  }
  if (no_date) {
    refuse(
        columns[*no_date],
        fmt::format("expected a date such as 2026-06-01, as --where '{}' compares dates; found {}",
                    filters[*no_date].text(), scalelaw::quoted(text(columns[*no_date]))));
  }
  return true;
}

bool RowFields::failed(std::span<const StateColumn> states, RowTally& tally) {
  for (const StateColumn& state : states) {
    const std::string_view value = text(state.place);
    if (!tells_failure(state.kind, value)) continue;
    add_failure(tally.failures, {names_[state.place], std::string(value)});
    ++tally.counts.failed;
    return true;
  }
  return false;
}

bool RowFields::failed_in_place_of(std::size_t column, RowTally& tally) {
  const char first = fields_[column].empty() ? '0' : fields_[column].front();
  if (first >= '0' && first <= '9') return false;
  const std::string_view value = text(column);
  if (!is_failure_word(value)) return false;
  add_failure(tally.failures, {names_[column], std::string(value)});
  ++tally.counts.failed;
  ++tally.counts.failed_cells;
  return true;
}

double RowFields::number(std::size_t column, const NumberFormat& format, bool positive,
                         RowTally& tally) {
  const std::string_view written = text(column);
  const CellNumber cell = number_in_cell(written, format, positive);
  if (cell.comma_is_open) refuse_open_comma(column, cell.defect, format.comma);
  if (!cell.defect.empty()) refuse(column, cell.defect);
  if (cell.mixed) {
    throw ReadAgain(fmt::format(
        "the column '{}' has cells in {} and others such as {}: a pipe cannot be read again to "
        "convert them; save the table as a file, or name one unit in the header",
        names_[column], format.unit, scalelaw::quoted(written)));
  }
  if (cell.form != CellForm::kPlain) tally.note_reading(names_[column], written, cell, format);
  return cell.value;
}

double RowFields::whole_number(std::size_t column, const NumberFormat& format, bool positive,
                               RowTally& tally) {
  const double value = number(column, format, positive, tally);
  if (!(std::abs(value) <= kMostWhole)) {
    refuse(column, fmt::format("expected a whole number up to 2^53 - 1, as those beyond are not "
                               "exact; found {}",
                               scalelaw::quoted(text(column))));
  }
  if (value == std::floor(value)) return value;
  refuse(column, fmt::format("expected a whole number, found {}", scalelaw::quoted(text(column))));
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

void RowFields::refuse_open_comma(std::size_t column, const std::string& defect,
                                  CommaState state) const {
  const std::string message = fmt::format("field {} '{}': {}", column + 1, names_[column], defect);
  if (state == CommaState::kOpen) throw CommaIsOpen(message);
  throw UndecidedCell(*block_, row_, message);
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

std::vector<NumberFormat> number_formats(const Header& header, std::string_view sample,
                                         std::span<const std::size_t> columns,
                                         const RowOptions& options, const Reading& reading,
                                         const std::string& path) {
  const auto cells = sample_cells(sample, header, columns);
  const auto evidence_of = [&](const std::vector<CommaEvidence>& all) {
    return evidence_of_columns(all, columns, evidence_of_table(all));
  };
  NumberFormat table =
      format_of_table(header, evidence_of(evidence_of_sample(sample, header)), options.layout);
  if (table.comma == CommaState::kOpen && reading.all_rows) {
    const auto evidence = evidence_of_all_rows(path, header, options.layout);
    table = format_of_table(header, evidence_of(evidence), options.layout);
    if (table.comma == CommaState::kOpen) table.comma = CommaState::kOpenForGood;
  }
  std::vector<NumberFormat> formats;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = header.names[columns[i]];
    formats.push_back(
        number_format(name_with_unit(header, columns[i]), cells[i], table, reading.base_units));
    if (is_count(name)) formats.back().comma = CommaState::kTold;
  }
  return formats;
}

std::vector<NumberFormat> formats_of_columns(const Header& header, std::string_view sample,
                                             const TextLayout& layout) {
  const std::vector<std::size_t> columns = all_columns(header);
  const auto cells = sample_cells(sample, header, columns);
  const auto evidence = evidence_of_sample(sample, header);
  const CommaEvidence all = evidence_of_table(evidence);
  std::vector<NumberFormat> formats;
  for (const std::size_t i : columns) {
    NumberFormat table =
        format_of_table(header, evidence_of_columns(evidence, std::array{i}, all), layout);
    // A sample shows what is there. The reading refuses what nothing tells.
    table.comma = CommaState::kTold;
    formats.push_back(number_format(name_with_unit(header, i), cells[i], table, false));
  }
  return formats;
}

/// Inputs as they stand in a call.
std::string words_for(std::span<const std::string> inputs) {
  constexpr std::size_t kMost = 6;
  if (inputs.size() > kMost) return "FILE...";
  return joined_texts(inputs, " ", [](const std::string& input) { return shell_word(input); });
}

void tell_layout(const Header& header, const NumberFormat& format, std::string_view source,
                 std::span<const std::string> inputs, std::vector<std::string>& sentences) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> parts;
  if (header.in_comment) parts.emplace_back("the names of the columns stand in a comment");
  if (header.headerless) {
    parts.push_back(
        fmt::format("the first row holds numbers and no names: the columns are called c1 {} c{}",
                    header.names.size() == 2 ? "and" : "to", header.names.size()));
  }
  if (!header.told.empty()) parts.push_back(header.told);
  if (header.of_blanks) parts.emplace_back("blanks separate the columns");
  if (header.separator == ';') parts.emplace_back("semicolons separate the columns");
  if (header.separator == '|') parts.emplace_back("bars separate the columns");
  if (format.decimal == ',' && !format.decimal_chosen) {
    parts.emplace_back("numbers have decimal commas");
  }
  const auto has = [&header](std::string_view name) {
    return std::ranges::find(header.names, name) != header.names.end();
  };
  if (has("JobID") && (has("AllocTRES") || has("ReqTRES"))) {
    // Cells that sacct draws for people are cut, and ingest reads files alone.
    const bool is_drawn = header.of_blanks || !header.told.empty();
    const bool is_piped = std::ranges::find(inputs, "-") != inputs.end();
    const std::string_view save = is_drawn   ? "save that of sacct --parsable2, and "
                                  : is_piped ? "save it, and "
                                             : "";
    parts.push_back(fmt::format(
        "the output of sacct, whose GPUs stand in {}: {}`scalelaw ingest {} -o runs.csv` takes "
        "them",
        has("AllocTRES") ? "AllocTRES" : "ReqTRES", save,
        save.empty() ? words_for(inputs) : "FILE"));
  }
  if (parts.empty() || sentences.size() == kMost) return;
  // Of several tables the first one stands for all, but lines that are not read are told of each.
  if (!sentences.empty() && header.told.empty()) return;
  std::string sentence = fmt::format("{}: {}", source, joined(parts, "; "));
  const bool told = std::ranges::find(sentences, sentence) != sentences.end();
  if (!told) sentences.push_back(std::move(sentence));  // Tables may be opened again.
}

void refuse_other_unit(std::string_view header, std::string_view unit, std::string_view source) {
  const std::string_view found = column_label(header).unit;
  if (found.empty() || unit.empty() || found == unit) return;
  throw data_error("{}: the column '{}' is in {} here and in {} in the tables before: use one unit",
                   source, header, found, unit);
}

void NamedCount::add(const std::string& name) {
  ++count;
  keep_first(first, name);
}

void NamedCount::merge(const NamedCount& other) {
  count += other.count;
  keep_first(first, other.first);
}

void RowTally::add_bad_row(BadRow row) {
  bad_rows.push_back(std::move(row));
  std::ranges::sort(bad_rows, [](const BadRow& a, const BadRow& b) {
    return std::pair(a.file, a.offset) < std::pair(b.file, b.offset);
  });
  if (bad_rows.size() > kMostBadRowsShown) bad_rows.pop_back();
}

void RowTally::note_comment(const char* begin, const char* end, char separator, std::size_t width) {
  if (begin == end || *begin != '#') return;
  std::string_view line(begin, static_cast<std::size_t>(end - begin));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view row = line.substr(std::min(line.find_first_not_of("# \t"), line.size()));
  std::vector<std::string_view> fields;
  tokenize(row, separator, fields);
  const bool numbers = std::ranges::any_of(
      fields, [](std::string_view field) { return parse_number(trimmed(field)).has_value(); });
  if (fields.size() != width || width < 2 || !numbers) return;
  ++counts.commented;
  keep_first(commented, std::string(line));
}

void RowTally::note_missing(std::string_view column, std::uint64_t rows) {
  auto& all = counts.missing_in;
  const auto place = std::ranges::lower_bound(all, column, {}, &RowCounts::Missing::column);
  if (place != all.end() && place->column == column) {
    place->rows += rows;
  } else {
    all.insert(place, {std::string(column), rows});
  }
}

void RowTally::merge(const RowTally& other) {
  using Counts = RowCounts;
  for (const auto count : {&Counts::read, &Counts::used, &Counts::missing, &Counts::bad,
                           &Counts::filtered, &Counts::failed, &Counts::failed_cells,
                           &Counts::steps, &Counts::repeats, &Counts::commented}) {
    counts.*count += other.counts.*count;
  }
  for (const auto& [column, rows] : other.counts.missing_in) note_missing(column, rows);
  headers += other.headers;
  earlier.merge(other.earlier);
  unlike.merge(other.unlike);
  keep_first(commented, other.commented);
  keep_first(step, other.step);
  keep_first(repeat, other.repeat);
  for (const BadRow& row : other.bad_rows) add_bad_row(row);
  for (const CellReading& reading : other.readings) add_reading(readings, reading);
  for (const Failure& failure : other.failures) add_failure(failures, failure);
}

void RowTally::note_reading(std::string_view column, std::string_view text, const CellNumber& cell,
                            const NumberFormat& format) {
  add_reading(readings, {std::string(column), cell.form, std::string(cell.counted),
                         std::string(text), cell.value, format.unit});
}

void RowTally::tell(std::vector<std::string> layouts, std::string overlap) {
  refuse_different_counts(readings);
  counts.understood = std::move(layouts);
  if (!overlap.empty() && counts.repeats == 0) counts.understood.push_back(std::move(overlap));
  for (std::string& sentence : sentences_of(readings)) {
    counts.understood.push_back(std::move(sentence));
  }
  if (counts.steps > 0) counts.understood.push_back(steps_sentence(counts.steps, step));
  if (counts.repeats > 0) counts.understood.push_back(repeats_sentence(counts.repeats, repeat));
  if (earlier.count > 0) counts.understood.push_back(earlier_sentence(earlier));
  if (unlike.count > 0) counts.understood.push_back(unlike_sentence(unlike));
  if (headers > 0) {
    counts.understood.push_back(
        headers == 1 ? "1 line repeats the header and is no row"
                     : fmt::format("{} lines repeat the header and are no rows", headers));
  }
  if (counts.commented > 0) {
    counts.understood.push_back(
        fmt::format("{} with a # before {} {} not read, such as {}",
                    counted(counts.commented, "row"), counts.commented == 1 ? "it" : "them",
                    counts.commented == 1 ? "is" : "are", scalelaw::quoted(commented)));
  }
  if (counts.failed > 0) counts.failures = failed_sentence(counts.failed, failures);
}

void scan_tables(std::span<const std::string> paths, int threads, const RowOptions& options,
                 RowConsumer& consumer, Ranks* ranks) {
  std::optional<Progress> bar;
  if (ranks != nullptr && !ranks->leads()) {
    bar.emplace();
  } else if (options.progress && isatty(STDERR_FILENO) != 0) {
    bar.emplace("reading", total_bytes(paths));
  }
  for_each_row_block(paths, threads, consumer, bar ? &*bar : nullptr, ranks, options.layout);
}

std::vector<std::string> messages_of(std::span<const BadRow> rows,
                                     std::span<const std::string> paths, const TextLayout& layout) {
  std::vector<std::string> messages;
  for (const BadRow& row : rows) {
    const std::string place = place_of_row(paths[row.file], row.offset, row.line, layout);
    messages.push_back(fmt::format("{}: {}", place, row.message));
  }
  return messages;
}

std::string missing_sentence(const RowCounts& rows) {
  const std::string text = part_of(rows.missing, rows.read, "row", "has", "have") + " no value";
  const auto& in = rows.missing_in;
  if (in.size() == 1) return fmt::format("{} of '{}'", text, column_label(in.front().column).name);
  return text + joined_texts(in, ", ", [&in](const RowCounts::Missing& one) {
           return fmt::format("{}{} of '{}'", &one == in.data() ? ": " : "", one.rows,
                              column_label(one.column).name);
         });
}

bool can_keep_failed(const RowCounts& rows) { return rows.failed > rows.failed_cells; }

void refuse_nothing(const RowCounts& rows, std::span<const std::string> paths,
                    std::span<const std::string> where, std::string_view x) {
  if (rows.read == 0) {
    const std::string more =
        paths.size() > 1 ? fmt::format(" (nor in {} more files)", paths.size() - 1) : "";
    throw data_error("{}: there are no rows below the header{}", input_name(paths.front()), more);
  }
  if (rows.used == 0 && rows.filtered == rows.read) {
    const std::string clues = where_clues(where, paths);
    throw data_error("no row is left: --where left out {}{}{}",
                     rows.read == 1 ? "the only row" : fmt::format("all {} rows", rows.read),
                     clues.empty() ? "" : "; ", clues);
  }
  if (rows.used == 0) {
    const auto& in = rows.missing_in;
    const bool lacks_x = in.size() == 1 && column_label(in.front().column).name == x;
    throw data_error(
        "no row can be used: of {}, {} without a value{}, {} malformed, {} left out by "
        "--where{}{}{}{}",
        counted(rows.read, "row"), rows.missing,
        in.empty()
            ? ""
            : " of " + joined_texts(in, " or ",
                                    [](const RowCounts::Missing& one) {
                                      return fmt::format("'{}'", column_label(one.column).name);
                                    }),
        rows.bad, rows.filtered,
        rows.steps == 0 ? "" : fmt::format(", {} of job steps", rows.steps),
        rows.repeats == 0 ? "" : fmt::format(", {} of jobs in several files", rows.repeats),
        rows.failed == 0        ? ""
        : can_keep_failed(rows) ? fmt::format("; {} (--keep-failed uses them)", rows.failures)
                                : "; " + rows.failures,
        x == "gpus" && rows.missing == rows.read && lacks_x
            ? "; if gpus is empty because logs do not state it, ingest takes it from their names "
              "with --name-pattern '{model}-{gpus}gpu', or from a table with --jobs"
            : "");
  }
}

}  // namespace scalelaw
