// What to write instead of a condition that no row fulfils.

#include "runs/row_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "scalelaw/base/date.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/runs/row_filter.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostRowsLookedAt = 1'000'000;
constexpr std::size_t kMostValuesKept = 1000;
constexpr std::size_t kMostValuesNamed = 5;

/// A condition with what its column holds.
struct Tried {
  RowFilter filter;
  bool fulfilled = false;
  std::set<std::string> values = {};
};

void look_at(const std::string& path, std::vector<Tried>& tried, std::size_t& rows) {
  TableRows table(path);
  std::vector<std::optional<std::size_t>> places;
  for (const Tried& one : tried) {
    places.push_back(find_column(table.header(), one.filter.column(), path));
  }
  while (rows < kMostRowsLookedAt && table.next()) {
    ++rows;
    for (std::size_t i = 0; i < tried.size(); ++i) {
      if (!places[i]) continue;
      const std::string& cell = table.fields()[*places[i]];
      tried[i].fulfilled = tried[i].fulfilled || tried[i].filter.holds(cell);
      if (tried[i].values.size() < kMostValuesKept) tried[i].values.insert(cell);
    }
  }
}

/// A number, or the seconds of a date.
std::optional<double> place_of(const std::string& value) {
  if (const auto date = read_date(value)) return static_cast<double>(date->seconds);
  return parse_number(value);
}

/// The values that lie nearest to the one that was asked for, in order. Texts come as they are,
/// with the most similar one first.
std::vector<std::string> nearest_values(const Tried& tried) {
  std::vector<std::string> values(tried.values.begin(), tried.values.end());
  const std::string& asked = tried.filter.values().front();
  if (const auto number = place_of(asked)) {
    const auto distance = [&](const std::string& value) {
      const auto other = place_of(value);
      return other ? std::abs(*other - *number) : INFINITY;
    };
    std::ranges::stable_sort(
        values, [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    values.resize(std::min(values.size(), kMostValuesNamed));
    std::ranges::sort(values, natural_less);
    return values;
  }
  if (const auto near = nearest(asked, values)) {
    std::stable_partition(values.begin(), values.end(),
                          [&](const std::string& value) { return value == *near; });
  }
  values.resize(std::min(values.size(), kMostValuesNamed));
  return values;
}

std::string clue_on(const Tried& tried) {
  const std::vector<std::string> values = nearest_values(tried);
  const std::size_t others = tried.values.size() - values.size();
  return fmt::format(
      "no row meets --where '{}'; {} of {}: {}{}", tried.filter.text(),
      others > 0 ? "the nearest values" : "the values", tried.filter.column(),
      joined_texts(values, ", ", [](const auto& value) { return scalelaw::quoted(value); }),
      others > 0 ? fmt::format(", and {} more", others) : "");
}

}  // namespace

std::string where_clues(std::span<const std::string> where, std::span<const std::string> paths) {
  std::vector<Tried> tried;
  for (const std::string& condition : where) tried.push_back({RowFilter(condition)});
  std::size_t rows = 0;
  try {
    for (const std::string& path : paths) {
      if (is_regular_file(path)) look_at(path, tried, rows);
    }
  } catch (const Error&) {
    return "";  // The rows that were filtered out need not be well formed.
  }
  std::vector<std::string> clues;
  for (const Tried& one : tried) {
    if (!one.fulfilled && !one.values.empty()) clues.push_back(clue_on(one));
  }
  if (clues.empty() && rows > 0 && where.size() > 1) return "no row meets all conditions at once";
  return joined(clues, "; ");
}

}  // namespace scalelaw
