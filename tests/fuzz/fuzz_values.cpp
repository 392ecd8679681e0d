// Bytes as the cell of a table, in every format that a column may have: durations, commas in
// thousands and decimals, magnitudes, units, marks.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runs/cell_number.hpp"
#include "scalelaw/base/duration.hpp"

namespace scalelaw::fuzz {
namespace {

void expect(bool holds, const char* claim, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "%s: \"%.*s\"\n", claim, static_cast<int>(text.size()), text.data());
  std::abort();
}

void check_duration(std::string_view text) {
  const auto duration = read_duration(text);
  if (!duration) return;
  expect(std::isfinite(duration->seconds) || text.size() > 100, "a duration without end", text);
  expect(duration->seconds >= 0, "a negative duration", text);
  expect(!duration_text(duration->seconds).empty(), "a duration without words", text);
}

void check_number(std::string_view text, const NumberFormat& format) {
  const CellNumber cell = number_in_cell(text, format, true);
  const auto loose = number_if_any(text, format);
  if (!cell.defect.empty()) {
    return expect(!cell.comma_is_open || format.comma != CommaState::kTold, "told, and open", text);
  }
  expect(cell.value > 0 && std::isfinite(cell.value), "no number above 0", text);
  expect(loose && loose->value == cell.value, "read in two ways", text);
  expect(!is_no_number(text), "a number, and none", text);
}

void check_commas(std::string_view text) {
  CommaEvidence evidence;
  evidence.add(text, false);
  const int told = (evidence.decimals ? 1 : 0) + (evidence.thousands ? 1 : 0);
  expect(told + (evidence.open ? 1 : 0) <= 1, "a comma of two kinds", text);
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scalelaw;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check_duration(text);
  fuzz::check_commas(text);
  for (const char decimal : {'.', ','}) {
    for (const CommaState comma : {CommaState::kTold, CommaState::kOpen}) {
      for (const char* const unit : {"", "s", "min", "kWh", "B"}) {
        NumberFormat format;
        format.unit = unit;
        format.decimal = decimal;
        format.comma = comma;
        fuzz::check_number(text, format);
        format.unit_in_cells = !format.unit.empty();
        fuzz::check_number(text, format);
      }
    }
  }
  return 0;
}
