#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/csv.hpp"

namespace scalelaw {

/// What the cells of a column say about the end of a run.
enum class StateKind {
  kState,     ///< A word: COMPLETED, FAILED, ...
  kSuccess,   ///< Whether the run succeeded.
  kFailure,   ///< Whether it failed.
  kExitCode,  ///< A number, 0 for success; also Slurm's 0:0.
};

/// A column that tells which runs failed.
struct StateColumn {
  std::size_t place;
  StateKind kind;
};

/// The columns of a header that tell by their names which runs failed (state, status, success,
/// exit_code, ...), without those that have another use.
std::vector<StateColumn> state_columns(const Header& header, std::span<const std::size_t> used);

/// Whether a cell says that its run failed, or has not ended. Cells that say nothing known do not.
bool tells_failure(StateKind kind, std::string_view cell);

/// Whether a cell in place of a number says that the run failed: OOM, TIMEOUT, ...
bool is_failure_word(std::string_view cell);

/// A value of a column that made runs be left out.
struct Failure {
  std::string column;
  std::string value;
};

/// Adds a failure to those of a table, which are in order, each once; only the first hundred stay.
void add_failure(std::vector<Failure>& failures, const Failure& more);

/// "3 runs are left out: state is FAILED or TIMEOUT".
std::string failed_sentence(std::uint64_t runs, std::span<const Failure> failures);

}  // namespace scalelaw
