#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_blob;
struct sqlite3_stmt;

namespace scalelaw {

class Database;

struct NotCopied {
  NotCopied() = default;
  NotCopied(const NotCopied&) = delete;
  NotCopied& operator=(const NotCopied&) = delete;
};

/// A prepared statement. Values enter SQL only through it.
class Statement : NotCopied {
 public:
  Statement(const Database& database, const char* sql);
  ~Statement();

  /// Sets the parameters in order, and restarts the statement.
  template <class... Values>
  Statement& with(const Values&... values) {
    reset();
    int place = 0;
    (bind(++place, values), ...);
    return *this;
  }
  /// Moves to the next row; false after the last one.
  bool next();
  /// Runs the statement to its end.
  void run();
  /// Releases the row. A statement on a row keeps an old state of the file alive.
  void reset();

  // The row's values, by column from 0. @throws DataError if the type differs.
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;  ///< Valid until the statement moves.
  std::string_view blob(int column) const;  ///< Valid until the statement moves.

 private:
  void bind(int place, std::int64_t value);
  void bind(int place, std::string_view text);
  struct Blob {
    std::string_view bytes;
  };
  void bind(int place, Blob blob);
  void check_type(int column, int type, const char* expected) const;

  const Database& database_;
  sqlite3_stmt* handle_;

 public:
  static Blob as_blob(std::string_view bytes) { return {bytes}; }
};

/// Releases the row of a statement at the end of its scope.
class ResetAtEnd : NotCopied {
 public:
  explicit ResetAtEnd(Statement& statement) : statement_(statement) {}
  ~ResetAtEnd() { statement_.reset(); }

 private:
  Statement& statement_;
};

/// The bytes of a column, row by row, read in parts directly from the file. They must not change
/// meanwhile, so use it within one transaction.
class ByteColumn : NotCopied {
 public:
  ByteColumn(const Database& database, const char* table, const char* column)
      : database_(database), table_(table), column_(column) {}
  ~ByteColumn();

  /// @throws DataError if the row is missing, or holds no bytes or too many.
  void move_to(std::int64_t row);
  /// The size of the current row; 0 before the first.
  std::size_t size() const { return size_; }
  /// Reads `count` bytes of the row at `offset`, which must exist.
  void read(char* out, std::size_t count, std::size_t offset) const;

 private:
  const Database& database_;
  const char* table_;
  const char* column_;
  sqlite3_blob* handle_ = nullptr;
  std::size_t size_ = 0;
};

/// An SQLite file.
class Database : NotCopied {
 public:
  enum class Access { kRead, kWrite, kCreate };

  /// @throws DataError if it cannot be opened; std::bad_alloc.
  Database(std::string path, Access access);
  ~Database();

  const std::string& path() const { return path_; }
  /// Runs SQL without results.
  template <class... Values>
  void run(const char* sql, const Values&... values) const {
    Statement(*this, sql).with(values...).run();
  }
  /// Whether a query has a row.
  template <class... Values>
  bool has_row(const char* sql, const Values&... values) const {
    return Statement(*this, sql).with(values...).next();
  }
  /// Calls take(row) for each row of a query.
  template <class Take, class... Values>
  void for_each_row(const char* sql, const Take& take, const Values&... values) const {
    Statement rows(*this, sql);
    rows.with(values...);
    while (rows.next()) take(std::as_const(rows));
  }
  /// The first value in the first row.
  template <class... Values>
  std::int64_t integer(const char* sql, const Values&... values) const {
    Statement row(*this, sql);
    if (!row.with(values...).next()) refuse("a value is missing");
    return row.integer(0);
  }
  /// The number of the last added row.
  std::int64_t last_id() const;
  /// Whether the last call failed because another process holds the file.
  bool is_held() const;
  /// Whether the last call failed for want of memory.
  bool lacks_memory() const;
  /// Throws a sentence on the last error. @throws DataError, or std::bad_alloc for want of memory.
  [[noreturn]] void fail() const;
  /// Fails unless a call of SQLite succeeded.
  void check(int status) const;
  /// @throws DataError "PATH: damaged study store: WHAT"
  [[noreturn]] void refuse(std::string_view what) const;
  sqlite3* handle() const { return handle_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// Changes that become visible together by commit(), or not at all; or a reading of one state.
class Transaction : NotCopied {
 public:
  enum class Kind {
    kWrite,  ///< Waits for other writers.
    kRead,   ///< Reads one state, whoever writes meanwhile.
  };
  explicit Transaction(const Database& database, Kind kind = Kind::kWrite);
  ~Transaction();
  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

}  // namespace scalelaw
