#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runs/look_parts.hpp"
#include "runs/row_reading.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/quantity.hpp"

namespace scalelaw {
namespace {

/// Whether numbers without a name could be scales: whole, above 0, and at least three.
bool could_be_scale(const ColumnProfile& column) {
  constexpr std::size_t kFewest = 3;
  const std::set<double> values(column.quantities.begin(), column.quantities.end());
  return column.is_number() && column.missing == 0 && column.whole && column.min > 0 &&
         values.size() >= kFewest;
}

}  // namespace

bool choose_unnamed_scale(const TableProfile& profile, TableLook& look) {
  std::vector<const ColumnProfile*> free;
  for (const ColumnProfile& column : profile.columns()) {
    using enum ColumnRole;
    const ColumnRole role = column.meaning.role;
    const bool suits = role == kOther || role == kSetting || role == kProblemSize ||
                       role == kBatchSize || role == kSystem || role == kParameters;
    if (!suits || column_label(column.name).name == look.y) continue;
    if (measured_by_unit(column).empty() && could_be_scale(column)) free.push_back(&column);
  }
  const bool only = free.size() == 1;
  const auto is_of = [](const ColumnProfile* column, ColumnRole role) {
    return column->meaning.role == role;
  };
  if (!only) {
    // Of a model's sizes, its parameters are the one that tells the work.
    const bool has_parameters = std::ranges::any_of(
        free, [&](const ColumnProfile* column) { return is_of(column, ColumnRole::kParameters); });
    std::erase_if(free, [&](const ColumnProfile* column) {
      return !is_of(column, has_parameters ? ColumnRole::kParameters : ColumnRole::kProblemSize);
    });
  }
  if (free.size() != 1) return false;
  look.x = column_label(free.front()->name).name;
  look.findings.push_back(
      {"unnamed_scale",
       fmt::format("No name says how many GPUs, processes or nodes a run had. '{}' is taken for "
                   "the scale, as {}.",
                   look.x,
                   only ? "no other column has whole numbers of several sizes"
                        : "it alone is the size of a problem or model by its name")});
  return true;
}

void choose_by_values(const TableProfile& profile, TableLook& look) {
  // Scales mostly begin with 1, and sizes of problems do not.
  for (const bool from_one : {true, false}) {
    for (const ColumnProfile& column : profile.columns()) {
      const bool suits = could_be_scale(column) && (!from_one || column.min == 1);
      if (look.x.empty() && column.name != look.y && suits) look.x = column.name;
    }
  }
  // What hardly varies is a result, as a sum or a digit of pi is.
  constexpr double kVaries = 1.1;
  const auto measures = [&](const ColumnProfile& column, bool varies, bool whole) {
    return look.y.empty() && column.name != look.x && column.is_number() &&
           column.values.size() > 1 && column.min > 0 && column.whole == whole &&
           (!varies || column.max > kVaries * column.min);
  };
  for (const bool varies : {true, false}) {
    for (const bool whole : {false, true}) {
      for (const ColumnProfile& column : profile.columns()) {
        if (measures(column, varies, whole)) look.y = column.name;
      }
    }
  }
  if (!look.response.empty() || look.y.empty()) return;
  const bool rate = quantity_of(look.y, profile.column(look.y)->unit).kind == Kind::kRate;
  look.response = rate ? "rate" : "time";
}

void tell_of_layout(const LookState& state, TableLook& look) {
  std::vector<std::string> sentences;
  tell_layout(state.header, {}, input_name(look.inputs.front()), look.inputs, sentences);
  for (std::string& sentence : sentences) {
    look.findings.push_back({"layout", std::move(sentence) + "."});
  }
}

}  // namespace scalelaw
