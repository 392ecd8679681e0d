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
  double end_s = 0;          ///< Of the job in the cluster; tells which submissions overlap.
  double runtime_ratio = 1;  ///< Its runtime over the mean runtime of all jobs of the dataset.
};

/// A recurring job: the submissions of one group, by start.
struct JobGroup {
  std::string name;
  std::string dataset;
  std::vector<Submission> submissions;
};

/// Reads group, start_time, end_time (s), dataset, runtime_ratio: the columns of Zeus's mapping of
/// the Alibaba trace. Groups come in natural order of their names.
/// @throws ParseError, DataError naming file, line and column if a cell or column is not usable, a
/// job ends before it starts, or a group has two datasets.
std::vector<JobGroup> read_job_groups(const std::string& path);
std::vector<JobGroup> read_job_groups(std::string_view text, std::string_view source);

/// Adler-32 (RFC 1950), by which the published simulator seeds a group.
std::uint32_t adler32(std::string_view bytes);

/// Replays a group whose submissions may overlap: a run that starts while another is in flight
/// takes the cheapest batch size so far, and its result is learned when it ends. A failed run is
/// submitted again at its end for as long. Energy, time and cost of the history are multiplied by
/// the runtime ratio, those that the policy sees are not.
///
/// In paper mode a run that could not start is told as cost 0, as published; in corrected mode as
/// more than the bound. A submission that fails a thousand times ends the replay.
/// @param make  Makes the policies; without it the built-in ones that the settings name.
/// @throws std::invalid_argument as replay_job().
Replay replay_group(const JobTrace& trace, const ReplaySettings& settings,
                    std::span<const Submission> submissions,
                    const MakePolicies& make = make_policies);

/// A group, what became of it, and what fixed knobs would have taken for the same submissions.
struct GroupReplay {
  JobGroup group;
  std::string failure;  ///< Why it could not be replayed at all; empty where it was.
  Replay replay;
  std::vector<std::int64_t> batch_sizes;  ///< Of every run of the history.
  std::vector<double> limits_w;           ///< The same.
  std::optional<Expected> default_knobs;  ///< b0 at the highest limit, all submissions.
  std::optional<double> oracle_cost;      ///< The best knobs, all submissions, J.
};

/// What groups of one dataset come to.
struct DatasetTotals {
  std::string dataset;
  std::size_t groups = 0;
  std::size_t failed = 0;       ///< Of the groups; not in the totals.
  std::size_t submissions = 0;  ///< Of groups that did not fail; so are the runs.
  std::size_t runs = 0;
  std::optional<ReplayTotals> totals;  ///< Nothing where every group failed.
  // Shares against the default knobs; nothing where those are unknown.
  std::optional<double> energy_saving;
  std::optional<double> time_saving;
  std::optional<double> cost_saving;
};

/// Replays every group as the job of its dataset, seeded by the group's name; shared among threads,
/// in the order of the groups.
///
/// @param wish  What is said of the jobs, whatever their dataset; the rest is as published. Without
///              a default batch size, b0 is at most the largest of the traces.
/// @throws std::invalid_argument as replay_job().
std::vector<GroupReplay> replay_groups(const TrainTrace& train, const PowerTrace& power,
                                       std::vector<JobGroup> groups, const JobWish& wish,
                                       const ReplaySettings& settings, int threads,
                                       const MakePolicies& make = make_policies);

/// By dataset, in the order of names.
std::vector<DatasetTotals> totals_by_dataset(std::span<const GroupReplay> groups);

/// What a synthetic file of groups is to be like.
struct GroupFilePlan {
  std::uint32_t groups = 50;
  std::uint32_t submissions = 40;  ///< Of a group on average; at least 2.
  double load = 0.7;               ///< Mean runtime over the mean time between submissions.
  std::uint64_t seed = 1;
};

/// A file that read_job_groups() reads: the published datasets in turn, submissions at exponential
/// intervals, runtimes log-normal (sigma 0.3), rows by start. The same plan gives the same bytes.
std::string generated_groups(const GroupFilePlan& plan);

}  // namespace scalelaw
