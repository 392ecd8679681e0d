#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/judge/outlook.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on forecasts.
struct PredictReport : StudyReport {
  ForecastOptions options;
  OutlookOptions outlook;
  /// Where energy comes from: a column, or the power of a GPU in words; empty if it is not known.
  std::string energy;
};

using GroupOutlook = Grouped<Outlook>;

/// Writes forecasts in any format. JSON is the schema scalelaw.predict/1 of docs/cli.md; CSV and
/// tables have a row a group and x.
void write_predictions(const PredictReport& report, std::span<const GroupOutlook> outlooks,
                       Format format, bool colour, const TextSink& sink);

/// Writes a backtest in any format: a row a way of forecasting; JSON (scalelaw.backtest/1) has
/// every hidden point besides.
void write_backtest(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                    Format format, bool colour, const TextSink& sink);

std::string_view name_of(ForecastKind kind);

}  // namespace scalelaw
