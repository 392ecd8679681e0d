#include "render/json_text.hpp"

namespace scalelaw {
namespace {

void write_rows(JsonText& json, const RowCounts& rows) {
  json.open('{');
  json.key("read").count(rows.read);
  json.key("used").count(rows.used);
  json.key("missing").count(rows.missing);
  json.key("bad").count(rows.bad);
  json.key("filtered").count(rows.filtered);
  json.close('}');
}

void write_text_or_null(JsonText& json, const std::string& text) {
  if (text.empty()) return json.null();
  json.text(text);
}

}  // namespace

void write_interval(JsonText& json, const std::optional<Interval>& interval) {
  if (!interval) return json.null();
  json.open('[');
  json.number(interval->lower);
  json.number(interval->upper);
  json.close(']');
}

void write_estimate(JsonText& json, const Estimate& estimate, bool with_test) {
  json.open('{');
  json.key("estimate").number(estimate.estimate);
  json.key("se").number(estimate.se);
  write_interval(json.key("ci"), estimate.ci);
  if (with_test) {
    json.key("t").number(estimate.t);
    json.key("p").number(estimate.p);
  }
  if (estimate.classic_se) json.key("classic_se").number(estimate.classic_se);
  if (estimate.dof) json.key("dof").number(estimate.dof);
  json.close('}');
}

void write_group(JsonText& json, const std::vector<std::string>& by, const GroupKey& group) {
  json.open('{');
  for (std::size_t i = 0; i < by.size(); ++i) json.key(by[i]).text(group.at(i));
  json.close('}');
}

void write_failure(JsonText& json, const std::vector<std::string>& by, const GroupKey& group,
                   const NoFit& failure) {
  json.open('{');
  write_group(json.key("group"), by, group);
  json.key("code").text(name_of(failure.code));
  json.key("message").text(failure.message);
  json.close('}');
}

void write_strings(JsonText& json, const std::vector<std::string>& strings) {
  json.open('[');
  for (const std::string& text : strings) json.text(text);
  json.close(']');
}

void write_columns(HeadText& head, const FitReport& report) {
  JsonText inputs = head.member("inputs");
  write_strings(inputs, report.inputs);
  head.member("x").text(report.x);
  head.member("y").text(report.y);
  JsonText by = head.member("by");
  write_strings(by, report.by);
}

void write_points(HeadText& head, const FitReport& report) {
  head.member("points").text(name_of(report.points));
  JsonText run = head.member("run");
  write_text_or_null(run, report.run);
  JsonText weights = head.member("weights");
  write_text_or_null(weights, report.weights);
}

void write_outcome(HeadText& head, const FitReport& report) {
  JsonText rows = head.member("rows");
  write_rows(rows, report.rows);
  JsonText warnings = head.member("warnings");
  write_strings(warnings, report.warnings);
}

}  // namespace scalelaw
