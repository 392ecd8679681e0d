#include "scalelaw/study/report_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/sha256.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/study/measures.hpp"
#include "study/demands.hpp"
#include "study/report_demands.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostResampled = 200;           // Groups whose laws are tested by bootstraps.
constexpr std::uint64_t kMostObservations = 2000000;  // Rows that are held one by one.
constexpr std::size_t kMostPareto = 2000;      // Points of time and energy whose means are drawn.
constexpr std::uint64_t kMostPoints = 100000;  // Runs that are read again for their residuals.

/// Groups of a page. More make files that no browser opens, of rows that nobody reads.
constexpr std::size_t kMostGroupsOfPage = 10000;

/// @param kept  Where standard input can be read again.
std::vector<ReportInput> inputs_of(const StudyOptions& study, const std::string& kept) {
  std::vector<ReportInput> inputs;
  for (const std::string& path : expand_inputs(study.inputs)) {
    ReportInput& input =
        inputs.emplace_back(ReportInput{.path = input_name(path), .sha256 = {}, .bytes = 0});
    if (!is_regular_file(path)) continue;
    const std::string& bytes = path == "-" ? kept : path;
    input.sha256 = sha256_of_file(bytes);
    input.bytes = std::filesystem::file_size(bytes);
  }
  return inputs;
}

ReportOrigin origin_of(const ReportRequest& options, const FitOptions& fit, const Study& study) {
  ReportOrigin origin;
  origin.study = study.report;
  origin.ungrouped = study.runs.ungrouped();
  origin.fit = fit;
  origin.rank.response = fit.response;
  origin.rank.confidence = fit.confidence;
  origin.rank.resamples = study.runs.size() > kMostResampled ? 0 : origin.rank.resamples;
  origin.rank.intervals = Intervals::kWald;  // Only the curves are shown.
  origin.rank.seed = fit.bootstrap.seed;
  origin.margin = options.margin;
  origin.hours_per_unit = hours_per_unit(origin.study.x, origin.study.y_unit, fit.response);
  origin.footprint = footprint_of(options.footprint);
  origin.currency = currency_of({{"--price", options.footprint.price}});
  origin.inputs = inputs_of(options.study, options.kept_input);
  origin.note = options.note;
  return origin;
}

StudyQuestions questions_of(const ReportOrigin& origin, int threads) {
  StudyQuestions questions;
  questions.fit = origin.fit;
  questions.rank = origin.rank;
  questions.forecast.response = origin.fit.response;
  questions.forecast.rate_of_one = origin.fit.rate_of_one;
  questions.forecast.confidence = origin.fit.confidence;
  questions.outlook.hours_per_unit = origin.hours_per_unit;
  if (origin.job_outlook) questions.outlook = *origin.job_outlook;
  questions.outlook.footprint = origin.footprint;
  questions.outlook.deadline = origin.deadline;
  questions.outlook.budget_gpu_hours = origin.budget_gpu_hours;
  questions.contrast = {.response = origin.fit.response,
                        .confidence = origin.fit.confidence,
                        .margin = origin.margin};
  questions.settings = usual_settings(origin.study.by);
  questions.ideal = ideal_of(origin.study.x, origin.study.quantity.kind, origin.study.growing_work);
  questions.threads = threads;
  return questions;
}

/// The runs of each group one by one, for their residuals; empty where there are too many.
std::vector<std::vector<Cell>> points_of(const ReportRequest& options, const FitOptions& fit,
                                         const GroupedCells& runs,
                                         const CallConditions& conditions) {
  if (runs.rows().used > kMostPoints || runs.size() > kMostResampled) return {};
  const auto inputs = expand_inputs(options.study.inputs);
  if (!std::ranges::all_of(inputs, is_regular_file)) return {};  // Read only once.
  StudyOptions study = options.study;
  study.keep_points = true;
  const GroupedCells single = read_quietly(study, fit, conditions);
  std::vector<std::vector<Cell>> points(single.size());
  for (std::size_t i = 0; i < single.size(); ++i) single.cells(i, points[i]);
  return points;
}

