#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/law.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What a person calls one unit of the scale, told by the words in the column's name: "GPU",
/// "node", "process". Empty where they tell nothing.
std::string unit_of_scale(std::string_view x);

/// What a person calls a scale that is set and not counted: "batch size", "learning rate". Empty
/// for other scales.
std::string setting_of_scale(std::string_view x);

/// What has the power and the hours of N t over x: "GPU", "node", "unit of p"; "run" where x is a
/// setting.
std::string worker_of_scale(std::string_view x);
/// What its time is counted in: "GPU-hours", "node-hours", "hours".
std::string hours_of_scale(std::string_view x);
/// The heading of its power: "W per GPU", "P [W]".
std::string watts_title(std::string_view x);

/// "N t", the time of all that share the work; "t" where x is a setting.
std::string_view time_of_all(std::string_view x);

/// Units as a person says them: "GPUs", "nodes", "batch sizes"; else the name of the column.
std::string units_of_scale(std::string_view x);

/// What is doubled: "the GPUs", "the batch size"; else the name of the column.
std::string the_scale(std::string_view x);

/// "number of GPUs", "batch size"; else "value of size".
std::string noun_of_scale(std::string_view x);

/// "the number of GPUs", "the batch size"; else the name of the column.
std::string number_of_units(std::string_view x);

/// "all numbers of GPUs", "all batch sizes"; else "all values of size".
std::string all_scales(std::string_view x);

/// What several of them are: "numbers of GPUs", "batch sizes"; else "values of size".
std::string several_scales(std::string_view x);

/// A place of the scale: "424 GPUs", "1 node", "a batch size of 64"; else "x = 424".
std::string place_on_scale(std::string_view x, double value);

/// The same at the beginning of a sentence.
std::string place_as_subject(std::string_view x, double value);

/// Whether that is one thing, for the verb behind it.
bool is_one_place(std::string_view x, double value);

/// "2 to 424 GPUs", "batch sizes from 16 to 256"; else "x = 2 to 424". One place where both are the
/// same.
std::string range_on_scale(std::string_view x, double least, double greatest);

/// A place between the measured ones: "the middle (5.7 GPUs)", "the middle (x = 5.7)".
std::string middle_of_scale(std::string_view x, double value);

/// That runs at larger scales do more work, by the column that tells it: "The work of a run grows
/// with the number of GPUs ('batch_size')".
std::string growing_work_clause(std::string_view x, std::string_view growing_work);

/// "In TorchTitan the work of a run grows with the number of GPUs ('batch_size'), so ...".
std::string partly_growing_work_sentence(std::span<const std::string> by, std::string_view x,
                                         const PartlyGrowingWork& part);

/// What times that do not fall may mean, where nothing tells the work of a run.
std::string flat_times_sentence(std::string_view x);

/// That y is a rate of one unit of x, and speedups are those of all units.
std::string rate_of_one_sentence(std::string_view y, std::string_view x);

/// What was measured: "the time of an epoch" for epoch_seconds; else the name of the column.
std::string measured_noun(std::string_view y, Response response);

/// The work that a measured time is of, told by the words in its column's name: "epoch", "step",
/// "iteration", "run"; empty where they tell none.
std::string work_in(std::string_view y);

/// "1 group is", "3 groups are": things with the verb of one or of several.
std::string counted(std::size_t count, std::string_view noun, std::string_view one,
                    std::string_view several);

/// Sentences without those that are empty.
std::vector<std::string> told(std::vector<std::string> sentences);

/// `text` with a capital letter at its beginning.
std::string capitalised(std::string text);

/// "an epoch", "a run".
std::string with_article(std::string_view noun);

/// A large number as people say it: "7B", "2.55B", "131M"; small ones as they are.
std::string short_count(double value);

/// "1e21", "3.162e18".
std::string compute_text(double compute);

/// "1e21 FLOP".
std::string compute_words(double compute);

/// Three digits, with a power of ten if the number is large: such scales span decades.
std::string scale_digits(double value);

/// A value of a scale with its noun: "7B parameters", "8 GPUs", "width = 512".
std::string size_text(const std::string& column, double value);

/// "the loss", "the time of an epoch"; else the name of the column.
std::string response_noun(const std::string& y);

/// "0.42 %", of an error in ln y.
std::string relative_error_text(double log_error);

/// A column with the unit of its values: "Epoch time [min]", "epoch_seconds [s]"; the name alone
/// where it is the unit or has it in brackets, as "seconds" and "time [s]", or none is known.
/// @param unit  Of its cells, where the name has none.
std::string axis_label(const std::string& column, const std::string& unit);

/// The same for words and tables, where the name alone is enough if any of its words is the unit:
/// "epoch_seconds".
std::string label_with_unit(const std::string& column, const std::string& unit);

/// "power_cap_w" of value 250: "250 W".
std::string value_with_unit(const std::string& column, const std::string& value);

/// The same for any column: "250 W", "16 GPUs", "BERT", "batch size 64", "rank 3".
std::string said_value(const std::string& column, const std::string& value);

/// A group as a person names it: "BERT, 250 W, 16 GPUs"; "all runs" without group columns.
std::string said_group(std::span<const std::string> by, const GroupKey& group);

/// The change from 1 to `ratio` in percent, without sign: 45 for 0.55, 7.2 for 1.072.
std::string change_in_percent(double ratio);

/// The same for both ends of an interval: "44 to 46 %", the smaller one first. Where the interval
/// includes no change: "2.0 % less to 3.1 % more".
std::string change_in_percent(const Interval& ratios);

/// The words of sentences about a response, by what it is.
struct ResponseWords {
  std::string noun;          ///< "time", "rate", "loss"; a name where none tells it: "accuracy".
  std::string several;       ///< "times", "values of accuracy".
  std::string_view best;     ///< "shortest", or of a rate "highest".
  std::string_view have;     ///< "take", "give": what runs do.
  std::string_view worsens;  ///< "takes longer", "falls".
  std::string_view more;     ///< "slower", "higher": what more of it is.
  std::string_view good;     ///< "fast": a night of good values.
  /// How runs of two levels compare: those with {0} have {1} times the noun {3} of those with {2}.
  std::string_view ratio;
};

/// Those of a column by its kind and whether less of it is better. What no name tells is a time, or
/// a rate where it is fitted as one.
ResponseWords words_of(const std::string& y, Kind kind, Response response);
ResponseWords words_of(const StudyReport& study, Response response);
/// Those of a column of which the name alone is known.
ResponseWords words_of(const std::string& y, Response response);

/// Whether the columns stand in a formula by their names: x is no number of GPUs, processes or
/// nodes, and both names are one word.
bool is_named_in_formula(std::string_view x, std::string_view y);

/// A law in the names of its columns, "loss = alpha * flops^(-beta)", where they can stand in it.
std::string named_formula(const Law& law, const StudyReport& study, Response response);

/// A law in its own letters of times and rates, else that with names: "L = alpha * N^(-beta)".
std::string formula_of(const Law& law, const StudyReport& study, Response response);

}  // namespace scalelaw
