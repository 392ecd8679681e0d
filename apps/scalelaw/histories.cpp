#include "histories.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/history.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw::cli {
namespace {

std::int64_t time_of(const KeptFits& kept, const HistoryOptions& options) {
  if (const auto time = utc_seconds(kept.kept_at)) return *time;
  throw DataError(fmt::format("{}: damaged: fits were kept at '{}', which is no time",
                              options.store, kept.kept_at));
}

std::vector<KeptStudy> documents_of(const HistoryOptions& options) {
  if (options.store.empty()) throw DataError("history: name a study store");
  if (!is_study_store(options.store)) {
    throw DataError(
        fmt::format("{}: {}", options.store,
                    input_exists(options.store) ? "this is no study store" : "no such file"));
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
      "{}: keeps no fits{}; 'scalelaw fit --store {} --keep LABEL' keeps "
      "some",
      options.store, label ? fmt::format(" with the label '{}'", *label) : "", options.store));
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
  History history = follow_studies(documents_of(options), {.store = options.store,
                                                           .by = split(options.by, ','),
                                                           .parameter = options.parameter,
                                                           .change = options.change});
  return {{.store = options.store,
           .x = std::move(history.x),
           .y = std::move(history.y),
           .by = std::move(history.by),
           .law = history.law,
           .parameter = options.parameter,
           .labels = std::move(history.labels),
           .confidence = options.confidence,
           .options = options.change,
           .warnings = std::move(history.warnings)},
          std::move(history.groups)};
}

}  // namespace scalelaw::cli