/// What a second reading of time and energy, run by run, is of.
MeasureOptions measures_of(const ReportOrigin& origin, const ReportRequest& options) {
  MeasureOptions measures = measure_options(options.study, options.measures);
  if (origin.power.empty()) {
    measures.energy = origin.energy;
  } else {
    measures.total_power |= measures.power.empty() && is_total_power(origin.power);
    measures.power = origin.power;
  }
  measures.x = origin.study.x;
  measures.time = origin.study.y;
  measures.by = origin.study.by;
  measures.by_chosen = true;
  return measures;
}

MeasuredRuns measured(const MeasureOptions& measures, const StudyOptions& study,
                      const CallConditions& conditions) {
  return read_measured_runs(study.inputs, measures, measured_rows(study, measures, conditions));
}

ReportEnergy energy_scaling_of(const ReportOrigin& origin, const ReportRequest& options,
                               const CallConditions& conditions) {
  const StudyOptions& study = options.study;
  const MeasuredRuns runs = measured(measures_of(origin, options), study, conditions);
  ReportEnergy energy{measured_head<EnergyReport>(study, runs), {}};
  energy.head.study = origin.study;
  energy.head.options.confidence = origin.fit.confidence;
  energy.head.options.footprint = origin.footprint;
  energy.head.currency = origin.currency;
  energy.groups = energy_of_each(runs, {}, energy.head.options, thread_count(conditions.threads));
  return energy;
}

/// A setting against its greatest value, in every group that has several.
ReportCaps caps_of(const ReportOrigin& origin, const ReportRequest& options,
                   const std::string& setting, const CallConditions& conditions) {
  const StudyOptions& study = options.study;
  MeasureOptions measures = measures_of(origin, options);
  measures.factors = {setting};
  const MeasuredRuns runs = measured(measures, study, conditions);
  ReportCaps caps;
  caps.head = measured_head<CapsReport>(study, runs);
  caps.head.study = origin.study;
  caps.head.study.by = runs.observations.by();
  caps.head.study.by.pop_back();
  caps.head.setting = setting;
  if (origin.power.empty()) caps.head.power.clear();
  caps.head.options.confidence = origin.fit.confidence;
  caps.head.options.max_slowdown = options.max_slowdown;
  caps.head.options.reference = reference_among(settings_of(runs.observations), "", setting);
  caps.groups = comparable_settings(runs, caps.head.options, conditions.threads);
  const CapsTally tally = tally_of(caps.groups);
  caps.head.options.reference = tally.common_reference().value_or("");
  caps.head.summary = tally.summary(caps.head.options);
  return caps;
}

/// Decides what is advised for each group of a study at its scale.
void advise_groups(const StudyAnalysis& analysis, const std::vector<std::string>& by,
                   ReportCaps& caps) {
  const auto place = std::ranges::find(by, caps.head.setting) - by.begin();
  std::map<GroupKey, const Caps*> compared;
  for (const auto& [group, found] : found_in(caps.groups)) compared[group] = &found;
  for (const GroupStudy& group : analysis.groups) {
    GroupKey others = group.group;
    others.erase(others.begin() + place);
    const auto found = compared.find(others);
    if (found == compared.end() || !group.advice) continue;
    caps.advice[group.group] = advise_at(*found->second, caps.head.options, group.advice->at.y.x);
  }
}

