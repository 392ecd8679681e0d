#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "scalelaw/input/csv.hpp"

namespace scalelaw {

/// What a column holds, as far as its name tells.
enum class ColumnRole {
  kOther,
  kScale,        ///< How many GPUs, processes, nodes, ... a run had.
  kTime,         ///< The duration of a run, an epoch or a step.
  kRate,         ///< A throughput: more is faster.
  kEnergy,       ///< Energy of a run or an epoch.
  kPower,        ///< Power that was drawn.
  kPowerLimit,   ///< Power that a device may draw.
  kClock,        ///< Clock frequency.
  kLoss,         ///< Loss of a model.
  kParameters,   ///< Number of parameters of a model.
  kTokens,       ///< Number of tokens or examples that a model was trained on.
  kCompute,      ///< Floating-point operations of a training.
  kBatchSize,    ///< Batch size.
  kProblemSize,  ///< Size of a problem: grid cells, atoms, matrix rows.
  kSetting,      ///< Another number that was chosen for a run: a sequence length, a degree.
  kCategory,     ///< A kind of run: model, data set, precision, variant.
  kSystem,       ///< The machine or cluster; its name often includes its size.
  kHardware,     ///< The kind of device.
  kRun,          ///< Which run a row belongs to.
  kRepeat,       ///< Which of several equal runs it is: a repeat or a seed.
  kEpoch,        ///< Which epoch or step of a run it is.
  kState,        ///< Whether a run succeeded.
  kTimestamp,    ///< A point in time.
  kRevision,     ///< Which commit or build of a program was run.
  kDerived,      ///< Computed from other columns: a scatter, a ratio, a speedup.
};

/// The role in the words of messages and documents: "scale", "batch size", ...
std::string_view name_of(ColumnRole role);

/// What the words of a column's name say.
struct ColumnMeaning {
  ColumnRole role = ColumnRole::kOther;
  /// The order of columns with the same role: those of lower rank are taken first, and those of
  /// equal rank are equally good.
  int rank = 0;
  /// One thing in the singular, such as "gpu": a column that tells its kind or its number. It is a
  /// scale only if its values are numbers.
  bool may_be_kind = false;
  bool per_epoch = false;  ///< Of one epoch.
  /// Taken only where nothing better is: a "speedup" for a rate, "cpus_per_task" for the scale, a
  /// lone "total" for a time.
  bool last_resort = false;
};

/// Times below this rank are of an epoch or a step.
inline constexpr int kRunRank = 20;
/// Times from this rank on are of one request, or of parts of a run; rates up to this rank are of
/// the whole.
inline constexpr int kLatencyRank = 50;
inline constexpr int kGoodRate = 3;

/// What columns of nights are called, in which one job is measured again and again.
inline constexpr std::string_view kNightColumns[] = {"night", "date",     "day",
                                                     "week",  "run_date", "nightly"};

/// Whether a column is called as one of these, letter by letter.
bool is_night_name(std::string_view header);

/// What a column holds by the words of its header cell.
ColumnMeaning meaning_of(std::string_view header);

/// Whether the last word of a name is what a scale counts, "rayon_threads", and no other one says
/// that they are counted for something else, "idle_nodes".
bool ends_in_scale(std::string_view header);

/// Whether a scale is a lone N or p, which may as well be the size of a problem.
bool is_lone_letter(const ColumnMeaning& meaning);

/// Whether a response of this meaning is a rate: a throughput, or a speedup.
bool is_rate(const ColumnMeaning& meaning);

/// Whether a column of this name holds versions of a program, such as "torch_version".
bool names_version(std::string_view header);

/// Whether a scale of this name may count what shares the work of a run, such as GPUs, nodes or
/// threads: false if its words say that it is a batch size, a clock, a size of the model or the
/// like. Without it a run has no efficiency, and no hours or power of one of several.
bool may_share_work(std::string_view header);

/// Whether a scale of this name may count GPUs or other accelerators: false if its words say that
/// it counts nodes, processes, threads, cores or the like.
bool may_count_gpus(std::string_view header);

/// Whether a scale of this name counts nodes or other hosts.
bool counts_nodes(std::string_view header);

/// Whether a word is what a scale counts: "gpu", "node", "thread".
bool names_scale(std::string_view word);

/// Whether a scale of this name counts who asks for work at the same time: clients, users,
/// connections. The time of a test with them is chosen, and says nothing.
bool counts_clients(std::string_view header);

/// Whether a name says how many tokens a step of all devices has: "tokens per step".
bool is_tokens_per_step(std::string_view header);

/// Whether a name says on which night or day a run was made: "date", "Night", "run_day".
bool names_night(std::string_view header);

/// Whether a name says that a column is the score of a benchmark: "accuracy", "mmlu".
bool names_score(std::string_view header);

/// Whether words about a table, such as its caption, say that it holds rates: "samples per second",
/// "throughput".
bool speaks_of_rates(std::string_view text);

/// Whether words about a table say that it holds speedups, and do not speak of times.
bool speaks_of_speedups(std::string_view text);

/// What a rate of this name is of, by the words around its "per".
struct RateName {
  std::string things = {};             ///< "tokens" of tokens_per_sec; empty without a "per".
  std::optional<double> seconds = {};  ///< Of the time that it is per; empty if it is not told.
  std::string place = {};              ///< Whose it is, "node" of tokens/s/node; empty: of all.
  bool of_one_device = false;          ///< Of one GPU or node, not of all.
};
RateName rate_name(std::string_view header);

/// How many of the work that a rate, a time or an energy is of are one of it: 1000 of "kTok/s" and
/// "s per 1000 steps", 3e11 of "time for 300B tokens"; 1 where the name does not tell.
double multiple_of_work(std::string_view header);

/// Whether a rate of this name is that of one unit of the scale `x`, "tokens/s/GPU" over GPUs or
/// "throughput per node" over nodes, so that all units have x times as much. Where x may count
/// GPUs, a device of any name is its unit.
bool is_rate_of_one(std::string_view header, std::string_view x);

/// The column that `name` means: the one with this header cell or label, else the one whose name
/// has the same words whatever their case, separators, plurals and units ("world_size" for "World
/// Size"), else the only one whose name has all of these words ("gpus" for "Total GPUs used").
/// Empty if there is none.
/// @throws ParseError if two columns have this very name; DataError naming the columns if several
/// have its words.
std::optional<std::size_t> find_column_by_words(const Header& header, std::string_view name,
                                                std::string_view source);

}  // namespace scalelaw
