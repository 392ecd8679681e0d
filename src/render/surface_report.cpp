#include "scalelaw/render/surface_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/delimited_rows.hpp"
#include "render/group_json.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

using Answers = std::vector<SurfaceAnswer>;

void write_answer(JsonText& json, const SurfaceAnswer& answer) {
  json.open('{');
  json.key("compute").number(answer.compute);
  json.key("optimal").boolean(answer.optimal);
  json.key("x").open('[');
  json.number(answer.point.n);
  json.number(answer.point.d);
  json.close(']');
  json.key("x_ci");
  if (answer.optimal) {
    json.open('[');
    write_interval(json, answer.n_ci);
    write_interval(json, answer.d_ci);
    json.close(']');
  } else {
    json.null();
  }
  json.key("median").number(answer.point.median);
  write_interval(json.key("ci"), answer.point.ci);
  write_interval(json.key("pi"), answer.point.pi);
  json.key("extrapolation").number(answer.point.extrapolation);
  json.close('}');
}

void write_group(JsonText& json, const std::vector<std::string>& by, const GroupKey& group,
                 const Answers& answers) {
  json.open('{');
  write_group(json.key("group"), by, group);
  json.key("points").open('[');
  for (const SurfaceAnswer& answer : answers) write_answer(json, answer);
  json.close(']');
  json.close('}');
}

void write_json(const StudyReport& report, const SurfaceQuestions& questions,
                std::span<const GroupSurface> groups, const TextSink& sink) {
  BufferedText out(sink);
  JsonHead head(out.text());
  write_data(head, "scalelaw.surface/1", report);
  head.member("confidence").number(questions.confidence);
  write_rows(head, report);
  write_groups<Answers>(out, "surfaces", report.by, groups,
                        [&](JsonText& json, const GroupKey& group, const Answers& answers) {
                          write_group(json, report.by, group, answers);
                        });
}

void write_jsonl(const StudyReport& report, std::span<const GroupSurface> groups,
                 const TextSink& sink) {
  write_group_lines<Answers>(report.by, groups, sink,
                             [&](JsonText& json, const GroupKey& group, const Answers& answers) {
                               write_group(json, report.by, group, answers);
                             });
}

void write_delimited(const StudyReport& report, std::span<const GroupSurface> groups,
                     char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  for (const std::string& name : report.by) rows.add(name);
  for (const char* name :
       {"compute", "optimal", "x1", "x1_ci_lower", "x1_ci_upper", "x2", "x2_ci_lower",
        "x2_ci_upper", "median", "ci_lower", "ci_upper", "pi_lower", "pi_upper", "extrapolation"}) {
    rows.add(name);
  }
  rows.end_row();
  for (const GroupSurface& group : groups) {
    const Answers* const answers = std::get_if<Answers>(&group.result);
    if (answers == nullptr) continue;
    for (const SurfaceAnswer& answer : *answers) {
      const SurfacePoint& point = answer.point;
      for (const std::string& value : group.group) rows.add(value);
      for (const std::string& text :
           {exact_text(answer.compute), truth_text(answer.optimal), exact_text(point.n),
            lower_text(answer.n_ci), upper_text(answer.n_ci), exact_text(point.d),
            lower_text(answer.d_ci), upper_text(answer.d_ci), exact_text(point.median),
            lower_text(point.ci), upper_text(point.ci), lower_text(point.pi), upper_text(point.pi),
            exact_text(point.extrapolation)}) {
        rows.add(text);
      }
      rows.end_row();
    }
  }
  rows.finish();
}

/// Three digits with a power of ten where large: scales of that kind span decades.
std::string size_text(double value) { return fmt::format("{:.3g}", value); }

/// What the user gave, as it was given.
std::string given_text(double value) {
  const std::string exact = exact_text(value);
  constexpr std::size_t kLongest = 12;
  return exact.size() <= kLongest ? exact : fmt::format("{:.8g}", value);
}

