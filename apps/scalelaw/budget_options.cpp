#include "budget_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"
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

void add_limit_options(Options& command, BudgetCommand& options) {
  command.group("Limits");
  BudgetOptions& budget = options.options;
  const auto add = [&](const char* name, std::optional<double>& target, const char* shown,
                       const char* help) { command.parsed(name, target, amount, shown, help); };
  add("--days", options.days, "DAYS", "Training must be done within this many days");
  command.text("--deadline", options.deadline, "TIME",
               "The same as a duration: 36h, 7d, 1-12:00:00");
  add("--gpus", budget.limit(BudgetLimit::kGpus), "N",
      "How many GPUs there are at most. Default: the most that a run had");
  add("--budget-gpu-hours", budget.limit(BudgetLimit::kGpuHours), "HOURS",
      "GPU-hours that training, and what is served, may take");
  add("--budget-kwh", budget.limit(BudgetLimit::kKwh), "KWH",
      "Energy that they may take, PUE included");
  command.text("--budget-cost", options.cost, "MONEY",
               "What they may cost, by --gpu-price and --price: 20000, '20000 EUR'", price());
  add("--budget-co2", budget.limit(BudgetLimit::kCo2), "KG",
      "CO2 that they may emit, in kg, by --carbon-intensity");
  add("--budget-flop", budget.limit(BudgetLimit::kFlop), "FLOP",
      "Compute that they may take: 6 per parameter and token of training, 2 per token served");
  add("--inference-tokens", options.inference_tokens, "N",
      "Tokens that the model serves later, which count against all limits but the time: a smaller "
      "model trained for longer is then better");
}

void add_work_options(Options& command, BudgetCommand& options) {
  command.group("Data");
  command.text("--gpus-column", options.work.gpus, "COL",
               "Column of the GPUs, or nodes, of a run. Default: found by its name");
  command.text("--time", options.work.time, "COL",
               "Column of the time: a rate of tokens, a time per step, or the time or GPU-hours of "
               "the run until its tokens were seen. Default: found by its name");
  command.text("--steps", options.work.steps, "COL",
               "Where the time is per step: column of the steps in which the tokens were seen. "
               "Default: found by its name");
  command.parsed("--tokens-per-step", options.work.tokens_per_step, amount, "N",
                 "The same as a number: the tokens of one step");
  command.parsed("--gpus-per-node", options.work.gpus_per_node, amount, "N",
                 "How many GPUs a node has, where the column counts nodes. Plans take whole nodes");
  command.text("--energy", options.work.energy, "COL",
               "Column of the energy that all GPUs of a run take until its tokens were seen. "
               "Default: found by its name");
  command.text("--power", options.work.power, "COL",
               "Column of the mean power of one GPU. Default: found by its name");
  command.flag("--total-power", options.work.total_power,
               "The power column is the power of all GPUs of a run together");
  command.parsed("--gpu-flops", options.gpu_flops, amount, "F",
                 "FLOP per second that one GPU sustains, such as 1.8e14, instead of times in the "
                 "table: its peak times the utilisation");
  command.parsed("--timed-parameters", options.timed_parameters, amount, "N",
                 "Parameters of the model whose times saved fits are of");
}

/// Whether a limit needs a law of the time.
bool needs_time(const BudgetOptions& options) {
  for (std::size_t k = 0; k < kBudgetLimits; ++k) {
    if (options.limits[k] && static_cast<BudgetLimit>(k) != BudgetLimit::kFlop) return true;
  }
  return false;
}

void refuse(const std::string& sentence) { throw DataError(sentence); }

double seconds_in(const std::string& deadline) {
  const auto seconds = parse_duration(deadline);
  if (seconds && *seconds > 0) return *seconds;
  throw DataError(fmt::format("--deadline {}: expected a duration such as 36h, 7d or 1-12:00:00",
                              scalelaw::quoted(deadline)));
}

/// The currency of prices. @throws DataError if two differ.
Currency currency_of(const BudgetCommand& command) {
  Currency currency;
  for (const std::string& text : {command.gpu_price, command.cost}) {
    const auto price = price_in(text);
    if (!price || (price->before.empty() && price->behind.empty())) continue;
    const bool is_other = !(currency.before.empty() && currency.behind.empty()) &&
                          (currency.before != price->before || currency.behind != price->behind);
    if (is_other) refuse("--gpu-price and --budget-cost are in different currencies");
    currency = {price->before, price->behind};
  }
  return currency;
}

