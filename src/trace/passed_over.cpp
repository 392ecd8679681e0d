#include "trace/passed_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/some_of.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

/// Settings of Lightning and Weights & Biases, and the file with which they are read.
constexpr std::pair<std::string_view, std::string_view> kSettingsBeside[] = {
    {"hparams.yaml", "metrics.csv"}, {"config.yaml", "wandb-summary.json"}};

/// Whether a file is read with its run: such settings, or a value of MLflow,
/// mlruns/0/<run>/metrics/loss.
bool is_read_with_run(const fs::path& file) {
  std::error_code no_matter;
  for (const auto& [settings, run] : kSettingsBeside) {
    if (file.filename() == settings && fs::is_regular_file(file.parent_path() / run, no_matter)) {
      return true;
    }
  }
  constexpr std::string_view kFolders[] = {"metrics", "params", "tags"};
  for (fs::path folder = file.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (!is_one_of(folder.filename(), kFolders)) continue;
    return fs::is_regular_file(folder.parent_path() / "meta.yaml", no_matter);
  }
  return false;
}

}  // namespace

std::optional<std::string> note_on_passed_over(std::span<const std::string> files) {
  constexpr std::size_t kMostEndings = 4;
  std::set<std::string> known;
  std::size_t count = 0;
  for (const std::string& file : files) {
    if (is_read_with_run(file)) continue;
    ++count;
    const std::string ending = fs::path(file).extension().string();
    known.insert(ending.empty() ? "none" : ending);
  }
  if (count == 0) return std::nullopt;
  const std::vector<std::string> endings(known.begin(), known.end());
  return fmt::format(
      "{} of the folders {} that ingest does not look at ({}); name such a file itself to have it "
      "read",
      counted(count, "file"), count == 1 ? "has an ending" : "have endings",
      some_of(endings, kMostEndings));
}

}  // namespace scalelaw
