#include "runs/job_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

bool is_step_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a text is a number of a step or a job: digits, with a part of a mixed job, "12+1".
bool is_step_number(std::string_view text) {
  const std::size_t plus = text.find('+');
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), is_step_digit);
  };
  if (plus == std::string_view::npos) return digits(text);
  return digits(text.substr(0, plus)) && digits(text.substr(plus + 1));
}

}  // namespace

std::optional<std::size_t> job_column(const Header& header, std::span<const std::size_t> used) {
  for (std::size_t place = 0; place < header.names.size(); ++place) {
    const std::vector<std::string> words = words_of_name(header.names[place]);
    const auto has = [&words](std::string_view word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (!has("job") || !has("id")) continue;
    if (std::find(used.begin(), used.end(), place) == used.end()) return place;
  }
  return std::nullopt;
}

bool is_of_slurm(const Header& header) {
  static constexpr std::array<std::string_view, 9> kColumns{
      "alloctres", "reqtres", "elapsedraw", "consumedenergy", "consumedenergyraw",
      "exitcode",  "nnodes",  "allocnodes", "alloccpus"};
  return std::any_of(header.names.begin(), header.names.end(), [](const std::string& name) {
    return std::find(kColumns.begin(), kColumns.end(), lower_case(name)) != kColumns.end();
  });
}

std::string_view job_of_step(std::string_view cell) {
  const std::size_t point = cell.find('.');
  if (point == std::string_view::npos || point == 0 || !is_step_digit(cell.front())) return {};
  // A task of an array is a job: "123_4".
  const std::string_view job = cell.substr(0, point);
  const std::string_view step = cell.substr(point + 1);
  if (!is_step_number(
          job.substr(job.find('_') == std::string_view::npos ? 0 : job.find('_') + 1))) {
    return {};
  }
  const bool named = step == "batch" || step == "extern" || step == "interactive";
  return named || is_step_number(step) ? job : std::string_view();
}

bool JobSteps::set_aside(std::string_view cell, const RowBlock& block, const char* begin,
                         const char* end, bool several_files) {
  const std::string_view job = job_of_step(cell);
  if (job.empty()) {
    jobs_.emplace(cell);
    if (!several_files) return false;
  }
  Row row{std::string(job), std::string(cell), std::string(begin, end), block};
  row.place.offset += static_cast<std::uint64_t>(begin - block.begin);
  if (block.line > 0) {
    row.place.line += static_cast<std::uint64_t>(std::count(block.begin, begin, '\n'));
  }
  rows_.push_back(std::move(row));
  return true;
}

void JobStepRows::add(JobSteps& worker) {
  jobs_.merge(worker.jobs_);
  std::move(worker.rows_.begin(), worker.rows_.end(), std::back_inserter(rows_));
}

void JobStepRows::put_in_order() {
  std::sort(rows_.begin(), rows_.end(), [](const JobSteps::Row& a, const JobSteps::Row& b) {
    return std::pair(a.place.file, a.place.offset) < std::pair(b.place.file, b.place.offset);
  });
}

bool JobStepRows::is_of_known_job(const JobSteps::Row& row) const {
  return !row.job.empty() && jobs_.contains(row.job);
}

void JobStepRows::count_repeat(const JobSteps::Row& row, RowTally& tally) {
  ++tally.counts.read;
  ++tally.counts.repeats;
  std::string& example = tally.repeat;
  if (example.empty() || natural_less(row.cell, example)) example = row.cell;
}

void JobStepRows::count_unlike(const JobSteps::Row& row, RowTally& tally) {
  ++tally.unlike;
  std::string& example = tally.unlike_job;
  if (example.empty() || natural_less(row.cell, example)) example = row.cell;
}

void JobStepRows::count(const JobSteps::Row& row, RowTally& tally) {
  ++tally.counts.read;
  ++tally.counts.steps;
  std::string& example = tally.step;
  if (example.empty() || natural_less(row.cell, example)) example = row.cell;
}

std::string repeats_sentence(std::uint64_t repeats, std::string_view example) {
  return fmt::format("{} such as {} {} in several files and {} once", counted(repeats, "job"),
                     printable(example), repeats == 1 ? "stands" : "stand",
                     repeats == 1 ? "counts" : "count");
}

std::string unlike_sentence(std::uint64_t unlike, std::string_view example) {
  return fmt::format(
      "{} of jobs such as {} {} other cells than in an earlier file and {}, too: 'ingest' tells "
      "which rows are of one job, and keeps one of each",
      counted(unlike, "row"), printable(example), unlike == 1 ? "has" : "have",
      unlike == 1 ? "counts" : "count");
}

std::string steps_sentence(std::uint64_t steps, std::string_view example) {
  return fmt::format("{} of job steps such as {} {} left out: {} of {} own", counted(steps, "row"),
                     printable(example), steps == 1 ? "is" : "are",
                     steps == 1 ? "its job has a row" : "their jobs have rows",
                     steps == 1 ? "its" : "their");
}

}  // namespace scalelaw
