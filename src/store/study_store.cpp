#include "scalelaw/store/study_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <new>
#include <set>
#include <utility>

#include "scalelaw/base/date.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "store/kept_units.hpp"
#include "store/sqlite.hpp"
#include "store/store_file.hpp"
#include "trace/unit_bytes.hpp"

namespace scalelaw {
namespace {

/// A row of SQLite has at most 128 MiB here (base/sqlite.cpp).
constexpr std::size_t kLongestFits = 100'000'000;

constexpr std::array<std::string_view, 4> kRowNames{"job", "node", "gpu", "step"};

/// The options that affect every row of the table, as a user would write them.
std::string summary_text(const IngestOptions& options) {
  return fmt::format("--rows {} --max-gap {}", kRowNames[static_cast<std::size_t>(options.rows)],
                     options.max_gap_s ? fmt::format("{}", *options.max_gap_s) : "auto");
}

/// The inverse of summary_text.
IngestOptions summary_options(const Database& store, const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() != 4) store.refuse("settings");
  const auto rows = std::ranges::find(kRowNames, words[1]);
  if (rows == kRowNames.end()) store.refuse("settings");
  IngestOptions options;
  options.rows = static_cast<IngestRows>(rows - kRowNames.begin());
  if (words[3] != "auto") options.max_gap_s = parse_number(words[3]);
  return options;
}

/// The options of summary_text as they were given: a user cannot write --max-gap auto.
std::string options_in(const std::string& summary) {
  const std::string automatic = " --max-gap auto";
  if (!summary.ends_with(automatic)) return summary;
  return summary.substr(0, summary.size() - automatic.size()) + " and no --max-gap";
}

/// Refuses other options, because a table must not mix rows that were made in two ways.
void check_summary(const Database& store, const IngestOptions& options) {
  const std::string asked = summary_text(options);
  Transaction transaction(store);
  store.run("INSERT OR IGNORE INTO settings VALUES('summary', ?)", asked);
  const std::string kept = setting_of(store, "summary").value_or("");
  transaction.commit();
  if (kept == asked) return;
  throw DataError(
      fmt::format("{}: the store was made with {}, and this call asks for {}: use the same "
                  "options, or another store",
                  store.path(), options_in(kept), options_in(asked)));
}

bool has_fits(const Database& store) { return store.integer("PRAGMA user_version") >= kWithFits; }

/// The units that a query gives.
template <class... Values>
std::set<std::int64_t> units_in(const Database& store, const char* sql, const Values&... values) {
  std::set<std::int64_t> units;
  store.for_each_row(
      sql, [&](const Statement& row) { units.insert(row.integer(0)); }, values...);
  return units;
}

/// The units of a file, or of all files below a folder.
std::set<std::int64_t> units_below(const Database& store, const std::string& path) {
  // The texts between "PATH/" and the first text after all that begin with it.
  std::string folder = path.ends_with('/') ? path : path + '/';
  std::string end = folder;
  ++end.back();
  return units_in(store, "SELECT unit FROM files WHERE path = ? OR (path >= ? AND path < ?)", path,
                  folder, end);
}

std::string hint_at_label(const Database& store, const std::string& name) {
  if (!has_fits(store)) return "";
  const bool is_label = store.has_row("SELECT 1 FROM fits WHERE label = ?", name);
  return is_label ? fmt::format("; --fits {} forgets the fits of that label", name) : "";
}

/// The units of a job, of a file, or of all files below a folder.
std::set<std::int64_t> units_named(const Database& store, const std::string& name) {
  std::set<std::int64_t> units = units_in(store, "SELECT unit FROM jobs WHERE job = ?", name);
  if (!units.empty()) return units;
  std::error_code error;
  const auto path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(name), error).string();
  if (!error && !path.empty()) units = units_below(store, path);
  if (!units.empty()) return units;
  throw DataError(fmt::format("{}: the store has no job, file or folder '{}'{}", store.path(), name,
                              hint_at_label(store, name)));
}

