#pragma once

#include <span>
#include <string_view>

namespace scalelaw {

/// What a code in results says, such as the warning "curved". `scalelaw help CODE` shows it.
struct CodeHelp {
  std::string_view code;     ///< As in JSON and tables.
  std::string_view brief;    ///< A clause, such as "one run lies far from the law".
  std::string_view meaning;  ///< When a result has the code, in full sentences.
  std::string_view remedy;   ///< What to do about it.
};

/// The codes of groups without a fit, in the order of FailureCode.
std::span<const CodeHelp> failure_codes();

}  // namespace scalelaw
