// Bytes as a table that nobody has seen: CSV, JSON, wide, of blanks, of bars. The first byte
// chooses options. look_at answers or throws an Error, and so does the reading that it suggests.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/reading.hpp"
#include "scalelaw/runs/look.hpp"

namespace scalelaw::fuzz {
namespace {

RunOptions options_by(std::uint8_t choice) {
  static constexpr const char* kWide[] = {"", "gpus", "", "n"};
  RunOptions options;
  options.threads = 1;
  options.layout.wide = kWide[choice % 4];
  if ((choice & 4) != 0) options.layout.decimal = (choice & 8) != 0 ? ',' : '.';
  options.skip_bad_rows = (choice & 16) != 0;
  if ((choice & 32) != 0) options.y = "time[min]";
  if ((choice & 32) != 0) add_units_of(options.y, options.layout);
  return options;
}

void check(std::string_view text, const RunOptions& options) {
  static MemoryFile file;
  file.assign(text);
  try {
    const TableLook look = look_at({file.path()}, options);
    for (const NextCommand& next : look.next) {
      if (next.command.empty() || next.purpose.empty()) std::abort();
    }
  } catch (const Error&) {
  }
  expect_same(outcome_of(file, options, 1), outcome_of(file, options, 2), "one thread and two");
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scalelaw::fuzz;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(text, options_by(data[0]));
  return 0;
}
