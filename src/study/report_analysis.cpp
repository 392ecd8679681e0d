#include "scalelaw/study/report_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/sha256.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/study/budget.hpp"
#include "scalelaw/study/gate_study.hpp"
#include "scalelaw/study/history_study.hpp"
#include "scalelaw/study/measures.hpp"
#include "study/demands.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostResampled = 200;           // Groups whose laws are tested by bootstraps.
constexpr std::uint64_t kMostObservations = 2000000;  // Rows that are held one by one.
constexpr std::size_t kMostPareto = 2000;      // Points of time and energy whose means are drawn.
constexpr std::uint64_t kMostPoints = 100000;  // Runs that are read again for their residuals.

/// Groups of a page. More make files that no browser opens, of rows that nobody reads.
constexpr std::size_t kMostGroupsOfPage = 10000;

/// A time in the unit of y as people say it: as a duration where that unit is known.
std::string time_text(double time, const StudyReport& study) {
  const auto seconds = in_base_units(study.y_unit, Dimension::kTime);
  return seconds ? duration_text(time * *seconds) : fmt::format("{:.6g}", time);
}

/// Takes what is asked of a job of epochs as what is asked of one of them.
void divide_by_epochs(double epochs, const std::string& job, ReportOrigin& origin) {
  const auto of_job = [&](const std::string& whole) {
    return fmt::format(" ({} for {})", whole, job);
  };
  if (origin.deadline) {
    const std::string whole = origin.deadline_words.empty()
                                  ? time_text(*origin.deadline, origin.study)
                                  : origin.deadline_words;
    *origin.deadline /= epochs;
    origin.deadline_words = time_text(*origin.deadline, origin.study) + of_job(whole);
  }
  if (origin.budget_gpu_hours) {
    origin.budget_words = of_job(fmt::format("{:.6g}", *origin.budget_gpu_hours));
    *origin.budget_gpu_hours /= epochs;
  }
}

/// @throws DataError if there is no question about the job, or no answer.
void check_demands(const PredictRequest& asked, bool of_job, const ReportOrigin& origin) {
  if (of_job && !asked.deadline && !asked.outlook.budget_gpu_hours) {
    throw DataError(
        "--epochs, --steps, --tokens and --samples say what a deadline or budget is of: add "
        "--deadline or --budget-gpu-hours");
  }
  if (asked.deadline && origin.fit.response == Response::kRate && !of_job) {
    throw DataError(
        fmt::format("--deadline limits a time, and '{}' is a rate: say with --tokens how much "
                    "work the job has that it is for, leave it out, or name a column of times "
                    "with -y",
                    origin.study.y));
  }
}

/// Takes over the deadline and the budget of GPU-hours as forecasts understand them.
/// @throws DataError if the responses of the study have no answer to them.
void take_report_demands(const ReportRequest& request, ReportOrigin& origin, const Messages& say) {
  const Response response = origin.fit.response;
  PredictRequest asked = request.demands;
  take_job(response, origin.study, asked);
  const bool of_job = asked.outlook.epochs || !asked.tokens.empty();
  const bool timeless = !has_speedup(origin.study.quantity.kind);
  const bool of_losses =
      (timeless || response == Response::kRate) && loss_columns_of(request.study);
  if (of_losses && !of_job) return;  // Limits of a training run, and not of rates or losses.
  if (timeless && (asked.deadline || asked.outlook.budget_gpu_hours)) {
    throw DataError(
        fmt::format("--deadline and --budget-gpu-hours limit a time, and '{}' is {}: "
                    "leave them out, or name a column of times with -y",
                    origin.study.y, description_of(origin.study.quantity)));
  }
  check_demands(asked, of_job, origin);
  PredictReport taken{origin.study, {}, {}, {}};
  take_demands(asked, response, std::nullopt, taken, say);
  origin.deadline = taken.outlook.deadline;
  origin.deadline_words = taken.deadline;
  origin.budget_gpu_hours = taken.outlook.budget_gpu_hours;
  if (taken.outlook.epochs) divide_by_epochs(*taken.outlook.epochs, taken.job, origin);
  if (!taken.outlook.tokens) return;
  origin.job = taken.job;
  origin.job_outlook = taken.outlook;
}

/// Plans a training run within these limits, where the table has losses; else nothing.
std::optional<ReportBudget> training_plan(const ReportRequest& request, const ReportOrigin& origin,
                                          const CallConditions& conditions) {
  const PredictRequest& demands = request.demands;
  BudgetRequest budget;
  if (demands.deadline) {
    budget.limits.seconds = seconds_of(*demands.deadline, origin.study.y_unit);
  }
  budget.limits.gpu_hours = demands.outlook.budget_gpu_hours;
  const bool of_known_job = !demands.tokens.empty() || !demands.samples.empty();
  const bool is_limited = budget.limits.seconds || budget.limits.gpu_hours;
  if (!is_limited || of_known_job || !loss_columns_of(request.study)) return std::nullopt;
  budget.study = request.study;
  budget.study.x.clear();
  budget.study.y.clear();
  budget.study.rate = false;
  budget.seed = request.study.bootstrap.seed;
  budget.work.energy = request.measures.energy;
  budget.work.power = request.measures.power;
  budget.work.total_power = request.measures.total_power;
  budget.footprint = request.footprint;
  budget.frontier = line_of_budgets();
  try {
    return plan_budget(budget, conditions);
  } catch (const Error& error) {
    // Columns that were recognised by their names must not cost the report.
    conditions.say.warn(fmt::format("no section on which model to train: {}", error.what()));
    return std::nullopt;
  }
}

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
  questions.forecast.priors = usual_priors(origin.study.quantity.kind);
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

/// The levels of the nights of one table; nothing where they are no repeats of one job.
std::optional<ReportNights> followed_nights(const ReportRequest& request,
                                            const ReportOrigin& origin,
                                            const CallConditions& conditions) {
  const std::vector<std::string>& inputs = request.study.inputs;
  const bool is_one = inputs.size() == 1 && is_regular_file(inputs.front());
  if (!is_one || origin.study.rows.used > kMostPoints || !is_table_of_nights(inputs.front())) {
    return std::nullopt;
  }
  GateRequest nights;
  nights.base = inputs.front();
  nights.study = request.study;
  nights.study.inputs.clear();
  nights.study.x = origin.study.x;
  nights.study.y = origin.study.y;
  try {
    NightsStudy study = follow_table(nights, conditions.silent());
    if (study.figures.empty()) return std::nullopt;
    return ReportNights{std::move(study.report), std::move(study.figures)};
  } catch (const Error&) {
    return std::nullopt;  // Nights that nobody asked for must not cost the report.
  }
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
  findings.nights = followed_nights(request, origin, conditions);
  findings.budget = training_plan(request, origin, conditions);
  return findings;
}

}  // namespace scalelaw
