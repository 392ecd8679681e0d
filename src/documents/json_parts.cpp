#include "documents/json_parts.hpp"

#include <array>

#include "scalelaw/version.hpp"

namespace scalelaw {

void write_interval(JsonText& json, const std::optional<Interval>& interval) {
  if (!interval) return json.null();
  write_list(json, std::array{interval->lower, interval->upper});
}

namespace {

void write_members(JsonText& json, const Estimate& estimate, bool with_test) {
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
}

}  // namespace

void write_estimate(JsonText& json, const Estimate& estimate, bool with_test) {
  json.open('{');
  write_members(json, estimate, with_test);
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

void write_reason(JsonText& json, const NoFit& failure) {
  json.key("code").text(name_of(failure.code));
  json.key("message").text(failure.message);
}

void write_parameters(JsonText& json, const Fit& fit) {
  json.open('{');
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    // That a prefactor is not zero needs no test.
    const bool with_test = fit.law->parameters()[i].transform == Transform::kIdentity;
    const Parameter& parameter = fit.parameters[i];
    json.key(parameter.name);
    json.open('{');
    write_members(json, parameter, with_test);
    if (parameter.on_bound) json.key("on_bound").boolean(true);
    if (parameter.fixed) json.key("fixed").boolean(true);
    if (parameter.shared) json.key("shared").boolean(true);
    if (!parameter.tied_to.empty()) json.key("tied_to").text(parameter.tied_to);
    json.close('}');
  }
  json.close('}');
}

void write_group(JsonText& json, const std::vector<std::string>& by, const GroupKey& group) {
  json.open('{');
  for (std::size_t i = 0; i < by.size(); ++i) json.key(by[i]).text(group.at(i));
  json.close('}');
}

void write_strings(JsonText& json, const std::vector<std::string>& strings) {
  write_each(json, strings, [](JsonText& list, const std::string& text) { list.text(text); });
}

void begin_document(JsonText& head, std::string_view schema) {
  head.open('{');
  head.key("schema").text(schema);
  head.member("version").text(kVersion);
}

void write_quantity(JsonText& json, const Quantity& quantity) {
  const auto text = [&json](std::string_view key, std::string_view value) {
    if (!value.empty() && value != "not known") json.key(key).text(value);
  };
  const auto columns = [&json](std::string_view key, const std::vector<std::string>& names) {
    if (!names.empty()) write_strings(json.key(key), names);
  };
  text("kind", name_of(quantity.kind));
  text("unit", quantity.unit);
  text("of", name_of(quantity.of));
  text("things", quantity.things);
  if (quantity.multiple != 1) json.key("multiple").number(quantity.multiple);
  text("whose", name_of(quantity.whose));
  text("better", name_of(quantity.better));
  columns("factors", quantity.factors);
  columns("divisors", quantity.divisors);
  columns("why", quantity.why);
}

void write_data(JsonText& head, const StudyReport& report) {
  write_strings(head.member("inputs"), report.inputs);
  head.member("x").text_or_null(report.x);
  if (!report.scales.empty()) {
    write_strings(head.member("scales"), report.scales);
    head.member("flops_per_parameter_token").number(report.flops_per_parameter_token);
  }
  head.member("y").text(report.y);
  if (!report.y_unit.empty()) head.member("y_unit").text(report.y_unit);
  write_object(head.member("quantity"), report.quantity, write_quantity);
  if (!report.growing_work.empty()) head.member("growing_work").text(report.growing_work);
  if (const auto& part = report.partly_growing_work) {
    write_object(head.member("partly_growing_work"), *part,
                 [&report](JsonText& json, const PartlyGrowingWork& work) {
                   json.key("column").text(work.column);
                   write_strings(json.key("groups"), names_of_groups(report.by, work.groups));
                 });
  }
  write_strings(head.member("by"), report.by);
}

void write_points(JsonText& head, const StudyReport& report) {
  head.member("points").text(name_of(report.points));
  head.member("run").text_or_null(report.run);
  head.member("weights").text_or_null(report.weights);
}

void write_rows(JsonText& head, const StudyReport& report) {
  write_object(head.member("rows"), report.rows, [](JsonText& json, const RowCounts& counts) {
    json.key("read").count(counts.read);
    json.key("used").count(counts.used);
    json.key("missing").count(counts.missing);
    json.key("bad").count(counts.bad);
    json.key("filtered").count(counts.filtered);
    json.key("failed").count(counts.failed);
    if (counts.steps > 0) json.key("steps").count(counts.steps);
    if (counts.repeats > 0) json.key("repeats").count(counts.repeats);
  });
  write_strings(head.member("warnings"), report.warnings);
}

}  // namespace scalelaw
