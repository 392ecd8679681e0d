#include "trace/passed_over.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "support/command.hpp"

namespace scalelaw::test {
namespace {

TEST(FilesPassedOver, AreCountedByTheirEndings) {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
  std::filesystem::create_directories(root / "a" / ".git");
  for (const char* const name : {"a/run.log", "a/model.pt", "b.md", "stdout", "a/.git/x.pack"}) {
    write_bytes((root / name).string(), "x");
  }
  const std::vector<std::string> inputs{root.string()};
  const std::vector<std::string> read{(root / "a" / "run.log").string()};
  EXPECT_EQ(
      files_passed_over(inputs, read, {}),
      "3 files of the folders have endings that ingest does not look at (.md, .pt, none); name "
      "such a file itself to have it read");
  EXPECT_EQ(files_passed_over(read, read, {}), std::nullopt);
}

TEST(FilesPassedOver, DoNotCountWhatIsKnown) {
  const TemporaryFolder folder;
  const std::string table = (folder.path() / "runs.db").string();
  write_bytes(table, "x");
  const std::vector<std::string> inputs{folder.path().string()};
  EXPECT_EQ(files_passed_over(inputs, {}, {std::filesystem::canonical(table).string()}),
            std::nullopt);
}

}  // namespace
}  // namespace scalelaw::test
