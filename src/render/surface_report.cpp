// Forecasts by laws of two x in every format: their JSON (schema scalelaw.surface/1), and one row
// per answer.

#include "scalelaw/render/surface_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/result_writer.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

using Answers = std::vector<SurfaceAnswer>;

void write_answer(JsonText& json, const SurfaceAnswer& answer) {
  json.key("compute").number(answer.compute);
  json.key("optimal").boolean(answer.optimal);
  write_list(json.key("x"), std::array{answer.point.n, answer.point.d});
  json.key("x_ci");
  answer.optimal ? write_each(json, std::array{answer.n_ci, answer.d_ci}, write_interval)
                 : json.null();
  json.key("median").number(answer.point.median);
  write_interval(json.key("ci"), answer.point.ci);
  write_interval(json.key("pi"), answer.point.pi);
  json.key("extrapolation").number(answer.point.extrapolation);
}

/// Three digits, with a power of ten if the number is large: such scales span decades.
std::string scale_digits(double value) { return fmt::format("{:.3g}", value); }

/// A number as the user gave it.
std::string given_text(double value) {
  const std::string exact = exact_text(value);
  constexpr std::size_t kLongest = 12;
  return exact.size() <= kLongest ? exact : fmt::format("{:.8g}", value);
}

/// How many significant digits show two digits of the width of an interval; at least `least`.
int digits_of(const Interval& ci, int least) {
  const double width = (ci.upper - ci.lower) / std::max(std::abs(ci.lower), std::abs(ci.upper));
  if (!(width > 0) || !std::isfinite(width)) return least;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(width))), least, 15);
}

/// The interval of a scale, as scale_digits writes scales.
std::string range_text(const std::optional<Interval>& ci) {
  const int digits = ci ? digits_of(*ci, 3) : 3;
  return interval_text(ci, [digits](double end) { return fmt::format("{:.{}g}", end, digits); });
}

std::string value_range_text(const std::optional<Interval>& ci) {
  return interval_text(ci, significant(ci ? digits_of(*ci, 4) : 4));
}

/// The product of the scales is a compute if it has a factor.
std::string_view name_of_product(const SurfaceQuestions& questions) {
  return questions.flops_per_parameter_token == 1 ? "product" : "compute";
}

/// Adds a column. People see what the user gave as it is, and what was computed with three digits.
template <class Get>
void add_size(Sheet<SurfaceAnswer>& sheet, const std::string& name, bool given, Get get) {
  sheet.add(name, get).seen_as([given, get](const SurfaceAnswer& answer) {
    return answer.optimal == given ? given_text(get(answer)) : scale_digits(get(answer));
  });
}

Sheet<SurfaceAnswer> surface_sheet(const StudyReport& report, const SurfaceQuestions& questions) {
  using Answer = const SurfaceAnswer&;
  const std::string level = fmt::format("{:.6g} % interval", 100 * questions.confidence);
  Sheet<SurfaceAnswer> sheet(report.by);
  sheet.add_status();
  // For an optimum the user gave the compute, else the scales.
  add_size(sheet, "compute", true, [](Answer answer) { return answer.compute; });
  sheet.show("compute", std::string(name_of_product(questions)));
  sheet.add("optimal", [](Answer answer) { return answer.optimal; });
  add_size(sheet, "x1", false, [](Answer answer) { return answer.point.n; });
  sheet.show("x1", report.scales[0]);
  const auto n_range = [](Answer answer) { return range_text(answer.n_ci); };
  sheet.interval("x1_ci", [](Answer answer) { return answer.n_ci; }).seen_as(n_range).titled(level);
  add_size(sheet, "x2", false, [](Answer answer) { return answer.point.d; });
  sheet.show("x2", report.scales[1]);
  const auto d_range = [](Answer answer) { return range_text(answer.d_ci); };
  sheet.interval("x2_ci", [](Answer answer) { return answer.d_ci; }).seen_as(d_range).titled(level);
  sheet.add("median", [](Answer answer) { return answer.point.median; }).titled(report.y);
  sheet.interval("ci", [](Answer answer) { return answer.point.ci; })
      .seen_as([](Answer answer) { return value_range_text(answer.point.ci); })
      .titled(level);
  sheet.interval("pi", [](Answer answer) { return answer.point.pi; })
      .seen_as([](Answer answer) { return value_range_text(answer.point.pi); })
      .titled("new run");
  sheet.add("extrapolation", [](Answer answer) { return answer.point.extrapolation; })
      .as(decimals(2))
      .titled("beyond data");
  sheet.add_failure();
  return sheet;
}

class SurfaceDescription final : public Description<StudyReport, Answers, SurfaceAnswer> {
 public:
  SurfaceDescription(const StudyReport& report, const SurfaceQuestions& questions)
      : Description(report,
                    {.noun = "forecast", .schema = "scalelaw.surface/1", .list = "surfaces"}),
        questions_(questions) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_);
    head.member("confidence").number(questions_.confidence);
    write_rows(head, report_);
  }
  void write_members(JsonText& json, const Answers& answers) const override {
    write_objects(json.key("points"), answers, write_answer);
  }

  Sheet<SurfaceAnswer> sheet(Format) const override { return surface_sheet(report_, questions_); }
  void add_rows(SheetWriter& rows, const GroupKey& group, const Answers& answers) const override {
    for (const SurfaceAnswer& answer : answers) rows.add(group, answer);
  }

  std::string caption() const override {
    const double factor = questions_.flops_per_parameter_token;
    const std::string_view product = name_of_product(questions_);
    return fmt::format(
        "{} over {} and {}; {} = {}{} * {}; where scales have an interval they are the best "
        "split of that {}",
        report_.y, report_.scales[0], report_.scales[1], product,
        factor == 1 ? "" : fmt::format("{} * ", factor), report_.scales[0], report_.scales[1],
        product);
  }

 private:
  const SurfaceQuestions& questions_;
};

}  // namespace

void write_surfaces(const StudyReport& report, const SurfaceQuestions& questions,
                    std::span<const GroupSurface> groups, const TableStyle& style,
                    const TextSink& sink) {
  write_results(SurfaceDescription(report, questions), groups, style, sink);
}

}  // namespace scalelaw
