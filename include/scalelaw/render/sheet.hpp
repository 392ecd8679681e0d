#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/figure_levels.hpp"
#include "scalelaw/render/table.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {

/// The value of a cell as programs read it: nothing, a truth, a count, a number with all its
/// digits, or text. A number that is not finite is written as nothing.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

/// How people see the numbers of a column.
struct Shown {
  enum class As : std::uint8_t {
    kSignificant,
    kFixed,
    kSigned,
    kPercent,
    kSignedPercent,
    kP,
    kScale
  };
  As as = As::kSignificant;
  int digits = 4;  ///< Significant digits, or decimals of the fixed ones.
};

constexpr Shown significant(int digits) { return {Shown::As::kSignificant, digits}; }
constexpr Shown decimals(int digits) { return {Shown::As::kFixed, digits}; }
constexpr Shown signed_decimals(int digits) { return {Shown::As::kSigned, digits}; }
/// Shows a share as "12.5 %".
constexpr Shown percent(int digits) { return {Shown::As::kPercent, digits}; }
/// The same with its sign: "+12.5 %".
constexpr Shown signed_percent(int digits) { return {Shown::As::kSignedPercent, digits}; }
constexpr Shown p_value() { return {Shown::As::kP, 0}; }
constexpr Shown scale_value() { return {Shown::As::kScale, 0}; }

/// A number as people see it; "-" where it is not finite. What rounds to zero has no minus sign.
std::string shown_text(double value, Shown shown);
std::string shown_text(const std::optional<double>& value, Shown shown);

/// "0.861 .. 0.889"; "open" stands for an end that is not finite, "-" where there is no interval.
std::string interval_text(const std::optional<Interval>& interval, Shown shown);
/// The same with the decimals that suit an estimate with that standard error.
std::string interval_text(const std::optional<Interval>& interval, const std::optional<double>& se);

/// The same where `text_of_end` writes the ends that are finite.
std::string interval_text(const std::optional<Interval>& interval,
                          const std::function<std::string(double)>& text_of_end,
                          std::string_view between = " .. ");

/// "0.875 ± 0.013"; the estimate alone where it has no standard error.
std::string with_error(const Estimate& estimate);

/// The names of `codes` in one text, as cells list them.
template <class Codes>
std::string names_of(const Codes& codes, std::string_view separator = ";") {
  return joined_texts(codes, separator, [](const auto& code) { return name_of(code); });
}

