#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// One column of a table, as `scalelaw look` shows it.
struct LookColumn {
  std::string name;  ///< The header cell.
  std::string kind;  ///< "number", "duration", "text", "mixed" or "empty".
  std::string unit;  ///< Empty if it is not known.
  std::string role;  ///< What its name says: "scale", "time", "category", ...; "other".
  std::string use;   ///< "x", "y", "group", "run", "energy", "power", "setting", "maybe x", "maybe
                     ///< y" where several columns are equally good; empty: none.
  std::string why;   ///< Why it has this use.
  std::uint64_t values = 0;  ///< Different values in the sample.
  bool many = false;         ///< There are more than that.
  std::uint64_t missing = 0;
  bool undecided = false;     ///< Nothing tells whether "1,234" in it is 1234 or 1.234.
  std::optional<double> min;  ///< Of numbers; empty if these are undecided.
  std::optional<double> max;
  std::vector<std::string> first_values = {};  ///< Of texts, in their order, each whole.
};

/// Something that a reader should know of a table before anything is fitted.
struct LookFinding {
  std::string code;  ///< "repeats", "epochs", "gaps", "outliers", ...
  std::string sentence;
};

/// A call that suits a table.
struct NextCommand {
  std::string command;  ///< For a shell, complete.
  std::string purpose;
};

/// What a table is.
struct TableLook {
  std::vector<std::string> inputs;
  std::string answer;  ///< One or two sentences.
  /// Of all tables where `counted`, else of the sample; without those that conditions or failed
  /// runs leave out.
  std::uint64_t rows = 0;
  std::uint64_t all_rows = 0;  ///< With those of failed runs and those that --where leaves out.
  bool counted = false;        ///< Whether all rows were read.
  std::uint64_t sampled = 0;   ///< Rows from which the columns are told.
  std::vector<LookColumn> columns;
  std::string x;                    ///< Empty if no column is a scale, or several may be.
  std::vector<std::string> scales;  ///< The two scales of a loss,
  std::string unique;               ///< and the tokens that are not repeated; empty: not told.
  /// A setting of a loss, such as the learning rate, that many cells of sizes were run with several
  /// values of; empty: none.
  std::string sweep;
  std::string y;  ///< Empty if no column is a response, or several may be.
  /// Columns that may equally well be x, or y; empty where one is the best.
  std::vector<std::string> equal_xs;
  std::vector<std::string> equal_ys;
  std::string response;         ///< "time", "rate", "loss", or empty.
  Quantity quantity;            ///< What y is about.
  std::vector<std::string> by;  ///< Groups that are suggested.
  /// Of these, the ones that only their values tell: other commands do not group by them unless
  /// they are named.
  std::vector<std::string> by_values;
  std::string run;           ///< Column whose rows are to be averaged; empty: none.
  std::string energy;        ///< Empty if no column tells it.
  std::string other_energy;  ///< Of a run beside the time of an epoch, or the other way round.
  std::string power;         ///< Of a time; empty if no column tells it.
  std::vector<std::string> settings;
  std::string scaling;     ///< "strong", "weak", or empty where it cannot be told.
  bool one_scale = false;  ///< All rows are at one x, so that no law can be fitted.
  std::vector<LookFinding> findings;
  std::vector<NextCommand> next;
};

/// Looks at run tables before anything is fitted: columns from a sample of at most 1 MiB,
/// rows, repeats and gaps from all rows.
/// @param options  Rows, and columns that the user chose; the others are chosen.
/// @throws ParseError, DataError if a table has no header or cannot be read.
TableLook look_at(const std::vector<std::string>& inputs, const RunOptions& options);

}  // namespace scalelaw
