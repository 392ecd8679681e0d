#include "render/noted_table.hpp"

#include <fmt/format.h>

#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"

namespace scalelaw {
namespace {

std::string note_text(const std::string& line, Format format) {
  if (format == Format::kMarkdown) return fmt::format("- {}\n", escaped_markdown(line));
  if (format == Format::kLatex) return fmt::format("% {}\n", line);
  if (format == Format::kHtml) return fmt::format("<li>{}</li>\n", escaped_html(line));
  return line + "\n";
}

}  // namespace

void write_notes(std::span<const std::string> lines, Format format, const TextSink& sink) {
  if (lines.empty()) return;
  if (format == Format::kHtml) sink("<ul>\n");
  for (const std::string& line : lines) sink(note_text(printable(line), format));
  if (format == Format::kHtml) sink("</ul>\n");
}

void write_noted_table(const TextTable& table, const std::string& caption,
                       std::span<const std::string> lines, Format format, bool colour,
                       const TextSink& sink) {
  const bool is_text = format == Format::kTable;
  if (is_text) sink(printable(caption) + "\n\n");
  if (format == Format::kLatex) sink(fmt::format("% {}\n", printable(caption)));
  const bool is_left_out = is_text && table.empty();
  if (!is_left_out) table.write(format, sink, colour);
  const bool has_gap = is_text || format == Format::kMarkdown;
  if (has_gap && !is_left_out && !lines.empty()) sink("\n");
  write_notes(lines, format, sink);
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
    lines.push_back(fmt::format("no {} for {}; --format csv lists them", what_,
                                counted(count_ - listed_.size(), "more group")));
  }
}

}  // namespace scalelaw
