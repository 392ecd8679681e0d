#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalelaw {

/// A pattern such as "{model}-{gpus}gpu": each {name} stands for one or more characters, and
/// everything else for itself. Where several divisions fit, earlier names are as long as can be:
/// "bert-large-8gpu" is the model bert-large on 8 GPUs.
class NamePattern {
 public:
  /// @throws DataError if a brace has no companion, a name is empty or comes twice, or nothing
  /// stands between two names.
  explicit NamePattern(std::string_view pattern);

  using Facts = std::vector<std::pair<std::string, std::string>>;
  /// What the name of the file (without its ending), or else the nearest of its folders that fits,
  /// says. Empty if none fits as a whole.
  std::optional<Facts> facts_of(const std::string& path) const;

 private:
  std::optional<Facts> match(const std::string& text) const;

  std::vector<std::string> names_;
  std::regex expression_;  ///< With a group for each name.
};

}  // namespace scalelaw
