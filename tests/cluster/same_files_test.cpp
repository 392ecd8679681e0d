#include "input/same_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

/// A rank that tells the others another host than its own.
class OnAnotherHost final : public Ranks {
 public:
  explicit OnAnotherHost(Ranks& ranks) : ranks_(ranks) {}
  int count() const override { return ranks_.count(); }
  bool leads() const override { return ranks_.leads(); }
  int threads(int requested) const override { return ranks_.threads(requested); }
  std::string broadcast(std::string bytes) override { return ranks_.broadcast(std::move(bytes)); }
  void share(std::span<const std::uint64_t> sizes, int threads, const Work& work, const Take& take,
             Progress* progress) override {
    ranks_.share(sizes, threads, work, take, progress);
  }
  std::vector<std::string> gather(std::string bytes) override {
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const std::string_view name = host;
    const std::size_t at = bytes.find(name);
    if (at != std::string::npos) bytes.replace(at, name.size(), name.size(), 'x');
    return ranks_.gather(std::move(bytes));
  }
  void await_end() override { ranks_.await_end(); }
  void fail(const std::string& message) override { ranks_.fail(message); }
  void end(int status) override { ranks_.end(status); }

 private:
  Ranks& ranks_;
};

/// The message of the leader where rank 1 sees the second trace instead of the first, on the same
/// host or on another one.
std::string refusal_of_traces(const std::string& first, const std::string& second, bool same_host) {
  try {
    testing::run_ranks(2, [&](Ranks& ranks, int rank) {
      OnAnotherHost elsewhere(ranks);
      const std::vector<std::string> paths{rank == 1 ? second : first};
      refuse_different_traces(rank == 1 && !same_host ? elsewhere : ranks, paths, 1);
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

TEST_F(SameFiles, TracesAreComparedBetweenHostsAlone) {
  constexpr int kHourAgo = -3600;  // What was written in the last ten minutes may grow.
  const std::string first = file("a.csv", kTable, kHourAgo);
  const std::string second = file("b.csv", "gpus,seconds\n1,8\n2,4\n4,3\n", kHourAgo);
  EXPECT_EQ(refusal_of_traces(first, second, true), "");
  EXPECT_THAT(refusal_of_traces(first, second, false),
              AllOf(HasSubstr(first + ": rank 1 on x"), HasSubstr("its content differs")));
}

TEST_F(SameFiles, TheEndOfALongFileCounts) {
  const std::string rows(std::size_t{1} << 20, '1');
  EXPECT_THAT(refusal_of(file("a.csv", rows + "1"), file("b.csv", rows + "2")),
              HasSubstr("its content differs"));
}

}  // namespace
}  // namespace scalelaw
