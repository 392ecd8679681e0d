#include "input/parquet.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/errors.hpp"
#include "input/column_stream.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_trust.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

// The few functions of DuckDB's C API (duckdb.h) that reading a table takes. Tried with the
// libraries of 1.1.2, 1.3.4, 1.4.5 and 1.5.6.

struct DuckDbResult {
  std::uint64_t unused_counts[3];
  void* unused_columns;
  char* unused_message;
  void* data;
};

/// A text of a column: up to 12 bytes stand in it, longer ones elsewhere.
struct DuckDbText {
  std::uint32_t length;
  char begin[4];
  union {
    char rest[8];
    const char* elsewhere;
  };

  std::string_view view() const {
    constexpr std::uint32_t kLongestInside = 12;
    return {length <= kLongestInside ? begin : elsewhere, length};
  }
};
static_assert(sizeof(DuckDbText) == 16);

using DuckDbHandle = void*;

struct DuckDbCalls {
  int (*create_config)(DuckDbHandle*) = nullptr;
  int (*set_config)(DuckDbHandle, const char*, const char*) = nullptr;
  void (*destroy_config)(DuckDbHandle*) = nullptr;
  int (*open_ext)(const char*, DuckDbHandle*, DuckDbHandle, char**) = nullptr;
  void (*close)(DuckDbHandle*) = nullptr;
  int (*connect)(DuckDbHandle, DuckDbHandle*) = nullptr;
  void (*disconnect)(DuckDbHandle*) = nullptr;
  int (*prepare)(DuckDbHandle, const char*, DuckDbHandle*) = nullptr;
  const char* (*prepare_error)(DuckDbHandle) = nullptr;
  void (*destroy_prepare)(DuckDbHandle*) = nullptr;
  int (*execute_streaming)(DuckDbHandle, DuckDbResult*) = nullptr;
  const char* (*result_error)(DuckDbResult*) = nullptr;
  void (*destroy_result)(DuckDbResult*) = nullptr;
  std::uint64_t (*column_count)(DuckDbResult*) = nullptr;
  const char* (*column_name)(DuckDbResult*, std::uint64_t) = nullptr;
  DuckDbHandle (*fetch_chunk)(DuckDbResult) = nullptr;
  void (*destroy_chunk)(DuckDbHandle*) = nullptr;
  std::uint64_t (*chunk_size)(DuckDbHandle) = nullptr;
  DuckDbHandle (*chunk_vector)(DuckDbHandle, std::uint64_t) = nullptr;
  void* (*vector_data)(DuckDbHandle) = nullptr;
  std::uint64_t* (*vector_validity)(DuckDbHandle) = nullptr;
};

namespace {

namespace duckdb_fs = std::filesystem;

constexpr const char* kDuckDbFile = "libduckdb.so";
constexpr std::string_view kStatic = "a static command loads no libraries";

/// Finds the functions. False if the library lacks one.
bool find_duckdb_calls(void* library, DuckDbCalls& calls) {
  const auto find = [&](const char* name, auto& call) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library, name));
    return call != nullptr;
  };
  return find("duckdb_create_config", calls.create_config) &&
         find("duckdb_set_config", calls.set_config) &&
         find("duckdb_destroy_config", calls.destroy_config) &&
         find("duckdb_open_ext", calls.open_ext) && find("duckdb_close", calls.close) &&
         find("duckdb_connect", calls.connect) && find("duckdb_disconnect", calls.disconnect) &&
         find("duckdb_prepare", calls.prepare) &&
         find("duckdb_prepare_error", calls.prepare_error) &&
         find("duckdb_destroy_prepare", calls.destroy_prepare) &&
         find("duckdb_execute_prepared_streaming", calls.execute_streaming) &&
         find("duckdb_result_error", calls.result_error) &&
         find("duckdb_destroy_result", calls.destroy_result) &&
         find("duckdb_column_count", calls.column_count) &&
         find("duckdb_column_name", calls.column_name) &&
         find("duckdb_fetch_chunk", calls.fetch_chunk) &&
         find("duckdb_destroy_data_chunk", calls.destroy_chunk) &&
         find("duckdb_data_chunk_get_size", calls.chunk_size) &&
         find("duckdb_data_chunk_get_vector", calls.chunk_vector) &&
         find("duckdb_vector_get_data", calls.vector_data) &&
         find("duckdb_vector_get_validity", calls.vector_validity);
}

