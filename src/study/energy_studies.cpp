#include "scalelaw/study/energy_studies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/study/notes.hpp"

namespace scalelaw {
namespace {

/// Takes one scatter for all groups where the user asks for it, and warns where groups differ.
void share_scatter(Pool pool, CapsStudy& study) {
  if (pool == Pool::kNone) return;
  study.options.shared = study.report.options.shared = shared_scatter(study.runs);
  std::vector<std::string>& warnings = study.report.study.warnings;
  if (!study.options.shared) {
    warnings.emplace_back("--pool scatter: nothing is pooled, because no run is repeated");
    return;
  }
  const SharedScatter& shared = *study.options.shared;
  for (const auto& [name, pooling] :
       {std::pair{"time", &shared.time}, std::pair{"energy", &shared.energy}}) {
    if (!pooling->has_unequal_scatter()) continue;
    warnings.push_back(fmt::format("{} ({}): {}", name_of(WarningCode::kUnequalScatter), name,
                                   unequal_scatter_sentence(*pooling)));
  }
}

CapsReport caps_report(const StudyOptions& study, const MeasuredRuns& runs,
                       const CapsOptions& caps) {
  CapsReport report = measured_head<CapsReport>(study, runs);
  report.setting = report.study.by.back();
  report.study.by.pop_back();
  if (setting_is_scale(runs)) report.study.x.clear();
  report.total_power = runs.columns.power && runs.columns.total_power;
  if (const std::string warning = one_gpu_warning(runs, "-x"); !warning.empty()) {
    report.study.warnings.push_back(warning);
  }
  report.options = caps;
  return report;
}

void refuse_repeated_knobs(const std::vector<std::string>& knobs) {
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    if (std::ranges::count(knobs, knobs[i]) == 1) continue;
    throw DataError(fmt::format("--knobs: {} is named twice", quoted(knobs[i])));
  }
}

/// What the user should know about the columns that were used.
std::vector<std::string> warnings_on(const MeasuredRuns& runs, const MaxPower& max_power) {
  std::vector<std::string> warnings;
  if (const std::size_t mixed = points_of_mixed_gpus(runs); mixed > 0) {
    warnings.push_back(
        fmt::format("{} pool runs of different {}: add it to --knobs or -b, or pick a "
                    "value with --where",
                    counted(mixed, "point"), runs.observations.numbers()[*runs.columns.x].name));
  }
  warnings.push_back(one_gpu_warning(runs, "--gpus"));
  warnings.push_back(max_power.warning);
  std::erase(warnings, "");
  return warnings;
}

std::size_t groups_in(const MeasuredRuns& runs) {
  return judged_groups(runs.observations).size() - 1;
}

}  // namespace

EnergyStudy read_energies(const EnergyRequest& request, const CallConditions& conditions) {
  const Currency currency =
      currency_of({{"--gpu-price", request.gpu_price}, {"--price", request.footprint.price}});
  MeasureOptions measures = measure_options(request.study, request.measures);
  measures.more = request.workload.numbers();
  MeasuredRuns runs = read_measured(request.study, measures, conditions);
  EnergyReport report = measured_head<EnergyReport>(request.study, runs);
  report.batch = request.workload.batch;
  report.samples = request.workload.samples;
  if (!runs.columns.work.empty()) {
    report.samples = runs.work();
    conditions.say.warn(report.study.warnings.back());
  }
  if (request.gpu_price) refuse_without_gpus(report.study.x, "--gpu-price");
  report.options.confidence = request.study.confidence;
  report.options.footprint = footprint_of(request.footprint);
  report.options.gpu_price = amount_of(request.gpu_price);
  report.currency = currency;
  return {std::move(report), std::move(runs)};
}

