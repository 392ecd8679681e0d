#include "scalelaw/runs/surface_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/errors.hpp"
#include "runs/look_parts.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// Names of scales that a compute gives.
constexpr const char* kDerivedTokens = "tokens";
constexpr const char* kDerivedParameters = "parameters";
constexpr const char* kDerivedUnique = "unique_tokens";  ///< Name of those that epochs give.
constexpr std::size_t kUniquePlace = 3;  ///< Of the numbers that are read: after n, d and y.
constexpr double kTrainingFlops = 6;     ///< Per parameter and token (Kaplan et al. 2020).

/// The column that is read for the second scale.
const std::string& second_column(const SurfaceColumns& columns) {
  return columns.compute.empty() ? columns.d : columns.compute;
}

bool is_one_of(std::string_view column, const std::vector<std::string_view>& words) {
  const std::string name = lower_case(column);
  return std::ranges::any_of(words, [&name](std::string_view word) {
    return word.size() == 1 ? name == word : name.find(word) != std::string::npos;
  });
}

/// The word in a name that may say what one of its numbers stands for: that in brackets, or the
/// last one behind parameters or tokens, as in "params_M" and "train_tokens_billions".
std::string unit_word(std::string_view name) {
  const std::size_t open = name.find_last_of("([");
  const std::size_t close = name.find_last_of(")]");
  if (open != name.npos && close != name.npos && open < close) {
    return lower_case(name.substr(open + 1, close - open - 1));
  }
  const std::size_t cut = name.find_last_of("_.- ");
  if (cut == name.npos) return "";
  const ColumnRole role = meaning_of(name.substr(0, cut)).role;
  const bool counts = role == ColumnRole::kParameters || role == ColumnRole::kTokens;
  return counts ? lower_case(name.substr(cut + 1)) : "";
}

/// FLOP in one of a word such as "PFLOP", "exaflops" or "pf"; empty for another word.
std::optional<double> flop_in(std::string_view word) {
  static constexpr std::tuple<std::string_view, std::string_view, double> kPrefixes[] = {
      {"m", "mega", 1e6}, {"g", "giga", 1e9},   {"t", "tera", 1e12}, {"p", "peta", 1e15},
      {"e", "exa", 1e18}, {"z", "zetta", 1e21}, {"y", "yotta", 1e24}};
  if (word == "flop" || word == "flops") return 1;
  for (const auto& [letter, name, factor] : kPrefixes) {
    for (const std::string_view prefix : {letter, name}) {
      const bool starts = word.starts_with(prefix);
      const std::string_view rest = starts ? word.substr(prefix.size()) : std::string_view();
      if (starts && (rest == "flop" || rest == "flops" || rest == "f")) return factor;
    }
  }
  return std::nullopt;
}

/// FLOP in one of what a column of that name counts: 1 of "step_flops", 1e15 of "Compute (PFLOPs)"
/// and "peta flop", 8.64e19 of "pflop/s-days"; empty where no word says so.
std::optional<double> flop_in_name(std::string_view name) {
  constexpr double kSecondsPerDay = 86400;
  std::optional<double> factor;
  bool days = false;
  std::string before;
  for (const std::string& word : words_as_written(name)) {
    if (const auto flop = flop_in(word)) factor = flop_in(before + word).value_or(*flop);
    days = days || word == "day" || word == "days";
    before = word.size() > 1 ? word : "";
  }
  return factor && days ? *factor * kSecondsPerDay : factor;
}

