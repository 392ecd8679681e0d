#include "runs/job_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

bool is_step_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a text is a number of a step or a job: digits, with a part of a mixed job, "12+1".
bool is_step_number(std::string_view text) {
  const std::size_t plus = text.find('+');
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_step_digit);
  };
  if (plus == std::string_view::npos) return digits(text);
  return digits(text.substr(0, plus)) && digits(text.substr(plus + 1));
}

/// A time; empty for what is none, such as "Unknown" of a job that still runs.
std::string time_in(std::string text) {
  const bool is_time = !text.empty() && is_step_digit(text.front());
  return is_time ? std::move(text) : std::string();
}

/// The seconds of Elapsed or ElapsedRaw; 0 for what is no duration.
double seconds_in(std::string_view text) {
  const auto number = parse_number(text);
  return (number ? number : parse_duration(text)).value_or(0);
}

/// Whether both say something.
bool are_told(const std::string& a, const std::string& b) { return !a.empty() && !b.empty(); }

}  // namespace

void JobColumns::add_to(std::vector<std::size_t>& columns) const {
  columns.push_back(job);
  for (const auto& column : {cluster, submitted, started, ended, elapsed}) {
    if (column) columns.push_back(*column);
  }
}

std::optional<JobColumns> job_columns(const Header& header, std::span<const std::size_t> used) {
  const auto job = job_column(header, used);
  if (!job) return std::nullopt;
  const auto column = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(
        header.names, [name](const std::string& own) { return lower_case(own) == name; });
    if (found == header.names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.names.begin());
  };
  const auto raw = column("elapsedraw");
  return JobColumns{.job = *job,
                    .cluster = column("cluster"),
                    .submitted = column("submit"),
                    .started = column("start"),
                    .ended = column("end"),
                    .elapsed = raw ? raw : column("elapsed")};
}

std::optional<std::size_t> job_column(const Header& header, std::span<const std::size_t> used) {
  for (std::size_t place = 0; place < header.names.size(); ++place) {
    const std::vector<std::string> words = words_of_name(header.names[place]);
    const auto has = [&words](std::string_view word) {
      return std::ranges::find(words, word) != words.end();
    };
    if (!has("job") || !has("id")) continue;
    if (std::ranges::find(used, place) == used.end()) return place;
  }
  return std::nullopt;
}

