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

/// Makes a table the run table of a store, unless a newer state has one already or it is there. It
/// is written in blocks, many transactions, and seen once it is whole.
/// @param revision  The state of the store that it is of.
void replace_run_table(const Database& store, const RunTable& table, std::int64_t revision);

/// The hash that the text of the run table should have, and the one it has.
struct TableHashes {
  std::string noted;
  std::string found;
};
std::optional<TableHashes> hashes_of_run_table(const Database& store);

}  // namespace scalelaw
