#include "scalelaw/runs/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/errors.hpp"
#include "input/wide_table.hpp"
#include "runs/column_words.hpp"
#include "runs/group_columns.hpp"
#include "runs/look_parts.hpp"
#include "runs/usual_columns.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/suggested_call.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {
namespace {

/// The columns of a table for messages, with long names and long lists cut.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 40;
  constexpr std::size_t kMostBytes = 40;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    shown.push_back(names[i].size() <= kMostBytes ? names[i] : scalelaw::quoted(names[i]));
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

/// What columns are called in options: their labels, or their header cells where others have that
/// label too: "Time (s)" beside "Time (min)".
class OptionNames {
 public:
  explicit OptionNames(const Header& header) : header_(header) {}

  std::string of(const std::string& cell) {
    if (shared_.empty()) {
      for (const std::string& one : header_.names) ++shared_[label_of(one)];
    }
    const std::string label = label_of(cell);
    return shared_[label] > 1 ? cell : label;
  }

 private:
  const Header& header_;
  std::unordered_map<std::string, int> shared_;  ///< How many columns have a label.
};

/// Leaves of times that differ in their units alone the first.
void leave_one_of_units(std::vector<std::string>& columns) {
  std::unordered_set<std::string> seen;
  std::erase_if(columns, [&](const std::string& column) {
    const std::string label = label_of(column);
    return !seen.insert(label).second && label != column;
  });
}

/// Leaves out rates of samples beside those of tokens, which count the same work more finely.
void leave_finest_rates(std::vector<std::string>& columns) {
  const auto counts = [](WorkUnit of) {
    return [of](const std::string& column) { return quantity_of(column).of == of; };
  };
  if (std::ranges::any_of(columns, counts(WorkUnit::kToken)))
    std::erase_if(columns, counts(WorkUnit::kSample));
}

/// What the sampled rows say against a column of numbers; empty if nothing.
bool holds_numbers(const TableProfile* profile, const std::string& cell) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  return column == nullptr || column->texts == 0 || column->numbers > column->texts;
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
  const auto lowest = std::ranges::min_element(candidates, {}, &Candidate::rank);
  const int rank = lowest->rank;
  for (Candidate& one : candidates) {
    if (one.rank == rank) best.push_back(std::move(one.name));
  }
  return best;
}

/// Whether rows that differ in x agree in a column as long as they agree in another one, by which
/// they could be grouped: the time of the sequential program beside each problem size.
bool is_constant_over(const TableProfile* profile, const std::string& cell, const std::string& x) {
  if (profile == nullptr || !profile->is_complete() || x.empty()) return false;
  const ColumnProfile* const column = profile->column(cell);
  const ColumnProfile* const scale = profile->column(x);
  if (column == nullptr || scale == nullptr || column->has_many_values) return false;
  const auto holds_it = [&](const ColumnProfile& other) {
    return &other != column && &other != scale && could_be_group(other) &&
           !varies_within(*column, std::array{&other}) && each_varies(*scale, other);
  };
  const auto& columns = profile->columns();
  return std::ranges::any_of(columns, holds_it);
}

/// How many times the least value of a column its greatest is, without the 5 % at each end.
double spread_of(const ColumnProfile& column) {
  std::vector<double> values = column.quantities;
  std::erase_if(values, [](double value) { return !(value > 0); });
  if (values.empty()) return 1;
  std::ranges::sort(values);
  const std::size_t end = values.size() / 20;
  return values[values.size() - 1 - end] / values[end];
}

/// Whether runs were stopped after a time, so that only a rate tells them apart.
bool has_fixed_time(const TableProfile* profile, const std::string& time, const std::string& rate) {
  constexpr double kFixed = 1.25;
  constexpr double kVaries = 2;
  const ColumnProfile* const times = profile == nullptr ? nullptr : profile->column(time);
  const ColumnProfile* const rates = profile == nullptr ? nullptr : profile->column(rate);
  return times != nullptr && rates != nullptr && spread_of(*times) < kFixed &&
         spread_of(*rates) > kVaries;
}

/// What a column is looked for.
struct Wanted {
  ColumnRole role = ColumnRole::kOther;
  bool last_resort = false;  ///< ColumnMeaning::last_resort.
};

/// Whether the sampled rows show whole numbers alone.
bool has_whole_numbers(const TableProfile* profile, const std::string& cell) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  return column != nullptr && (column->whole || column->numbers == 0);
}

