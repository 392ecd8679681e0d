#include "scalelaw/render/fit_report.hpp"

#include <fmt/format.h>

#include "render/fit_writers.hpp"

namespace scalelaw {

FitReport report_on(const GroupedCells& runs, const FitOptions& options) {
  return {report_on(runs), options};
}

std::unique_ptr<FitWriter> make_fit_writer(FitReport report, FitStyle style, TextSink sink) {
  switch (style.format) {
    case Format::kJson:
      return make_json_fit_writer(std::move(report), std::move(sink));
    case Format::kJsonl:
      return make_jsonl_fit_writer(std::move(report), std::move(sink));
    case Format::kCsv:
    case Format::kTsv:
      return make_delimited_fit_writer(report, style, std::move(sink));
    case Format::kTable:
    case Format::kMarkdown:
    case Format::kLatex:
    case Format::kHtml:
      break;
  }
  return make_table_fit_writer(std::move(report), std::move(style), std::move(sink));
}

std::string render_fits(const FitReport& report, std::span<const GroupFit> fits,
                        const FitStyle& style) {
  std::string text;
  const auto writer =
      make_fit_writer(report, style, [&text](std::string_view piece) { text += piece; });
  for (const GroupFit& fit : fits) writer->write(fit);
  writer->finish();
  return text;
}

std::string_view name_of(StandardError se) {
  switch (se) {
    case StandardError::kClassic:
      return "classic";
    case StandardError::kHc0:
      return "hc0";
    case StandardError::kHc1:
      return "hc1";
    case StandardError::kHc2:
      return "hc2";
    case StandardError::kHc2Bm:
      return "hc2-bm";
    case StandardError::kHc3:
      return "hc3";
    case StandardError::kCluster:
      return "cluster";
    case StandardError::kCr2:
      return "cr2";
  }
  return "unknown";
}

std::string_view name_of(Robust robust) {
  switch (robust) {
    case Robust::kNone:
      return "none";
    case Robust::kHuber:
      return "huber";
    case Robust::kTheilSen:
      return "theil-sen";
  }
  return "unknown";
}

std::string_view name_of(BootstrapKind kind) {
  switch (kind) {
    case BootstrapKind::kWild:
      return "wild";
    case BootstrapKind::kWebb:
      return "webb";
    case BootstrapKind::kResidual:
      return "residual";
    case BootstrapKind::kCase:
      return "case";
  }
  return "unknown";
}

}  // namespace scalelaw
