#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw::cli {

using NightOrder = bool (*)(const std::string& a, const std::string& b);

/// The order of the nights that a column names: that of groups, but digits within words by their
/// value, n2 before n10; that of versions, 1.9 before 1.10, where the column names versions.
NightOrder order_of_nights(std::string_view column);

/// A column of a run table that seems to name nights, because of its name and as it has several
/// values; empty: none.
std::string night_column_of(const std::string& path);
/// The same of several tables, each of which may hold one night.
std::string night_column_of(std::span<const std::string> paths);

/// Whether a run table has a column.
bool has_night_column(const std::string& path, const std::string& night);

/// Finds the runs of a group, for SavedFits::runs_of.
std::function<std::vector<Cell>(const GroupKey& group)> runs_in(const GroupedCells& runs);

/// Fits by groups and nights, which are the last group column, as one study per night, the oldest
/// first.
std::vector<SavedFits> divided_by_night(SavedFits all);

}  // namespace scalelaw::cli
