#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scalelaw/trace/ingest.hpp"
#include "store/sqlite.hpp"
#include "store/store_file.hpp"

namespace scalelaw {

/// See revision_of.
void raise_revision(const Database& store);

/// Makes a table the run table of a store, unless it is there already or a newer state has one. It
/// is written in blocks and many transactions, and becomes visible when it is whole.
/// @param revision  The revision of the store that the table shows.
void replace_run_table(const Database& store, const RunTable& table, std::int64_t revision);

/// The hash that the text of the run table should have, and the hash it has.
struct TableHashes {
  std::string noted;
  std::string found;
};
std::optional<TableHashes> hashes_of_run_table(const Database& store);

}  // namespace scalelaw
