// Bytes as a number, with and without a unit, compared with a grammar written here and with strtod.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.hpp"
#include "base/decimals.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw::fuzz {
namespace {

void expect(bool holds, const char* claim, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "%s: \"%.*s\"\n", claim, static_cast<int>(text.size()), text.data());
  std::abort();
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

std::size_t skip_sign(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
}

/// Sign, digits with at most one point and at least one digit, exponent.
bool is_number(std::string_view text) {
  const std::size_t begin = skip_sign(text, 0);
  std::size_t at = skip_digits(text, begin);
  std::size_t digits = at - begin;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    digits += end - at - 1;
    at = end;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  const std::size_t exponent = skip_sign(text, at + 1);
  return exponent < text.size() && skip_digits(text, exponent) == text.size();
}

void check_number(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  const double reference = std::strtod(std::string(text).c_str(), nullptr);
  expect(number.has_value() == (is_number(text) && std::isfinite(reference)), "accepted or not",
         text);
  if (number) expect(same_bits(*number, reference), "not what strtod reads", text);
  if (is_number(text)) expect(is_infinite(text) == std::isinf(reference), "infinite or not", text);
  if (is_missing(text)) expect(!number, "a number and missing", text);
}

void check_quantity(std::string_view text) {
  const auto quantity = parse_measure(text);
  const auto number = parse_number(trimmed(text));
  if (number)
    expect(quantity && same_bits(quantity->value, *number), "a number, no quantity", text);
  if (!quantity || quantity->unit.empty())
    return expect(!quantity || number, "no number, no unit", text);
  expect(canonical_unit(quantity->unit) == quantity->unit, "the unit is not canonical", text);
  expect(std::isfinite(quantity->value) && !number, "a unit, and a number", text);
  const ColumnLabel label = column_label(text);
  expect(label.name.size() <= text.size(), "a name longer than its cell", text);
}

void check_decimal(std::string_view text, std::string_view lead) {
  // The bytes before a field may be anything.
  const std::string buffer = std::string(lead) + std::string(text);
  const char* const begin = buffer.data() + lead.size();
  const char* const end = begin + text.size();
  const double fast = plain_decimal(begin, end);
  const double slow = plain_decimal_by_digits(begin, end);
  if (!std::isnan(fast)) expect(same_bits(fast, slow), "not what the digits say", text);
  if (!std::isnan(slow)) {
    expect(!std::isnan(fast) || text.size() == 16, "a plain decimal left out", text);
    expect(same_bits(slow, *parse_number(text)), "not what parse_number reads", text);
  }
  // The same field in each lane of a vector.
  std::string rows(lead);
  std::vector<std::uint32_t> ends = {~std::uint32_t{0}};
  for (int row = 0; row < 8; ++row) {
    rows += text;
    ends.push_back(static_cast<std::uint32_t>(rows.size() - lead.size()));
    rows += '\n';
  }
  double read[8];
  plain_decimals({rows.data() + lead.size(), ends.data() + 1, 1}, 8, read);
  for (const double number : read) {
    const bool left = std::isnan(number) && text.size() == 16;
    expect(left || std::isnan(number) == std::isnan(slow), "read or not, by vectors", text);
    if (!std::isnan(number)) expect(same_bits(number, slow), "another number by vectors", text);
  }
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scalelaw::fuzz;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_number(bytes);
  check_quantity(bytes);
  if (size < scalelaw::kDecimalLead) {
    check_decimal(bytes, "0123456789.,5.1,");
  } else {
    check_decimal(bytes.substr(scalelaw::kDecimalLead), bytes.substr(0, scalelaw::kDecimalLead));
  }
  return 0;
}
