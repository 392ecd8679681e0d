#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/input.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The nights that a column names, the oldest first.
struct NightsInOrder {
  std::vector<std::string> nights;
  std::string dates = {};  ///< The column of dates that tells the order; empty: they tell it.
};

/// The order of the nights that a column of a run table names: that which they have by themselves
/// (in_own_order()), else that of the one column of dates or times in the table that orders them.
/// @param where  Conditions on the rows.
/// @throws DataError if nothing tells the order.
NightsInOrder nights_in_order(const Input& input, const std::string& column,
                              std::vector<std::string> nights, std::span<const std::string> where);

/// A column of a run table that seems to name nights, because of its name and as it has several
/// values; empty: none.
std::string night_column_of(const Input& input);
/// The same of several tables, each of which may hold one night.
std::string night_column_of(std::span<const std::string> paths);

/// Whether a run table has a column.
bool has_night_column(const Input& input, const std::string& night);

/// Finds the runs of a group, for SavedFits::runs_of.
std::function<std::vector<Cell>(const GroupKey& group)> runs_in(const GroupedCells& runs);

/// The nights of fits by groups and nights, which are the last group column; each is there once
/// for each of its groups.
std::vector<std::string> nights_of(const SavedFits& all);

/// Fits by groups and nights as one study per night, in the order of the nights.
std::vector<SavedFits> divided_by_night(SavedFits all, std::span<const std::string> nights);

}  // namespace scalelaw
