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
void write_estimate(JsonText& json, const Estimate& estimate, bool with_test,
                    bool on_bound = false);

/// The same with its test figures; null where there is none.
void write_estimate(JsonText& json, const std::optional<Estimate>& estimate);

/// Members of an object that are numbers, each by its name.
void write_numbers(
    JsonText& json,
    std::initializer_list<std::pair<std::string_view, std::optional<double>>> numbers);
/// A list of numbers.
void write_list(JsonText& json, std::span<const double> numbers);

/// The code and the message of a failure.
void write_reason(JsonText& json, const NoFit& failure);

/// Every parameter by its name.
void write_parameters(JsonText& json, const Fit& fit);

/// The values of the group columns by their names.
void write_group(JsonText& json, const std::vector<std::string>& by, const GroupKey& group);

/// A group without a fit.
void write_failure(JsonText& json, const std::vector<std::string>& by, const GroupKey& group,
                   const NoFit& failure);

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
                   : write_reason(json, std::get<NoFit>(outcome));
}

/// A list of such objects.
template <class Items, class Write>
void write_objects(JsonText& json, const Items& items, Write write) {
  json.open('[');
  for (const auto& item : items) write_object(json, item, write);
  json.close(']');
}

void write_strings(JsonText& json, const std::vector<std::string>& strings);

/// The members of a document's object, one a line.
class JsonHead {
 public:
  explicit JsonHead(std::string& out) : out_(out) {}
  JsonText member(std::string_view name) {
    out_ += first_ ? "{" : ",\n ";
    first_ = false;
    JsonText json(out_);
    json.key(name);
    return json;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

// The head of every report, in the order of the contract; each command has members of its own in
// between.

/// schema, version, inputs, x, y, by.
void write_data(JsonHead& head, std::string_view schema, const StudyReport& report);
/// points, run, weights.
void write_points(JsonHead& head, const StudyReport& report);
/// rows, warnings.
void write_rows(JsonHead& head, const StudyReport& report);

}  // namespace scalelaw
