#include "delivery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw::cli {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(a), error);
  return path == std::filesystem::weakly_canonical(std::filesystem::absolute(b), error);
}

/// The files that would break if an output were written: the file of that name, and the store if
/// SQLite keeps a file of that name beside it.
std::vector<std::string> broken_by(const std::string& output) {
  if (output.empty() || output == "-") return {};
  std::vector<std::string> files{output};
  for (const std::string_view ending : {"-wal", "-shm", "-journal"}) {
    if (output.ends_with(ending)) files.push_back(output.substr(0, output.size() - ending.size()));
  }
  return files;
}

constexpr std::pair<std::string_view, Format> kEndings[] = {
    {".json", Format::kJson}, {".jsonl", Format::kJsonl}, {".csv", Format::kCsv},
    {".tsv", Format::kTsv},   {".md", Format::kMarkdown}, {".tex", Format::kLatex},
    {".html", Format::kHtml}, {".xml", Format::kJunit}};

bool has(const std::vector<Format>& formats, Format format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

/// Other programs open files of these endings as something that scalelaw never writes.
constexpr std::string_view kForeignEndings[] = {".xlsx",    ".xls",     ".ods", ".doc", ".docx",
                                                ".parquet", ".feather", ".h5",  ".pkl", ".zip"};

[[noreturn]] void refuse_ending(const ResultOptions& options) {
  std::vector<std::string> endings;
  for (const auto& [ending, format] : kEndings) {
    if (has(options.formats, format)) endings.emplace_back(ending);
  }
  throw DataError(
      fmt::format("-o {}: no format has this ending. Endings that tell the format are {}; .txt or "
                  "none is a table. For another ending name the format with --format",
                  options.output, joined(endings)));
}

/// Of commands whose format does not depend on the ending.
void refuse_foreign_ending(const std::string& output, const std::string& ending) {
  const auto* const end = std::end(kForeignEndings);
  if (std::find(std::begin(kForeignEndings), end, ending) == end) return;
  throw DataError(fmt::format(
      "-o {}: scalelaw writes no {} files; name a text file, such as one that ends in .csv", output,
      ending));
}

std::string without_label(const std::string& input) {
  const auto label = input_label(input);
  return label ? input.substr(0, input.size() - label->size() - 1) : input;
}

}  // namespace

std::optional<Format> format_of_file(std::string_view path, const std::vector<Format>& formats) {
  for (const auto& [ending, format] : kEndings) {
    if (has(formats, format) && path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

void add_result_options(Options& command, ResultOptions& options, const std::string& columns) {
  command.group("Result");
  command.choice("--format", options.format, named(options.formats),
                 "Format of the result; without it the ending of the output file tells",
                 Format::kTable);
  if (has(options.formats, Format::kMarkdown)) command.synonym("--format", "md", "markdown");
  if (has(options.formats, Format::kLatex)) command.synonym("--format", "tex", "latex");
  command.text("-o,--output", options.output, "FILE",
               "File of the result instead of standard output");
  command.names("--columns", options.columns, "LIST", columns);
  if (has(options.formats, Format::kTable)) {
    command.flag("--details", options.details,
                 "Show the statistics behind the answer as well: standard errors, tests, and how "
                 "each figure was found");
  }
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

void refuse_to_replace_store(const std::string& output, const std::string& store) {
  if (store.empty()) return;
  for (const std::string& file : broken_by(output)) {
    if (!is_same_file(file, store)) continue;
    throw DataError(fmt::format("{}: the output would replace this study store", output));
  }
}

void refuse_to_replace_files(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& file : broken_by(output)) {
    if (!is_regular_file(file) || (file != output && !is_study_store(file))) continue;
    for (const std::string& input : inputs) {
      if (input == "-" || !is_same_file(file, without_label(input))) continue;
      throw DataError(fmt::format("{}: the output would replace this input", output));
    }
  }
}

void refuse_to_replace_inputs(const std::string& output, const std::vector<std::string>& inputs) {
  const std::vector<std::string> files = broken_by(output);
  if (inputs.empty() || std::none_of(files.begin(), files.end(), is_regular_file)) return;
  refuse_to_replace_files(output, expand_inputs(inputs));
}

int deliver(const ResultOptions& options, const std::vector<std::string>& inputs,
            const GlobalOptions& global, const std::function<Lacks(const Delivery&)>& make) {
  refuse_to_replace_inputs(options.output, inputs);
  const Format format = format_of(options);
  Output output(global.leads ? options.output : "");  // Only the leading rank writes.
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
  return options.strict && !lacks.empty() ? kCheckFailed : kDone;
}

Lacks groups_without(std::string_view noun, std::size_t lacking, std::size_t groups) {
  if (lacking == 0) return {};
  return {fmt::format("{} of {} groups have no {}", lacking, groups, noun)};
}

}  // namespace scalelaw::cli
