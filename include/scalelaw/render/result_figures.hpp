#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/budget_report.hpp"
#include "scalelaw/render/figure.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "scalelaw/render/history_report.hpp"
#include "scalelaw/render/isoflop_report.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/tail/tail.hpp"

namespace scalelaw {

/// The estimates of kept fits with their intervals, one line per group. Groups that changed have
/// their levels drawn.
Figure history_figure(const HistoryReport& report, const std::vector<GroupHistory>& groups);
/// One panel per group of a table of nights: each night, and the levels.
Figure nights_figure(const GateReport& report, const std::vector<FigureHistory>& figures);

/// Four panels over recurrences: what was spent so far in cost, energy and time, over what the
/// default knobs are expected to take, and the regret against the oracle; one line per case with
/// the interval of its mean over seeds. Cases without a result are left out.
/// @throws DataError if no case has a result.
Figure replay_figure(const ReplayStudyReport& study);

/// The content of a figure of a surface.
struct DrawnSurface {
  GroupKey group;
  std::vector<double> n;  ///< The runs.
  std::vector<double> d;
  std::vector<double> y;
  Fit fit;
};

/// The response against the compute K * n * d: the runs, the law along some values of the first
/// scale, and the least value that each compute can reach, with its interval, up to ten times the
/// greatest compute. This least value is left out if an exponent is not positive.
Figure surface_figure(const StudyReport& report, const DrawnSurface& surface);

/// The content of a figure of IsoFLOP profiles.
struct DrawnIsoflop {
  GroupKey group;
  SurfaceRuns runs;
  Isoflop isoflop;  ///< Judged at computes along the axis, which make the lines.
};

/// Two panels: the losses of each budget over the first scale with the fitted profiles and their
/// minima, and the best value of that scale over the compute by each approach, with the interval of
/// the answer. Without budgets the first panel is left out.
Figure isoflop_figure(const IsoflopReport& report, const DrawnIsoflop& drawn);

/// The least loss over the time and over kWh (else GPU-hours, else FLOP), and the plan among them.
Figure budget_figure(const BudgetReport& report, const GroupKey& group, const Budget& budget);

/// A tail with what its figure draws.
struct DrawnTail {
  GroupKey group;
  Tail tail;
  TailCurve sample;  ///< Share of the values >= x.
  TailCurve power_law;
  std::vector<TailCurve> alternatives;  ///< As many as the tail has; empty: not drawn.
};

/// Shares of values >= x over x, both logarithmic, where a power law is a straight line: the
/// sample, the power law from x_min on, and the alternatives. One panel per group, the first few.
///
/// @param column  Of the values.
Figure tail_figure(const std::string& column, std::span<const DrawnTail> tails);

}  // namespace scalelaw
