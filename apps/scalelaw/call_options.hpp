#pragma once

#include <string>
#include <vector>

#include "call.hpp"
#include "options.hpp"
#include "scalelaw/base/error.hpp"

namespace scalelaw::cli {

/// The options of a call cannot be used: no such option, or not a value for it.
class BadOptions : public Error {
 public:
  using Error::Error;
};

/// An option, and what a program calls it.
struct KeyedOption {
  std::string key;
  OptionView view;
};

/// The options that a program may give to a command.
std::vector<KeyedOption> options_of_call(const Program& program, const Options& command);

/// The options of a call as words of the command line, without the command.
/// @throws DataError if they are no JSON object, or one is not known.
std::vector<std::string> words_of_options(const std::vector<KeyedOption>& options,
                                          const HostedCall& call);

}  // namespace scalelaw::cli
