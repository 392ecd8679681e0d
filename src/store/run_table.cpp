#include <algorithm>
#include <vector>

#include "base/content_hash.hpp"
#include "scalelaw/base/text.hpp"
#include "store/store_file.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kBlocksAtOnce = 4;

/// The table as CSV, cut into blocks.
std::vector<std::string> blocks_of(const RunTable& table) {
  if (table.names.empty()) return {};
  std::vector<std::string> blocks(1);
  append_delimited_row(blocks.back(), table.names, ',');
  table.for_each_row([&](const std::vector<std::string>& row) {
    if (blocks.back().size() >= kBlockBytes) blocks.emplace_back();
    append_delimited_row(blocks.back(), row, ',');
  });
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
  store.for_each_row(
      "SELECT csv FROM run_blocks WHERE run_table = ? ORDER BY place",
      [&](const Statement& block) { hash.add(block.blob(0)); }, table);
  return hash.hex_digest();
}

/// Whether no new table is needed: a finished one is newer, or equal and undamaged.
bool is_there(const Database& store, const std::string& hash, std::int64_t revision) {
  const auto newest = newest_run_table(store);
  if (!newest) return false;
  if (newest->revision > revision) return true;
  if (newest->hash != hash || found_hash_of(store, newest->id) != hash) return false;
  store.run("UPDATE run_tables SET revision = ? WHERE id = ?", revision, newest->id);
  return true;
}

/// The number of a new table that no reader sees yet; empty if none is needed.
std::optional<std::int64_t> begin_table(const Database& store, const std::string& hash,
                                        std::size_t rows, std::int64_t revision) {
  Transaction transaction(store);
  std::optional<std::int64_t> id;
  if (!is_there(store, hash, revision)) {
    store.run("INSERT INTO run_tables(revision, finished, run_rows, hash) VALUES(?, 0, ?, ?)",
              revision, static_cast<std::int64_t>(rows), hash);
    id = store.last_id();
  }
  transaction.commit();
  return id;
}

/// Whether a table is still wanted: a process that finished a newer one removes it.
bool is_wanted(const Database& store, std::int64_t table) {
  return store.has_row("SELECT 1 FROM run_tables WHERE id = ?", table);
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
  const bool overtaken =
      !is_wanted(store, table) ||
      store.has_row("SELECT 1 FROM run_tables WHERE finished = 1 AND revision > ?", revision);
  store.run(overtaken ? "DELETE FROM run_tables WHERE id = ?"
                      : "UPDATE run_tables SET finished = 1 WHERE id = ?",
            table);
  transaction.commit();
}

/// Removes tables that another one replaced, and unfinished ones of interrupted calls.
void remove_replaced(const Database& store) {
  {
    Transaction transaction(store);
    if (const auto newest = newest_run_table(store)) {
      store.run("DELETE FROM run_tables WHERE id <> ? AND revision <= ?", newest->id,
                newest->revision);
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
  const auto id = begin_table(store, hash_of(blocks), table.row_count(), revision);
  if (id && write_blocks(store, *id, blocks)) finish_table(store, *id, revision);
  remove_replaced(store);
}

bool is_run_table_changed(const Database& store) {
  const auto newest = newest_run_table(store);
  return newest && newest->hash != found_hash_of(store, newest->id);
}

}  // namespace scalelaw
