#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/render/history_report.hpp"
#include "scalelaw/study/history_study.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kHistoryExamples =
    R"(  scalelaw generate --seed 1 -o /tmp/monday.csv
  scalelaw generate --seed 2 -o /tmp/tuesday.csv
  scalelaw generate --seed 3 -o /tmp/wednesday.csv
  scalelaw fit /tmp/monday.csv --store /tmp/scalelaw-history.db --keep nightly --kept-at 2026-03-02
  scalelaw fit /tmp/tuesday.csv --store /tmp/scalelaw-history.db --keep nightly --kept-at 2026-03-03
  scalelaw fit /tmp/wednesday.csv --store /tmp/scalelaw-history.db --keep nightly --kept-at 2026-03-04
  scalelaw history /tmp/scalelaw-history.db
      How the exponent of each group developed over three nights, and whether it changed.
)";

int run_history(const HistoryOptions& options, const ResultOptions& result,
                const GlobalOptions& global) {
  return deliver(result, global, [&](const Delivery& delivery) {
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
      "history",
      "Tell whether an exponent or the times have changed over the fits that a study store keeps",
      kHistoryExamples);
  history.group("Data");
  history.text("STORE", options->store, "",
               "Study store with fits, as scalelaw fit --keep makes it");
  history.names("-b,--by", options->by, "COL,COL",
                "Follow fits whose groups have these columns. Default: those of the newest fits");
  history.text("--label", options->label, "LABEL", "Use only fits that were kept under this label");
  history.list("--without-night", options->without_nights, "NIGHT",
               "Leave this night out, as one on which something else was slow: the time at which "
               "its fits were kept, or their day. May be given several times");
  history.text(
      "--parameter", options->parameter, "NAME",
      "Follow this parameter of the law alone. Without this option also the fitted time or "
      "rate is followed, at the middle of the scales");
  history.group("Test");
  history.number("--confidence", options->confidence, number_between(0, 1), "LEVEL",
                 "How sure a change must be: chance alone shows one as large in less than 1 minus "
                 "this of all histories");
  history.count("--draws", options->change.draws, 99, "B",
                "Number of simulated series behind each p value");
  history.count("--seed", options->change.seed, 0, "S",
                "Seed of the random numbers; the same seed gives the same result");
  add_result_options(history, *result);
  return {history, [options, result, history](const GlobalOptions& global) {
            options->with_curve = !history.given("--parameter");
            return run_history(*options, *result, global);
          }};
}

}  // namespace scalelaw::cli
