#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scalelaw/judge/study.hpp"

namespace scalelaw {

/// Short names of groups: values of the columns that differ between them, with their units.
class GroupNames {
 public:
  GroupNames(const std::vector<std::string>& by, const StudyAnalysis& analysis);

  /// "BERT, 250 W, 1380 MHz"; "all rows" without group columns.
  std::string of(const GroupKey& group) const;

 private:
  std::vector<bool> shown_;
  std::vector<std::string> columns_;
};

/// "power_cap_w" of value 250: "250 W".
std::string value_with_unit(const std::string& column, const std::string& value);

/// "A, B, C and 5 more".
std::string listed(const std::vector<std::string>& names, std::size_t most);

}  // namespace scalelaw