/// Whether a column of that role may be what is fitted. One that is the same in all rows was set.
bool is_response(ColumnRole role) {
  return role == ColumnRole::kTime || role == ColumnRole::kRate || role == ColumnRole::kLoss;
}

/// Whether no row has a value of a column, although some have others.
bool is_empty(const TableProfile* profile, const std::string& cell) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(cell);
  return column != nullptr && profile->is_complete() && profile->rows() > 0 &&
         column->numbers + column->texts == 0;
}

/// The columns of numbers with a role, but for `taken`, from the best ones on. What is constant
/// over `taken` comes last.
std::vector<std::string> columns_of_role(const Header& header, Wanted wanted,
                                         const std::string& taken, const TableProfile* profile) {
  constexpr int kConstant = 10'000;
  std::vector<Candidate> candidates;
  OptionNames options(header);
  for (const std::string& cell : header.names) {
    const ColumnMeaning meaning = meaning_of(cell);
    if (meaning.role != wanted.role || meaning.last_resort != wanted.last_resort) continue;
    if (label_of(cell) == taken || cell == taken) continue;
    if (meaning.role == ColumnRole::kTime && is_least_of_several(header.names, cell)) continue;
    if (!holds_numbers(profile, cell) || has_few_rows(header, profile, cell, taken, meaning.role)) {
      continue;
    }
    if (is_response(meaning.role) && is_empty(profile, cell)) continue;
    // One GPU in the singular is a kind of GPU, unless the values are whole numbers.
    const bool counts =
        meaning.role == ColumnRole::kScale ? has_whole_numbers(profile, cell) : profile != nullptr;
    if (meaning.may_be_kind && !counts) continue;
    const bool tells_nothing = is_constant_over(profile, cell, taken) ||
                               (is_response(meaning.role) && is_constant(profile, cell));
    const int constant = tells_nothing ? kConstant : 0;
    candidates.push_back(
        {options.of(cell), 2 * meaning.rank + (meaning.may_be_kind ? 1 : 0) + constant});
  }
  auto best = told_by_values(best_of(std::move(candidates)), profile);
  leave_one_of_units(best);
  if (wanted.role == ColumnRole::kRate) leave_finest_rates(best);
  return best;
}

/// The columns whose cells count devices, "4 GPUs", whatever their names, and that vary.
std::vector<std::string> columns_of_counts(const TableProfile* profile, const std::string& taken) {
  std::vector<std::string> columns;
  if (profile == nullptr) return columns;
  for (const ColumnProfile& column : profile->columns()) {
    const bool varies = column.values.size() > 1;
    const std::string label = label_of(column.name);
    if (varies && label != taken && column.counts_devices()) columns.push_back(label);
  }
  return columns;
}

/// The columns of whole numbers that vary and whose name ends in what a scale counts, behind words
/// that are not known: "rayon_threads".
std::vector<std::string> columns_of_last_words(const TableProfile* profile,
                                               const std::string& taken) {
  std::vector<std::string> columns;
  if (profile == nullptr) return columns;
  for (const ColumnProfile& column : profile->columns()) {
    const bool counts = column.is_number() && column.whole && column.min >= 1;
    const std::string label = label_of(column.name);
    const bool free = column.meaning.role == ColumnRole::kOther && label != taken;
    if (free && counts && column.values.size() > 1 && ends_in_scale(column.name)) {
      columns.push_back(label);
    }
  }
  return told_by_values(std::move(columns), profile);
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
    const bool time = what == UsualColumn::kTime;
    if (!column || *column == taken) continue;
    if (has_few_rows(header, profile, *column, taken,
                     time ? ColumnRole::kTime : ColumnRole::kScale)) {
      continue;
    }
    if (values_allow(profile, *column, what)) return column;
  }
  return std::nullopt;
}

/// The call of a command that takes a table of losses, whose columns it names.
std::string call_for_losses(const LossColumns& columns, std::string_view command,
                            std::string_view source) {
  const bool has_tokens = !columns.tokens.empty();
  SuggestedCall call(command, {std::string(source)});
  if (command != "plot surface") call.option("--law", "chinchilla");
  call.option("-x", columns.n + (has_tokens ? "," + columns.tokens : ""));
  return call.option_if("--flops", has_tokens ? "" : columns.compute)
      .option("-y", columns.loss)
      .text();
}

