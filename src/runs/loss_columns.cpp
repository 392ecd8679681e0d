// Which columns of a table are a loss and its scales.

#include <string>
#include <utility>
#include <vector>

#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

std::string label_in(const ColumnProfile& column) {
  return std::string(column_label(column.name).name);
}

/// The column of numbers with that role and the lowest rank that has several values.
const ColumnProfile* varying_column(const TableProfile& profile, ColumnRole role) {
  constexpr std::size_t kFewest = 3;
  const ColumnProfile* best = nullptr;
  for (const ColumnProfile& column : profile.columns()) {
    if (column.meaning.role != role || !column.is_number()) continue;
    if (column.values.size() < kFewest || !(column.min > 0)) continue;
    if (best == nullptr || column.meaning.rank < best->meaning.rank) best = &column;
  }
  return best;
}

}  // namespace

std::string loss_scale(const Header& header, const TableProfile& profile) {
  if (varying_column(profile, ColumnRole::kLoss) == nullptr) return "";
  std::vector<std::string> compared = scale_columns(header, "", &profile);
  for (std::string& name : setting_columns(header, &profile)) compared.push_back(std::move(name));
  for (const std::string& name : compared) {
    const ColumnProfile* const column = profile.column(name);
    if (column != nullptr && column->values.size() > 1) return "";
  }
  for (const ColumnRole role :
       {ColumnRole::kParameters, ColumnRole::kTokens, ColumnRole::kCompute, ColumnRole::kEpoch}) {
    if (const ColumnProfile* const column = varying_column(profile, role)) {
      return label_in(*column);
    }
  }
  return "";
}

}  // namespace scalelaw
