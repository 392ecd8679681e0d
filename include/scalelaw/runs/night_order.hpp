#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalelaw {

/// The different values of a column that names nights or versions, the oldest first, if they tell
/// their order by themselves; empty if they do not.
///
/// These have an order: dates that read_date() reads; numbers (2 before 10, 1k before 2k); values
/// that differ in their numbers alone (n2 before n10, 2026-W03); and versions, with or without a
/// word before all of them (1.9 before 1.10, torch-2.1.0rc1 before torch-2.1.0). Names and hashes
/// of commits have none, nor have dates with the year last or the month as a word. A text of 7
/// hexadecimal digits or more counts as a hash if it has a letter; beside one, digits alone are no
/// number.
/// @param header  The name of the column, which may say that it holds versions.
std::optional<std::vector<std::string>> in_own_order(std::vector<std::string> values,
                                                     std::string_view header);

/// The different values of a column in the order of dates and times that stand beside them.
/// @param rows  The value and the date of each row.
/// @returns Empty if a date cannot be read, or the rows of two values overlap in time.
std::optional<std::vector<std::string>> in_order_of_dates(
    std::span<const std::pair<std::string, std::string>> rows);

}  // namespace scalelaw
