#include "input/same_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "cluster/local_ranks.hpp"
#include "scalelaw/base/error.hpp"
#include "support/command.hpp"

namespace scalelaw {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kTable = "gpus,seconds\n1,8\n2,4\n4,2\n";

/// The message of the leader where rank 1 sees the second file instead of the first.
std::string refusal_of(const std::string& first, const std::string& second) {
  try {
    testing::run_ranks(2, [&](Ranks& ranks, int rank) {
      refuse_different_files(ranks, std::vector{rank == 1 ? second : first});
    });
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

class SameFiles : public ::testing::Test {
 protected:
  /// A file in a folder of its own, with the time stamp of the first.
  std::string file(const std::string& name, const std::string& text, int later_s = 0) {
    const auto path = folder_.path() / name;
    test::write_bytes(path, text);
    std::filesystem::last_write_time(path, time_ + std::chrono::seconds(later_s));
    return path.string();
  }

  test::TemporaryFolder folder_;
  std::filesystem::file_time_type time_ = std::filesystem::file_time_type::clock::now();
};

TEST_F(SameFiles, OneFileAndItsCopyPass) {
  const std::string first = file("a.csv", kTable);
  EXPECT_EQ(refusal_of(first, first), "");
  EXPECT_EQ(refusal_of(first, file("b.csv", kTable)), "");
}

TEST_F(SameFiles, AnotherVersionIsRefusedWithBothHosts) {
  const std::string first = file("a.csv", kTable);
  EXPECT_THAT(refusal_of(first, file("b.csv", std::string(kTable) + "8,1\n")),
              AllOf(HasSubstr(first + ": rank 1 on "), HasSubstr(" than rank 0 on "),
                    HasSubstr("it has 29 bytes instead of 25")));
  EXPECT_THAT(refusal_of(first, file("c.csv", "gpus,seconds\n1,8\n2,4\n4,3\n")),
              HasSubstr("its content differs"));
  EXPECT_THAT(refusal_of(first, file("d.csv", kTable, 60)), HasSubstr("its time stamp differs"));
  EXPECT_THAT(refusal_of(first, (folder_.path() / "none.csv").string()),
              HasSubstr("there is no such file"));
}

TEST_F(SameFiles, TheEndOfALongFileCounts) {
  const std::string rows(std::size_t{1} << 20, '1');
  EXPECT_THAT(refusal_of(file("a.csv", rows + "1"), file("b.csv", rows + "2")),
              HasSubstr("its content differs"));
}

}  // namespace
}  // namespace scalelaw
