#include "store/run_table.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kBlocksAtOnce = 4;

/// The table as CSV, cut into blocks.
std::vector<std::string> blocks_of(const RunTable& table) {
  std::vector<std::string> blocks;
  if (table.names.empty()) return blocks;
  std::string text;
  append_delimited_row(text, table.names, ',');
  for (const auto& row : table.rows) {
    append_delimited_row(text, row, ',');
    if (text.size() >= kBlockBytes) blocks.push_back(std::exchange(text, {}));
  }
  if (!text.empty()) blocks.push_back(std::move(text));
  return blocks;
}

std::string hash_of(const std::vector<std::string>& blocks) {
  ContentHash hash;
  for (const std::string& block : blocks) hash.add(block);
  return hash.hex_digest();
}

/// The hash of the blocks that are kept.
std::string found_hash_of(const Database& store, std::int64_t table) {
  ContentHash hash;
  Statement blocks(store, "SELECT csv FROM run_blocks WHERE run_table = ? ORDER BY place");
  blocks.with(table);
  while (blocks.next()) hash.add(blocks.blob(0));
  return hash.hex_digest();
}

/// Whether no new table is needed: a finished one is newer, or equal and undamaged.
bool is_there(const Database& store, const std::string& hash, std::int64_t revision) {
  const auto newest = newest_run_table(store);
  if (!newest) return false;
  if (newest->revision > revision) return true;
  if (newest->hash != hash || found_hash_of(store, newest->id) != hash) return false;
  Statement(store, "UPDATE run_tables SET revision = ? WHERE id = ?")
      .with(revision, newest->id)
      .run();
  return true;
}

/// The number of a new table that no reader sees yet; empty if none is needed.
std::optional<std::int64_t> begin_table(const Database& store, const std::string& hash,
                                        std::size_t rows, std::int64_t revision) {
  Transaction transaction(store);
  std::optional<std::int64_t> id;
  if (!is_there(store, hash, revision)) {
    Statement(store,
              "INSERT INTO run_tables(revision, finished, run_rows, hash) VALUES(?, 0, ?, ?)")
        .with(revision, static_cast<std::int64_t>(rows), hash)
        .run();
    id = store.last_id();
  }
  transaction.commit();
  return id;
}

/// Whether a table is still wanted: a process that finished a newer one removes it.
bool is_wanted(const Database& store, std::int64_t table) {
  Statement row(store, "SELECT 1 FROM run_tables WHERE id = ?");
  return row.with(table).next();
}

bool write_blocks(const Database& store, std::int64_t table,
                  const std::vector<std::string>& blocks) {
  for (std::size_t begin = 0; begin < blocks.size(); begin += kBlocksAtOnce) {
    Transaction transaction(store);
    if (!is_wanted(store, table)) return false;
    Statement add(store, "INSERT INTO run_blocks(run_table, place, csv) VALUES(?, ?, ?)");
    for (std::size_t i = begin; i < std::min(begin + kBlocksAtOnce, blocks.size()); ++i) {
      add.with(table, static_cast<std::int64_t>(i), Statement::as_blob(blocks[i])).run();
    }
    transaction.commit();
  }
  return true;
}

void finish_table(const Database& store, std::int64_t table, std::int64_t revision) {
  Transaction transaction(store);
  Statement newer(store, "SELECT 1 FROM run_tables WHERE finished = 1 AND revision > ?");
  const bool overtaken = !is_wanted(store, table) || newer.with(revision).next();
  newer.reset();
  if (overtaken) {
    Statement(store, "DELETE FROM run_tables WHERE id = ?").with(table).run();
  } else {
    Statement(store, "UPDATE run_tables SET finished = 1 WHERE id = ?").with(table).run();
  }
  transaction.commit();
}

/// Removes tables that another one replaced, and unfinished ones of interrupted calls.
void remove_replaced(const Database& store) {
  {
    Transaction transaction(store);
    if (const auto newest = newest_run_table(store)) {
      Statement(store, "DELETE FROM run_tables WHERE id <> ? AND revision <= ?")
          .with(newest->id, newest->revision)
          .run();
    }
    transaction.commit();
  }
  for (;;) {
    Transaction transaction(store);
    store.run(
        "DELETE FROM run_blocks WHERE id IN (SELECT id FROM run_blocks WHERE run_table NOT IN "
        "(SELECT id FROM run_tables) LIMIT 16)");
    const bool done = store.integer("SELECT changes()") == 0;
    transaction.commit();
    if (done) return;
  }
}

}  // namespace

void raise_revision(const Database& store) {
  store.run(
      "UPDATE settings SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = "
      "'revision'");
}

void replace_run_table(const Database& store, const RunTable& table, std::int64_t revision) {
  const std::vector<std::string> blocks = blocks_of(table);
  const auto id = begin_table(store, hash_of(blocks), table.rows.size(), revision);
  if (id && write_blocks(store, *id, blocks)) finish_table(store, *id, revision);
  remove_replaced(store);
}

std::optional<TableHashes> hashes_of_run_table(const Database& store) {
  const auto newest = newest_run_table(store);
  if (!newest) return std::nullopt;
  return TableHashes{newest->hash, found_hash_of(store, newest->id)};
}

}  // namespace scalelaw
