#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>

#include "call_files.hpp"
#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_bytes.hpp"
#include "scalelaw/base/suggested_call.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/report.hpp"
#include "scalelaw/study/report_analysis.hpp"
#include "study_options.hpp"

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
  if (!contains(kFiles, ending)) return;
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
  const StudyOptions& runs = request.study;
  const MeasureOptions& measures = request.measures;
  SuggestedCall call("report", runs.inputs);
  const auto add_given = [&](std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      for (const std::string& value : options.call.values(name)) call.option(name, value);
    }
  };
  call.option("-x", study.x);
  // The unit that the user told of y is part of the call.
  call.option("-y", runs.y.ends_with(']') ? runs.y : study.y);
  call.option("-b", joined(study.by, ","));
  for (const std::string& condition : runs.where) call.option("--where", condition);
  add_given({"--run", "--weights", "--points"});
  call.flag_if(runs.skip_bad_rows, "--skip-bad-rows").flag_if(runs.keep_failed, "--keep-failed");
  add_given({"--delimiter", "--decimal", "--wide", "--table"});
  call.flag_if(runs.rate, "--rate").flag_if(runs.time, "--time");
  add_given({"--unit", "--per", "--better", "--confidence", "--margin", "--max-slowdown"});
  if (origin.power.empty()) call.option_if("--energy", origin.energy);
  const std::string& power = measures.power.empty() ? origin.power : measures.power;
  const bool by_name = measures.power.empty() && is_total_power(power);
  call.option_if("--power", power).flag_if(measures.total_power || by_name, "--total-power");
  add_given({"--carbon-intensity", "--price", "--pue", "--deadline", "--epochs", "--steps",
             "--tokens", "--samples", "--note", "--budget-gpu-hours", "--seed"});
  const ReportFormat format = options.format.value_or(ReportFormat::kHtml);
  if (format != ReportFormat::kHtml) call.option("--format", name_of(format));
  return call.option_if("-o", options.output).text();
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
  const bool has_stream = contains(inputs, "-");
  const std::string kept = has_stream ? keep_standard_input() : "";  // It is read several times.
  const CallConditions conditions = global.conditions();
  ReportStudy study = read_report(request_of(options, kept),
                                  command_where(options.call, options.request.study), conditions);
  ReportOrigin& origin = study.origin;
  ReportFindings findings = analyse_report(study, conditions);
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
  PredictRequest& demands = options->request.demands;
  report.parsed("--deadline", demands.deadline, time_limit_of, "TIME",
                "Tell for every group how many GPUs bring the time down to this: 90s, 2h, 1:30:00, "
                "or a number in the unit of y. The chart draws it as a line");
  add_job_options(report, demands, "the deadline and the budget are then those of the job");
  report.number("--budget-gpu-hours", demands.outlook.budget_gpu_hours, positive(), "HOURS",
                "Tell for every group up to how many GPUs the GPU-hours stay within this number");
  report.text("--note", options->request.note, "TEXT",
              "A sentence that stands below the title: where the data come from, what is special");
  add_confidence_option(report, options->request.study);
  report.count("--seed", options->request.study.bootstrap.seed, 0, "S",
               "Seed of the random numbers; the same seed gives the same result");
  add_energy_columns(report, options->request.measures, "Footprint");
  add_footprint_options(report, options->request.footprint);
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
