#include "scalelaw/runs/surface_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw {
namespace {

constexpr const char* kDerived = "tokens";  ///< Name of a second scale that a compute gives.
constexpr double kTrainingFlops = 6;        ///< Per parameter and token (Kaplan et al. 2020).

/// The column that is read for the second scale.
const std::string& second_column(const SurfaceColumns& columns) {
  return columns.compute.empty() ? columns.d : columns.compute;
}

bool is_one_of(std::string name, const std::vector<std::string_view>& words) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::any_of(words.begin(), words.end(), [&name](std::string_view word) {
    return word.size() == 1 ? name == word : name.find(word) != std::string::npos;
  });
}

double factor_of(const SurfaceColumns& columns) {
  if (columns.flops_per_parameter_token) return *columns.flops_per_parameter_token;
  if (!columns.compute.empty()) return kTrainingFlops;
  const bool tokens = is_one_of(columns.d, {"token", "d"});
  const bool parameters = is_one_of(columns.n, {"param", "model", "n"});
  return parameters && tokens ? kTrainingFlops : 1;
}

/// Finds the columns that nobody named by their words: parameters, tokens or compute, and a loss.
/// @throws DataError if the table lacks them, or several are losses.
void find_losses(const Header& header, std::string_view source, const TableProfile& profile,
                 SurfaceColumns& columns, RunOptions& run) {
  const std::vector<std::string> losses =
      run.y.empty() ? losses_of(header, &profile) : std::vector{run.y};
  if (losses.size() > 1) {
    throw DataError(fmt::format("{}: {} columns are losses: name one with -y. They are: {}", source,
                                losses.size(), joined(losses)));
  }
  if (run.y.empty() && !losses.empty()) run.y = losses.front();
  if (!columns.n.empty()) return;
  const auto found = loss_columns(header, &profile, run.y);
  if (!found) {
    throw DataError(
        fmt::format("{}: no columns are known as parameters, tokens (or compute) and loss: name "
                    "both columns of "
                    "x, and y, such as -x parameters,tokens -y loss, or one x and the compute with "
                    "--flops COL; "
                    "columns are: {}",
                    source, joined(header.names)));
  }
  columns.n = found->parameters;
  if (columns.compute.empty()) columns.d = found->tokens;
  if (columns.d.empty() && columns.compute.empty()) columns.compute = found->compute;
}

ChooseColumns chooser(SurfaceColumns& columns, const RunOptions& options, SurfaceTable& table) {
  return [&](const Header& header, std::string_view source, const TableProfile& profile) {
    RunOptions run = options;
    find_losses(header, source, profile, columns, run);
    run.x = columns.n;
    const ChosenColumns chosen = choose_columns(header, run, source, &profile);
    const std::string& second = second_column(columns);
    table.choice = description_of(chosen);
    table.unused_run_column = chosen.unused_run == second ? "" : chosen.unused_run;
    std::vector<NumberColumn> numbers{{.name = columns.n, .setting = true},
                                      {.name = second, .setting = true},
                                      {.name = chosen.y}};
    if (!columns.budget.empty()) numbers.push_back({.name = columns.budget, .setting = true});
    return ObservationColumns{.by = chosen.by,
                              .numbers = std::move(numbers),
                              .run = chosen.run,
                              .runs_are_clusters = options.runs_are_clusters,
                              .pooled = chosen.pooled};
  };
}

SurfaceRuns runs_of(const Observations& observations, std::size_t group, bool derives_d,
                    double factor) {
  const auto column = [&](std::size_t number) {
    const auto values = observations.values(group, number);
    return std::vector<double>(values.begin(), values.end());
  };
  const auto rows = observations.runs(group);
  SurfaceRuns runs{
      observations.key(group), column(0), column(1), column(2), {rows.begin(), rows.end()}};
  if (observations.numbers().size() > 3) runs.budget = column(3);
  if (!derives_d) return runs;
  for (std::size_t i = 0; i < runs.d.size(); ++i) runs.d[i] /= factor * runs.n[i];
  return runs;
}

}  // namespace

SurfaceTable read_surface_runs(std::span<const std::string> inputs, SurfaceColumns columns,
                               const RunOptions& options) {
  SurfaceTable table;
  const Observations runs = read_observations(inputs, chooser(columns, options, table), options);
  if (!table.unused_run_column.empty() &&
      !runs.has_several_rows_of_a_run(table.unused_run_column)) {
    table.unused_run_column.clear();
  }
  table.ungrouped = runs.ungrouped();
  const double factor = factor_of(columns);
  const bool derives_d = !columns.compute.empty();
  table.choice += fmt::format(
      "; second x: {}",
      derives_d ? fmt::format("{} = {} / ({} * {})", kDerived, columns.compute, factor, columns.n)
                : columns.d);
  table.scales = {columns.n, derives_d ? kDerived : columns.d};
  table.flops_per_parameter_token = factor;
  table.y = runs.numbers()[2].name;
  table.y_unit = runs.unit(2);
  table.by = runs.by();
  table.rows = runs.rows();
  table.bad_rows = runs.bad_rows();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    table.groups.push_back(runs_of(runs, i, derives_d, factor));
  }
  return table;
}

}  // namespace scalelaw
