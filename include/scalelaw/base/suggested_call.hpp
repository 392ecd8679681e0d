#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/text.hpp"

namespace scalelaw {

/// A call of scalelaw that a message proposes, word by word, as a shell takes it.
class SuggestedCall {
 public:
  explicit SuggestedCall(std::string_view command, const std::vector<std::string>& inputs = {})
      : text_("scalelaw " + std::string(command)) {
    for (const std::string& input : inputs) this->input(input);
  }
  /// A file, which no parser takes for an option.
  SuggestedCall& input(const std::string& path) {
    return add(path.starts_with('-') && path != "-" ? "./" + path : path);
  }
  SuggestedCall& add(std::string_view word) { return words(" " + shell_word(word)); }
  SuggestedCall& option(std::string_view name, std::string_view value) {
    return words(" " + std::string(name)).add(value);
  }
  /// The same where the value is not empty.
  SuggestedCall& option_if(std::string_view name, std::string_view value) {
    return value.empty() ? *this : option(name, value);
  }
  SuggestedCall& flag_if(bool is_set, std::string_view name) {
    return is_set ? words(" " + std::string(name)) : *this;
  }
  /// Words as they are, with a blank before them.
  SuggestedCall& words(const std::string& text) { return text_ += text, *this; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace scalelaw
