#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "render/buffered_text.hpp"
#include "render/json_text.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/study_report.hpp"

namespace scalelaw {

/// [lower, upper]; an open end is null.
void write_interval(JsonText& json, const std::optional<Interval>& interval);

/// Estimate, standard error, interval; test figures where asked for; what other standard errors add
/// where present.
void write_estimate(JsonText& json, const Estimate& estimate, bool with_test,
                    bool on_bound = false);

/// Every parameter by its name.
void write_parameters(JsonText& json, const Fit& fit);

/// The values of the group columns by their names.
void write_group(JsonText& json, const std::vector<std::string>& by, const GroupKey& group);

/// A group without a fit.
void write_failure(JsonText& json, const std::vector<std::string>& by, const GroupKey& group,
                   const NoFit& failure);

/// A list of what `write(item)` or `write(json, item)` makes of each item.
template <class Items, class Write>
void write_each(JsonText& json, const Items& items, Write write) {
  json.open('[');
  for (const auto& item : items) {
    if constexpr (std::is_invocable_v<Write, JsonText&, decltype(item)>) {
      write(json, item);
    } else {
      write(item);
    }
  }
  json.close(']');
}

void write_strings(JsonText& json, const std::vector<std::string>& strings);

/// The member `name` of a document: a list with what `write(json, item)` makes of each item, an
/// item a line.
template <class Items, class Write>
void write_list(BufferedText& out, std::string_view name, const Items& items, Write write) {
  out.text().append(",\n \"").append(name).append("\": [");
  bool first = true;
  for (const auto& item : items) {
    out.text() += first ? "\n  " : ",\n  ";
    first = false;
    JsonText json(out.text());
    write(json, item);
    out.pass_on_if_full();
  }
  out.text() += first ? "]" : "\n ]";
}

/// JSON lines: what `write(json, item)` makes of each item.
template <class Items, class Write>
void write_lines(const TextSink& sink, const Items& items, Write write) {
  BufferedText out(sink);
  for (const auto& item : items) {
    JsonText json(out.text());
    write(json, item);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

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
