#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace scalelaw {
namespace {

TEST(ReadFrom, GivesBackWhatWasWritten) {
  const std::vector<std::string> words{"", "a", "two words"};
  EXPECT_EQ(read_from<std::vector<std::string>>(written(words)), words);
}

TEST(ReadFrom, RefusesTooFewAndTooManyBytes) {
  const std::string bytes = written(std::vector<std::string>{"a"});
  EXPECT_THROW(read_from<std::vector<std::string>>(bytes.substr(1)), DataError);
  EXPECT_THROW(read_from<std::vector<std::string>>(bytes + '\0'), DataError);
}

}  // namespace
}  // namespace scalelaw
