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

/// The revision of a store, which grows with every change of units or facts.
std::int64_t revision_of(const Database& store);
/// Whether the run table lacks kept results, because an ingest runs or was interrupted.
bool is_behind(const Database& store);

}  // namespace scalelaw
