#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "command.hpp"
#include "delivery.hpp"
#include "histories.hpp"
#include "scalelaw/base/error.hpp"
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
  return deliver(result, {}, global, [&](const Delivery& delivery) {
    const auto [report, groups] = read_history(options);
    for (const std::string& warning : report.warnings) delivery.console.warn(warning);
    write_history(report, groups, delivery.style, delivery.sink);
    return Lacks{};
  });
}

}  // namespace

Command add_history_command(Program& program) {
  auto options = std::make_shared<HistoryOptions>();
  auto result = std::make_shared<ResultOptions>();
  Options history = program.add_command(
      "history", "Follow an exponent over the fits kept in a store, and test it for a change",
      kExamples);
  history.group("Data");
  history.text("STORE", options->store, "", "Study store with fits, as fit --keep makes it");
  history.text("-b,--by", options->by, "COL,COL",
               "Group columns of the fits to follow; without it those of the newest");
  history.text("--label", options->label, "LABEL", "Only fits that were kept under this label");
  history.text("--parameter", options->parameter, "NAME", "The parameter of the law to follow");
  history.group("Test");
  history.number("--confidence", options->confidence, number_between(0, 1), "",
                 "A change is called one where chance alone makes one as large in less than 1 "
                 "minus this of all histories");
  history.count("--draws", options->change.draws, 99, "", "Simulated series behind a p value");
  history.count("--seed", options->change.seed, 0, "", "Of the random numbers");
  add_result_options(history, *result);
  add_columns_option(history, *result);
  return {history, [options, result](const GlobalOptions& global) {
            return run_history(*options, *result, global);
          }};
}

}  // namespace scalelaw::cli
