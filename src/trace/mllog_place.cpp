#include "trace/mllog_place.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"

namespace scalelaw::mllog {
namespace {

namespace fs = std::filesystem;

/// v0.5 has a folder v0.5.0 above its submitters. Other rounds have no such folder.
bool is_v05_folder(std::string_view name) {
  return name.starts_with("v0.5.") && is_digits(name.substr(5));
}

/// "v4.0" for a folder v4.0 or training_results_v4.0, "v0.5" for v0.5.0; empty for other names.
std::string round_of(std::string_view name) {
  if (is_v05_folder(name)) return "v0.5";
  const std::size_t last = name.rfind('_');
  if (last != std::string_view::npos) name.remove_prefix(last + 1);
  const std::size_t point = std::min(name.find('.'), name.size() - 1);
  const bool is_round = name.starts_with('v') && point > 0 &&
                        is_digits(name.substr(1, point - 1)) && is_digits(name.substr(point + 1));
  return is_round ? std::string(name) : std::string();
}

/// The index of the submitter: above "results", or below the folder of v0.5.
std::size_t submitter_index(const std::vector<std::string>& parts, std::size_t results) {
  for (std::size_t i = 1; i < results; ++i) {
    if (is_v05_folder(parts[i - 1])) return i;
  }
  return results - 1;
}

/// The index of the folder "results" above a result file and its system; 0 if there is none.
std::size_t results_index(const std::vector<std::string>& parts) {
  constexpr std::size_t kDeepest = 6;  // results/<system>/weak/<benchmark>/pruned_results/<file>
  for (std::size_t up = 3; up <= std::min(kDeepest, parts.size()); ++up) {
    const std::size_t at = parts.size() - up;
    if (parts[at] == "results" && at >= 2) return at;
  }
  return 0;
}

/// What the folders between "results" and the file say: <system>[/<strong or weak>][/<benchmark>].
/// MLPerf HPC has the folder in the middle, and Alibaba's results of v0.7 have no benchmark.
void take_folders(const std::vector<std::string>& folders, Place& place) {
  place.system = folders.front();
  std::size_t at = 1;
  if (at < folders.size() && (folders[at] == "strong" || folders[at] == "weak")) {
    place.scaling = folders[at++];
  }
  if (at < folders.size()) place.benchmark = folders[at];
}

}  // namespace

fs::path absolute_path(const std::string& path) {
  if (path == "-") return "/dev/stdin";  // Nothing stands beside it.
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? fs::path(path) : absolute).lexically_normal();
}

Place place_of(const std::string& path) {
  constexpr std::string_view kResult = "result_";
  const fs::path file = absolute_path(path);
  const std::vector<std::string> parts(file.begin(), file.end());
  Place place;
  place.job = origin_by_stem(path).job;
  if (place.job.starts_with(kResult)) place.run = place.job.substr(kResult.size());
  const std::size_t results = results_index(parts);
  if (place.run.empty() || results == 0) return place;

  const std::size_t submitter = submitter_index(parts, results);
  const auto at = [&](std::size_t i) { return parts.begin() + static_cast<std::ptrdiff_t>(i); };
  place.submitter = parts[submitter];
  take_folders({at(results + 1), parts.end() - 1}, place);
  const std::vector<std::string> folders(at(submitter), parts.end() - 1);
  for (std::size_t i = submitter; i > 0 && place.round.empty(); --i) {
    place.round = round_of(parts[i - 1]);
  }
  const std::string round = place.round.empty() ? "" : place.round + "/";
  place.job = round + joined(folders, "/") + "/" + place.job;
  fs::path submission;
  for (auto part = parts.begin(); part != at(results); ++part) submission /= *part;
  place.entry_file = submission / "results" / place.system / "entry.json";
  place.system_file = submission / "systems" / (place.system + ".json");
  return place;
}

bool is_in_power_folder(const std::string& path) {
  const fs::path file = absolute_path(path);
  const std::string name = file.filename().string();
  return (name.starts_with("node_") || name.starts_with("sw_")) &&
         file.parent_path().parent_path().filename() == "power";
}

}  // namespace scalelaw::mllog
