#include "render/noted_table.hpp"

#include <fmt/format.h>

#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

void write_text(const TextTable& table, const std::string& caption,
                std::span<const std::string> lines, bool colour, const TextSink& sink) {
  sink(printable(caption) + "\n\n");
  if (!table.empty()) table.write_text(sink, colour);
  if (!table.empty() && !lines.empty()) sink("\n");
  for (const std::string& line : lines) sink(printable(line) + "\n");
}

void write_markdown(const TextTable& table, std::span<const std::string> lines,
                    const TextSink& sink) {
  table.write_markdown(sink);
  if (!lines.empty()) sink("\n");
  for (const std::string& line : lines) {
    sink(fmt::format("- {}\n", escaped_markdown(printable(line))));
  }
}

void write_latex(const TextTable& table, const std::string& caption,
                 std::span<const std::string> lines, const TextSink& sink) {
  sink(fmt::format("% {}\n", printable(caption)));
  table.write_latex(sink);
  for (const std::string& line : lines) sink(fmt::format("% {}\n", printable(line)));
}

void write_html(const TextTable& table, std::span<const std::string> lines, const TextSink& sink) {
  table.write_html(sink);
  if (lines.empty()) return;
  sink("<ul>\n");
  for (const std::string& line : lines) {
    sink(fmt::format("<li>{}</li>\n", escaped_html(printable(line))));
  }
  sink("</ul>\n");
}

}  // namespace

void write_noted_table(const TextTable& table, const std::string& caption,
                       std::span<const std::string> lines, Format format, bool colour,
                       const TextSink& sink) {
  switch (format) {
    case Format::kMarkdown:
      return write_markdown(table, lines, sink);
    case Format::kLatex:
      return write_latex(table, caption, lines, sink);
    case Format::kHtml:
      return write_html(table, lines, sink);
    default:
      return write_text(table, caption, lines, colour, sink);
  }
}

void FailedGroups::add(const std::vector<std::string>& by, const GroupKey& group,
                       const NoFit& failure) {
  constexpr std::size_t kMostListed = 8;
  if (++count_ > kMostListed) return;
  listed_.push_back(fmt::format("no {} for {}: {} ({})", what_, group_name(by, group),
                                failure.message, name_of(failure.code)));
}

void FailedGroups::append_to(std::vector<std::string>& lines) const {
  lines.insert(lines.end(), listed_.begin(), listed_.end());
  if (count_ > listed_.size()) {
    lines.push_back(fmt::format("no {} for {} more groups; --format csv lists them", what_,
                                count_ - listed_.size()));
  }
}

}  // namespace scalelaw
