#include "result_options.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array kFormats{Format::kTable, Format::kJson,     Format::kJsonl, Format::kCsv,
                              Format::kTsv,   Format::kMarkdown, Format::kLatex, Format::kHtml};

Format format_named(const std::string& name) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&name](Format format) { return scalelaw::name_of(format) == name; });
}

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

void add_result_options(CLI::App& command, ResultOptions& options) {
  std::vector<std::string_view> formats;
  formats.reserve(kFormats.size());
  for (const Format format : kFormats) formats.push_back(scalelaw::name_of(format));
  options.format_option =
      add_choice(command, "--format", options.format, formats,
                 "Format of the result; without it the ending of the output file tells")
          ->group("Result");
  command
      .add_option("-o,--output", options.output, "File of the result instead of standard output")
      ->type_name("FILE")
      ->group("Result");
}

void add_columns_option(CLI::App& command, ResultOptions& options) {
  command.add_option("--columns", options.columns, "Columns of the table or CSV in their order")
      ->type_name("LIST")
      ->group("Result");
}

TableStyle style_of(const ResultOptions& options, const GlobalOptions& global,
                    const Output& output) {
  return {.format = format_of(options),
          .columns = split(options.columns, ','),
          .colour = wants_colour(global.colour, output.is_terminal())};
}

Format format_of(const ResultOptions& options) {
  return options.format_option->count() == 0 ? format_of_file(options.output)
                                             : format_named(options.format);
}

}  // namespace scalelaw::cli
