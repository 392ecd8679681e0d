#include "study/night_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "scalelaw/base/date.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/night_order.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {
namespace {

/// Whether a column has more than one value among the first rows: a hint is not worth the time of
/// reading a large table twice.
bool has_several_values(TableRows& table, std::size_t column) {
  constexpr std::size_t kMostRows = 100000;
  if (!table.next()) return false;
  const std::string first = table.fields()[column];
  for (std::size_t row = 1; row < kMostRows && table.next(); ++row) {
    if (table.fields()[column] != first) return true;
  }
  return false;
}

/// Whether a table is several files, of which each may hold a night.
bool has_several_files(const Input& input) {
  return *input.first != input.path && expand_inputs({&input.path, 1}).size() > 1;
}

/// The place of a column that is called as those of nights are.
std::optional<std::size_t> place_of_nights(const TableRows& table) {
  for (const std::string_view name : kNightColumns) {
    if (const auto column = find_column(table.header(), name, table.source())) return column;
  }
  return std::nullopt;
}

/// The rows of nights with the cells of each column that has dates alone.
class DatesOfNights {
 public:
  using Rows = std::vector<std::pair<std::string, std::string>>;  ///< Night and date.

  DatesOfNights(const std::string& column, const std::vector<std::string>& nights,
                std::span<const std::string> where)
      : column_(column), nights_(nights.begin(), nights.end()) {
    for (const std::string& condition : where) where_.emplace_back(condition);
  }

  void add(TableRows table) {
    const std::vector<std::string>& names = table.header().names;
    const auto nights = find_column(table.header(), column_, table.source());
    if (!nights) return;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i != *nights) columns_.try_emplace(names[i]);
    }
    while (table.next()) {
      const std::vector<std::string>& row = table.fields();
      if (!nights_.contains(row[*nights]) || !is_wanted(table)) continue;
      ++rows_;
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto place = columns_.find(names[i]);
        if (place == columns_.end()) continue;
        if (read_date(row[i])) {
          place->second.emplace_back(row[*nights], row[i]);
        } else {
          columns_.erase(place);
        }
      }
    }
  }

  /// The columns that have a date in every row.
  std::map<std::string, Rows> columns() const {
    std::map<std::string, Rows> found = columns_;
    std::erase_if(found, [this](const auto& one) { return one.second.size() != rows_; });
    return found;
  }

 private:
  bool is_wanted(const TableRows& table) const {
    return std::ranges::all_of(where_, [&table](const RowFilter& filter) {
      const auto place = find_column(table.header(), filter.column(), table.source());
      return !place || filter.holds(table.fields()[*place], '.', table.header().names[*place]);
    });
  }

  std::string column_;
  std::set<std::string> nights_;
  std::vector<RowFilter> where_;
  std::size_t rows_ = 0;
  std::map<std::string, Rows> columns_;  ///< Those that may have dates alone.
};

[[noreturn]] void refuse_unordered(const Input& input, const std::string& column,
                                   const std::vector<std::string>& nights,
                                   const std::map<std::string, DatesOfNights::Rows>& dates) {
  const std::string values = fmt::format("{}, {}", nights.front(), nights.back());
  if (dates.empty()) {
    throw DataError(fmt::format(
        "{0}: the values of '{1}' ({2}, ...) have no order of their own, and no column of dates "
        "tells which one is the newest. Add a column of dates to the table, or give the new runs "
        "as a table of their own: scalelaw gate BASE NEW",
        input.name(), column, values));
  }
  const std::string names =
      joined_texts(dates, ", ", [](const auto& one) { return "'" + one.first + "'"; });
  throw DataError(fmt::format(
      "{0}: the values of '{1}' ({2}, ...) have no order of their own, and the dates in {3} do not "
      "put them into one order either. --night {4} judges the newest date",
      input.name(), column, values, names, shell_word(dates.begin()->first)));
}

}  // namespace

NightsInOrder nights_in_order(const Input& input, const std::string& column,
                              std::vector<std::string> nights, std::span<const std::string> where) {
  if (auto own = in_own_order(nights, column)) return {*std::move(own)};
  DatesOfNights read(column, nights, where);
  if (input.first) {
    for (const std::string& file : expand_inputs({&input.path, 1})) read.add(TableRows(file));
  }
  const auto dates = read.columns();
  std::optional<NightsInOrder> found;
  for (const auto& [name, rows] : dates) {
    auto order = in_order_of_dates(rows);
    if (!order) continue;
    if (found && found->nights != *order) refuse_unordered(input, column, nights, dates);
    if (!found) found = NightsInOrder{*std::move(order), name};
  }
  if (!found) refuse_unordered(input, column, nights, dates);
  return *std::move(found);
}

std::string night_column_of(const Input& input) {
  if (!input.first) return "";
  TableRows table(*input.first);
  const auto column = place_of_nights(table);
  if (!column) return "";
  const bool has_several = has_several_files(input) || has_several_values(table, *column);
  return has_several ? table.header().names[*column] : "";
}

std::string night_column_of(std::span<const std::string> paths) {
  const std::vector<std::string> files = expand_inputs(paths);
  const Input first = input_at(files.front());
  if (files.size() == 1 || !first.first) return night_column_of(first);
  const TableRows table(*first.first);
  const auto column = place_of_nights(table);
  return column ? table.header().names[*column] : "";
}

bool has_night_column(const Input& input, const std::string& night) {
  return input.first && find_column(TableRows(*input.first).header(), night, input.path);
}

std::function<std::vector<Cell>(const GroupKey& group)> runs_in(const GroupedCells& runs) {
  return [runs](const GroupKey& group) {
    std::vector<Cell> cells;
    if (const auto place = runs.find(group)) runs.cells(*place, cells);
    return cells;
  };
}

std::vector<std::string> nights_of(const SavedFits& all) {
  std::vector<std::string> nights;
  for (const GroupFit& group : all.groups) nights.push_back(group.group.back());
  return nights;
}

std::vector<SavedFits> divided_by_night(SavedFits all, std::span<const std::string> nights) {
  std::map<std::string, std::vector<GroupFit>> groups;
  for (GroupFit& group : std::exchange(all.groups, {})) {
    std::string night = group.group.back();
    group.group.pop_back();
    groups[std::move(night)].push_back(std::move(group));
  }
  all.by.pop_back();
  std::vector<SavedFits> fits;
  for (const std::string& night : nights) {
    SavedFits& study_of_night = fits.emplace_back(all);
    study_of_night.night = night;
    study_of_night.runs_of = [night, all_runs = all.runs_of](GroupKey of_group) {
      of_group.push_back(night);
      return all_runs(of_group);
    };
    study_of_night.groups = std::move(groups[night]);
  }
  return fits;
}

}  // namespace scalelaw
