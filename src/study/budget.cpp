#include "scalelaw/study/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/study/read_study.hpp"

namespace scalelaw {
namespace {

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

WorkMeaning saved_meaning(const SavedFits& saved) { return work_meaning(saved.y, unit_of(saved)); }

/// Puts a document where it belongs.
/// @throws DataError if there is one already.
void take_document(SavedFits&& saved, std::optional<SavedFits>& losses, LossStudy& study) {
  using Kind = WorkMeaning::Kind;
  const Kind kind = saved_meaning(saved).kind;
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

/// @throws DataError if the request tells what documents tell.
void check_saved(const BudgetRequest& request, const LossStudy& study) {
  if (request.gpu_flops && study.times) {
    throw DataError(
        fmt::format("--gpu-flops and {} both say how long a token takes: leave one of them out",
                    study.times->source));
  }
  if (request.gpu_power && study.powers) {
    throw DataError(
        fmt::format("--gpu-power and {} both say what a GPU draws: leave one of them out",
                    study.powers->source));
  }
}

/// What a saved fit of times, energies or powers is of.
/// @param what  "times", "energies".
/// @throws DataError if nothing says how many parameters or GPUs that is.
MeasuredModel measured_model(const BudgetRequest& request, const SavedFits& saved,
                             std::string_view what) {
  const WorkMeaning meaning = saved_meaning(saved);
  const bool is_power = meaning.kind == WorkMeaning::Kind::kPower;
  if (!request.timed_parameters && !is_power) {
    throw DataError(
        fmt::format("{}: say with --timed-parameters how many parameters the model had whose {} "
                    "these are",
                    saved.source, what));
  }
  MeasuredModel model{.n = request.timed_parameters.value_or(1),
                      .unit = meaning.unit,
                      .of_one_gpu = meaning.of_one_gpu};
  if (counts_nodes(saved.x)) {
    if (!request.work.gpus_per_node) {
      throw DataError(
          fmt::format("{}: '{}' counts nodes: say with --gpus-per-node how many GPUs a node has",
                      saved.source, saved.x));
    }
    model.gpus_per_x = *request.work.gpus_per_node;
  }
  return model;
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

/// Reads saved fits of a loss and, where there are more documents, of times and energies.
LossStudy saved_losses(const BudgetRequest& request) {
  LossStudy study;
  std::optional<SavedFits> losses;
  for (const std::string& path : request.study.inputs) {
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
  check_saved(request, study);
  study.report = report_on(*losses);
  study.fits = std::move(losses->groups);
  return study;
}

/// What saved fits of times are of.
/// @throws DataError if they tell no time of a token.
MeasuredModel timed_model(const BudgetRequest& request, const SavedFits& times) {
  MeasuredModel model = measured_model(request, times, "times");
  const WorkMeaning meaning = saved_meaning(times);
  if (times.response == Response::kRate && meaning.kind == WorkMeaning::Kind::kTokenRate) {
    return model;
  }
  if (times.response != Response::kTime || meaning.kind != WorkMeaning::Kind::kTime ||
      !request.work.tokens_per_step) {
    throw DataError(fmt::format(
        "{}: fits of '{}' tell no time of a token: save fits of a rate such as tokens_per_second "
        "(fit --rate), or of a time per step and give --tokens-per-step",
        times.source, times.y));
  }
  model.tokens = *request.work.tokens_per_step;
  model.of_one_gpu = false;
  return model;
}

/// What saved fits of energies or powers are of.
/// @throws DataError if they tell neither the energy of a token nor the power of a GPU.
MeasuredModel powered_model(const BudgetRequest& request, const SavedFits& powers) {
  MeasuredModel model = measured_model(request, powers, "energies");
  const WorkMeaning meaning = saved_meaning(powers);
  if (meaning.kind == WorkMeaning::Kind::kPower) {
    model.kind = Resource::kPower;
    model.of_one_gpu = !request.work.total_power;
    return model;
  }
  model.kind = Resource::kEnergy;
  if (meaning.of_token) return model;
  if (!meaning.of_step || !request.work.tokens_per_step) {
    throw DataError(fmt::format(
        "{}: fits of '{}' tell no energy of a token: save fits of the energy per step and give "
        "--tokens-per-step, of the energy per token, or of the power of a GPU",
        powers.source, powers.y));
  }
  model.tokens = *request.work.tokens_per_step;
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

/// Reads runs and fits the loss. @param work  Finds its columns beside those of the loss.
LossStudy fitted_losses(const BudgetRequest& request, WorkColumns& work,
                        const CallConditions& conditions) {
  StudyOptions study = request.study;
  study.law = &constrained(request.law != nullptr ? *request.law : *find_law("chinchilla"),
                           request.study.constraints);
  study.constraints = {};
  study.se = study.run.empty() ? StandardError::kSandwich : StandardError::kCr2;
  SurfaceOptions columns = request.surface;
  columns.sharing = "--run";
  columns.in_ones = true;
  // Without R_D and R_N to fit, runs need not tell what repeated tokens are worth.
  columns.fresh_if_untold =
      study.law->inputs() == 3 && !study.law->is_fitted(5) && !study.law->is_fitted(6);
  columns.more = [&work](const Header& header, std::string_view source,
                         const TableProfile& profile) {
    return work.choose(header, source, profile);
  };
  SurfaceStudy read = read_surface(study, columns, conditions);
  work.take_units(read.more_units);
  FitOptions fit = study;
  LossStudy losses;
  if (columns.fresh_if_untold && read.groups.front().unique.empty()) {
    losses.repeats = {study.law->constraint(5).value.value(),
                      study.law->constraint(6).value.value()};
    fit.law = &law_of_fresh_tokens(request.study.constraints);
  }
  fit.robust = Robust::kHuber;
  fit.intervals = Intervals::kWald;  // Draws need no profiles.
  fit.bootstrap.resamples = 0;
  losses.fits = fit_surfaces(read.groups, fit, conditions.threads);
  losses.report = std::move(read.report);
  losses.options = fit;
  losses.runs = std::move(read.groups);
  return losses;
}

/// Whether a limit needs a law of the time.
bool needs_time(const BudgetOptions& options) {
  for (std::size_t k = 0; k < kBudgetLimits; ++k) {
    if (options.limits[k] && static_cast<BudgetLimit>(k) != BudgetLimit::kFlop) return true;
  }
  return false;
}

BudgetOptions budget_options(const BudgetRequest& request) {
  const BudgetLimits& limits = request.limits;
  BudgetOptions options{.limits = {limits.seconds, limits.gpus, limits.gpu_hours, limits.kwh,
                                   amount_of(limits.cost), limits.co2_kg, limits.flop},
                        .inference_tokens = request.inference_tokens.value_or(0),
                        .gpu_price = amount_of(request.gpu_price),
                        .footprint = footprint_of(request.footprint),
                        .unique_tokens = request.unique_tokens,
                        .gpu_step = request.work.gpus_per_node.value_or(1),
                        .confidence = request.study.confidence,
                        .seed = request.seed};
  if (!request.frontier.empty()) options.frontier = request.frontier;
  if (limits.gpus && *limits.gpus < options.gpu_step) {
    throw DataError(
        fmt::format("--gpus {:g}: fewer than the {:g} of a node", *limits.gpus, options.gpu_step));
  }
  return options;
}

/// The columns that tell the work, as far as they are needed.
WorkOptions work_options(const BudgetRequest& request, const BudgetOptions& options) {
  WorkOptions work = request.work;
  work.wants_time = !request.gpu_flops;
  work.needs_time = needs_time(options) || !work.time.empty() || !work.steps.empty() ||
                    work.tokens_per_step || !work.gpus.empty();
  work.wants_power = !request.gpu_power;
  return work;
}

/// "epoch_seconds of a model of 1e+09 parameters"
std::string source_words(const SavedFits& saved, const MeasuredModel& model) {
  return model.kind == Resource::kPower
             ? saved.y
             : fmt::format("{} of a model of {:g} parameters", saved.y, model.n);
}

/// Says where the time of a token and the power of a GPU come from.
/// @throws DataError if saved fits of them tell none.
void name_sources(const BudgetRequest& request, const WorkColumns& columns, const LossStudy& losses,
                  BudgetReport& report) {
  const bool has_gpus = report.options.limit(BudgetLimit::kGpus).has_value();
  if (request.gpu_flops && (needs_time(report.options) || has_gpus)) {
    report.time = fmt::format("{:g} FLOP per second of a GPU", *request.gpu_flops);
  } else if (columns.has_time()) {
    report.time = columns.choice();
  } else if (losses.times) {
    report.time = source_words(*losses.times, timed_model(request, *losses.times));
  }
  if (report.time.empty()) return;
  if (request.gpu_power) {
    report.power = fmt::format("{:.6g} W per GPU", *request.gpu_power);
  } else if (columns.has_power()) {
    report.power = columns.choice();
  } else if (losses.powers) {
    report.power = source_words(*losses.powers, powered_model(request, *losses.powers));
  }
}

/// @throws DataError if the limits need a time or a power that nothing tells.
void check_knowledge(const BudgetReport& report) {
  const BudgetOptions& options = report.options;
  if (report.time.empty() && needs_time(options)) {
    throw DataError(
        "nothing tells how long training takes: name a column of it with --time (a rate of tokens, "
        "a time per step, or the time of the run), or say with --gpu-flops how many FLOP per "
        "second a GPU sustains; without either, only --budget-flop can limit the plan");
  }
  const bool needs_power = options.limit(BudgetLimit::kKwh) || options.limit(BudgetLimit::kCo2) ||
                           options.footprint.price || options.footprint.carbon_intensity;
  if (report.power.empty() && needs_power) {
    throw DataError(
        "nothing tells the power of a GPU, which kWh, CO2 and the price of energy need: give it "
        "with --gpu-power, name a column with --power or --energy, or name saved fits of it");
  }
}

/// @throws DataError if the law of the loss lacks the tokens that differ.
void check_unique_tokens(const LossStudy& losses, const BudgetOptions& options) {
  const bool of_three = std::ranges::any_of(losses.fits, [](const auto& fit) {
    const Fit* const loss = std::get_if<Fit>(&fit.result);
    return loss != nullptr && loss->law->inputs() == 3;
  });
  if (options.unique_tokens || !(of_three || losses.repeats)) return;
  throw DataError(
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
  const BudgetRequest& request;
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
                       timed_model(source.request, *losses.times));
  }
  if (source.request.gpu_flops) {
    return known_resource(
        Resource::kTime,
        source.report.options.flops_per_parameter_token / *source.request.gpu_flops, 1);
  }
  return source.fitted(Resource::kTime, source.work.gpu_seconds);
}

/// Adds the law of the power or of the energy.
void add_power_law(const GroupSource& source, BudgetLaws& laws) {
  if (source.report.power.empty()) return;
  if (source.request.gpu_power) {
    laws.watts = known_resource(Resource::kPower, *source.request.gpu_power, 0);
  } else if (const auto& saved = source.losses.powers) {
    const MeasuredModel model = powered_model(source.request, *saved);
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
  if (!laws.has_energy() || source.request.gpu_power) return {};
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
std::string power_warning(const BudgetRequest& request, std::span<const double> watts,
                          const std::string& power) {
  if (!request.gpu_power) {
    return odd_power_warning(watts, {.name = power, .is_total = request.work.total_power});
  }
  if (odd_power_warning({&*request.gpu_power, 1}).empty()) return "";
  return fmt::format(
      "--gpu-power: {:g} W is less than 5 W or more than 2,000 W for one GPU: check its unit",
      *request.gpu_power);
}

}  // namespace

std::vector<double> line_of_budgets() {
  constexpr int kPlaces = 32;
  constexpr double kReach = 16;
  std::vector<double> places;
  for (int i = 0; i <= kPlaces; ++i) {
    places.push_back(std::pow(kReach, 2.0 * i / kPlaces - 1));
  }
  return places;
}

BudgetStudy plan_budget(const BudgetRequest& request, const CallConditions& conditions) {
  BudgetStudy study;
  BudgetReport& report = study.head;
  report.options = budget_options(request);
  report.currency = currency_of({{"--gpu-price", request.gpu_price},
                                 {"--budget-cost", request.limits.cost},
                                 {"--price", request.footprint.price}});
  WorkColumns columns(work_options(request, report.options));
  const bool is_saved = are_saved_fits(request.study.inputs);
  if (!is_saved && request.timed_parameters) {
    throw DataError("--timed-parameters is for saved fits: a table has the parameters of its runs");
  }
  LossStudy losses = is_saved ? saved_losses(request) : fitted_losses(request, columns, conditions);
  check_unique_tokens(losses, report.options);
  report.study = std::move(losses.report);
  report.study.inputs = request.study.inputs;
  report.options.flops_per_parameter_token = report.study.flops_per_parameter_token;
  if (!columns.choice().empty()) conditions.say.note(columns.choice());
  name_sources(request, columns, losses, report);
  check_knowledge(report);
  std::vector<double> watts;
  std::string power;  // The column that tells them.
  for (std::size_t i = 0; i < losses.fits.size(); ++i) {
    const GroupFit& fit = losses.fits[i];
    const SurfaceRuns* const runs = is_saved ? nullptr : &losses.runs[i];
    study.groups.push_back({fit.group, outcome_of(fit.result, [&](const Fit& loss) {
                              GroupSource source{request, report, losses, fit.group, runs};
                              if (runs != nullptr) source.work = columns.work_of(*runs);
                              BudgetLaws laws = laws_of(source, loss);
                              const std::vector<double> drawn = watts_of(source, laws);
                              watts.insert(watts.end(), drawn.begin(), drawn.end());
                              power = source.work.power;
                              return plan_budget(std::move(laws), report.options,
                                                 random_stream_of(fit.group), conditions.threads);
                            })});
  }
  if (const std::string warning = power_warning(request, watts, power); !warning.empty()) {
    conditions.say.warn(warning);
    report.study.warnings.push_back(warning);
  }
  return study;
}

}  // namespace scalelaw
