#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Writes a table for people with its words: the answer, the caption (text and LaTeX only), the
/// table, and lines that explain it. Answer and lines are a paragraph and a list in Markdown and
/// HTML. In LaTeX they are comments, because a table that is \input into a float must not grow
/// paragraphs. Sentences of text are wrapped at the width of `style`, as is the table, unless its
/// columns were named.
void write_noted_table(const TextTable& table, const TableWords& words, const TableStyle& style,
                       const TextSink& sink);

/// Writes such lines without a table.
void write_notes(std::span<const std::string> lines, const TableStyle& style, const TextSink& sink);

/// Lines that explain a table to people, some of them only with --details.
class Notes {
 public:
  explicit Notes(bool with_details) : with_details_(with_details) {}

  /// Adds a line; nothing if it is empty.
  void add(std::string line);
  void add(std::vector<std::string> lines);
  /// The same for what needs a textbook: a short table has it only with --details.
  void detail(std::string line);
  bool with_details() const { return with_details_; }
  std::size_t size() const { return lines_.size(); }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  bool with_details_;
  std::vector<std::string> lines_;
};

/// Collects the groups without a result: the first few with their reasons, and how many others.
class FailedGroups {
 public:
  /// @param what  What they lack: "GROUP has no WHAT: ...".
  explicit FailedGroups(std::string_view what) : what_(what) {}

  void add(const std::vector<std::string>& by, const GroupKey& group, const NoFit& failure);
  void append_to(Notes& lines) const;
  bool empty() const { return count_ == 0; }
  /// What is said where no group has a result: of a single one the reason.
  std::string answer() const;

 private:
  std::string_view what_;
  std::string first_message_;
  std::vector<std::string> listed_;
  std::size_t count_ = 0;
};

/// The warnings of a study, each told once: its meaning for the first group that has it, and how
/// many groups have it.
class WarningNotes {
 public:
  /// @param sentence  Makes the meaning, for the first group alone.
  template <class Sentence>
  void take(WarningCode code, const std::string& group, Sentence sentence) {
    const auto [note, is_new] = notes_.try_emplace(code);
    if (is_new) note->second = {group, sentence(), 0};
    ++note->second.groups;
  }

  /// "curved (model BERT and 2 others): ...", in the order of the codes.
  std::vector<std::string> lines() const;

 private:
  struct Note {
    std::string first_group;
    std::string sentence;
    std::size_t groups = 0;
  };

  std::map<WarningCode, Note> notes_;
};

}  // namespace scalelaw
