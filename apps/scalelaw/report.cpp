#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "budget_options.hpp"
#include "call_files.hpp"
#include "delivery.hpp"
#include "level_changes.hpp"
#include "measure_options.hpp"
#include "predict_options.hpp"
#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_bytes.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/sha256.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/render/report.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw::cli {
namespace {

const std::vector<Named<ReportFormat>> kFormats{{"html", ReportFormat::kHtml},
                                                {"markdown", ReportFormat::kMarkdown},
                                                {"latex", ReportFormat::kLatex}};
constexpr std::array<std::string_view, 3> kReportEndings{".html", ".md", ".tex"};

constexpr std::size_t kMostResampled = 200;           // Groups whose laws are tested by bootstraps.
constexpr std::uint64_t kMostObservations = 2000000;  // Rows that are held one by one.
constexpr std::size_t kMostPareto = 2000;      // Points of time and energy whose means are drawn.
constexpr std::uint64_t kMostPoints = 100000;  // Runs that are read again for their residuals.

/// Groups of a page. More make files that no browser opens, of rows that nobody reads.
constexpr std::size_t kMostGroupsOfPage = 10000;

constexpr const char* kReportExamples =
    R"(  scalelaw report data/demo/runs.csv -o /tmp/report.html
      One page: what to use, how far to trust it, a chart that answers, and everything behind it.
  scalelaw report data/demo/runs.csv --where model=BERT --carbon-intensity FR --price 0.25 -o /tmp/bert.html
      One model, with CO2 and cost of forecasts on the French grid.
  scalelaw report data/demo/runs.csv --deadline 60s -o /tmp/minute.html
      The same page, which also tells how many GPUs bring an epoch below a minute.
  scalelaw report data/demo/runs.csv --format latex -o /tmp/paper
      A folder with report.tex for pdflatex and the figures.
)";

struct ReportCommand {
  Options call;
  const Program* program = nullptr;  ///< It outlives its commands.
  StudyOptions study;
  double margin = 0.05;
  std::string max_slowdown = "5%";
  MeasureOptions measures;  ///< The columns that tell the energy.
  FootprintOptions footprint;
  std::string deadline;  ///< A number in the unit of y, or a duration.
  std::optional<double> budget_gpu_hours;
  PredictCommand job;  ///< How large a job is that the deadline and the budget are of.
  std::string note;
  std::optional<ReportFormat> format;  ///< As the user gave it.
  std::string output;
};

struct Destination {
  ReportFormat format = ReportFormat::kHtml;
  std::filesystem::path folder;
  std::string name = "report";  ///< Of the file, without its ending.
  bool to_stdout = false;
};

std::size_t place_of(ReportFormat format) { return static_cast<std::size_t>(format); }

std::string_view name_of(ReportFormat format) { return kFormats[place_of(format)].name; }

/// The format that the ending of a file name asks for; nothing for a folder.
std::optional<ReportFormat> format_of_file(std::string_view path) {
  for (std::size_t i = 0; i < kReportEndings.size(); ++i) {
    if (path.ends_with(kReportEndings[i])) return kFormats[i].value;
  }
  return std::nullopt;
}

/// A name such as page.pdf is meant for a file, unless a folder of that name is there.
void refuse_other_ending(const std::string& output) {
  constexpr std::string_view kFiles[] = {".pdf", ".htm",  ".xhtml", ".txt", ".rst",  ".csv",
                                         ".tsv", ".json", ".xml",   ".doc", ".docx", ".odt",
                                         ".rtf", ".xls",  ".xlsx",  ".png", ".svg",  ".zip"};
  std::error_code error;
  if (std::filesystem::is_directory(output, error)) return;
  const std::string ending = lower_case(std::filesystem::path(output).extension().string());
  if (std::find(std::begin(kFiles), std::end(kFiles), ending) == std::end(kFiles)) return;
  throw DataError(fmt::format(
      "-o {0}: no report has the ending {1}: a file ends in {2}; a folder of that name is {0}/",
      output, ending,
      joined_texts(kReportEndings, ", ", [](std::string_view one) { return std::string(one); })));
}

