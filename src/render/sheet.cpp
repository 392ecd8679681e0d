#include "scalelaw/render/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/ranges.hpp"
#include "render/buffered_text.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/kept_sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kUndefined = "-";

Value number(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

/// How people see a value that has no text of its own.
std::string text_of(const Value& value, const SheetColumn& column) {
  if (const double* const number = std::get_if<double>(&value)) {
    return shown_text(*number, column.shown);
  }
  if (const auto* const count = std::get_if<std::int64_t>(&value)) return fmt::to_string(*count);
  if (const bool* const truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* const text = std::get_if<std::string_view>(&value)) return std::string(*text);
  return column.is_number ? std::string(kUndefined) : std::string();
}

[[noreturn]] void throw_unknown_column(const std::string& name,
                                       std::span<const SheetColumn> choices) {
  std::vector<std::string> names;
  for (const SheetColumn& column : choices) names.push_back(column.name);
  const auto near = nearest(name, names);
  throw DataError(fmt::format("--columns: there is no column '{}'{}; columns are: {}", name,
                              near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                              joined(names)));
}

const SheetColumn* find_column(std::span<const SheetColumn> columns, std::string_view name) {
  return first_where(columns, [name](const SheetColumn& column) { return column.name == name; });
}

bool is_written(const SheetColumn& column, Format format) {
  return is_for_people(format) || column.value;
}

SheetColumn text_column(std::string name, auto value) {
  return {.name = std::move(name), .value = std::move(value)};
}

}  // namespace

/// Writes rows in a family of formats.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void write(std::span<const SheetColumn> columns, const SheetRow& row) = 0;
  virtual void begin_part() {}
  virtual void finish(const TableWords& words) = 0;
};

namespace {

/// Where a call of a program keeps this sheet; null if there is none, or it keeps another one.
KeptSheet* kept_sheet_for(std::span<const SheetColumn> columns) {
  const CallContext* const call = current_call();
  KeptSheet* const sheet = call != nullptr ? call->sheet() : nullptr;
  return sheet != nullptr && sheet->begin(columns) ? sheet : nullptr;
}

class DelimitedRows final : public RowWriter {
 public:
  DelimitedRows(std::span<const SheetColumn> columns, char separator, TextSink sink)
      : separator_(separator),
        is_single_(columns.size() == 1),
        out_(std::move(sink)),
        kept_(kept_sheet_for(columns)) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out_.text() += separator_;
      append_text(columns[i].name);
    }
    end_row();
  }

  void write(std::span<const SheetColumn> columns, const SheetRow& row) override {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out_.text() += separator_;
      const Value value = columns[i].value(row, scratch_);
      append(value);
      if (kept_ != nullptr) kept_->add(i, value);
    }
    end_row();
  }

  void finish(const TableWords&) override { out_.pass_on(); }

 private:
  void append(const Value& value) {
    if (const double* const number = std::get_if<double>(&value);
        number && std::isfinite(*number)) {
      append_exact(out_.text(), *number);
    } else if (const auto* const count = std::get_if<std::int64_t>(&value)) {
      const fmt::format_int digits(*count);
      out_.text().append(digits.data(), digits.size());
    } else if (const bool* const truth = std::get_if<bool>(&value)) {
      out_.text() += *truth ? "true" : "false";
    } else if (const auto* const text = std::get_if<std::string_view>(&value)) {
      append_text(*text);
    } else {
      append_text("");
    }
  }

  void append_text(std::string_view text) {
    // A row of one empty field would be an empty line, which readers skip.
    if (is_single_ && text.empty()) {
      out_.text() += "\"\"";
    } else {
      append_delimited(out_.text(), text, separator_);
    }
  }

  void end_row() {
    out_.text() += '\n';
    out_.pass_on_if_full();
  }

  char separator_;
  bool is_single_;
  BufferedText out_;
  KeptSheet* kept_;
  std::string scratch_;
};

std::vector<TableColumn> table_columns(std::span<const SheetColumn> columns) {
  std::vector<TableColumn> table;
  for (const SheetColumn& column : columns) {
    table.push_back({.header = column.title.empty() ? column.name : column.title,
                     .align = column.align,
                     .tone = column.tone,
                     .is_key = column.is_key,
                     .is_group = column.is_group});
  }
  return table;
}

/// The number that a cell is sorted by.
std::optional<double> number_in(const Value& value) {
  if (const auto* const number = std::get_if<double>(&value)) return *number;
  if (const auto* const count = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*count);
  }
  const auto* const text = std::get_if<std::string_view>(&value);
  return text != nullptr ? parse_number(*text) : std::nullopt;
}