ReportPareto pareto_of(const ReportOrigin& origin, ReportRequest command,
                       const std::vector<std::string>& knobs, const CallConditions& conditions) {
  StudyOptions& study = command.study;
  study.factors = knobs;
  MeasureOptions measures = measures_of(origin, command);
  measures.has_x = false;
  measures.gpus_if_there = true;
  if (!is_usual_name(origin.study.x, UsualColumn::kGpus)) measures.x.clear();
  const MeasuredRuns runs = measured(measures, study, conditions);
  ParetoOptions options;
  options.etas.clear();
  options.confidence = origin.fit.confidence;
  options.seed = study.bootstrap.seed;
  options.threads = conditions.threads;
  if (runs.observations.size() > kMostPareto) options.draws = 0;
  const MaxPower max_power = take_max_power(options, runs);
  ReportPareto pareto{pareto_report(study, runs, options, max_power), {}};
  if (!max_power.warning.empty()) pareto.head.study.warnings.push_back(max_power.warning);
  pareto.groups = pareto_each(runs, options, max_power.watts);
  return pareto;
}

/// How energy scales and what settings save, where energy was measured.
void add_energy(const ReportRequest& options, const ReportOrigin& origin,
                const CallConditions& conditions, ReportFindings& findings) {
  if (origin.energy.empty() || origin.fit.response == Response::kRate) return;
  const std::uint64_t rows = origin.study.rows.used;
  if (rows > kMostObservations) {
    conditions.say.warn(fmt::format(
        "the sections that look at the energy of every run are left out: {} rows are too "
        "many for them. scalelaw energy and caps take them",
        rows));
    return;
  }
  findings.energy = energy_scaling_of(origin, options, conditions);
  for (const SettingStudy& setting : findings.analysis.settings) {
    try {
      ReportCaps caps = caps_of(origin, options, setting.setting, conditions);
      advise_groups(findings.analysis, origin.study.by, caps);
      if (!caps.groups.empty()) findings.caps.push_back(std::move(caps));
    } catch (const DataError& error) {
      // A column that was recognised by its name must not cost the report.
      conditions.say.warn(fmt::format("no section on {}: {}", setting.setting, error.what()));
    }
  }
  const std::vector<std::string> knobs =
      usual_knobs(findings.analysis, origin.study.by, origin.study.x);
  if (!knobs.empty()) findings.pareto = pareto_of(origin, options, knobs, conditions);
}

bool has_column(const std::string& path, std::string_view name, const TextLayout& layout) {
  return find_column(TableRows(path, layout).header(), std::string(name), path).has_value();
}

std::vector<GroupUtilisation> utilisation_of(const ReportOrigin& origin, StudyOptions study,
                                             const UtilisationColumns& columns,
                                             const CallConditions& conditions) {
  const std::string first = expand_inputs(study.inputs).front();
  if (!is_regular_file(first) || !has_column(first, columns.sm, study.layout) ||
      !has_column(first, columns.memory, study.layout)) {
    return {};
  }
  study.x = origin.study.x;
  study.by = origin.study.by;
  study.by_chosen = true;
  try {
    return read_utilisation(study.inputs, row_options(study, conditions), columns).groups;
  } catch (const Error& error) {
    // A column that nobody asked for must not cost the report.
    conditions.say.warn(fmt::format("no figures of utilisation: {}", error.what()));
    return {};
  }
}

void add_utilisation(const ReportRequest& options, const ReportOrigin& origin,
                     const CallConditions& conditions, ReportFindings& findings) {
  if (origin.study.rows.used > kMostObservations) return;
  findings.utilisation = utilisation_of(origin, options.study, kMeanUtilisation, conditions);
  findings.variation = utilisation_of(origin, options.study, kUtilisationVariation, conditions);
}

void refuse_many_groups(const GroupedCells& runs) {
  if (runs.size() <= kMostGroupsOfPage) return;
  throw DataError(fmt::format(
      "report: {} groups are too many for a page, which holds at most {}: keep some with --where, "
      "or name fewer columns with -b (now {}). 'scalelaw fit', 'rank' and 'predict' take them all",
      runs.size(), kMostGroupsOfPage, joined(runs.by(), ",")));
}

