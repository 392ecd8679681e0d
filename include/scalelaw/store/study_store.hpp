#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/ingest.hpp"

namespace scalelaw {

class Database;

/// A trace file whose figures a store keeps.
struct StoredFile {
  std::string path;     ///< Absolute.
  std::string job;      ///< Its name in the run table; the first one if its rows name several.
  std::uint64_t jobs;   ///< How many jobs its unit covers.
  std::string format;   ///< As in `ingest --format`.
  FileState state;      ///< Its state when it was read.
  std::string hash;     ///< XXH3-128 of its text, decompressed.
  std::string version;  ///< Version of the scalelaw that read it.
};

/// A document of fits, kept under a label.
struct KeptFits {
  std::string label;
  std::string kept_at;  ///< UTC: 2026-01-31T12:00:00Z.
};

struct StoreContents {
  std::int64_t schema_version = 0;
  std::uint64_t jobs = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  ///< Size of the files.
  std::uint64_t rows = 0;   ///< Rows of the run table.
  /// Whether the run table covers all files. It does not while an ingest runs, or after an
  /// interrupted one.
  bool complete = false;
  std::vector<KeptFits> fits;  ///< In order of time.
};

/// How a file compares with the file that was read.
struct FileCheck {
  std::string path;
  enum class Outcome { kSame, kChanged, kGone, kUnreadable } outcome;
  std::string detail;  ///< A sentence, unless it is the same.
};

/// A study in one SQLite file: the figures that ingest read from each file, the run table that
/// follows from them, and documents of fits.
///
/// Files that are read together form a unit, such as all sample files for one node of a job. The
/// figures of a unit are kept as soon as they are read, many units in one transaction. The run
/// table is a function of everything that is kept. It therefore does not depend on the order and
/// number of calls, and it changes whole or not at all. Several processes may use a store at once,
/// but one object belongs to one thread at a time.
class StudyStore {
 public:
  enum class Access { kRead, kWrite, kCreate };

  /// @throws DataError if it is no store, has a newer version, is damaged, or is missing (except
  /// with kCreate).
  StudyStore(const std::string& path, Access access);
  ~StudyStore();
  StudyStore(StudyStore&&) noexcept;

  /// @throws DataError if an option cannot be used with a store.
  static void check(const IngestOptions& options);
  /// Reads new inputs, and replaces the run table if it changed. Files that were read before are
  /// not opened if path, size, time of change (ns) and inode are the same.
  /// @returns As scalelaw::ingest, with the table of everything that is kept.
  /// @throws DataError as scalelaw::ingest, if the options differ from those of earlier ingests, or
  /// if the disk is full. Committed results stay.
  IngestResult ingest(std::span<const std::string> inputs, const IngestOptions& options);

  /// Forgets the files of jobs, files named by path, or all files below a folder, and replaces the
  /// run table. Files that were read together with them are forgotten, too.
  /// @returns How many files were forgotten.
  /// @throws DataError if a name is none of these, or if a job's file also covers another job.
  std::uint64_t forget(std::span<const std::string> names);

  StoreContents contents() const;
  /// Passes on the files in order of path.
  void for_each_file(const std::function<void(const StoredFile&)>& take) const;

  /// Sentences on damage inside the file, from SQLite's own check, the figures, and the hashes of
  /// the run table, of the kept fits and of the facts about jobs.
  std::vector<std::string> damage() const;
  /// The files that no longer exist.
  std::vector<std::string> gone_files() const;
  /// Reads every file again and compares its hash. The results are in order of path.
  std::vector<FileCheck> check_files(int threads) const;

  /// Keeps a document of fits in the store at a path, and makes that store if there is none. A
  /// label may be used again; the newest document counts.
  /// @returns Whether it is new: the same document with the same label and time is kept once.
  /// @throws DataError as the constructor, or if the document is larger than 100 MB. A store that
  /// this call made is then removed.
  static bool keep_fits(const std::string& path, const std::string& label,
                        const std::string& kept_at, const std::string& document);
  /// Passes on every kept document, or those of one label, in order of time.
  void for_each_fits(const std::optional<std::string>& label,
                     const std::function<void(const KeptFits&, const std::string&)>& take) const;
  /// Forgets all documents of a label, or those with one time.
  /// @returns How many were forgotten.
  std::uint64_t forget_fits(const std::string& label, const std::optional<std::string>& kept_at);

 private:
  std::unique_ptr<Database> store_;
};

/// The present time in the format of fits: 2026-01-31T12:00:00Z.
std::string utc_now();
/// Seconds from 1970 to a date or a time in UTC: "2026-01-31", "2026-01-31T12:00:00Z". Empty for
/// other texts.
std::optional<std::int64_t> utc_seconds(const std::string& text);
/// A date or a time in UTC, "2026-01-31" or "2026-01-31T12:00:00Z", in the latter form. Empty for
/// other texts.
std::optional<std::string> utc_time(const std::string& text);

/// Whether a path leads to a study store, judged by its first bytes.
bool is_study_store(const std::string& path);

}  // namespace scalelaw