void check_limits(const BudgetCommand& command, const BudgetOptions& options) {
  const auto has = [&](BudgetLimit limit) { return options.limit(limit).has_value(); };
  const bool has_budget = has(BudgetLimit::kGpuHours) || has(BudgetLimit::kKwh) ||
                          has(BudgetLimit::kCost) || has(BudgetLimit::kCo2) ||
                          has(BudgetLimit::kFlop);
  if (!has_budget && !has(BudgetLimit::kDeadline)) {
    refuse(
        "nothing limits the plan: add --days, --budget-gpu-hours, --budget-kwh, --budget-cost, "
        "--budget-co2 or --budget-flop");
  }
  if (options.inference_tokens > 0 && !has_budget) {
    refuse(
        "--inference-tokens: a deadline does not limit what is served later; add a budget, such as "
        "--budget-gpu-hours");
  }
  if (has(BudgetLimit::kCost) && !options.gpu_price && !options.footprint.price) {
    refuse("--budget-cost needs a price: --gpu-price of a GPU for an hour, or --price of a kWh");
  }
  if (has(BudgetLimit::kCo2) && !options.footprint.carbon_intensity) {
    refuse("--budget-co2 needs --carbon-intensity: grams of CO2 per kWh, or a grid such as FR");
  }
  if (command.gpu_flops && !has(BudgetLimit::kGpus) && needs_time(options)) {
    refuse("--gpu-flops needs --gpus: nothing else tells how many GPUs there are");
  }
  if (command.gpu_flops && command.call.first_given({"--time", "--steps", "--tokens-per-step"})) {
    refuse("--gpu-flops and --time both say how long a token takes: leave one of them out");
  }
  if (command.gpu_flops && command.timed_parameters) {
    refuse("--gpu-flops and --timed-parameters both say how long a token takes: leave one out");
  }
  if (command.gpu_power && command.call.first_given({"--power", "--energy"})) {
    refuse("--gpu-power and --power or --energy all say what a GPU draws: leave one of them out");
  }
  const auto gpus = options.limit(BudgetLimit::kGpus);
  if (gpus && *gpus < options.gpu_step) {
    refuse(fmt::format("--gpus {:g}: fewer than the {:g} of a node", *gpus, options.gpu_step));
  }
}

BudgetOptions budget_options(const BudgetCommand& command) {
  BudgetOptions options = command.options;
  if (command.days && !command.deadline.empty()) {
    refuse("--days and --deadline both limit the time: leave one of them out");
  }
  auto& deadline = options.limit(BudgetLimit::kDeadline);
  if (command.days) deadline = *command.days * kSecondsPerDay;
  if (!command.deadline.empty()) deadline = seconds_in(command.deadline);
  if (!command.cost.empty()) options.limit(BudgetLimit::kCost) = price_in(command.cost)->number;
  if (!command.gpu_price.empty()) options.gpu_price = price_in(command.gpu_price)->number;
  options.inference_tokens = command.inference_tokens.value_or(0);
  options.footprint = footprint_of(command.footprint);
  options.confidence = command.study.confidence;
  options.gpu_step = command.work.gpus_per_node.value_or(1);
  check_limits(command, options);
  return options;
}

/// The fits of the loss, from saved ones or from runs, and what the runs tell of the work.
struct LossStudy {
  StudyReport report;
  std::vector<GroupFit> fits;
  std::vector<SurfaceRuns> runs;        ///< Empty of saved fits.
  std::optional<SavedFits> times = {};  ///< Of saved fits, where a second document has times.
};

/// Reads saved fits of a loss and, where there are two documents, of times.
LossStudy saved_losses(const BudgetCommand& command) {
  std::vector<std::string> paths = command.study.inputs;
  if (paths.size() > 2) {
    throw DataError(
        fmt::format("{}: a plan takes one document of losses and one of times", joined(paths)));
  }
  std::vector<SavedFits> documents;
  for (const std::string& path : paths) documents.push_back(read_fits(path));
  if (documents.size() == 2 && documents[0].law->inputs() == 1) {
    std::swap(documents[0], documents[1]);
    std::swap(paths[0], paths[1]);
  }
  const SavedFits& saved = documents.front();
  const std::string& path = paths.front();
  if (saved.law != find_law("chinchilla")) {
    throw DataError(fmt::format(
        "{}: it holds fits of the {} law, and a plan needs fits of a loss over parameters and "
        "tokens (fit --law chinchilla)",
        path, saved.law->name()));
  }
  refuse_row_options(command.call, path);
  if (const auto name =
          command.call.first_given({"--flops", "--flops-per-parameter-token", "--residual",
                                    "--huber-delta", "--over-penalty", "--time", "--gpus-column",
                                    "--steps", "--power", "--energy", "--total-power"})) {
    throw DataError(fmt::format("{}: it holds finished fits and no columns, so that {} has no use",
                                path, *name));
  }
  LossStudy study{report_on(saved), saved.groups, {}};
  if (documents.size() == 2) study.times = std::move(documents[1]);
  return study;
}

