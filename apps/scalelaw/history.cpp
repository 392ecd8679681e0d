#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "command.hpp"
#include "histories.hpp"
#include "result_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/render/history_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw generate --seed 1 -o /tmp/monday.csv
  scalelaw generate --seed 2 -o /tmp/tuesday.csv
  scalelaw generate --seed 3 -o /tmp/wednesday.csv
  scalelaw fit /tmp/monday.csv --store /tmp/scalelaw-history.db --keep nightly --kept-at 2026-03-02
  scalelaw fit /tmp/tuesday.csv --store /tmp/scalelaw-history.db --keep nightly --kept-at 2026-03-03
  scalelaw fit /tmp/wednesday.csv --store /tmp/scalelaw-history.db --keep nightly --kept-at 2026-03-04
  scalelaw history /tmp/scalelaw-history.db
      The exponent of every group over three nights, and whether it changed.
)";

int run_history(const HistoryOptions& options, const ResultOptions& result,
                const GlobalOptions& global) {
  refuse_to_replace_store(result.output, options.store);
  Output output(result.output);
  auto [report, groups] = read_history(options);
  for (const std::string& warning : report.warnings) global.console().warn(warning);
  write_history(report, groups, style_of(result, global, output),
                [&](std::string_view text) { output.write(text); });
  output.commit();
  return kDone;
}

}  // namespace

Command add_history_command(CLI::App& program) {
  auto options = std::make_shared<HistoryOptions>();
  auto result = std::make_shared<ResultOptions>();
  CLI::App* history = program.add_subcommand(
      "history", "Follow an exponent over the fits kept in a store, and test it for a change");
  history->footer(kExamples);
  history->add_option("STORE", options->store, "Study store with fits, as fit --keep makes it")
      ->group("Data");
  history
      ->add_option("-b,--by", options->by,
                   "Group columns of the fits to follow; without it those of the newest")
      ->type_name("COL,COL")
      ->group("Data");
  history->add_option("--label", options->label, "Only fits that were kept under this label")
      ->type_name("LABEL")
      ->group("Data");
  history->add_option("--parameter", options->parameter, "The parameter of the law to follow")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  history
      ->add_option("--confidence", options->confidence,
                   "A change is called one where chance alone makes one as large in less than 1 "
                   "minus this of all histories")
      ->check(number_between(0, 1))
      ->capture_default_str()
      ->group("Test");
  add_count(*history, "--draws", options->change.draws, 99, "Simulated series behind a p value")
      ->group("Test");
  add_count(*history, "--seed", options->change.seed, 0, "Of the random numbers")->group("Test");
  add_result_options(*history, *result);
  add_columns_option(*history, *result);
  return {history, [options, result](const GlobalOptions& global) {
            return run_history(*options, *result, global);
          }};
}

}  // namespace scalelaw::cli
