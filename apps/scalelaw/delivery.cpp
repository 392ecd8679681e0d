#include "delivery.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::pair<std::string_view, Format> kEndings[] = {
    {".json", Format::kJson}, {".jsonl", Format::kJsonl}, {".csv", Format::kCsv},
    {".tsv", Format::kTsv},   {".md", Format::kMarkdown}, {".tex", Format::kLatex},
    {".html", Format::kHtml}, {".xml", Format::kJunit}};

/// Other programs open files of these endings as something that scalelaw never writes.
constexpr std::string_view kForeignEndings[] = {".xlsx",    ".xls",     ".ods", ".doc", ".docx",
                                                ".parquet", ".feather", ".h5",  ".pkl", ".zip"};

[[noreturn]] void refuse_ending(const ResultOptions& options) {
  std::vector<std::string> endings;
  for (const auto& [ending, format] : kEndings) {
    if (contains(options.formats, format)) endings.emplace_back(ending);
  }
  throw DataError(
      fmt::format("-o {}: no format has this ending. Endings that tell the format are {}; .txt or "
                  "none is a table. For another ending name the format with --format",
                  options.output, joined(endings)));
}

/// Of commands whose format does not depend on the ending.
void refuse_foreign_ending(const std::string& output, const std::string& ending) {
  if (!contains(kForeignEndings, ending)) return;
  throw DataError(fmt::format(
      "-o {}: scalelaw writes no {} files; name a text file, such as one that ends in .csv", output,
      ending));
}

/// Where a result goes. Only the leading rank writes a file.
Output output_of(const std::string& path, const GlobalOptions& global) {
  const bool is_standard = path.empty() || path == "-";
  if (is_standard && global.host != nullptr) return Output(global.host->write);
  return Output(global.leads ? path : "");
}

}  // namespace

std::optional<Format> format_of_file(std::string_view path, const std::vector<Format>& formats) {
  for (const auto& [ending, format] : kEndings) {
    if (contains(formats, format) && path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

void add_result_options(Options& command, ResultOptions& options, const std::string& strict,
                        const std::string& columns) {
  command.group("Result");
  command.choice(
      "--format", options.format, named(options.formats),
      "Format of the result. Default: what the ending of the output file says, otherwise a table",
      Format::kTable);
  if (contains(options.formats, Format::kMarkdown)) command.synonym("--format", "md", "markdown");
  if (contains(options.formats, Format::kLatex)) command.synonym("--format", "tex", "latex");
  command.text("-o,--output", options.output, "FILE",
               "Write the result to this file instead of standard output");
  command.names("--columns", options.columns, "LIST", columns);
  if (contains(options.formats, Format::kTable)) {
    command.flag("--details", options.details,
                 "Also show the statistics behind the answer: standard errors, tests, and how each "
                 "number was found");
  }
  if (!strict.empty()) command.flag("--strict", options.strict, strict);
}

Format format_of(const ResultOptions& options) {
  if (options.format) return *options.format;
  if (const auto format = format_of_file(options.output, options.formats)) return *format;
  const std::string ending = std::filesystem::path(options.output).extension().string();
  if (options.formats.empty()) refuse_foreign_ending(options.output, ending);
  const bool tells = !options.formats.empty() && ending.size() > 1 && ending != ".txt";
  if (tells) refuse_ending(options);
  return Format::kTable;
}

void write_row(const std::vector<std::string>& cells, char separator, const TextSink& sink) {
  std::string line;
  append_delimited_row(line, cells, separator);
  sink(line);
}

int deliver(const ResultOptions& options, const GlobalOptions& global,
            const std::function<Lacks(const Delivery&)>& make) {
  const Format format = format_of(options);
  Output output = output_of(options.output, global);
  bool committed = false;
  const Delivery delivery{.style = {.format = format,
                                    .columns = options.columns,
                                    .colour = wants_colour(global.colour, output.is_terminal()),
                                    .details = options.details,
                                    .width = line_width(output.is_terminal())},
                          .sink = [&output](std::string_view text) { output.write(text); },
                          .console = global.console(),
                          .commit =
                              [&output, &committed] {
                                output.commit();
                                committed = true;
                              }};
  const Lacks lacks = make(delivery);
  if (!committed) delivery.commit();
  for (const std::string& sentence : lacks) delivery.console.warn(sentence);
  return lacks.all || (options.strict && !lacks.empty()) ? kCheckFailed : kDone;
}

Lacks groups_without(std::string_view noun, std::size_t lacking, std::size_t groups) {
  if (lacking == 0) return {};
  return {{fmt::format("{} no {}", part_of(lacking, groups, "group", "has", "have"), noun)},
          lacking == groups};
}

}  // namespace scalelaw::cli
