#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/fit/figure_levels.hpp"

namespace scalelaw {

/// A function that takes the next piece of a rendered text.
using TextSink = std::function<void(std::string_view)>;

enum class Format {
  kTable,
  kJson,
  kJsonl,
  kCsv,
  kTsv,
  kMarkdown,
  kLatex,
  kHtml,
  kJunit,     ///< XML that Jenkins and GitLab read: a suite with one case per comparison.
  kGithub,    ///< Workflow commands of GitHub Actions: annotations.
  kBenchmark  ///< JSON of github-action-benchmark, customSmallerIsBetter for times.
};

/// "table", "json", ...
std::string_view name_of(Format format);

/// How a result is written.
struct TableStyle {
  Format format = Format::kTable;
  std::vector<std::string> columns{};  ///< Names in their order; empty: those that suit the format.
  bool colour = false;                 ///< ANSI colours in Format::kTable.
  bool details = false;                ///< Format::kTable has what suits experts as well.
  std::size_t width = 0;  ///< Columns of a line of Format::kTable; 0: as many as it takes.

  /// Documents have everything; only the table in a terminal is kept short.
  bool shows_details() const { return details || format != Format::kTable; }
};

enum class Align { kLeft, kRight };

/// How a column stands out where colours are wanted.
enum class Tone { kPlain, kFaint, kWarning };

struct TableColumn {
  std::string header;
  Align align = Align::kLeft;
  Tone tone = Tone::kPlain;
  bool is_key = false;    ///< It tells rows apart, and is repeated when tables are stacked.
  bool is_group = false;  ///< A key whose texts are shortened where the table is too wide.
};

/// What people read in a cell, and the number that it is sorted by and copied as, if any.
struct TableCell {
  std::string_view text;
  std::optional<double> number = {};
};

/// How a LaTeX table differs from a plain tabular.
struct LatexFrame {
  std::string opening;  ///< Up to the rule below the headers.
  std::string closing;  ///< Behind the rule below the rows.
  std::function<std::string(std::string_view)> cell;
};

/// How an HTML table differs from a plain one.
struct HtmlFrame {
  std::string opening;  ///< Up to the row of the headers.
  /// Attributes of the header and of the cells of a column, each with a blank before it.
  std::function<std::string(std::size_t column)> header;
  std::function<std::string(std::size_t column, const TableCell& cell)> cell;
};

/// Rows of finished text under headers, written in any of the table formats.
///
/// Cells are kept packed, a length and the bytes each, because a study may have a hundred thousand
/// groups. Only rows with numbers take memory for them.
class TextTable {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  using Row = std::vector<TableCell>;

  explicit TextTable(std::vector<TableColumn> columns);

  /// @throws std::invalid_argument if the number of cells is not that of the columns.
  void add_row(std::span<const std::string> cells);
  void add_row(std::span<const TableCell> cells);
  /// The next row begins a new part of the table. Drawn where the parts have two rows on average.
  void begin_part();
  bool empty() const { return rows_ == 0; }
  std::size_t size() const { return rows_; }
  const std::vector<TableColumn>& columns() const { return columns_; }
  /// Calls `visit` with the first rows in their order, and whether a part begins there. The texts
  /// are printable.
  void for_each_row(const std::function<void(const Row&, bool)>& visit,
                    std::size_t most = kAll) const;

  /// Aligned columns for a person, control characters made visible; ANSI colours if asked for.
  /// A table that is wider than `width` gets heads of several lines, then shorter keys; then its
  /// columns are stacked in several tables, each with the keys. 0: it takes the width it needs.
  void write_text(const TextSink& sink, bool colour, std::size_t width = 0) const;
  /// GitHub's table, characters that mean something in Markdown escaped. The first `most` rows.
  void write_markdown(const TextSink& sink, std::size_t most = kAll) const;
  /// A tabular with booktabs rules, ready for \input.
  void write_latex(const TextSink& sink) const;
  void write_latex(const TextSink& sink, const LatexFrame& frame, std::size_t most = kAll) const;
  /// A <table> element that needs nothing else.
  void write_html(const TextSink& sink) const;
  void write_html(const TextSink& sink, const HtmlFrame& frame, std::size_t most = kAll) const;
  /// One of the four above.
  /// @throws std::invalid_argument for the formats of data.
  void write(Format format, const TextSink& sink, bool colour, std::size_t width = 0) const;

 private:
  void begin_row(std::size_t cells, bool with_numbers);
  void append_text(std::size_t column, std::string_view text);
  bool draws_parts() const;
  /// Whether each row has other keys; false of more than a thousand rows.
  bool keys_tell_rows_apart() const;
  /// The different texts of a column, of the first thousand rows.
  std::set<std::string> texts_of(std::size_t column) const;

  std::vector<TableColumn> columns_;
  std::deque<std::string>
      blocks_;  ///< Whole rows each; growing one string would copy it and double the peak.
  std::vector<std::size_t> widths_;  ///< The widest cell of each column, as text, without its head.
  std::size_t rows_ = 0;
  std::size_t parts_ = 1;
  bool part_begins_ = false;
};

/// `text` as it stands in a table of that format. Exposed for notes that stand beside a table.
std::string escaped_markdown(std::string_view text);
std::string escaped_latex(std::string_view text);
std::string escaped_html(std::string_view text);

/// Writes the results of groups one after the other, without keeping them. JSON and CSV are written
/// at once. Tables for people wait for the last row, which settles the widths of columns.
///
/// Numbers read back exactly. Undefined values are null in JSON and empty in CSV. Tables for people
/// round.
template <class T>
class GroupWriter {
 public:
  virtual ~GroupWriter() = default;
  /// The figures of a Fit that the writer reads; the chosen columns may need only a few.
  virtual Figures figures() const { return Figures::kAll; }
  /// Writes the next group. Call in group order.
  virtual void write(const Grouped<T>& group) = 0;
  /// Writes the end of the report. Call this once, after the last group.
  virtual void finish() = 0;
};

/// Writes all groups and closes the report.
template <class T, class Groups>
void write_groups(GroupWriter<T>& writer, const Groups& groups) {
  for (const auto& group : groups) writer.write(group);
  writer.finish();
}

}  // namespace scalelaw