/// What saved fits of times are of.
/// @throws DataError if they tell no time of a token.
TimedModel timed_model(const BudgetCommand& command, const SavedFits& times) {
  if (!command.timed_parameters) {
    throw DataError(
        fmt::format("{}: say with --timed-parameters how many parameters the model had whose times "
                    "these are",
                    times.source));
  }
  TimedModel model{.n = *command.timed_parameters};
  const RateName rate = rate_name(times.y);
  const auto unit_seconds = in_base_units(unit_of(times), Dimension::kTime);
  if (times.response == Response::kRate && rate.things.starts_with("tok")) {
    model.seconds = rate.seconds.value_or(1);
    model.of_one_gpu = rate.of_one_device;
  } else if (times.response == Response::kTime && command.work.tokens_per_step && unit_seconds) {
    model.tokens_per_step = command.work.tokens_per_step;
    model.seconds = *unit_seconds;
  } else {
    throw DataError(fmt::format(
        "{}: fits of '{}' tell no time of a token: save fits of a rate such as tokens_per_second "
        "(fit --rate), or of a time per step and give --tokens-per-step",
        times.source, times.y));
  }
  if (counts_nodes(times.x)) {
    if (!command.work.gpus_per_node) {
      throw DataError(
          fmt::format("{}: '{}' counts nodes: say with --gpus-per-node how many GPUs a node has",
                      times.source, times.x));
    }
    model.gpus_per_x = *command.work.gpus_per_node;
  }
  return model;
}

/// The fit of times of a group: its own, or the only one.
/// @throws FitError if there is none.
const Fit& fit_of_times(const SavedFits& times, const GroupKey& group) {
  for (const GroupFit& fit : times.groups) {
    const Fit* const found = std::get_if<Fit>(&fit.result);
    if (found != nullptr && (fit.group == group || times.groups.size() == 1)) return *found;
  }
  throw FitError(FailureCode::kTooFewPoints, "no saved fit of times for this group");
}

LossStudy fitted_losses(const BudgetCommand& command, WorkColumns& work,
                        const GlobalOptions& global) {
  StudyOptions study = command.study;
  study.law = find_law("chinchilla");
  study.se = study.run.empty() ? StandardError::kSandwich : StandardError::kCr2;
  SurfaceOptions columns = command.surface;
  columns.sharing = "--run";
  columns.in_ones = true;
  columns.more = [&work](const Header& header, std::string_view source,
                         const TableProfile& profile) {
    return work.choose(header, source, profile);
  };
  SurfaceStudy read = read_surface(study, columns, global);
  work.take_units(read.more_units);
  FitOptions fit = study;
  fit.robust = Robust::kHuber;
  fit.intervals = Intervals::kWald;  // Draws need no profiles.
  fit.bootstrap.resamples = 0;
  auto fits = fit_surfaces(read.groups, fit, global.threads);
  return {read.report, std::move(fits), std::move(read.groups)};
}

/// Says where the time of a token and the power of a GPU come from.
/// @throws DataError if saved fits of times tell no time of a token.
void name_sources(const BudgetCommand& command, const WorkColumns& columns, const LossStudy& losses,
                  BudgetReport& report) {
  if (command.gpu_flops && needs_time(report.options)) {
    report.time = fmt::format("{:g} FLOP per second of a GPU", *command.gpu_flops);
  } else if (columns.has_time()) {
    report.time = columns.choice();
  } else if (losses.times && needs_time(report.options)) {
    timed_model(command, *losses.times);
    report.time =
        fmt::format("{} of a model of {:g} parameters", losses.times->y, *command.timed_parameters);
  }
  if (!report.time.empty() && command.gpu_power) {
    report.power = fmt::format("{:.6g} W per GPU", *command.gpu_power);
  } else if (columns.has_power()) {
    report.power = columns.choice();
  }
}

/// @throws DataError if the limits need a time or a power that nothing tells.
void check_knowledge(const BudgetReport& report) {
  const BudgetOptions& options = report.options;
  if (report.time.empty() && needs_time(options)) {
    refuse(
        "nothing tells how long training takes: name a column of it with --time (a rate of tokens, "
        "a time per step, or the time of the run), or say with --gpu-flops how many FLOP per "
        "second a GPU sustains; without either, only --budget-flop can limit the plan");
  }
  const bool needs_power = options.limit(BudgetLimit::kKwh) || options.limit(BudgetLimit::kCo2) ||
                           options.footprint.price || options.footprint.carbon_intensity;
  if (report.power.empty() && needs_power) {
    refuse(
        "nothing tells the power of a GPU, which kWh, CO2 and the price of energy need: give it "
        "with --gpu-power, or name a column with --power or --energy");
  }
}

