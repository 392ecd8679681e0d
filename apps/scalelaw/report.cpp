#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
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
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/report.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/study/report_analysis.hpp"

namespace scalelaw::cli {
namespace {

const std::vector<Named<ReportFormat>> kFormats{{"html", ReportFormat::kHtml},
                                                {"markdown", ReportFormat::kMarkdown},
                                                {"latex", ReportFormat::kLatex},
                                                {"json", ReportFormat::kJson}};
constexpr std::array<std::string_view, 4> kReportEndings{".html", ".md", ".tex", ".json"};

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
  ReportRequest request;             ///< As far as its values are no words.
  std::string max_slowdown = "5%";
  FootprintOptions footprint;
  std::string deadline;  ///< A number in the unit of y, or a duration.
  std::optional<double> budget_gpu_hours;
  PredictCommand job;  ///< How large a job is that the deadline and the budget are of.
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
  constexpr std::string_view kFiles[] = {".pdf", ".htm",  ".xhtml", ".txt",  ".rst", ".csv",
                                         ".tsv", ".xml",  ".doc",   ".docx", ".odt", ".rtf",
                                         ".xls", ".xlsx", ".png",   ".svg",  ".zip"};
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
  const bool one_file = to.format == ReportFormat::kHtml || to.format == ReportFormat::kJson;
  // A program that names no file wants the page itself.
  if (options.output == "-" || (options.output.empty() && global.host != nullptr)) {
    if (!one_file) {
      throw DataError(fmt::format("-o -: a {} report has figures beside it: name a folder",
                                  name_of(to.format)));
    }
    to.to_stdout = true;
    return to;
  }
  if (options.output.empty()) {
    to.folder = one_file ? "" : "report";
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
  const bool is_page = text.find("How to make it again") != std::string::npos &&
                       text.find("scalelaw ") != std::string::npos;
  const bool is_ours = is_page || text.find("scalelaw.report/") != std::string::npos;
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

/// Holds outputs that the command makes of its options against the files of the call.
void refuse_to_lose(const ReportCommand& options, const std::vector<std::string>& outputs) {
  std::vector<CallFile> files = files_of(options.call);
  std::erase_if(files, [](const CallFile& file) { return file.use == FileUse::kWritesResult; });
  for (const std::string& output : outputs) files.push_back({output, output});
  refuse_to_lose_files(files, options.program->settings_file());
}

/// A call that makes the same report, with the columns that were chosen.
std::string command_of(const ReportCommand& options, const ReportStudy& made) {
  const ReportOrigin& origin = made.origin;
  const StudyReport& study = origin.study;
  const ReportRequest& request = made.request;
  std::string call = "scalelaw report";
  const auto add = [&call](std::string_view option, const std::string& value) {
    call += fmt::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& input : request.study.inputs)
    call += fmt::format(" {}", shell_word(input));
  add("-x", study.x);
  // The unit that the user told of y is part of the call.
  add("-y", request.study.y.ends_with(']') ? request.study.y : study.y);
  add("-b", joined(study.by, ","));
  for (const std::string& condition : request.study.where) add("--where", condition);
  if (!request.study.run.empty()) add("--run", request.study.run);
  if (!request.study.weights.empty()) add("--weights", request.study.weights);
  if (request.study.points != Points::kEach) {
    add("--points", std::string(scalelaw::name_of(request.study.points)));
  }
  if (request.study.skip_bad_rows) call += " --skip-bad-rows";
  if (request.study.keep_failed) call += " --keep-failed";
  if (request.study.layout.delimiter) {
    add("--delimiter", std::string(1, *request.study.layout.delimiter));
  }
  if (request.study.layout.decimal) {
    add("--decimal", std::string(1, *request.study.layout.decimal));
  }
  if (!request.study.layout.wide.empty()) add("--wide", request.study.layout.wide);
  if (request.study.layout.table > 0) add("--table", fmt::to_string(request.study.layout.table));
  if (request.study.rate) call += " --rate";
  if (request.study.confidence != 0.95)
    add("--confidence", fmt::to_string(request.study.confidence));
  if (request.margin != 0.05) add("--margin", fmt::to_string(request.margin));
  if (options.max_slowdown != "5%") add("--max-slowdown", options.max_slowdown);
  const MeasureOptions& measures = request.measures;
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
  if (!request.note.empty()) add("--note", request.note);
  if (options.budget_gpu_hours) {
    add("--budget-gpu-hours", fmt::to_string(*options.budget_gpu_hours));
  }
  const std::uint64_t seed = request.study.bootstrap.seed;
  if (seed != 1) add("--seed", fmt::to_string(seed));
  if (const auto format = options.format.value_or(ReportFormat::kHtml);
      format != ReportFormat::kHtml) {
    add("--format", std::string(name_of(format)));
  }
  if (!options.output.empty()) add("-o", options.output);
  return call;
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
void add_budget(const ReportCommand& options, const ReportStudy& made, const GlobalOptions& global,
                ReportFindings& findings) {
  const ReportRequest& request = made.request;
  const auto seconds = deadline_seconds(options, made.origin);
  const bool of_known_job = !options.job.tokens.empty() || !options.job.samples.empty();
  if ((!seconds && !options.budget_gpu_hours) || of_known_job ||
      !loss_columns_of(options.request.study))
    return;
  BudgetCommand command;
  command.call = options.call;
  command.study = request.study;
  command.study.x.clear();
  command.study.y.clear();
  command.study.rate = false;
  command.options.limit(BudgetLimit::kDeadline) = seconds;
  command.options.limit(BudgetLimit::kGpuHours) = options.budget_gpu_hours;
  command.options.seed = request.study.bootstrap.seed;
  command.work.energy = request.measures.energy;
  command.work.power = request.measures.power;
  command.work.total_power = request.measures.total_power;
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
  const bool timeless = !has_speedup(origin.study.quantity.kind);
  const bool of_losses = (timeless || origin.fit.response == Response::kRate) &&
                         loss_columns_of(options.request.study);
  PredictCommand asked = options.job;
  asked.deadline = options.deadline;
  asked.outlook.budget_gpu_hours = options.budget_gpu_hours;
  take_job(origin.fit.response, origin.study, asked);
  const bool of_job = asked.outlook.epochs || !asked.tokens.empty();
  if (of_losses && !of_job) return;  // Limits of a training run, and not of rates or losses.
  if (timeless && (!options.deadline.empty() || options.budget_gpu_hours)) {
    throw DataError(
        fmt::format("--deadline and --budget-gpu-hours limit a time, and '{}' is {}: "
                    "leave them out, or name a column of times with -y",
                    origin.study.y, description_of(origin.study.quantity)));
  }
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
  words.quantity = origin.study.quantity;
  take_words(asked, words);
  origin.deadline = outlook.deadline;
  origin.deadline_words = words.deadline;
  origin.budget_gpu_hours = outlook.budget_gpu_hours;
  if (outlook.epochs) divide_by_epochs(*outlook.epochs, words.job, origin);
  if (!outlook.tokens) return;
  origin.job = words.job;
  origin.job_outlook = outlook;
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

std::vector<ReportFile> files_of(const ReportOrigin& origin, const ReportFindings& findings,
                                 const Destination& to, const GlobalOptions& global) {
  if (to.format == ReportFormat::kJson) return {{to.name + ".json", report_json(origin, findings)}};
  ReportDocument document = study_document(origin, findings);
  draw(document, to.format, global);
  if (to.format == ReportFormat::kMarkdown) return report_markdown(document, to.name);
  if (to.format == ReportFormat::kLatex) return report_latex(document, to.name);
  return {{to.name + ".html", report_html(document)}};
}

void write(const std::vector<ReportFile>& files, const Destination& to,
           const ReportCommand& options, const GlobalOptions& global) {
  if (to.to_stdout) return global.write(files.front().bytes);
  std::vector<std::string> paths;
  for (const ReportFile& file : files) paths.push_back((to.folder / file.name).string());
  refuse_to_lose(options, paths);
  for (std::size_t i = 0; i < files.size(); ++i) {
    make_folder(std::filesystem::path(paths[i]).parent_path());
    write_output(paths[i], files[i].bytes);
  }
}

ReportRequest request_of(const ReportCommand& options, const std::string& kept) {
  ReportRequest request = options.request;
  request.max_slowdown = *share_of(options.max_slowdown);
  request.footprint = footprint_of(options.footprint);
  request.currency = currency_of({{"--price", options.footprint.price}});
  request.published = published_frey2022();
  request.kept_input = kept;
  return request;
}

int run_report(const ReportCommand& options, const GlobalOptions& global) {
  refuse_losses(options.request.study, "report");
  const Destination to = destination_of(options, global);
  if (!to.to_stdout) {
    refuse_to_replace_strangers(options, to);
    refuse_to_lose(options, {main_file(to).string()});
    make_folder(to.folder);
  }
  const std::vector<std::string>& inputs = options.request.study.inputs;
  const bool has_stream = std::find(inputs.begin(), inputs.end(), "-") != inputs.end();
  const std::string kept = has_stream ? keep_standard_input() : "";  // It is read several times.
  const CallConditions conditions = global.conditions();
  ReportRequest request = request_of(options, kept);
  request.study.told.work = work_of_job(options.job);
  const std::string unlike = take_losses(request.study);
  ReportStudy study =
      read_report(request, command_where(options.call, options.request.study), conditions);
  ReportOrigin& origin = study.origin;
  if (!unlike.empty()) {
    conditions.say.note(unlike);
    origin.study.warnings.push_back(unlike + ".");
  }
  take_demands(options, global, origin);
  ReportFindings findings = analyse_report(study, conditions);
  add_budget(options, study, global, findings);
  origin.command = command_of(options, study);
  const std::vector<ReportFile> files = files_of(origin, findings, to, global);
  write(files, to, options, global);
  if (!to.to_stdout) {
    conditions.say.note(fmt::format("{}: {}, {} kB", main_file(to).string(),
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
  add_data_options(report, options->request.study);
  report.group("Report");
  add_rate_option(report, options->request.study);
  report.number(
      "--margin", options->request.margin, positive(), "BETA",
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
  report.text("--note", options->request.note, "TEXT",
              "A sentence that stands below the title: where the data come from, what is special");
  add_confidence_option(report, options->request.study);
  report.count("--seed", options->request.study.bootstrap.seed, 0, "S",
               "Seed of the random numbers; the same seed gives the same result");
  add_energy_columns(report, options->request.measures, "Footprint");
  add_footprint_options(report, options->footprint);
  report.group("Result");
  report.choice(
      "--format", options->format, kFormats,
      "One HTML page, Markdown or LaTeX with the figures beside it, or JSON: what the page "
      "decides. Default: what the ending of the output says, otherwise html",
      ReportFormat::kHtml);
  report.synonym("--format", "md", "markdown");
  report.synonym("--format", "tex", "latex");
  report.text(
      "-o,--output", options->output, "PATH",
      "File (.html, .md, .tex, .json) or folder of the report; - means standard output. Default: "
      "report.html, or the folder report for Markdown and LaTeX");
  return command_of(report, options, run_report);
}

}  // namespace scalelaw::cli
