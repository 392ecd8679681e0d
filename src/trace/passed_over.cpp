#include "trace/passed_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include "input/paths.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

/// What is passed over.
struct PassedOver {
  std::size_t files = 0;
  std::set<std::string> endings = {};

  void add(const fs::path& file) {
    ++files;
    const std::string ending = file.extension().string();
    endings.insert(ending.empty() ? "none" : ending);
  }
};

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

void look_below(const std::string& folder, const std::set<std::string>& known,
                const std::set<std::string>& leave_out, PassedOver& passed_over) {
  const RealPaths real;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(
      folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    const fs::path& path = entry->path();
    if (is_hidden(path)) {
      if (entry->is_directory(unknown)) entry.disable_recursion_pending();
    } else if (entry->is_regular_file(unknown) && !known.contains(path.string()) &&
               !leave_out.contains(real.of(path.string()))) {
      passed_over.add(path);
    }
  }
}

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

std::optional<std::string> files_passed_over(std::span<const std::string> inputs,
                                             std::span<const std::string> read,
                                             const std::set<std::string>& leave_out) {
  const std::set<std::string> known(read.begin(), read.end());
  PassedOver passed_over;
  for (const std::string& input : inputs) {
    std::error_code unknown;
    if (fs::is_directory(input, unknown)) look_below(input, known, leave_out, passed_over);
  }
  if (passed_over.files == 0) return std::nullopt;
  return fmt::format(
      "{} of the folders {} that ingest does not look at ({}); name such a file itself to have it "
      "read",
      counted(passed_over.files, "file"), passed_over.files == 1 ? "has an ending" : "have endings",
      endings_text(passed_over.endings));
}

}  // namespace scalelaw
