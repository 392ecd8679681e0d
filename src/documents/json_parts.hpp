#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "documents/json_text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// [lower, upper]; an open end is null.
void write_interval(JsonText& json, const std::optional<Interval>& interval);

/// Estimate, standard error, interval; test figures where asked for; what other standard errors add
/// where present.
void write_estimate(JsonText& json, const Estimate& estimate, bool with_test);

/// The same with its test figures; null where there is none.
void write_estimate(JsonText& json, const std::optional<Estimate>& estimate);

/// Members of an object that are numbers, each by its name.
void write_numbers(
    JsonText& json,
    std::initializer_list<std::pair<std::string_view, std::optional<double>>> numbers);
/// A list of numbers.
void write_list(JsonText& json, std::span<const double> numbers);

/// The members of a failure: its code and message.
void write_reason(JsonText& json, const NoFit& failure);

/// Every parameter by its name.
void write_parameters(JsonText& json, const Fit& fit);

/// Members on one sigma of several samples, and whether they agree.
void write_shared_sigma(JsonText& json, const Pooling& pooling);

/// What groups share: the members `pool` and `pooled` of a head.
void write_pooling(JsonText& head, const Pooling& pooling);

/// The values of the group columns by their names.
void write_group(JsonText& json, const std::vector<std::string>& by, const GroupKey& group);

/// Writes what `write(json, item)` or `write(item)` makes of an item.
template <class Item, class Write>
void write_item(JsonText& json, const Item& item, Write& write) {
  if constexpr (std::is_invocable_v<Write, JsonText&, const Item&>) {
    write(json, item);
  } else {
    write(item);
  }
}

/// A list of what `write` makes of each item.
template <class Items, class Write>
void write_each(JsonText& json, const Items& items, Write write) {
  json.open('[');
  for (const auto& item : items) write_item(json, item, write);
  json.close(']');
}

/// An object of the members that `write` writes. A pointer or an optional without a value is null;
/// a failure is its code and message.
template <class Value, class Write>
void write_object(JsonText& json, const Value& value, Write write) {
  json.open('{');
  write_item(json, value, write);
  json.close('}');
}
template <class Value, class Write>
void write_object(JsonText& json, const Value* value, Write write) {
  value != nullptr ? write_object(json, *value, write) : json.null();
}
template <class Value, class Write>
void write_object(JsonText& json, const std::optional<Value>& value, Write write) {
  write_object(json, value ? &*value : nullptr, write);
}
template <class Value, class Write>
void write_object(JsonText& json, const Outcome<Value>& outcome, Write write) {
  const Value* const value = std::get_if<Value>(&outcome);
  value != nullptr ? write_object(json, *value, write)
                   : write_object(json, std::get<NoFit>(outcome), write_reason);
}

/// A list of such objects.
template <class Items, class Write>
void write_objects(JsonText& json, const Items& items, Write write) {
  write_each(json, items, [&](const auto& item) { write_object(json, item, write); });
}

void write_strings(JsonText& json, const std::vector<std::string>& strings);

/// Opens a document and writes its schema and the version of scalelaw.
void begin_document(JsonText& head, std::string_view schema);

// Other members of a report's head, in the order of the contract; commands add some in between.

/// inputs, x, y, by.
void write_data(JsonText& head, const StudyReport& report);
/// The members of what a response is about.
void write_quantity(JsonText& json, const Quantity& quantity);
/// points, run, weights.
void write_points(JsonText& head, const StudyReport& report);
/// rows, warnings.
void write_rows(JsonText& head, const StudyReport& report);

// A fit document is the schema scalelaw.fit/1 of docs/reference/fit.md, which read_fits() reads.

/// The members of a fit document between its version and its fits.
void write_fits_head(JsonText& head, const FitReport& report);

/// The members of one fit behind its group.
void write_fit_members(JsonText& json, const Fit& fit);

}  // namespace scalelaw
