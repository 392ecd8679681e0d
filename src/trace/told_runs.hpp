#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/trace/sample.hpp"

namespace scalelaw {

/// The runs that files tell of, by what identifies them. Two files tell of one run if they have its
/// id from the same system, and nothing that both say of it differs. The ids of Slurm come again:
/// its jobs are told apart by the cluster and the time of submission, as in its own tables (unique
/// index (id_job, time_submit) in src/plugins/accounting_storage/mysql), or else by their start.
/// Where an account has neither, or seconds and another one dates, whose zone nothing tells, rows
/// of different files are of one job if it took the same time on the same GPUs, and rows of one
/// file never are.
class ToldRuns {
 public:
  /// The number of the run that a file tells of, from 0 in the order of their first words.
  std::size_t add(const RunIdentity& identity, std::string_view source);
  /// The number of a run that was added; empty if there is none.
  /// @param source  The file; empty if the run may be one of the same file.
  std::optional<std::size_t> find(const RunIdentity& identity, std::string_view source) const;
  /// Whether a run was added that is the same beyond doubt.
  bool has_surely(const RunIdentity& identity) const;

 private:
  using Places = std::vector<std::size_t>;
  struct Run {
    RunIdentity identity;
    std::string source;  ///< The last file that told of it.
  };
  struct RunsOfId {
    Places all = {};
    Places undated = {};     ///< Without both times.
    Places in_seconds = {};  ///< With times as JSON has them.
    Places in_words = {};    ///< With dates, whose zone nothing tells.
    std::map<std::string, Places> by_submission = {};
    std::map<std::string, Places> by_start = {};
  };

  const RunsOfId* runs_of_id(const RunIdentity& identity) const;
  std::optional<std::size_t> find_dated(const RunsOfId& runs, const RunIdentity& identity) const;
  void place(std::size_t number, RunsOfId& runs);
  void learn(std::size_t number, const RunIdentity& identity, RunsOfId& runs);

  std::vector<Run> runs_;
  std::map<std::string, RunsOfId> by_id_;
};

}  // namespace scalelaw
