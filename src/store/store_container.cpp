#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "input/container.hpp"
#include "input/parquet.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/study_store.hpp"
#include "store/store_file.hpp"

namespace scalelaw {
namespace {

/// Rows of one column, one after the other.
class StoreStream final : public ByteStream {
 public:
  /// @param hash  Of all rows together; empty where it was held against them already.
  StoreStream(std::unique_ptr<Database> store, const char* table, const char* column,
              std::vector<std::int64_t> rows, std::string hash)
      : store_(std::move(store)),
        column_(*store_, table, column),
        rows_(std::move(rows)),
        expected_(std::move(hash)) {}

  std::size_t read(char* out, std::size_t count) override {
    std::size_t have = 0;
    while (have < count) {
      if (at_ == column_.size() && !next_row()) break;
      const std::size_t part = std::min(count - have, column_.size() - at_);
      column_.read(out + have, part, at_);
      if (!expected_.empty()) found_.add({out + have, part});
      at_ += part;
      have += part;
    }
    consumed_ += have;
    return have;
  }
  std::uint64_t consumed() const override { return consumed_; }

 private:
  bool next_row() {
    if (next_ == rows_.size()) {
      if (!expected_.empty() && found_.hex_digest() != expected_) {
        store_->refuse(
            "the run table was changed from outside; repeat the ingest with --store to make it "
            "anew");
      }
      return false;
    }
    column_.move_to(rows_[next_++]);
    at_ = 0;
    return true;
  }

  std::unique_ptr<Database> store_;
  ByteColumn column_;
  std::vector<std::int64_t> rows_;
  std::string expected_;
  ContentHash found_;  ///< Of what was read.
  std::size_t next_ = 0;
  std::size_t at_ = 0;  ///< In the row.
  std::uint64_t consumed_ = 0;
};

bool keeps_fits(const Database& store) {
  return store.integer("PRAGMA user_version") >= kWithFits &&
         store.integer("SELECT EXISTS(SELECT 1 FROM fits)") == 1;
}

std::string labels_of(const Database& store) {
  if (!keeps_fits(store)) return "it keeps none";
  std::vector<std::string> labels;
  store.for_each_row("SELECT DISTINCT label FROM fits ORDER BY label LIMIT 10",
                     [&](const Statement& row) { labels.emplace_back(row.text(0)); });
  return "it keeps " + joined(labels);
}

[[noreturn]] void refuse_without_run_table(const Database& store) {
  const std::string& path = store.path();
  throw DataError(fmt::format(
      "{}: this study store has no run table, because no ingest into it has finished{}", path,
      keeps_fits(store)
          ? fmt::format("; its fits are named {}@LABEL, and {}", path, labels_of(store))
          : ""));
}

std::unique_ptr<ByteStream> open_run_table(std::unique_ptr<Database> store) {
  const auto newest = newest_run_table(*store);
  if (!newest) refuse_without_run_table(*store);
  std::vector<std::int64_t> blocks;
  store->for_each_row(
      "SELECT id FROM run_blocks WHERE run_table = ? ORDER BY place",
      [&](const Statement& row) { blocks.push_back(row.integer(0)); }, newest->id);
  return std::make_unique<StoreStream>(std::move(store), "run_blocks", "csv", std::move(blocks),
                                       newest->hash);
}

std::unique_ptr<ByteStream> open_fits(std::unique_ptr<Database> store, const std::string& label) {
  std::optional<std::int64_t> id;
  if (keeps_fits(*store)) {
    Statement newest(*store,
                     "SELECT id FROM fits WHERE label = ? ORDER BY kept_at DESC, id DESC LIMIT 1");
    if (newest.with(label).next()) id = newest.integer(0);
  }
  if (!id) {
    throw DataError(fmt::format("{}: there are no fits with the label '{}'; {}", store->path(),
                                label, labels_of(*store)));
  }
  refuse_changed_fits(*store, *id);
  return std::make_unique<StoreStream>(std::move(store), "fits", "document", std::vector{*id}, "");
}

/// The run table of a store as CSV, or the newest document of fits with that label: as they were
/// when it was opened, whoever writes meanwhile.
/// @throws DataError if there is none.
std::unique_ptr<ByteStream> open_text(const std::string& path, const std::string* label) {
  auto store = open_store_file(path, Database::Access::kRead);
  return label == nullptr ? open_run_table(std::move(store)) : open_fits(std::move(store), *label);
}

std::optional<std::string> unfinished_ingest(const std::string& path) {
  if (!is_behind(*open_store_file(path, Database::Access::kRead))) return std::nullopt;
  return fmt::format(
      "{}: an ingest into this store still runs or was interrupted, so its run table is the "
      "earlier one; repeat that ingest to bring it up to date",
      path);
}

constexpr Container kStudyStore{.kind = "study store",
                                .magic = {"SQLite format 3\0", 16},
                                .labelled = "fits",
                                .no_table =
                                    "these are fits kept in a store, and a table of runs is needed "
                                    "here; leave out the label to name the runs of the store",
                                .open = open_text,
                                .unfinished = unfinished_ingest};
static_assert(kStudyStore.magic.size() <= kMostMagic);

}  // namespace

std::span<const Container* const> containers() {
  static constexpr std::array<const Container*, 2> kContainers{&kStudyStore, &kParquet};
  return kContainers;
}

bool is_study_store(const std::string& path) {
  if (path != "-") refuse_unreadable(path);
  return container_at(path) == &kStudyStore;
}

}  // namespace scalelaw
