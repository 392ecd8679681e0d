#include "input/parquet.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "input/column_stream.hpp"
#include "input/duckdb.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

/// A file that DuckDB opens by its descriptor: a name with wildcards, or one that looks like an
/// address on the network, means nothing else to it then.
class DescribedFile {
 public:
  explicit DescribedFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw DataError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
    }
  }
  ~DescribedFile() { ::close(descriptor_); }
  DescribedFile(const DescribedFile&) = delete;
  DescribedFile& operator=(const DescribedFile&) = delete;

  /// "SELECT <what> FROM <the table>".
  std::string query(std::string_view what) const {
    return fmt::format("SELECT {} FROM read_parquet('/proc/self/fd/{}', hive_partitioning = false)",
                       what, descriptor_);
  }

 private:
  int descriptor_;
};

/// The table of a file as CSV. Numbers are DuckDB's texts: whole numbers and decimals have all
/// their digits, and a float or double the fewest that tell it from all others. A null is an empty
/// cell.
class ParquetStream final : public ColumnStream {
 public:
  explicit ParquetStream(const std::string& path)
      : calls_(duckdb_library(path)),
        file_(path),
        header_(calls_, file_.query("*") + " LIMIT 0", path),
        name_(path),
        rows_(std::make_unique<DuckDbRows>(calls_, file_.query("CAST(COLUMNS(*) AS VARCHAR)"),
                                           path)) {
    std::string names;
    for (std::size_t i = 0; i < header_.columns(); ++i) {
      if (i > 0) names += ',';
      append_csv_text(header_.column_name(i), names);
    }
    begin_with(names + '\n');
  }

  void keep_columns(std::vector<std::size_t> columns) override {
    if (columns.empty()) return;
    std::string chosen;
    for (std::size_t i = 0; i < header_.columns(); ++i) {
      const bool kept = std::ranges::find(columns, i) != columns.end();
      chosen += fmt::format("{}CAST({} AS VARCHAR)", i == 0 ? "" : ", ",
                            kept ? identifier(header_.column_name(i)) : "NULL");
    }
    rows_.reset();
    rows_ = std::make_unique<DuckDbRows>(
        calls_, file_.query(chosen) + fmt::format(" OFFSET {}", taken_), name_);
  }

 private:
  static std::string identifier(const std::string& name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
  }

  bool append_rows(std::string& text) override {
    if (!rows_->next()) return false;
    taken_ += rows_->rows();
    const std::size_t columns = header_.columns();
    for (std::size_t row = 0; row < rows_->rows(); ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        if (column > 0) text += ',';
        if (const auto cell = rows_->text(row, column)) append_csv_text(*cell, text);
      }
      if (columns == 1 && (text.empty() || text.back() == '\n')) text += "\"\"";
      text += '\n';
    }
    return true;
  }

  const DuckDbCalls& calls_;
  DescribedFile file_;
  DuckDbRows header_;
  std::string name_;
  std::unique_ptr<DuckDbRows> rows_;
  std::uint64_t taken_ = 0;  ///< Rows that became text.
};

std::unique_ptr<ByteStream> open_parquet(const std::string& path, const std::string* label) {
  if (label != nullptr) {
    throw DataError(fmt::format("{}@{}: a Parquet file keeps nothing but its table; leave out @{}",
                                path, *label, *label));
  }
  return std::make_unique<ParquetStream>(path);
}

std::optional<std::string> never_unfinished(const std::string& /*path*/) { return std::nullopt; }

}  // namespace

constexpr Container kParquet{.kind = "Parquet file",
                             .magic = "PAR1",
                             .labelled = "",
                             .no_table = "a Parquet file, where another document is wanted",
                             .open = open_parquet,
                             .unfinished = never_unfinished};

}  // namespace scalelaw
