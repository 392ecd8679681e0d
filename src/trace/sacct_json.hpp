#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trace/sacct_columns.hpp"

// What sacct --json writes (src/plugins/data_parser of SchedMD/slurm, parsers JOB and STEP; before
// 23.02 src/plugins/openapi/dbv0.0.36 to 38).
namespace scalelaw {

/// The fields of a job or step as sacct --parsable2 writes them, by SacctField.
using SacctCells = std::array<std::string, static_cast<std::size_t>(SacctField::kCount)>;

/// A job, and its steps behind it.
struct SacctJsonJob {
  SacctCells job;
  std::vector<SacctCells> steps;
};

/// Whether a text begins as the output of sacct --json.
bool begins_as_sacct_json(std::string_view head);

/// The jobs of a document. @throws ParseError if it is no JSON.
std::vector<SacctJsonJob> sacct_json_jobs(std::string_view text, std::string_view source);

}  // namespace scalelaw
