#include "input/folder_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "support/command.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;

std::string kind_of(const FolderEntry& entry) {
  return std::string(entry.is_link() ? "link to " : "") + (entry.is_folder()         ? "folder"
                                                           : entry.is_regular_file() ? "file"
                                                           : entry.is_other()        ? "other"
                                                                                     : "nothing");
}

TEST(FolderReader, TellsEachNameWithItsKind) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "a file", "");
  fs::create_directory(folder.path() / "a folder");
  ASSERT_EQ(::mkfifo((folder.path() / "a pipe").c_str(), 0600), 0);
  for (const char* const name : {"a file", "a folder", "a pipe", "none"}) {
    fs::create_symlink(name, folder.path() / (std::string("to ") + name));
  }
  std::map<std::string, std::string> kinds;
  FolderReader reader(folder.path());
  while (const auto entry = reader.next()) {
    EXPECT_EQ(entry->path().parent_path(), folder.path());
    kinds[entry->path().filename().string()] = kind_of(*entry);
  }
  EXPECT_FALSE(reader.error());
  EXPECT_EQ(kinds, (std::map<std::string, std::string>{{"a file", "file"},
                                                       {"a folder", "folder"},
                                                       {"a pipe", "other"},
                                                       {"to a file", "link to file"},
                                                       {"to a folder", "link to folder"},
                                                       {"to a pipe", "link to other"},
                                                       {"to none", "link to nothing"}}));
}

TEST(FolderReader, LooksAtWhatTheFolderDoesNotTell) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "a folder");
  fs::create_symlink("a folder", folder.path() / "link");
  EXPECT_EQ(kind_of({folder.path() / "a folder", fs::file_type::none}), "folder");
  EXPECT_EQ(kind_of({folder.path() / "link", fs::file_type::none}), "link to folder");
  EXPECT_EQ(kind_of({folder.path() / "none", fs::file_type::none}), "nothing");
}

TEST(FolderReader, SaysWhyAFolderCannotBeRead) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "file", "");
  FolderReader none(folder.path() / "none");
  EXPECT_FALSE(none.next().has_value());
  EXPECT_EQ(none.error(), std::errc::no_such_file_or_directory);
  FolderReader file(folder.path() / "file");
  EXPECT_FALSE(file.next().has_value());
  EXPECT_EQ(file.error(), std::errc::not_a_directory);
}

}  // namespace
}  // namespace scalelaw::test
