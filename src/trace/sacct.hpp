#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/sample.hpp"
#include "trace/run_facts.hpp"
#include "trace/sacct_columns.hpp"

namespace scalelaw {

/// A job of Slurm's accounting, with what its steps tell.
struct AccountedJob {
  std::string id;      ///< JobID: of an array's task "5908801_3".
  std::string raw_id;  ///< JobIDRaw, by which a monitor may know the task; may be empty.
  std::string state;   ///< "COMPLETED"; empty without such a column.
  RunIdentity identity = {};
  std::uint64_t line = 0;  ///< Where its row stands.
  RowFacts facts;          ///< In the order of their columns.

  /// The text of a fact; empty without it.
  std::string_view fact(std::string_view name) const;
  /// Whether it ended, and as it should. True where the table says nothing of it.
  bool is_completed() const;
  /// Whether it waits or runs, so that it has no duration yet.
  bool is_unfinished() const;
};

/// Whether a text begins as the output of sacct --parsable2 or --parsable, with any delimiter, with
/// or without a header.
bool begins_as_sacct(std::string_view head);

/// The jobs in the output of sacct, in its order. Steps are no jobs: they add the energy that the
/// row of their job lacks. A job that was requeued has several rows.
/// @param columns  Names of the columns of a text without a header; if empty, what the cells hold
/// tells them.
/// @throws DataError if there is neither a header nor cells that tell the columns.
std::vector<AccountedJob> read_sacct(ByteStream& in, std::string_view source,
                                     std::span<const std::string> columns, TraceNotes& notes);

}  // namespace scalelaw