/// The condition that leaves out the groups whose runs do more work at larger scales; empty if no
/// column tells them apart.
std::string condition_of_equal_work(const GroupedCells& runs, const PartlyGrowingWork& part) {
  for (std::size_t place = 0; place < runs.by().size(); ++place) {
    std::set<std::string> growing;
    for (const GroupKey& group : part.groups) growing.insert(group[place]);
    bool is_apart = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const GroupKey group = runs.key(i);
      const bool grows = contains(part.groups, group);
      is_apart = is_apart && (grows || !growing.contains(group[place]));
    }
    if (!is_apart) continue;
    return fmt::format("{}!={}", runs.by()[place],
                       joined_texts(growing, ",", [](const std::string& value) { return value; }));
  }
  return "";
}

/// Reads the runs. Those of weak scaling beside others are left out, because a page compares times
/// of equal work.
Study read_comparable(ReportRequest& options, FitOptions& fit, const CommandWhere& command,
                      const CallConditions& conditions) {
  const FitOptions asked = fit;
  Study study = read_study(options.study, fit, conditions);
  const auto& part = study.report.partly_growing_work;
  const std::string condition = part ? condition_of_equal_work(study.runs, *part) : "";
  if (condition.empty()) return study;
  std::string other = condition;
  other.erase(other.find('!'), 1);
  const std::string warning = fmt::format(
      "runs of weak scaling are left out, because a page compares times of equal work: {} is about "
      "them",
      command ? command(other) : other);
  conditions.say.warn(warning);
  options.study.where.push_back(condition);
  fit = asked;
  Study rest = read_study(options.study, fit, conditions.silent());
  rest.report.warnings.push_back(warning);
  return rest;
}

/// Takes over where the energy is from, and tells of its doubt.
void take_energy(const TableEnergy& energy, const CallConditions& conditions,
                 ReportOrigin& origin) {
  origin.energy = energy.words;
  origin.power = energy.power;
  if (energy.doubt.empty()) return;
  conditions.say.warn(energy.doubt);
  origin.study.warnings.push_back(energy.doubt);
}

}  // namespace

ReportStudy read_report(const ReportRequest& asked, const CommandWhere& command,
                        const CallConditions& conditions) {
  refuse_losses(asked.study, "report");
  ReportRequest request = asked;
  request.study.told.work = work_of_job(request.demands);
  const std::string unlike = take_losses(request.study);
  FitOptions fit = fit_options(request.study);
  Study study = read_comparable(request, fit, command, conditions);
  const std::string level_change =
      warn_of_level_change(command, request.study, fit, study, conditions);
  refuse_many_groups(study.runs);
  request.study.rate = fit.response == Response::kRate;
  ReportOrigin origin = origin_of(request, fit, study);
  origin.level_change = level_change;
  if (!unlike.empty()) {
    conditions.say.note(unlike);
    origin.study.warnings.push_back(unlike + ".");
  }
  take_report_demands(request, origin, conditions.say);
  return {std::move(request), std::move(study.runs), std::move(origin)};
}

ReportFindings analyse_report(ReportStudy& study, const CallConditions& conditions) {
  auto& [request, runs, origin] = study;
  const auto energy = read_energy(request.study, origin.study, request.measures,
                                  needs_energy(origin.footprint), conditions);
  if (energy) {
    take_energy(*energy, conditions, origin);
  } else if (usual_energy_column(request.study.inputs, origin.study.y, request.study.layout)
                 .empty()) {
    origin.untold_energy = untold_energy(request.study, origin.study.y);
  }
  ReportFindings findings;
  findings.analysis =
      analyse_study(runs, energy ? &*energy : nullptr, questions_of(origin, conditions.threads));
  findings.published =
      compare_with_published(findings.analysis, origin.study.by, request.published);
  add_energy(request, origin, conditions, findings);
  add_utilisation(request, origin, conditions, findings);
  findings.points = points_of(request, origin.fit, runs, conditions);
  findings.budget = training_plan(request, origin, conditions);
  return findings;
}

}  // namespace scalelaw
