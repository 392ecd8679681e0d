#include "scalelaw/judge/isoflop.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kIsoflopExamples =
    R"(  scalelaw isoflop data/isoflop/runs.csv
      The best number of parameters and tokens for each budget, and how both grow with the compute.
  scalelaw isoflop data/isoflop/runs.csv --at-compute 1e21,1e24
      The same, and the best model for budgets that were not run.
  scalelaw isoflop data/isoflop/runs.csv --run parameters --details
      Runs of one size may share errors; all approaches, and why one is not possible.
  scalelaw isoflop data/isoflop/runs.csv --format csv
      One row per approach and compute, with all digits.
  scalelaw isoflop data/sweeps/runs.csv --over lr
      The best learning rate for each size and number of tokens, and how it moves with both.
)";

struct IsoflopCommand {
  Options call;
  std::string over;  ///< Column of a setting whose best value is asked for; empty: none.
  StudyOptions study;
  SurfaceOptions surface;
  IsoflopChoice choice;
  ResultOptions result;
};

int run_isoflop(const IsoflopCommand& options, const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    if (!options.over.empty()) {  // The best value of a setting instead of the best size.
      const auto [report, groups] =
          read_setting_optima(options.study, options.surface, options.over, global.conditions());
      write_setting_optima(report, groups, delivery.style, delivery.sink);
      return groups_without("optimum", groups);
    }
    const IsoflopStudy study =
        read_isoflop(options.study, options.surface, options.choice, global.conditions());
    const std::vector<GroupIsoflop> groups =
        judge_isoflops(study.runs.groups, study.report.options, global.threads);
    write_isoflops(study.report, groups, delivery.style, delivery.sink);
    return groups_without("best split", groups);
  });
}

/// A number from 1 on, or "all".
std::optional<double> sizes_within(const std::string& option, const std::string& text) {
  if (text == "all") return std::numeric_limits<double>::infinity();
  const std::optional<double> times = parse_number(text);
  if (times && *times >= 1 && std::isfinite(*times)) return times;
  throw DataError(
      fmt::format("{}: expected a number from 1 on, or all; found \"{}\"", option, text));
}

}  // namespace

void add_isoflop_options(Options& command, IsoflopChoice& choice, const char* group) {
  command.group(group);
  command.text(
      "--budget", choice.budget, "COL",
      "Column of numbers that tells runs of one budget, such as the planned compute. Default: "
      "runs whose computes lie within 16 %, many together");
  command.parsed(
      "--within", choice.within, sizes_within, "X",
      "Fit each budget to the sizes up to X times from its best run, or to all. Default: "
      "8 if sizes lie more than 20 times away, else all");
  command.choice("--approach", choice.approach,
                 named(std::vector{IsoflopApproach::kCurves, IsoflopApproach::kParabolas,
                                   IsoflopApproach::kPowers, IsoflopApproach::kSurface}),
                 "Approach that the answer takes: the best of training curves, parabolas per "
                 "budget, the powers of the law per budget, or the surface over all runs. Default: "
                 "powers, or the surface if few runs belong to budgets with a minimum");
  command.parsed("--at-compute", choice.at_compute, places, "C,C",
                 "Computes for which the best model is told, such as 1e21,5e24. Default: ten times "
                 "the greatest budget");
}

Command add_isoflop_command(Program& program) {
  auto options = std::make_shared<IsoflopCommand>();
  Options isoflop = options->call = program.add_command(
      "isoflop", "Tell which number of parameters and tokens is best for a compute",
      kIsoflopExamples);
  add_input_option(isoflop, options->study);
  isoflop.text("-x", options->study.x, "COL,COL",
               "Columns of the parameters and tokens. Default: found by their names");
  isoflop.text("-y", options->study.y, "COL", "Column of the loss. Default: found by its name");
  add_selection_options(isoflop, options->study,
                        "Column that names the run of a row; rows of one run share errors, which "
                        "the intervals allow for. Name the column of the parameters if runs of one "
                        "size share data or settings");
  add_surface_options(isoflop, options->surface, options->study);
  add_isoflop_options(isoflop, options->choice, "Budgets");
  isoflop.group("Settings");
  isoflop.text(
      "--over", options->over, "COL",
      "Tell the best value of this setting, such as lr or batch_size, instead: by a parabola "
      "in each cell of parameters and tokens, and powers of both over the cells");
  isoflop
      .rules({"--budget", "--within", "--approach", "--at-compute", "--run", "--robust",
              "--residual", "--huber-delta", "--over-penalty"})
      .excludes("--over", "the loss over a setting is a parabola in each cell of sizes and tokens");
  add_confidence_option(isoflop, options->study);
  add_result_options(isoflop, options->result, "Exit with status 1 if a group has no best split");
  return command_of(isoflop, options, run_isoflop);
}

}  // namespace scalelaw::cli