/// ", such as -x batch_size", where a size that was set could be the scale; else empty.
std::string example_of_scale(const TableProfile* profile) {
  constexpr std::size_t kFewest = 3;
  if (profile == nullptr) return "";
  for (const ColumnProfile& column : profile->columns()) {
    const ColumnRole role = column.meaning.role;
    const bool is_size = role == ColumnRole::kBatchSize || role == ColumnRole::kProblemSize;
    if (!is_size || !column.is_number() || column.values.size() < kFewest) continue;
    return fmt::format(", such as -x {}", shell_word(column.label()));
  }
  return "";
}

/// @param wide  The scale of a wide table, which is x where no other column is; or empty.
std::string chosen_scale(const Header& header, const std::string& y, const std::string& wide,
                         const TableProfile* profile, std::string_view source) {
  const auto columns = scale_columns(header, y, profile);
  if (!columns.empty()) return only_column(columns, "-x", source);
  if (!wide.empty()) return wide;
  if (const auto losses = loss_columns(header, profile)) {
    throw data_error(
        "{}: no column says how many GPUs, processes or nodes a run had, but '{}' is a loss over "
        "'{}' and '{}'. --law chinchilla fits these: {}; to draw: {}; to forecast: {}",
        source, losses->loss, losses->n, losses->tokens.empty() ? losses->compute : losses->tokens,
        call_for_losses(*losses, "fit", source), call_for_losses(*losses, "plot surface", source),
        call_for_losses(*losses, "predict", source));
  }
  const std::string message = fmt::format(
      "{}: no column for x: no name says how many GPUs, processes or nodes a run had; "
      "name the column with -x{}{}; columns are: {}{}",
      source, example_of_scale(profile),
      find_column(header, "job_id", source)
          ? " (ingest takes it from names of logs with --name-pattern "
            "'{model}-{gpus}gpu', or from a table with --jobs)"
          : "",
      list_of(header.names), other_readings(header, profile, source));
  if (const auto sure = sure_wide_reading(header, profile)) {
    throw WideTableError(
        message, sure->scale,
        fmt::format("{}: the columns {} hold one time each, at the number of {} in their names (as "
                    "with --wide {}; for rates add --rate)",
                    source, list_of(sure->columns), sure->scale, shell_word(sure->scale)));
  }
  throw NoColumnError(message);
}

/// @param is_wide  What the cells of a wide table hold is y where no name says what it is.
std::string chosen_response(const Header& header, const std::string& x, bool is_wide,
                            const TableProfile* profile, std::string_view source) {
  const ResponseColumns columns = response_columns(header, x, profile);
  if (!columns.names.empty()) return only_column(columns.names, "-y", source);
  if (is_wide && find_column(header, kUnnamedValue, source)) return std::string(kUnnamedValue);
  throw NoColumnError(fmt::format(
      "{}: no column for y: no name says that it is a time or a rate; name the column with -y; "
      "columns are: {}{}",
      source, list_of(header.names), other_readings(header, profile, source)));
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
    return std::ranges::any_of(factors, [&](const std::string& factor) {
      return factor == name || (place(name) && place(factor) == place(name));
    });
  };
  std::erase_if(columns.by, is_factor);
  columns.by.insert(columns.by.end(), factors.begin(), factors.end());
  columns.factors = factors.size();
}

