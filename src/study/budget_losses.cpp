#include "study/budget_losses.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

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

}  // namespace

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

const Fit& fit_of_group(const SavedFits& saved, const GroupKey& group) {
  for (const GroupFit& fit : saved.groups) {
    const Fit* const found = std::get_if<Fit>(&fit.result);
    if (found != nullptr && (fit.group == group || saved.groups.size() == 1)) return *found;
  }
  throw FitError(FailureCode::kTooFewPoints,
                 fmt::format("no saved fit of '{}' for this group", saved.y));
}

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

}  // namespace scalelaw
