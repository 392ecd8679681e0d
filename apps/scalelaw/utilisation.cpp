#include "utilisation.hpp"

#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw::cli {
namespace {

/// The runs of a group: numbers are the scale, multiprocessors and memory.
GroupUtilisation utilisation_of(const Observations& runs, std::size_t group) {
  const auto column = [&](std::size_t number) {
    const auto values = runs.values(group, number);
    return std::vector<double>(values.begin(), values.end());
  };
  return {runs.key(group), column(0), column(1), column(2)};
}

}  // namespace

UtilisationRuns read_utilisation(const StudyOptions& study, const UtilisationColumns& columns,
                                 const GlobalOptions& global) {
  refuse_no_input(study);
  UtilisationRuns out;
  const ChooseColumns choose = [&](const Header& header, std::string_view source) {
    RunOptions wanted;
    wanted.x = study.x;
    wanted.y = columns.sm;
    wanted.by = split(study.by, ',');
    wanted.by_chosen = study.by_given;
    wanted.where = study.where;
    const ChosenColumns chosen = choose_columns(header, wanted, source);
    out.axes = {.x = chosen.x, .y = wanted.y, .by = chosen.by, .logarithmic = true};
    const auto share = [](std::string_view name) {
      return NumberColumn{.name = std::string(name), .needed = true, .positive = false};
    };
    return ObservationColumns{
        .by = chosen.by,
        .numbers = {{.name = chosen.x, .setting = true}, share(columns.sm), share(columns.memory)}};
  };
  const Observations runs = read_observations(study.inputs, choose,
                                              {.where = study.where,
                                               .skip_bad_rows = study.skip_bad_rows,
                                               .threads = global.threads,
                                               .progress = global.console().shows_progress()});
  for (std::size_t i = 0; i < runs.size(); ++i) out.groups.push_back(utilisation_of(runs, i));
  out.rows = runs.rows();
  out.bad_rows = runs.bad_rows();
  return out;
}

}  // namespace scalelaw::cli
