#pragma once

#include <span>
#include <string>

#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// A table for people under its caption (text and LaTeX), with lines that explain it below: as a
/// list in Markdown and HTML, as comments in LaTeX, where what is \input into a float must not grow
/// paragraphs.
void write_noted_table(const TextTable& table, const std::string& caption,
                       std::span<const std::string> lines, Format format, bool colour,
                       const TextSink& sink);

}  // namespace scalelaw
