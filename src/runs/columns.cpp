#include "scalelaw/runs/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/row_filter.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {
namespace {

/// Names that are taken before all others, in this order, so that scripts keep their meaning
/// whatever else is recognised.
std::vector<std::string> first_names_of(UsualColumn what) {
  using enum UsualColumn;
  const std::string_view names = word_for(
      what,
      {{kScale, "gpus num_gpus n_gpus gpu_count ngpus accelerators workers nodes"},
       {kGpus, "gpus num_gpus n_gpus gpu_count ngpus accelerators"},
       {kTime,
        "epoch_seconds seconds_per_epoch train_seconds wall_seconds seconds time_s minutes "
        "duration_s"},
       {kGroup, "model benchmark accelerator power_cap_w clock_mhz sweep"},
       {kEnergy, "energy_j energy_kj energy_wh energy_kwh joules energy"},
       {kEpochEnergy, "energy_per_epoch_j epoch_energy_j epoch_joules"},
       {kPower, "power_mean_w mean_power_w power_w average_power"},
       {kPowerLimit,
        "power_limit power_limit_w power_limit_watts power_cap power_cap_w power_cap_watts cap "
        "cap_w"},
       {kBatchSize, "batch_size global_batch_size local_batch_size batch"},
       {kHardware,
        "gpu gpu_type gpu_model gpu_name accelerator accelerator_type hardware device device_name"},
       {kRun, "run job_id"},
       {kClock, "clock_mhz"}});
  return split(names, ' ');
}

/// Whether the words of a name say what is asked for.
bool is_meant(const ColumnMeaning& meaning, UsualColumn what) {
  using Role = ColumnRole;
  constexpr int kLastDevice = 3;    // Ranks of scales beyond count processes or nodes.
  constexpr int kLastWholeRun = 4;  // Ranks of energies beyond are of parts of a run.
  const bool kind = meaning.may_be_kind;
  switch (what) {
    case UsualColumn::kScale:
      return meaning.role == Role::kScale && !kind;
    case UsualColumn::kGpus:
      return meaning.role == Role::kScale && !kind && meaning.rank <= kLastDevice;
    case UsualColumn::kTime:
      return meaning.role == Role::kTime;
    case UsualColumn::kGroup:
      return meaning.role == Role::kCategory || meaning.role == Role::kHardware ||
             meaning.role == Role::kSystem || meaning.role == Role::kPowerLimit ||
             meaning.role == Role::kClock;
    case UsualColumn::kEnergy:
    case UsualColumn::kEpochEnergy:
      return meaning.role == Role::kEnergy && meaning.rank <= kLastWholeRun &&
             meaning.per_epoch == (what == UsualColumn::kEpochEnergy);
    case UsualColumn::kPower:
      return meaning.role == Role::kPower && meaning.rank == 1;
    case UsualColumn::kPowerLimit:
      return meaning.role == Role::kPowerLimit;
    case UsualColumn::kBatchSize:
      return meaning.role == Role::kBatchSize;
    case UsualColumn::kHardware:
      return meaning.role == Role::kHardware ||
             (meaning.role == Role::kScale && kind && meaning.rank <= kLastDevice);
    case UsualColumn::kRun:
      return meaning.role == Role::kRun;
    case UsualColumn::kClock:
      return meaning.role == Role::kClock;
  }
  return false;
}

/// A usual name matches in any case, and with blanks for underscores: "GPUs", "Epoch Seconds".
bool is_called(std::string_view cell, std::string_view name) {
  const auto same = [](char a, char b) {
    return (a == ' ' ? '_' : std::tolower(static_cast<unsigned char>(a))) == b;
  };
  return std::equal(cell.begin(), cell.end(), name.begin(), name.end(), same);
}

/// The column with a usual name, as the header spells it.
std::optional<std::string> column_called(const Header& header, std::string_view name) {
  for (const std::string& cell : header.names) {
    const std::string_view label = column_label(cell).name;
    if (is_called(label, name)) return std::string(label);
    if (is_called(cell, name)) return cell;
  }
  return std::nullopt;
}

/// The columns of a table for messages, with long names and long lists cut.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 40;
  constexpr std::size_t kMostBytes = 40;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    shown.push_back(names[i].size() <= kMostBytes ? names[i] : quoted(names[i]));
  }
  if (names.size() > kMostNames)
    shown.push_back(fmt::format("and {} more", names.size() - kMostNames));
  return joined(shown);
}

