#pragma once

#include <memory>
#include <string>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/forecasts.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on forecasts.
struct PredictReport : StudyReport {
  ForecastOptions options;
  OutlookOptions outlook;
  /// Where energy comes from: a column, or the power of a GPU in words. Empty if it is not known.
  std::string energy;
  Currency currency = {};       ///< Of the price of GPUs or nodes.
  std::string job = {};         ///< "the job of 90 epochs", "the job of 1T tokens"; else empty.
  std::string job_member = {};  ///< What the document calls its size: "epochs", "tokens".
  std::string deadline = {};    ///< "2 h", where the user gave a duration; else empty.
};

/// A writer of forecasts in any format. JSON is the schema scalelaw.predict/1 of
/// docs/reference/predict.md; CSV and tables have one row per group and x.
/// @throws DataError if `style` names an unknown column.
std::unique_ptr<GroupWriter<Outlook>> make_predict_writer(const PredictReport& report,
                                                          const TableStyle& style, TextSink sink);

/// Writes a backtest in any format, with one row per way of forecasting. JSON
/// (scalelaw.backtest/1) also has every hidden point.
/// @param hidden  How many scales were hidden.
/// @throws DataError if `style` names an unknown column.
void write_backtest(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                    const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
