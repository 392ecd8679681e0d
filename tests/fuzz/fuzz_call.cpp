// Bytes as a call of the C interface. The first line is the command, the second one the options as
// JSON, and the rest a table whose cells are divided by commas: columns of numbers become doubles,
// others texts. Whatever they are, the call ends with a status of the contract, an error says why
// there is no result, and the same call again ends in the same way.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/scalelaw.h"

namespace scalelaw::fuzz {
namespace {

struct Column {
  std::string name;
  std::vector<std::string> texts = {};
  std::vector<double> numbers = {};  ///< Empty where a text is no number.
};

void expect(bool holds) {
  if (!holds) std::abort();
}

std::vector<Column> columns_of(const std::string& text) {
  std::vector<Column> columns;
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.empty()) return columns;
  for (const std::string& name : split(lines.front(), ',')) columns.push_back({name});
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = split(lines[i], ',');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      columns[c].texts.push_back(c < cells.size() ? cells[c] : "");
    }
  }
  for (Column& column : columns) {
    for (const std::string& cell : column.texts) {
      const auto number = parse_number(cell);
      if (!number && !is_missing(cell)) {
        column.numbers.clear();
        break;
      }
      column.numbers.push_back(number.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  return columns;
}

/// Whether a call could leave its folder or take minutes.
bool is_harmless(std::string_view options) {
  std::size_t digits = 0;
  for (const char c : options) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 2 || c == '/' || c == '\\') return false;
  }
  return options.find("config") == options.npos && options.find("e+") == options.npos;
}

/// The table that a call has as Arrow, if any, is one: its columns are equally long.
void expect_arrow(const scalelaw_call* call) {
  ArrowArrayStream stream;
  const bool has_table = scalelaw_call_result_arrow(call, &stream) == 0;
  expect(has_table == (stream.release != nullptr));
  if (!has_table) return;
  ArrowSchema schema;
  ArrowArray batch;
  expect(stream.get_schema(&stream, &schema) == 0 && stream.get_next(&stream, &batch) == 0);
  expect(schema.n_children == batch.n_children);
  for (std::int64_t i = 0; i < batch.n_children; ++i) {
    const ArrowArray& column = *batch.children[i];
    expect(column.length == batch.length && column.null_count <= column.length);
  }
  batch.release(&batch);
  schema.release(&schema);
  stream.release(&stream);
}

/// Everything that a call tells.
std::string told_by(const std::string& command, const std::string& options,
                    const std::vector<Column>& columns) {
  scalelaw_call* const call = scalelaw_call_new(command.c_str());
  std::vector<std::vector<const char*>> texts;
  for (const Column& column : columns) {
    const auto rows = static_cast<std::int64_t>(column.texts.size());
    if (column.numbers.size() == column.texts.size()) {
      scalelaw_call_doubles(call, "t", column.name.c_str(), column.numbers.data(), rows);
      continue;
    }
    std::vector<const char*>& pointers = texts.emplace_back();
    for (const std::string& text : column.texts) pointers.push_back(text.c_str());
    scalelaw_call_texts(call, "t", column.name.c_str(), pointers.data(), rows);
  }
  scalelaw_call_options(call, options.c_str());
  scalelaw_call_keep_table(call);
  const int status = scalelaw_call_run(call);
  expect(status >= SCALELAW_DONE && status <= SCALELAW_UNUSABLE);
  const std::string error = scalelaw_call_error(call);
  const std::string code = scalelaw_call_error_code(call);
  expect(code != "internal");
  expect(code.empty() == error.empty() && (code.empty() || status == SCALELAW_UNUSABLE));
  std::size_t size = 0;
  const char* const result = scalelaw_call_result(call, &size);
  expect_arrow(call);
  std::string told = std::to_string(status) + code + error + std::string(result, size);
  for (std::size_t i = 0; i < scalelaw_call_message_count(call); ++i) {
    told += scalelaw_call_message(call, i, nullptr);
  }
  scalelaw_call_free(call);
  return told;
}

void check(const std::string& bytes) {
  const std::size_t first = bytes.find('\n');
  const std::size_t second = first == bytes.npos ? first : bytes.find('\n', first + 1);
  if (second == bytes.npos) return;
  const std::string command = bytes.substr(0, first);
  const std::string options = bytes.substr(first + 1, second - first - 1);
  if (!is_harmless(options) || command == "generate") return;
  const std::vector<Column> columns = columns_of(bytes.substr(second + 1));
  const std::string told = told_by(command, options, columns);
  const bool keeps = options.find("output") != options.npos || options.find("keep") != options.npos;
  if (!keeps) expect(told == told_by(command, options, columns));
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  ::setenv("PATH", "/nonexistent", 1);  // No program is started.
  std::string folder = std::filesystem::temp_directory_path() / "scalelaw-fuzz-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) std::abort();
  std::filesystem::current_path(folder);  // What calls write stays there.
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