std::optional<ResourceLaw> time_law(const BudgetCommand& command, const BudgetReport& report,
                                    const LossStudy& losses, const Work& work,
                                    const SurfaceRuns* runs, const GroupKey& group) {
  if (report.time.empty()) return std::nullopt;
  if (losses.times) {
    return resource_of(fit_of_times(*losses.times, group), timed_model(command, *losses.times));
  }
  if (command.gpu_flops) {
    return known_resource(Resource::kTime,
                          report.options.flops_per_parameter_token / *command.gpu_flops, 1);
  }
  return fit_resource(Resource::kTime, runs->n, work.gpus, work.gpu_seconds, runs->cluster,
                      report.options.confidence);
}

std::optional<ResourceLaw> power_law(const BudgetCommand& command, const BudgetReport& report,
                                     const Work& work, const SurfaceRuns* runs) {
  if (report.power.empty()) return std::nullopt;
  if (command.gpu_power) return known_resource(Resource::kPower, *command.gpu_power, 0);
  return fit_resource(Resource::kPower, runs->n, work.gpus, work.watts, runs->cluster,
                      report.options.confidence);
}

}  // namespace

void add_budget_options(Options& command, BudgetCommand& options) {
  options.call = command;
  add_input_option(command, options.study);
  command.text("-x", options.study.x, "COL,COL",
               "Columns of the parameters and tokens. Default: found by their names");
  command.text("-y", options.study.y, "COL", "Column of the loss. Default: found by its name");
  add_selection_options(command, options.study,
                        "Column that names the run of a row. Losses of one run share errors, which "
                        "the intervals allow for, and its times are one; name the column of the "
                        "parameters if runs of one size share data or settings");
  add_work_options(command, options);
  add_surface_options(command, options.surface, options.study);
  add_limit_options(command, options);
  command.group("Footprint");
  command.text("--gpu-price", options.gpu_price, "PRICE",
               "Price of one GPU for one hour, with or without a currency: 2.5, '$2.50', '2.5 EUR'",
               price());
  command.number("--gpu-power", options.gpu_power, positive(), "W",
                 "Watts that one GPU draws, instead of a column");
  add_footprint_options(command, options.footprint);
  add_confidence_option(command, options.study);
  command.count("--seed", options.options.seed, 0, "S",
                "Seed of the random numbers; the same seed gives the same result");
}

BudgetStudy plan_budgets(const BudgetCommand& command, const GlobalOptions& global,
                         const std::vector<double>& frontier) {
  BudgetStudy study;
  BudgetReport& report = study.report;
  report.options = budget_options(command);
  if (!frontier.empty()) report.options.frontier = frontier;
  report.currency = currency_of(command);
  WorkOptions asked = command.work;
  asked.wants_time = needs_time(report.options) && !command.gpu_flops;
  asked.wants_power = !command.gpu_power;
  WorkColumns columns(asked);
  const std::vector<std::string>& inputs = command.study.inputs;
  const auto saved = std::count_if(inputs.begin(), inputs.end(), holds_saved_fits);
  const bool is_saved = saved > 0;
  if (is_saved && static_cast<std::size_t>(saved) < inputs.size()) {
    throw DataError(fmt::format("{}: saved fits and run tables cannot be mixed: name only one kind",
                                joined(inputs)));
  }
  LossStudy losses = is_saved ? saved_losses(command) : fitted_losses(command, columns, global);
  report.study = std::move(losses.report);
  report.study.inputs = inputs;
  report.options.flops_per_parameter_token = report.study.flops_per_parameter_token;
  if (!columns.choice().empty()) global.console().note(columns.choice());
  name_sources(command, columns, losses, report);
  check_knowledge(report);
  for (std::size_t i = 0; i < losses.fits.size(); ++i) {
    const GroupFit& fit = losses.fits[i];
    const SurfaceRuns* const runs = is_saved ? nullptr : &losses.runs[i];
    study.groups.push_back({fit.group, outcome_of(fit.result, [&](const Fit& loss) {
                              const Work work = runs != nullptr ? columns.work_of(*runs) : Work{};
                              return plan_budget(
                                  {loss, time_law(command, report, losses, work, runs, fit.group),
                                   power_law(command, report, work, runs)},
                                  report.options, random_stream_of(fit.group), global.threads);
                            })});
  }
  return study;
}

}  // namespace scalelaw::cli
