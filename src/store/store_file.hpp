#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "store/sqlite.hpp"

namespace scalelaw {

// The versions (PRAGMA user_version) from which on a store keeps fits, hashes of them, and hashes
// of units.
inline constexpr std::int64_t kWithFits = 2;
inline constexpr std::int64_t kWithHashes = 4;
inline constexpr std::int64_t kWithUnitHashes = 5;

/// A change of a store, within a transaction.
using StoreChange = std::function<void(const Database&)>;

/// Opens a study store and checks its mark, its version and its tables. When it is opened for
/// writing, an older store is updated to the newest version, and a missing or empty one is created.
/// @param change  Is made when the store is opened for writing. If it fails, a store that this call
/// created is removed.
/// @throws DataError if it is no store, newer than this program, or damaged.
std::unique_ptr<Database> open_store_file(const std::string& path, Database::Access access,
                                          const StoreChange& change = {});

/// The current run table: the newest finished one.
struct KeptRunTable {
  std::int64_t id;
  std::int64_t revision;  ///< Revision of the store when the table was made.
  std::int64_t rows;
  std::string hash;
};
std::optional<KeptRunTable> newest_run_table(const Database& store);

/// A text among the settings of a store; empty if it has none of that name.
std::optional<std::string> setting_of(const Database& store, std::string_view name);

/// The revision of a store, which grows with every change of units or facts.
std::int64_t revision_of(const Database& store);
/// Whether the run table lacks kept results, because an ingest runs or was interrupted.
bool is_behind(const Database& store);
/// Raises the revision, within a transaction.
void raise_revision(const Database& store);

/// Makes a table the run table of a store, unless it is there already or a newer state has one. It
/// is written in blocks and many transactions, and becomes visible when it is whole.
/// @param revision  The revision of the store that the table shows.
void replace_run_table(const Database& store, const RunTable& table, std::int64_t revision);
/// Whether the text of the run table has another hash than it should have.
bool is_run_table_changed(const Database& store);

/// The state of a file in three columns of a row: bytes, mtime_ns, inode.
FileState file_state_in(const Statement& row, int first_column);

/// Hashes of what a store keeps: documents of fits, facts from tables of jobs, and units with their
/// files and jobs. They find damage. They do not protect against forgery.

/// The hashes of units.
class UnitHashes : NotCopied {
 public:
  explicit UnitHashes(const Database& store);
  /// Within the transaction that wrote the unit.
  void note(std::int64_t unit);
  /// What was changed from outside, as a sentence; empty if nothing was.
  std::string defect_of(std::int64_t unit);

 private:
  std::string hash_of(std::int64_t unit);

  Statement unit_;
  Statement files_;
  Statement jobs_;
  Statement known_;
  Statement note_;
};

/// Of a row of facts, for facts_hashes.
std::string hash_of_facts(std::string_view job, std::string_view cells);
/// That they were changed from outside.
std::string changed_facts_sentence(std::string_view job);

// Each within the transaction that changed what is hashed.
void note_hash_of_fits(const Database& store, std::int64_t id);
void note_hash_of_fact_names(const Database& store);
/// Those of a store that had none.
void note_all_hashes(const Database& store);

/// @throws DataError if the names of facts were changed from outside.
void refuse_changed_fact_names(const Database& store);
/// @throws DataError if the document of fits was changed from outside.
void refuse_changed_fits(const Database& store, std::int64_t id);

/// One sentence per item whose hash differs or is missing, or which is gone.
std::vector<std::string> hashes_that_differ(const Database& store);

// Whether a store can be read or written.

/// Tells apart what SQLite would only call a file that cannot be opened: a folder, a pipe or a
/// device, and a file that the system does not open, for one of its reasons.
/// @throws DataError with a sentence on it. A missing file is no error.
void refuse_unreadable(const std::string& path);

}  // namespace scalelaw