/// ", such as --factor Model" for the columns by which groups would be told; empty without any.
std::string possible_factors(const ChosenColumns& columns, std::string_view option) {
  if (columns.by.empty()) return "";
  return ", such as " + joined_texts(columns.by, " or ", [option](const std::string& column) {
           return fmt::format("{} {}", option, shell_word(column));
         });
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
  // Energies need times: that is said before a setting is asked for. Only contrast takes rates.
  const bool rate = columns.quantity.kind == Kind::kRate;
  if (factors.empty() && rate && usual.option != "--factor") return {};
  if (factors.empty()) {
    throw data_error(
        "{}: no column to compare: no name says that it is a power cap or a clock; name the column "
        "of the setting with {} COL{}; columns are: {}",
        source, usual.option, possible_factors(columns, usual.option), list_of(header.names));
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
    throw data_error("x and y are the same column '{}': name another with -x or -y", columns.x);
  }
  for (const std::string& factor : factors_of(columns)) {
    const bool is_axis = factor == columns.x || factor == columns.y;
    if (!is_axis && factor != columns.run && factor != columns.weights) continue;
    throw data_error("the column '{}' is {} already: name another one to compare", factor,
                     factor == columns.x     ? "the scale (x)"
                     : factor == columns.y   ? "what was measured (y)"
                     : factor == columns.run ? "the column of runs"
                                             : "the column of weights");
  }
  for (auto column = columns.by.begin(); column != columns.by.end(); ++column) {
    if (std::find(columns.by.begin(), column, *column) == column) continue;
    throw data_error("the group column '{}' is named twice: name it once", *column);
  }
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

/// The column of times from which a speedup was computed, whatever its name: in each row both have
/// the same product. Empty without one.
std::string time_of_speedup(const TableProfile& profile, const std::string& speedup) {
  constexpr double kRounded = 0.02;
  constexpr std::size_t kFewestRows = 3;
  const ColumnProfile* const ups = profile.column(speedup);
  if (ups == nullptr || ups->missing > 0 || ups->values.size() < kFewestRows) return "";
  for (const ColumnProfile& column : profile.columns()) {
    const bool unnamed = column.meaning.role == ColumnRole::kOther ||
                         column.meaning.role == ColumnRole::kProblemSize;
    if (!unnamed || !column.is_number() || column.missing > 0 || !(column.min > 0)) continue;
    double least = column.quantities.front() * ups->quantities.front();
    double most = least;
    for (std::size_t row = 0; row < column.quantities.size(); ++row) {
      const double product = column.quantities[row] * ups->quantities[row];
      least = std::min(least, product);
      most = std::max(most, product);
    }
    if (least > 0 && most < (1 + kRounded) * least) return label_of(column.name);
  }
  return "";
}

/// Without scales that are 0 in some rows, as the GPUs of runs on processors alone, where another
/// one that varies counts all runs.
Header without_zero_scales(const Header& header, const TableProfile* profile) {
  Header counting = header;
  if (profile == nullptr) return counting;
  const auto profile_of = [&](const std::string& cell) {
    const ColumnMeaning meaning = meaning_of(cell);
    const bool counts = meaning.role == ColumnRole::kScale && !is_lone_letter(meaning);
    const ColumnProfile* const column = counts ? profile->column(cell) : nullptr;
    return column != nullptr && column->is_number() ? column : nullptr;
  };
  const bool has_other = std::ranges::any_of(header.names, [&](const std::string& cell) {
    const ColumnProfile* const column = profile_of(cell);
    return column != nullptr && column->min >= 1 && column->values.size() > 1 &&
           column->missing == 0;
  });
  if (!has_other) return counting;
  std::erase_if(counting.names, [&](const std::string& cell) {
    const ColumnProfile* const column = profile_of(cell);
    return column != nullptr && column->min == 0;
  });
  return counting;
}

/// Without the nodes of a graph, which stand beside its edges, where another column is a scale.
Header without_graph_nodes(Header header) {
  const auto is_node = [](const std::string& cell) {
    return Name(cell).has("node") && meaning_of(cell).role == ColumnRole::kScale;
  };
  const auto is_other_scale = [&](const std::string& cell) {
    const ColumnMeaning meaning = meaning_of(cell);
    return meaning.role == ColumnRole::kScale && !is_lone_letter(meaning) && !is_node(cell);
  };
  const auto& names = header.names;
  const bool of_graph =
      std::ranges::any_of(names, [](const std::string& cell) { return Name(cell).has("edge"); });
  if (of_graph && std::ranges::any_of(names, is_other_scale)) {
    std::erase_if(header.names, is_node);
  }
  return header;
}

/// Without the sides P and Q of a grid of processes, whose product counts them, and the order N of
/// the matrix beside them.
Header without_grid_sides(Header header) {
  const auto has = [&](std::string_view cell) { return contains(header.names, std::string(cell)); };
  if (has("P") && has("Q")) {
    std::erase_if(header.names, [](const std::string& cell) { return cell == "P" || cell == "N"; });
  }
  return header;
}

/// The scale that tells apart what `coarse` does not, where `coarse` has too few values for a law:
/// 4, 16 and 32 processes on 1, 1 and 2 nodes.
std::string finer_scale(const Header& header, const std::string& coarse, const std::string& taken,
                        const TableProfile* profile) {
  constexpr std::size_t kFewestScales = 3;
  const ColumnProfile* const given = profile == nullptr ? nullptr : profile->column(coarse);
  if (given == nullptr || !profile->is_complete() || given->values.size() >= kFewestScales) {
    return coarse;
  }
  std::vector<Candidate> candidates;
  for (const std::string& cell : header.names) {
    const ColumnMeaning meaning = meaning_of(cell);
    const ColumnProfile* const column = profile->column(cell);
    const bool counts = meaning.role == ColumnRole::kScale && !meaning.may_be_kind &&
                        !is_lone_letter(meaning) && column != nullptr && column->is_number();
    const std::string label = label_of(cell);
    if (!counts || label == coarse || label == taken) continue;
    const bool finer = column->values.size() >= kFewestScales && column->missing == 0 &&
                       !varies_within(*given, std::array{column});
    if (finer) candidates.push_back({label, meaning.rank});
  }
  const auto best = best_of(std::move(candidates));
  return best.size() == 1 ? best.front() : coarse;
}

}  // namespace