Destination destination_of(const ReportCommand& options, const GlobalOptions& global) {
  Destination to;
  to.format = options.format.value_or(ReportFormat::kHtml);
  // A program that names no file wants the page itself.
  if (options.output == "-" || (options.output.empty() && global.host != nullptr)) {
    if (to.format != ReportFormat::kHtml) {
      throw DataError(fmt::format("-o -: a {} report has figures beside it: name a folder",
                                  name_of(to.format)));
    }
    to.to_stdout = true;
    return to;
  }
  if (options.output.empty()) {
    to.folder = to.format == ReportFormat::kHtml ? "" : "report";
    return to;
  }
  const auto by_ending = format_of_file(options.output);
  if (!by_ending) {
    refuse_other_ending(options.output);
    to.folder = options.output;
    return to;
  }
  if (options.format && *by_ending != to.format) {
    throw DataError(fmt::format("-o {}: the ending asks for another format than --format {}",
                                options.output, name_of(to.format)));
  }
  to.format = *by_ending;
  const std::filesystem::path path(options.output);
  to.folder = path.parent_path();
  to.name = path.stem().string();
  return to;
}

std::filesystem::path main_file(const Destination& to) {
  return to.folder / (to.name + std::string(kReportEndings[place_of(to.format)]));
}

/// A name that the user did not choose must not replace what the user made.
void refuse_to_replace_strangers(const ReportCommand& options, const Destination& to) {
  if (!options.output.empty() || !std::filesystem::exists(main_file(to))) return;
  const std::string text = first_bytes_of(main_file(to).string()).value_or("");
  const bool is_ours = text.find("How to make it again") != std::string::npos &&
                       text.find("scalelaw ") != std::string::npos;
  if (is_ours) return;
  throw DataError(
      fmt::format("{} exists and was not written by scalelaw report: choose another name with -o",
                  main_file(to).string()));
}