class PeopleRows final : public RowWriter {
 public:
  PeopleRows(std::span<const SheetColumn> columns, std::type_index row_type,
             const TableStyle& style, TextSink sink)
      : rows_({columns.begin(), columns.end()}, row_type, false),
        style_(style),
        sink_(std::move(sink)) {}

  void write(std::span<const SheetColumn>, const SheetRow& row) override {
    if (row.result != nullptr) rows_.write(row);
  }

  void begin_part() override { rows_.begin_part(); }

  void finish(const TableWords& words) override {
    write_noted_table(rows_.table(), words, style_, sink_);
  }

 private:
  SheetTable rows_;
  TableStyle style_;
  TextSink sink_;
};

std::unique_ptr<RowWriter> make_rows(std::span<const SheetColumn> columns, std::type_index row_type,
                                     const TableStyle& style, TextSink sink) {
  if (is_for_people(style.format)) {
    return std::make_unique<PeopleRows>(columns, row_type, style, std::move(sink));
  }
  return std::make_unique<DelimitedRows>(columns, style.format == Format::kTsv ? '\t' : ',',
                                         std::move(sink));
}

}  // namespace

std::string shown_text(double value, Shown shown) {
  if (!std::isfinite(value)) return std::string(kUndefined);
  switch (shown.as) {
    case Shown::As::kSignificant:
      return with_significant_digits(value, shown.digits);
    case Shown::As::kFixed:
      return fixed_text(value, shown.digits);
    case Shown::As::kSigned:
      return fixed_text(value, shown.digits, true);
    case Shown::As::kPercent:
      return fixed_text(100 * value, shown.digits) + " %";
    case Shown::As::kSignedPercent:
      return fixed_text(100 * value, shown.digits, true) + " %";
    case Shown::As::kP:
      return p_text(value);
    case Shown::As::kScale:
      return scale_text(value + 0.0);  // No "-0".
  }
  return {};
}

std::string shown_text(const std::optional<double>& value, Shown shown) {
  return value ? shown_text(*value, shown) : std::string(kUndefined);
}

std::string interval_text(const std::optional<Interval>& interval, Shown shown) {
  return interval_text(interval, [shown](double end) { return shown_text(end, shown); });
}

std::string interval_text(const std::optional<Interval>& interval,
                          const std::optional<double>& se) {
  return interval_text(interval, [&se](double end) { return rounded(end, se).estimate; });
}

std::string interval_text(const std::optional<Interval>& interval,
                          const std::function<std::string(double)>& text_of_end,
                          std::string_view between) {
  if (!interval) return std::string(kUndefined);
  const auto end = [&](double value) {
    return std::isfinite(value) ? text_of_end(value) : std::string("open");
  };
  return fmt::format("{}{}{}", end(interval->lower), between, end(interval->upper));
}

std::string with_error(const Estimate& estimate) {
  const RoundedEstimate text = rounded(estimate.estimate, estimate.se);
  return text.se.empty() ? text.estimate : fmt::format("{} ± {}", text.estimate, text.se);
}

bool is_for_people(Format format) { return format != Format::kCsv && format != Format::kTsv; }

std::vector<KeyColumn> keys_of(const std::vector<std::string>& by) {
  std::vector<KeyColumn> keys;
  for (const std::string& name : by) keys.push_back({.name = name});
  return keys;
}

void require_rows(std::type_index expected, std::type_index given) {
  if (given == expected) return;
  throw std::invalid_argument(
      fmt::format("a sheet of {} was given a row of {}", expected.name(), given.name()));
}

std::size_t Columns::append(SheetColumn column) {
  columns_.push_back(std::move(column));
  return columns_.size() - 1;
}

std::size_t Columns::append_interval(
    const std::string& name,
    const std::function<std::optional<Interval>(const SheetRow&)>& interval_of) {
  const auto end = [&](std::string_view suffix, double Interval::*member) {
    append({.name = fmt::format("{}_{}", name, suffix),
            .value = [interval_of, member](const SheetRow& row, std::string&) -> Value {
              const auto interval =
                  row.result != nullptr ? interval_of(row) : std::optional<Interval>();
              return interval ? Value((*interval).*member) : Value();
            },
            .is_number = true,
            .align = Align::kRight});
  };
  end("lower", &Interval::lower);
  end("upper", &Interval::upper);
  return append(
      {.name = name,
       .text = [interval_of](const SheetRow& row,
                             Shown shown) { return interval_text(interval_of(row), shown); },
       .is_number = true,
       .align = Align::kRight});
}

