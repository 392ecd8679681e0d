#include "scalelaw/render/caps_report.hpp"

#include "render/caps_writers.hpp"

namespace scalelaw {

void write_caps(const CapsReport& report, std::span<const GroupCaps> groups, Format format,
                bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_caps_json(report, groups, sink);
    case Format::kJsonl:
      return write_caps_jsonl(report, groups, sink);
    case Format::kCsv:
    case Format::kTsv:
      return write_caps_rows(report, groups, format == Format::kTsv ? '\t' : ',', sink);
    case Format::kTable:
    case Format::kMarkdown:
    case Format::kLatex:
    case Format::kHtml:
      break;
  }
  write_caps_table(report, groups, format, colour, sink);
}

}  // namespace scalelaw
