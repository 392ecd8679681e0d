#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "runs/row_reading.hpp"

namespace scalelaw {

/// The column of a header that names Slurm's jobs and their steps, unless it is used.
std::optional<std::size_t> job_column(const Header& header, std::span<const std::size_t> used);

/// The columns that tell of which job of Slurm a row is, and how far the job had come.
struct JobColumns {
  std::size_t job;
  std::optional<std::size_t> cluster = {};
  std::optional<std::size_t> submitted = {};
  std::optional<std::size_t> started = {};
  std::optional<std::size_t> ended = {};
  std::optional<std::size_t> elapsed = {};

  void add_to(std::vector<std::size_t>& columns) const;
};

/// The columns of a header with a job_column().
std::optional<JobColumns> job_columns(const Header& header, std::span<const std::size_t> used);

/// Whether a header is that of an export of sacct, by a column that only Slurm has.
bool is_of_slurm(const Header& header);

/// The job of a step, "123" of "123.batch", "123.0" or "123.extern"; empty for everything else.
std::string_view job_of_step(std::string_view cell);

/// The jobs that one worker met, and the rows of steps that it set aside until it is known whether
/// their jobs have rows of their own. Of several files all rows are set aside: exports of months
/// that overlap have some jobs twice.
class JobSteps {
 public:
  /// Whether the row at [begin, end) of the block was set aside: it is of a step, or there are
  /// several files.
  bool set_aside(RowFields& fields, const JobColumns& columns, const RowBlock& block,
                 const char* begin, const char* end, bool several_files);

 private:
  friend class JobStepRows;

  struct Row {
    std::string job;  ///< Of a step; empty: the row is of a job.
    std::string cell;
    std::string text;
    RowBlock place;  ///< Of its first byte, but for the bytes.
    // Where there are several files, and the row says it:
    std::string cluster = {};
    std::string submitted = {};
    std::string started = {};
    /// Of the rows of a job the greatest counts: when it ended, its duration, and its filled cells.
    std::tuple<std::string, double, std::size_t> rank = {};
  };
  std::unordered_set<std::string> jobs_;
  std::vector<Row> rows_;
};

/// The rows of steps of all workers.
class JobStepRows {
 public:
  void add(JobSteps& worker);
  /// Counts the steps whose jobs have rows of their own, rows that repeat one of another place to
  /// the last character, and those of jobs of which another file has the row that counts. Hands out
  /// the others: take(block) gets a row with its place. @throws ParseError for a RowDefect.
  template <class Take>
  void settle(RowTally& tally, std::span<const std::string> paths, const TextLayout& layout,
              Take take) {
    put_in_order();
    std::unordered_set<std::string_view> met;
    const std::vector<Told> told = paths.size() > 1 ? told_of_rows() : std::vector<Told>();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const JobSteps::Row& row = rows_[i];
      if (!row.job.empty() && jobs_.contains(row.job)) {
        count(row, tally, tally.counts.steps, tally.step);
        continue;
      }
      const bool again = paths.size() > 1 && !met.insert(row.text).second;
      const bool is_earlier = !again && !told.empty() && told[i] == Told::kElsewhere;
      if (is_earlier) tally.earlier.add(row.cell);
      if (again || is_earlier) {
        count(row, tally, tally.counts.repeats, tally.repeat);
        continue;
      }
      if (!told.empty() && told[i] == Told::kPerhaps) tally.unlike.add(row.cell);
      RowBlock block = row.place;
      block.begin = row.text.data();
      block.end = row.text.data() + row.text.size();
      try {
        take(block);
      } catch (const RowDefect& defect) {
        throw ParseError(place_of_row(paths[defect.file], defect.offset, defect.line, layout),
                         defect.what());
      }
    }
  }

 private:
  /// Whether another file tells of a row's job.
  enum class Told {
    kHere,       ///< No, or its row does not count.
    kElsewhere,  ///< It has the row that counts.
    kPerhaps,    ///< Nothing tells whether its row is of this job.
  };

  void put_in_order();
  std::vector<Told> told_of_rows() const;
  /// Counts a row that is left out among its like, of which the first one is an example.
  static void count(const JobSteps::Row& row, RowTally& tally, std::uint64_t& alike,
                    std::string& example);

  std::unordered_set<std::string> jobs_;
  std::vector<JobSteps::Row> rows_;
};

/// "6 rows of job steps such as 123.0 are left out: their jobs have rows of their own".
std::string steps_sentence(std::uint64_t steps, std::string_view example);

/// "7 jobs such as 1026 stand in several files and count once".
std::string repeats_sentence(std::uint64_t repeats, std::string_view example);

/// "2 of them such as 1026 have other cells: ...".
std::string earlier_sentence(const NamedCount& earlier);

/// "2 rows of jobs such as 1026 have other cells than in another file and count, too: ...".
std::string unlike_sentence(const NamedCount& unlike);

}  // namespace scalelaw
