#include "store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "scalelaw/base/error.hpp"
#include "scalelaw/store/side_files.hpp"

namespace scalelaw {
namespace {

constexpr int kPatienceMs = 120'000;  // A writer holds the file while it writes a batch.
constexpr std::size_t kLongestValue = 128 << 20;  // Limits hostile files; our blocks have 1 MiB.

/// A path as a URI, in which no character has a special meaning.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// The first access to the file, which fails if its folder cannot be written.
int read_schema(sqlite3* handle) {
  return sqlite3_exec(handle, "SELECT 1 FROM sqlite_schema LIMIT 0", nullptr, nullptr, nullptr);
}

int open_at(const std::string& path, Database::Access access, bool immutable, sqlite3** handle) {
  const std::string uri =
      uri_of(std::filesystem::absolute(path).string()) + (immutable ? "?immutable=1" : "");
  // A reader that may write leaves no files behind.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    (access == Database::Access::kCreate ? SQLITE_OPEN_CREATE : 0);
  const int status = sqlite3_open_v2(uri.c_str(), handle, flags, nullptr);
  if (status != SQLITE_OK) return status;
  sqlite3_extended_result_codes(*handle, 1);
  sqlite3_busy_timeout(*handle, kPatienceMs);
  sqlite3_limit(*handle, SQLITE_LIMIT_LENGTH, static_cast<int>(kLongestValue));
  sqlite3_db_config(*handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(*handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (access == Database::Access::kRead) {
    const int limited = sqlite3_exec(*handle, "PRAGMA query_only = 1", nullptr, nullptr, nullptr);
    if (limited != SQLITE_OK) return limited;
  }
  return read_schema(*handle);
}

bool is_lack_of_memory(int code) {
  return (code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM;
}

/// Whether a file of which SQLite said that memory is lacking is a damaged one: it says so, too, of
/// a record whose length is wrong, and then again while there is memory.
bool is_damaged_instead(sqlite3* handle) {
  constexpr int kMoreThanItTakes = 1 << 20;
  if (handle == nullptr || !is_lack_of_memory(read_schema(handle))) return false;
  void* const room = sqlite3_malloc(kMoreThanItTakes);
  sqlite3_free(room);
  return room != nullptr;
}

/// What the system says of a file that could not be opened, read or written; else what SQLite
/// says.
/// @param left  errno as the call left it.
std::string reason(sqlite3* handle, int code, int left) {
  const int kind = code & 0xff;
  const int noted = sqlite3_system_errno(handle);
  const int cause = noted != 0 ? noted : left;  // A failed commit leaves it only there.
  const bool is_of_system = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
  return is_of_system && cause != 0 ? std::strerror(cause) : sqlite3_errmsg(handle);
}

std::string sentence(const std::string& path, int code, const std::string& message) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("{}: another process has held the store for two minutes; try again later",
                         path);
    case SQLITE_FULL:
      return fmt::format("{}: the disk is full", path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return fmt::format(
          "{}: the store cannot be written: check its permissions and those of its folder", path);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:
    case SQLITE_FORMAT:
    case SQLITE_MISMATCH:
      return fmt::format("{}: damaged study store: {}", path, message);
    case SQLITE_CONSTRAINT:
      return fmt::format("{}: damaged study store: {}; 'scalelaw store verify' looks for the cause",
                         path, message);
    default:
      return fmt::format("{}: the study store cannot be used: {}", path, message);
  }
}

}  // namespace

Database::Database(std::string path, Access access) : path_(std::move(path)) {
  refuse_foreign_side_files(path_);
  int status = open_at(path_, access, false, &handle_);
  const bool no_room = (status & 0xff) == SQLITE_CANTOPEN || (status & 0xff) == SQLITE_READONLY;
  if (no_room && access == Access::kRead && !std::filesystem::exists(path_ + "-wal")) {
    // Reads the file as it is: nobody can write to a file in a folder that is write-protected.
    sqlite3_close(std::exchange(handle_, nullptr));
    status = open_at(path_, access, true, &handle_);
  }
  if (status == SQLITE_OK) return;
  const int left = errno;
  bool lacks_memory = handle_ == nullptr || is_lack_of_memory(status);
  std::string message = lacks_memory ? "" : sentence(path_, status, reason(handle_, status, left));
  if (lacks_memory && is_damaged_instead(handle_)) {
    lacks_memory = false;
    message = sentence(path_, SQLITE_CORRUPT, "its list of tables cannot be read");
  }
  sqlite3_close(std::exchange(handle_, nullptr));
  if (lacks_memory) throw std::bad_alloc();
  throw DataError(message);
}

Database::~Database() { sqlite3_close(handle_); }

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_); }

bool Database::lacks_memory() const { return is_lack_of_memory(sqlite3_extended_errcode(handle_)); }

bool Database::is_held() const {
  const int code = sqlite3_errcode(handle_);
  return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
}

void Database::fail() const {
  const int left = errno;
  const int code = sqlite3_extended_errcode(handle_);
  if (is_lack_of_memory(code)) throw std::bad_alloc();
  throw DataError(sentence(path_, code, reason(handle_, code, left)));
}

void Database::check(int status) const {
  if (status != SQLITE_OK) fail();
}

void Database::refuse(std::string_view what) const {
  throw DataError(fmt::format("{}: damaged study store: {}", path_, what));
}

Statement::Statement(const Database& database, const char* sql)
    : database_(database), handle_(nullptr) {
  database.check(sqlite3_prepare_v2(database.handle(), sql, -1, &handle_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

bool Statement::next() {
  const int status = sqlite3_step(handle_);
  if (status != SQLITE_ROW && status != SQLITE_DONE) database_.fail();
  return status == SQLITE_ROW;
}

void Statement::run() {
  while (next()) {
  }
  sqlite3_reset(handle_);
}

void Statement::bind(int place, std::int64_t value) {
  database_.check(sqlite3_bind_int64(handle_, place, value));
}

void Statement::bind(int place, std::string_view text) {
  database_.check(
      sqlite3_bind_text64(handle_, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int place, Blob blob) {
  database_.check(
      sqlite3_bind_blob64(handle_, place, blob.bytes.data(), blob.bytes.size(), SQLITE_TRANSIENT));
}

void Statement::check_type(int column, int type, const char* expected) const {
  if (sqlite3_column_type(handle_, column) == type) return;
  database_.refuse(
      fmt::format("column {}: expected {}", sqlite3_column_name(handle_, column), expected));
}

std::int64_t Statement::integer(int column) const {
  check_type(column, SQLITE_INTEGER, "a whole number");
  return sqlite3_column_int64(handle_, column);
}

std::string_view Statement::text(int column) const {
  check_type(column, SQLITE_TEXT, "text");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (text == nullptr) throw std::bad_alloc();  // Only NULL has no text, and it is refused above.
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::string_view Statement::blob(int column) const {
  check_type(column, SQLITE_BLOB, "bytes");
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  if (bytes == nullptr && database_.lacks_memory()) throw std::bad_alloc();  // Or it is empty.
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

ByteColumn::~ByteColumn() { sqlite3_blob_close(handle_); }

void ByteColumn::move_to(std::int64_t row) {
  const int status = handle_ == nullptr ? sqlite3_blob_open(database_.handle(), "main", table_,
                                                            column_, row, 0, &handle_)
                                        : sqlite3_blob_reopen(handle_, row);
  // In a store, SQLite's plain error means damage: the row is gone, or holds a number.
  if (status == SQLITE_ERROR) {
    database_.refuse(fmt::format("column {}: {}", column_, sqlite3_errmsg(database_.handle())));
  }
  database_.check(status);
  size_ = static_cast<std::size_t>(sqlite3_blob_bytes(handle_));
  if (size_ > kLongestValue) database_.refuse(fmt::format("column {}: too long", column_));
}

void ByteColumn::read(char* out, std::size_t count, std::size_t offset) const {
  database_.check(
      sqlite3_blob_read(handle_, out, static_cast<int>(count), static_cast<int>(offset)));
}

Transaction::Transaction(const Database& database, Kind kind) : database_(database) {
  database.run(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // If it fails, SQLite has already undone the transaction itself.
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace scalelaw
