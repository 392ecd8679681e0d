#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
};

enum class Align { kLeft, kRight };

/// How a column stands out where colours are wanted.
enum class Tone { kPlain, kFaint, kWarning };

struct TableColumn {
  std::string header;
  Align align = Align::kLeft;
  Tone tone = Tone::kPlain;
};

/// A table of finished text that can be written in any of the table formats.
///
/// Each cell is kept as a length and its bytes, because a study may have a hundred thousand groups.
class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns);

  /// @throws std::invalid_argument if the number of cells is not that of the columns.
  void add_row(std::span<const std::string> cells);
  /// The next row begins a new part of the table. Drawn where the parts have two rows on average.
  void begin_part();
  bool empty() const { return rows_ == 0; }

  /// Aligned columns for a person, control characters made visible; ANSI colours if asked for.
  void write_text(const TextSink& sink, bool colour) const;
  /// GitHub's table, characters that mean something in Markdown escaped.
  void write_markdown(const TextSink& sink) const;
  /// A tabular with booktabs rules, ready for \input.
  void write_latex(const TextSink& sink) const;
  /// A <table> element that needs nothing else.
  void write_html(const TextSink& sink) const;
  /// One of the four above.
  /// @throws std::invalid_argument for the formats of data.
  void write(Format format, const TextSink& sink, bool colour) const;

 private:
  using Row = std::vector<std::string_view>;
  /// Calls `visit` with every row in order, and whether a part begins there.
  void for_each_row(const std::function<void(const Row&, bool)>& visit) const;
  void append_cell(std::string_view text);
  bool draws_parts() const;

  std::vector<TableColumn> columns_;
  std::deque<std::string>
      blocks_;  ///< Whole rows each; growing one string would copy it and double the peak.
  std::vector<std::size_t> widths_;  ///< The widest cell of each column, as text.
  std::size_t rows_ = 0;
  std::size_t parts_ = 1;
  bool part_begins_ = false;
};

/// `text` as it stands in a table of that format. Exposed for notes that stand beside a table.
std::string escaped_markdown(std::string_view text);
std::string escaped_latex(std::string_view text);
std::string escaped_html(std::string_view text);

}  // namespace scalelaw