CapsStudy read_caps(const CapsRequest& request, const CallConditions& conditions) {
  StudyOptions study = request.study;
  study.usual_factors.option = "--setting";
  if (study.factors.size() > 1) {
    throw DataError("caps compares one setting: name one column with --setting COL");
  }
  MeasuredRuns runs = read_measured(study, measure_options(study, request.measures), conditions);
  say_factors(study, runs.observations.factors(), conditions.say);
  CapsOptions caps = request.caps;
  caps.confidence = study.confidence;
  caps.reference = reference_among(settings_of(runs.observations), caps.reference,
                                   runs.observations.factors().front());
  const std::string max_power_from = take_max_power(caps, runs);
  CapsReport report = caps_report(study, runs, caps);
  report.max_power_from = max_power_from;
  CapsStudy out{std::move(report), std::move(runs), std::move(caps)};
  share_scatter(study.pool, out);
  for (const std::string& warning : out.report.study.warnings) conditions.say.warn(warning);
  return out;
}

GroupResults<Caps> comparisons_of(const CapsStudy& study, const CallConditions& conditions) {
  return {groups_in(study.runs),
          [&study, threads = conditions.threads](const GroupResults<Caps>::Sink& sink) {
            compare_settings_each(study.runs, study.options, threads, sink);
          }};
}

void take_summary(CapsStudy& study, const GroupResults<Caps>& groups, const Messages& say) {
  CapsTally tally;
  groups.for_each([&](const GroupCaps& group) { tally.add(group); });
  CapsReport& report = study.report;
  if (study.options.reference.empty()) {
    const auto common = tally.common_reference();
    report.options.reference = common.value_or("");
    say.note(common ? fmt::format("reference: {} {}", report.setting, *common)
                    : fmt::format("reference: each group's greatest {}", report.setting));
  }
  report.summary = tally.summary(report.options);
}

void say_of_curves(const CapsStudy& study, const Messages& say) {
  const CapsSummary& summary = study.report.summary;
  const std::string& setting = study.report.setting;
  const CapsOptions& options = study.options;
  const bool continuous = options.continuous == Continuous::kYes;
  if (summary.curves > 0 && !continuous) {
    say.note(fmt::format("{} has {} values or more, so smooth curves over it are fitted, too",
                         setting, kManySettings));
  }
  if (summary.too_fine > 0) {
    say.note(
        fmt::format("{} has more than {} values, so {} of its sweeps get no curves, which would "
                    "take long; --continuous fits them",
                    setting, kMostSettings, summary.too_fine));
  }
  const bool wanted = continuous || !options.etas.empty() || !options.trades.empty();
  if (summary.curves == 0 && summary.too_fine == 0 && wanted) {
    say.warn(
        fmt::format("no curves are fitted: '{}' must be a number and have {} values or more at one "
                    "N of a group",
                    setting, continuous ? kLeastSettingsOfCurve : kManySettings));
  }
}

ParetoStudy read_pareto(const ParetoRequest& request, const CallConditions& conditions) {
  StudyOptions study = request.study;
  refuse_repeated_knobs(study.factors);
  study.usual_factors = {.option = "--knobs", .all = true};
  ParetoOptions pareto = request.pareto;
  refuse_few_draws(pareto.draws, "draws");
  pareto.confidence = study.confidence;
  pareto.threads = conditions.threads;
  MeasuredRuns runs = read_measured(study, measure_options(study, request.measures), conditions);
  say_factors(study, runs.observations.factors(), conditions.say);
  MaxPower max_power = take_max_power(pareto, runs);
  ParetoReport report = pareto_report(study, runs, pareto, max_power);
  for (std::string& warning : warnings_on(runs, max_power)) {
    report.study.warnings.push_back(std::move(warning));
  }
  for (const std::string& warning : report.study.warnings) conditions.say.warn(warning);
  return {std::move(report), std::move(runs), std::move(max_power)};
}

GroupResults<Pareto> frontiers_of(const ParetoStudy& study) {
  return {groups_in(study.runs), [&study](const GroupResults<Pareto>::Sink& sink) {
            pareto_each(study.runs, study.report.options, study.max_power.watts, sink);
          }};
}

ParetoSurvey survey_of(const ParetoStudy& study, const GroupResults<Pareto>& groups) {
  ParetoSurvey survey;
  groups.for_each([&](const GroupPareto& group) { survey.add(group); });
  survey.refuse_unknown_default(study.report.options.default_knobs);
  return survey;
}

}  // namespace scalelaw
