#include "scalelaw/base/file_bytes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "support/command.hpp"

namespace scalelaw::test {
namespace {

class FileBytes : public testing::Test {
 protected:
  std::string file_with(const std::string& text) {
    const std::string path = (folder_.path() / "file").string();
    write_bytes(path, text);
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(FileBytes, AreAtMostAsManyAsAskedFor) {
  const std::string path = file_with("abcdef");
  EXPECT_EQ(first_bytes_of(path, 3), "abc");
  EXPECT_EQ(first_bytes_of(path, 6), "abcdef");
  EXPECT_EQ(first_bytes_of(path, 60), "abcdef");
  EXPECT_EQ(first_bytes_of(path), "abcdef");
}

TEST_F(FileBytes, OfAnEmptyFileAreNone) { EXPECT_EQ(first_bytes_of(file_with(""), 4), ""); }

TEST_F(FileBytes, AreEmptyIfTheFileCannotBeRead) {
  EXPECT_EQ(first_bytes_of((folder_.path() / "none").string(), 4), std::nullopt);
  EXPECT_EQ(first_bytes_of(folder_.path().string(), 4), std::nullopt);
}

TEST_F(FileBytes, OfALongFileComeInOrderUntilNoMoreAreWanted) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i);
  const std::string path = file_with(text);
  EXPECT_EQ(first_bytes_of(path), text);
  EXPECT_EQ(first_bytes_of(path, 50'000), text.substr(0, 50'000));
  std::size_t blocks = 0;
  EXPECT_FALSE(read_blocks(path, [&blocks](std::string_view) { return ++blocks < 2; }));
  EXPECT_EQ(blocks, 2u);
}

TEST_F(FileBytes, ThatCannotBeReadHaveAReason) {
  const auto all = [](std::string_view) { return true; };
  EXPECT_EQ(read_blocks((folder_.path() / "none").string(), all),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(read_blocks(folder_.path().string(), all), std::errc::is_a_directory);
}

}  // namespace
}  // namespace scalelaw::test
