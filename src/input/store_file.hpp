#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/sqlite.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// The first bytes of every SQLite file.
inline constexpr std::string_view kStoreMagic{"SQLite format 3\0", 16};

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

/// Whether the first bytes of a file are those of an SQLite file.
bool begins_as_store(const std::string& path);

/// Where one text of a store stands: "study.db@LABEL" for the fits kept under a label.
struct StoreAddress {
  std::string file;
  std::string label;
};
/// The address that a path stands for; nothing if a file has that name, or none has the name before
/// the @.
std::optional<StoreAddress> store_address(const std::string& path);

/// The run table of a store as CSV, or the newest document of fits with that label: as they were
/// when it was opened, whoever writes meanwhile.
/// @param label  nullptr: the run table.
/// @throws DataError if there is none.
std::unique_ptr<ByteStream> open_store_stream(const std::string& path, const std::string* label);

}  // namespace scalelaw
