#include "budget_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/energy/plausible_power.hpp"
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
  add("--unique-tokens", budget.unique_tokens, "N",
      "How many tokens differ. A plan that takes more sees some again; what that is worth the law "
      "data-constrained tells");
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
}

std::vector<Named<const Law*>> laws_of_losses() {
  std::vector<Named<const Law*>> laws;
  for (const char* name : {"chinchilla", "data-constrained"}) {
    laws.push_back({name, find_law(name)});
  }
  return laws;
}

void add_loss_options(Options& command, BudgetCommand& options) {
  add_surface_options(command, options.surface, options.study);
  command.group("Law");
  command.choice("--law", options.law, laws_of_losses(),
                 "The law of the loss. data-constrained knows what tokens are worth that are seen "
                 "again, and needs --unique-tokens");
  add_constraint_options(command, options.study.constraints);
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

void check_limits(const BudgetOptions& options) {
  const auto gpus = options.limit(BudgetLimit::kGpus);
  if (gpus && *gpus < options.gpu_step) {
    refuse(fmt::format("--gpus {:g}: fewer than the {:g} of a node", *gpus, options.gpu_step));
  }
}

BudgetOptions budget_options(const BudgetCommand& command) {
  BudgetOptions options = command.options;
  auto& deadline = options.limit(BudgetLimit::kDeadline);
  if (command.days) deadline = *command.days * kSecondsPerDay;
  if (!command.deadline.empty()) deadline = seconds_in(command.deadline);
  if (!command.cost.empty()) options.limit(BudgetLimit::kCost) = price_in(command.cost)->number;
  options.gpu_price = number_of_price(command.gpu_price);
  options.inference_tokens = command.inference_tokens.value_or(0);
  options.footprint = footprint_of(command.footprint);
  options.confidence = command.study.confidence;
  options.gpu_step = command.work.gpus_per_node.value_or(1);
  check_limits(options);
  return options;
}

/// The fits of the loss, from saved ones or from runs, and what the runs tell of the work.
struct LossStudy {
  StudyReport report;
  std::vector<GroupFit> fits;
  FitOptions options = {};             ///< Of fits from runs.
  std::vector<SurfaceRuns> runs = {};  ///< Empty of saved fits.
  /// Where no run sees a token again, but the user knows what that is worth.
  std::optional<RepeatConstants> repeats = {};
  std::optional<SavedFits> times = {};   ///< Of saved fits, where a document has times,
  std::optional<SavedFits> powers = {};  ///< and where one has energies or powers.
};

WorkMeaning meaning_of(const SavedFits& saved) { return work_meaning(saved.y, unit_of(saved)); }

/// Puts a document where it belongs.
/// @throws DataError if there is one already.
void take_document(SavedFits&& saved, std::optional<SavedFits>& losses, LossStudy& study) {
  using Kind = WorkMeaning::Kind;
  const Kind kind = meaning_of(saved).kind;
  const bool is_loss = saved.law->inputs() > 1;
  const bool is_power = !is_loss && (kind == Kind::kEnergy || kind == Kind::kPower);
  std::optional<SavedFits>& place = is_loss ? losses : is_power ? study.powers : study.times;
  if (place) {
    throw DataError(fmt::format(
        "{}, {}: both hold fits of {}; a plan takes one document of losses, one of times, and one "
        "of energies or powers",
        place->source, saved.source,
        is_loss    ? "a loss"
        : is_power ? "an energy or power"
                   : "times"));
  }
  place = std::move(saved);
}

/// Reads saved fits of a loss and, where there are more documents, of times and energies.
LossStudy saved_losses(const BudgetCommand& command) {
  LossStudy study;
  std::optional<SavedFits> losses;
  for (const std::string& path : command.study.inputs) {
    take_document(read_fits(path), losses, study);
  }
  const bool is_of_losses = losses && (losses->law == find_law("chinchilla") ||
                                       losses->law == find_law("data-constrained"));
  if (!is_of_losses) {
    const SavedFits& other = losses ? *losses : study.times ? *study.times : *study.powers;
    throw DataError(fmt::format(
        "{}: it holds fits of the {} law, and a plan needs fits of a loss over parameters and "
        "tokens (fit --law chinchilla)",
        other.source, other.law->name()));
  }
  refuse_row_options(command.call, losses->source);
  if (const auto name = command.call.first_given(
          {"--law", "--fix", "--tie", "--bound", "--flops", "--flops-per-parameter-token",
           "--residual", "--huber-delta", "--over-penalty", "--time", "--gpus-column", "--steps",
           "--power", "--energy"})) {
    throw DataError(fmt::format("{}: it holds finished fits and no columns, so that {} has no use",
                                losses->source, *name));
  }
  if (command.gpu_flops && study.times) {
    throw DataError(
        fmt::format("--gpu-flops and {} both say how long a token takes: leave one of them out",
                    study.times->source));
  }
  if (command.gpu_power && study.powers) {
    throw DataError(
        fmt::format("--gpu-power and {} both say what a GPU draws: leave one of them out",
                    study.powers->source));
  }
  study.report = report_on(*losses);
  study.fits = std::move(losses->groups);
  return study;
}

/// What a saved fit of times, energies or powers is of.
/// @param what  "times", "energies".
/// @throws DataError if nothing says how many parameters or GPUs that is.
MeasuredModel measured_model(const BudgetCommand& command, const SavedFits& saved,
                             std::string_view what) {
  const WorkMeaning meaning = meaning_of(saved);
  const bool is_power = meaning.kind == WorkMeaning::Kind::kPower;
  if (!command.timed_parameters && !is_power) {
    throw DataError(
        fmt::format("{}: say with --timed-parameters how many parameters the model had whose {} "
                    "these are",
                    saved.source, what));
  }
  MeasuredModel model{.n = command.timed_parameters.value_or(1),
                      .unit = meaning.unit,
                      .of_one_gpu = meaning.of_one_gpu};
  if (counts_nodes(saved.x)) {
    if (!command.work.gpus_per_node) {
      throw DataError(
          fmt::format("{}: '{}' counts nodes: say with --gpus-per-node how many GPUs a node has",
                      saved.source, saved.x));
    }
    model.gpus_per_x = *command.work.gpus_per_node;
  }
  return model;
}

/// What saved fits of times are of.
/// @throws DataError if they tell no time of a token.
MeasuredModel timed_model(const BudgetCommand& command, const SavedFits& times) {
  MeasuredModel model = measured_model(command, times, "times");
  const WorkMeaning meaning = meaning_of(times);
  if (times.response == Response::kRate && meaning.kind == WorkMeaning::Kind::kTokenRate) {
    return model;
  }
  if (times.response != Response::kTime || meaning.kind != WorkMeaning::Kind::kTime ||
      !command.work.tokens_per_step) {
    throw DataError(fmt::format(
        "{}: fits of '{}' tell no time of a token: save fits of a rate such as tokens_per_second "
        "(fit --rate), or of a time per step and give --tokens-per-step",
        times.source, times.y));
  }
  model.tokens = *command.work.tokens_per_step;
  model.of_one_gpu = false;
  return model;
}

/// What saved fits of energies or powers are of.
/// @throws DataError if they tell neither the energy of a token nor the power of a GPU.
MeasuredModel powered_model(const BudgetCommand& command, const SavedFits& powers) {
  MeasuredModel model = measured_model(command, powers, "energies");
  const WorkMeaning meaning = meaning_of(powers);
  if (meaning.kind == WorkMeaning::Kind::kPower) {
    model.kind = Resource::kPower;
    model.of_one_gpu = !command.work.total_power;
    return model;
  }
  model.kind = Resource::kEnergy;
  if (meaning.of_token) return model;
  if (!meaning.of_step || !command.work.tokens_per_step) {
    throw DataError(fmt::format(
        "{}: fits of '{}' tell no energy of a token: save fits of the energy per step and give "
        "--tokens-per-step, of the energy per token, or of the power of a GPU",
        powers.source, powers.y));
  }
  model.tokens = *command.work.tokens_per_step;
  return model;
}

/// The fit of a group: its own, or the only one.
/// @throws FitError if there is none.
const Fit& fit_of_group(const SavedFits& saved, const GroupKey& group) {
  for (const GroupFit& fit : saved.groups) {
    const Fit* const found = std::get_if<Fit>(&fit.result);
    if (found != nullptr && (fit.group == group || saved.groups.size() == 1)) return *found;
  }
  throw FitError(FailureCode::kTooFewPoints,
                 fmt::format("no saved fit of '{}' for this group", saved.y));
}

/// The law for runs that see no token again, under the constraints of the law data-constrained.
const Law& law_of_fresh_tokens(const ConstraintOptions& constraints) {
  ConstraintOptions fresh = constraints;
  fresh.fix.clear();
  for (const std::string& text : constraints.fix) {
    for (const std::string& one : split(text, ',')) {
      const std::string name = one.substr(0, one.find('='));
      if (name != "R_D" && name != "R_N") fresh.fix.push_back(one);
    }
  }
  return constrained(*find_law("chinchilla"), fresh);
}

LossStudy fitted_losses(const BudgetCommand& command, WorkColumns& work,
                        const GlobalOptions& global) {
  StudyOptions study = command.study;
  study.law = &constrained(*command.law, command.study.constraints);
  study.constraints = {};
  study.se = study.run.empty() ? StandardError::kSandwich : StandardError::kCr2;
  SurfaceOptions columns = command.surface;
  columns.sharing = "--run";
  columns.in_ones = true;
  // Without R_D and R_N to fit, runs need not tell what repeated tokens are worth.
  columns.fresh_if_untold =
      study.law->inputs() == 3 && !study.law->is_fitted(5) && !study.law->is_fitted(6);
  columns.more = [&work](const Header& header, std::string_view source,
                         const TableProfile& profile) {
    return work.choose(header, source, profile);
  };
  SurfaceStudy read = read_surface(study, columns, global.conditions());
  work.take_units(read.more_units);
  FitOptions fit = study;
  LossStudy losses;
  if (columns.fresh_if_untold && read.groups.front().unique.empty()) {
    losses.repeats = {study.law->constraint(5).value.value(),
                      study.law->constraint(6).value.value()};
    fit.law = &law_of_fresh_tokens(command.study.constraints);
  }
  fit.robust = Robust::kHuber;
  fit.intervals = Intervals::kWald;  // Draws need no profiles.
  fit.bootstrap.resamples = 0;
  losses.fits = fit_surfaces(read.groups, fit, global.threads);
  losses.report = std::move(read.report);
  losses.options = fit;
  losses.runs = std::move(read.groups);
  return losses;
}

/// "epoch_seconds of a model of 1e+09 parameters"
std::string source_words(const SavedFits& saved, const MeasuredModel& model) {
  return model.kind == Resource::kPower
             ? saved.y
             : fmt::format("{} of a model of {:g} parameters", saved.y, model.n);
}

/// Says where the time of a token and the power of a GPU come from.
/// @throws DataError if saved fits of them tell none.
void name_sources(const BudgetCommand& command, const WorkColumns& columns, const LossStudy& losses,
                  BudgetReport& report) {
  const bool has_gpus = report.options.limit(BudgetLimit::kGpus).has_value();
  if (command.gpu_flops && (needs_time(report.options) || has_gpus)) {
    report.time = fmt::format("{:g} FLOP per second of a GPU", *command.gpu_flops);
  } else if (columns.has_time()) {
    report.time = columns.choice();
  } else if (losses.times) {
    report.time = source_words(*losses.times, timed_model(command, *losses.times));
  }
  if (report.time.empty()) return;
  if (command.gpu_power) {
    report.power = fmt::format("{:.6g} W per GPU", *command.gpu_power);
  } else if (columns.has_power()) {
    report.power = columns.choice();
  } else if (losses.powers) {
    report.power = source_words(*losses.powers, powered_model(command, *losses.powers));
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
        "with --gpu-power, name a column with --power or --energy, or name saved fits of it");
  }
}

