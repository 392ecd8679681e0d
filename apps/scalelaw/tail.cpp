#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/tail_report.hpp"
#include "tail_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw tail data/tail/durations.csv -y duration_s -b queue
      Are the longest jobs of each queue a power law, and from which duration on?
  scalelaw tail data/tail/durations.csv -y restarts --discrete -b ""
      Counts: the zeta distribution in place of the continuous one.
  scalelaw tail data/tail/durations.csv -y duration_s --where queue=batch --xmin 600 --format json
      A tail that begins where you say; every figure for other programs.

  This is about the distribution of one column: p(x) ~ x^-alpha among the largest values
  (Clauset, Shalizi and Newman 2009). How a time depends on the number of GPUs, t = alpha N^-beta,
  is another problem with the same name: scalelaw fit.
)";

struct TailCommand {
  StudyOptions study;
  TailChoice choice;
  ResultOptions result;
};

TailReport tail_report(const StudyOptions& study, const Observations& sample,
                       const TailOptions& options) {
  TailReport report;
  report.study.inputs = study.inputs;
  report.study.y = sample.numbers()[kSampleColumn].name;
  report.study.y_unit = sample.unit(kSampleColumn);
  report.study.by = sample.by();
  report.study.run = study.run;
  report.study.rows = sample.rows();
  report.options = options;
  return report;
}

int run_tail(const TailCommand& options, const GlobalOptions& global) {
  const TailOptions tail = tail_options(options.study, options.choice, global);
  return deliver(options.result, options.study.inputs, global, [&](const Delivery& delivery) {
    const Observations sample = read_sample(options.study, options.choice, global);
    const std::vector<GroupTail> groups = judge_tails(sample, tail);
    write_tails(tail_report(options.study, sample, tail), groups, delivery.style, delivery.sink);
    return groups_without("tail", groups);
  });
}

}  // namespace

Command add_tail_command(Program& program) {
  auto options = std::make_shared<TailCommand>();
  Options tail = program.add_command(
      "tail", "Tell whether the largest values of a column follow a power law", kExamples);
  add_input_option(tail, options->study);
  tail.text("-y", options->study.y, "COL",
            "Column of the values, all > 0; not needed where it is the only one, such as in a file "
            "of numbers one a line");
  add_selection_options(tail, options->study);
  add_tail_options(tail, options->choice, "Tail");
  add_confidence_option(tail, options->study);
  tail.count("--bootstrap", options->choice.draws, 0, "B",
             "Draws for the intervals, and as many for the goodness of fit; 0 for neither");
  tail.count("--seed", options->study.seed, 0, "S", "Seed of the random numbers");
  add_result_options(tail, options->result);
  add_columns_option(tail, options->result);
  add_strict_option(tail, options->result, "Exit with 1 if a group has no tail");
  return {tail, [options](const GlobalOptions& global) { return run_tail(*options, global); }};
}

}  // namespace scalelaw::cli
