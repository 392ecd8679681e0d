#include "render/noted_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

std::string wrapped_line(const std::string& line, std::size_t width) {
  if (line.starts_with("  scalelaw ")) return line + "\n";  // A call that is to be copied.
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return wrapped(line, width, indent + 2) + "\n";
}

std::string note_text(const std::string& line, const TableStyle& style) {
  if (style.format == Format::kMarkdown) return fmt::format("- {}\n", escaped_markdown(line));
  if (style.format == Format::kLatex) return fmt::format("% {}\n", line);
  if (style.format == Format::kHtml) return fmt::format("<li>{}</li>\n", escaped_html(line));
  return wrapped_line(line, style.width);
}

/// The answer as one paragraph.
std::string answer_text(std::span<const std::string> answer, const TableStyle& style) {
  if (answer.empty()) return "";
  const std::string text = printable(joined(answer, " "));
  if (style.format == Format::kMarkdown) return escaped_markdown(text) + "\n\n";
  if (style.format == Format::kLatex) return fmt::format("% {}\n", text);
  if (style.format == Format::kHtml) return fmt::format("<p>{}</p>\n", escaped_html(text));
  return wrapped(text, style.width, 0) + "\n\n";
}

std::string caption_text(const std::string& caption, const TableStyle& style) {
  if (caption.empty()) return "";
  const std::string text = printable(caption);
  if (style.format == Format::kLatex) return fmt::format("% {}\n", text);
  return style.format == Format::kTable ? wrapped(text, style.width, 2) + "\n\n" : "";
}

}  // namespace

void write_notes(std::span<const std::string> lines, const TableStyle& style,
                 const TextSink& sink) {
  if (lines.empty()) return;
  if (style.format == Format::kHtml) sink("<ul>\n");
  for (const std::string& line : lines) sink(note_text(printable(line), style));
  if (style.format == Format::kHtml) sink("</ul>\n");
}

void write_noted_table(const TextTable& table, const TableWords& words, const TableStyle& style,
                       const TextSink& sink) {
  const bool is_text = style.format == Format::kTable;
  sink(answer_text(words.answer, style));
  sink(caption_text(words.caption, style));
  const bool is_left_out = is_text && table.empty();
  const std::size_t width = style.columns.empty() ? style.width : 0;
  if (!is_left_out) table.write(style.format, sink, style.colour, width);
  const bool has_gap = is_text || style.format == Format::kMarkdown;
  if (has_gap && !is_left_out && !words.lines.empty()) sink("\n");
  write_notes(words.lines, style, sink);
}

void Notes::add(std::string line) {
  if (!line.empty()) lines_.push_back(std::move(line));
}

void Notes::add(std::vector<std::string> lines) {
  for (std::string& line : lines) add(std::move(line));
}

void Notes::detail(std::string line) {
  if (with_details_) add(std::move(line));
}

void FailedGroups::add(const std::vector<std::string>& by, const GroupKey& group,
                       const NoFit& failure) {
  constexpr std::size_t kMostListed = 8;
  if (count_ == 0) first_message_ = failure.message;
  if (++count_ > kMostListed) return;
  listed_.push_back(fmt::format("{} {} no {}: {} ({})", group_name(by, group),
                                by.empty() ? "have" : "has", what_, failure.message,
                                name_of(failure.code)));
}

std::string FailedGroups::answer() const {
  return count_ == 1 ? fmt::format("There is no {}: {}.", what_, first_message_)
                     : fmt::format("No group has a {}.", what_);
}

void FailedGroups::append_to(Notes& lines) const {
  lines.add(listed_);
  if (count_ == listed_.size()) return;
  const std::size_t others = count_ - listed_.size();
  lines.add(fmt::format("{} {} no {} either; --format csv lists them",
                        counted(others, "more group"), others == 1 ? "has" : "have", what_));
}

std::vector<std::string> WarningNotes::lines() const {
  std::vector<std::string> lines;
  for (const auto& [code, note] : notes_) {
    const std::size_t others = note.groups - 1;
    lines.push_back(fmt::format("{} ({}{}): {}", name_of(code), note.first_group,
                                others == 0   ? ""
                                : others == 1 ? " and 1 other"
                                              : fmt::format(" and {} others", others),
                                note.sentence));
  }
  return lines;
}

}  // namespace scalelaw