/// @throws DataError if the law of the loss lacks the tokens that differ.
void check_unique_tokens(const LossStudy& losses, const BudgetOptions& options) {
  const bool of_three = std::any_of(losses.fits.begin(), losses.fits.end(), [](const auto& fit) {
    const Fit* const loss = std::get_if<Fit>(&fit.result);
    return loss != nullptr && loss->law->inputs() == 3;
  });
  if (options.unique_tokens || !(of_three || losses.repeats)) return;
  refuse(
      "the data-constrained law tells what tokens are worth that are seen again: say with "
      "--unique-tokens how many tokens differ");
}

/// The most times that a run saw its tokens.
double most_epochs(const SurfaceRuns& runs) {
  double most = 1;
  if (runs.unique.empty()) return most;
  for (std::size_t i = 0; i < runs.d.size(); ++i) {
    most = std::max(most, runs.d[i] / runs.unique[i]);
  }
  return most;
}

/// What the laws of one group are made from.
struct GroupSource {
  const BudgetCommand& command;
  const BudgetReport& report;
  const LossStudy& losses;
  const GroupKey& group;
  const SurfaceRuns* runs;  ///< Null of saved fits.
  Work work = {};

  ResourceLaw fitted(Resource kind, std::span<const double> y) const {
    ResourceLaw law =
        fit_resource(kind, runs->n, work.gpus, y, runs->cluster, report.options.confidence);
    law.left_out = std::max(law.left_out, work.without_gpus);
    return law;
  }
};

