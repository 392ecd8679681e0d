#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/look.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

/// What the parts of a look share.
struct LookState {
  const TableProfile& profile;
  Header header;
  RunOptions options;  ///< As the user gave them.
  bool skips_bad_rows = false;
  std::vector<std::string> where = {};  ///< Conditions that the commands need besides.
  bool few_scales = false;              ///< No group has runs at three scales.
  std::size_t groups = 0;               ///< How many there are; 0 where the rows were not counted.
  bool comma_is_open = false;  ///< Numbers read with --decimal . and with --decimal , alone.
};

/// Finds the columns of x, y, groups and runs.
void choose_roles(const LookState& state, TableLook& look);

/// Chooses a loss and its scale: parameters and tokens, parameters and compute, or one of these,
/// or else a number of steps. False, and nothing is chosen, where the table has none or is one of
/// runs on several GPUs.
bool choose_loss(const LookState& state, TableLook& look);

/// Chooses a response where no name says one, by units in cells or by values that differ as
/// measurements do, and says that it was told so. False if there is none or one is known.
bool choose_measured(const LookState& state, TableLook& look);

/// "time" or "rate" where the unit of the cells says so: "4.2 ms", "5504 req/s"; else empty.
std::string_view measured_by_unit(const ColumnProfile& column);

/// Chooses the only column of whole numbers for the scale where no name says one, or of several
/// the only one that is the size of a problem or model, and says so. False if there is none.
bool choose_unnamed_scale(const TableProfile& profile, TableLook& look);

/// A group column of numbers that is a setting of the training by its name, such as a learning rate
/// or a batch size, where three cells of sizes or more have four of its values: TableLook::sweep.
std::string swept_setting(const LookState& state, const TableLook& look);

/// Leaves groups out that name the rows: each has one scale, so that no group could be fitted.
void leave_out_names_of_rows(const LookState& state, TableLook& look);

/// The column that names the night or day of a run, where several nights repeat one job: most of
/// them have all groups at all scales of the table. Empty without one.
std::string column_of_nights(const LookState& state, const TableLook& look);

/// Adds a finding.
template <class... Args>
void tell(TableLook& look, const char* code, fmt::format_string<Args...> sentence, Args&&... args) {
  look.findings.push_back({code, fmt::format(sentence, std::forward<Args>(args)...)});
}

/// Keeps and tells of columns that are equally good.
void tell_of_choice(TableLook& look, const std::vector<std::string>& columns,
                    std::string_view option, std::string_view noun);

/// Reads all rows, where x and y are known, and tells of repeats, gaps and outliers.
void count_exactly(LookState& state, TableLook& look);

/// Tells what the sampled rows show: epochs, crashed runs, weak scaling.
void find_in_sample(LookState& state, TableLook& look);

/// How a table may be read that has a column per scale or per repeat.
struct WideReading {
  std::string scale;                 ///< What --wide names.
  std::vector<std::string> columns;  ///< Whose names tell it.
};

/// The wide reading of a table in which no column is known as x or as y; empty if none suits.
std::optional<WideReading> wide_reading(const LookState& state, const TableLook& look);

/// Leaves rows of a wide table out that hold speedups and the like, and tells whether the others
/// are rates.
void find_rows_of_measures(LookState& state, TableLook& look);

/// Chooses x and y of a table without names, as far as they are not chosen: x is the first column
/// of whole numbers that could be scales, y the first one of other numbers.
void choose_by_values(const TableProfile& profile, TableLook& look);

/// Tells how the table is written: what separates its columns, what in the file is no part of it.
void tell_of_layout(const LookState& state, TableLook& look);

/// The commands to run next.
std::vector<NextCommand> next_commands(const LookState& state, const TableLook& look);

/// Its column of that role with the lowest rank that holds numbers; nullptr without one.
const ColumnProfile* column_of_role(const TableProfile& profile, ColumnRole role);

/// How else a table may be read in which no x or y was found, as the end of an error message, with
/// whole calls: a loss over one scale, a wide table, another table of the file. Empty if in no way.
/// @param profile  What sampled rows hold; nullptr: the names alone tell.
std::string other_readings(const Header& header, const TableProfile* profile,
                           std::string_view source);

/// The wide reading of a table whose names leave no doubt: each column of the scale says what it
/// counts, "1 GPU,2 GPUs", and no row is one of speedups or rates. Empty without one.
/// @param profile  What sampled rows hold; nullptr: no table is sure.
std::optional<WideReading> sure_wide_reading(const Header& header, const TableProfile* profile);

}  // namespace scalelaw