/// Whether a library is there that nobody but the user and root can have put there: that of someone
/// else must not run here.
bool is_ours(const duckdb_fs::path& library) {
  std::error_code error;
  return duckdb_fs::exists(library, error) && foreign_hand_on(library.string()).empty();
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The libraries that npm has installed below a folder.
std::vector<std::string> node_modules_of(const duckdb_fs::path& folder) {
  std::vector<std::string> libraries;
  for (const char* kind : {"x64", "arm64"}) {
    const duckdb_fs::path library = folder / "node_modules/@duckdb" /
                                    (std::string("node-bindings-linux-") + kind) / kDuckDbFile;
    if (is_ours(library)) libraries.push_back(library.string());
  }
  return libraries;
}

/// A library that npm has installed in the working folder or above it; empty if there is none. It
/// is named and not opened: a folder that came with the data would run its own code here.
std::string duckdb_nearby() {
  std::error_code error;
  duckdb_fs::path folder = duckdb_fs::current_path(error);
  while (!error && !folder.empty()) {
    const std::vector<std::string> libraries = node_modules_of(folder);
    if (!libraries.empty()) return libraries.front();
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

/// Where the library may be, apart from SCALELAW_DUCKDB.
std::vector<std::string> usual_duckdb_places() {
  std::vector<std::string> places;
  std::error_code error;
  const auto command = duckdb_fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : {".", "../lib", "../lib/scalelaw"}) {
    const duckdb_fs::path library = command / folder / kDuckDbFile;
    if (!command.empty() && is_ours(library)) places.push_back(library.string());
  }
  places.emplace_back(kDuckDbFile);  // The loader looks.
  const std::string conda = variable("CONDA_PREFIX");
  if (!conda.empty()) places.push_back(conda + "/lib/" + kDuckDbFile);
  std::vector<duckdb_fs::path> npm_folders{"/usr/local/lib", "/usr/lib"};
  for (const duckdb_fs::path& home : {duckdb_fs::path(variable("HOME")), command}) {
    if (!home.empty()) npm_folders.push_back(home);
  }
  for (const duckdb_fs::path& folder : npm_folders) {
    const std::vector<std::string> libraries = node_modules_of(folder);
    places.insert(places.end(), libraries.begin(), libraries.end());
  }
  return places;
}

struct LoadedDuckDb {
  bool is_there = false;
  std::string error;  ///< Why the library that SCALELAW_DUCKDB names cannot be used.
  DuckDbCalls calls;
};

bool load_duckdb(const std::string& path, LoadedDuckDb& out) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    out.error = reason == nullptr ? "no reason is given" : reason;
    return false;
  }
  out.is_there = find_duckdb_calls(library, out.calls);
  if (!out.is_there) out.error = path + ": it lacks functions of DuckDB's C API that 1.1 has";
  return out.is_there;
}

bool is_of_static_command(std::string_view error) {
  return error.find(kStatic) != std::string_view::npos;
}

LoadedDuckDb find_duckdb() {
  LoadedDuckDb found;
  const std::string named = variable("SCALELAW_DUCKDB");
  if (!named.empty()) {
    std::error_code error;
    const bool is_folder = duckdb_fs::is_directory(named, error);
    load_duckdb(is_folder ? named + "/" + kDuckDbFile : named, found);
    return found;
  }
  for (const std::string& place : usual_duckdb_places()) {
    if (load_duckdb(place, found)) return found;
  }
  // Most of the places were guesses, but a static command has no other reason.
  if (!is_of_static_command(found.error)) found.error.clear();
  return found;
}

/// The first line of a message, without the descriptor by which DuckDB knows the file.
std::string first_line_of(const char* message) {
  constexpr std::string_view kDescriptor = " '/proc/self/fd/";
  std::string text = message == nullptr ? "no reason is given" : message;
  text.resize(std::min(text.find('\n'), text.size()));
  for (std::size_t at = text.find(kDescriptor); at != std::string::npos;
       at = text.find(kDescriptor)) {
    const std::size_t end = text.find('\'', at + kDescriptor.size());
    text.erase(at, end == std::string::npos ? end : end + 1 - at);
  }
  return text;
}

std::string no_duckdb_message(std::string_view wanted_for, const std::string& error) {
  constexpr std::string_view kConversion =
      "write the table as CSV (pandas: read_parquet(...).to_csv(...))";
  if (is_of_static_command(error)) {
    return fmt::format(
        "{} is a Parquet file, which this static command cannot read: DuckDB's library reads it, "
        "and {}; {}, or use the common command, of the Debian package or built from source",
        wanted_for, kStatic, kConversion);
  }
  const std::string nearby = duckdb_nearby();
  return fmt::format(
      "{} is a Parquet file, which is read by DuckDB's library, and {}: name it with "
      "SCALELAW_DUCKDB={} ({}), or {}",
      wanted_for,
      error.empty() ? "no libduckdb.so is found" : fmt::format("none can be loaded ({})", error),
      nearby.empty() ? ".../libduckdb.so" : nearby,
      nearby.empty() ? "npm install @duckdb/node-api brings it, and so do DuckDB's releases"
                     : "a library of the working folder is not run unasked",
      kConversion);
}

}  // namespace