/// Refuses files that hold jobs whose removal was not requested.
void refuse_other_jobs(const Database& store, std::int64_t unit,
                       const std::set<std::string>& asked) {
  const auto check_job = [&](const Statement& row) {
    const std::string job(row.text(0));
    if (asked.contains(job)) return;
    Statement file(store, "SELECT path FROM files WHERE unit = ? ORDER BY path");
    file.with(unit).next();
    throw DataError(fmt::format(
        "{}: this file also holds job {}: name that job as well, or forget the file by its path",
        file.text(0), job));
  };
  store.for_each_row("SELECT job FROM jobs WHERE unit = ? ORDER BY job", check_job, unit);
}

/// Whether a file does not exist. If it cannot be accessed, it may exist.
bool is_gone(std::filesystem::file_status status) {
  return status.type() == std::filesystem::file_type::not_found;
}

/// Compares a file with the hash of its earlier text.
FileCheck check_of(const std::string& path, const std::string& hash) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (is_gone(status)) return {path, FileCheck::Outcome::kGone, "it is gone"};
  // A pipe in its place might never end.
  if (!std::filesystem::is_regular_file(status)) {
    return {path, FileCheck::Outcome::kUnreadable,
            error ? "cannot be looked at: " + error.message() : "it is no file any more"};
  }
  try {
    const std::string found = content_hash_of(path);
    if (found == hash) return {path, FileCheck::Outcome::kSame, ""};
    return {path, FileCheck::Outcome::kChanged,
            fmt::format("its text has the hash {}, {} when it was read", found, hash)};
  } catch (const Error& failure) {
    std::string_view sentence = failure.what();
    if (sentence.starts_with(path + ": ")) sentence.remove_prefix(path.size() + 2);
    return {path, FileCheck::Outcome::kUnreadable, std::string(sentence)};
  }
}

std::string time_text(std::time_t time) { return utc_text(time, "%Y-%m-%dT%H:%M:%SZ"); }

std::uint64_t forget_unit(const Database& store, std::int64_t unit) {
  const std::int64_t files = store.integer("SELECT count(*) FROM files WHERE unit = ?", unit);
  store.run("DELETE FROM units WHERE id = ?", unit);
  return static_cast<std::uint64_t>(files);
}

/// What one reading of inputs into a store came to.
struct Pass {
  IngestResult result;
  std::vector<std::string> given_back;
  bool is_current;
};

/// Reads new inputs and keeps them. Without inputs it only makes the table again.
Pass read_and_keep(const Database& store, std::span<const std::string> inputs,
                   IngestOptions options) {
  KeptUnits kept(store, options);
  options.memory = &kept;
  IngestResult result = ingest(inputs, options);
  replace_run_table(store, result.table, kept.revision());
  return {std::move(result), kept.given_back(), kept.is_current()};
}

void add_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& text : from) {
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
  }
}

IngestResult ingest_into(const Database& store, std::span<const std::string> inputs,
                         IngestOptions options) {
  constexpr int kTries = 3;
  options.leave_out.push_back(store.path());
  Pass pass = read_and_keep(store, inputs, options);
  IngestResult result = std::move(pass.result);
  // If other processes added files meanwhile, the last one to finish must make the table of
  // everything. It also reads units again together with the added files. A few tries suffice: a
  // process that keeps adding will do it itself.
  options.ranks = nullptr;  // The other ranks are done.
  for (int i = 0; i < kTries && (!pass.given_back.empty() || !pass.is_current); ++i) {
    if (pass.given_back.empty()) options.jobs.clear();
    pass = read_and_keep(store, pass.given_back, options);
    result.table = std::move(pass.result.table);
    result.counts.jobs = pass.result.counts.jobs;
    add_new(result.bad_files, pass.result.bad_files);
    add_new(result.warnings, pass.result.warnings);
  }
  for (const std::string& path : pass.given_back) {
    result.bad_files.push_back(
        fmt::format("{}: it was not kept, because other processes keep adding to the same node of "
                    "its job; ingest it again",
                    path));
  }
  return result;
}

}  // namespace

