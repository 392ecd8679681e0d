#include "scalelaw/input/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "support/command.hpp"
#include "support/compress.hpp"
#include "support/standard_input.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ExpandInputs : public testing::Test {
 protected:
  ExpandInputs() {
    fs::create_directories(folder_.path() / "runs/deep");
    fs::create_directories(folder_.path() / "empty");
    for (const char* name :
         {"b.csv", "a.csv", "runs/c.csv.gz", "runs/d.tsv", "runs/e.txt", "runs/deep/f.csv.zst",
          "runs/deep/csv", "runs/g.csv.bak", "odd[1].csv"}) {
      write_bytes(folder_.path() / name, "x\n");
    }
  }
  std::string at(const std::string& name) const { return folder_.path() / name; }
  std::vector<std::string> expand(const std::vector<std::string>& names) const {
    std::vector<std::string> inputs;
    for (const auto& name : names) inputs.push_back(name == "-" ? name : at(name));
    return expand_inputs(inputs);
  }
  std::string error_of_file(const std::vector<std::string>& names) const {
    try {
      expand(names);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
  TemporaryFolder folder_;
};

TEST_F(ExpandInputs, TakesFilesAsTheyAreWhateverTheirName) {
  EXPECT_THAT(expand({"runs/e.txt"}), ElementsAre(at("runs/e.txt")));
  EXPECT_THAT(expand({"odd[1].csv"}), ElementsAre(at("odd[1].csv")));
}

TEST_F(ExpandInputs, TakesTheTablesBelowAFolder) {
  EXPECT_THAT(expand({"runs"}),
              ElementsAre(at("runs/c.csv.gz"), at("runs/d.tsv"), at("runs/deep/f.csv.zst")));
}

TEST_F(ExpandInputs, TakesWhatAPatternFits) {
  EXPECT_THAT(expand({"?.csv"}), ElementsAre(at("a.csv"), at("b.csv")));
  EXPECT_THAT(expand({"runs/*.t*"}), ElementsAre(at("runs/d.tsv"), at("runs/e.txt")));
}

TEST_F(ExpandInputs, SortsThemAndTakesEachOnce) {
  EXPECT_THAT(expand({"b.csv", "?.csv", "a.csv"}), ElementsAre(at("a.csv"), at("b.csv")));
  EXPECT_THAT(expand({"b.csv", "runs/../a.csv", "runs/deep/../../b.csv"}),
              ElementsAre(at("b.csv"), at("runs/../a.csv")));
}

TEST_F(ExpandInputs, PutsStandardInputLastAndOnce) {
  EXPECT_THAT(expand({"-", "b.csv", "-"}), ElementsAre(at("b.csv"), "-"));
}

TEST_F(ExpandInputs, NamesWhatIsNotThere) {
  EXPECT_EQ(error_of_file({"none.csv"}), at("none.csv") + ": no such file or folder");
  EXPECT_EQ(error_of_file({"none*.csv"}), at("none*.csv") + ": no file matches this pattern");
  EXPECT_EQ(error_of_file({"empty"}), at("empty") + ": there are no CSV files below this folder");
  EXPECT_THAT(error_of_file({}), HasSubstr("no input"));
}

std::string read_all(const std::string& path, std::size_t step = 1000) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  std::string out;
  std::string piece(step, '\0');
  for (std::size_t got = 1; got > 0;) {
    got = stream->read(piece.data(), piece.size());
    out.append(piece, 0, got);
  }
  EXPECT_EQ(stream->read(piece.data(), piece.size()), 0u);  // The end stays the end.
  return out;
}