ResourceLaw time_law(const GroupSource& source) {
  const LossStudy& losses = source.losses;
  if (losses.times) {
    return resource_of(fit_of_group(*losses.times, source.group),
                       timed_model(source.command, *losses.times));
  }
  if (source.command.gpu_flops) {
    return known_resource(
        Resource::kTime,
        source.report.options.flops_per_parameter_token / *source.command.gpu_flops, 1);
  }
  return source.fitted(Resource::kTime, source.work.gpu_seconds);
}

/// Adds the law of the power or of the energy.
void add_power_law(const GroupSource& source, BudgetLaws& laws) {
  if (source.report.power.empty()) return;
  if (source.command.gpu_power) {
    laws.watts = known_resource(Resource::kPower, *source.command.gpu_power, 0);
  } else if (const auto& saved = source.losses.powers) {
    const MeasuredModel model = powered_model(source.command, *saved);
    auto& law = model.kind == Resource::kPower ? laws.watts : laws.joules;
    law = resource_of(fit_of_group(*saved, source.group), model);
  } else {
    laws.watts = source.fitted(Resource::kPower, source.work.watts);
  }
}

/// A time that no limit needs is left out where the runs do not tell it.
BudgetLaws laws_of(const GroupSource& source, const Fit& loss) {
  BudgetLaws laws{loss, {}, {}};
  if (source.runs != nullptr) {
    laws.loss_dof = surface_direction_dof(loss, *source.runs, source.losses.options);
    laws.repeats = source.losses.repeats;
    if (laws.knows_repeats()) laws.most_epochs = most_epochs(*source.runs);
  }
  if (source.report.time.empty()) return laws;
  const auto add_work = [&] {
    laws.gpu_seconds = time_law(source);
    add_power_law(source, laws);
    return true;
  };
  if (needs_time(source.report.options)) {
    add_work();
  } else if (!if_possible(add_work)) {
    laws.gpu_seconds.reset();
    laws.watts.reset();
    laws.joules.reset();
  }
  return laws;
}

