#include "trace/passed_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <vector>

#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// ".bak, .md, .pt and 2 more".
std::string endings_text(const std::set<std::string>& endings) {
  constexpr std::size_t kMost = 4;
  const std::size_t shown = std::min(endings.size(), kMost);
  const std::vector<std::string> first(endings.begin(),
                                       std::next(endings.begin(), static_cast<long>(shown)));
  const std::string text = joined(first);
  return endings.size() > shown ? fmt::format("{} and {} more", text, endings.size() - shown)
                                : text;
}

}  // namespace

std::optional<std::string> note_on_passed_over(std::span<const std::string> files) {
  if (files.empty()) return std::nullopt;
  std::set<std::string> endings;
  for (const std::string& file : files) {
    const std::string ending = std::filesystem::path(file).extension().string();
    endings.insert(ending.empty() ? "none" : ending);
  }
  return fmt::format(
      "{} of the folders {} that ingest does not look at ({}); name such a file itself to have it "
      "read",
      counted(files.size(), "file"), files.size() == 1 ? "has an ending" : "have endings",
      endings_text(endings));
}

}  // namespace scalelaw
