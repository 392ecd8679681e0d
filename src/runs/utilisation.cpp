#include "scalelaw/runs/utilisation.hpp"

#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw {
namespace {

/// The runs of a group; the numbers are the scale, multiprocessors and memory.
GroupUtilisation utilisation_of(const Observations& runs, std::size_t group) {
  const auto column = [&](std::size_t number) {
    const auto values = runs.values(group, number);
    return std::vector<double>(values.begin(), values.end());
  };
  return {runs.key(group), column(0), column(1), column(2)};
}

}  // namespace

UtilisationRuns read_utilisation(const std::vector<std::string>& inputs, const RunOptions& options,
                                 const UtilisationColumns& columns) {
  UtilisationRuns out;
  const ChooseColumns choose = [&](const Header& header, std::string_view source,
                                   const TableProfile& profile) {
    RunOptions wanted = options;
    wanted.y = columns.sm;
    wanted.run.clear();      // Every row counts,
    wanted.weights.clear();  // and as much as any other.
    const ChosenColumns chosen = choose_columns(header, wanted, source, &profile);
    out.x = chosen.x;
    out.by = chosen.by;
    const auto share = [](std::string_view name) {
      return NumberColumn{.name = std::string(name), .needed = true, .positive = false};
    };
    return ObservationColumns{
        .by = chosen.by,
        .numbers = {{.name = chosen.x, .setting = true}, share(columns.sm), share(columns.memory)}};
  };
  const Observations runs = read_observations(inputs, choose, options);
  for (std::size_t i = 0; i < runs.size(); ++i) out.groups.push_back(utilisation_of(runs, i));
  out.rows = runs.rows();
  out.bad_rows = runs.bad_rows();
  return out;
}

}  // namespace scalelaw