const DuckDbCalls& duckdb_library(std::string_view wanted_for) {
  static const LoadedDuckDb loaded = find_duckdb();
  if (loaded.is_there) return loaded.calls;
  throw DataError(no_duckdb_message(wanted_for, loaded.error));
}

struct DuckDbRows::State {
  DuckDbHandle config = nullptr;
  DuckDbHandle database = nullptr;
  DuckDbHandle connection = nullptr;
  DuckDbHandle statement = nullptr;
  DuckDbResult result{};
  bool has_result = false;
  bool has_ended = false;  ///< An ended result must not be asked for more.
  DuckDbHandle chunk = nullptr;
  std::vector<const DuckDbText*> texts;
  std::vector<const std::uint64_t*> valid;  ///< nullptr if all rows have a value.
};

DuckDbRows::DuckDbRows(const DuckDbCalls& calls, const std::string& query, std::string name)
    : calls_(calls), name_(std::move(name)), state_(std::make_unique<State>()) {
  try {
    // Nothing is fetched from anywhere, and nothing is written beside what is read.
    static constexpr std::array<std::pair<const char*, const char*>, 3> kSettings{
        {{"autoinstall_known_extensions", "false"},
         {"autoload_known_extensions", "false"},
         {"temp_directory", ""}}};
    if (calls_.create_config(&state_->config) != 0) refuse("it cannot be started");
    for (const auto& [setting, value] : kSettings) {
      calls_.set_config(state_->config, setting, value);
    }
    if (calls_.open_ext(nullptr, &state_->database, state_->config, nullptr) != 0 ||
        calls_.connect(state_->database, &state_->connection) != 0) {
      refuse("it cannot be started");
    }
    if (calls_.prepare(state_->connection, query.c_str(), &state_->statement) != 0) {
      refuse(calls_.prepare_error(state_->statement));
    }
    state_->has_result = true;
    if (calls_.execute_streaming(state_->statement, &state_->result) != 0) {
      refuse(calls_.result_error(&state_->result));
    }
  } catch (...) {
    close();
    throw;
  }
}

DuckDbRows::~DuckDbRows() { close(); }

void DuckDbRows::close() {
  if (state_->chunk != nullptr) calls_.destroy_chunk(&state_->chunk);
  if (state_->has_result) calls_.destroy_result(&state_->result);
  if (state_->statement != nullptr) calls_.destroy_prepare(&state_->statement);
  if (state_->connection != nullptr) calls_.disconnect(&state_->connection);
  if (state_->database != nullptr) calls_.close(&state_->database);
  if (state_->config != nullptr) calls_.destroy_config(&state_->config);
}

void DuckDbRows::refuse(const char* message) const {
  throw data_error("{}: DuckDB cannot read this Parquet file: {}", name_, first_line_of(message));
}

std::size_t DuckDbRows::columns() const { return calls_.column_count(&state_->result); }

std::string DuckDbRows::column_name(std::size_t column) const {
  const char* const name = calls_.column_name(&state_->result, column);
  return name == nullptr ? "" : name;
}

bool DuckDbRows::next() {
  if (state_->chunk != nullptr) calls_.destroy_chunk(&state_->chunk);
  rows_ = 0;
  if (state_->has_ended) return false;
  state_->chunk = calls_.fetch_chunk(state_->result);
  if (state_->chunk == nullptr) {
    state_->has_ended = true;
    const char* const message = calls_.result_error(&state_->result);
    if (message != nullptr && *message != '\0') refuse(message);
    return false;
  }
  rows_ = calls_.chunk_size(state_->chunk);
  state_->texts.clear();
  state_->valid.clear();
  for (std::size_t i = 0; i < columns(); ++i) {
    DuckDbHandle const vector = calls_.chunk_vector(state_->chunk, i);
    state_->texts.push_back(static_cast<const DuckDbText*>(calls_.vector_data(vector)));
    state_->valid.push_back(calls_.vector_validity(vector));
  }
  return true;
}

std::optional<std::string_view> DuckDbRows::text(std::size_t row, std::size_t column) const {
  const std::uint64_t* const valid = state_->valid[column];
  if (valid != nullptr && (valid[row / 64] >> (row % 64) & 1) == 0) return std::nullopt;
  return state_->texts[column][row].view();
}

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
