#include "render/warning_notes.hpp"

#include <fmt/format.h>

namespace scalelaw {

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
