// Which of the tables in a text a study is about.

#include <algorithm>
#include <string>
#include <vector>

#include "input/wide_table.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// Whether a table has all columns that the user names, "n,d".
bool has_named_columns(const Header& header, const std::string& columns) {
  const std::vector<std::string> names = split(columns, ',');
  return std::ranges::all_of(names, [&](const std::string& name) {
    try {
      return find_column_by_words(header, name, "").has_value();
    } catch (const DataError&) {
      return true;  // Several columns may be meant.
    }
  });
}

/// Whether a table has a column per scale.
bool is_wide(const std::vector<std::string>& names) {
  constexpr std::size_t kFewestScales = 3;
  const auto wide = wide_columns(names, "");
  return wide && wide->scales.size() >= kFewestScales;
}

/// Whether the names of a table say what was measured, over which scale.
struct NamedRoles {
  bool scale = false;
  bool size = false;  ///< Parameters, tokens or compute, over which a loss falls.
  bool measured = false;
  bool loss = false;
};

NamedRoles roles_of(const Header& header) {
  NamedRoles roles;
  for (const std::string& name : header.names) {
    const ColumnMeaning meaning = meaning_of(name);
    const ColumnRole role = meaning.role;
    // One GPU in the singular is a kind of GPU.
    const bool count = role == ColumnRole::kScale && !meaning.may_be_kind;
    roles.scale = roles.scale || (count && !is_lone_letter(meaning));
    roles.size = roles.size || role == ColumnRole::kParameters || role == ColumnRole::kTokens ||
                 role == ColumnRole::kCompute;
    const bool time_or_rate = role == ColumnRole::kTime || role == ColumnRole::kRate;
    roles.measured = roles.measured || (time_or_rate && !meaning.last_resort);
    roles.loss = roles.loss || role == ColumnRole::kLoss;
  }
  return roles;
}

}  // namespace

std::function<bool(const std::vector<std::string>&)> is_table_of(const RunOptions& options) {
  return [&options](const std::vector<std::string>& names) {
    const Header header{.names = names};
    const std::string& x = options.x;
    const std::string& y = options.y;
    if (options.layout.wide.empty() &&
        (!has_named_columns(header, x) || !has_named_columns(header, y))) {
      return false;
    }
    if (!options.layout.wide.empty() || (x.empty() && y.empty() && is_wide(names))) return true;
    const NamedRoles roles = roles_of(header);
    const bool scale = !x.empty() || !options.has_x || roles.scale || (roles.size && roles.loss);
    return scale && (!y.empty() || roles.measured || roles.loss);
  };
}

}  // namespace scalelaw
