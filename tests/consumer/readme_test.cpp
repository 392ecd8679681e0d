// Documents show what happens: their console sessions are run again and compared byte by byte.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/places.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = source_folder();

/// The fenced blocks of a language in a Markdown file.
std::vector<std::string> blocks(const fs::path& document, const std::string& language) {
  std::vector<std::string> found;
  std::istringstream lines(read_bytes(document));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!inside && line == "```" + language) {
      inside = true;
      found.emplace_back();
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      found.back() += line + '\n';
    }
  }
  return found;
}

TEST(Readme, TheProgramOfTheDocumentsIsTheOneThatIsCompiled) {
  const auto programs = blocks(kRoot / "docs/how-to/library.md", "cpp");
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs.front(), read_bytes(kRoot / "tests/consumer/main.cpp"));
}

#ifdef SCALELAW_HAS_COMMAND

/// A command of a console session, and the output that the document shows below it.
struct Step {
  std::string command;
  std::string output;
};

std::vector<Step> steps_of(const std::string& session) {
  std::vector<Step> steps;
  std::istringstream lines(session);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$ ")) {
      steps.push_back({line.substr(2), {}});
    } else if (!steps.empty()) {
      steps.back().output += line + '\n';
    }
  }
  return steps;
}

class Document : public testing::TestWithParam<std::string> {};

TEST_P(Document, ItsConsoleSessionsAreReal) {
  // A scratch folder that looks like the project's, so that commands write nothing there.
  const TemporaryFolder folder;
  fs::create_directory_symlink(kRoot / "data", folder.path() / "data");
  const std::string path = command_binary().parent_path().string() + ":/usr/bin:/bin";
  for (const auto& session : blocks(kRoot / GetParam(), "console")) {
    for (const auto& step : steps_of(session)) {
      const std::vector<std::string> words = {"/bin/sh", "-c", step.command};
      const std::vector<std::string> environment = {"PATH=" + path, "NO_COLOR=1", "COLUMNS=100"};
      const CallResult outcome = run_command(words, folder.path(), {}, environment);
      EXPECT_EQ(outcome.status, 0) << step.command << '\n' << outcome.err;
      EXPECT_EQ(outcome.out, step.output) << step.command;
    }
  }
}

std::vector<std::string> documents() {
  std::vector<std::string> names = {"README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md")
      names.push_back(fs::relative(entry.path(), kRoot).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Markdown, Document, testing::ValuesIn(documents()),
                         [](const auto& instance) {
                           std::string name = fs::path(instance.param).replace_extension().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

#endif  // SCALELAW_HAS_COMMAND

}  // namespace
}  // namespace scalelaw::test