/// Significant digits that show two of an interval's width, at least `least`.
int digits_of(const Interval& ci, int least) {
  const double width = (ci.upper - ci.lower) / std::max(std::abs(ci.lower), std::abs(ci.upper));
  if (!(width > 0) || !std::isfinite(width)) return least;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(width))), least, 15);
}

std::string range_text(const std::optional<Interval>& ci) {
  if (!ci) return "-";
  const int digits = digits_of(*ci, 3);
  return fmt::format("{:.{}g} .. {:.{}g}", ci->lower, digits, ci->upper, digits);
}

std::string value_range_text(const std::optional<Interval>& ci) {
  if (!ci) return "-";
  const int digits = digits_of(*ci, 4);
  return fmt::format("{} .. {}", with_significant_digits(ci->lower, digits),
                     with_significant_digits(ci->upper, digits));
}

/// The product of the scales is a compute where it has a factor.
std::string_view name_of_product(const SurfaceQuestions& questions) {
  return questions.flops_per_parameter_token == 1 ? "product" : "compute";
}

std::vector<TableColumn> columns_of(const StudyReport& report, const SurfaceQuestions& questions) {
  const std::string level = fmt::format("{:.6g} % interval", 100 * questions.confidence);
  std::vector<TableColumn> columns;
  for (const std::string& name : report.by) columns.push_back({.header = name});
  for (const std::string& header :
       {std::string(name_of_product(questions)), report.scales[0], level, report.scales[1], level,
        report.y, level, std::string("new run"), std::string("beyond data")}) {
    columns.push_back({.header = header, .align = Align::kRight});
  }
  return columns;
}

void write_table(const StudyReport& report, const SurfaceQuestions& questions,
                 std::span<const GroupSurface> groups, Format format, bool colour,
                 const TextSink& sink) {
  TextTable table(columns_of(report, questions));
  std::vector<std::string> lines;
  for (const GroupSurface& group : groups) {
    if (const NoFit* const failure = std::get_if<NoFit>(&group.result)) {
      lines.push_back(fmt::format("no forecast for {}: {} ({})", group_name(report.by, group.group),
                                  failure->message, name_of(failure->code)));
      continue;
    }
    for (const SurfaceAnswer& answer : std::get<Answers>(group.result)) {
      std::vector<std::string> cells = group.group;
      const SurfacePoint& point = answer.point;
      for (const std::string& text :
           {answer.optimal ? given_text(answer.compute) : size_text(answer.compute),
            answer.optimal ? size_text(point.n) : given_text(point.n), range_text(answer.n_ci),
            answer.optimal ? size_text(point.d) : given_text(point.d), range_text(answer.d_ci),
            with_significant_digits(point.median, 4), value_range_text(point.ci),
            value_range_text(point.pi), fmt::format("{:.2f}", point.extrapolation)}) {
        cells.push_back(text);
      }
      table.add_row(cells);
    }
  }
  const double factor = questions.flops_per_parameter_token;
  const std::string_view product = name_of_product(questions);
  const std::string caption = fmt::format(
      "{} over {} and {}; {} = {}{} * {}; where scales have an interval they are the best "
      "split of that {}",
      report.y, report.scales[0], report.scales[1], product,
      factor == 1 ? "" : fmt::format("{} * ", factor), report.scales[0], report.scales[1], product);
  write_noted_table(table, caption, lines, format, colour, sink);
}

}  // namespace

void write_surfaces(const StudyReport& report, const SurfaceQuestions& questions,
                    std::span<const GroupSurface> groups, Format format, bool colour,
                    const TextSink& sink) {
  if (format == Format::kJson) return write_json(report, questions, groups, sink);
  if (format == Format::kJsonl) return write_jsonl(report, groups, sink);
  if (format == Format::kCsv || format == Format::kTsv) {
    return write_delimited(report, groups, separator_of(format), sink);
  }
  write_table(report, questions, groups, format, colour, sink);
}

}  // namespace scalelaw
