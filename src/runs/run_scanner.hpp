#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "group_store.hpp"
#include "row_reading.hpp"
#include "run_ids.hpp"
#include "scalelaw/input/row_blocks.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {

/// Reads the rows of run tables into one GroupStore per worker. Rows without quotes go through a
/// scan of separator positions. All others, and rows with anything unusual, go through the
/// tokenizer. There is one definition of a row: the scan takes only rows for which the tokenizer
/// would do the same.
class RunScanner : public RowConsumer {
 public:
  RunScanner(std::vector<std::string> paths, const RunOptions& options, int workers);
  ~RunScanner() override;

  void open_table(std::size_t file, const Header& header, std::string_view sample) override;
  const char* take_plain(const RowBlock& block, int worker) override;
  void take_quoted(const RowBlock& block, int worker) override;
  void restart() override;

  const ChosenColumns& columns() const { return *columns_; }
  const std::string& y_unit() const { return y_unit_; }
  RowTally tally() const;
  /// The runs of the used rows, if columns() has an unused column of runs.
  RunIds& run_ids() { return *run_ids_; }
  /// The rows that were read, one store per worker. The scanner cannot be used afterwards.
  std::vector<std::unique_ptr<GroupStore>> release_stores();

 private:
  /// The places of the fields in one table.
  struct TablePlan {
    char separator = ',';
    std::vector<std::string> names;
    std::size_t x = 0;
    std::size_t y = 0;
    std::vector<std::size_t> by;
    std::optional<std::size_t> run;
    std::optional<std::size_t> unused_run;
    std::optional<std::size_t> weights;
    std::vector<std::size_t> filters;      ///< The column of each filter.
    std::vector<std::size_t> row_filters;  ///< Filters on other columns than group columns and x.

    std::size_t width() const { return names.size(); }
  };
  struct Worker;

  void choose(const Header& header, std::string_view sample, std::string_view source);
  TablePlan plan_for(const Header& header, std::string_view source) const;
  void look_at_sample(const TablePlan& plan, std::string_view sample);

  struct IndexedRows;
  static const char* end_of_stretch(const char* begin, const char* end);
  static bool make_regular(IndexedRows& rows, std::uint32_t* ends);
  void scan_rows(const IndexedRows& rows, Worker& worker) const;
  void note_runs(const IndexedRows& rows, Worker& worker) const;
  template <std::size_t kVectors, bool kOneSpan, bool kJoint>
  void scan_rows_of(const IndexedRows& rows, Worker& worker) const;
  void take_indexed_row(const IndexedRows& rows, const std::uint32_t* ends, Worker& worker) const;
  bool row_filters_hold(const IndexedRows& rows, const std::uint32_t* ends,
                        const TablePlan& plan) const;
  std::uint32_t learn_pair(const IndexedRows& rows, const std::uint32_t* ends,
                           Worker& worker) const;
  std::uint32_t learn_group(const IndexedRows& rows, const std::uint32_t* ends,
                            Worker& worker) const;
  std::uint32_t learn_x(const IndexedRows& rows, const std::uint32_t* ends, Worker& worker) const;

  void take_lines(const RowBlock& block, const char* begin, const char* end, Worker& worker) const;
  void take_row(const RowBlock& block, const char* begin, const char* end, Worker& worker) const;
  void read_row(const RowBlock& block, const char* begin, const char* end, Worker& worker) const;

  std::vector<std::string> paths_;
  RunOptions options_;
  std::vector<RowFilter> filters_;
  bool plain_values_;  ///< There are no runs or weights: a row is (group, x, y).
  std::optional<ChosenColumns> columns_;
  std::string x_unit_;
  std::string y_unit_;
  std::vector<std::size_t> longest_;  ///< Longest field of each column in a sample; sizes raw keys.
  std::vector<TablePlan> plans_;      ///< One per path.
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<RunIds> run_ids_;
};

}  // namespace scalelaw
