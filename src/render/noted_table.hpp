#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Writes a table for people with its caption (text and LaTeX only) and, below it, lines that
/// explain it. They are a list in Markdown and HTML. In LaTeX they are comments, because a table
/// that is \input into a float must not grow paragraphs.
void write_noted_table(const TextTable& table, const std::string& caption,
                       std::span<const std::string> lines, Format format, bool colour,
                       const TextSink& sink);

/// Writes such lines without a table.
void write_notes(std::span<const std::string> lines, Format format, const TextSink& sink);

/// Collects the groups without a result: the first few with their reasons, and how many others.
class FailedGroups {
 public:
  /// @param what  What they lack: "no WHAT for GROUP: ...".
  explicit FailedGroups(std::string_view what) : what_(what) {}

  void add(const std::vector<std::string>& by, const GroupKey& group, const NoFit& failure);
  void append_to(std::vector<std::string>& lines) const;

 private:
  std::string_view what_;
  std::vector<std::string> listed_;
  std::size_t count_ = 0;
};

}  // namespace scalelaw
