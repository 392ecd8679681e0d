#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite.hpp"

namespace scalelaw {

// The versions (PRAGMA user_version) from which on a store keeps fits, and hashes of them.
inline constexpr std::int64_t kWithFits = 2;
inline constexpr std::int64_t kWithHashes = 4;

/// Opens a study store and checks that it is one: its mark, its version and its tables. Opened for
/// writing, an older one is brought to the newest version, and a missing or empty one is set up.
/// @throws DataError if it is none, newer than this program, or damaged.
std::unique_ptr<Database> open_store_file(const std::string& path, Database::Access access);

/// The run table that holds: the newest one that was finished.
struct KeptRunTable {
  std::int64_t id;
  std::int64_t revision;  ///< Of the store, when it was made.
  std::int64_t rows;
  std::string hash;
};
std::optional<KeptRunTable> newest_run_table(const Database& store);

/// The number of a store's state: it grows with every change of units or facts.
std::int64_t revision_of(const Database& store);
/// Whether the run table is not of all that is kept: while an ingest runs, or after one that was
/// interrupted.
bool is_behind(const Database& store);

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