/// The watts of a GPU that the laws of a group rest on, to see whether a GPU can draw them.
std::vector<double> watts_of(const GroupSource& source, const BudgetLaws& laws) {
  if (!laws.has_energy() || source.command.gpu_power) return {};
  if (source.runs != nullptr) return source.work.watts;
  const ResourceLaw& law = *laws.energy_law();
  const Interval& gpus = law.gpu_range;
  const double log_gpus = gpus.upper > 0 ? std::log(gpus.lower * gpus.upper) / 2 : 0;
  const double at_middle = law.log_at(law.centre[0], log_gpus);
  return {
      std::exp(at_middle - (laws.joules ? laws.gpu_seconds->log_at(law.centre[0], log_gpus) : 0))};
}

/// Empty where GPUs can draw such powers.
/// @param power  The column of these powers; empty: they come from energies.
std::string power_warning(const BudgetCommand& command, std::span<const double> watts,
                          const std::string& power) {
  if (!command.gpu_power) {
    return odd_power_warning(watts, {.name = power, .is_total = command.work.total_power});
  }
  if (odd_power_warning({&*command.gpu_power, 1}).empty()) return "";
  return fmt::format(
      "--gpu-power: {:g} W is less than 5 W or more than 2,000 W for one GPU: check its unit",
      *command.gpu_power);
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
  add_loss_options(command, options);
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
  add_limit_rules(command);
}

