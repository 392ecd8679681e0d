#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

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
