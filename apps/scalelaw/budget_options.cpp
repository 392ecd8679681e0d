#include "study_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

/// A number as people write it: 1T, 64, 1e22, 3,5.
std::optional<double> amount(const std::string& option, const std::string& text) {
  const auto number = number_as_written(text);
  if (number && *number > 0) return number;
  throw DataError(fmt::format("{}: expected a number above 0, such as 64, 1e22 or 1T; found {}",
                              option, scalelaw::quoted(text)));
}

std::optional<double> seconds_of_days(const std::string& option, const std::string& text) {
  return *amount(option, text) * kSecondsPerDay;
}

std::optional<double> seconds_of_duration(const std::string& option, const std::string& text) {
  const auto seconds = parse_duration(text);
  if (text.empty() || (seconds && *seconds > 0)) return seconds;
  throw DataError(fmt::format("{} {}: expected a duration such as 36h, 7d or 1-12:00:00", option,
                              scalelaw::quoted(text)));
}

void add_limit_options(Options& command, BudgetRequest& request) {
  command.group("Limits");
  BudgetLimits& limits = request.limits;
  const auto add = [&](const char* name, std::optional<double>& target, const char* shown,
                       const char* help) { command.parsed(name, target, amount, shown, help); };
  command.parsed("--days", limits.seconds, seconds_of_days, "DAYS",
                 "Training must be done within this many days");
  command.parsed("--deadline", limits.seconds, seconds_of_duration, "TIME",
                 "The same as a duration: 36h, 7d, 1-12:00:00");
  add("--gpus", limits.gpus, "N",
      "How many GPUs there are at most. Default: the most that a run had");
  add("--budget-gpu-hours", limits.gpu_hours, "HOURS",
      "GPU-hours that training, and what is served, may take");
  add("--budget-kwh", limits.kwh, "KWH", "Energy that they may take, PUE included");
  command.parsed("--budget-cost", limits.cost, price_of, "MONEY",
                 "What they may cost, by --gpu-price and --price: 20000, '20000 EUR'");
  add("--budget-co2", limits.co2_kg, "KG", "CO2 that they may emit, in kg, by --carbon-intensity");
  add("--budget-flop", limits.flop, "FLOP",
      "Compute that they may take: 6 per parameter and token of training, 2 per token served");
  add("--inference-tokens", request.inference_tokens, "N",
      "Tokens that the model serves later, which count against all limits but the time: a smaller "
      "model trained for longer is then better");
  add("--unique-tokens", request.unique_tokens, "N",
      "How many tokens differ. A plan that takes more sees some again; what that is worth the law "
      "data-constrained tells");
}

void add_work_options(Options& command, BudgetRequest& request) {
  command.group("Data");
  command.text("--gpus-column", request.work.gpus, "COL",
               "Column of the GPUs, or nodes, of a run. Default: found by its name");
  command.text("--time", request.work.time, "COL",
               "Column of the time: a rate of tokens, a time per step, or the time or GPU-hours of "
               "the run until its tokens were seen. Default: found by its name");
  command.text("--steps", request.work.steps, "COL",
               "Where the time is per step: column of the steps in which the tokens were seen. "
               "Default: found by its name");
  command.parsed("--tokens-per-step", request.work.tokens_per_step, amount, "N",
                 "The same as a number: the tokens of one step");
  command.parsed("--gpus-per-node", request.work.gpus_per_node, amount, "N",
                 "How many GPUs a node has, where the column counts nodes. Plans take whole nodes");
  command.text("--energy", request.work.energy, "COL",
               "Column of the energy that all GPUs of a run take until its tokens were seen. "
               "Default: found by its name");
  command.text("--power", request.work.power, "COL",
               "Column of the mean power of one GPU. Default: found by its name");
  command.flag("--total-power", request.work.total_power,
               "The power column is the power of all GPUs of a run together");
  command.parsed("--gpu-flops", request.gpu_flops, amount, "F",
                 "FLOP per second that one GPU sustains, such as 1.8e14, instead of times in the "
                 "table: its peak times the utilisation");
  command.parsed("--timed-parameters", request.timed_parameters, amount, "N",
                 "Parameters of the model whose times and energies saved fits are of");
}

