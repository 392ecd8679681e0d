#include <algorithm>
#include <set>

#include "runs/cell_number.hpp"
#include "runs/look_parts.hpp"
#include "runs/row_reading.hpp"
#include "scalelaw/input/source.hpp"

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

void choose_by_values(const TableProfile& profile, TableLook& look) {
  // Scales mostly begin with 1, and sizes of problems do not.
  for (const bool from_one : {true, false}) {
    for (const ColumnProfile& column : profile.columns()) {
      const bool suits = could_be_scale(column) && (!from_one || column.min == 1);
      if (look.x.empty() && column.name != look.y && suits) look.x = column.name;
    }
  }
  const auto measures = [&](const ColumnProfile& column, bool whole) {
    return look.y.empty() && column.name != look.x && column.is_number() &&
           column.values.size() > 1 && column.min > 0 && column.whole == whole;
  };
  for (const bool whole : {false, true}) {
    for (const ColumnProfile& column : profile.columns()) {
      if (measures(column, whole)) look.y = column.name;
    }
  }
  if (look.response.empty() && !look.y.empty()) look.response = "time";
}

void tell_of_layout(const LookState& state, TableLook& look) {
  std::vector<std::string> sentences;
  tell_layout(state.header, {}, input_name(look.inputs.front()), sentences);
  for (std::string& sentence : sentences) {
    look.findings.push_back({"layout", std::move(sentence) + "."});
  }
}

}  // namespace scalelaw
