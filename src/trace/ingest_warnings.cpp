#include "trace/ingest_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "base/some_of.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/run_facts.hpp"
#include "trace/run_places.hpp"

namespace scalelaw {
namespace {

/// What is said of one oddity, and of several.
struct OddityWords {
  TraceOddity oddity;
  std::string_view one;
  std::string_view many;
};

constexpr OddityWords kWords[] = {
    {TraceOddity::kBadCell, "cell is no number and counts as not measured",
     "cells are no numbers and count as not measured"},
    {TraceOddity::kForeignLine, "line is no sample and was left out",
     "lines are no samples and were left out"},
    {TraceOddity::kCutLine, "last line is cut and was left out",
     "last lines are cut and were left out"},
    {TraceOddity::kRepeatedHeader, "header came again", "headers came again"},
    {TraceOddity::kFailedRun, "run failed or was cancelled and was left out",
     "runs failed or were cancelled and were left out"},
    {TraceOddity::kUnfinishedRun, "run is not finished and was left out",
     "runs are not finished and were left out"},
    {TraceOddity::kOtherStep, "step stands apart and does not count in the time of a step",
     "steps stand apart and do not count in the time of a step"},
    {TraceOddity::kRepeatedLine, "line repeats a step or result, which counts once",
     "lines repeat a step or result, which counts once"},
    {TraceOddity::kOtherName, "file has a name that does not fit --name-pattern",
     "files have names that do not fit --name-pattern"},
    {TraceOddity::kLongText, "text is too long for a cell and was left out",
     "texts are too long for a cell and were left out"},
    {TraceOddity::kLoneValue,
     "metric that --metric chooses from has only the one value of its summary",
     "metrics that --metric chooses from have only the one value of their summary"},
    {TraceOddity::kDerivedRow, "result is computed from others and was left out",
     "results are computed from others and were left out"},
    {TraceOddity::kDamagedRecord, "record is damaged, and what stands behind it is not read",
     "records are damaged, and what stands behind them is not read"},
    {TraceOddity::kPartOfNodes,
     "run has power logs of some of its nodes only: its energy is left empty, and "
     "energy_seen_j is that of the nodes that were logged",
     "runs have power logs of some of their nodes only: their energy is left empty, and "
     "energy_seen_j is that of the nodes that were logged"},
    {TraceOddity::kNoAccelerator,
     "run had no accelerators: its column accelerators is empty, and processors counts what "
     "it ran on",
     "runs had no accelerators: their column accelerators is empty, and processors counts "
     "what they ran on"},
    {TraceOddity::kAboveLimit,
     "power is more than 1.5 times what the GPU may draw: a wrong reading, or another unit?",
     "powers are more than 1.5 times what the GPU may draw: wrong readings, or another "
     "unit?"},
    {TraceOddity::kLostLoss,
     "logged loss is NaN or infinite: where it is the last one of a run, loss is empty",
     "logged losses are NaN or infinite: where the last one of a run is, loss is empty"},
    {TraceOddity::kOtherSeries,
     "column is of no GPU, without a name, or of a quantity that is not read, and was left out",
     "columns are of no GPU, without a name, or of quantities that are not read, and were left "
     "out"},
    {TraceOddity::kAbandonedStart,
     "start of a program made no step: its settings do not count for the next one",
     "starts of programs made no step: their settings do not count for the next ones"},
    {TraceOddity::kBareStep,
     "step has neither a time nor a loss in its line: was the line wrapped or cut?",
     "steps have neither a time nor a loss in their lines: were the lines wrapped or cut?"},
    {TraceOddity::kCounterReset,
     "counter of energy began anew: what came before counts, and what was used between the last "
     "reading and the reset is not known",
     "counters of energy began anew: what came before counts, and what was used between the last "
     "readings and the resets is not known"},
    {TraceOddity::kRepeatedRun, "row tells again of a run, which counts once",
     "rows tell again of runs, each of which counts once"},
    {TraceOddity::kSecondWriter,
     "event file logs steps of another one of its folder, which was written at the same time: what "
     "that one says counts, and both may be runs of their own or processes of one",
     "event files log steps of another one of their folder, which was written at the same time: "
     "what that one says counts, and they may be runs of their own or processes of one"},
    {TraceOddity::kWithoutStep, "value was logged without a step and has no place in a curve",
     "values were logged without a step and have no place in a curve"},
};

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

std::string count_of(const OddityCounts& oddities, TraceOddity oddity, std::string_view noun,
                     std::string_view words) {
  const auto found = oddities.find(oddity);
  if (found == oddities.end()) return "";
  return fmt::format("; {} {}, the first at {}", counted(found->second.count, noun), words,
                     found->second.first);
}

std::vector<std::string> oddity_warnings(const OddityCounts& oddities) {
  std::vector<std::string> warnings;
  for (const auto& [oddity, one, many] : kWords) {
    const auto found = oddities.find(oddity);
    if (found == oddities.end()) continue;
    const OddityCount& count = found->second;
    warnings.push_back(fmt::format("{} {}, the first at {}", count.count,
                                   count.count == 1 ? one : many, count.first));
  }
  return warnings;
}

std::string repeat_warning(std::uint64_t samples, std::uint64_t dropped) {
  if (dropped == 0 || dropped * 10 < samples) return "";
  return fmt::format(
      "{} samples repeat the time stamp of their GPU and were left out: do the traces say to which "
      "GPU a sample belongs?",
      dropped);
}

std::vector<std::string> idle_warnings(const std::vector<DeviceRow>& devices,
                                       const BusyWindows& windows, double idle_below_pct) {
  std::set<std::string> unmeasured;
  for (const DeviceRow& device : devices) {
    if (!windows.contains(device.job)) unmeasured.insert(device.job);
  }
  std::vector<std::string> idle;
  for (const auto& [job, window] : windows) {
    if (window.is_empty()) idle.push_back(job);
  }
  std::vector<std::string> warnings;
  if (!unmeasured.empty()) {
    warnings.push_back(fmt::format("{} without a utilisation: nothing was trimmed, the first: {}",
                                   counted(unmeasured.size(), "job"), *unmeasured.begin()));
  }
  if (!idle.empty()) {
    warnings.push_back(
        fmt::format("{} never used {} % of a GPU: nothing is left of {}, the first: "
                    "{}",
                    counted(idle.size(), "job"), idle_below_pct, idle.size() == 1 ? "it" : "them",
                    idle.front()));
  }
  return warnings;
}

std::string failed_training_warning(const std::vector<JobRecord>& records) {
  std::vector<std::string> failed;
  for (const JobRecord& record : records) {
    const bool is_training = !fact_in(record.facts, "framework").empty();
    if (is_training && fact_in(record.facts, "status") == "failed") failed.push_back(record.job);
  }
  if (failed.empty()) return "";
  const bool is_one = failed.size() == 1;
  return fmt::format(
      "{} in an error before {} last step: {}. The status of {} is failed, so that "
      "fits leave {} out",
      is_one ? "1 training ended" : fmt::format("{} trainings ended", failed.size()),
      is_one ? "its" : "their", some_of(failed), is_one ? "its row" : "their rows",
      is_one ? "it" : "them");
}

void RunFolders::add(const TraceFile& file, const std::vector<JobRecord>& records) {
  static constexpr std::string_view kOthers[] = {"hf-trainer",    "wandb",       "lightning",
                                                 "tensorboard",   "mlflow",      "codecarbon",
                                                 "carbontracker", "zeus-monitor"};
  const auto logs = formats_of_logs();
  const std::string_view name = file.format->name;
  const bool is_log =
      std::ranges::any_of(logs, [&](const TraceFormat* format) { return format->name == name; });
  if (!is_log && !is_one_of(name, kOthers)) return;
  const Source source{folder_of(file.path), is_log ? "log" : name};
  for (const JobRecord& record : records) {
    if (record.file.empty()) {
      by_job_.try_emplace(record.job, source);
    } else {
      by_file_.try_emplace(record.file, source);
    }
  }
}

std::string RunFolders::warning(const std::vector<JobRecord>& records) const {
  using Kinds = std::map<std::string_view, std::vector<std::string>>;
  std::map<std::string, Kinds> found;
  for (const JobRecord& record : records) {
    const auto& known = record.file.empty() ? by_job_ : by_file_;
    const auto source = known.find(record.file.empty() ? record.job : record.file);
    if (source == known.end()) continue;
    found[source->second.folder][source->second.kind].push_back(record.job);
  }
  std::map<std::string, Kinds> folders;
  for (const auto& [folder, kinds] : found) {
    // Where its own files are of several kinds, the folder above may have many such folders.
    Kinds& all = folders[kinds.size() > 1 ? folder : folder_above_parts(folder)];
    for (const auto& [kind, jobs] : kinds) {
      all[kind].insert(all[kind].end(), jobs.begin(), jobs.end());
    }
  }
  std::erase_if(folders, [](const auto& folder) { return folder.second.size() < 2; });
  if (folders.empty()) return "";
  const auto& [folder, kinds] = *folders.begin();
  std::vector<std::string> rows;
  for (const auto& [kind, jobs] : kinds) {
    rows.push_back(fmt::format("{} of {}", some_of(jobs), kind));
  }
  return fmt::format(
      "{} {} rows from several kinds of files, the first: {} (rows {}). Where these tell of one "
      "run, it counts twice: keep one of its rows, or name files of one kind and give what others "
      "tell as a table of jobs (--jobs)",
      counted(folders.size(), "folder"), folders.size() == 1 ? "has" : "have", folder,
      joined(rows));
}

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