void make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw DataError(fmt::format("{}: {}", folder.string(), error.message()));
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A call that makes the same report, with the columns that were chosen.
std::string command_of(const ReportCommand& options, const ReportOrigin& origin) {
  const StudyReport& study = origin.study;
  std::string call = "scalelaw report";
  const auto add = [&call](std::string_view option, const std::string& value) {
    call += fmt::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& input : options.study.inputs)
    call += fmt::format(" {}", shell_word(input));
  add("-x", study.x);
  // The unit that the user told of y is part of the call.
  add("-y", options.study.y.ends_with(']') ? options.study.y : study.y);
  add("-b", joined(study.by, ","));
  for (const std::string& condition : options.study.where) add("--where", condition);
  if (!options.study.run.empty()) add("--run", options.study.run);
  if (!options.study.weights.empty()) add("--weights", options.study.weights);
  if (options.study.points != Points::kEach) {
    add("--points", std::string(scalelaw::name_of(options.study.points)));
  }
  if (options.study.skip_bad_rows) call += " --skip-bad-rows";
  if (options.study.keep_failed) call += " --keep-failed";
  if (options.study.layout.delimiter) {
    add("--delimiter", std::string(1, *options.study.layout.delimiter));
  }
  if (options.study.layout.decimal) {
    add("--decimal", std::string(1, *options.study.layout.decimal));
  }
  if (!options.study.layout.wide.empty()) add("--wide", options.study.layout.wide);
  if (options.study.layout.table > 0) add("--table", fmt::to_string(options.study.layout.table));
  if (options.study.rate) call += " --rate";
  if (options.study.confidence != 0.95)
    add("--confidence", fmt::to_string(options.study.confidence));
  if (options.margin != 0.05) add("--margin", fmt::to_string(options.margin));
  if (options.max_slowdown != "5%") add("--max-slowdown", options.max_slowdown);
  const MeasureOptions& measures = options.measures;
  if (!origin.energy.empty() && origin.power.empty()) add("--energy", origin.energy);
  const std::string& power = measures.power.empty() ? origin.power : measures.power;
  if (!power.empty()) add("--power", power);
  const bool by_name = measures.power.empty() && is_total_power(power);
  if (measures.total_power || by_name) call += " --total-power";
  const FootprintOptions& footprint = options.footprint;
  if (!footprint.carbon_intensity.empty()) add("--carbon-intensity", footprint.carbon_intensity);
  if (!footprint.price.empty()) add("--price", footprint.price);
  if (footprint.pue != 1) add("--pue", fmt::to_string(footprint.pue));
  if (!options.deadline.empty()) add("--deadline", options.deadline);
  if (const auto& epochs = options.job.outlook.epochs) add("--epochs", fmt::to_string(*epochs));
  if (!options.job.steps.empty()) add("--steps", options.job.steps);
  if (!options.job.tokens.empty()) add("--tokens", options.job.tokens);
  if (!options.job.samples.empty()) add("--samples", options.job.samples);
  if (!options.note.empty()) add("--note", options.note);
  if (options.budget_gpu_hours) {
    add("--budget-gpu-hours", fmt::to_string(*options.budget_gpu_hours));
  }
  const std::uint64_t seed = options.study.bootstrap.seed;
  if (seed != 1) add("--seed", fmt::to_string(seed));
  if (const auto format = options.format.value_or(ReportFormat::kHtml);
      format != ReportFormat::kHtml) {
    add("--format", std::string(name_of(format)));
  }
  if (!options.output.empty()) add("-o", options.output);
  return call;
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

/// Whether a table has losses over parameters and tokens beside the times that are studied.
bool has_losses(const ReportCommand& options) {
  const std::string first = expand_inputs(options.study.inputs).front();
  return is_regular_file(first) &&
         loss_columns(TableRows(first, options.study.layout).header(), nullptr).has_value();
}

/// The deadline in seconds; empty without one, or if it is a number without a known unit.
/// @throws DataError if it is no duration, and y has no unit of time.
std::optional<double> deadline_seconds(const ReportCommand& options, const ReportOrigin& origin) {
  if (options.deadline.empty()) return std::nullopt;
  if (const auto seconds = parse_duration(options.deadline)) return seconds;
  if (const auto number = parse_number(options.deadline)) {
    const auto unit = in_base_units(origin.study.y_unit, Dimension::kTime);
    return unit ? std::optional(*number * *unit) : std::nullopt;
  }
  throw DataError(fmt::format("--deadline {}: expected a duration such as 36h or 7d",
                              scalelaw::quoted(options.deadline)));
}

/// Plans a training run within the limits, where the table has losses.
void add_budget(const ReportCommand& options, const ReportOrigin& origin,
                const GlobalOptions& global, ReportFindings& findings) {
  const auto seconds = deadline_seconds(options, origin);
  const bool of_known_job = !options.job.tokens.empty() || !options.job.samples.empty();
  if ((!seconds && !options.budget_gpu_hours) || of_known_job || !has_losses(options)) return;
  BudgetCommand command;
  command.call = options.call;
  command.study = options.study;
  command.study.x.clear();
  command.study.y.clear();
  command.study.rate = false;
  command.options.limit(BudgetLimit::kDeadline) = seconds;
  command.options.limit(BudgetLimit::kGpuHours) = options.budget_gpu_hours;
  command.options.seed = options.study.bootstrap.seed;
  command.work.energy = options.measures.energy;
  command.work.power = options.measures.power;
  command.work.total_power = options.measures.total_power;
  command.footprint = options.footprint;
  try {
    BudgetStudy study = plan_budgets(command, global, line_of_budgets());
    findings.budget = ReportBudget{std::move(study.report), std::move(study.groups)};
  } catch (const Error& error) {
    // Columns that were recognised by their names must not cost the report.
    global.console().warn(fmt::format("no section on which model to train: {}", error.what()));
  }
}

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

/// Takes over the deadline and the budget as `predict` understands them.
/// @throws DataError if the responses of the study have no answer to them.
void take_demands(const ReportCommand& options, const GlobalOptions& global, ReportOrigin& origin) {
  const bool of_losses = origin.fit.response == Response::kRate && has_losses(options);
  PredictCommand asked = options.job;
  asked.deadline = options.deadline;
  asked.outlook.budget_gpu_hours = options.budget_gpu_hours;
  take_job(origin.fit.response, origin.study, asked);
  const bool of_job = asked.outlook.epochs || !asked.tokens.empty();
  if (of_losses && !of_job) return;  // Limits of a training run, and not of the rates.
  if (of_job && asked.deadline.empty() && !options.budget_gpu_hours) {
    throw DataError(
        "--epochs, --steps, --tokens and --samples say what a deadline or budget is of: add "
        "--deadline or --budget-gpu-hours");
  }
  if (!options.deadline.empty() && origin.fit.response == Response::kRate && !of_job) {
    throw DataError(
        fmt::format("--deadline limits a time, and '{}' is a rate: say with --tokens how much "
                    "work the job has that it is for, leave it out, or name a column of times "
                    "with -y",
                    origin.study.y));
  }
  const OutlookOptions outlook =
      outlook_options(asked, origin.fit.response, origin.study, std::nullopt);
  if (const auto note = note_on_unit(asked, origin.study)) global.console().note(*note);
  PredictReport words;
  words.y = origin.study.y;
  take_words(asked, words);
  origin.deadline = outlook.deadline;
  origin.deadline_words = words.deadline;
  origin.budget_gpu_hours = outlook.budget_gpu_hours;
  if (outlook.epochs) divide_by_epochs(*outlook.epochs, words.job, origin);
  if (!outlook.tokens) return;
  origin.job = words.job;
  origin.job_outlook = outlook;
}

ReportOrigin origin_of(const ReportCommand& options, const FitOptions& fit, const Study& study,
                       const std::string& kept) {
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
  origin.inputs = inputs_of(options.study, kept);
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
  questions.ideal = ideal_of(origin.study.x, origin.study.growing_work);
  questions.threads = threads;
  return questions;
}

/// The runs of each group one by one, for their residuals; empty where there are too many.
std::vector<std::vector<Cell>> points_of(const ReportCommand& options, const FitOptions& fit,
                                         const GroupedCells& runs, const GlobalOptions& global) {
  if (runs.rows().used > kMostPoints || runs.size() > kMostResampled) return {};
  const auto inputs = expand_inputs(options.study.inputs);
  if (!std::all_of(inputs.begin(), inputs.end(), is_regular_file)) return {};  // Read only once.
  StudyOptions study = options.study;
  study.keep_points = true;
  const GroupedCells single = read_quietly(study, fit, global.conditions());
  std::vector<std::vector<Cell>> points(single.size());
  for (std::size_t i = 0; i < single.size(); ++i) single.cells(i, points[i]);
  return points;
}

/// What a second reading of time and energy, run by run, is of.
MeasureOptions measures_of(const ReportOrigin& origin, const ReportCommand& options) {
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
                      const GlobalOptions& global) {
  return read_measured_runs(study.inputs, measures, measured_rows(study, measures, global));
}

ReportEnergy energy_scaling_of(const ReportOrigin& origin, const ReportCommand& options,
                               const GlobalOptions& global) {
  const StudyOptions& study = options.study;
  const MeasuredRuns runs = measured(measures_of(origin, options), study, global);
  ReportEnergy energy{measured_head<EnergyReport>(study, runs), {}};
  energy.head.study = origin.study;
  energy.head.options.confidence = origin.fit.confidence;
  energy.head.options.footprint = origin.footprint;
  energy.head.currency = origin.currency;
  energy.groups = energy_of_each(runs, {}, energy.head.options, thread_count(global.threads));
  return energy;
}

/// A setting against its greatest value, in every group that has several.
ReportCaps caps_of(const ReportOrigin& origin, const ReportCommand& options,
                   const std::string& setting, const GlobalOptions& global) {
  const StudyOptions& study = options.study;
  MeasureOptions measures = measures_of(origin, options);
  measures.factors = {setting};
  const MeasuredRuns runs = measured(measures, study, global);
  ReportCaps caps;
  caps.head.study = origin.study;
  caps.head.study.by = runs.observations.by();
  caps.head.study.by.pop_back();
  caps.head.setting = setting;
  caps.head.work = measured_head<CapsReport>(study, runs).work;
  if (origin.power.empty()) caps.head.energy = origin.energy;
  caps.head.power = origin.power;
  caps.head.total_power = runs.columns.total_power;
  caps.head.options.confidence = origin.fit.confidence;
  caps.head.options.max_slowdown = *share_of(options.max_slowdown);
  caps.head.options.reference = reference_among(settings_of(runs.observations), "", setting);
  caps.groups = comparable_settings(runs, caps.head.options, global.threads);
  const CapsTally tally = tally_of(caps.groups);
  caps.head.options.reference = tally.common_reference().value_or("");
  caps.head.summary = tally.summary(caps.head.options);
  return caps;
}

ReportPareto pareto_of(const ReportOrigin& origin, ReportCommand command,
                       const std::vector<std::string>& knobs, const GlobalOptions& global) {
  StudyOptions& study = command.study;
  study.factors = knobs;
  MeasureOptions measures = measures_of(origin, command);
  measures.has_x = false;
  measures.gpus_if_there = true;
  if (!is_usual_name(origin.study.x, UsualColumn::kGpus)) measures.x.clear();
  const MeasuredRuns runs = measured(measures, study, global);
  ParetoOptions options;
  options.etas.clear();
  options.confidence = origin.fit.confidence;
  options.seed = study.bootstrap.seed;
  options.threads = global.threads;
  if (runs.observations.size() > kMostPareto) options.draws = 0;
  const MaxPower max_power = take_max_power(options, runs);
  ReportPareto pareto{pareto_report(study, runs, options, max_power), {}};
  if (!max_power.warning.empty()) pareto.head.study.warnings.push_back(max_power.warning);
  pareto.groups = pareto_each(runs, options, max_power.watts);
  return pareto;
}

/// How energy scales and what settings save, where energy was measured.
void add_energy(const ReportCommand& options, const ReportOrigin& origin,
                const GlobalOptions& global, ReportFindings& findings) {
  if (origin.energy.empty() || origin.fit.response == Response::kRate) return;
  const std::uint64_t rows = origin.study.rows.used;
  if (rows > kMostObservations) {
    global.console().warn(fmt::format(
        "the sections that look at the energy of every run are left out: {} rows are too "
        "many for them. scalelaw energy and caps take them",
        rows));
    return;
  }
  findings.energy = energy_scaling_of(origin, options, global);
  for (const SettingStudy& setting : findings.analysis.settings) {
    try {
      ReportCaps caps = caps_of(origin, options, setting.setting, global);
      if (!caps.groups.empty()) findings.caps.push_back(std::move(caps));
    } catch (const DataError& error) {
      // A column that was recognised by its name must not cost the report.
      global.console().warn(fmt::format("no section on {}: {}", setting.setting, error.what()));
    }
  }
  const std::vector<std::string> knobs =
      usual_knobs(findings.analysis, origin.study.by, origin.study.x);
  if (!knobs.empty()) findings.pareto = pareto_of(origin, options, knobs, global);
}

bool has_column(const std::string& path, std::string_view name, const TextLayout& layout) {
  return find_column(TableRows(path, layout).header(), std::string(name), path).has_value();
}

std::vector<GroupUtilisation> utilisation_of(const ReportOrigin& origin, StudyOptions study,
                                             const UtilisationColumns& columns,
                                             const GlobalOptions& global) {
  const std::string first = expand_inputs(study.inputs).front();
  if (!is_regular_file(first) || !has_column(first, columns.sm, study.layout) ||
      !has_column(first, columns.memory, study.layout)) {
    return {};
  }
  study.x = origin.study.x;
  study.by = origin.study.by;
  study.by_chosen = true;
  try {
    return read_utilisation(study.inputs, row_options(study, global.conditions()), columns).groups;
  } catch (const Error& error) {
    // A column that nobody asked for must not cost the report.
    global.console().warn(fmt::format("no figures of utilisation: {}", error.what()));
    return {};
  }
}

void add_utilisation(const ReportCommand& options, const ReportOrigin& origin,
                     const GlobalOptions& global, ReportFindings& findings) {
  if (origin.study.rows.used > kMostObservations) return;
  findings.utilisation = utilisation_of(origin, options.study, kMeanUtilisation, global);
  findings.variation = utilisation_of(origin, options.study, kUtilisationVariation, global);
}

void draw(ReportDocument& document, ReportFormat format, const GlobalOptions& global) {
  const bool can_draw = has_gnuplot();
  const DrawFigure draw_one = [can_draw](const Figure& figure, FigureFormat as) {
    if (!can_draw) throw DataError("gnuplot is not installed; on Debian: apt install gnuplot-nox");
    return render_figure(figure, as, {.compact = as == FigureFormat::kSvg});
  };
  const std::size_t missing = draw_figures(document, format, draw_one, global.threads);
  if (missing == 0) return;
  global.console().warn(
      can_draw ? fmt::format("{} figures could not be drawn; the report says why", missing)
               : fmt::format("gnuplot is not installed, so {} figures are left out; tables are all "
                             "there. On Debian: apt install gnuplot-nox",
                             missing));
}

std::vector<ReportFile> files_of(const ReportDocument& document, const Destination& to) {
  switch (to.format) {
    case ReportFormat::kMarkdown:
      return report_markdown(document, to.name);
    case ReportFormat::kLatex:
      return report_latex(document, to.name);
    case ReportFormat::kHtml:
      break;
  }
  return {{to.name + ".html", report_html(document)}};
}

void write(const std::vector<ReportFile>& files, const Destination& to,
           const ReportCommand& options, const GlobalOptions& global) {
  if (to.to_stdout) return global.write(files.front().bytes);
  std::vector<std::string> paths;
  for (const ReportFile& file : files) paths.push_back((to.folder / file.name).string());
  refuse_to_lose_files(*options.program, options.call, paths);
  for (std::size_t i = 0; i < files.size(); ++i) {
    make_folder(std::filesystem::path(paths[i]).parent_path());
    write_output(paths[i], files[i].bytes);
  }
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
      const bool grows =
          std::find(part.groups.begin(), part.groups.end(), group) != part.groups.end();
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
Study read_comparable(ReportCommand& options, FitOptions& fit, const GlobalOptions& global) {
  const FitOptions asked = fit;
  Study study = read_study(options.study, fit, global.conditions());
  const auto& part = study.report.partly_growing_work;
  const std::string condition = part ? condition_of_equal_work(study.runs, *part) : "";
  if (condition.empty()) return study;
  std::string other = condition;
  other.erase(other.find('!'), 1);
  const std::string warning = fmt::format(
      "runs of weak scaling are left out, because a page compares times of equal work: {} is about "
      "them",
      call_with(options.call, options.study.inputs, "--where", other));
  global.console().warn(warning);
  options.study.where.push_back(condition);
  fit = asked;
  Study rest = read_study(options.study, fit, global.conditions().silent());
  rest.report.warnings.push_back(warning);
  return rest;
}

/// Takes over where the energy is from, and tells of its doubt.
void take_energy(const TableEnergy& energy, const GlobalOptions& global, ReportOrigin& origin) {
  origin.energy = energy.words;
  origin.power = energy.power;
  if (energy.doubt.empty()) return;
  global.console().warn(energy.doubt);
  origin.study.warnings.push_back(energy.doubt);
}

int run_report(ReportCommand options, const GlobalOptions& global) {
  refuse_losses(options.study, "report");
  const Messages console = global.console();
  const Destination to = destination_of(options, global);
  if (!to.to_stdout) {
    refuse_to_replace_strangers(options, to);
    refuse_to_lose_files(*options.program, options.call, {main_file(to).string()});
    make_folder(to.folder);
  }
  FitOptions fit = fit_options(options.study);
  const std::vector<std::string>& inputs = options.study.inputs;
  const bool has_stream = std::find(inputs.begin(), inputs.end(), "-") != inputs.end();
  const std::string kept = has_stream ? keep_standard_input() : "";  // It is read several times.
  Study study = read_comparable(options, fit, global);
  const std::string level_change =
      warn_of_level_change(options.call, options.study, fit, study, global);
  const GroupedCells& runs = study.runs;
  refuse_many_groups(runs);
  options.study.rate = fit.response == Response::kRate;
  ReportOrigin origin = origin_of(options, fit, study, kept);
  origin.level_change = level_change;
  take_demands(options, global, origin);
  const auto energy = read_energy(options.study, origin.study, options.measures,
                                  needs_energy(origin.footprint), global);
  if (energy) {
    take_energy(*energy, global, origin);
  } else if (usual_energy_column(inputs, origin.study.y, options.study.layout).empty()) {
    origin.untold_energy = untold_energy(options.study, origin.study.y);
  }
  origin.command = command_of(options, origin);
  ReportFindings findings;
  findings.analysis =
      analyse_study(runs, energy ? &*energy : nullptr, questions_of(origin, global.threads));
  findings.published =
      compare_with_published(findings.analysis, origin.study.by, published_frey2022());
  add_energy(options, origin, global, findings);
  add_utilisation(options, origin, global, findings);
  add_budget(options, origin, global, findings);
  findings.points = points_of(options, fit, runs, global);
  ReportDocument document = study_document(origin, findings);
  draw(document, to.format, global);
  const std::vector<ReportFile> files = files_of(document, to);
  write(files, to, options, global);
  if (!to.to_stdout) {
    console.note(fmt::format("{}: {}, {} kB", main_file(to).string(),
                             counted(findings.analysis.groups.size(), "group"),
                             files.front().bytes.size() / 1000));
  }
  return kDone;
}

}  // namespace

Command add_report_command(Program& program) {
  auto options = std::make_shared<ReportCommand>();
  Options report = program.add_command(
      "report", "Write a report on a study: laws, settings, forecasts, figures, and what to doubt",
      kReportExamples);
  options->call = report;
  options->program = &program;
  add_data_options(report, options->study);
  report.group("Report");
  add_rate_option(report, options->study);
  report.number(
      "--margin", options->margin, positive(), "BETA",
      "Exponents that differ by less than this count as equal, if the runs show that they do");
  report.text(
      "--max-slowdown", options->max_slowdown, "SHARE",
      "How much more time a recommended setting may take, judged by the upper end of its interval",
      share());
  report.text("--deadline", options->deadline, "TIME",
              "Tell for every group how many GPUs bring the time down to this: 90s, 2h, 1:30:00, "
              "or a number in the unit of y. The chart draws it as a line",
              time_limit());
  add_job_options(report, options->job, "the deadline and the budget are then those of the job");
  report.number("--budget-gpu-hours", options->budget_gpu_hours, positive(), "HOURS",
                "Tell for every group up to how many GPUs the GPU-hours stay within this number");
  report.text("--note", options->note, "TEXT",
              "A sentence that stands below the title: where the data come from, what is special");
  add_confidence_option(report, options->study);
  report.count("--seed", options->study.bootstrap.seed, 0, "S",
               "Seed of the random numbers; the same seed gives the same result");
  add_energy_columns(report, options->measures, "Footprint");
  add_footprint_options(report, options->footprint);
  report.group("Result");
  report.choice("--format", options->format, kFormats,
                "One HTML page, or Markdown or LaTeX with the figures beside it. Default: what the "
                "ending of the output says, otherwise html",
                ReportFormat::kHtml);
  report.synonym("--format", "md", "markdown");
  report.synonym("--format", "tex", "latex");
  report.text("-o,--output", options->output, "PATH",
              "File (.html, .md, .tex) or folder of the report; - means standard output. Default: "
              "report.html, or the folder report for Markdown and LaTeX");
  return command_of(report, options, run_report);
}

}  // namespace scalelaw::cli