/// Which limits need another option, and what options say the same.
void add_limit_rules(Options& command) {
  command.rules("--days").excludes("--deadline", "both limit the time");
  command.rules(CallKind{"the plan",
                         [](const CallOptions&) {
                           return KindFound{true, ""};
                         }})
      .needs({"--days", "--deadline", "--budget-gpu-hours", "--budget-kwh", "--budget-cost",
              "--budget-co2", "--budget-flop"},
             "nothing limits {0}: add --days, --budget-gpu-hours, --budget-kwh, --budget-cost, "
             "--budget-co2 or --budget-flop");
  command.rules("--inference-tokens")
      .needs(
          {"--budget-gpu-hours", "--budget-kwh", "--budget-cost", "--budget-co2", "--budget-flop"},
          "{0}: a deadline does not limit what is served later; add a budget, such as "
          "--budget-gpu-hours");
  command.rules("--budget-cost")
      .needs({"--gpu-price", "--price"},
             "{0} needs a price: --gpu-price of a GPU for an hour, or --price of a kWh");
  command.rules("--budget-co2")
      .needs("--carbon-intensity", "grams of CO2 per kWh, or a grid such as FR");
  command.rules("--gpu-flops")
      .excludes({"--time", "--steps", "--tokens-per-step"},
                "{0} and --time both say how long a token takes: leave one of them out")
      .when({"--days", "--deadline", "--budget-gpu-hours", "--budget-kwh", "--budget-cost",
             "--budget-co2"})
      .needs("--gpus", "nothing else tells how many GPUs there are");
  command.rules("--gpu-power")
      .excludes({"--power", "--energy"},
                "{0} and --power or --energy all say what a GPU draws: leave one of them out");
  command.rules("--timed-parameters")
      .only_for(saved_fits(), "{0} is for saved fits: a table has the parameters of its runs");
  add_saved_rules(command);
  command
      .rules({"--law", "--fix", "--tie", "--bound", "--flops", "--flops-per-parameter-token",
              "--residual", "--huber-delta", "--over-penalty", "--time", "--gpus-column", "--steps",
              "--power", "--energy"})
      .excludes(saved_fits(), "{2}: it holds finished fits and no columns, so that {0} has no use");
}

void add_loss_options(Options& command, BudgetRequest& request) {
  add_surface_options(command, request.surface, request.study);
  command.group("Law");
  command.choice("--law", request.law, laws_named({"chinchilla", "data-constrained"}),
                 "The law of the loss. data-constrained knows what tokens are worth that are seen "
                 "again, and needs --unique-tokens",
                 find_law("chinchilla"));
  add_constraint_options(command, request.study.constraints);
}

}  // namespace

void add_budget_options(Options& command, BudgetRequest& request) {
  add_input_option(command, request.study);
  command.text("-x", request.study.x, "COL,COL",
               "Columns of the parameters and tokens. Default: found by their names");
  command.text("-y", request.study.y, "COL", "Column of the loss. Default: found by its name");
  add_selection_options(command, request.study,
                        "Column that names the run of a row. Losses of one run share errors, which "
                        "the intervals allow for, and its times are one; name the column of the "
                        "parameters if runs of one size share data or settings");
  add_work_options(command, request);
  add_loss_options(command, request);
  add_limit_options(command, request);
  command.group("Footprint");
  command.parsed("--gpu-price", request.gpu_price, price_of, "PRICE",
                 "Price of one GPU for one hour, with or without a currency: 2.5, '$2.50', '2.5 "
                 "EUR'");
  command.number("--gpu-power", request.gpu_power, positive(), "W",
                 "Watts that one GPU draws, instead of a column");
  add_footprint_options(command, request.footprint);
  add_confidence_option(command, request.study);
  command.count("--seed", request.seed, 0, "S",
                "Seed of the random numbers; the same seed gives the same result");
  add_limit_rules(command);
}

}  // namespace scalelaw::cli
