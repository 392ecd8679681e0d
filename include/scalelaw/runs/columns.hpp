#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/quantity.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {

/// The names of the columns that a reading uses.
struct ChosenColumns {
  std::string x;
  std::string y;
  std::vector<std::string> by;
  std::size_t factors = 0;  ///< How many of the last names in `by` are factors.
  std::string run;          ///< Empty if unused.
  std::string weights;      ///< Empty if unused.
  /// Usual group columns that were neither requested nor filtered: groups pool their values.
  std::vector<std::string> pooled = {};
  std::string unused_run =
      {};                   ///< A column `run` or `job_id` that exists but is not used; or empty.
  Quantity quantity = {};   ///< What y is about, and the columns that it is multiplied by.
  std::string losses = {};  ///< The call that fits the losses of a table beside x and y that were
                            ///< chosen; empty without losses over two scales.
};

/// No name of a column says that it is the scale, or the time or rate.
class NoColumnError : public DataError {
 public:
  using DataError::DataError;
};

/// No column is the scale, but the names of several columns say what they count, "1 GPU,2 GPUs": a
/// wide table, which TextLayout::wide with scale() reads.
class WideTableError : public DataError {
 public:
  WideTableError(const std::string& message, std::string scale, std::string reading)
      : DataError(message), scale_(std::move(scale)), reading_(std::move(reading)) {}
  const std::string& scale() const { return scale_; }
  /// "the columns 1 GPU, 2 GPUs are read as with --wide gpus ...".
  const std::string& reading() const { return reading_; }

 private:
  std::string scale_;
  std::string reading_;
};

/// Takes the columns that `options` name, and chooses the others by the words of their names
/// (docs/reference/tables.md).
/// @param profile  What sampled rows hold, so that a text is no scale and a column with one value
/// no group; nullptr: the names alone decide.
/// @throws WideTableError if the table is wide by its names alone.
/// @throws DataError naming the nearest column and the list, if a column does not exist or none
/// fits; naming the candidates, if several are equally good.
ChosenColumns choose_columns(const Header& header, const RunOptions& options,
                             std::string_view source, const TableProfile* profile = nullptr);

/// What TextLayout::suits asks: whether the names of a table hold the columns that the options
/// name, and otherwise tell a scale and a time or a rate, or a loss and its scale. It keeps the
/// options by reference.
std::function<bool(const std::vector<std::string>& names)> is_table_of(const RunOptions& options);

/// The column that tells that runs at larger scales do more work (weak scaling): a batch or problem
/// size that rises with x in most groups, where times do not fall as those of equal work do. An
/// empty name if there are such sizes and none tells it; nothing without a size, x or y.
std::optional<std::string> growing_work(const TableProfile& profile, const ChosenColumns& columns);
/// The columns whose product says how much work is in what y is of, where that differs between
/// runs of one group, whatever their factors and x: tokens, else samples, else steps; of a time of
/// one step the batch, where it differs at one x. Empty where the work is equal or is not known.
std::vector<std::string> unequal_work(const TableProfile& profile, const ChosenColumns& columns);

/// growing_work() by group; nothing where the work grows in all groups or in none.
std::optional<PartlyGrowingWork> partly_growing_work(const TableProfile& profile,
                                                     const ChosenColumns& columns);

/// The columns that may be the scale, best first: one, or several that are equally good. Empty if
/// none is.
/// @param taken  A column that has another use.
std::vector<std::string> scale_columns(const Header& header, const std::string& taken,
                                       const TableProfile* profile);

/// Columns that may be the response, and what they are.
struct ResponseColumns {
  std::vector<std::string> names;        ///< One, or several that are equally good.
  ColumnRole role = ColumnRole::kOther;  ///< Time, rate or loss; other without any.
};
/// The columns that may be the response: times, else rates, else losses.
ResponseColumns response_columns(const Header& header, const std::string& taken,
                                 const TableProfile* profile);

/// The columns of a table of losses over parameters and tokens, of which a compute may give one.
struct LossColumns {
  std::string n;        ///< Parameters; where the compute gives these, tokens.
  std::string tokens;   ///< Empty: the compute gives the other scale.
  std::string compute;  ///< Empty where tokens are known.
  std::string loss;
};
/// Empty if a table lacks one of them, or several columns are equally good.
/// @param y  The column of the loss; empty: the one that is named so.
std::optional<LossColumns> loss_columns(const Header& header, const TableProfile* profile,
                                        const std::string& y = {});
