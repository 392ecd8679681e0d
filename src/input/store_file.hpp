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

// The first versions (PRAGMA user_version) that keep fits, and hashes of them.
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

/// Whether the first bytes of a file are those of an SQLite file.
bool begins_as_store(const std::string& path);

/// The address of one text in a store: "study.db@LABEL" for the fits under a label.
struct StoreAddress {
  std::string file;
  std::string label;
};
/// The address that a path means. Empty if a file has that name, or no file has the name before the
/// @.
std::optional<StoreAddress> store_address(const std::string& path);

/// The run table of a store as CSV, or the newest document of fits with that label. It shows their
/// state at opening, whoever writes meanwhile.
/// @param label  nullptr: the run table.
/// @throws DataError if there is none.
std::unique_ptr<ByteStream> open_store_stream(const std::string& path, const std::string* label);

}  // namespace scalelaw
