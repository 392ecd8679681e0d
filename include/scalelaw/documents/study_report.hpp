#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What every report on the groups of a run table says first.
struct StudyReport {
  std::vector<std::string> inputs;  ///< As the user named them.
  std::string x;                    ///< Column of the scale.
  std::vector<std::string> scales;  ///< Columns of x where the law takes two; else empty.
  /// Of laws of several x: a product of both times this is a training's compute.
  double flops_per_parameter_token = 6;
  std::string y;       ///< Column of the response.
  std::string y_unit;  ///< Its unit; empty if it is not known.
  Quantity quantity;   ///< What y is about.
  /// The column by which the work of a run grows with x, where y is the time of that work: then
  /// times at different x do not compare as speedups do. Empty if none tells it.
  std::string growing_work;
  /// Groups in which the work grows where it does not in others.
  std::optional<PartlyGrowingWork> partly_growing_work = {};
  std::vector<std::string> by;  ///< Group columns; every GroupKey has as many values.
  Points points = Points::kEach;
  std::string run;      ///< Column of the run; empty if none.
  std::string weights;  ///< Column of the weights; empty if none.
  RowCounts rows;
  std::vector<std::string> warnings;  ///< Sentences about the study as a whole.
};

/// What all fits of one study have in common: the head of its report.
struct FitReport : StudyReport {
  FitOptions options;  ///< Law, standard error, confidence and the rest.
};

/// The head of a report on `runs`; inputs, points, run, weights and growing_work are for the caller
/// to add.
StudyReport report_on(const GroupedCells& runs);

/// The head of a report on fits of `runs` under `options`; inputs, points, run and weights are for
/// the caller to add.
FitReport report_on(const GroupedCells& runs, const FitOptions& options);

/// StudyReport::growing_work of runs whose y is taken as that response.
std::string growing_work_of(const GroupedCells& runs, Response response);
/// The same of StudyReport::partly_growing_work.
std::optional<PartlyGrowingWork> partly_growing_work_of(const GroupedCells& runs,
                                                        Response response);

/// "model BERT, power_cap_w 250"; "all runs" without group columns.
std::string group_name(std::span<const std::string> by, const GroupKey& group);
std::vector<std::string> names_of_groups(std::span<const std::string> by,
                                         std::span<const GroupKey> groups);

/// The name as the command line spells it.
std::string_view name_of(Points points);

}  // namespace scalelaw