/// A column that could be what is asked for.
struct Candidate {
  std::string name;  ///< Header cell, or its label where that has a unit.
  int rank = 0;
};

std::string label_of(const std::string& cell) { return std::string(column_label(cell).name); }

/// What the sampled rows say against a column of numbers; empty if nothing.
bool holds_numbers(const TableProfile* profile, const std::string& cell) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  return column == nullptr || column->texts == 0 || column->numbers > column->texts;
}

/// Whether all rows of the table have one value.
bool is_constant(const TableProfile* profile, const std::string& cell) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  return column != nullptr && profile->is_complete() && column->values.size() < 2;
}

/// Whether the sampled rows allow that a column was measured: it has numbers above 0.
bool could_be_measured(const TableProfile* profile, const std::string& cell) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  if (column == nullptr) return true;
  if (column->numbers + column->texts == 0) return !profile->is_complete();
  return column->numbers > column->texts && column->max > 0;
}

/// Of columns that are equally good by their names, those that vary, if some do; of those with the
/// same values the first, as it does not matter which is taken.
std::vector<std::string> told_by_values(std::vector<std::string> columns,
                                        const TableProfile* profile) {
  if (profile == nullptr || columns.size() < 2 || !profile->is_complete()) return columns;
  std::vector<std::string> varying = columns;
  std::erase_if(varying, [&](const std::string& name) { return is_constant(profile, name); });
  if (!varying.empty()) columns = std::move(varying);
  for (std::size_t i = columns.size(); i-- > 1;) {
    const ColumnProfile* const one = profile->column(columns[i]);
    const ColumnProfile* const first = profile->column(columns.front());
    if (one == nullptr || first == nullptr || one->missing + first->missing > 0) continue;
    if (one->quantities == first->quantities) {
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return columns;
}

/// The candidates of the lowest rank; several are equally good.
std::vector<std::string> best_of(std::vector<Candidate> candidates) {
  std::vector<std::string> best;
  if (candidates.empty()) return best;
  const auto lowest =
      std::min_element(candidates.begin(), candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  const int rank = lowest->rank;
  for (Candidate& one : candidates) {
    if (one.rank == rank) best.push_back(std::move(one.name));
  }
  return best;
}

/// The columns of numbers with a role, but for `taken`, from the best ones on.
std::vector<std::string> columns_of_role(const Header& header, ColumnRole role,
                                         const std::string& taken, const TableProfile* profile) {
  std::vector<Candidate> candidates;
  for (const std::string& cell : header.names) {
    const ColumnMeaning meaning = meaning_of(cell);
    if (meaning.role != role || label_of(cell) == taken || cell == taken) continue;
    if (!holds_numbers(profile, cell)) continue;
    // One GPU in the singular is a kind of GPU, unless the values are numbers.
    if (meaning.may_be_kind && profile == nullptr) continue;
    candidates.push_back({label_of(cell), 2 * meaning.rank + (meaning.may_be_kind ? 1 : 0)});
  }
  return told_by_values(best_of(std::move(candidates)), profile);
}

/// Whether the values of a column can be what its name says.
bool values_allow(const TableProfile* profile, const std::string& column, UsualColumn what) {
  if (what == UsualColumn::kTime) return could_be_measured(profile, column);
  return what != UsualColumn::kScale ||
         (!is_constant(profile, column) && holds_numbers(profile, column));
}

/// The column with one of the names that are taken first, unless its values cannot be that.
std::optional<std::string> first_named(const Header& header, UsualColumn what,
                                       const std::string& taken, const TableProfile* profile) {
  for (const std::string& name : first_names_of(what)) {
    const auto column = column_called(header, name);
    if (column && *column != taken && values_allow(profile, *column, what)) return column;
  }
  return std::nullopt;
}

std::string chosen_scale(const Header& header, const std::string& y, const TableProfile* profile,
                         std::string_view source) {
  const auto columns = scale_columns(header, y, profile);
  if (!columns.empty()) return only_column(columns, "-x", source);
  throw DataError(
      fmt::format("{}: no column for x: no name says how many GPUs, processes or nodes a run had; "
                  "name the column with -x; columns are: {}",
                  source, list_of(header.names)));
}

/// Sets `rate` if the response is one.
std::string chosen_response(const Header& header, const std::string& x, const TableProfile* profile,
                            std::string_view source, bool& rate) {
  const ResponseColumns columns = response_columns(header, x, profile);
  rate = columns.role == ColumnRole::kRate;
  if (!columns.names.empty()) return only_column(columns.names, "-y", source);
  throw DataError(fmt::format(
      "{}: no column for y: no name says that it is a time or a rate; name the column with -y; "
      "columns are: {}",
      source, list_of(header.names)));
}

std::vector<std::string> spelled_columns(const Header& header, std::vector<std::string> names,
                                         std::string_view source) {
  for (std::string& name : names) name = spelled_column(header, name, source);
  return names;
}

/// Moves the factors from the group columns to the end, whatever their spelling.
void move_factors_last(ChosenColumns& columns, const std::vector<std::string>& factors,
                       const Header& header, std::string_view source) {
  const auto place = [&](const std::string& name) { return find_column(header, name, source); };
  const auto is_factor = [&](const std::string& name) {
    return std::any_of(factors.begin(), factors.end(), [&](const std::string& factor) {
      return factor == name || (place(name) && place(factor) == place(name));
    });
  };
  std::erase_if(columns.by, is_factor);
  columns.by.insert(columns.by.end(), factors.begin(), factors.end());
  columns.factors = factors.size();
}

/// The settings that are compared where nobody named one.
std::vector<std::string> chosen_factors(const Header& header, const ChosenColumns& columns,
                                        const UsualFactors& usual, const TableProfile* profile,
                                        std::string_view source) {
  std::vector<std::string> factors = setting_columns(header, profile);
  std::erase(factors, columns.x);
  if (usual.all && columns.x.empty()) {
    const auto scales = scale_columns(header, columns.y, profile);
    const bool varies = scales.size() == 1 && !is_constant(profile, scales.front());
    if (varies) factors.push_back(scales.front());
  }
  if (factors.empty()) {
    throw DataError(fmt::format(
        "{}: no column to compare: no name says that it is a power cap or a clock; name the column "
        "of the setting with {} COL; columns are: {}",
        source, usual.option, list_of(header.names)));
  }
  if (!usual.all) return {only_column(factors, usual.option, source)};
  return factors;
}

std::span<const std::string> factors_of(const ChosenColumns& columns) {
  return std::span<const std::string>(columns.by).last(columns.factors);
}

std::span<const std::string> groups_of(const ChosenColumns& columns) {
  return std::span<const std::string>(columns.by).first(columns.by.size() - columns.factors);
}

/// Refuses a column with two uses.
void refuse_repeats(const ChosenColumns& columns) {
  if (columns.x == columns.y) {
    throw DataError(
        fmt::format("x and y are the same column '{}': name another with -x or -y", columns.x));
  }
  for (const std::string& factor : factors_of(columns)) {
    const bool is_axis = factor == columns.x || factor == columns.y;
    if (!is_axis && factor != columns.run && factor != columns.weights) continue;
    throw DataError(fmt::format("the column '{}' is {} already: name another one to compare",
                                factor,
                                factor == columns.x     ? "the scale (x)"
                                : factor == columns.y   ? "what was measured (y)"
                                : factor == columns.run ? "the column of runs"
                                                        : "the column of weights"));
  }
  for (auto column = columns.by.begin(); column != columns.by.end(); ++column) {
    if (std::find(columns.by.begin(), column, *column) == column) continue;
    throw DataError(fmt::format("the group column '{}' is named twice: name it once", *column));
  }
}

bool is_used(const ChosenColumns& columns, const std::string& column) {
  return column == columns.x || column == columns.y || column == columns.run ||
         column == columns.weights ||
         std::find(columns.by.begin(), columns.by.end(), column) != columns.by.end();
}

/// Whether the values of a column come back, as those of groups do. Values that come once or twice
/// name rows.
bool has_values_that_return(const ColumnProfile& column) {
  constexpr double kFewestRows = 2.5;
  const auto told = std::count_if(column.codes.begin(), column.codes.end(),
                                  [&](std::uint32_t code) { return code < column.values.size(); });
  return static_cast<double>(told) >= kFewestRows * static_cast<double>(column.values.size());
}

/// Whether the sampled rows say that a column by whose words rows are grouped tells no groups apart
/// that could be fitted: it has one value, nearly as many as rows, or each of them at one scale
/// only.
bool tells_nothing_apart(const TableProfile* profile, const std::string& column,
                         const std::string& x) {
  constexpr std::size_t kFewGroups = 50;
  const ColumnProfile* const found = profile == nullptr ? nullptr : profile->column(column);
  if (found == nullptr) return false;
  const bool many = found->has_many_values || found->values.size() > kFewGroups;
  if (is_constant(profile, column)) return true;
  if (many && profile->is_complete() && !has_values_that_return(*found)) return true;
  const ColumnProfile* const scale = x.empty() ? nullptr : profile->column(x);
  if (scale == nullptr || scale->values.size() < 2 || !profile->is_complete()) return false;
  return !varies_within(*scale, std::array{found});
}

/// The group columns that are taken without being named: those with a name that is taken first,
/// then those whose words say a kind of run. A system is one only where no column tells its
/// hardware, as the name of a system mostly includes its size.
std::vector<std::string> usual_groups(const Header& header, const ChosenColumns& columns,
                                      const TableProfile* profile) {
  std::vector<std::string> groups;
  const auto is_free = [&](const std::string& column) {
    return column != columns.x && column != columns.y && column != columns.run &&
           std::find(groups.begin(), groups.end(), column) == groups.end();
  };
  for (const std::string& name : first_names_of(UsualColumn::kGroup)) {
    const auto column = column_called(header, name);
    if (column && is_free(*column)) groups.push_back(*column);
  }
  const auto is_hardware = [](const std::string& column) {
    return is_usual_name(column, UsualColumn::kHardware);
  };
  for (const bool systems : {false, true}) {
    if (systems && std::any_of(groups.begin(), groups.end(), is_hardware)) break;
    for (const std::string& cell : header.names) {
      const std::string name = label_of(cell);
      const ColumnMeaning meaning = meaning_of(cell);
      const bool kind = is_meant(meaning, UsualColumn::kGroup) || is_hardware(cell);
      if (!kind || (meaning.role == ColumnRole::kSystem) != systems || !is_free(name)) continue;
      const ColumnProfile* const seen = profile == nullptr ? nullptr : profile->column(cell);
      // A kind of GPU is a text; a number in such a column is a count.
      if (meaning.role == ColumnRole::kScale && (seen == nullptr || seen->is_number())) continue;
      if (!tells_nothing_apart(profile, name, columns.x)) groups.push_back(name);
    }
  }
  return groups;
}

bool is_filtered(const Header& header, const std::string& column,
                 const std::vector<std::string>& where, std::string_view source) {
  return std::any_of(where.begin(), where.end(), [&](const std::string& text) {
    return spelled_column(header, RowFilter(text).column(), source) == column;
  });
}

std::vector<std::string> pooled_columns(const Header& header, const ChosenColumns& columns,
                                        const std::vector<std::string>& where,
                                        std::string_view source) {
  std::vector<std::string> pooled;
  for (const std::string& name : first_names_of(UsualColumn::kGroup)) {
    const auto column = column_called(header, name);
    if (!column || is_used(columns, *column)) continue;
    if (!is_filtered(header, *column, where, source)) pooled.push_back(*column);
  }
  return pooled;
}

/// The column of x; nullptr if there is none, or all rows have one x.
const ColumnProfile* varying_scale(const TableProfile& profile, const std::string& x) {
  const ColumnProfile* const scale = x.empty() ? nullptr : profile.column(x);
  return scale == nullptr || scale->values.size() < 2 ? nullptr : scale;
}

/// Whether the values of a column are settings that runs at several scales share. Numbers with
/// decimals may as well be measured: then hardly one of them is met at several scales.
bool tells_settings(const ColumnProfile& column, const ColumnProfile* scale) {
  if (scale == nullptr) return true;
  const bool may_be_measured = column.is_number() && !column.whole;
  return may_be_measured ? each_varies(*scale, column) : varies_within(*scale, std::array{&column});
}

/// The column with the first of the usual names, else those whose words say the same best.
std::vector<std::string> usual_columns(const Header& header, UsualColumn what) {
  for (const std::string& name : first_names_of(what)) {
    if (auto column = column_called(header, name)) return {*column};
  }
  std::vector<Candidate> candidates;
  for (const std::string& cell : header.names) {
    const ColumnMeaning meaning = meaning_of(cell);
    if (is_meant(meaning, what)) candidates.push_back({label_of(cell), meaning.rank});
  }
  return best_of(std::move(candidates));
}

/// The codes of a row in some columns; empty if one of its values is not told apart from others,
/// because there are many.
std::vector<std::uint32_t> sure_codes(std::span<const ColumnProfile* const> columns,
                                      std::size_t row) {
  std::vector<std::uint32_t> codes;
  for (const ColumnProfile* column : columns) {
    if (column->codes[row] >= ColumnProfile::kMostValues) return {};
    codes.push_back(column->codes[row]);
  }
  return codes;
}

/// Whether a column surely differs between rows that agree in others.
bool surely_varies_within(const ColumnProfile& column,
                          std::span<const ColumnProfile* const> fixed) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> first;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    std::vector<std::uint32_t> key = sure_codes(fixed, row);
    const bool known = key.size() == fixed.size();
    if (!known || column.codes[row] == ColumnProfile::kMissing) continue;
    const auto [place, is_new] = first.try_emplace(std::move(key), column.codes[row]);
    if (!is_new && place->second != column.codes[row]) return true;
  }
  return false;
}

/// Whether two rows surely agree in all of some columns.
bool surely_have_equal_rows(std::span<const ColumnProfile* const> columns) {
  std::set<std::vector<std::uint32_t>> met;
  for (std::size_t row = 0; row < columns.front()->codes.size(); ++row) {
    std::vector<std::uint32_t> key = sure_codes(columns, row);
    if (!key.empty() && !met.insert(std::move(key)).second) return true;
  }
  return false;
}

/// Whether a column numbers the runs of each system or job anew, so that one value of it is no run:
/// rows of that value, in one group at one x, are of several systems or jobs; or they are of
/// several ones anywhere, and no system or job has two rows of it in one group at one x.
bool restarts_in_each_system(const TableProfile* profile, const ChosenColumns& columns,
                             const std::string& run) {
  if (profile == nullptr) return false;
  std::vector<const ColumnProfile*> fixed{profile->column(run), profile->column(columns.x)};
  for (const std::string& name : columns.by) fixed.push_back(profile->column(name));
  std::erase(fixed, nullptr);
  for (const ColumnProfile& column : profile->columns()) {
    const ColumnRole role = column.meaning.role;
    const std::string name = label_of(column.name);
    const bool names_a_run = role == ColumnRole::kSystem || role == ColumnRole::kRun;
    if (!names_a_run || name == run || is_used(columns, name)) continue;
    if (surely_varies_within(column, fixed)) return true;
    const ColumnProfile* const numbers = profile->column(run);
    std::vector<const ColumnProfile*> place = fixed;
    place.push_back(&column);
    if (numbers != nullptr && surely_varies_within(column, std::array{numbers}) &&
        !surely_have_equal_rows(place)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> scale_columns(const Header& header, const std::string& taken,
                                       const TableProfile* profile) {
  if (const auto column = first_named(header, UsualColumn::kScale, taken, profile)) {
    return {*column};
  }
  Header varying = header;
  std::erase_if(varying.names, [&](const std::string& cell) { return is_constant(profile, cell); });
  for (const Header& among : {varying, header}) {
    auto columns = columns_of_role(among, ColumnRole::kScale, taken, profile);
    if (!columns.empty()) return columns;
    if (const auto column = first_named(among, UsualColumn::kScale, taken, nullptr)) {
      if (holds_numbers(profile, *column)) return {*column};
    }
  }
  return {};
}

ResponseColumns response_columns(const Header& header, const std::string& taken,
                                 const TableProfile* profile) {
  if (const auto column = first_named(header, UsualColumn::kTime, taken, profile)) {
    return {{*column}, ColumnRole::kTime};
  }
  for (const ColumnRole role : {ColumnRole::kTime, ColumnRole::kRate, ColumnRole::kLoss}) {
    auto columns = columns_of_role(header, role, taken, profile);
    if (!columns.empty()) return {std::move(columns), role};
  }
  // No value can be used: the reader says what is wrong with them.
  const auto column = first_named(header, UsualColumn::kTime, taken, nullptr);
  if (!column) return {};
  return {{*column}, ColumnRole::kTime};
}

std::string spelled_column(const Header& header, const std::string& name, std::string_view source) {
  if (name.empty() || find_column(header, name, source)) return name;
  const auto place = find_column_by_words(header, name, source);
  return place ? label_of(header.names[*place]) : name;
}

std::size_t required_column(const Header& header, std::string_view name, std::string_view source) {
  if (const auto column = find_column_by_words(header, name, source)) return *column;
  const auto near = nearest(name, header.names);
  throw DataError(fmt::format("{}: there is no column '{}'{}; columns are: {}", source, name,
                              near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                              list_of(header.names)));
}

ChosenColumns choose_columns(const Header& header, const RunOptions& options,
                             std::string_view source, const TableProfile* profile) {
  ChosenColumns columns;
  columns.x = spelled_column(header, options.x, source);
  columns.y = spelled_column(header, options.y, source);
  columns.by = spelled_columns(header, options.by, source);
  columns.run = spelled_column(header, options.run, source);
  columns.weights = spelled_column(header, options.weights, source);
  std::vector<std::string> factors = spelled_columns(header, options.factors, source);
  if (!options.has_x) columns.x.clear();
  if (options.has_x && columns.x.empty()) {
    columns.x = chosen_scale(header, columns.y, profile, source);
  }
  if (columns.y.empty()) {
    columns.y = chosen_response(header, columns.x, profile, source, columns.rate);
  }
  if (columns.by.empty() && !options.by_chosen) columns.by = usual_groups(header, columns, profile);
  if (factors.empty() && !options.usual_factors.option.empty()) {
    factors = chosen_factors(header, columns, options.usual_factors, profile, source);
  }
  move_factors_last(columns, factors, header, source);
  refuse_repeats(columns);
  columns.pooled = pooled_columns(header, columns, options.where, source);
  for (const std::string& name : first_names_of(UsualColumn::kRun)) {
    const auto column = column_called(header, name);
    if (!column || !columns.run.empty() || !columns.unused_run.empty()) continue;
    if (is_used(columns, *column) || restarts_in_each_system(profile, columns, *column)) continue;
    columns.unused_run = *column;
  }
  return columns;
}

std::vector<std::string> ungrouped_columns(const TableProfile& profile,
                                           const ChosenColumns& columns) {
  std::vector<std::string> found;
  std::vector<const ColumnProfile*> fixed;
  for (const std::string& name : columns.by) fixed.push_back(profile.column(name));
  if (!columns.x.empty()) fixed.push_back(profile.column(columns.x));
  std::erase(fixed, nullptr);
  const bool many = std::any_of(fixed.begin(), fixed.end(), [](const ColumnProfile* column) {
    return column->has_many_values;
  });
  if (many) return found;  // Their values are not told apart.
  for (const ColumnProfile& column : profile.columns()) {
    const std::string name = label_of(column.name);
    const bool told =
        std::find(columns.pooled.begin(), columns.pooled.end(), name) != columns.pooled.end();
    if (told || is_used(columns, name) || !could_be_group(column)) continue;
    if (!tells_settings(column, varying_scale(profile, columns.x))) continue;
    if (varies_within(column, fixed)) found.push_back(name);
  }
  return found;
}

std::optional<std::string> usual_column(const Header& header, UsualColumn what) {
  std::vector<std::string> columns = usual_columns(header, what);
  if (columns.size() != 1) return std::nullopt;
  return std::move(columns.front());
}

std::vector<std::string> measured_columns(const Header& header, UsualColumn what,
                                          const TableProfile& profile) {
  Header measured = header;
  std::erase_if(measured.names,
                [&](const std::string& cell) { return !could_be_measured(&profile, cell); });
  // Where no value can be used the names decide: the reader says what is wrong with the values.
  for (const Header& among : {measured, header}) {
    auto columns = told_by_values(usual_columns(among, what), &profile);
    if (!columns.empty()) return columns;
  }
  return {};
}

UsualColumn usual_energy(std::string_view time) {
  const bool per_epoch = time.find("epoch") != std::string_view::npos;
  return per_epoch ? UsualColumn::kEpochEnergy : UsualColumn::kEnergy;
}

std::optional<std::string> usual_energy_column(const Header& header, std::string_view time) {
  return usual_column(header, usual_energy(time));
}

std::vector<std::string> setting_columns(const Header& header, const TableProfile* profile) {
  std::vector<std::string> settings;
  for (const std::string& cell : header.names) {
    const ColumnRole role = meaning_of(cell).role;
    if (role == ColumnRole::kPowerLimit || role == ColumnRole::kClock) {
      settings.push_back(label_of(cell));
    }
  }
  return told_by_values(std::move(settings), profile);
}

std::string only_column(const std::vector<std::string>& columns, std::string_view option,
                        std::string_view source) {
  if (columns.size() == 1) return columns.front();
  const std::string_view noun = option.substr(option.find_first_not_of('-'));
  throw DataError(fmt::format("{}: several columns may be {}{}: {}; choose one: {}", source,
                              option.starts_with("--") ? "the " : "", noun, joined(columns),
                              joined_texts(columns, " or ", [&](const std::string& column) {
                                return fmt::format("{} {}", option, shell_word(column));
                              })));
}

bool is_usual_name(std::string_view column, UsualColumn what) {
  return usual_column({.names = {std::string(column)}}, what).has_value();
}

std::string description_of(const ChosenColumns& columns) {
  const auto groups = groups_of(columns);
  std::string text =
      fmt::format("{}y: {}, by: {}", columns.x.empty() ? "" : fmt::format("x: {}, ", columns.x),
                  columns.y, groups.empty() ? "nothing (one group)" : joined(groups));
  if (columns.factors > 0) text += ", factor: " + joined(factors_of(columns));
  if (!columns.run.empty()) text += ", run: " + columns.run;
  if (!columns.weights.empty()) text += ", weights: " + columns.weights;
  if (!columns.pooled.empty()) {
    text += fmt::format("; whatever the value of {}: -b adds a column, --where picks a value",
                        joined(columns.pooled));
  }
  return text;
}

}  // namespace scalelaw
