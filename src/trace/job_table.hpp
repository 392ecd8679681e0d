#pragma once

#include <string>
#include <vector>

#include "scalelaw/trace/ingest.hpp"
#include "trace/job_facts.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw {

/// Makes the run table from devices (sorted by job, node and GPU) and records.
/// @param trimmed  Idle samples were trimmed, and a column counts them.
RunTable run_table(const std::vector<DeviceRow>& devices, const std::vector<JobRecord>& records,
                   const JobFacts& facts, IngestRows rows, bool trimmed);

/// Marks GPUs that differ from the others of their job. The devices are sorted by job.
void mark_deviants(std::vector<DeviceRow>& devices);

/// Sentences on jobs whose samples need a check: GPUs that differ from the rest of their job, nodes
/// that disagree, gaps; and on jobs of which only a part was measured, which therefore have no
/// energy.
std::vector<std::string> quality_warnings(const std::vector<DeviceRow>& devices,
                                          const JobFacts& facts = {});

/// A sentence on rows with less than 5 W or more than 2,000 W per GPU, which point at another unit
/// or number of GPUs; empty if there are none.
std::string implausible_power_warning(const RunTable& table);

}  // namespace scalelaw
