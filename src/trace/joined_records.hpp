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

/// Several files may tell of one run in the same words: accounts of overlapping months, the two
/// logs of a monitor.
/// @returns The ids of the runs whose other rows were left out, one for each of these: those of
/// accounts and of CodeCarbon, because the logs of carbontracker repeat one another always.
std::vector<std::string> drop_repeated_records(std::vector<JobRecord>& records);

/// Accounts that overlap, such as those of two months, may tell of one job in different words, as
/// its cells were filled later: the row that ended last counts, then that with most cells. So do
/// copies of CodeCarbon's emissions.csv. Rows of one id that were submitted at different times are
/// of different jobs.
/// @returns The ids of the jobs whose other rows were left out, one for each of these.
std::vector<std::string> drop_earlier_accounts(std::vector<JobRecord>& records);

/// Counts the runs that make no row, each once, though several files may tell of it. One that a
/// file tells as unfinished counts by what another one tells of its end, and not at all if it makes
/// a row.
OddityCounts counts_of_left_out(const std::vector<LeftOut>& left_out,
                                const std::vector<JobRecord>& records);

/// Slurm's account of a job whose log makes a record adds to that record, and makes none of its
/// own: its state, duration and energy as job_status, job_duration_s and job_energy_j, because
/// those of a log are of the training alone, and what the log does not say. The log has the name of
/// the job's id, or one that ends with it: "slurm-1809579", "gpt2-n4-1809579". Where several logs
/// have, the account stands alone.
void join_accounts(std::vector<JobRecord>& records);

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

}  // namespace scalelaw
