#include "scalelaw/study/history_study.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/study_store.hpp"
#include "study/night_columns.hpp"

namespace scalelaw {
namespace {

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
        "{0}: this is no study store, and no column of it is called as those of nights are; "
        "--night COL names one. To follow fits, say scalelaw fit {1} --store fits.db --keep "
        "nightly "
        "after each measurement",
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

}  // namespace

bool is_table_of_nights(const std::string& path) {
  if (path.empty()) return false;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    try {
      return !night_column_of(input_at(path)).empty();
    } catch (const DataError&) {
      return false;  // A folder without tables.
    }
  }
  return input_exists(path) && !is_study_store(path) && !night_column_of(input_at(path)).empty();
}

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

}  // namespace scalelaw
