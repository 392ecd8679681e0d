// Bytes as a table with several numbers per row. read_observations answers with observations or an
// Error, which do not depend on the number of threads. Every value fits its column.

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/reading.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/runs/observations.hpp"

namespace scalelaw::fuzz {
namespace {

ObservationColumns columns_for(std::uint32_t sum) {
  ObservationColumns columns;
  columns.by = {"model"};
  if (sum % 2 == 0) columns.factors = {"cap"};
  columns.numbers = {{.name = "gpus", .setting = true},
                     {.name = "seconds"},
                     {.name = "energy", .needed = sum % 4 < 2, .positive = sum % 8 < 4}};
  if (sum % 16 < 8) columns.run = "run";
  return columns;
}

std::string text_of(const Observations& all) {
  std::string text;
  for (std::size_t group = 0; group < all.size(); ++group) {
    for (const std::string& name : all.key(group)) text += name + ' ';
    for (std::size_t number = 0; number < all.numbers().size(); ++number) {
      const NumberColumn& column = all.numbers()[number];
      for (const double value : all.values(group, number)) {
        if (std::isinf(value) || (column.needed && std::isnan(value))) std::abort();
        if (column.positive && value <= 0) std::abort();
        text += fmt::format("{:x} ", std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value));
      }
    }
    text += '\n';
  }
  for (const std::string& message : all.bad_rows()) text += message + '\n';
  return text + fmt::format("{} {}", all.rows().used, all.rows().bad);
}

std::string outcome_of(const MemoryFile& file, std::uint32_t sum, bool skip, int threads) {
  const std::vector<std::string> inputs = {file.path()};
  const ChooseColumns choose = [sum](const Header&, std::string_view, const TableProfile&) {
    return columns_for(sum);
  };
  try {
    return text_of(read_observations(inputs, choose, {.skip_bad_rows = skip, .threads = threads}));
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

void check(std::string_view text) {
  static MemoryFile file;
  file.assign(text);
  std::uint32_t sum = 0;
  for (const char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
  for (const bool skip : {false, true}) {
    expect_same(outcome_of(file, sum, skip, 1), outcome_of(file, sum, skip, 2),
                "one thread and two");
  }
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
