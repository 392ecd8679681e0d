#include <fmt/format.h>

#include <memory>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kPlotBudgetExamples =
    R"(  scalelaw plot budget data/budget/runs.csv --days 7 --gpus 64 --gpu-power 400 -o /tmp/budget.svg
      The least loss over the time of training and over the energy, and the plan among them.
)";

struct PlotBudgetCommand {
  BudgetRequest budget;
  DrawingOptions drawing;
};

int run_plot_budget(const PlotBudgetCommand& options, const GlobalOptions& global) {
  return draw(options.drawing, global, [&] {
    BudgetRequest request = options.budget;
    request.frontier = line_of_budgets();
    const BudgetStudy study = plan_budget(request, global.conditions());
    for (const GroupBudget& group : study.groups) {
      const std::string name = group_name(study.head.study.by, group.group);
      const Budget* const budget = std::get_if<Budget>(&group.result);
      if (budget == nullptr) {
        global.console().warn(
            fmt::format("no plan for {}: {}", name, std::get<NoFit>(group.result).message));
        continue;
      }
      if (study.groups.size() > 1) {
        global.console().warn(
            fmt::format("only one of {} groups is drawn, {}; choose another with --where",
                        study.groups.size(), name));
      }
      return budget_figure(study.head, group.group, *budget);
    }
    throw DataError("no group has a plan to draw");
  });
}

}  // namespace

Command add_plot_budget_command(Program& program) {
  auto options = std::make_shared<PlotBudgetCommand>();
  Options plot =
      program.add_command("plot-budget", "Draw the least loss over the time and energy of training",
                          kPlotBudgetExamples);
  add_budget_options(plot, options->budget);
  add_drawing_options(plot, options->drawing);
  return command_of(plot, options, run_plot_budget);
}

}  // namespace scalelaw::cli
