#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "histories.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/history.hpp"
#include "scalelaw/render/history_report.hpp"
#include "scalelaw/store/study_store.hpp"
#include "study_options.hpp"

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

std::int64_t time_of(const KeptFits& kept, const HistoryOptions& options) {
  if (const auto time = utc_seconds(kept.kept_at)) return *time;
  throw DataError(fmt::format("{}: damaged: fits were kept at '{}', which is no time",
                              options.store, kept.kept_at));
}

std::vector<KeptStudy> documents_of(const HistoryOptions& options) {
  if (options.store.empty())
    throw DataError("history: name a study store with fits, as 'scalelaw fit --store' makes it");
  if (!is_study_store(options.store)) {
    if (!input_exists(options.store)) {
      throw DataError(fmt::format("{}: no such file", options.store));
    }
    throw DataError(fmt::format(
        "{0}: this is no study store, and history follows the fits that a store keeps: after each "
        "measurement say scalelaw fit {1} --store fits.db --keep nightly. For a table with a "
        "column of dates or versions, scalelaw gate {1} --night COL judges the newest, and says "
        "since when the level is another",
        options.store, shell_word(options.store)));
  }
  const StudyStore store(options.store, StudyStore::Access::kRead);
  const auto label = options.label.empty() ? std::nullopt : std::optional(options.label);
  std::vector<KeptStudy> documents;
  store.for_each_fits(label, [&](const KeptFits& kept, const std::string& text) {
    const std::string source = fmt::format("{}@{} of {}", options.store, kept.label, kept.kept_at);
    documents.push_back(
        {kept.label, kept.kept_at, time_of(kept, options), parse_fits(text, source)});
  });
  if (!documents.empty()) return documents;
  throw DataError(fmt::format(
      "{}: this store keeps no fits{}; 'scalelaw fit TABLE --store {} --keep LABEL' adds some",
      options.store, label ? fmt::format(" with the label '{}'", *label) : "", options.store));
}

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

std::string time_to_keep(const std::string& kept_at) {
  if (kept_at.empty()) return utc_now();
  if (const auto time = utc_time(kept_at)) return *time;
  throw DataError(
      fmt::format("--kept-at {}: expected a date such as 2026-01-31 or a time such as "
                  "2026-01-31T12:00:00Z",
                  kept_at));
}

std::pair<HistoryReport, std::vector<GroupHistory>> read_history(const HistoryOptions& options) {
  HistoryQuestion question = options;
  for (std::string& night : question.without_nights) night = utc_time(night).value_or(night);
  History history = follow_studies(documents_of(options), question);
  HistoryReport report{.store = options.store,
                       .x = std::move(history.x),
                       .y = std::move(history.y),
                       .by = std::move(history.by),
                       .law = history.law,
                       .parameter = options.parameter,
                       .labels = std::move(history.labels),
                       .level = history.level,
                       .confidence = options.confidence,
                       .options = options.change,
                       .follows_curve = options.with_curve,
                       .nights_apart = std::move(history.nights_apart),
                       .warnings = std::move(history.warnings)};
  const std::string apart = warning_of_nights_apart(report, history.groups);
  if (!apart.empty()) report.warnings.push_back(apart);
  return {std::move(report), std::move(history.groups)};
}

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
