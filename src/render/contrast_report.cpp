#include "scalelaw/render/contrast_report.hpp"

#include "render/contrast_writers.hpp"
#include "render/delimited_rows.hpp"

namespace scalelaw {

ContrastReport contrast_report(StudyReport study, const GroupedCells& runs,
                               const ContrastOptions& options) {
  const auto factors = runs.factors();
  study.by.resize(study.by.size() - factors.size());
  return {.study = std::move(study),
          .factors = std::vector<std::string>(factors.begin(), factors.end()),
          .options = options};
}

void write_contrasts(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                     Format format, bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_contrast_json(report, contrasts, sink);
    case Format::kJsonl:
      return write_contrast_jsonl(report, contrasts, sink);
    case Format::kCsv:
    case Format::kTsv:
      return write_contrast_rows(report, contrasts, separator_of(format), sink);
    case Format::kTable:
    case Format::kMarkdown:
    case Format::kLatex:
    case Format::kHtml:
      break;
  }
  write_contrast_table(report, contrasts, format, colour, sink);
}

}  // namespace scalelaw