std::vector<double> line_of_budgets() {
  constexpr int kPlaces = 32;
  constexpr double kReach = 16;
  std::vector<double> places;
  for (int i = 0; i <= kPlaces; ++i) {
    places.push_back(std::pow(kReach, 2.0 * i / kPlaces - 1));
  }
  return places;
}

BudgetStudy plan_budgets(const BudgetCommand& command, const GlobalOptions& global,
                         const std::vector<double>& frontier) {
  BudgetStudy study;
  BudgetReport& report = study.report;
  report.options = budget_options(command);
  if (!frontier.empty()) report.options.frontier = frontier;
  report.currency = currency_of({{"--gpu-price", command.gpu_price},
                                 {"--budget-cost", command.cost},
                                 {"--price", command.footprint.price}});
  WorkOptions asked = command.work;
  asked.wants_time = !command.gpu_flops;
  asked.needs_time =
      needs_time(report.options) ||
      command.call.first_given({"--time", "--steps", "--tokens-per-step", "--gpus-column"});
  asked.wants_power = !command.gpu_power;
  WorkColumns columns(asked);
  const std::vector<std::string>& inputs = command.study.inputs;
  const auto saved = std::count_if(inputs.begin(), inputs.end(), holds_saved_fits);
  const bool is_saved = saved > 0;
  if (is_saved && static_cast<std::size_t>(saved) < inputs.size()) {
    throw DataError(fmt::format("{}: saved fits and run tables cannot be mixed: name only one kind",
                                joined(inputs)));
  }
  if (!is_saved && command.timed_parameters) {
    refuse("--timed-parameters is for saved fits: a table has the parameters of its runs");
  }
  LossStudy losses = is_saved ? saved_losses(command) : fitted_losses(command, columns, global);
  check_unique_tokens(losses, report.options);
  report.study = std::move(losses.report);
  report.study.inputs = inputs;
  report.options.flops_per_parameter_token = report.study.flops_per_parameter_token;
  if (!columns.choice().empty()) global.console().note(columns.choice());
  name_sources(command, columns, losses, report);
  check_knowledge(report);
  std::vector<double> watts;
  std::string power;  // The column that tells them.
  for (std::size_t i = 0; i < losses.fits.size(); ++i) {
    const GroupFit& fit = losses.fits[i];
    const SurfaceRuns* const runs = is_saved ? nullptr : &losses.runs[i];
    study.groups.push_back({fit.group, outcome_of(fit.result, [&](const Fit& loss) {
                              GroupSource source{command, report, losses, fit.group, runs};
                              if (runs != nullptr) source.work = columns.work_of(*runs);
                              BudgetLaws laws = laws_of(source, loss);
                              const std::vector<double> drawn = watts_of(source, laws);
                              watts.insert(watts.end(), drawn.begin(), drawn.end());
                              power = source.work.power;
                              return plan_budget(std::move(laws), report.options,
                                                 random_stream_of(fit.group), global.threads);
                            })});
  }
  if (const std::string warning = power_warning(command, watts, power); !warning.empty()) {
    global.console().warn(warning);
    report.study.warnings.push_back(warning);
  }
  return study;
}

}  // namespace scalelaw::cli
