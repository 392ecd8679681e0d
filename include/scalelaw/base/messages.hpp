#pragma once

#include <functional>
#include <string_view>
#include <utility>

namespace scalelaw {

/// What a sentence to the user is.
enum class Said { kNote, kWarning, kError };

/// Where sentences to the user go while a result is made. Without a taker nothing is said.
class Messages {
 public:
  using Take = std::function<void(Said, std::string_view)>;

  Messages() = default;
  explicit Messages(Take take) : take_(std::move(take)) {}

  /// Something good to know, such as which columns were chosen.
  void note(std::string_view sentence) const { say(Said::kNote, sentence); }
  /// Something that limits the result.
  void warn(std::string_view sentence) const { say(Said::kWarning, sentence); }
  /// Why there is no result.
  void error(std::string_view sentence) const { say(Said::kError, sentence); }

  void say(Said said, std::string_view sentence) const {
    if (take_) take_(said, sentence);
  }

 private:
  Take take_;
};

}  // namespace scalelaw
