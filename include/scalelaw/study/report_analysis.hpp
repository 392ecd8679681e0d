#pragma once

#include <string>
#include <string_view>

#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/render/report_findings.hpp"
#include "scalelaw/study/predict_request.hpp"

namespace scalelaw {

/// What a report on a study asks for.
struct ReportRequest {
  StudyOptions study;
  double margin = 0.05;        ///< Exponents that differ by less count as equal.
  double max_slowdown = 0.05;  ///< Share of time that a recommended setting may cost.
  MeasureOptions measures;     ///< The columns that tell the energy.
  FootprintOptions footprint;
  /// The deadline, the budget of GPU-hours, and how large the job is that they are of.
  PredictRequest demands = {};
  std::string note;                 ///< Below the title: where the data come from.
  std::string_view published = {};  ///< The table of exponents to compare with.
  std::string kept_input = {};      ///< The file that keeps standard input; empty: it is not read.
};

/// Runs of a report, and how it is made.
struct ReportStudy {
  ReportRequest request;  ///< As it is answered: without rows that are not compared.
  GroupedCells runs;
  ReportOrigin origin;
};

/// Reads the runs of a report, and says what was chosen and what was left out. Runs of weak scaling
/// beside others are left out, because a page compares times of equal work.
/// @throws DataError if there is nothing to fit, more than a page can hold, or the responses have
/// no answer to the demands.
ReportStudy read_report(const ReportRequest& request, const CommandWhere& command,
                        const CallConditions& conditions);

/// Fits, ranks and forecasts every group, and measures what settings save. What is too large for a
/// page is left out: tests by bootstraps, points, and figures of every run. Adds to the origin
/// where the energy is from. Where the table has losses, a training run is planned within the
/// deadline and the budget.
ReportFindings analyse_report(ReportStudy& study, const CallConditions& conditions);

}  // namespace scalelaw
