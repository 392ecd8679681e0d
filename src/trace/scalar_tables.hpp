#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/trace/format.hpp"

// The CSV of a scalar that TensorBoard's page offers. A run has a file per scalar, and those that
// are given are read together.
namespace scalelaw {

/// The run of such a file whose name has it ("run-bert-tag-loss.csv"); empty for any other file.
std::string run_of_scalar_table(const std::string& path);

/// The record of a run from its files in order of their names; the first one stands for it.
std::vector<JobRecord> read_scalar_tables(std::span<const std::string> paths,
                                          const TraceOptions& options, TraceNotes& notes);

}  // namespace scalelaw