std::string error_of_file(const std::string& path) {
  try {
    read_all(path);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

class OpenStream : public testing::Test {
 protected:
  OpenStream() {
    RandomStream random(1);
    while (bytes_.size() < 400'000) bytes_ += std::to_string(random.below(1000)) + ',';
  }
  std::string file_with(const std::string& bytes) const {
    write_bytes(folder_.path() / "table.csv", bytes);
    return folder_.path() / "table.csv";
  }
  TemporaryFolder folder_;
  std::string bytes_;
};

TEST_F(OpenStream, GivesPlainBytesAsTheyAre) {
  for (const std::string& bytes :
       {bytes_, std::string(), std::string("a"), std::string("abcd"), std::string("\x1f")}) {
    EXPECT_EQ(read_all(file_with(bytes)), bytes);
    EXPECT_EQ(read_all(file_with(bytes), 3), bytes);
  }
}

TEST_F(OpenStream, DecompressesByContentNotByName) {
  for (const std::size_t step : {7u, 4096u, 1000000u}) {
    EXPECT_EQ(read_all(file_with(gzip(bytes_)), step), bytes_);
    EXPECT_EQ(read_all(file_with(zstd(bytes_)), step), bytes_);
  }
  EXPECT_EQ(read_all(file_with(gzip(""))), "");
  EXPECT_EQ(read_all(file_with(zstd(""))), "");
}

TEST_F(OpenStream, ReadsSeveralMembersOrFramesAsOne) {
  EXPECT_EQ(read_all(file_with(gzip("model,") + gzip("") + gzip(bytes_) + gzip("end"))),
            "model," + bytes_ + "end");
  EXPECT_EQ(read_all(file_with(zstd("model,") + zstd("") + zstd(bytes_) + zstd("end"))),
            "model," + bytes_ + "end");
}

TEST_F(OpenStream, NamesTruncatedDataWhereverItIsCut) {
  for (const std::string& whole :
       {gzip(bytes_), gzip("a") + gzip(bytes_), zstd(bytes_), zstd("a") + zstd(bytes_)}) {
    for (const std::size_t cut :
         {std::size_t{1}, std::size_t{4}, std::size_t{9}, whole.size() / 2}) {
      const std::string path = file_with(whole.substr(0, whole.size() - cut));
      EXPECT_THAT(error_of_file(path), HasSubstr(path + ": truncated "));
    }
  }
}

TEST_F(OpenStream, NamesDamagedData) {
  for (std::string bytes : {gzip(bytes_), zstd(bytes_)}) {
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
    const std::string path = file_with(bytes);
    EXPECT_THAT(error_of_file(path), HasSubstr(path + ": damaged "));
  }
  const std::string path = file_with(gzip(bytes_) + "garbage after the last member");
  EXPECT_THAT(error_of_file(path),
              HasSubstr(path + ": something that is no gzip follows the gzip data"));
}

TEST_F(OpenStream, ReadsStandardInput) {
  for (const std::string& bytes : {bytes_, gzip(bytes_), zstd(bytes_)}) {
    const PipedInput pipe(bytes);
    EXPECT_EQ(read_all("-"), bytes_);
  }
}

TEST_F(OpenStream, ReadsNamedPipes) {
  const std::string path = folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(is_regular_file(path));
  std::thread writer([&] { write_bytes(path, gzip(bytes_)); });
  EXPECT_EQ(read_all(path), bytes_);
  writer.join();
}

TEST_F(OpenStream, NamesWhatCannotBeOpened) {
  EXPECT_THAT(error_of_file(folder_.path() / "none.csv"),
              HasSubstr("none.csv: cannot be opened: No such file"));
  EXPECT_THAT(error_of_file(folder_.path()), HasSubstr("cannot be read: Is a directory"));
}

TEST(InputName, IsThePathOrStandardInput) {
  EXPECT_EQ(input_name("-"), "standard input");
  EXPECT_EQ(input_name("runs.csv"), "runs.csv");
}

TEST(InputFile, ReadsAnyPartOfAPlainFile) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "a.csv", "0123456789");
  const InputFile file(folder.path() / "a.csv");
  EXPECT_TRUE(file.seekable());
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(file.compression(), Compression::kNone);
  std::string out(4, ' ');
  EXPECT_EQ(file.read_at(out.data(), 4, 5), 4u);
  EXPECT_EQ(out, "5678");
  EXPECT_EQ(file.read_at(out.data(), 4, 8), 2u);
  EXPECT_EQ(file.read_at(out.data(), 4, 100), 0u);
}

// read() leaves errno as it was where it succeeds. If the end were taken for a call that a signal
// interrupted, this would not return.
TEST(InputFile, EndsWhateverAnEarlierCallLeftInErrno) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "a.csv", "0123456789");
  const InputFile file(folder.path() / "a.csv");
  std::string out(4, ' ');
  errno = EINTR;
  EXPECT_EQ(file.read_at(out.data(), 4, 8), 2u);
}

}  // namespace
}  // namespace scalelaw::test
