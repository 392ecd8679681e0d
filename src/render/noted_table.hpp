#pragma once

#include <string>
#include <vector>

#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Writes a table for people with a caption above and a line for each note below, as the format has
/// it: plain text, a Markdown list, LaTeX comments (what is \input into a float must not grow
/// paragraphs), an HTML list.
/// @throws std::invalid_argument for the formats of data.
void write_noted_table(const TextTable& table, const std::string& caption,
                       const std::vector<std::string>& notes, Format format, bool colour,
                       const TextSink& sink);

}  // namespace scalelaw
