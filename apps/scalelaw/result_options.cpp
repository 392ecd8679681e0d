#include "result_options.hpp"

#include <array>
#include <utility>

#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array kFormats{Format::kTable, Format::kJson,     Format::kJsonl, Format::kCsv,
                              Format::kTsv,   Format::kMarkdown, Format::kLatex, Format::kHtml};

/// The format that the ending of a file name asks for; a table where it asks for none.
Format format_of_file(std::string_view path) {
  static constexpr std::pair<std::string_view, Format> kEndings[] = {
      {".json", Format::kJson}, {".jsonl", Format::kJsonl}, {".csv", Format::kCsv},
      {".tsv", Format::kTsv},   {".md", Format::kMarkdown}, {".tex", Format::kLatex},
      {".html", Format::kHtml}};
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return format;
  }
  return Format::kTable;
}

}  // namespace

void add_result_options(Options& command, ResultOptions& options) {
  command.group("Result");
  command.choice("--format", options.format, named(kFormats),
                 "Format of the result; without it the ending of the output file tells",
                 Format::kTable);
  command.text("-o,--output", options.output, "FILE",
               "File of the result instead of standard output");
}

void add_columns_option(Options& command, ResultOptions& options) {
  command.text("--columns", options.columns, "LIST", "Columns of the table or CSV in their order");
}

TableStyle style_of(const ResultOptions& options, const GlobalOptions& global,
                    const Output& output) {
  return {.format = format_of(options),
          .columns = split(options.columns, ','),
          .colour = wants_colour(global.colour, output.is_terminal())};
}

Format format_of(const ResultOptions& options) {
  return options.format.value_or(format_of_file(options.output));
}

}  // namespace scalelaw::cli