bool is_of_slurm(const Header& header) {
  static constexpr std::array<std::string_view, 9> kColumns{
      "alloctres", "reqtres", "elapsedraw", "consumedenergy", "consumedenergyraw",
      "exitcode",  "nnodes",  "allocnodes", "alloccpus"};
  return std::ranges::any_of(header.names, [](const std::string& name) {
    return std::ranges::find(kColumns, lower_case(name)) != kColumns.end();
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

bool JobSteps::set_aside(RowFields& fields, const JobColumns& columns, const RowBlock& block,
                         const char* begin, const char* end, bool several_files) {
  const std::string cell(fields.text(columns.job));
  const std::string_view job = job_of_step(cell);
  if (job.empty()) {
    jobs_.emplace(cell);
    if (!several_files) return false;
  }
  Row row{std::string(job), cell, std::string(begin, end), block};
  row.place.offset += static_cast<std::uint64_t>(begin - block.begin);
  if (block.line > 0) {
    row.place.line += static_cast<std::uint64_t>(std::count(block.begin, begin, '\n'));
  }
  if (several_files) {
    const auto text = [&](std::optional<std::size_t> column) {
      return column ? std::string(fields.text(*column)) : std::string();
    };
    row.cluster = text(columns.cluster);
    row.submitted = time_in(text(columns.submitted));
    row.started = time_in(text(columns.started));
    row.rank = {time_in(text(columns.ended)), seconds_in(text(columns.elapsed)),
                fields.count_filled()};
  }
  rows_.push_back(std::move(row));
  return true;
}

void JobStepRows::add(JobSteps& worker) {
  jobs_.merge(worker.jobs_);
  std::move(worker.rows_.begin(), worker.rows_.end(), std::back_inserter(rows_));
}

void JobStepRows::put_in_order() {
  std::ranges::sort(rows_, [](const JobSteps::Row& a, const JobSteps::Row& b) {
    return std::pair(a.place.file, a.place.offset) < std::pair(b.place.file, b.place.offset);
  });
}

/// Rows of one id in several files are of one job if they have its time of submission, which Slurm
/// knows a job by, or else of its start.
std::vector<JobStepRows::Told> JobStepRows::told_of_rows() const {
  struct Job {
    std::size_t counts;  ///< The row.
    std::size_t file;    ///< The last one that told of it: rows of one file are of several jobs.
  };
  std::vector<Told> told(rows_.size(), Told::kHere);
  std::vector<Job> jobs;
  std::unordered_map<std::string, std::vector<std::size_t>> jobs_at;  // By id and time.
  std::unordered_map<std::string_view, std::size_t> first_of_id;
  const auto find_job = [&](const JobSteps::Row& row, const std::string& key) -> Job* {
    const auto known = jobs_at.find(key);
    if (known == jobs_at.end()) return nullptr;
    for (const std::size_t job : known->second) {
      const JobSteps::Row& other = rows_[jobs[job].counts];
      const bool is_other =
          (are_told(row.cluster, other.cluster) && row.cluster != other.cluster) ||
          (are_told(row.submitted, other.submitted) && row.submitted != other.submitted);
      if (!is_other && jobs[job].file != row.place.file) return &jobs[job];
    }
    return nullptr;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const JobSteps::Row& row = rows_[i];
    std::vector<std::string> keys;
    if (!row.submitted.empty()) keys.push_back(row.cell + "\x1fsubmitted\x1f" + row.submitted);
    if (!row.started.empty()) keys.push_back(row.cell + "\x1fstarted\x1f" + row.started);
    Job* job = nullptr;
    for (const std::string& key : keys) job = job == nullptr ? find_job(row, key) : job;
    if (job != nullptr) {
      const bool is_later = row.rank > rows_[job->counts].rank;
      told[is_later ? job->counts : i] = Told::kElsewhere;
      *job = {is_later ? i : job->counts, row.place.file};
      continue;
    }
    for (const std::string& key : keys) jobs_at[key].push_back(jobs.size());
    jobs.push_back({i, row.place.file});
    const JobSteps::Row& first = rows_[first_of_id.try_emplace(row.cell, i).first->second];
    const bool is_other_job =
        (are_told(row.cluster, first.cluster) && row.cluster != first.cluster) ||
        are_told(row.submitted, first.submitted) ||
        (are_told(row.started, first.started) && row.started != first.started);
    if (first.place.file != row.place.file && !is_other_job) told[i] = Told::kPerhaps;
  }
  return told;
}

void JobStepRows::count(const JobSteps::Row& row, RowTally& tally, std::uint64_t& alike,
                        std::string& example) {
  ++tally.counts.read;
  ++alike;
  if (example.empty() || natural_less(row.cell, example)) example = row.cell;
}

std::string repeats_sentence(std::uint64_t repeats, std::string_view example) {
  return fmt::format("{} such as {} {} in several files and {} once", counted(repeats, "job"),
                     printable(example), repeats == 1 ? "stands" : "stand",
                     repeats == 1 ? "counts" : "count");
}

std::string earlier_sentence(const NamedCount& earlier) {
  return fmt::format(
      "{} of them such as {} {} other cells: the row of a job that ended last counts, then that "
      "which took longest, then that with most cells; 'ingest' tells which cells differ",
      earlier.count, printable(earlier.first), earlier.count == 1 ? "has" : "have");
}

std::string unlike_sentence(const NamedCount& unlike) {
  return fmt::format(
      "{} of jobs such as {} {} other cells than in an earlier file and {}, too: without Submit or "
      "Start nothing tells whether they are of one job",
      counted(unlike.count, "row"), printable(unlike.first), unlike.count == 1 ? "has" : "have",
      unlike.count == 1 ? "counts" : "count");
}

std::string steps_sentence(std::uint64_t steps, std::string_view example) {
  return fmt::format("{} of job steps such as {} {} left out: {} of {} own", counted(steps, "row"),
                     printable(example), steps == 1 ? "is" : "are",
                     steps == 1 ? "its job has a row" : "their jobs have rows",
                     steps == 1 ? "its" : "their");
}

}  // namespace scalelaw