/// How many parameters, tokens or FLOP a number in a column of that name stands for: "tokens (B)",
/// "params_M", "params [million]", "compute_pflop_days", "FLOPs (1e18)".
double ones_in(std::string_view name) {
  static const std::map<std::string, double, std::less<>> kUnits{
      {"k", 1e3},         {"thousand", 1e3},   {"m", 1e6},        {"mio", 1e6},
      {"million", 1e6},   {"millions", 1e6},   {"b", 1e9},        {"g", 1e9},
      {"bn", 1e9},        {"billion", 1e9},    {"billions", 1e9}, {"t", 1e12},
      {"trillion", 1e12}, {"trillions", 1e12}, {"mn", 1e6}};
  const std::string unit = unit_word(name);
  const std::string first = unit.substr(0, unit.find(' '));
  const double power = first.starts_with("10^")
                           ? std::pow(10, parse_number(first.substr(3)).value_or(0))
                           : std::max(1.0, parse_number(first).value_or(1));
  if (const auto flop = flop_in_name(name)) return *flop * power;
  const auto found = kUnits.find(unit);
  return found != kUnits.end() ? found->second : power;
}

/// How many parameters, tokens or FLOP the numbers of the columns stand for.
struct Ones {
  double n = 1;
  double second = 1;
  double unique = 1;
};

double factor_of(const SurfaceColumns& columns) {
  if (columns.flops_per_parameter_token) return *columns.flops_per_parameter_token;
  if (!columns.compute.empty()) return kTrainingFlops;
  const bool tokens = is_one_of(columns.d, {"token", "d"});
  const bool parameters =
      is_one_of(columns.n, {"param", "model", "n"}) || lower_case(columns.n) == "size";
  return parameters && tokens ? kTrainingFlops : 1;
}

/// Whether the scale beside the compute has tokens, so that the compute gives the parameters.
bool gives_parameters(const SurfaceColumns& columns) {
  return !columns.compute.empty() && meaning_of(columns.n).role == ColumnRole::kTokens;
}

/// Finds the columns that nobody named by their words: parameters, tokens or compute, and a loss.
/// @throws DataError if the table lacks them, or several are losses.
void find_losses(const Header& header, std::string_view source, const TableProfile& profile,
                 SurfaceColumns& columns, RunOptions& run) {
  const std::vector<std::string> losses =
      run.y.empty() ? losses_of(header, &profile) : std::vector{run.y};
  if (losses.size() > 1) {
    throw data_error("{}: {} columns are losses: name one with -y. They are: {}", source,
                     losses.size(), joined(losses));
  }
  if (run.y.empty() && !losses.empty()) run.y = losses.front();
  if (run.y.empty() && !columns.compute.empty()) {
    throw data_error("{}: no column is known as the loss: name it with -y; columns are: {}", source,
                     joined(header.names));
  }
  if (!columns.n.empty()) return;
  const auto found = loss_columns(header, &profile, run.y);
  const ColumnProfile* const sizes =
      columns.one_will_do ? column_of_role(profile, ColumnRole::kParameters) : nullptr;
  if (!found && sizes != nullptr && !run.y.empty()) {
    columns.n = columns.d = sizes->label();
    return;
  }
  if (!found) {
    throw data_error(
        "{}: no columns are known as parameters, tokens (or compute) and loss: name both columns "
        "of x, and y, such as -x parameters,tokens -y loss, or one x and the compute with --flops "
        "COL; columns are: {}",
        source, joined(header.names));
  }
  columns.n = found->n;
  if (columns.compute.empty()) columns.d = found->tokens;
  if (columns.d.empty() && columns.compute.empty()) columns.compute = found->compute;
}

/// Whether a column counts epochs, so that unique tokens are tokens / epochs.
bool counts_epochs(std::string_view column) {
  const std::vector<std::string> words = words_of_name(column);
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "epoch" || word == "repetition" || word == "repeat" || word == "pass";
  });
}

/// Whether a column of unique tokens or epochs is read.
bool has_unique(const SurfaceColumns& columns) {
  return columns.takes_unique && !columns.unique.empty();
}