std::size_t Columns::append_estimate(
    const EstimateNames& names,
    const std::function<const Estimate*(const SheetRow&)>& estimate_of) {
  const auto estimate_in = [estimate_of](const SheetRow& row) {
    return row.result != nullptr ? estimate_of(row) : nullptr;
  };
  using Number = std::optional<double>;
  const auto number_column = [&](const std::string& name, auto value_of, auto text) {
    return append({.name = name,
                   .value =
                       [=](const SheetRow& row, std::string&) {
                         const Estimate* const estimate = estimate_in(row);
                         return estimate != nullptr ? number(value_of(*estimate)) : Value();
                       },
                   .text =
                       [=](const SheetRow& row, Shown) {
                         const Estimate* const estimate = estimate_in(row);
                         const auto value = estimate != nullptr ? value_of(*estimate) : Number();
                         const bool is_known = value && std::isfinite(*value);
                         return is_known ? text(*estimate, *value) : std::string(kUndefined);
                       },
                   .is_number = true,
                   .align = Align::kRight});
  };
  const auto as_estimate = [](const Estimate& estimate, double value) {
    return rounded(value, estimate.se).estimate;
  };
  const auto as_se = [](const Estimate& estimate, double value) {
    return rounded(estimate.estimate, value).se;
  };
  const std::size_t place = number_column(
      names.estimate, [](const Estimate& e) { return Number(e.estimate); }, as_estimate);
  number_column(
      names.se, [](const Estimate& e) { return e.se; }, as_se);
  const auto lower = [](const Estimate& e) { return e.ci ? Number(e.ci->lower) : std::nullopt; };
  const auto upper = [](const Estimate& e) { return e.ci ? Number(e.ci->upper) : std::nullopt; };
  number_column(names.ci + "_lower", lower, as_estimate);
  number_column(names.ci + "_upper", upper, as_estimate);
  append({.name = names.ci,
          .text =
              [estimate_in](const SheetRow& row, Shown) {
                const Estimate* const estimate = estimate_in(row);
                return estimate != nullptr ? interval_text(estimate->ci, estimate->se)
                                           : std::string(kUndefined);
              },
          .is_number = true,
          .align = Align::kRight});
  return place;
}

void Columns::add_status() {
  append(text_column("status", [](const SheetRow& row, std::string&) -> Value {
    return std::string_view(row.failure != nullptr ? "failed" : "ok");
  }));
}

void Columns::append_failure(const std::function<const NoFit*(const SheetRow&)>& failure_of) {
  const auto failure_in = [failure_of](const SheetRow& row) {
    return row.result != nullptr ? failure_of(row) : row.failure;
  };
  append(text_column("code", [failure_in](const SheetRow& row, std::string&) -> Value {
    const NoFit* const failure = failure_in(row);
    return failure != nullptr ? Value(name_of(failure->code)) : Value();
  }));
  append(text_column("message", [failure_in](const SheetRow& row, std::string&) -> Value {
    const NoFit* const failure = failure_in(row);
    return failure != nullptr ? Value(std::string_view(failure->message)) : Value();
  }));
}

void Columns::show(std::string_view name, std::string title) {
  shown_.emplace_back(place_of(name), std::move(title));
}

std::size_t Columns::place_of(std::string_view name) const {
  const SheetColumn* const column = find_column(columns_, name);
  if (column == nullptr) throw std::invalid_argument(fmt::format("no column {}", name));
  return static_cast<std::size_t>(column - columns_.data());
}

void Columns::keep_for_request(std::size_t first) {
  for (std::size_t i = first; i < columns_.size(); ++i) columns_[i].on_request = true;
}

bool Columns::has(std::string_view name) const { return find_column(columns_, name) != nullptr; }

void Columns::reserve_names_of(const Columns& other) {
  for (const SheetColumn& column : other.columns_) reserved_.push_back(column.name);
}

std::vector<SheetColumn> Columns::key_columns(
    const std::function<bool(std::string_view)>& is_taken) const {
  std::vector<SheetColumn> columns;
  const auto is_free = [&](std::string_view name) {
    const auto bears_it = [name](const KeyColumn& key) { return key.name == name; };
    return !is_taken(name) && find_column(columns, name) == nullptr && !any_of(keys_, bears_it);
  };
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const KeyColumn& key = keys_[i];
    std::string name = key.name;
    if (is_taken(name)) {
      do name.insert(0, key.prefix);
      while (!is_free(name));
    }
    columns.push_back(text_column(std::move(name), [i](const SheetRow& row, std::string&) -> Value {
      return i < row.group->size() ? std::string_view((*row.group)[i]) : std::string_view();
    }));
    columns.back().align = key.align;
    columns.back().is_key = true;
    columns.back().is_group = true;
  }
  return columns;
}

