#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "store/sqlite.hpp"

namespace scalelaw {

// The versions (PRAGMA user_version) from which on a store keeps fits, and hashes of them.
inline constexpr std::int64_t kWithFits = 2;
inline constexpr std::int64_t kWithHashes = 4;

/// Opens a study store and checks its mark, its version and its tables. When it is opened for
/// writing, an older store is updated to the newest version, and a missing or empty one is created.
/// @throws DataError if it is no store, newer than this program, or damaged.
std::unique_ptr<Database> open_store_file(const std::string& path, Database::Access access);

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

/// Hashes of what does not follow from anything else in a store: documents of fits, and what tables
/// of jobs said. They find damage; whoever forges can write another hash, too.

/// Of a row of facts, for facts_hashes.
std::string hash_of_facts(std::string_view job, std::string_view cells);

// Each within the transaction that changed what is hashed.
void note_hash_of_fits(const Database& store, std::int64_t id);
void note_hash_of_fact_names(const Database& store);
/// Those of a store that had none.
void note_all_hashes(const Database& store);

/// A sentence on each thing whose hash is another one, or that has none, or is gone.
std::vector<std::string> hashes_that_differ(const Database& store);

}  // namespace scalelaw
