#include "store/store_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <system_error>
#include <thread>

#include "base/content_hash.hpp"
#include "input/container.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"

namespace scalelaw {
namespace {

constexpr std::int64_t kApplicationId = 0x5343'4c57;  // "SCLW"

/// The changes of each version. A released version never changes.
const std::vector<const char*> kVersions[] = {
    {// How rows are made (JSON), and a number that grows with every change.
     "CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
     // Files that are read together, and their figures (src/trace/unit_bytes.hpp).
     "CREATE TABLE units(id INTEGER PRIMARY KEY, job TEXT NOT NULL, node TEXT NOT NULL, "
     "version TEXT NOT NULL, figures BLOB NOT NULL, UNIQUE(job, node)) STRICT",
     "CREATE TABLE files(path TEXT PRIMARY KEY, unit INTEGER NOT NULL REFERENCES units(id) "
     "ON DELETE CASCADE, format TEXT NOT NULL, reading TEXT NOT NULL, bytes INTEGER NOT NULL, "
     "mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, hash TEXT NOT NULL) STRICT",
     "CREATE INDEX files_of_unit ON files(unit)",
     // The jobs of each unit.
     "CREATE TABLE jobs(job TEXT NOT NULL, unit INTEGER NOT NULL REFERENCES units(id) "
     "ON DELETE CASCADE, PRIMARY KEY(job, unit)) STRICT, WITHOUT ROWID",
     "CREATE INDEX jobs_of_unit ON jobs(unit)",
     // Contents of tables of jobs: texts in the order of the names, each as LENGTH:TEXT.
     "CREATE TABLE fact_names(place INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
     "CREATE TABLE facts(job TEXT PRIMARY KEY, cells BLOB NOT NULL) STRICT",
     // The run table as CSV, in blocks. The newest finished table counts.
     "CREATE TABLE run_tables(id INTEGER PRIMARY KEY AUTOINCREMENT, revision INTEGER NOT NULL, "
     "finished INTEGER NOT NULL, run_rows INTEGER NOT NULL, hash TEXT NOT NULL) STRICT",
     "CREATE TABLE run_blocks(id INTEGER PRIMARY KEY, run_table INTEGER NOT NULL, "
     "place INTEGER NOT NULL, csv BLOB NOT NULL, UNIQUE(run_table, place)) STRICT"},
    {// Documents of fits.
     "CREATE TABLE fits(id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, "
     "kept_at TEXT NOT NULL, document TEXT NOT NULL) STRICT",
     "CREATE INDEX fits_by_label ON fits(label)"},
    {// Two processes could write different names at one place, which loses the owner of a cell. The
     // facts must be read from their tables again.
     "DELETE FROM facts WHERE EXISTS (SELECT 1 FROM fact_names GROUP BY name HAVING count(*) > 1)",
     "DELETE FROM fact_names WHERE EXISTS "
     "(SELECT 1 FROM fact_names GROUP BY name HAVING count(*) > 1)",
     "CREATE UNIQUE INDEX fact_names_by_name ON fact_names(name)"},
    {// Hashes of what follows from nothing else (store/store_file.hpp).
     "CREATE TABLE fits_hashes(fits INTEGER PRIMARY KEY REFERENCES fits(id) ON DELETE CASCADE, "
     "hash TEXT NOT NULL) STRICT",
     "CREATE TABLE facts_hashes(job TEXT PRIMARY KEY REFERENCES facts(job) ON DELETE CASCADE, "
     "hash TEXT NOT NULL) STRICT, WITHOUT ROWID"},
    {// Hashes of units with their files and jobs.
     "CREATE TABLE units_hashes(unit INTEGER PRIMARY KEY REFERENCES units(id) ON DELETE CASCADE, "
     "hash TEXT NOT NULL) STRICT"}};
constexpr auto kNewest = static_cast<std::int64_t>(std::size(kVersions));

void note_hashes_of_units(const Database& store) {
  UnitHashes hashes(store);
  store.for_each_row("SELECT id FROM units",
                     [&](const Statement& row) { hashes.note(row.integer(0)); });
}

void set_up(const Database& store) {
  const std::int64_t version = store.integer("PRAGMA user_version");
  for (std::int64_t next = version; next < kNewest; ++next) {
    for (const char* sql : kVersions[next]) store.run(sql);
    if (next + 1 == kWithHashes) note_all_hashes(store);
    if (next + 1 == kWithUnitHashes) note_hashes_of_units(store);
  }
  if (version == 0) {
    store.run("INSERT INTO settings VALUES('revision', '0')");
    store.run(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
  }
  store.run(fmt::format("PRAGMA user_version = {}", kNewest).c_str());
}

/// SQLite refuses the change to write-ahead logging while another process reads the file.
void log_ahead(const Database& store) {
  constexpr int kTries = 500;
  for (int i = 0;; ++i) {
    try {
      store.run("PRAGMA journal_mode = WAL");
      return;
    } catch (const DataError&) {
      if (i == kTries || !store.is_held()) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

bool is_empty(const Database& store) {
  return store.integer("PRAGMA user_version") == 0 &&
         store.integer("SELECT count(*) FROM sqlite_schema") == 0;
}

/// Checks that the file is a store of a known version with exactly the tables of that version. A
/// view or trigger could make reading do anything.
void check(const Database& store) {
  if (is_empty(store)) {
    throw DataError(fmt::format(
        "{}: this SQLite file has no tables: it may be a study store that is being made",
        store.path()));
  }
  if (store.integer("PRAGMA application_id") != kApplicationId)
    throw DataError(
        fmt::format("{}: this is an SQLite file, but no study store; 'scalelaw ingest' also reads "
                    "databases of MLflow",
                    store.path()));
  const std::int64_t version = store.integer("PRAGMA user_version");
  if (version > kNewest) {
    throw DataError(
        fmt::format("{}: this study store has version {} and was written by a newer scalelaw; this "
                    "one reads versions up to {}",
                    store.path(), version, kNewest));
  }
  std::set<std::string, std::less<>> expected;
  for (std::int64_t next = 0; next < version; ++next) {
    for (const std::string_view sql : kVersions[next]) {
      if (sql.starts_with("CREATE ")) expected.emplace(sql);
    }
  }
  Statement found(store,
                  "SELECT ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' "
                  "ESCAPE '\\'");
  std::size_t count = 0;
  for (; found.next(); ++count) {
    if (!expected.contains(found.text(0))) store.refuse("it has tables that no study store has");
  }
  if (version < 1 || count != expected.size()) store.refuse("tables are missing");
}

/// Makes an empty file a store, updates an old store, and makes a change: all of it or nothing.
void bring_up_to_date(const Database& store, const StoreChange& change) {
  const bool empty = is_empty(store);
  if (!empty) check(store);
  const bool is_newest = store.integer("PRAGMA user_version") >= kNewest;
  if (is_newest && !change) return;
  if (empty) {
    store.run("PRAGMA page_size = 16384");
    log_ahead(store);
  }
  Transaction transaction(store);
  if (!is_newest) {
    // Another process may have been faster.
    if (!is_empty(store)) check(store);
    set_up(store);
  }
  if (change) change(store);
  transaction.commit();
}

/// Refuses other files, which SQLite would call damaged. The size is asked for before the first
/// bytes are read: another process may be filling the empty file.
void refuse_other_files(const std::string& path) {
  std::error_code error;
  if (!is_regular_file(path) || std::filesystem::file_size(path, error) == 0) return;
  if (container_at(path) != nullptr) return;
  throw DataError(fmt::format("{}: this is no study store", path));
}

/// Whether a file is empty or holds only the head of a store without tables. It takes no memory.
bool holds_nothing(const std::string& path) {
  constexpr std::size_t kUserVersion = 60;  // In the format of SQLite's files.
  std::array<char, kUserVersion + 4> head{};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const ssize_t got = ::read(descriptor, head.data(), head.size());
  ::close(descriptor);
  return got == 0 ||
         (got == static_cast<ssize_t>(head.size()) &&
          std::all_of(head.begin() + kUserVersion, head.end(), [](char c) { return c == 0; }));
}

/// The files of a store that is not there yet.
class NewStore {
 public:
  // SQLite's files lie beside what a link leads to.
  explicit NewStore(const std::string& path)
      : store_(place_of_output(path)), log_(store_ + "-wal"), index_(store_ + "-shm") {}

  /// Removes what is left of a store that could not be made, as on a full disk. A log with frames
  /// tells of another process. It takes no memory.
  void remove_if_unmade() const {
    constexpr off_t kHeaderOfLog = 32;
    struct stat log {};
    if (::stat(log_.c_str(), &log) == 0 && log.st_size > kHeaderOfLog) return;
    if (!holds_nothing(store_)) return;
    for (const std::string* const file : {&store_, &log_, &index_}) ::unlink(file->c_str());
  }

 private:
  std::string store_;
  std::string log_;
  std::string index_;
};

std::unique_ptr<Database> open_to_write(const std::string& path, Database::Access access,
                                        const StoreChange& change) {
  auto store = std::make_unique<Database>(path, access);
  store->run("PRAGMA synchronous = NORMAL");
  store->run("PRAGMA foreign_keys = ON");
  bring_up_to_date(*store, change);
  return store;
}

std::unique_ptr<Database> open_to_read(const std::string& path) {
  auto store = std::make_unique<Database>(path, Database::Access::kRead);
  check(*store);
  store->run("BEGIN");  // Reads one state, whoever writes meanwhile.
  return store;
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

[[noreturn]] void throw_not_opened(const std::string& path, int error_number) {
  throw DataError(
      fmt::format("{}: cannot be opened: {}", path, std::generic_category().message(error_number)));
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// Why the user may not write what `place` names, in the words of errno; 0 if he may.
int obstacle_to_writing(const std::string& place) {
  return ::faccessat(AT_FDCWD, place.c_str(), W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

void refuse_obstacle(const std::string& path, int error_number) {
  if (error_number == 0) return;
  if (error_number == EROFS) {
    throw DataError(fmt::format("{}: the store cannot be written: its disk is read-only", path));
  }
  if (error_number == EACCES || error_number == EPERM) {
    throw DataError(fmt::format(
        "{}: the store cannot be written: check its permissions and those of its folder", path));
  }
  throw DataError(fmt::format("{}: the store cannot be written: {}", path,
                              std::generic_category().message(error_number)));
}

/// Refuses to write a store, which may be missing if it is to be made, where its disk is read-only,
/// its folder is missing, or the user may not write. A link leads to the store's place, also if
/// nothing is there yet.
/// @throws DataError with a sentence on it.
void refuse_unwritable(const std::string& path) {
  // SQLite makes what a link leads to.
  const std::string place = place_of_output(path);
  struct stat facts {};
  if (::lstat(place.c_str(), &facts) == 0) return refuse_obstacle(path, obstacle_to_writing(place));
  const std::string folder = folder_of(place);
  if (::stat(folder.c_str(), &facts) != 0) {
    throw DataError(
        fmt::format("{}: the store cannot be made: there is no folder {}", path, folder));
  }
  refuse_obstacle(path, obstacle_to_writing(folder));
}

}  // namespace

std::optional<KeptRunTable> newest_run_table(const Database& store) {
  Statement newest(store,
                   "SELECT id, revision, run_rows, hash FROM run_tables WHERE finished = 1 "
                   "ORDER BY revision DESC, id DESC LIMIT 1");
  if (!newest.next()) return std::nullopt;
  return KeptRunTable{newest.integer(0), newest.integer(1), newest.integer(2),
                      std::string(newest.text(3))};
}

FileState file_state_in(const Statement& row, int first_column) {
  return {static_cast<std::uint64_t>(row.integer(first_column)), row.integer(first_column + 1),
          static_cast<std::uint64_t>(row.integer(first_column + 2))};
}

std::optional<std::string> setting_of(const Database& store, std::string_view name) {
  Statement row(store, "SELECT value FROM settings WHERE name = ?");
  if (!row.with(name).next()) return std::nullopt;
  return std::string(row.text(0));
}

std::int64_t revision_of(const Database& store) {
  return store.integer("SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'revision'");
}

bool is_behind(const Database& store) {
  const auto newest = newest_run_table(store);
  if (newest) return newest->revision != revision_of(store);
  return store.integer("SELECT EXISTS(SELECT 1 FROM files)") == 1;
}

std::unique_ptr<Database> open_store_file(const std::string& path, Database::Access access,
                                          const StoreChange& change) {
  refuse_unreadable(path);
  refuse_other_files(path);
  if (access == Database::Access::kRead) return open_to_read(path);
  refuse_unwritable(path);
  std::error_code error;
  const bool is_new = !std::filesystem::exists(path, error) && !error;
  if (!is_new) return open_to_write(path, access, change);
  const NewStore store(path);
  try {
    return open_to_write(path, access, change);
  } catch (...) {
    store.remove_if_unmade();
    throw;
  }
}

void refuse_unreadable(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return;
    throw_not_opened(path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    throw DataError(
        fmt::format("{}: this is {}, and a study store is a file", path, kind_of(facts.st_mode)));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_not_opened(path, errno);
  ::close(descriptor);
}

namespace {

std::string hash_of(std::initializer_list<std::string_view> parts) {
  ContentHash hash;
  for (const std::string_view part : parts) {
    hash.add(fmt::format("{}:", part.size()));
    hash.add(part);
  }
  return hash.hex_digest();
}

/// The hash of the names of facts in order; empty if there are none.
std::string hash_of_fact_names(const Database& store) {
  ContentHash hash;
  bool any = false;
  Statement names(store, "SELECT place, name FROM fact_names ORDER BY place");
  for (; names.next(); any = true) {
    hash.add(fmt::format("{}:{}:", names.integer(0), names.text(1).size()));
    hash.add(names.text(1));
  }
  return any ? hash.hex_digest() : "";
}

constexpr const char* kChangedNames =
    "the names of the columns of tables of jobs were changed from outside";

bool are_fact_names_changed(const Database& store) {
  return hash_of_fact_names(store) != setting_of(store, "fact_names_hash").value_or("");
}

void add_changed_fits(const Database& store, std::vector<std::string>& sentences) {
  Statement fits(
      store,
      "SELECT label, kept_at, document, ifnull(hash, '') FROM fits LEFT JOIN fits_hashes "
      "ON fits = id ORDER BY id");
  while (fits.next()) {
    if (fits.text(3) == hash_of({fits.text(0), fits.text(1), fits.text(2)})) continue;
    sentences.push_back(fmt::format("the fits '{}', kept at {}, were changed from outside",
                                    fits.text(0), fits.text(1)));
  }
  const std::int64_t gone =
      store.integer("SELECT count(*) FROM fits_hashes WHERE fits NOT IN (SELECT id FROM fits)");
  if (gone > 0) sentences.push_back(fmt::format("{} of the kept fits are gone", gone));
}

void add_changed_facts(const Database& store, std::vector<std::string>& sentences) {
  const auto add = [&](std::string_view job) { sentences.push_back(changed_facts_sentence(job)); };
  Statement facts(store,
                  "SELECT facts.job, cells, ifnull(hash, '') FROM facts LEFT JOIN facts_hashes "
                  "USING(job) ORDER BY facts.job");
  while (facts.next()) {
    if (facts.text(2) != hash_of_facts(facts.text(0), facts.blob(1))) add(facts.text(0));
  }
  store.for_each_row(
      "SELECT job FROM facts_hashes WHERE job NOT IN (SELECT job FROM facts) ORDER BY job",
      [&](const Statement& row) { add(row.text(0)); });
}

void add_changed_units(const Database& store, std::vector<std::string>& sentences) {
  UnitHashes hashes(store);
  store.for_each_row("SELECT id FROM units ORDER BY id", [&](const Statement& row) {
    const std::string defect = hashes.defect_of(row.integer(0));
    if (!defect.empty()) sentences.push_back(defect);
  });
  const std::int64_t gone =
      store.integer("SELECT count(*) FROM units_hashes WHERE unit NOT IN (SELECT id FROM units)");
  if (gone > 0) sentences.push_back(fmt::format("{} of the kept results are gone", gone));
}

}  // namespace

UnitHashes::UnitHashes(const Database& store)
    : unit_(store, "SELECT job, node, version, figures FROM units WHERE id = ?"),
      files_(store,
             "SELECT path, format, reading, bytes, mtime_ns, inode, hash FROM files "
             "WHERE unit = ? ORDER BY path"),
      jobs_(store, "SELECT job FROM jobs WHERE unit = ? ORDER BY job"),
      known_(store, "SELECT hash FROM units_hashes WHERE unit = ?"),
      note_(store, "INSERT OR REPLACE INTO units_hashes VALUES(?, ?)") {}

std::string UnitHashes::hash_of(std::int64_t unit) {
  const ResetAtEnd reset_unit(unit_);
  const ResetAtEnd reset_files(files_);
  const ResetAtEnd reset_jobs(jobs_);
  ContentHash hash;
  const auto add = [&hash](std::string_view part) {
    hash.add(fmt::format("{}:", part.size()));
    hash.add(part);
  };
  if (unit_.with(unit).next()) {
    for (const int column : {0, 1, 2}) add(unit_.text(column));
    add(unit_.blob(3));
  }
  for (files_.with(unit); files_.next();) {
    for (const int column : {0, 1, 2, 6}) add(files_.text(column));
    for (const int column : {3, 4, 5}) add(std::to_string(files_.integer(column)));
  }
  for (jobs_.with(unit); jobs_.next();) add(jobs_.text(0));
  return hash.hex_digest();
}

void UnitHashes::note(std::int64_t unit) { note_.with(unit, hash_of(unit)).run(); }

std::string UnitHashes::defect_of(std::int64_t unit) {
  const ResetAtEnd reset(known_);
  if (known_.with(unit).next() && known_.text(0) == hash_of(unit)) return "";
  const ResetAtEnd reset_unit(unit_);
  const std::string job(unit_.with(unit).next() ? unit_.text(0) : "");
  return fmt::format(
      "the results of job {} were changed from outside; forget their files ('scalelaw store "
      "forget') and ingest them again",
      job);
}

void refuse_changed_fits(const Database& store, std::int64_t id) {
  if (store.integer("PRAGMA user_version") < kWithHashes) return;
  Statement fits(store,
                 "SELECT label, kept_at, document, ifnull(hash, '') FROM fits LEFT JOIN "
                 "fits_hashes ON fits = id WHERE id = ?");
  if (!fits.with(id).next()) store.refuse("fits are missing");
  if (fits.text(3) == hash_of({fits.text(0), fits.text(1), fits.text(2)})) return;
  store.refuse(fmt::format("the fits '{}', kept at {}, were changed from outside", fits.text(0),
                           fits.text(1)));
}

std::string changed_facts_sentence(std::string_view job) {
  return fmt::format(
      "the facts about job {} were changed from outside; ingest with --jobs reads them again", job);
}

void refuse_changed_fact_names(const Database& store) {
  if (are_fact_names_changed(store)) store.refuse(kChangedNames);
}

std::string hash_of_facts(std::string_view job, std::string_view cells) {
  return hash_of({job, cells});
}

void note_hash_of_fits(const Database& store, std::int64_t id) {
  Statement fits(store, "SELECT label, kept_at, document FROM fits WHERE id = ?");
  if (!fits.with(id).next()) store.refuse("fits are missing");
  const std::string hash = hash_of({fits.text(0), fits.text(1), fits.text(2)});
  store.run("INSERT OR REPLACE INTO fits_hashes VALUES(?, ?)", id, hash);
}

void note_hash_of_fact_names(const Database& store) {
  store.run("INSERT OR REPLACE INTO settings VALUES('fact_names_hash', ?)",
            hash_of_fact_names(store));
}

void note_all_hashes(const Database& store) {
  store.for_each_row("SELECT id FROM fits",
                     [&](const Statement& row) { note_hash_of_fits(store, row.integer(0)); });
  store.for_each_row("SELECT job, cells FROM facts", [&](const Statement& row) {
    store.run("INSERT INTO facts_hashes VALUES(?, ?)", row.text(0),
              hash_of_facts(row.text(0), row.blob(1)));
  });
  note_hash_of_fact_names(store);
}

std::vector<std::string> hashes_that_differ(const Database& store) {
  std::vector<std::string> sentences;
  add_changed_fits(store, sentences);
  if (are_fact_names_changed(store)) sentences.emplace_back(kChangedNames);
  add_changed_facts(store, sentences);
  if (store.integer("PRAGMA user_version") >= kWithUnitHashes) add_changed_units(store, sentences);
  return sentences;
}

}  // namespace scalelaw
