#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "scalelaw/trace/sample.hpp"
#include "trace/run_facts.hpp"

// Runs that several files tell of: which rows are of one run, which of them counts, and what the
// others add to it. The same for inputs and for tables of jobs.
namespace scalelaw {

/// Two files tell of one run if they have its id from the same system, and nothing that both say of
/// it differs. The ids of Slurm come again: its jobs are told apart by the cluster and the time of
/// submission, as in its own tables (unique index (id_job, time_submit) in
/// src/plugins/accounting_storage/mysql), or else by their start. Times that cannot be compared,
/// such as seconds with dates, whose zone nothing tells, or a submission with a start, must be near
/// each other. Then rows of different files are of one job if it took the same time on the same
/// GPUs, and no other job fits; rows of one file never are.
class ToldRuns {
 public:
  /// The number of the run that a file tells of, from 0 in the order of their first words.
  std::size_t add(const RunIdentity& identity, std::string_view source);
  /// The number of a run that was added; empty if there is none, or if several fit.
  /// @param source  The file; empty if the run may be one of the same file.
  std::optional<std::size_t> find(const RunIdentity& identity, std::string_view source) const {
    return match(identity, source).number;
  }
  /// Whether a run was added that may be the same.
  bool has_perhaps(const RunIdentity& identity) const;
  /// Whether a run was added that is the same beyond doubt.
  bool has_surely(const RunIdentity& identity) const;
  std::size_t size() const { return runs_.size(); }
  /// The runs that may be one of several others, so that nothing tells whether they are.
  const std::vector<std::size_t>& undecided() const { return undecided_; }

 private:
  using Places = std::vector<std::size_t>;
  /// The forms of the times of submission and start: none, a date, or seconds.
  using Forms = std::pair<int, int>;
  using PlacesByTime = std::multimap<std::int64_t, std::size_t>;
  struct Run {
    RunIdentity identity;
    std::string source;  ///< The last file that told of it.
  };
  using PlacesByFile = std::map<std::string, PlacesByTime>;
  using PlacesByDuration = std::map<std::string, PlacesByFile>;
  struct RunsOfId {
    std::map<std::string, Places> by_submission = {};
    std::map<std::string, Places> by_start = {};
    std::map<Forms, PlacesByDuration> by_work = {};
  };
  struct Match {
    std::optional<std::size_t> number = {};
    bool is_undecided = false;
  };
  struct Search;

  static Forms forms_of(const RunIdentity& identity);
  const RunsOfId* runs_of_id(const RunIdentity& identity) const;
  std::optional<std::size_t> find_dated(const RunsOfId& runs, const RunIdentity& identity) const;
  Match match(const RunIdentity& identity, std::string_view source) const;
  void look_at(const PlacesByTime& places, Search& search) const;
  void look_at(const PlacesByFile& files, Search& search) const;
  void look_at(const PlacesByDuration& durations, Search& search) const;
  void put(std::size_t number, RunsOfId& runs);
  void take_out(std::size_t number, RunsOfId& runs);
  void learn(std::size_t number, const RunIdentity& identity, RunsOfId& runs);

  std::vector<Run> runs_;
  std::vector<std::size_t> undecided_;
  std::map<std::string, RunsOfId> by_id_;
};

/// When a run was submitted, or else started, in seconds, as if dates were those of UTC; 0 if
/// nothing tells it.
std::int64_t time_of(const RunIdentity& run);

/// A job of an id that accounts tell of several times.
struct JobOfId {
  std::string_view gpus;  ///< Empty if nothing tells them.
  bool has_run = false;
  std::int64_t time = 0;  ///< time_of() it.
};
/// The job of a row; valid as long as its facts are.
JobOfId job_of_row(const RowFacts& facts, const RunIdentity& identity);

/// Which of the jobs that accounts tell under one id may be that of a log: those with its GPUs;
/// else those that ran and of which nothing tells the GPUs; else all. A job that was requeued has
/// several rows. None if they lie more than 30 days apart: then the id was given again, and nothing
/// tells which is meant.
/// @param gpus  Those of the log; empty if it does not tell them.
std::vector<std::size_t> jobs_of_log(std::string_view gpus, std::span<const JobOfId> jobs);

/// A sentence on logs of which jobs_of_log() finds none.
std::string words_on_logs_without_account(std::size_t count, std::string_view first);

/// Of the rows of one run the greatest counts: that of a run that has ended, then that which ended
/// last, then that which took longest, then that with most logged values, then that with most
/// cells.
using RowRank = std::tuple<bool, std::string_view, double, std::uint64_t, std::ptrdiff_t>;
RowRank rank_of_row(const RowFacts& facts, bool has_ended, std::uint64_t values = 0);

/// A cell that another row of the run tells otherwise.
struct Contradiction {
  std::string name;
  std::string counts;
  std::string other;
};

std::vector<Contradiction> contradictions_of(const RowFacts& row, const RowFacts& other);

/// Adds what another row of the run says.
/// @param fills_empty  Also to cells that are there and empty.
void fill_row(RowFacts& row, const RowFacts& other, bool fills_empty = true);

/// The id of a known job that the name of a log is or ends with, behind a mark: "slurm-1809579",
/// "gpt2-n4-1809579". The longest one; empty if there is none.
template <class Known>
std::string_view job_in_name(std::string_view name, const Known& is_known) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0.
  while (!name.empty()) {
    if (is_known(name)) return name;
    const std::size_t mark = name.find_first_of("-_.");
    if (mark == std::string_view::npos) break;
    name.remove_prefix(mark + 1);
  }
  return {};
}

}  // namespace scalelaw
