#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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

}  // namespace scalelaw
