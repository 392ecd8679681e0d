#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "input/real_paths.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "store/sqlite.hpp"
#include "trace/unit_memory.hpp"

namespace scalelaw {

/// The units of a store, as ingest remembers and adds to them.
class KeptUnits final : public UnitMemory {
 public:
  KeptUnits(const Database& store, const IngestOptions& options);

  const TraceFormat* known_format(const std::string& path) override;
  std::optional<UnitFigures> recall(Unit& unit) override;
  void keep(const Unit& unit, const UnitFigures& figures) override;
  void for_each(const std::function<void(UnitFigures&&)>& take) override;
  JobFacts facts() override;
  void keep_facts(const JobFacts& facts) override;

  /// The number of the state that for_each handed out and keep_facts added to.
  std::int64_t revision() const { return revision_; }
  /// Whether the store is still in that state.
  bool is_current() const;
  /// The files of units that were not kept, since another process kept files of the same node of
  /// the same job after this one had looked: they have to be read together.
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
  struct Pending {
    Key key;
    std::vector<ReadFile> files;
    std::vector<std::string> paths;    ///< Of each file, as the store knows it.
    std::vector<std::string> formats;  ///< The same.
    std::set<std::string> jobs;
    std::string figures;
    bool is_alone;  ///< A file of records: what was kept of it counts no more.
  };
  /// Path and hash of each file that is kept of a unit.
  using Contents = std::vector<std::pair<std::string, std::string>>;

  std::string node_of(const Unit& unit) const;
  std::vector<KeptFile> files_of(const Key& key);
  bool is_unchanged(const Unit& unit, const std::vector<KeptFile>& kept) const;
  void add_kept(Unit& unit, const std::vector<KeptFile>& kept) const;
  void drop_copies(Unit& unit, const Key& key);
  std::vector<ReadFile> copies_of(const Key& key);
  Pending pending_of(const Unit& unit, const UnitFigures& figures);
  // Under collecting_.
  bool is_due() const;
  bool is_full() const;
  std::vector<Pending> take_pending();
  // Under mutex_.
  bool is_as_seen(const Pending& unit);
  void write(const std::vector<Pending>& units);
  std::vector<std::size_t> places_of(const std::vector<std::string>& names);
  class Writer;
  class FactsWriter;

  const Database& store_;
  RealPaths paths_;
  std::string reading_;  ///< The options on which the reading of a file depends.

  std::mutex mutex_;           ///< Of the store and of what follows.
  std::int64_t own_revision_;  ///< The state that this object found, and then left.
  bool was_empty_;             ///< Nothing can be known then.
  Statement known_file_;
  Statement files_of_unit_;
  Statement figures_of_unit_;
  std::map<Key, Contents> seen_;  ///< What was kept of units when they were looked up.
  std::vector<std::string> given_back_;
  JobFacts facts_before_;  ///< As facts() handed them out.
  std::int64_t revision_ = 0;

  std::mutex collecting_;         ///< Of what follows. Nobody writes while holding it.
  std::condition_variable room_;  ///< Told when a thread has written.
  std::map<Key, std::vector<ReadFile>> copies_;  ///< Files that repeat the text of another.
  std::vector<Pending> pending_;
  std::size_t pending_bytes_ = 0;
  bool writing_ = false;        ///< A thread is, and the others collect.
  std::exception_ptr failure_;  ///< Why it could not.
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

}  // namespace scalelaw