/// Finds the column of unique tokens or else of epochs by its words.
/// @throws DataError if there is none, or several.
void find_unique(const Header& header, std::string_view source, SurfaceColumns& columns) {
  if (!columns.takes_unique || !columns.unique.empty()) return;
  for (const auto is_meant : {counts_unique_tokens, counts_epochs}) {
    std::vector<std::string> found;
    for (const std::string& name : header.names) {
      if (is_meant(name)) found.push_back(name);
    }
    if (found.size() == 1) columns.unique = found.front();
    if (found.size() > 1) {
      throw data_error(
          "{}: several columns may be the unique tokens: {}; name all three columns with -x, such "
          "as -x parameters,tokens,unique_tokens",
          source, joined(found));
    }
    if (!found.empty()) return;
  }
  if (columns.fresh_if_untold) return;
  throw data_error(
      "{}: no column is known as the unique tokens, or as epochs: name all three columns with -x, "
      "such as -x parameters,tokens,unique_tokens; columns are: {}",
      source, joined(header.names));
}

/// Whether the scales are parameters and tokens, or compute, by their names.
bool are_of_losses(const SurfaceColumns& columns) {
  const auto is_of = [](std::string_view name, ColumnRole role) {
    return meaning_of(name).role == role;
  };
  const bool compute = is_of(columns.compute, ColumnRole::kCompute);
  return (is_of(columns.n, ColumnRole::kParameters) &&
          (is_of(columns.d, ColumnRole::kTokens) || compute)) ||
         (gives_parameters(columns) && compute);
}

/// "Params (M) is read in millions"; "1 in 'pflop-days' is 8.64e+19" where there is no such word.
std::string reading_in_ones(const std::string& name, double one) {
  constexpr std::pair<double, std::string_view> kWords[] = {
      {1e3, "thousands"}, {1e6, "millions"}, {1e9, "billions"}, {1e12, "trillions"}};
  for (const auto& [number, word] : kWords) {
    if (number == one) return fmt::format("{} is read in {}", name, word);
  }
  return fmt::format("1 in '{}' is {:g}", name, one);
}

/// Sets how many ones a number of the columns stands for, and tells it in `choice`.
void read_ones(const Header& header, std::string_view source, const SurfaceColumns& columns,
               Ones& ones, std::string& choice) {
  if (!columns.in_ones && !are_of_losses(columns)) return;
  const auto read = [&](const std::string& name, double& one) {
    const auto place = find_column(header, name, source);
    one = ones_in(place ? header.names[*place] : name);
    if (one != 1) choice += "; " + reading_in_ones(name, one);
  };
  read(columns.n, ones.n);
  ones.second = ones.n;
  if (second_column(columns) != columns.n) read(second_column(columns), ones.second);
  if (has_unique(columns) && !counts_epochs(columns.unique)) read(columns.unique, ones.unique);
}

ChooseColumns chooser(SurfaceColumns& columns, const RunOptions& options, SurfaceTable& table,
                      Ones& ones) {
  return [&](const Header& header, std::string_view source, const TableProfile& profile) {
    RunOptions run = options;
    for (std::string* const name :
         {&columns.n, &columns.d, &columns.compute, &columns.unique, &columns.budget}) {
      *name = spelled_column(header, *name, source);
    }
    find_unique(header, source, columns);
    find_losses(header, source, profile, columns, run);
    run.x = columns.n;
    const ChosenColumns chosen = choose_columns(header, run, source, &profile);
    const std::string& second = second_column(columns);
    table.choice = description_of(chosen);
    read_ones(header, source, columns, ones, table.choice);
    table.unused_run_column = chosen.unused_run == second ? "" : chosen.unused_run;
    std::vector<NumberColumn> numbers{{.name = columns.n, .setting = true},
                                      {.name = second, .setting = true},
                                      {.name = chosen.y}};
    if (has_unique(columns)) numbers.push_back({.name = columns.unique, .setting = true});
    if (!columns.budget.empty()) numbers.push_back({.name = columns.budget, .setting = true});
    if (columns.more) {
      for (NumberColumn& column : columns.more(header, source, profile)) {
        numbers.push_back(std::move(column));
      }
    }
    return ObservationColumns{.by = chosen.by,
                              .numbers = std::move(numbers),
                              .run = chosen.run,
                              .runs_are_clusters = options.runs_are_clusters,
                              .pooled = chosen.pooled};
  };
}

