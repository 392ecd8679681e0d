#pragma once

#include <memory>
#include <span>
#include <string>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/group_writer.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/table.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What all fits of one study have in common: the head of its report.
struct FitReport : StudyReport {
  FitOptions options;  ///< Law, standard error, confidence and the rest.
};

/// The head of a report on fits of `runs` under `options`; inputs, points, run and weights are for
/// the caller to add.
FitReport report_on(const GroupedCells& runs, const FitOptions& options);

/// A writer of fits.
///
/// JSON is the schema scalelaw.fit/1 of docs/cli.md. Below tables for people stands what each
/// warning that occurred means. The head of the report is written at once.
/// @throws DataError if a column is not known: it names the nearest one.
std::unique_ptr<GroupWriter<Fit>> make_fit_writer(FitReport report, const TableStyle& style,
                                                  TextSink sink);

/// All fits as one text, for small studies.
std::string render_fits(const FitReport& report, std::span<const GroupFit> fits,
                        const TableStyle& style = {});

}  // namespace scalelaw
