#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/folder_reader.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "store/sqlite.hpp"
#include "store/store_file.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw {

/// The units of a store, which ingest recalls and extends.
class KeptUnits final : public UnitMemory {
 public:
  KeptUnits(const Database& store, const IngestOptions& options);

  const TraceFormat* known_format(const std::string& path) override;
  std::optional<UnitFigures> recall(Unit& unit) override;
  bool knows(const Unit& unit) override;
  void keep(const Unit& unit, const UnitFigures& figures) override;
  void for_each(const std::function<void(UnitFigures&&)>& take) override;
  JobFacts facts(bool tables_follow) override;
  void keep_facts(const JobFacts& facts) override;

  /// The revision of the store that for_each handed out and keep_facts changed.
  std::int64_t revision() const { return revision_; }
  /// Whether the store still has that revision.
  bool is_current() const;
  /// The files of units that were not kept. Another process had kept files of the same node of the
  /// same job after this one had looked, and these files must be read together.
  const std::vector<std::string>& given_back() const { return given_back_; }

 private:
  /// Job and node.
  using Key = std::pair<std::string, std::string>;
  struct KeptFile {
    std::string path;
    std::string format;
    std::string reading;
    FileState state;
    std::string hash;
  };
  struct PendingFile {
    ReadFile file;
    std::string path;  ///< In the store.
    std::string_view format;
  };
  struct Pending {
    Key key;
    std::vector<PendingFile> files = {};
    std::set<std::string> jobs;
    std::string figures = {};
    bool is_alone;  ///< A file of records, which replaces what was kept of it.
  };
  /// Path and hash of each kept file of a unit.
  using Contents = std::vector<std::pair<std::string, std::string>>;

  std::string node_of(const Unit& unit) const;
  std::vector<KeptFile> files_of(const Key& key);
  bool is_unchanged(const Unit& unit, const std::vector<KeptFile>& kept) const;
  void add_kept(Unit& unit, const std::vector<KeptFile>& kept) const;
  void drop_copies(Unit& unit, const Key& key);
  Pending pending_of(const Unit& unit, const UnitFigures& figures);
  // Call this under collecting_.
  bool is_due() const;
  bool is_full() const;
  std::vector<Pending> take_pending();
  // Call this under mutex_.
  /// @throws DataError if a unit was changed from outside.
  void refuse_changed(std::int64_t unit);
  bool is_as_seen(const Pending& unit);
  void write(const std::vector<Pending>& units);
  /// @throws DataError if facts that were changed from outside are not there.
  void expect_changed_in(const JobFacts& facts) const;
  std::vector<std::size_t> places_of(const std::vector<std::string>& names);
  class Writer;
  class FactsWriter;

  const Database& store_;
  RealPaths paths_;
  std::string reading_;  ///< Options that affect the reading of a file.

  std::mutex mutex_;           ///< Guards the store and the next members.
  std::int64_t own_revision_;  ///< The state that this object found, and later left.
  bool was_empty_;             ///< If so, nothing can be known.
  Statement known_file_;
  Statement files_of_unit_;
  Statement figures_of_unit_;
  UnitHashes hashes_;
  std::map<Key, Contents> seen_;  ///< What was kept of units when they were looked up.
  std::vector<std::string> given_back_;
  JobFacts facts_before_;                ///< The result of facts().
  std::set<std::string> changed_facts_;  ///< Jobs whose facts were changed from outside.
  std::int64_t revision_ = 0;

  std::mutex collecting_;         ///< Guards the next members. No thread writes while it holds it.
  std::condition_variable room_;  ///< Notified when a thread has written.
  std::map<Key, std::vector<ReadFile>> copies_;  ///< Files that repeat the text of another file.
  std::vector<Pending> pending_;
  std::size_t pending_bytes_ = 0;
  bool writing_ = false;        ///< A thread writes, while the others collect.
  std::exception_ptr failure_;  ///< Why it failed.
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace scalelaw
