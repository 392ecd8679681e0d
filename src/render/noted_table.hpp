#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// A table for people under its caption (text and LaTeX), with lines that explain it below: as a
/// list in Markdown and HTML, as comments in LaTeX, where what is \input into a float must not grow
/// paragraphs.
void write_noted_table(const TextTable& table, const std::string& caption,
                       std::span<const std::string> lines, Format format, bool colour,
                       const TextSink& sink);

/// Lines that explain a table, where there is none.
void write_notes(std::span<const std::string> lines, Format format, const TextSink& sink);

/// The groups of which a report has nothing to say: the first few with their reasons, the number of
/// the others.
class FailedGroups {
 public:
  /// @param what  That they lack: "no WHAT for GROUP: ...".
  explicit FailedGroups(std::string_view what) : what_(what) {}

  void add(const std::vector<std::string>& by, const GroupKey& group, const NoFit& failure);
  void append_to(std::vector<std::string>& lines) const;

 private:
  std::string_view what_;
  std::vector<std::string> listed_;
  std::size_t count_ = 0;
};

}  // namespace scalelaw
