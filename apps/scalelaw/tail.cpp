#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kTailExamples =
    R"(  scalelaw tail data/tail/durations.csv -y duration_s -b queue
      Do the longest jobs of each queue follow a power law, and from which duration on?
  scalelaw tail data/tail/durations.csv -y restarts --discrete -b ""
      The same for counts, which are whole numbers.
  scalelaw tail data/tail/durations.csv -y duration_s --where queue=batch --xmin 600 --format json
      The tail begins at 600 s; everything about it as JSON.

  tail answers how the values of one column are distributed: p(x) ~ x^-alpha among the largest
  (Clauset, Shalizi and Newman 2009). How a time depends on the number of GPUs, t = alpha N^-beta,
  is another question: scalelaw fit answers it.
)";

struct TailCommand {
  StudyOptions study;
  TailChoice choice;
  ResultOptions result;
};

int run_tail(const TailCommand& options, const GlobalOptions& global) {
  const TailOptions tail = tail_options(options.choice);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const TailStudy study = read_tails(options.study, tail, global.conditions());
    const auto writer = make_tail_writer(study.report, delivery.style, delivery.sink);
    return write_each("tail", *writer, [&](const auto& write) {
      judge_tails(study.sample, study.report.options, write);
    });
  });
}

}  // namespace

void add_tail_options(Options& command, TailChoice& choice, const char* group) {
  command.group(group);
  command
      .flag(
          "--discrete", choice.discrete,
          "The values are whole numbers, such as counts, so the power law is the zeta distribution")
      .excludes("--run",
                "{1} averages the rows of a run, {0} needs whole numbers: leave out one of them");
  command.text("--xmin", choice.begin, "auto|V",
               "Value at which the tail begins. auto takes the value with the least KS distance "
               "between data and law");
}

TailOptions tail_options(const TailChoice& choice) {
  refuse_few_draws(choice.draws, "draws");
  TailOptions options = choice;
  if (choice.begin == "auto") return options;
  options.x_min = parse_number(choice.begin);
  const bool whole =
      options.x_min && *options.x_min == std::floor(*options.x_min) && *options.x_min <= kMostWhole;
  if (!options.x_min || !(*options.x_min > 0) || (choice.discrete && !whole)) {
    throw DataError(fmt::format("--xmin: expected auto or a {} above 0, found {}",
                                choice.discrete ? "whole number" : "number",
                                scalelaw::quoted(choice.begin)));
  }
  return options;
}

Command add_tail_command(Program& program) {
  auto options = std::make_shared<TailCommand>();
  Options tail = program.add_command(
      "tail", "Tell whether the largest values of a column follow a power law", kTailExamples);
  add_input_option(tail, options->study);
  tail.text("-y", options->study.y, "COL",
            "Column of the values, all above 0. Default: found by its name, or the only column, as "
            "in a file of one number per line");
  add_selection_options(tail, options->study);
  add_tail_options(tail, options->choice, "Tail");
  add_confidence_option(tail, options->study);
  tail.count("--bootstrap", options->choice.draws, 0, "B",
             "Number of bootstrap draws for the intervals, and as many for the goodness of fit; 0 "
             "for neither");
  tail.count("--seed", options->study.bootstrap.seed, 0, "S",
             "Seed of the random numbers; the same seed gives the same result");
  add_result_options(tail, options->result, "Exit with status 1 if a group has no tail");
  return command_of(tail, options, run_tail);
}

}  // namespace scalelaw::cli