/// The columns of a table with losses at three or more values of parameters and of tokens, or else
/// of compute: what look proposes to fit, and what other commands point to. Where no name says so,
/// N and D are parameters and tokens if their values are as great.
std::optional<LossColumns> losses_over_two_scales(const TableProfile& profile);

/// The columns of a loss, one or several that are equally good.
std::vector<std::string> losses_of(const Header& header, const TableProfile* profile);

/// The only scale of a table of losses: parameters, tokens, compute or steps, the first of them
/// that has three values or more. Empty without a loss or one of these, and where another column is
/// a scale or a setting that varies.
std::string loss_scale(const Header& header, const TableProfile& profile);

/// Whether a reading uses a column.
bool is_used(const ChosenColumns& columns, const std::string& column);

/// Whether a column of few values varies within a group at one x although it is in no role, so that
/// a fit takes unlike runs for alike ones.
bool is_ungrouped(const TableProfile& profile, const ChosenColumns& columns,
                  const ColumnProfile& column);
/// The columns of which that is so.
std::vector<std::string> ungrouped_columns(const TableProfile& profile,
                                           const ChosenColumns& columns);

/// The place of a column that must exist. @throws DataError naming the nearest column and the list.
std::size_t required_column(const Header& header, std::string_view name, std::string_view source);

/// The name as the header spells it, where the user's has only the same words; else as it is.
/// @throws DataError if its words fit several columns.
std::string spelled_column(const Header& header, const std::string& name, std::string_view source);

/// What the usual names of columns stand for (docs/reference/tables.md).
enum class UsualColumn {
  kScale,
  kGpus,  ///< Names of the scale that count GPUs. A node or worker may have several GPUs or none.
  kTime,
  kGroup,
  kEnergy,
  kEpochEnergy,  ///< Energy per epoch.
  kPower,        ///< Mean power of one GPU.
  kPowerLimit,   ///< Power limit of one GPU.
  kBatchSize,    ///< Batch size of training.
  kHardware,
  kRun,
  kClock,
};

/// The column that a header has under the first of the usual names; empty if there is none, or if
/// several are equally good.
std::optional<std::string> usual_column(const Header& header, UsualColumn what);

/// The columns that are meant by what was measured (an energy, a power): those that have numbers
/// above 0 and vary come before others. One, or several that are equally good; empty if none is.
std::vector<std::string> measured_columns(const Header& header, UsualColumn what,
                                          const TableProfile& profile);

/// What is asked for by the energy that belongs to a column of times: per epoch if the time is.
UsualColumn usual_energy(std::string_view time);

/// The usual column of that energy.
std::optional<std::string> usual_energy_column(const Header& header, std::string_view time);

/// The power caps and clocks of a table, those that vary before others: if one varies, only those
/// that do.
std::vector<std::string> setting_columns(const Header& header, const TableProfile* profile);

/// The only one of `columns`. @throws DataError that offers `option` with each if there are
/// several.
/// @param option  Names one: "-x", "--energy".
std::string only_column(const std::vector<std::string>& columns, std::string_view option,
                        std::string_view source);

/// Whether a column's name is a usual one, with or without a unit.
bool is_usual_name(std::string_view column, UsualColumn what);

/// What y is about, and by which columns of work it is multiplied or divided: those that tell the
/// work of a job (ToldQuantity::work), or that grows with x where y is a rate of steps.
/// @param columns  x, y and groups; another y may be taken for a job if the user named none.
/// @param product  y, with the columns by which the user wants it multiplied or divided.
/// @throws DataError if the table does not tell the work of a job.
void choose_quantity(const Header& header, const TableProfile* profile, const RunOptions& options,
                     std::string_view source, const Product& product, ChosenColumns& columns);

/// "it/s * global_batch" of a response with columns of its work, else the name of its column.
std::string response_name(const std::string& y, const Quantity& quantity);

/// "x: gpus, y: epoch_seconds, by: model".
std::string description_of(const ChosenColumns& columns);

}  // namespace scalelaw
