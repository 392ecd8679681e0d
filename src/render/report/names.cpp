#include "render/report/names.hpp"

#include <fmt/format.h>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {

std::string value_with_unit(const std::string& column, const std::string& value) {
  const std::string_view unit = column_label(column).unit;
  return unit.empty() || !parse_number(value) ? value : fmt::format("{} {}", value, unit);
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return joined(names, "; ");
  return fmt::format("{}; and {} more", joined(std::span(names).first(most), "; "),
                     names.size() - most);
}

GroupNames::GroupNames(const std::vector<std::string>& by, const StudyAnalysis& analysis)
    : shown_(by.size(), analysis.groups.size() < 2), columns_(by) {
  for (const GroupStudy& group : analysis.groups) {
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (group.group[i] != analysis.groups.front().group[i]) shown_[i] = true;
    }
  }
}

std::string GroupNames::of(const GroupKey& group) const {
  std::string name;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!shown_[i]) continue;
    name += (name.empty() ? "" : ", ") + value_with_unit(columns_[i], group[i]);
  }
  return name.empty() ? "all rows" : name;
}

}  // namespace scalelaw
