#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/container.hpp"

namespace scalelaw {

struct DuckDbCalls;

/// DuckDB's shared library, opened when it is first asked for. scalelaw is not linked with it and
/// uses it for reading only.
///
/// It is looked for at SCALELAW_DUCKDB (the file, or its folder), beside the command, where the
/// loader looks (LD_LIBRARY_PATH, the system's folders), in CONDA_PREFIX/lib, and where npm
/// installs
/// @duckdb/node-api for the system, the user's home and beside the command. One in the working
/// folder is only named in the message.
/// @param wanted_for  The file, for the message.
/// @throws DataError with the ways out if there is none.
const DuckDbCalls& duckdb_library(std::string_view wanted_for);

/// The rows of a query, as texts.
class DuckDbRows {
 public:
  /// @param name  How messages call what is read.
  /// @throws DataError if the query fails; the message is DuckDB's first line.
  DuckDbRows(const DuckDbCalls& calls, const std::string& query, std::string name);
  ~DuckDbRows();
  DuckDbRows(const DuckDbRows&) = delete;
  DuckDbRows& operator=(const DuckDbRows&) = delete;

  std::size_t columns() const;
  std::string column_name(std::size_t column) const;
  /// Takes the next rows, up to some thousand, perhaps none; false at the end.
  /// @throws DataError if they cannot be read.
  bool next();
  std::size_t rows() const { return rows_; }
  /// A text of the rows at hand, until next(); empty for no value. All columns have to be VARCHAR.
  std::optional<std::string_view> text(std::size_t row, std::size_t column) const;

 private:
  [[noreturn]] void refuse(const char* message) const;
  void close();

  struct State;
  const DuckDbCalls& calls_;
  std::string name_;
  std::unique_ptr<State> state_;
  std::size_t rows_ = 0;
};

/// A Parquet file, read by DuckDB's library where there is one: its table as CSV text.
extern const Container kParquet;

}  // namespace scalelaw
