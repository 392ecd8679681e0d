// A header, then the bytes and plain rows repeatedly, until the table is so large that threads
// share its parts. One thread and three threads read the same rows, wherever quotes and line ends
// fall.

#include <string>
#include <string_view>

#include "fuzz/reading.hpp"

namespace scalelaw::fuzz {
namespace {

std::string plain_rows(std::size_t bytes) {
  std::string rows;
  while (rows.size() < bytes) rows += "BERT,4,12.5," + std::string(250, 'x') + '\n';
  return rows;
}

void check(std::string_view bytes) {
  constexpr std::size_t kTableBytes = 600 << 10;  // Three parts, as each has at least 256 KiB.
  // The beginning is longer than the sample that is searched for quotes before the table is cut.
  // The filler keeps bad rows few.
  static const std::string beginning = plain_rows(70 << 10);
  static const std::string filler = plain_rows(3 << 10);
  static MemoryFile file;
  if (bytes.empty()) return;
  std::string table = "model,gpus,epoch_seconds,note\n";
  if (bytes.front() % 2 == 0) table += beginning;
  bytes.remove_prefix(1);
  while (table.size() < kTableBytes) table.append(bytes).append(filler);
  file.assign(table);
  RunOptions options;
  expect_same(outcome_of(file, options, 1), outcome_of(file, options, 3), "one thread and three");
  options.skip_bad_rows = true;
  expect_same(outcome_of(file, options, 1), outcome_of(file, options, 3),
              "one thread and three, bad rows skipped");
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
