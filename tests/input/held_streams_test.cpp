#include "scalelaw/input/held_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "support/command.hpp"
#include "support/compress.hpp"
#include "support/standard_input.hpp"

namespace scalelaw {
namespace {

using test::FileAsInput;
using test::gzip;
using test::PipedInput;
using test::TemporaryFolder;
using test::write_bytes;
using test::zstd;

/// A call that this thread makes.
struct Call {
  CallContext context;
  CallScope scope{&context};
};

std::string all_of(const std::string& path) {
  const InputFile file(path);
  std::string text;
  read_to(std::size_t{1} << 24, *open_stream(file), text);
  return text;
}

/// More than a pipe holds.
const std::string& rows() {
  static const std::string text = [] {
    std::string lines = "gpus,seconds\n";
    for (int i = 0; i < 50000; ++i) lines += std::to_string(i) + ",1.5\n";
    return lines;
  }();
  return text;
}

TEST(HeldStreams, StandardInputIsReadAsOftenAsAFile) {
  for (const std::string& bytes : {rows(), gzip(rows()), zstd(rows())}) {
    const PipedInput pipe(bytes);
    EXPECT_TRUE(is_stream("-"));
    {
      Call call;
      HeldStreams streams(call.context);
      streams.hold("-");
      EXPECT_FALSE(is_stream("-"));
      EXPECT_TRUE(is_regular_file("-"));
      EXPECT_EQ(all_of("-"), rows());
      EXPECT_EQ(all_of("-"), rows());
      EXPECT_EQ(InputFile("-").name(), "standard input");
    }
    EXPECT_TRUE(is_stream("-"));
  }
}

/// What becomes of a file as standard input lasts as long as the process, so one is made for it.
[[noreturn]] void keep_and_read(const std::string& path) {
  const FileAsInput file(path);
  Call call;
  HeldStreams streams(call.context);
  streams.hold("-");
  const bool is_held = memory_table("-") != nullptr;
  const bool is_whole = all_of("-") == rows() && all_of("-") == rows();
  std::_Exit(is_whole && !is_held ? 0 : 1);
}

TEST(HeldStreams, AFileAsStandardInputIsKeptOnTheDisk) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "rows.csv";
  write_bytes(path, rows());
  EXPECT_EXIT(keep_and_read(path), testing::ExitedWithCode(0), "");
}

TEST(HeldStreams, NamedPipesAreFoundByPatterns) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&path] { write_bytes(path, rows()); });
  Call call;
  HeldStreams streams(call.context);
  streams.hold(folder.path() / "p*e");
  writer.join();
  EXPECT_EQ(all_of(path), rows());
  EXPECT_EQ(all_of(path), rows());
}

TEST(HeldStreams, APipeOfTwoNamesIsReadOnce) {
  const PipedInput pipe(rows());
  Call call;
  HeldStreams streams(call.context);
  streams.hold("/dev/stdin");
  streams.hold("-");
  EXPECT_EQ(all_of("/dev/stdin"), rows());
  EXPECT_EQ(all_of("-"), rows());
}

TEST(HeldStreams, ThreadsOfTheCallReadThem) {
  const PipedInput pipe(rows());
  Call call;
  HeldStreams streams(call.context);
  streams.hold("-");
  std::vector<std::string> texts(4);
  parallel_for(4, texts.size(), [&texts](std::size_t i, int) { texts[i] = all_of("-"); });
  EXPECT_THAT(texts, testing::Each(rows()));
}

TEST(HeldStreams, FilesAndFoldersStayWhatTheyAre) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "rows.csv";
  write_bytes(path, "one");
  Call call;
  HeldStreams streams(call.context);
  streams.hold(path);
  streams.hold(folder.path());
  write_bytes(path, "two");
  EXPECT_EQ(all_of(path), "two");
  EXPECT_THROW(streams.hold(folder.path() / "none"), DataError);
}

}  // namespace
}  // namespace scalelaw
