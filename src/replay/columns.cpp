#include "replay/columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

// Far beyond any machine, yet no product, sum or square in a replay overflows or vanishes.
constexpr double kLeast = 1e-30;
constexpr double kMost = 1e30;

std::string no_column(const TableRows& rows, std::string_view name) {
  const auto near = nearest(name, rows.header().names);
  return fmt::format("{}: there is no column '{}'{}; columns are: {}", rows.source(), name,
                     near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                     joined(rows.header().names));
}

}  // namespace

TraceColumns::TraceColumns(TableRows& rows, const std::vector<std::string_view>& names)
    : rows_(rows) {
  for (const std::string_view name : names) {
    const auto place = find_column(rows.header(), name, rows.source());
    if (!place) throw DataError(no_column(rows, name));
    places_.push_back(*place);
  }
}

bool TraceColumns::next() {
  if (rows_.next()) return has_rows_ = true;
  if (has_rows_) return false;
  throw DataError(fmt::format("{}: there are no rows below the header", rows_.source()));
}

const std::string& TraceColumns::name(std::size_t i) const {
  if (trimmed(text(i)).empty()) refuse(i, "a name");
  return text(i);
}

double TraceColumns::number(std::size_t i) const {
  const auto value = parse_number(trimmed(text(i)));
  if (!value) refuse(i, "a number");
  return *value;
}

double TraceColumns::positive(std::size_t i) const {
  const auto value = parse_number(trimmed(text(i)));
  if (!value || !(*value > 0)) refuse(i, "a number above 0");
  if (!(*value >= kLeast && *value <= kMost)) refuse(i, "a number from 1e-30 to 1e30");
  return *value;
}

std::int64_t TraceColumns::count(std::size_t i) const {
  const auto value = parse_number(trimmed(text(i)));
  if (!value || !(*value >= 1 && *value <= 1e15) || *value != std::floor(*value)) {
    refuse(i, "a whole number from 1");
  }
  return static_cast<std::int64_t>(*value);
}

bool TraceColumns::missing(std::size_t i) const { return is_missing(text(i)); }

void TraceColumns::refuse(std::size_t i, std::string_view expected) const {
  throw ParseError(rows_.source(), rows_.line(),
                   fmt::format("field {} '{}': expected {}, found {}", places_[i] + 1,
                               rows_.header().names[places_[i]], expected, quoted(text(i))));
}

}  // namespace scalelaw
