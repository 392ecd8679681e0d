#include "result_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {

std::span<const Format> table_formats() {
  static constexpr std::array kFormats{Format::kTable, Format::kJson, Format::kJsonl,
                                       Format::kCsv,   Format::kTsv,  Format::kMarkdown,
                                       Format::kLatex, Format::kHtml};
  return kFormats;
}

namespace {

constexpr std::pair<std::string_view, Format> kEndings[] = {
    {".json", Format::kJson}, {".jsonl", Format::kJsonl}, {".csv", Format::kCsv},
    {".tsv", Format::kTsv},   {".md", Format::kMarkdown}, {".tex", Format::kLatex},
    {".html", Format::kHtml}, {".xml", Format::kJunit}};

bool has(std::span<const Format> formats, Format format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

/// The ending of its files without the dot; empty if no file has it by its ending.
std::string_view ending_of(Format format) {
  for (const auto& [ending, one] : kEndings) {
    if (one == format) return ending.substr(1);
  }
  return {};
}

[[noreturn]] void refuse_ending(const ResultOptions& options) {
  std::vector<std::string> endings;
  for (const auto& [ending, format] : kEndings) {
    if (has(options.formats, format)) endings.emplace_back(ending);
  }
  throw DataError(fmt::format(
      "-o {}: the ending tells the format: {}; .txt or none for a table; or name it with --format",
      options.output, joined(endings)));
}

}  // namespace

std::optional<Format> format_of_file(std::string_view path, std::span<const Format> formats) {
  for (const auto& [ending, format] : kEndings) {
    if (has(formats, format) && path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

void add_format_options(Options& command, ResultOptions& options) {
  std::vector<Named<Format>> formats;
  for (const Format format : options.formats)
    formats.push_back({scalelaw::name_of(format), format, ending_of(format)});
  command.group("Result");
  command.choice("--format", options.format, formats,
                 "Format of the result; without it the ending of the output file tells",
                 Format::kTable);
  command.text("-o,--output", options.output, "FILE",
               "File of the result instead of standard output");
}

void add_result_options(Options& command, ResultOptions& options, const std::string& help) {
  add_format_options(command, options);
  command.text("--columns", options.columns, "LIST", help);
}

void add_strict_option(Options& command, ResultOptions& options, const std::string& help) {
  command.flag("--strict", options.strict, help);
}

Format format_of(const ResultOptions& options) {
  if (options.format) return *options.format;
  if (const auto format = format_of_file(options.output, options.formats)) return *format;
  const std::string ending = std::filesystem::path(options.output).extension().string();
  const bool tells = !options.formats.empty() && ending.size() > 1 && ending != ".txt";
  if (tells) refuse_ending(options);
  return Format::kTable;
}

}  // namespace scalelaw::cli
