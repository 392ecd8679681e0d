#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// A string of gnuplot's. What could end it, be replaced or be run (backquotes, @) is written as an
/// octal escape; single quotes would need none, but gnuplot 5.4 misreads one that begins with a
/// quote.
std::string gnuplot_text(std::string_view text);

/// `text` in at most so many lines of so many columns, broken at blanks where there are some; the
/// last line is shortened.
std::vector<std::string> broken_lines(std::string_view text, std::size_t columns,
                                      std::size_t lines);

/// `text` cut to so many columns of a terminal, with an ellipsis where something is missing.
std::string shortened(std::string_view text, std::size_t columns);

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

/// A file that nobody else sees and that goes when it is closed.
/// @throws DataError if there can be none.
File temporary_file();

/// A handle for writing that may be closed before the file is. @throws DataError if there can be
/// none.
std::FILE* second_handle(std::FILE* file);

std::string contents(std::FILE* file);

/// The first and the last bytes of every file of a format, but for line feeds at its end.
struct FormatMarks {
  std::string_view begins;
  std::string_view ends;
};

/// What gnuplot draws by a script: a whole file of the format with these marks.
/// @throws DataError if it is not installed, refuses, writes something else or a part of it, finds
/// too few descriptors, or takes longer than a minute (SCALELAW_GNUPLOT_SECONDS sets another
/// limit).
std::string drawn(std::FILE* script, const FormatMarks& marks);

/// What a program with its arguments writes; empty if it is not installed or fails.
/// @throws DataError as drawn() on descriptors and time.
std::optional<std::string> output_of(std::vector<std::string> words);

}  // namespace scalelaw
