#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The contents of the tables of jobs: columns of text by job.
struct JobFacts {
  std::vector<std::string> names;  ///< All columns but the job's id; each name once.
  /// A job's facts in the order of the names; empty if its row or table is missing.
  std::map<std::string, std::vector<std::string>, std::less<>> rows;
  std::vector<std::string> warnings;
  /// Columns that records of traced jobs filled, too: they are those of other records.
  std::set<std::string, std::less<>> of_records = {};

  std::optional<std::size_t> column(std::string_view name) const;
  /// The text of a job's fact; empty if there is none.
  std::string_view fact(std::string_view job, std::string_view name) const;
};

/// Checks tables of jobs, so that a mistake shows before hours of traces are read.
/// @throws ParseError, DataError if a table cannot be read, has no column of ids, or has epochs
/// that are not a number above 0.
void check_job_tables(std::span<const std::string> paths);

/// Whether a name is a usual one for the number of GPUs in a table.
bool is_gpu_count(std::string_view name);

/// How many GPUs, or nodes, the tables say that a job had; empty if they do not say it.
std::optional<double> stated_gpus(const JobFacts& facts, std::string_view job);
std::optional<double> stated_nodes(const JobFacts& facts, std::string_view job);

/// Reads tables of jobs and joins them by job_id or id_job: SuperCloud labels, Slurm's log or its
/// accounting (sacct), or own settings. Only jobs of `wanted` (sorted) are kept. A warning counts
/// the other jobs, and the wanted jobs that no table knows. If a table has tres_alloc and none has
/// a number of GPUs, the column gpus is added: the GPUs that Slurm gave (ids 1001 and 1002 of its
/// trackable resources).
/// @throws ParseError, DataError if a table cannot be read or has no such column.
/// @param before  Facts of earlier tables, which hold where these say nothing.
/// @param gpus  Those of wanted jobs that have logs, as these tell: where accounts have several
/// jobs of an id, one with as many is meant. With logs the state, duration and energy in accounts
/// are job_status, job_duration_s and job_energy_j.
JobFacts read_job_facts(std::span<const std::string> paths, std::span<const std::string> wanted,
                        const JobFacts& before = {},
                        const std::map<std::string, std::string, std::less<>>& gpus = {});

/// Duration of the job in seconds, and its epochs, if the tables have them.
std::optional<double> run_seconds(const JobFacts& facts, std::string_view job);
std::optional<double> epochs_of(const JobFacts& facts, std::string_view job);

}  // namespace scalelaw
