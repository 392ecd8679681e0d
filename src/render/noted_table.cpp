#include "render/noted_table.hpp"

#include <fmt/format.h>

#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

void write_text(const TextTable& table, const std::string& caption,
                const std::vector<std::string>& notes, bool colour, const TextSink& sink) {
  sink(printable(caption) + "\n\n");
  if (!table.empty()) table.write_text(sink, colour);
  if (!table.empty() && !notes.empty()) sink("\n");
  for (const std::string& note : notes) sink(printable(note) + "\n");
}

void write_markdown(const TextTable& table, const std::vector<std::string>& notes,
                    const TextSink& sink) {
  table.write_markdown(sink);
  if (!notes.empty()) sink("\n");
  for (const std::string& note : notes) {
    sink(fmt::format("- {}\n", escaped_markdown(printable(note))));
  }
}

void write_latex(const TextTable& table, const std::string& caption,
                 const std::vector<std::string>& notes, const TextSink& sink) {
  sink(fmt::format("% {}\n", printable(caption)));
  table.write_latex(sink);
  for (const std::string& note : notes) sink(fmt::format("% {}\n", printable(note)));
}

void write_html(const TextTable& table, const std::vector<std::string>& notes,
                const TextSink& sink) {
  table.write_html(sink);
  if (notes.empty()) return;
  sink("<ul>\n");
  for (const std::string& note : notes) {
    sink(fmt::format("<li>{}</li>\n", escaped_html(printable(note))));
  }
  sink("</ul>\n");
}

}  // namespace

void write_noted_table(const TextTable& table, const std::string& caption,
                       const std::vector<std::string>& notes, Format format, bool colour,
                       const TextSink& sink) {
  switch (format) {
    case Format::kMarkdown:
      return write_markdown(table, notes, sink);
    case Format::kLatex:
      return write_latex(table, caption, notes, sink);
    case Format::kHtml:
      return write_html(table, notes, sink);
    default:
      return write_text(table, caption, notes, colour, sink);
  }
}

}  // namespace scalelaw
