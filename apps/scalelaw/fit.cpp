#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "result_options.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples = R"(  scalelaw fit data/demo/runs.csv
      The exponents of every model and setting, as a table.
  scalelaw fit data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380
      One law a model, at full power and clock only.
  scalelaw fit data/demo/runs.csv --se hc3 --format csv --columns model,n,beta,beta_se
      Chosen columns with every digit, and standard errors for unequal scatter.
  scalelaw fit data/demo/runs.csv --bootstrap 1000 --format json -o /tmp/fits.json
      Everything that is known of each fit, for programs.
)";

struct FitCommand {
  StudyOptions study;
  ResultOptions result;
  std::string columns;
  bool strict = false;
};

/// Writes all fits and returns how many groups have none.
std::size_t write_fits(const GroupedCells& runs, const FitOptions& fit, int threads,
                       FitWriter& writer) {
  std::size_t failed = 0;
  fit_each(runs, fit, threads, [&](GroupFit&& group) {
    if (std::holds_alternative<NoFit>(group.result)) ++failed;
    writer.write(group);
  });
  writer.finish();
  return failed;
}

int run_fit(const FitCommand& options, const GlobalOptions& global) {
  const Console console = global.console();
  FitOptions fit = fit_options(options.study);
  refuse_to_replace_inputs(options.result.output, options.study);
  Output output(global.output(
      options.result.output));  // Before reading: a missing folder must not cost minutes.
  const GroupedCells runs = read_study(options.study, fit, global);
  const std::string epochs = note_epochs(runs, fit, console);
  FitReport report{study_report(options.study, runs), fit};
  if (!epochs.empty()) report.warnings.push_back(epochs);
  const auto writer = make_fit_writer(std::move(report),
                                      {.format = format_of(options.result),
                                       .columns = split(options.columns, ','),
                                       .colour = wants_colour(global.colour, output.is_terminal())},
                                      [&output](std::string_view text) { output.write(text); });
  fit.figures = writer->figures();
  const std::size_t failed = write_fits(runs, fit, global.threads, *writer);
  output.commit();
  if (failed > 0) console.warn(fmt::format("{} of {} groups have no fit", failed, runs.size()));
  return options.strict && failed > 0 ? kCheckFailed : kDone;
}

}  // namespace

Command add_fit_command(CLI::App& program) {
  auto options = std::make_shared<FitCommand>();
  CLI::App* fit = program.add_subcommand("fit", "Fit one scaling law a group of a run table");
  fit->footer(kExamples);
  add_study_options(*fit, options->study);
  add_result_options(*fit, options->result);
  fit->add_option("--columns", options->columns,
                  "Columns of the table or CSV in their order; also slope and intercept, of the "
                  "line in log-log")
      ->type_name("LIST")
      ->group("Result");
  fit->add_flag("--strict", options->strict, "Exit with 1 if a group has no fit")->group("Result");
  return {fit, [options](const GlobalOptions& global) { return run_fit(*options, global); }, true};
}

}  // namespace scalelaw::cli