void Columns::append_shown(std::vector<SheetColumn>& columns, bool with_details) const {
  for (const auto& [place, title] : shown_) {
    if (columns_[place].is_detail && !with_details) continue;
    columns.push_back(columns_[place]);
    columns.back().title = title;
  }
}

std::vector<SheetColumn> Columns::titled() const {
  std::vector<SheetColumn> columns = key_columns([this](std::string_view name) {
    return any_of(shown_, [name](const auto& shown) { return shown.second == name; });
  });
  append_shown(columns, true);
  return columns;
}

std::vector<SheetColumn> Columns::chosen(const TableStyle& style) const {
  const Format format = style.format;
  const std::vector<std::string>& names = style.columns;
  const bool for_people = is_for_people(format);
  std::vector<SheetColumn> columns = key_columns([&](std::string_view name) {
    const SheetColumn* const column = find_column(columns_, name);
    return (column != nullptr && is_written(*column, format)) || contains(reserved_, name);
  });
  if (names.empty() && for_people) {
    append_shown(columns, style.shows_details());
    return columns;
  }
  for (const SheetColumn& column : columns_) {
    const bool is_wanted = !names.empty() || !column.on_request;
    if (is_wanted && is_written(column, format)) columns.push_back(column);
  }
  if (names.empty()) return columns;
  std::vector<SheetColumn> chosen;
  for (const std::string& name : names) {
    const SheetColumn* const column = find_column(columns, name);
    if (column == nullptr) throw_unknown_column(name, columns);
    if (find_column(chosen, name) != nullptr) {
      throw DataError(fmt::format("--columns: '{}' appears twice", name));
    }
    chosen.push_back(*column);
  }
  return chosen;
}

void Columns::refuse_unknown(const TableStyle& style) const {
  constexpr std::array kWithColumns{Format::kTable,    Format::kCsv,   Format::kTsv,
                                    Format::kMarkdown, Format::kLatex, Format::kHtml};
  const bool has_columns = contains(kWithColumns, style.format);
  if (!has_columns) chosen({.format = Format::kCsv, .columns = style.columns});
}

SheetTable::SheetTable(std::vector<SheetColumn> columns, std::type_index row_type, bool sortable)
    : columns_(std::move(columns)),
      row_type_(row_type),
      sortable_(sortable),
      table_(table_columns(columns_)),
      texts_(columns_.size()) {}

SheetTable::SheetTable(const Columns& sheet) : SheetTable(sheet.titled(), sheet.row_type(), true) {}

void SheetTable::write(const SheetRow& row) {
  std::vector<std::optional<double>> numbers(sortable_ ? columns_.size() : 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const SheetColumn& column = columns_[i];
    const bool reads_value = column.value && (sortable_ || !column.text);
    const Value value = reads_value ? column.value(row, scratch_) : Value();
    if (sortable_) numbers[i] = number_in(value);
    texts_[i] = column.text ? column.text(row, column.shown) : text_of(value, column);
  }
  if (!sortable_) return table_.add_row(texts_);
  std::vector<TableCell> cells;
  for (std::size_t i = 0; i < texts_.size(); ++i) cells.push_back({texts_[i], numbers[i]});
  table_.add_row(cells);
}

SheetWriter::SheetWriter(const Columns& sheet, const TableStyle& style, TextSink sink)
    : columns_(sheet.chosen(style)),
      row_type_(sheet.row_type()),
      lists_failures_(sheet.lists_failures()),
      for_people_(scalelaw::is_for_people(style.format)),
      rows_(make_rows(columns_, row_type_, style, std::move(sink))) {}

SheetWriter::SheetWriter(SheetWriter&&) noexcept = default;
SheetWriter::~SheetWriter() = default;

Figures SheetWriter::figures() const {
  Figures most = Figures::kEstimates;
  for (const SheetColumn& column : columns_) most = std::max(most, column.needs);
  return most;
}

void SheetWriter::add(const GroupKey& group, const NoFit& failure) {
  if (lists_failures_) write({.group = &group, .failure = &failure});
}

void SheetWriter::begin_part() { rows_->begin_part(); }

void SheetWriter::begin_part_of(const GroupKey& group) {
  if (group.size() < 2 || group.front() == part_) return;
  rows_->begin_part();
  part_ = group.front();
}

void SheetWriter::finish(const TableWords& words) { rows_->finish(words); }

void SheetWriter::write(const SheetRow& row) { rows_->write(columns_, row); }

}  // namespace scalelaw
