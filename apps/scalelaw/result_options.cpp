#include "result_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace scalelaw::cli {

std::span<const Format> table_formats() {
  static constexpr std::array kFormats{Format::kTable, Format::kJson, Format::kJsonl,
                                       Format::kCsv,   Format::kTsv,  Format::kMarkdown,
                                       Format::kLatex, Format::kHtml};
  return kFormats;
}

std::optional<Format> format_of_file(std::string_view path, std::span<const Format> formats) {
  static constexpr std::pair<std::string_view, Format> kEndings[] = {
      {".json", Format::kJson}, {".jsonl", Format::kJsonl}, {".csv", Format::kCsv},
      {".tsv", Format::kTsv},   {".md", Format::kMarkdown}, {".tex", Format::kLatex},
      {".html", Format::kHtml}, {".xml", Format::kJunit}};
  for (const auto& [ending, format] : kEndings) {
    const bool has_it = std::find(formats.begin(), formats.end(), format) != formats.end();
    if (has_it && path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

void add_result_options(Options& command, ResultOptions& options) {
  std::vector<Named<Format>> formats;
  for (const Format format : options.formats)
    formats.push_back({scalelaw::name_of(format), format});
  command.group("Result");
  command.choice("--format", options.format, formats,
                 "Format of the result; without it the ending of the output file tells",
                 Format::kTable);
  command.text("-o,--output", options.output, "FILE",
               "File of the result instead of standard output");
}

void add_columns_option(Options& command, ResultOptions& options) {
  command.group("Result");
  command.text("--columns", options.columns, "LIST", "Columns of the table or CSV in their order");
}

void add_strict_option(Options& command, ResultOptions& options, const std::string& help) {
  command.flag("--strict", options.strict, help);
}

Format format_of(const ResultOptions& options) {
  if (options.format) return *options.format;
  return format_of_file(options.output, options.formats).value_or(Format::kTable);
}

}  // namespace scalelaw::cli