StudyStore::StudyStore(const std::string& path, Access access)
    // Both enumerations have the same enumerators.
    : store_(open_store_file(path, static_cast<Database::Access>(access))) {}
StudyStore::~StudyStore() = default;
StudyStore::StudyStore(StudyStore&&) noexcept = default;

void StudyStore::check(const IngestOptions& options) {
  if (!options.idle_below_pct) return;
  throw DataError(
      "--idle-below does not go with --store, because it needs all files of a job at once; write a "
      "run table with -o instead");
}

IngestResult StudyStore::ingest(std::span<const std::string> inputs, const IngestOptions& options) {
  check(options);
  check_summary(*store_, options);
  return ingest_into(*store_, inputs, options);
}

std::uint64_t StudyStore::forget(std::span<const std::string> names) {
  const Database& store = *store_;
  const std::set<std::string> asked(names.begin(), names.end());
  std::uint64_t files = 0;
  Transaction transaction(store);
  std::set<std::int64_t> units;
  for (const std::string& name : asked) {
    const bool is_job = store.has_row("SELECT 1 FROM jobs WHERE job = ?", name);
    for (const std::int64_t unit : units_named(store, name)) {
      if (is_job) refuse_other_jobs(store, unit, asked);
      units.insert(unit);
    }
  }
  for (const std::int64_t unit : units) files += forget_unit(store, unit);
  store.run("DELETE FROM facts WHERE job NOT IN (SELECT job FROM jobs)");
  raise_revision(store);
  transaction.commit();
  const auto summary = setting_of(store, "summary");
  if (summary) ingest_into(store, {}, summary_options(store, *summary));
  return files;
}

StoreContents StudyStore::contents() const {
  const Database& store = *store_;
  StoreContents contents;
  contents.schema_version = store.integer("PRAGMA user_version");
  contents.jobs = static_cast<std::uint64_t>(store.integer("SELECT count(DISTINCT job) FROM jobs"));
  contents.files = static_cast<std::uint64_t>(store.integer("SELECT count(*) FROM files"));
  contents.bytes =
      static_cast<std::uint64_t>(store.integer("SELECT ifnull(sum(bytes), 0) FROM files"));
  const auto table = newest_run_table(store);
  if (table) contents.rows = static_cast<std::uint64_t>(table->rows);
  contents.complete = !is_behind(store);
  for_each_fits(std::nullopt, [&](const KeptFits& fits, const std::string& /*document*/) {
    contents.fits.push_back(fits);
  });
  return contents;
}

void StudyStore::for_each_file(const std::function<void(const StoredFile&)>& take) const {
  store_->for_each_row(
      "SELECT path, ifnull((SELECT min(job) FROM jobs WHERE unit = units.id), job), format, "
      "bytes, mtime_ns, inode, hash, version, "
      "(SELECT count(*) FROM jobs WHERE unit = units.id) FROM files "
      "JOIN units ON units.id = files.unit ORDER BY path",
      [&](const Statement& row) {
        take({std::string(row.text(0)), std::string(row.text(1)),
              static_cast<std::uint64_t>(row.integer(8)), std::string(row.text(2)),
              file_state_in(row, 3), std::string(row.text(6)), std::string(row.text(7))});
      });
}

std::vector<std::string> StudyStore::damage() const {
  const Database& store = *store_;
  constexpr std::string_view kNoMemory = "error code=7";
  std::vector<std::string> found;
  store.for_each_row("PRAGMA integrity_check", [&](const Statement& row) {
    // It tells lack of memory as damage: "unable to get the page. error code=7".
    if (row.text(0).find(kNoMemory) != std::string_view::npos) throw std::bad_alloc();
    if (row.text(0) != "ok") found.emplace_back(row.text(0));
  });
  if (!found.empty()) return found;
  store.for_each_row("SELECT path FROM files WHERE unit NOT IN (SELECT id FROM units)",
                     [&](const Statement& row) {
                       found.push_back(fmt::format("{}: a file without figures", row.text(0)));
                     });
  store.for_each_row("SELECT job, figures FROM units ORDER BY id", [&](const Statement& row) {
    try {
      unit_figures_of(row.blob(1));
    } catch (const DataError& error) {
      found.push_back(fmt::format("job {}: {}", row.text(0), error.what()));
    }
  });
  if (is_run_table_changed(store)) {
    found.emplace_back(
        "the run table was changed from outside; repeat the ingest with --store to make it anew");
  }
  if (store.integer("PRAGMA user_version") >= kWithHashes) {
    const std::vector<std::string> others = hashes_that_differ(store);
    found.insert(found.end(), others.begin(), others.end());
  }
  return found;
}

