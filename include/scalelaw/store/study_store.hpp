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

/// A trace file that a store keeps the figures of.
struct StoredFile {
  std::string path;     ///< Absolute.
  std::string job;      ///< As the run table names it; the first of several that its rows name.
  std::uint64_t jobs;   ///< Of which its unit tells.
  std::string format;   ///< As in `ingest --format`.
  FileState state;      ///< As it was when it was read.
  std::string hash;     ///< XXH3-128 of its text, decompressed.
  std::string version;  ///< Of the scalelaw that read it.
};

/// A document of fits that is kept under a label.
struct KeptFits {
  std::string label;
  std::string kept_at;  ///< UTC: 2026-01-31T12:00:00Z.
};

struct StoreContents {
  std::int64_t schema_version = 0;
  std::uint64_t jobs = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  ///< Of the files.
  std::uint64_t rows = 0;   ///< Of the run table.
  /// Whether the run table is of all files; not while an ingest runs, or after one was interrupted.
  bool complete = false;
  std::vector<KeptFits> fits;  ///< In order of time.
};

/// What became of a file since it was read.
struct FileCheck {
  std::string path;
  enum class Outcome { kSame, kChanged, kGone, kUnreadable } outcome;
  std::string detail;  ///< A sentence where it is not the same.
};

/// A study in one SQLite file: what ingest read of which file, the run table that follows from it,
/// and documents of fits.
///
/// The figures of the files that are read together (a unit: all sample files of one node of a job)
/// are kept as soon as they are read, many in one transaction; the run table is a function of
/// everything that is kept, so it does not depend on the order and the number of calls, and it
/// changes whole or not at all. Several processes may use a store at once. One object belongs to
/// one thread at a time.
class StudyStore {
 public:
  enum class Access { kRead, kWrite, kCreate };

  /// @throws DataError if it is no store, of a newer version, damaged, or not there (but with
  ///         kCreate).
  StudyStore(const std::string& path, Access access);
  ~StudyStore();
  StudyStore(StudyStore&&) noexcept;

  /// @throws DataError if options do not go with a store.
  static void check(const IngestOptions& options);
  /// Reads what is new among the inputs, and replaces the run table if it changed. Files that were
  /// read before and have the same path, size, time of change (ns) and inode are not opened.
  /// @returns  As scalelaw::ingest, with the table of everything that is kept.
  /// @throws DataError as scalelaw::ingest, if the options are not those of the ingests before it,
  /// or
  ///         the disk is full: what was committed stays.
  IngestResult ingest(std::span<const std::string> inputs, const IngestOptions& options);

  /// Forgets the files of jobs, files named by path, or all below a folder, each with those that
  /// are read together with it, and replaces the run table.
  /// @returns  How many files were forgotten.
  /// @throws DataError if a name is none of these, or a file of a job tells of another job, too.
  std::uint64_t forget(std::span<const std::string> names);

  StoreContents contents() const;
  /// Hands out the files in order of path.
  void for_each_file(const std::function<void(const StoredFile&)>& take) const;

  /// Sentences on what is wrong inside the file: SQLite's own check, the figures, and the hashes of
  /// the run table, the kept fits and what tables of jobs said.
  std::vector<std::string> damage() const;
  /// The files that are not there any more.
  std::vector<std::string> gone_files() const;
  /// Reads every file again and compares its hash, in order of path.
  std::vector<FileCheck> check_files(int threads) const;

  /// Keeps a document of fits. A label may be given again: the newest one holds.
  /// @returns  Whether it is new: the same document of the same label and time is kept once.
  /// @throws DataError if it is larger than 100 MB.
  bool keep_fits(const std::string& label, const std::string& kept_at, const std::string& document);
  /// Every document that is kept, or those of one label, in order of time.
  void for_each_fits(const std::optional<std::string>& label,
                     const std::function<void(const KeptFits&, const std::string&)>& take) const;
  /// Forgets all documents of a label, or those of one time.
  /// @returns  How many.
  std::uint64_t forget_fits(const std::string& label, const std::optional<std::string>& kept_at);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Now, as fits are dated: 2026-01-31T12:00:00Z.
std::string utc_now();
/// Seconds since 1970 of a date or a time in UTC: "2026-01-31", "2026-01-31T12:00:00Z"; nothing of
/// other text.
std::optional<std::int64_t> utc_seconds(const std::string& text);
/// A date or a time in UTC in that form: "2026-01-31", "2026-01-31T12:00:00Z"; nothing of other
/// text.
std::optional<std::string> utc_time(const std::string& text);

/// Whether a path leads to a study store, by its first bytes.
bool is_study_store(const std::string& path);

}  // namespace scalelaw
