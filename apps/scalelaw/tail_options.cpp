#include "tail_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw::cli {
namespace {

/// The column of the values: the one that is named, the only one, or one with a usual name.
ChosenColumns columns_of(const StudyOptions& study, const Header& header, std::string_view source) {
  RunOptions wanted;
  wanted.has_x = false;
  wanted.y = study.y.empty() && header.names.size() == 1 ? header.names.front() : study.y;
  wanted.by = split(study.by, ',');
  wanted.by_chosen = study.by_given;
  wanted.where = study.where;
  wanted.run = study.run;
  return choose_columns(header, wanted, source);
}

}  // namespace

void add_tail_options(Options& command, TailChoice& choice, const char* group) {
  command.group(group);
  command.flag("--discrete", choice.discrete,
               "Values are whole numbers, such as counts: the zeta distribution");
  command.text("--xmin", choice.x_min, "auto|V",
               "Where the tail begins: a value, or auto for the least KS distance");
}

TailOptions tail_options(const StudyOptions& study, const TailChoice& choice,
                         const GlobalOptions& global) {
  refuse_few_draws(choice.draws, "draws");
  TailOptions options{.discrete = choice.discrete,
                      .x_min = {},
                      .draws = choice.draws,
                      .seed = study.seed,
                      .confidence = study.confidence,
                      .threads = global.threads};
  if (choice.x_min == "auto") return options;
  options.x_min = parse_number(choice.x_min);
  const bool whole =
      options.x_min && *options.x_min == std::floor(*options.x_min) && *options.x_min <= kMostWhole;
  if (!options.x_min || !(*options.x_min > 0) || (choice.discrete && !whole)) {
    throw DataError(fmt::format("--xmin: expected auto or a {} above 0, found {}",
                                choice.discrete ? "whole number" : "number",
                                scalelaw::quoted(choice.x_min)));
  }
  return options;
}

Observations read_sample(const StudyOptions& study, const TailChoice& choice,
                         const GlobalOptions& global) {
  refuse_no_input(study);
  if (choice.discrete && !study.run.empty()) {
    throw DataError(
        "--run averages the rows of a run, --discrete needs whole numbers: leave out "
        "one of them");
  }
  std::string chosen;
  const ChooseColumns choose = [&](const Header& header, std::string_view source) {
    const ChosenColumns columns = columns_of(study, header, source);
    chosen = description_of(columns);
    return ObservationColumns{.by = columns.by,
                              .numbers = {{.name = columns.y, .whole = choice.discrete}},
                              .run = columns.run};
  };
  const Console console = global.console();
  Observations sample = read_observations(study.inputs, choose,
                                          {.where = study.where,
                                           .skip_bad_rows = study.skip_bad_rows,
                                           .threads = global.threads,
                                           .progress = console.shows_progress()});
  console.note(chosen);
  say_what_was_left_out(sample.rows(), sample.bad_rows(), console);
  return sample;
}

}  // namespace scalelaw::cli