bool is_used(const ChosenColumns& columns, const std::string& column) {
  const auto has = [&column](const std::vector<std::string>& names) {
    return std::ranges::find(names, column) != names.end();
  };
  return column == columns.x || column == columns.y || column == columns.run ||
         column == columns.weights || has(columns.by) || has(columns.quantity.factors);
}

std::vector<std::string> scale_columns(const Header& all, const std::string& taken,
                                       const TableProfile* profile) {
  const Header header = without_grid_sides(without_graph_nodes(without_zero_scales(all, profile)));
  if (const auto column = first_named(header, UsualColumn::kScale, taken, profile)) {
    return {finer_scale(header, *column, taken, profile)};
  }
  Header varying = header;
  std::erase_if(varying.names, [&](const std::string& cell) { return is_constant(profile, cell); });
  for (const Header& among : {varying, header}) {
    auto columns = columns_of_role(among, {ColumnRole::kScale}, taken, profile);
    if (!columns.empty()) return columns;
    if (const auto column = first_named(among, UsualColumn::kScale, taken, nullptr)) {
      if (holds_numbers(profile, *column)) return {*column};
    }
    // One node whose number of threads varies: what varies is the scale.
    columns = columns_of_role(among, {ColumnRole::kSetting, true}, taken, profile);
    if (!columns.empty() && profile != nullptr) return columns;
  }
  auto columns = columns_of_counts(profile, taken);
  return columns.empty() ? columns_of_last_words(profile, taken) : columns;
}

