#pragma once

#include <cstddef>
#include <string_view>

namespace scalelaw {

/// The id of a known job that the name of a log is or ends with, behind a mark: "slurm-1809579",
/// "gpt2-n4-1809579". The longest one; empty if there is none.
template <class Known>
std::string_view job_in_name(std::string_view name, const Known& is_known) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0.
  while (!name.empty()) {
    if (is_known(name)) return name;
    const std::size_t mark = name.find_first_of("-_.");
    if (mark == std::string_view::npos) break;
    name.remove_prefix(mark + 1);
  }
  return {};
}

}  // namespace scalelaw
