#include "scalelaw/base/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() {
    std::string pattern = (fs::temp_directory_path() / "scalelaw-output-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

/// Root may write anything. This gives a folder to a user who may not, and becomes that user for a
/// while.
class AsNobody {
 public:
  explicit AsNobody(const fs::path& folder) {
    if (!is_root_) return;
    constexpr uid_t kNobody = 65534;
    EXPECT_EQ(::chown(folder.c_str(), kNobody, static_cast<gid_t>(-1)), 0);
    EXPECT_EQ(::seteuid(kNobody), 0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() {
    if (is_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }

 private:
  bool is_root_ = ::geteuid() == 0;
};

std::string message_of(const auto& act) {
  try {
    act();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

TEST_F(OutputFile, AppearsWholeAtCommit) {
  Output output(path("a.csv"));
  output.write("one\n");
  EXPECT_FALSE(fs::exists(path("a.csv")));
  output.write(std::string(1 << 20, 'x'));
  output.commit();
  EXPECT_EQ(text_of(path("a.csv")).size(), 4u + (1 << 20));
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, LeavesNothingAndKeepsTheOldFileWithoutCommit) {
  put("a.csv", "old");
  {
    Output output(path("a.csv"));
    output.write("new");
  }
  EXPECT_EQ(text_of(path("a.csv")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, IsOnTheDiskAndHasNoNameWhenItIsSettled) {
  put("a.csv", "old");
  {
    Output output(path("a.csv"));
    output.write("new");
    output.settle();
    EXPECT_EQ(text_of(path("a.csv")), "old");
  }
  EXPECT_EQ(files(), 1u);
  Output output(path("a.csv"));
  output.write("new");
  output.settle();
  output.commit();
  EXPECT_EQ(text_of(path("a.csv")), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, ThatIsAFullDeviceFailsWhenItIsSettled) {
  Output output("/dev/full");
  output.write("x");
  EXPECT_EQ(message_of([&output] { output.settle(); }),
            "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFile, KeepsTheRightsOfTheFileItReplaces) {
  put("a.csv", "old");
  ::chmod(path("a.csv").c_str(), 0640);
  Output output(path("a.csv"));
  output.commit();
  struct stat status {};
  ::stat(path("a.csv").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputFile, ReplacesTheFileBehindALinkNotTheLink) {
  put("real.csv", "old");
  fs::create_symlink("real.csv", path("link.csv"));
  Output output(path("link.csv"));
  output.write("new");
  output.commit();
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_EQ(text_of(path("real.csv")), "new");
}

TEST_F(OutputFile, TakesTheLongestNameThereIs) {
  const std::string name(255, 'n');
  Output output(path(name));
  output.write("x");
  output.commit();
  EXPECT_EQ(text_of(path(name)), "x");
}

TEST_F(OutputFile, SaysThatAFolderIsMissing) {
  EXPECT_EQ(message_of([this] { Output output(path("no/a.csv")); }),
            "cannot write " + path("no/a.csv") + ": there is no folder " + path("no"));
}

TEST_F(OutputFile, RefusesAFolder) {
  EXPECT_EQ(message_of([this] { Output output(folder_.string()); }),
            "cannot write " + folder_.string() + ": it is a folder");
}

TEST_F(OutputFile, RefusesAWriteProtectedFile) {
  put("a.csv", "old");
  ::chmod(path("a.csv").c_str(), 0444);
  const AsNobody nobody(folder_);
  EXPECT_EQ(message_of([this] { Output output(path("a.csv")); }),
            "cannot write " + path("a.csv") + ": Permission denied");
}

TEST_F(OutputFile, IsRemovedByTheSignalHandlersHelp) {
  Output output(path("a.csv"));
  output.write("x");
  EXPECT_EQ(files(), 1u);
  remove_unfinished_outputs();
  EXPECT_EQ(files(), 0u);
}

TEST(Output, ReportsAFullDiskAndKeepsTheDevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(message_of([] {
              Output output("/dev/full");
              output.write("x");
              output.commit();
            }),
            "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(Output, ThrowsClosedPipeWhenTheReaderIsGone) {
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    Output output("/dev/fd/" + std::to_string(ends[1]));
    ::close(ends[0]);
    output.write("x");
    EXPECT_THROW(output.commit(), ClosedPipe);
  }
  ::close(ends[1]);
  std::signal(SIGPIPE, old_handler);
}

}  // namespace
}  // namespace scalelaw
