#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalelaw {

/// What a cell of a table in LaTeX shows: without commands such as \textbf, braces and dollar
/// signs, with signs for \pm, \times and \%, and without footnotes, colours and citations.
std::string latex_text(std::string_view cell);

/// How many columns a cell takes: 2 for "\multicolumn{2}{c}{BERT}", else 1.
std::size_t latex_columns(std::string_view cell);

/// Whether a line has rules alone: "\hline", "\cmidrule(lr){2-3} \cmidrule(lr){4-5}".
bool is_latex_rule(std::string_view line);

}  // namespace scalelaw
