#pragma once

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw::test {

/// A condition of --where, as text and by its meaning.
struct ReferenceCondition {
  std::string text;
  std::string column;
  std::function<bool(std::string_view cell)> holds;
};

/// What to read, and how.
struct ReferencePlan {
  std::string x = "n";
  std::string y = "t";
  std::vector<std::string> by{};
  std::string run{};
  std::string weights{};
  std::vector<ReferenceCondition> where{};
};

struct ReferenceRow {
  double y;
  double weight = 1;
  std::string run;
};

/// Run tables read in the plain way: line by line, field by field, with every row kept.
struct ReferenceRuns {
  RowCounts rows;
  std::map<GroupKey, std::map<double, std::vector<ReferenceRow>>> groups;
};

/// The positive number in the whole of `text`, by strtod.
inline std::optional<double> positive_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos)
    return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool whole = end == text.c_str() + text.size();
  if (!whole || !std::isfinite(number) || !(number > 0)) return std::nullopt;
  return number;
}

/// Splits a table into rows without comments and blank lines. Quotes open and close anywhere; a
/// comment only begins a line outside quotes.
inline std::vector<std::string> rows_of(std::string_view text) {
  std::vector<std::string> rows;
  std::string row;
  bool quoted = false;
  const auto finish = [&] {
    if (row.ends_with('\r')) row.pop_back();
    if (!row.empty() && row.front() != '#') rows.push_back(row);
    row.clear();
    quoted = false;
  };
  for (const char c : text) {
    const bool comment = row.starts_with('#');
    if (c == '"' && !comment) quoted = !quoted;
    if (c == '\n' && !quoted) {
      finish();
    } else {
      row += c;
    }
  }
  if (!row.empty()) finish();
  return rows;
}

inline void add_rows(ReferenceRuns& runs, std::string_view text, const ReferencePlan& plan) {
  const Header header = *parse_header(text, true, "reference");
  std::string scratch;
  std::vector<std::string_view> fields;
  for (const std::string& row : rows_of(text.substr(header.end))) {
    ++runs.rows.read;
    tokenize(row, header.separator, fields);
    bool bad = fields.size() != header.names.size();
    for (const auto field : fields) bad |= field_defect(field).has_value();
    if (bad) {
      ++runs.rows.bad;
      continue;
    }
    const auto cell = [&](const std::string& column) {
      return std::string(trimmed(field_text(fields[*find_column(header, column, "")], scratch)));
    };
    bool holds = true;
    for (const auto& condition : plan.where) holds &= condition.holds(cell(condition.column));
    if (!holds) {
      ++runs.rows.filtered;
      continue;
    }
    bool missing = is_missing(cell(plan.x)) || is_missing(cell(plan.y));
    for (const auto& name : plan.by) missing |= is_missing(cell(name));
    missing |= !plan.run.empty() && is_missing(cell(plan.run));
    missing |= !plan.weights.empty() && is_missing(cell(plan.weights));
    if (missing) {
      ++runs.rows.missing;
      continue;
    }
    const auto x = positive_number(cell(plan.x));
    const auto y = positive_number(cell(plan.y));
    const auto weight = plan.weights.empty() ? 1 : positive_number(cell(plan.weights));
    if (!x || !y || !weight) {
      ++runs.rows.bad;
      continue;
    }
    GroupKey key;
    for (const auto& name : plan.by) key.push_back(cell(name));
    runs.groups[key][*x].push_back({*y, *weight, plan.run.empty() ? "" : cell(plan.run)});
    ++runs.rows.used;
  }
}

inline ReferenceRuns read_reference(const std::vector<std::string>& tables,
                                    const ReferencePlan& plan) {
  ReferenceRuns runs;
  for (const auto& table : tables) add_rows(runs, table, plan);
  return runs;
}

/// Mean and centred sum of squares by two passes of long double.
struct ReferenceMoments {
  long double mean = 0;
  long double ss = 0;

  explicit ReferenceMoments(const std::vector<long double>& values) {
    for (const long double value : values) mean += value;
    mean /= static_cast<long double>(values.size());
    for (const long double value : values) ss += (value - mean) * (value - mean);
  }
};

}  // namespace scalelaw::test
