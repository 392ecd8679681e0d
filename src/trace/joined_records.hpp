#pragma once

#include <string>
#include <vector>

#include "scalelaw/trace/format.hpp"
#include "trace/job_facts.hpp"
#include "trace/unit_reader.hpp"

// What several files tell of one job.
namespace scalelaw {

/// Files that name no node count as nodes. If a job has several, their paths distinguish them.
void name_nodes_by_file(std::vector<DeviceRow>& devices);

/// Jobs that are only named by their files are told apart by the folders of these: all behind the
/// last one that they share.
void name_records_by_file(std::vector<JobRecord>& records);

/// Several files may tell of one run in the same words, as the two logs of a monitor do: one record
/// of each stays.
void drop_repeated_records(std::vector<JobRecord>& records);

/// What keep_latest_rows() left out.
struct KeptRows {
  OddityCount repeated = {};  ///< Rows that do not count.
  std::vector<std::string> warnings = {};
};

/// Keeps one row of each run that has an identity (ToldRuns), as accounts of overlapping months and
/// copies of a tracker's files tell of one run in different words: that which counts
/// (rank_of_row()). What it does not say is that of the others, and so are the steps before its
/// first one: each start of a run that was resumed has a file of its own. Of a job of Slurm a row
/// that contradicts it fills nothing, and a warning counts these cells. A run that still goes on in
/// one file and failed in another makes no row. Jobs of one id get the endings "-2", "-3".
KeptRows keep_latest_rows(std::vector<JobRecord>& records, const std::vector<LeftOut>& left_out);

/// Counts the runs that make no row, each once, though several files may tell of it. One that a
/// file tells as unfinished counts by what another one tells of its end. What is told again, also
/// of a run that makes a row, counts as kRepeatedRun.
OddityCounts counts_of_left_out(const std::vector<LeftOut>& left_out,
                                const std::vector<JobRecord>& records);

/// Slurm's account of a job whose log makes a record adds to that record, and makes none of its
/// own: its state, duration and energy as job_status, job_duration_s and job_energy_j, because
/// those of a log are of the training alone, and what the log does not say. The log has the name of
/// the job's id, or one that ends with it: "slurm-1809579", "gpt2-n4-1809579". Where several logs
/// have, the account stands alone. Of several accounts of an id, that with the GPUs of the log is
/// meant.
/// @returns A sentence on logs of which nothing tells the account; empty if there are none.
std::string join_accounts(std::vector<JobRecord>& records, const std::vector<LeftOut>& left_out);

/// A record of a job that has traces adds its columns to their rows, as a table of jobs does:
/// accounts or a trainer's log may stand beside the traces.
void join_records(const std::vector<DeviceRow>& devices, std::vector<JobRecord>& records,
                  JobFacts& facts);

/// Fills in the GPUs of runs of a Hugging Face Trainer that neither their logs nor their names nor
/// the tables of jobs state: as many as have batches of their own.
/// @returns A sentence on these runs; empty if there are none.
std::string fill_gpus_of_batches(std::vector<JobRecord>& records, const JobFacts& facts);

/// A sentence on runs whose number of GPUs nothing states; empty if there are none.
std::string without_gpus(const std::vector<JobRecord>& records, const JobFacts& facts);

/// Makes one of several rows of one GPU of a named node of a job, which come from files that were
/// not read together: copies count once, parts of the time or of the quantities are joined.
/// Rows whose samples overlap cannot be joined and stay.
/// @param devices  Sorted by job, node and GPU.
/// @returns A sentence on the rows that stay; empty if there are none.
std::string join_same_devices(std::vector<DeviceRow>& devices);

}  // namespace scalelaw
