#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runs/row_reading.hpp"

namespace scalelaw {

/// The column of a header that names Slurm's jobs and their steps, unless it is used.
std::optional<std::size_t> job_column(const Header& header, std::span<const std::size_t> used);

/// Whether a header is that of an export of sacct, by a column that only Slurm has.
bool is_of_slurm(const Header& header);

/// The job of a step, "123" of "123.batch", "123.0" or "123.extern"; empty for everything else.
std::string_view job_of_step(std::string_view cell);

/// The jobs that one worker met, and the rows of steps that it set aside until it is known whether
/// their jobs have rows of their own. Of several files all rows are set aside: exports of months
/// that overlap have some jobs twice.
class JobSteps {
 public:
  /// Whether the row was set aside: it is of a step, or there are several files.
  bool set_aside(std::string_view cell, const RowBlock& block, const char* begin, const char* end,
                 bool several_files);

 private:
  friend class JobStepRows;

  struct Row {
    std::string job;  ///< Of a step; empty: the row is of a job.
    std::string cell;
    std::string text;
    RowBlock place;  ///< Of its first byte, but for the bytes.
  };
  std::unordered_set<std::string> jobs_;
  std::vector<Row> rows_;
};

/// The rows of steps of all workers.
class JobStepRows {
 public:
  void add(JobSteps& worker);
  /// Counts the steps whose jobs have rows of their own, and rows that repeat one of another place
  /// to the last character. Hands out the others: take(block) gets a row with its place. @throws
  /// ParseError for a RowDefect.
  template <class Take>
  void settle(RowTally& tally, std::span<const std::string> paths, const TextLayout& layout,
              Take take) {
    put_in_order();
    std::unordered_set<std::string_view> met;
    std::unordered_map<std::string_view, std::size_t> file_of_job;
    for (const JobSteps::Row& row : rows_) {
      if (is_of_known_job(row)) {
        count(row, tally);
        continue;
      }
      if (paths.size() > 1 && !met.insert(row.text).second) {
        count_repeat(row, tally);
        continue;
      }
      const bool is_known = !file_of_job.try_emplace(row.cell, row.place.file).second;
      if (is_known && file_of_job[row.cell] != row.place.file) count_unlike(row, tally);
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
  void put_in_order();
  bool is_of_known_job(const JobSteps::Row& row) const;
  static void count_repeat(const JobSteps::Row& row, RowTally& tally);
  static void count_unlike(const JobSteps::Row& row, RowTally& tally);
  static void count(const JobSteps::Row& row, RowTally& tally);

  std::unordered_set<std::string> jobs_;
  std::vector<JobSteps::Row> rows_;
};

/// "6 rows of job steps such as 123.0 are left out: their jobs have rows of their own".
std::string steps_sentence(std::uint64_t steps, std::string_view example);

/// "7 jobs such as 1026 stand in several files and count once".
std::string repeats_sentence(std::uint64_t repeats, std::string_view example);

/// "2 rows of jobs such as 1026 differ from those of earlier files, and count: ...".
std::string unlike_sentence(std::uint64_t unlike, std::string_view example);

}  // namespace scalelaw