std::vector<std::string> StudyStore::gone_files() const {
  std::vector<std::string> gone;
  for_each_file([&](const StoredFile& file) {
    std::error_code error;
    if (is_gone(std::filesystem::status(file.path, error))) gone.push_back(file.path);
  });
  return gone;
}

std::vector<FileCheck> StudyStore::check_files(int threads) const {
  std::vector<std::pair<std::string, std::string>> files;
  for_each_file([&](const StoredFile& file) { files.emplace_back(file.path, file.hash); });
  std::vector<FileCheck> checks(files.size());
  parallel_for(thread_count(threads), files.size(), [&](std::size_t i, int /*worker*/) {
    checks[i] = check_of(files[i].first, files[i].second);
  });
  return checks;
}

bool StudyStore::keep_fits(const std::string& path, const std::string& label,
                           const std::string& kept_at, const std::string& document) {
  if (document.size() > kLongestFits) {
    throw DataError(fmt::format(
        "{}: the fits are too large to keep: {:.0f} MB, and at most {:.0f} MB can be kept", path,
        static_cast<double>(document.size()) / 1e6, kLongestFits / 1e6));
  }
  bool is_new = false;
  open_store_file(path, Database::Access::kCreate, [&](const Database& store) {
    store.run(
        "INSERT INTO fits(label, kept_at, document) SELECT ?1, ?2, ?3 WHERE NOT EXISTS "
        "(SELECT 1 FROM fits WHERE label = ?1 AND kept_at = ?2 AND document = ?3)",
        label, kept_at, document);
    is_new = store.integer("SELECT changes()") > 0;
    if (is_new) note_hash_of_fits(store, store.last_id());
  });
  return is_new;
}

void StudyStore::for_each_fits(
    const std::optional<std::string>& label,
    const std::function<void(const KeptFits&, const std::string&)>& take) const {
  const Database& store = *store_;
  if (!has_fits(store)) return;
  store.for_each_row(
      "SELECT label, kept_at, document FROM fits ORDER BY kept_at, id", [&](const Statement& row) {
        if (label && row.text(0) != *label) return;
        take({std::string(row.text(0)), std::string(row.text(1))}, std::string(row.text(2)));
      });
}

std::uint64_t StudyStore::forget_fits(const std::string& label,
                                      const std::optional<std::string>& kept_at) {
  const Database& store = *store_;
  Transaction transaction(store);
  store.run("DELETE FROM fits WHERE label = ?1 AND ?2 IN ('', kept_at)", label,
            kept_at.value_or(""));
  const auto count = static_cast<std::uint64_t>(store.integer("SELECT changes()"));
  transaction.commit();
  return count;
}

std::string utc_now() { return time_text(std::time(nullptr)); }

std::optional<std::int64_t> utc_seconds(const std::string& text) {
  const auto date = read_date(text);
  const bool is_time = text.size() == 20 && text[10] == 'T' && text.back() == 'Z';
  if (!date || text[4] != '-' || (text.size() != 10 && !is_time)) return std::nullopt;
  return date->seconds;
}

std::optional<std::string> utc_time(const std::string& text) {
  const auto seconds = utc_seconds(text);
  if (!seconds) return std::nullopt;
  return time_text(static_cast<std::time_t>(*seconds));
}

}  // namespace scalelaw