/// A pointer to a value that may be missing; null if it is.
template <class T>
const T* pointer_to(const T& value) {
  return &value;
}
template <class T>
const T* pointer_to(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

/// A member of the object to which `pointer` points; nothing if it is null.
template <class T, class Base, class Member>
auto member_of(const T* pointer, Member Base::*member) {
  using Result = decltype(std::optional(pointer->*member));  // An optional member stays one.
  return pointer != nullptr ? Result(pointer->*member) : Result();
}

/// Whether people read the format; programs read CSV and TSV.
bool is_for_people(Format format);

/// A row of a sheet: a result, or the reason why its group has none.
struct SheetRow {
  const GroupKey* group = nullptr;
  const void* result = nullptr;  ///< Of the sheet's row type; null for a group without one.
  const NoFit* failure = nullptr;
};

/// A column of a sheet. Programs read `value`; people see `text`, or else `value` as `shown`.
struct SheetColumn {
  std::string name;  ///< As in the header of CSV and in --columns.
  /// The value of a row, whose text may live in `scratch`. Columns for people alone have none.
  std::function<Value(const SheetRow& row, std::string& scratch)> value = {};
  std::function<std::string(const SheetRow& row, Shown shown)> text = {};
  Shown shown = {};
  bool is_number = false;  ///< People see "-" for an undefined number, nothing for a text.
  Align align = Align::kLeft;
  Tone tone = Tone::kPlain;
  Figures needs = Figures::kEstimates;  ///< The figures that it reads of a Fit.
  bool on_request = false;              ///< CSV has it only where --columns names it.
  bool is_detail = false;               ///< A short table has it only with --details.
  bool is_key = false;                  ///< It tells rows apart.
  bool is_group = false;                ///< It is a group column.
  std::string title = {};               ///< The head of the column for people; the name if empty.
};

/// Names of the columns of an estimate; the interval has NAME_lower and NAME_upper besides.
struct EstimateNames {
  std::string estimate;
  std::string se;
  std::string ci;
};

/// A column that tells rows apart, by the group or by a setting within it. If another column that
/// the format may write has its name, it gets the prefix, as often as needed. Groups without a
/// result have no settings, so that these cells of their rows are empty.
struct KeyColumn {
  std::string name;
  std::string prefix = "group_";
  Align align = Align::kLeft;
};

/// The columns of a result, without the type of its rows. Those of the keys come first, then those
/// of the result, in the order of the CSV. Tables for people show some of them under titles.
class Columns {
 public:
  /// The type of the rows.
  std::type_index row_type() const { return row_type_; }

  /// Adds a column and returns its place.
  std::size_t append(SheetColumn column);
  /// Adds the columns of an interval and returns the place of the one for people; adds the columns
  /// of an estimate and returns the place of the estimate.
  std::size_t append_interval(
      const std::string& name,
      const std::function<std::optional<Interval>(const SheetRow&)>& interval_of);
  std::size_t append_estimate(const EstimateNames& names,
                              const std::function<const Estimate*(const SheetRow&)>& estimate_of);
  /// Adds "code" and "message". In a row with a result they say why a part of it is missing.
  void append_failure(const std::function<const NoFit*(const SheetRow&)>& failure_of);
  SheetColumn& at(std::size_t place) { return columns_[place]; }
  std::size_t size() const { return columns_.size(); }
  /// @throws std::invalid_argument if there is no column of that name.
  std::size_t place_of(std::string_view name) const;
  /// CSV has the columns from `first` on only where --columns names them.
  void keep_for_request(std::size_t first);

  /// Adds "status", which is "ok" or "failed". With it, groups without a result have rows, too.
  void add_status();
  /// Adds "code" and "message": why a group has no result.
  void add_failure() {
    append_failure([](const SheetRow&) -> const NoFit* { return nullptr; });
  }
  bool lists_failures() const { return has("status"); }

  /// Shows a column to people, behind those that are shown already.
  /// @throws std::invalid_argument if there is no column of that name.
  void show(std::string_view name, std::string title);

  bool has(std::string_view name) const;

  /// Keys also make way for the names of the columns of `other`. Two sheets of one result, for
  /// people and for programs, then call their keys alike.
  void reserve_names_of(const Columns& other);

  /// The columns that a style writes: the named ones in their order, or else the usual ones.
  /// @throws DataError if a name is not known, with the nearest one, or stands twice.
  std::vector<SheetColumn> chosen(const TableStyle& style) const;
  /// Checks the names of `style` for a format without columns, such as JSON.
  /// @throws DataError if CSV would not know one of them.
  void refuse_unknown(const TableStyle& style) const;
  /// The columns of a table that shows nothing but titles, as in a report: those that people see,
  /// with keys that bear no other column's title.
  std::vector<SheetColumn> titled() const;

 protected:
  Columns(std::vector<KeyColumn> keys, std::type_index row_type)
      : row_type_(row_type), keys_(std::move(keys)) {}

 private:
  /// @param is_taken  Tells whether a column of the result bears that name.
  std::vector<SheetColumn> key_columns(const std::function<bool(std::string_view)>& is_taken) const;
  /// Appends the columns that people see.
  void append_shown(std::vector<SheetColumn>& columns, bool with_details) const;

  std::type_index row_type_;
  std::vector<KeyColumn> keys_;
  std::vector<SheetColumn> columns_;
  std::vector<std::string> reserved_;
  std::vector<std::pair<std::size_t, std::string>> shown_;  ///< For people: a place and its title.
};

/// Columns of groups.
std::vector<KeyColumn> keys_of(const std::vector<std::string>& by);

/// @throws std::invalid_argument if rows of one type are given to a sheet of another.
void require_rows(std::type_index expected, std::type_index given);

/// Describes a result with rows of one type. Every format is made from its columns.
template <class Row>
class Sheet : public Columns {
 public:
  explicit Sheet(std::vector<KeyColumn> keys) : Columns(std::move(keys), typeid(Row)) {}
  /// @param by  Names of the group columns.
  explicit Sheet(const std::vector<std::string>& by) : Sheet(keys_of(by)) {}

  /// The column that was added last, to say more about it.
  class Entry {
   public:
    Entry(Columns& sheet, std::size_t place) : sheet_(sheet), place_(place) {}

    Entry as(Shown shown) const { return with(&SheetColumn::shown, shown); }
    Entry left() const { return with(&SheetColumn::align, Align::kLeft); }
    Entry right() const { return with(&SheetColumn::align, Align::kRight); }
    Entry toned(Tone tone) const { return with(&SheetColumn::tone, tone); }
    Entry needs(Figures figures) const { return with(&SheetColumn::needs, figures); }
    Entry on_request() const { return with(&SheetColumn::on_request, true); }
    /// A statistic that needs a textbook: a short table has it only with --details.
    Entry detail() const { return with(&SheetColumn::is_detail, true); }
    /// It tells rows of a group apart: tables that are stacked repeat it.
    Entry key() const { return with(&SheetColumn::is_key, true); }
    /// What people see instead of the value: text(const Row&) returns a std::string.
    template <class Text>
    Entry seen_as(Text text) const {
      return with(&SheetColumn::text, text_of(std::move(text)));
    }
    /// Shows the column to people under that title, behind those that are shown already.
    Entry titled(std::string title) const {
      sheet_.show(column().name, std::move(title));
      return *this;
    }

   private:
    SheetColumn& column() const { return sheet_.at(place_); }
    template <class Trait, class Given>
    Entry with(Trait SheetColumn::*trait, Given given) const {
      column().*trait = std::move(given);
      return *this;
    }

    Columns& sheet_;
    std::size_t place_;
  };

  /// A column that was added before, to say more about it.
  Entry named(std::string_view name) { return {*this, place_of(name)}; }

  /// Adds a column. `get(const Row&)` returns a double, a whole number, a bool or a text, or one of
  /// these as an optional. It may be a member of Row.
  template <class Get>
  Entry add(std::string name, Get get) {
    using Result = std::decay_t<std::invoke_result_t<Get, const Row&>>;
    constexpr bool is_number = !kIsText<Result>;
    return {*this, append({.name = std::move(name),
                           .value = value_of(std::move(get)),
                           .is_number = is_number,
                           .align = is_number ? Align::kRight : Align::kLeft})};
  }

  /// Adds a column that only people see. text(const Row&) returns a std::string.
  template <class Text>
  Entry for_people(std::string name, Text text) {
    return {*this, append({.name = std::move(name), .text = text_of(std::move(text))})};
  }

  /// Adds NAME_lower and NAME_upper, and for people NAME, such as "0.861 .. 0.889". `get(const
  /// Row&)` returns a std::optional<Interval>.
  template <class Get>
  Entry interval(const std::string& name, Get get) {
    return {*this, append_interval(name, [get](const SheetRow& row) {
              return std::optional<Interval>(std::invoke(get, row_of(row)));
            })};
  }

  using Columns::add_failure;
  /// The same where get(const Row&) points to why a part of the result is missing, or is null.
  template <class Get>
  void add_failure(Get get) {
    append_failure([get](const SheetRow& row) -> const NoFit* { return get(row_of(row)); });
  }

  /// Adds NAME, NAME_se, NAME_ci_lower and NAME_ci_upper, and for people NAME_ci. `get(const Row&)`
  /// returns a pointer to an Estimate or null. All have the decimals of the standard error.
  template <class Get>
  Entry estimate(const std::string& name, Get get) {
    return estimate({.estimate = name, .se = name + "_se", .ci = name + "_ci"}, std::move(get));
  }
  /// The same under names that do not follow the rule.
  template <class Get>
  Entry estimate(const EstimateNames& names, Get get) {
    return {*this, append_estimate(names, [get](const SheetRow& row) -> const Estimate* {
              return get(row_of(row));
            })};
  }

  /// Adds columns of a part of the row that may be missing.
  template <class Get>
  class PartOfRow {
   public:
    PartOfRow(Sheet& sheet, Get part_of) : sheet_(sheet), part_of_(std::move(part_of)) {}

    /// Adds a column of a member of the part, or of what a function makes of it. An enumerator is
    /// shown by its name.
    template <class Member>
    Entry add(std::string name, Member member) const {
      return sheet_.add(std::move(name), [part_of = part_of_, member](const Row& row) {
        const auto* const part = std::invoke(part_of, row);
        using Result = decltype(std::optional(std::invoke(member, *part)));
        if constexpr (std::is_enum_v<typename Result::value_type>) {
          return part != nullptr ? name_of(std::invoke(member, *part)) : std::string_view();
        } else {
          return part != nullptr ? Result(std::invoke(member, *part)) : Result();
        }
      });
    }
    /// Adds NAME_lower and NAME_upper, and for people NAME.
    template <class Member>
    Entry interval(const std::string& name, Member member) const {
      return sheet_.interval(name, [part_of = part_of_, member](const Row& row) {
        const auto* const part = std::invoke(part_of, row);
        using Ends = std::optional<Interval>;
        return part != nullptr ? Ends(std::invoke(member, *part)) : Ends();
      });
    }
    /// Adds the columns of Sheet::estimate(); the member may be an optional.
    template <class Member>
    Entry estimate(const std::string& name, Member member) const {
      return sheet_.estimate(name, part(member).part_of_);
    }
    /// Adds NAME, NAME_ci_lower and NAME_ci_upper, and for people NAME_ci.
    template <class Member, class Ends>
    void bounded(const std::string& name, Member value, Ends ci, Shown shown = {}) const {
      add(name, value).as(shown);
      interval(name + "_ci", ci).as(shown);
    }

    /// A member of the part, which may be an optional, as a part of its own.
    template <class Member>
    auto part(Member member) const {
      return sheet_.part([part_of = part_of_, member](const Row& row) {
        const auto* const whole = std::invoke(part_of, row);
        return whole != nullptr ? pointer_to(std::invoke(member, *whole)) : nullptr;
      });
    }

    /// What people see of the part, for Entry::seen_as(); "-" where it is missing.
    template <class Text>
    auto seen(Text text) const {
      return [part_of = part_of_, text](const Row& row) {
        const auto* const part = std::invoke(part_of, row);
        return part != nullptr ? std::string(std::invoke(text, *part)) : std::string("-");
      };
    }
    /// Adds a column that only people see.
    template <class Text>
    Entry for_people(std::string name, Text text) const {
      return sheet_.for_people(std::move(name), seen(std::move(text)));
    }

   private:
    template <class Other>
    friend class PartOfRow;

    Sheet& sheet_;
    Get part_of_;
  };

  /// `part_of` is a member or a function of the row that gives a pointer or null.
  template <class Get>
  PartOfRow<Get> part(Get part_of) {
    return {*this, std::move(part_of)};
  }

 private:
  /// Of a type or of an optional of it.
  template <class T>
  static constexpr bool kIsText =
      std::is_convertible_v<typename decltype(std::optional(std::declval<T>()))::value_type,
                            std::string_view>;

  static const Row& row_of(const SheetRow& row) { return *static_cast<const Row*>(row.result); }

  template <class Get>
  static auto value_of(Get get) {
    return [get](const SheetRow& row, std::string& scratch) {
      return row.result != nullptr ? to_value(std::invoke(get, row_of(row)), scratch) : Value();
    };
  }
  template <class Text>
  static auto text_of(Text text) {
    return [text](const SheetRow& row, Shown) { return std::string(text(row_of(row))); };
  }

  template <class T>
  static Value to_value(T&& value, std::string& scratch) {
    using Type = std::decay_t<T>;
    if constexpr (requires { value.has_value(); }) {
      return value ? to_value(*std::forward<T>(value), scratch) : Value();
    } else if constexpr (std::is_same_v<Type, bool>) {
      return value;
    } else if constexpr (std::is_integral_v<Type>) {
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::is_floating_point_v<Type>) {
      return static_cast<double>(value);
    } else if constexpr (std::is_same_v<Type, std::string> && !std::is_lvalue_reference_v<T>) {
      scratch = std::move(value);
      return std::string_view(scratch);
    } else {
      return std::string_view(value);
    }
  }
};

/// Rows of a sheet as a table for people.
class SheetTable {
 public:
  /// @param columns  As Columns::chosen() returns them.
  /// @param sortable  Whether cells get the number that they are sorted by: the value of their
  ///                  column, or that which its text says.
  SheetTable(std::vector<SheetColumn> columns, std::type_index row_type, bool sortable);
  /// The table that a report shows of a sheet, sortable.
  explicit SheetTable(const Columns& sheet);

  /// @throws std::invalid_argument if `row` is not of the type of the sheet's rows.
  template <class Row>
  void add(const GroupKey& group, const Row& row) {
    require_rows(row_type_, typeid(Row));
    write({.group = &group, .result = &row});
  }
  /// The same without a check of the type.
  void write(const SheetRow& row);
  void begin_part() { table_.begin_part(); }
  const TextTable& table() const { return table_; }
  TextTable take() { return std::move(table_); }

 private:
  std::vector<SheetColumn> columns_;
  std::type_index row_type_;
  bool sortable_;
  TextTable table_;
  std::vector<std::string> texts_;  ///< Of one row.
  std::string scratch_;
};

class RowWriter;

/// The words around a table for people.
struct TableWords {
  std::vector<std::string> answer = {};  ///< What was asked, in full sentences; above the table.
  std::string caption = {};              ///< What the table has; only text and LaTeX show it.
  std::vector<std::string> lines = {};   ///< What the rows mean and what to doubt; below the table.
};

/// Rows of a sheet on their way to a text: CSV and TSV as they come, tables for people at the end.
class SheetWriter {
 public:
  /// @throws DataError if `style` names a column that the sheet does not have.
  SheetWriter(const Columns& sheet, const TableStyle& style, TextSink sink);
  SheetWriter(SheetWriter&&) noexcept;
  ~SheetWriter();

  /// The figures of a Fit that the chosen columns read.
  Figures figures() const;
  bool is_for_people() const { return for_people_; }
  /// @throws std::invalid_argument if `row` is not of the type of the sheet's rows.
  template <class Row>
  void add(const GroupKey& group, const Row& row) {
    require_rows(row_type_, typeid(Row));
    write({.group = &group, .result = &row});
  }
  /// The same for a sheet without keys.
  template <class Row>
  void add(const Row& row) {
    require_rows(row_type_, typeid(Row));
    write({.result = &row});
  }
  /// A group without a result: a row where the sheet has a status, but none in tables for people.
  void add(const GroupKey& group, const NoFit& failure);
  /// Lets the next row begin a new part of a table for people.
  void begin_part();
  /// The same if the first of several group columns has another value than in the last call.
  void begin_part_of(const GroupKey& group);
  /// Call this once. Tables for people get their words.
  void finish(const TableWords& words = {});

 private:
  void write(const SheetRow& row);

  std::vector<SheetColumn> columns_;
  std::type_index row_type_;
  bool lists_failures_;
  bool for_people_;
  std::unique_ptr<RowWriter> rows_;
  std::string part_;  ///< The first group column of the rows of this part.
};

}  // namespace scalelaw
