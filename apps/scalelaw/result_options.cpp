#include "result_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace scalelaw::cli {
namespace {

constexpr std::array kFormats{Format::kTable, Format::kJson,     Format::kJsonl, Format::kCsv,
                              Format::kTsv,   Format::kMarkdown, Format::kLatex, Format::kHtml};

/// The format that the ending of a file name asks for; a table where it asks for none.
std::string format_of_file(std::string_view path) {
  static constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {".json", "json"},   {".jsonl", "jsonl"}, {".csv", "csv"},  {".tsv", "tsv"},
      {".md", "markdown"}, {".tex", "latex"},   {".html", "html"}};
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return std::string(format);
  }
  return "table";
}

}  // namespace

void add_format_option(CLI::App& command, std::string& format) {
  std::vector<std::string_view> formats;
  formats.reserve(kFormats.size());
  for (const Format each : kFormats) formats.push_back(scalelaw::name_of(each));
  add_choice(command, "--format", format, formats,
             "Format of the result; without it the ending of the output file tells")
      ->group("Result");
}

void add_output_option(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "File of the result instead of standard output")
      ->type_name("FILE")
      ->group("Result");
}

void settle_format(const CLI::App& command, const std::string& output, std::string& format) {
  if (command.count("--format") == 0) format = format_of_file(output);
}

Format format_named(const std::string& name) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&name](Format format) { return scalelaw::name_of(format) == name; });
}

}  // namespace scalelaw::cli
