#include "documents/json_parts.hpp"

#include "scalelaw/version.hpp"

namespace scalelaw {

void write_interval(JsonText& json, const std::optional<Interval>& interval) {
  if (!interval) return json.null();
  json.open('[');
  json.number(interval->lower);
  json.number(interval->upper);
  json.close(']');
}

void write_estimate(JsonText& json, const Estimate& estimate, bool with_test, bool on_bound) {
  json.open('{');
  json.key("estimate").number(estimate.estimate);
  json.key("se").number(estimate.se);
  write_interval(json.key("ci"), estimate.ci);
  if (estimate.wald_ci) write_interval(json.key("wald_ci"), estimate.wald_ci);
  if (with_test) {
    json.key("t").number(estimate.t);
    json.key("p").number(estimate.p);
  }
  if (estimate.classic_se) json.key("classic_se").number(estimate.classic_se);
  if (estimate.dof) json.key("dof").number(estimate.dof);
  if (on_bound) json.key("on_bound").boolean(true);
  json.close('}');
}

void write_estimate(JsonText& json, const std::optional<Estimate>& estimate) {
  estimate ? write_estimate(json, *estimate, true) : json.null();
}

void write_numbers(
    JsonText& json,
    std::initializer_list<std::pair<std::string_view, std::optional<double>>> numbers) {
  for (const auto& [name, number] : numbers) json.key(name).number(number);
}

void write_list(JsonText& json, std::span<const double> numbers) {
  write_each(json, numbers, [&json](double number) { json.number(number); });
}

namespace {

void write_reason_members(JsonText& json, const NoFit& failure) {
  json.key("code").text(name_of(failure.code));
  json.key("message").text(failure.message);
}

}  // namespace

void write_reason(JsonText& json, const NoFit& failure) {
  write_object(json, failure, write_reason_members);
}

void write_parameters(JsonText& json, const Fit& fit) {
  json.open('{');
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    // That a prefactor is not zero needs no test.
    const bool with_test = fit.law->parameters()[i].transform == Transform::kIdentity;
    write_estimate(json.key(fit.parameters[i].name), fit.parameters[i], with_test,
                   fit.parameters[i].on_bound);
  }
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
  write_reason_members(json, failure);
  json.close('}');
}

void write_strings(JsonText& json, const std::vector<std::string>& strings) {
  write_each(json, strings, [](JsonText& list, const std::string& text) { list.text(text); });
}

void write_data(JsonHead& head, std::string_view schema, const StudyReport& report) {
  head.member("schema").text(schema);
  head.member("version").text(kVersion);
  JsonText inputs = head.member("inputs");
  write_strings(inputs, report.inputs);
  head.member("x").text_or_null(report.x);
  if (!report.scales.empty()) {
    JsonText scales = head.member("scales");
    write_strings(scales, report.scales);
    head.member("flops_per_parameter_token").number(report.flops_per_parameter_token);
  }
  head.member("y").text(report.y);
  if (!report.y_unit.empty()) head.member("y_unit").text(report.y_unit);
  JsonText by = head.member("by");
  write_strings(by, report.by);
}

void write_points(JsonHead& head, const StudyReport& report) {
  head.member("points").text(name_of(report.points));
  head.member("run").text_or_null(report.run);
  head.member("weights").text_or_null(report.weights);
}

void write_rows(JsonHead& head, const StudyReport& report) {
  JsonText rows = head.member("rows");
  write_object(rows, report.rows, [](JsonText& json, const RowCounts& counts) {
    json.key("read").count(counts.read);
    json.key("used").count(counts.used);
    json.key("missing").count(counts.missing);
    json.key("bad").count(counts.bad);
    json.key("filtered").count(counts.filtered);
  });
  JsonText warnings = head.member("warnings");
  write_strings(warnings, report.warnings);
}

}  // namespace scalelaw
