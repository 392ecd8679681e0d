// Bytes as a run table. Whatever they are, read_runs answers with cells or an Error, and the answer
// is the same for any number of threads. It is also the same if all fields are quoted, so that no
// plain scan reads them.

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/reading.hpp"
#include "input/table_text.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw::fuzz {
namespace {

/// The row with every field in quotes and the same text; unchanged if a quote is misplaced.
std::string with_quotes(std::string_view row, char separator) {
  const bool carriage_return = row.ends_with('\r');
  if (carriage_return) row.remove_suffix(1);
  std::vector<std::string_view> fields;
  tokenize(row, separator, fields);
  std::string out;
  std::string scratch;
  for (const std::string_view field : fields) {
    if (field_defect(field)) return std::string(row) + (carriage_return ? "\r" : "");
    if (field.data() != row.data()) out += separator;
    out += '"';
    for (const char c : field_text(field, scratch))
      out += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += '"';
  }
  return out + (carriage_return ? "\r" : "");
}

/// Whether both tables have the same header. Which character divides it is told by the rows below
/// it, and by whether quotes stand in them.
bool has_header_of(const std::string& quoted, std::string_view text) {
  try {
    return parse_header(quoted, true, "table")->names == parse_header(text, true, "table")->names;
  } catch (const Error&) {
    return false;
  }
}

/// The table with every field of its rows in quotes; unchanged if it has no usable header.
std::string with_quotes_everywhere(std::string_view text) {
  Header header;
  try {
    header = *parse_header(text, true, "table");
  } catch (const Error&) {
    return std::string(text);
  }
  std::string out(text.substr(0, header.end));
  for (std::size_t at = header.end; at < text.size();) {
    const std::string_view rest = text.substr(at);
    std::size_t length = rest.starts_with('#') ? rest.find('\n') : row_end(rest);
    const bool ended = length != std::string_view::npos;
    if (!ended) length = rest.size();
    const std::string_view row = rest.substr(0, length);
    out += is_skipped_line(row.data(), row.data() + row.size())
               ? std::string(row)
               : with_quotes(row, header.separator);
    if (ended) out += '\n';
    at += length + (ended ? 1 : 0);
  }
  return out;
}

/// Whether the rows are those of the text, and not of what is made of it, as of a compressed table,
/// JSON, or columns that blanks separate: quotes would change those.
bool is_read_as_written(std::string_view text) {
  if (text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd")) return false;
  try {
    return table_kind(text, true, "table", {}) == TableKind::kDelimited;
  } catch (const Error&) {
    return false;
  }
}

/// The options depend on the bytes, so that a seed is only a table.
RunOptions options_for(std::string_view text) {
  std::uint32_t sum = 0;
  for (const char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
  RunOptions options;
  options.points = static_cast<Points>(sum % 4 % 3);
  options.logarithmic_x = options.logarithmic_y = (sum >> 4) % 4 != 0;
  options.keep_points = (sum >> 6) % 4 == 0;
  if ((sum >> 8) % 4 == 0) options.where = {"gpus<=64"};
  if ((sum >> 10) % 4 == 0) options.where.emplace_back("model!=BERT,4");
  return options;
}

void check(std::string_view text) {
  static MemoryFile file;
  RunOptions options = options_for(text);
  file.assign(text);
  const std::string strict = outcome_of(file, options, 1);
  expect_same(strict, outcome_of(file, options, 2), "one thread and two");
  options.skip_bad_rows = true;
  const std::string skipping = outcome_of(file, options, 1);
  expect_same(skipping, outcome_of(file, options, 2), "one thread and two, bad rows skipped");
  if (!strict.starts_with("error: "))
    expect_same(strict, skipping, "no bad rows, and bad rows skipped");
  const std::string quoted = with_quotes_everywhere(text);
  if (!is_read_as_written(text) || !is_read_as_written(quoted)) return;
  if (quoted != text && !has_header_of(quoted, text)) return;
  file.assign(quoted);
  expect_same(skipping, outcome_of(file, options, 1), "plain and quoted, bad rows skipped");
  options.skip_bad_rows = false;
  expect_same(strict, outcome_of(file, options, 1), "plain and quoted");
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