void multiply(std::vector<double>& values, double factor) {
  if (factor == 1) return;
  for (double& value : values) value *= factor;
}

SurfaceRuns runs_of(const Observations& observations, std::size_t group,
                    const SurfaceColumns& columns, const Ones& ones, double factor) {
  const auto column = [&](std::size_t number) {
    const auto values = observations.values(group, number);
    return std::vector<double>(values.begin(), values.end());
  };
  const auto rows = observations.runs(group);
  SurfaceRuns runs{
      observations.key(group), column(0), column(1), column(2), {rows.begin(), rows.end()}};
  std::size_t next = kUniquePlace;
  if (has_unique(columns)) runs.unique = column(next++);
  if (!columns.budget.empty()) runs.budget = column(next++);
  while (next < observations.numbers().size()) runs.more.push_back(column(next++));
  multiply(runs.n, ones.n);
  multiply(runs.d, ones.second);
  multiply(runs.unique, ones.unique);
  if (!columns.compute.empty()) {
    for (std::size_t i = 0; i < runs.d.size(); ++i) runs.d[i] /= factor * runs.n[i];
    if (gives_parameters(columns)) std::swap(runs.n, runs.d);
  }
  if (has_unique(columns) && counts_epochs(columns.unique)) {
    for (std::size_t i = 0; i < runs.d.size(); ++i) runs.unique[i] = runs.d[i] / runs.unique[i];
  }
  return runs;
}

}  // namespace

bool counts_unique_tokens(std::string_view column) {
  const std::vector<std::string> words = words_of_name(column);
  const auto has = [&words](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  return (has("unique") && (has("token") || words.size() == 1)) ||
         (has("dataset") && (has("token") || has("size")));
}

SurfaceTable read_surface_runs(std::span<const std::string> inputs, SurfaceColumns columns,
                               const RunOptions& options) {
  SurfaceTable table;
  Ones ones;
  const Observations runs =
      read_observations(inputs, chooser(columns, options, table, ones), options);
  if (!table.unused_run_column.empty() &&
      !runs.has_several_rows_of_a_run(table.unused_run_column)) {
    table.unused_run_column.clear();
  }
  table.ungrouped = runs.ungrouped();
  const double factor = factor_of(columns);
  const bool derives_d = !columns.compute.empty();
  const char* const derived = gives_parameters(columns) ? kDerivedParameters : kDerivedTokens;
  if (derives_d) {
    table.choice +=
        fmt::format("; second x: {} = {} / ({} * {})", derived, columns.compute, factor, columns.n);
  } else if (columns.d != columns.n) {
    table.choice += "; second x: " + columns.d;
  }
  table.scales = {columns.n, derives_d ? derived : columns.d};
  if (gives_parameters(columns)) std::swap(table.scales[0], table.scales[1]);
  if (columns.takes_unique && !has_unique(columns)) {
    table.choice += "; all tokens are taken for fresh ones";
  }
  if (has_unique(columns)) {
    const bool epochs = counts_epochs(columns.unique);
    table.scales.push_back(epochs ? kDerivedUnique : columns.unique);
    table.choice +=
        "; unique tokens: " +
        (epochs ? fmt::format("{} / {}", table.scales[1], columns.unique) : columns.unique);
  }
  table.flops_per_parameter_token = factor;
  table.y = runs.numbers()[2].name;
  table.y_unit = runs.unit(2);
  const std::size_t first_more =
      kUniquePlace + (has_unique(columns) ? 1 : 0) + (columns.budget.empty() ? 0 : 1);
  for (std::size_t k = first_more; k < runs.numbers().size(); ++k) {
    table.more_units.push_back(runs.unit(k));
  }
  table.by = runs.by();
  table.rows = runs.rows();
  table.bad_rows = runs.bad_rows();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    table.groups.push_back(runs_of(runs, i, columns, ones, factor));
  }
  return table;
}

}  // namespace scalelaw
