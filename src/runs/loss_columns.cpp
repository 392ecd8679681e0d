// Which columns of a table are a loss and its scales.

#include <string>
#include <utility>
#include <vector>

#include "runs/look_parts.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFewestOfLoss = 3;

std::string label_in(const ColumnProfile& column) { return column.label(); }

/// The column of numbers with that role and the lowest rank that has several values.
const ColumnProfile* varying_column(const TableProfile& profile, ColumnRole role) {
  const ColumnProfile* best = nullptr;
  for (const ColumnProfile& column : profile.columns()) {
    if (column.meaning.role != role || !column.is_number()) continue;
    if (column.values.size() < kFewestOfLoss || !(column.min > 0)) continue;
    if (best == nullptr || column.meaning.rank < best->meaning.rank) best = &column;
  }
  return best;
}

}  // namespace

std::optional<LossColumns> losses_over_two_scales(const TableProfile& profile) {
  constexpr double kFewestParameters = 1e5;
  constexpr double kFewestTokens = 1e6;
  const ColumnProfile* const loss = column_of_role(profile, ColumnRole::kLoss);
  if (loss == nullptr) return std::nullopt;
  const auto letter = [&](std::string_view name, double least) {
    const ColumnProfile* const column = profile.column(std::string(name));
    return column != nullptr && column->is_number() && column->min >= least ? column : nullptr;
  };
  const ColumnProfile* n = column_of_role(profile, ColumnRole::kParameters);
  if (n == nullptr) n = letter("N", kFewestParameters);
  if (n == nullptr) n = letter("size", kFewestParameters);
  const ColumnProfile* d = column_of_role(profile, ColumnRole::kTokens);
  if (d == nullptr) d = letter("D", kFewestTokens);
  const bool has_tokens = n != nullptr && d != nullptr;
  if (n == nullptr) std::swap(n, d);
  if (d == nullptr) d = column_of_role(profile, ColumnRole::kCompute);
  constexpr std::size_t kFewestComputes = 2;
  const auto varies = [](const ColumnProfile* column, std::size_t fewest) {
    return column != nullptr && column->values.size() >= fewest;
  };
  if (!varies(n, kFewestOfLoss) || !varies(d, has_tokens ? kFewestOfLoss : kFewestComputes)) {
    return std::nullopt;
  }
  return LossColumns{.n = label_in(*n),
                     .tokens = has_tokens ? label_in(*d) : "",
                     .compute = has_tokens ? "" : label_in(*d),
                     .loss = label_in(*loss)};
}

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
