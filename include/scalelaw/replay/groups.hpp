#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/replay/simulate.hpp"

namespace scalelaw {

/// One submission of a recurring job in a cluster.
struct Submission {
  double start_s = 0;
  double end_s = 0;          ///< End of the job in the cluster; tells which submissions overlap.
  double runtime_ratio = 1;  ///< Its runtime over the mean runtime in the whole dataset.
};

/// A recurring job: the submissions of one group, by start.
struct JobGroup {
  std::string name;
  std::string dataset;
  std::vector<Submission> submissions;
};

/// Reads group, start_time, end_time (s), dataset and runtime_ratio, the columns of Zeus's mapping
/// of the Alibaba trace. Groups come in the natural order of their names.
/// @throws ParseError, DataError naming file, line and column if a cell or column is not usable, a
/// job ends before it starts, or a group has two datasets.
std::vector<JobGroup> read_job_groups(const std::string& path);
std::vector<JobGroup> read_job_groups(std::string_view text, std::string_view source);

/// Adler-32 (RFC 1950), with which the published simulator seeds a group.
std::uint32_t adler32(std::string_view bytes);

/// Replays a group whose submissions may overlap. A run that starts while another one is in flight
/// takes the cheapest batch size so far, and the policy learns its result when it ends. A failed
/// run is submitted again at its end and lasts as long. The runtime ratio multiplies energy, time
/// and cost in the history, but not what the policy sees.
///
/// A run that could not start costs 0 for the policy in paper mode, as published, and more than the
/// bound in corrected mode. A submission that fails a thousand times ends the replay.
/// @param make  Makes the policies; by default the built-in ones that the settings name.
/// @throws std::invalid_argument as replay_job().
Replay replay_group(const JobTrace& trace, const ReplaySettings& settings,
                    std::span<const Submission> submissions,
                    const MakePolicies& make = make_policies);

/// A group, its result, and what fixed knobs would have cost for the same submissions.
struct GroupReplay {
  JobGroup group;
  Replay replay;  ///< Of 0 recurrences, with a failure, if the traces have no job for it.
  std::vector<std::int64_t> batch_sizes;  ///< One per run of the history.
  std::vector<double> limits_w;           ///< One per run of the history.
  std::optional<Spending> default_knobs;  ///< b0 at the highest limit, all submissions.
  std::optional<double> oracle_cost;      ///< Cost in J of the best knobs over all submissions.
};

/// The results of all groups of one dataset.
struct DatasetTotals {
  std::string dataset;
  std::size_t groups = 0;
  std::size_t failed = 0;       ///< Failed groups; the totals leave them out.
  std::size_t submissions = 0;  ///< Submissions of the other groups, as are the runs.
  std::size_t runs = 0;
  std::optional<Spending> totals = {};  ///< Empty if every group failed.
  // Shares relative to the default knobs; empty if those are unknown.
  std::optional<double> energy_saving = {};
  std::optional<double> time_saving = {};
  std::optional<double> cost_saving = {};
};

/// Replays every group as the job of its dataset, seeded by the group's name. Threads share the
/// groups; results are in their order.
///
/// @param wish  Settings for the jobs of any dataset; the others are as published. Without a
/// default batch size, b0 is at most the largest one in the traces.
/// @throws std::invalid_argument as replay_job().
std::vector<GroupReplay> replay_groups(const TrainTrace& train, const PowerTrace& power,
                                       std::vector<JobGroup> groups, const JobWish& wish,
                                       const ReplaySettings& settings, int threads,
                                       const MakePolicies& make = make_policies);

/// Totals by dataset, in the order of names.
std::vector<DatasetTotals> totals_by_dataset(std::span<const GroupReplay> groups);

/// The properties of a synthetic file of groups.
struct GroupFilePlan {
  std::uint32_t groups = 50;
  std::uint32_t submissions = 40;  ///< Mean per group; at least 2.
  double load = 0.7;               ///< Mean runtime over the mean time between submissions.
  std::uint64_t seed = 1;
};

/// A file for read_job_groups(): the published datasets in turn, exponential intervals between
/// submissions, log-normal runtimes (sigma 0.3), rows by start. The same plan gives the same bytes.
std::string generated_groups(const GroupFilePlan& plan);

}  // namespace scalelaw
