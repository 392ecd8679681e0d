#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/render/history_report.hpp"
#include "scalelaw/render/nights_report.hpp"
#include "scalelaw/study/gate_study.hpp"
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

/// What the command is asked for: the fits of a store, or a table of nights.
struct HistoryCommand : HistoryOptions {
  GateRequest table = {};
};

Lacks write_table(const HistoryCommand& options, const Delivery& delivery,
                  const GlobalOptions& global) {
  GateRequest request = options.table;
  request.base = request.current = options.store;
  request.one_table = true;
  request.study.by = options.by;
  request.study.by_chosen = !options.by.empty();
  request.study.confidence = options.confidence;
  request.without_nights = options.without_nights;
  const NightsStudy study = follow_table(request, global.conditions());
  if (delivery.style.format != Format::kTable && delivery.style.format != Format::kMarkdown) {
    for (const std::string& warning : study.report.warnings) delivery.console.warn(warning);
  }
  write_nights(study.report, study.figures, delivery.style, delivery.sink);
  return {};
}

int run_history(const HistoryCommand& options, const ResultOptions& result,
                const GlobalOptions& global) {
  return deliver(result, global, [&](const Delivery& delivery) {
    if (!options.table.night.empty() || is_table_of_nights(options.store)) {
      return write_table(options, delivery, global);
    }
    const auto [report, groups] = read_history(options);
    for (const std::string& warning : report.warnings) delivery.console.warn(warning);
    write_history(report, groups, delivery.style, delivery.sink);
    return Lacks{};
  });
}

}  // namespace

Command add_history_command(Program& program) {
  auto options = std::make_shared<HistoryCommand>();
  auto result = std::make_shared<ResultOptions>();
  Options history = program.add_command(
      "history",
      "Tell when figures changed over the nights of a table, or over the fits that a store keeps",
      kHistoryExamples);
  history.group("Data");
  history.text("STORE", options->store, "",
               "Study store with fits, as scalelaw fit --keep makes it, or a run table of several "
               "nights");
  history.text(
      "--night", options->table.night, "COL",
      "Of a table: its column of nights, dates or versions. Default: one that is called so");
  history.text(
      "-x", options->table.study.x, "COL",
      "Of a table: its column of the scale. Default: by its name; without one all runs have "
      "one scale");
  history.text("-y", options->table.study.y, "COL,COL",
               "Of a table: what is followed. Default: time, and energy if there is one");
  history.list("--where", options->table.study.where, "COND",
               "Of a table: follow only rows that meet this condition, such as model=BERT");
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
