#include <memory>

#include "delivery.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kBudgetExamples =
    R"(  scalelaw budget data/budget/runs.csv --days 7 --gpus 64
      Which model to train for a week on 64 GPUs, its loss, and what a longer time would buy.
  scalelaw budget data/budget/runs.csv --days 30 --gpus 256 --budget-kwh 20000 --gpu-price '2.5 EUR'
      The same within 20 MWh, and what it costs.
  scalelaw budget data/budget/runs.csv --budget-cost '$50000' --gpu-price '$2' --days 14 --inference-tokens 1T
      The best model for 50,000 dollars if it serves 1T tokens later.
  scalelaw budget data/isoflop/runs.csv --gpu-flops 1.8e14 --gpus 256 --days 30
      The same for a table without times, by the FLOP per second that a GPU sustains.
  scalelaw budget data/isoflop/runs.csv --budget-flop 1e22 --inference-tokens 300B
      The best model for a compute, of which serving takes a part.
)";

struct BudgetCall {
  BudgetRequest request;
  ResultOptions result;
};

int run_budget(const BudgetCall& call, const GlobalOptions& global) {
  return deliver(call.result, global, [&](const Delivery& delivery) {
    const BudgetStudy study = plan_budget(call.request, global.conditions());
    write_budgets(study.head, study.groups, delivery.style, delivery.sink);
    return groups_without("plan", study.groups);
  });
}

}  // namespace

Command add_budget_command(Program& program) {
  auto call = std::make_shared<BudgetCall>();
  Options budget = program.add_command(
      "budget", "Plan a training run: model, tokens and GPUs for a deadline or a budget",
      kBudgetExamples);
  add_budget_options(budget, call->request);
  add_result_options(budget, call->result, "Exit with status 1 if a group has no plan");
  return command_of(budget, call, run_budget);
}

}  // namespace scalelaw::cli