ResponseColumns response_columns(const Header& header, const std::string& taken,
                                 const TableProfile* profile) {
  if (const auto column = first_named(header, UsualColumn::kTime, taken, profile)) {
    return {{*column}, ColumnRole::kTime};
  }
  const auto of = [&](ColumnRole role, bool last_resort) {
    return columns_of_role(header, {role, last_resort}, taken, profile);
  };
  auto times = of(ColumnRole::kTime, false);
  auto rates = of(ColumnRole::kRate, false);
  // The throughput of all comes before the latency of one request, or a part of the time.
  const bool of_whole = !rates.empty() && meaning_of(rates.front()).rank <= kGoodRate;
  const bool prefers_rates =
      !times.empty() &&
      ((of_whole && (meaning_of(times.front()).rank >= kLatencyRank || counts_clients(taken) ||
                     has_fixed_time(profile, times.front(), rates.front()))) ||
       (!rates.empty() &&
        (is_constant_over(profile, times.front(), taken) ||
         (is_constant(profile, times.front()) && !is_constant(profile, rates.front())))));
  if (!times.empty() && is_constant(profile, times.front())) {
    auto last = of(ColumnRole::kTime, true);
    if (!last.empty() && !is_constant(profile, last.front())) times = std::move(last);
  }
  if (!times.empty() && !prefers_rates) return {std::move(times), ColumnRole::kTime};
  if (!rates.empty()) return {std::move(rates), ColumnRole::kRate};
  for (const auto& [role, last_resort, is] :
       {std::tuple{ColumnRole::kTime, true, ColumnRole::kTime},
        std::tuple{ColumnRole::kLoss, false, ColumnRole::kLoss},
        std::tuple{ColumnRole::kDerived, true, ColumnRole::kRate}}) {
    auto columns = of(role, last_resort);
    // Speedups of 1 throughout were not filled in.
    if (role == ColumnRole::kDerived && columns.size() == 1 &&
        is_constant(profile, columns.front())) {
      continue;
    }
    if (columns.empty()) continue;
    if (is == ColumnRole::kRate && profile != nullptr) {
      const std::string time = time_of_speedup(*profile, columns.front());
      if (!time.empty()) return {{time}, ColumnRole::kTime};
    }
    return {std::move(columns), is};
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

std::vector<std::string> losses_of(const Header& header, const TableProfile* profile) {
  return columns_of_role(header, {ColumnRole::kLoss}, "", profile);
}

std::optional<LossColumns> loss_columns(const Header& header, const TableProfile* profile,
                                        const std::string& y) {
  const auto only = [&](ColumnRole role) {
    const auto columns = columns_of_role(header, {role}, "", profile);
    return columns.size() == 1 ? columns.front() : std::string();
  };
  LossColumns columns{.n = only(ColumnRole::kParameters),
                      .tokens = only(ColumnRole::kTokens),
                      .compute = {},
                      .loss = y.empty() ? only(ColumnRole::kLoss) : y};
  if (columns.tokens.empty() || columns.n.empty()) columns.compute = only(ColumnRole::kCompute);
  if (columns.n.empty()) columns.n = std::exchange(columns.tokens, "");
  const bool has_second = !columns.tokens.empty() || !columns.compute.empty();
  if (columns.n.empty() || columns.loss.empty() || !has_second) return std::nullopt;
  return columns;
}

namespace {

/// In a table of losses the time of a step is that of one size of the model.
void group_by_size_of_model(const TableProfile& profile, ChosenColumns& columns) {
  const auto losses = losses_over_two_scales(profile);
  if (!losses || meaning_of(columns.y).role == ColumnRole::kLoss) return;
  const ColumnProfile* const sizes = profile.column(losses->n);
  if (sizes == nullptr || !is_ungrouped(profile, columns, *sizes)) return;
  columns.by.push_back(losses->n);
}

}  // namespace

namespace {

/// A product with its columns as the header spells them, or the one column of that name.
Product spelled_product(const Header& header, const std::string& y, std::string_view source) {
  Product product = parse_product(y);
  std::vector<std::string*> parts{&product.y};
  for (std::string& factor : product.factors) parts.push_back(&factor);
  for (std::string& divisor : product.divisors) parts.push_back(&divisor);
  const bool is_column = parts.size() == 1 || find_column(header, y, source) ||
                         std::ranges::any_of(parts, [&](const std::string* part) {
                           return !find_column_by_words(header, *part, source);
                         });
  if (is_column) return {spelled_column(header, y, source)};
  for (std::string* part : parts) *part = spelled_column(header, *part, source);
  return product;
}

/// What y is about, with the columns of a product.
Quantity quantity_in(const Header& header, const TableProfile* profile, const RunOptions& options,
                     const ChosenColumns& columns, const Product& product) {
  const ColumnProfile* const column = profile == nullptr ? nullptr : profile->column(columns.y);
  const std::string unit = column != nullptr ? column->unit : "";
  Quantity quantity = quantity_of(name_of_product(product), unit, columns.x);
  if (unit.empty() && is_least_of_several(header.names, columns.y)) {
    quantity.unit.clear();
    quantity.seconds.reset();
  }
  return quantity_as_told(std::move(quantity), options.told, columns.y);
}

/// Whether the product of columns grows in proportion to x, as a global batch does in weak scaling.
bool grows_as_scale(const TableProfile& profile, const std::vector<std::string>& factors,
                    const std::string& x) {
  constexpr double kRounded = 0.02;
  const ColumnProfile* const scale = profile.column(x);
  if (scale == nullptr || scale->values.size() < 2 || !may_share_work(x)) return false;
  double least = kInfinity;
  double most = 0;
  for (std::size_t row = 0; row < scale->quantities.size(); ++row) {
    double ratio = 1 / scale->quantities[row];
    for (const std::string& name : factors) ratio *= profile.column(name)->quantities[row];
    if (!std::isfinite(ratio)) continue;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return most <= (1 + kRounded) * least;
}

/// Makes a time or a rate one of the work that columns tell. Where that grows with x in proportion,
/// it is the rate of one unit of x, whose law bends as that of a step does.
void multiply(const Header& header, const TableProfile& profile, const RunOptions& options,
              std::vector<std::string> factors, ChosenColumns& columns) {
  Product product{.y = columns.y,
                  .factors = std::move(factors),
                  .inverse = columns.quantity.kind == Kind::kTime};
  const auto x = std::ranges::find(product.factors, columns.x);
  if (x != product.factors.end() && may_share_work(columns.x)) {
    product.factors.erase(x);
  } else if (!columns.quantity.is_of_one() && grows_as_scale(profile, product.factors, columns.x)) {
    product.divisors = {columns.x};
  }
  columns.quantity = quantity_in(header, &profile, options, columns, product);
}

/// Makes the rate of one node that of all, where a column counts the nodes.
void multiply_by_places(const Header& header, const TableProfile& profile,
                        const RunOptions& options, ChosenColumns& columns) {
  if (columns.quantity.kind != Kind::kRate || columns.quantity.whose != Owner::kUnknown) return;
  auto product = product_of_all(profile, columns.y, columns.x);
  if (!product) return;
  const bool even = grows_as_scale(profile, product->factors, columns.x);
  if (even && !product->factors.empty()) product->divisors = {columns.x};
  columns.quantity = quantity_in(header, &profile, options, columns, *product);
}

/// Makes y of that work; false if the table does not tell how.
bool takes_work(const Header& header, const TableProfile& profile, const RunOptions& options,
                WorkUnit work, ChosenColumns& columns) {
  if (is_of_work(columns.quantity, work)) return true;
  auto factors = columns_of_work(profile, columns.quantity, work, columns.x);
  if (!factors || factors->empty()) return false;
  multiply(header, profile, options, std::move(*factors), columns);
  return is_of_work(columns.quantity, work);
}

/// "no column says how many samples one step has, such as global_batch; add one".
std::string lacking_work(const Quantity& quantity, WorkUnit work) {
  const auto size = [](WorkUnit unit) {
    static constexpr WorkUnit kSmallestFirst[] = {
        WorkUnit::kToken, WorkUnit::kSample, WorkUnit::kStep, WorkUnit::kEpoch, WorkUnit::kRun};
    return std::ranges::find(kSmallestFirst, unit);
  };
  const WorkUnit from = quantity.of;
  const bool known = from != WorkUnit::kUnknown;
  if (known && size(from) < size(work)) {
    return fmt::format("say with --{0}s how many {0}s the job has", name_of(from));
  }
  const std::string_view example =
      from == WorkUnit::kStep   ? (work == WorkUnit::kToken ? "tokens_per_step" : "global_batch")
      : work == WorkUnit::kStep ? "steps"
                                : "tokens";
  return fmt::format("no column says how many {}s {} has, such as {}; add one", name_of(work),
                     known ? fmt::format("one {}", name_of(from)) : "that is", example);
}

/// Takes the column, of those that nobody named, that is of the work of a job, or can be made so.
/// @throws DataError if none can.
void choose_column_of_work(const Header& header, const TableProfile& profile,
                           const RunOptions& options, std::string_view source, WorkUnit work,
                           ChosenColumns& columns) {
  if (takes_work(header, profile, options, work, columns)) return;
  const ChosenColumns first = columns;
  for (const ColumnProfile& column : profile.columns()) {
    const bool usable = is_response(column.meaning.role) && column.is_number() &&
                        column.meaning.role != ColumnRole::kLoss;
    if (!options.y.empty() || !usable || is_used(first, label_of(column.name))) continue;
    columns.y = label_of(column.name);
    columns.quantity = quantity_in(header, &profile, options, columns, {columns.y});
    multiply_by_places(header, profile, options, columns);
    const bool known = columns.quantity.of != WorkUnit::kUnknown;
    if (known && takes_work(header, profile, options, work, columns)) return;
    columns = first;
  }
  throw data_error(
      "{}: --{}s needs a response that tells the time of {}s, and '{}' is {}: {}, or name another "
      "column with -y",
      source, name_of(work), name_of(work), first.y, description_of(first.quantity),
      lacking_work(first.quantity, work));
}

/// Makes y of the work of a job, and the rate of steps that do more work at larger scales a rate of
/// that work.
void choose_work(const Header& header, const TableProfile& profile, const RunOptions& options,
                 std::string_view source, ChosenColumns& columns) {
  if (options.told.work) {
    return choose_column_of_work(header, profile, options, source, *options.told.work, columns);
  }
  const Quantity& quantity = columns.quantity;
  if (quantity.kind != Kind::kRate || quantity.of != WorkUnit::kStep) return;
  const auto grows = growing_work(profile, columns);
  if (!grows || grows->empty()) return;
  auto samples = columns_of_work(profile, quantity, WorkUnit::kSample, columns.x);
  const bool told = samples && (contains(*samples, *grows) || joined(*samples, " * ") == *grows);
  multiply(header, profile, options, told ? std::move(*samples) : std::vector{*grows}, columns);
}

}  // namespace

void choose_quantity(const Header& header, const TableProfile* profile, const RunOptions& options,
                     std::string_view source, const Product& product, ChosenColumns& columns) {
  columns.quantity = quantity_in(header, profile, options, columns, product);
  if (profile == nullptr || columns.quantity.is_product() || !options.has_x) return;
  multiply_by_places(header, *profile, options, columns);
  if (columns.quantity.is_product()) return;
  choose_work(header, *profile, options, source, columns);
}

std::string response_name(const std::string& y, const Quantity& quantity) {
  return name_of_product({y, quantity.factors, quantity.divisors, quantity.inverse});
}

std::size_t required_column(const Header& header, std::string_view name, std::string_view source) {
  if (const auto column = find_column_by_words(header, name, source)) return *column;
  const auto near = nearest(name, header.names);
  throw data_error("{}: there is no column '{}'{}; columns are: {}", source, name,
                   near ? fmt::format(" (did you mean '{}'?)", *near) : "", list_of(header.names));
}

ChosenColumns choose_columns(const Header& header, const RunOptions& options,
                             std::string_view source, const TableProfile* profile) {
  ChosenColumns columns;
  columns.x = spelled_column(header, options.x, source);
  Product product = spelled_product(header, options.y, source);
  columns.y = product.y;
  columns.by = spelled_columns(header, options.by, source);
  columns.run = spelled_column(header, options.run, source);
  columns.weights = spelled_column(header, options.weights, source);
  std::vector<std::string> factors = spelled_columns(header, options.factors, source);
  if (!options.has_x) columns.x.clear();
  if (options.has_x && columns.x.empty()) {
    columns.x = chosen_scale(header, columns.y, options.layout.wide, profile, source);
  }
  if (columns.y.empty()) {
    columns.y = chosen_response(header, columns.x, !options.layout.wide.empty(), profile, source);
  }
  if (columns.by.empty() && !options.by_chosen) {
    columns.by = usual_groups(header, columns, profile);
    if (profile != nullptr && options.has_x) group_by_size_of_model(*profile, columns);
  }
  product.y = columns.y;
  choose_quantity(header, profile, options, source, product, columns);
  if (factors.empty() && !options.usual_factors.option.empty()) {
    factors = chosen_factors(header, columns, options.usual_factors, profile, source);
  }
  move_factors_last(columns, factors, header, source);
  refuse_repeats(columns);
  columns.pooled = pooled_columns(header, columns, options.where, source);
  if (options.x.empty() && options.y.empty() && options.has_x && profile != nullptr) {
    const auto losses = losses_over_two_scales(*profile);
    if (losses) columns.losses = call_for_losses(*losses, "fit", source);
  }
  for (const std::string& name : first_names_of(UsualColumn::kRun)) {
    const auto column = column_called(header, name);
    if (!column || !columns.run.empty() || !columns.unused_run.empty()) continue;
    if (is_used(columns, *column) || restarts_in_each_system(profile, columns, *column)) continue;
    columns.unused_run = *column;
  }
  return columns;
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
  const bool per_epoch = time.find("epoch") != std::string_view::npos || meaning_of(time).per_epoch;
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
  throw data_error("{}: several columns may be {}{}: {}; choose one: {}", source,
                   option.starts_with("--") ? "the " : "", noun, joined(columns),
                   joined_texts(columns, " or ", [&](const std::string& column) {
                     return fmt::format("{} {}", option, shell_word(column));
                   }));
}

bool is_usual_name(std::string_view column, UsualColumn what) {
  return usual_column({.names = {std::string(column)}}, what).has_value();
}

std::string description_of(const ChosenColumns& columns) {
  const auto groups = groups_of(columns);
  std::string text =
      fmt::format("{}y: {}, by: {}", columns.x.empty() ? "" : fmt::format("x: {}, ", columns.x),
                  columns.y, groups.empty() ? "nothing (one group)" : joined(groups));
  if (columns.factors > 0) text += ", compared: " + joined(factors_of(columns));
  if (!columns.run.empty()) text += ", run: " + columns.run;
  if (!columns.weights.empty()) text += ", weights: " + columns.weights;
  if (!columns.losses.empty())
    text += "; the table has losses, too, which this fits: " + columns.losses;
  if (!columns.pooled.empty()) {
    text += fmt::format("; whatever the value of {}: -b adds a column, --where picks a value",
                        joined(columns.pooled));
  }
  return text;
}

}  // namespace scalelaw
