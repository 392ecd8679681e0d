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

}  // namespace scalelaw
