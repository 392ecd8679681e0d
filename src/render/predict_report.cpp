// Forecasts and their backtest in every format.

#include "scalelaw/render/predict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/delimited_rows.hpp"
#include "render/group_json.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

std::optional<double> gpu_hours(const PredictReport& report, const Prediction& at) {
  if (!report.hours_per_unit) return std::nullopt;
  return at.x * at.median * *report.hours_per_unit;
}

/// The laws of a forecast, one that stands for two with the weight of both.
std::vector<WeightedFit> different_laws(const Forecast& forecast) {
  std::vector<WeightedFit> laws;
  for (const WeightedFit& law : forecast.laws) {
    const auto same = std::find_if(laws.begin(), laws.end(), [&law](const WeightedFit& other) {
      return other.fit.law == law.fit.law;
    });
    if (same == laws.end()) {
      laws.push_back(law);
    } else {
      same->weight += law.weight;
    }
  }
  return laws;
}

// JSON.

void write_prediction(JsonText& json, const PredictReport& report, const Prediction& at) {
  json.open('{');
  json.key("x").number(at.x);
  json.key("median").number(at.median);
  json.key("mean").number(at.mean);
  write_interval(json.key("ci"), at.ci);
  write_interval(json.key("pi"), at.pi);
  json.key("extrapolation").number(at.extrapolation);
  json.key("speedup").number(at.speedup);
  json.key("efficiency").number(at.efficiency);
  json.key("gpu_hours").number(gpu_hours(report, at));
  json.close('}');
}

void write_demand(JsonText& json, const Demand& demand) {
  json.open('{');
  json.key("median").number(demand.median);
  json.key("upper").number(demand.upper);
  json.key("best").number(demand.best);
  json.close('}');
}

void write_outlook(JsonText& json, const PredictReport& report, const GroupKey& group,
                   const Outlook& outlook) {
  const Forecast& forecast = outlook.forecast;
  json.open('{');
  write_group(json.key("group"), report.by, group);
  json.key("n").count(forecast.n);
  json.key("distinct_x").count(forecast.distinct_x);
  json.key("x_min").number(forecast.x_min);
  json.key("x_max").number(forecast.x_max);
  json.key("laws").open('[');
  for (const WeightedFit& law : different_laws(forecast)) {
    json.open('{');
    json.key("law").text(law.fit.law->name());
    json.key("weight").number(law.weight);
    json.key("parameters").open('{');
    for (const Parameter& parameter : law.fit.parameters) {
      json.key(parameter.name).number(parameter.estimate);
    }
    json.close('}');
    json.close('}');
  }
  json.close(']');
  json.key("sigma").number(forecast.sigma);
  json.key("smearing").number(forecast.smearing);
  json.key("predictions").open('[');
  for (const Prediction& at : outlook.predictions) write_prediction(json, report, at);
  json.close(']');
  if (outlook.deadline) write_demand(json.key("deadline"), *outlook.deadline);
  if (outlook.budget) write_demand(json.key("budget_gpu_hours"), *outlook.budget);
  json.close('}');
}

void write_head(std::string& out, std::string_view schema, const PredictReport& report) {
  JsonHead head(out);
  write_data(head, schema, report);
  const ForecastOptions& options = report.options;
  head.member("law").text(options.law != nullptr ? options.law->name() : name_of(options.kind));
  head.member("response").text(name_of(options.response));
  write_points(head, report);
  head.member("confidence").number(options.confidence);
  if (report.deadline) head.member("deadline").number(*report.deadline);
  if (report.budget_gpu_hours) head.member("budget_gpu_hours").number(*report.budget_gpu_hours);
  write_rows(head, report);
}

void write_json(const PredictReport& report, std::span<const GroupOutlook> outlooks,
                const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), "scalelaw.predict/1", report);
  write_groups<Outlook>(out, "forecasts", report.by, outlooks,
                        [&](JsonText& json, const GroupKey& group, const Outlook& outlook) {
                          write_outlook(json, report, group, outlook);
                        });
}

void write_jsonl(const PredictReport& report, std::span<const GroupOutlook> outlooks,
                 const TextSink& sink) {
  write_group_lines<Outlook>(report.by, outlooks, sink,
                             [&](JsonText& json, const GroupKey& group, const Outlook& outlook) {
                               write_outlook(json, report, group, outlook);
                             });
}

// CSV and TSV.

std::optional<double> lower(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->lower) : std::nullopt;
}

std::optional<double> upper(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->upper) : std::nullopt;
}

void write_row(DelimitedRows& rows, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) rows.add(cell);
  rows.end_row();
}

std::vector<std::string> exact_cells(const PredictReport& report, const GroupKey& group,
                                     const Prediction& at) {
  std::vector<std::string> cells(group.begin(), group.end());
  for (const auto& value :
       {std::optional(at.x), std::optional(at.median), at.mean, lower(at.ci), upper(at.ci),
        lower(at.pi), upper(at.pi), std::optional(at.extrapolation), std::optional(at.speedup),
        std::optional(at.efficiency), gpu_hours(report, at)}) {
    cells.push_back(exact_text(value));
  }
  return cells;
}

void write_delimited(const PredictReport& report, std::span<const GroupOutlook> outlooks,
                     char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  std::vector<std::string> header(report.by.begin(), report.by.end());
  for (const char* name : {"x", "median", "mean", "ci_lower", "ci_upper", "pi_lower", "pi_upper",
                           "extrapolation", "speedup", "efficiency", "gpu_hours"}) {
    header.emplace_back(name);
  }
  write_row(rows, header);
  for (const GroupOutlook& group : outlooks) {
    const Outlook* outlook = std::get_if<Outlook>(&group.result);
    if (outlook == nullptr) continue;
    for (const Prediction& at : outlook->predictions) {
      write_row(rows, exact_cells(report, group.group, at));
    }
  }
  rows.finish();
}

// Tables for people.

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return fmt::format("{} .. {}", with_significant_digits(interval->lower, 4),
                     with_significant_digits(interval->upper, 4));
}

std::string or_none(const std::optional<double>& value, int digits) {
  return value ? with_significant_digits(*value, digits) : "-";
}

std::vector<std::string> cells_of(const PredictReport& report, const GroupKey& group,
                                  const Prediction& at) {
  std::vector<std::string> cells(group.begin(), group.end());
  cells.push_back(scale_text(at.x));
  cells.push_back(with_significant_digits(at.median, 4));
  cells.push_back(or_none(at.mean, 4));
  cells.push_back(interval_text(at.pi));
  cells.push_back(with_significant_digits(at.speedup, 3));
  cells.push_back(fmt::format("{:.0f} %", 100 * at.efficiency));
  if (report.hours_per_unit) cells.push_back(or_none(gpu_hours(report, at), 4));
  cells.push_back(at.extrapolation > 0 ? fmt::format("{:.2f}", at.extrapolation) : "inside");
  return cells;
}

std::vector<TableColumn> columns_of(const PredictReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.by) columns.push_back({.header = name});
  const auto add = [&columns](std::string header) {
    columns.push_back({.header = std::move(header), .align = Align::kRight});
  };
  add(report.x);
  add("median");
  add("mean");
  add(fmt::format("{:.6g} % of new runs", 100 * report.options.confidence));
  add("speedup");
  add("efficiency");
  if (report.hours_per_unit) add("GPU-hours");
  add("beyond data");
  return columns;
}

std::string laws_text(const Forecast& forecast) {
  std::string text;
  for (const WeightedFit& law : different_laws(forecast)) {
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", law.fit.law->name(), law.weight);
  }
  return text;
}

/// An answer that rests on the law alone says so.
std::string place_text(const PredictReport& report, double x, const Forecast& forecast) {
  constexpr double kFar = 4;
  return fmt::format("{} {}{}", report.x, scale_text(x),
                     x > kFar * forecast.x_max ? " (far beyond the data)" : "");
}

std::string deadline_text(const PredictReport& report, const Forecast& forecast,
                          const Demand& demand) {
  const std::string limit = with_significant_digits(*report.deadline, 4);
  if (!demand.median) {
    return fmt::format("{} {} cannot be met under the fitted laws; the best within reach is {}",
                       report.y, limit, with_significant_digits(demand.best, 4));
  }
  return fmt::format(
      "{} {} is met by the median from {} on, by the upper end of the interval {}", report.y, limit,
      place_text(report, *demand.median, forecast),
      demand.upper ? "from " + place_text(report, *demand.upper, forecast) + " on" : "nowhere");
}

std::string budget_text(const PredictReport& report, const Forecast& forecast,
                        const Demand& demand) {
  const std::string limit = with_significant_digits(*report.budget_gpu_hours, 4);
  if (!demand.median) {
    return fmt::format("{} GPU-hours are too few under the fitted laws; the least is {}", limit,
                       with_significant_digits(demand.best, 4));
  }
  return fmt::format(
      "{} GPU-hours suffice by the median up to {}, by the upper end of the interval {}", limit,
      place_text(report, *demand.median, forecast),
      demand.upper ? "up to " + place_text(report, *demand.upper, forecast) : "nowhere");
}

std::vector<std::string> notes_of(const PredictReport& report,
                                  std::span<const GroupOutlook> outlooks) {
  constexpr std::size_t kExplained = 24;
  std::vector<std::string> notes;
  for (const GroupOutlook& group : outlooks) {
    const std::string name = group_name(report.by, group.group);
    if (const NoFit* failure = std::get_if<NoFit>(&group.result)) {
      notes.push_back(fmt::format("no forecast for {}: {} ({})", name, failure->message,
                                  name_of(failure->code)));
      continue;
    }
    if (notes.size() >= kExplained) continue;
    const Outlook& outlook = std::get<Outlook>(group.result);
    std::string note = fmt::format("{}: weights {}", name, laws_text(outlook.forecast));
    if (outlook.deadline) note += "; " + deadline_text(report, outlook.forecast, *outlook.deadline);
    if (outlook.budget) note += "; " + budget_text(report, outlook.forecast, *outlook.budget);
    notes.push_back(std::move(note));
  }
  return notes;
}

void write_table(const PredictReport& report, std::span<const GroupOutlook> outlooks, Format format,
                 bool colour, const TextSink& sink) {
  TextTable table(columns_of(report));
  for (const GroupOutlook& group : outlooks) {
    const Outlook* outlook = std::get_if<Outlook>(&group.result);
    if (outlook == nullptr) continue;
    if (outlook->predictions.size() > 1) table.begin_part();
    for (const Prediction& at : outlook->predictions) {
      table.add_row(cells_of(report, group.group, at));
    }
  }
  const std::string caption =
      fmt::format("{} forecast over {}; beyond data: distance in units of the measured ln range",
                  report.y, report.x);
  write_noted_table(table, caption, notes_of(report, outlooks), format, colour, sink);
}

// Backtest.

void write_score(JsonText& json, const BacktestScore& score) {
  json.open('{');
  json.key("name").text(score.name);
  json.key("series").count(static_cast<std::uint64_t>(score.series));
  json.key("median_error").number(score.median_error);
  json.key("p90_error").number(score.p90_error);
  json.key("bias").number(score.bias);
  json.key("coverage").number(score.coverage);
  json.key("median_width").number(score.width);
  json.key("intervals").count(static_cast<std::uint64_t>(score.intervals));
  json.close('}');
}

void write_point(JsonText& json, const PredictReport& report, const HiddenPoint& point) {
  json.open('{');
  write_group(json.key("group"), report.by, point.group);
  json.key("x").number(point.x);
  json.key("name").text(point.name);
  json.key("log_error").number(point.log_error);
  json.key("inside");
  point.inside ? json.boolean(*point.inside) : json.null();
  json.key("width").number(point.width);
  json.close('}');
}

void write_backtest_json(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                         const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), "scalelaw.backtest/1", report);
  out.text() +=
      fmt::format(",\n \"hidden\": {}, \"skipped\": {},\n \"scores\": [", hidden, backtest.skipped);
  const auto begin = [&out](bool first) { out.text() += first ? "\n  " : ",\n  "; };
  for (std::size_t i = 0; i < backtest.scores.size(); ++i) {
    begin(i == 0);
    JsonText json(out.text());
    write_score(json, backtest.scores[i]);
  }
  out.text() += "\n ],\n \"points\": [";
  for (std::size_t i = 0; i < backtest.points.size(); ++i) {
    begin(i == 0);
    JsonText json(out.text());
    write_point(json, report, backtest.points[i]);
    out.pass_on_if_full();
  }
  out.text() += "\n ]}\n";
  out.pass_on();
}

void write_backtest_delimited(const Backtest& backtest, char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  write_row(rows, {"name", "series", "median_error", "p90_error", "bias", "coverage",
                   "median_width", "intervals"});
  for (const BacktestScore& score : backtest.scores) {
    write_row(rows,
              {score.name, fmt::to_string(score.series), exact_text(score.median_error),
               exact_text(score.p90_error), exact_text(score.bias), exact_text(score.coverage),
               exact_text(score.width), fmt::to_string(score.intervals)});
  }
  rows.finish();
}

void write_backtest_table(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                          Format format, bool colour, const TextSink& sink) {
  std::vector<TableColumn> columns{{.header = "forecast"}};
  for (const char* name : {"series", "median |ln error|", "90th percentile", "bias",
                           "intervals that held", "median width"}) {
    columns.push_back({.header = name, .align = Align::kRight});
  }
  TextTable table(std::move(columns));
  for (const BacktestScore& score : backtest.scores) {
    table.add_row(std::vector<std::string>{
        score.name, fmt::to_string(score.series), fmt::format("{:.3f}", score.median_error),
        fmt::format("{:.3f}", score.p90_error), fmt::format("{:+.3f}", score.bias),
        score.coverage ? fmt::format("{:.1f} % of {}", 100 * *score.coverage, score.intervals)
                       : "-",
        score.width ? fmt::format("{:.2f}", *score.width) : "-"});
  }
  std::vector<std::string> notes;
  if (backtest.skipped > 0) {
    notes.push_back(
        fmt::format("{} groups have fewer than {} different {}: three and the hidden are needed",
                    backtest.skipped, hidden + 3, report.x));
  }
  const std::string caption = fmt::format(
      "the greatest {} hidden, forecast from {}; errors and widths in ln {}", report.x,
      hidden == 1 ? "the rest" : fmt::format("the rest without the {} greatest", hidden), report.y);
  write_noted_table(table, caption, notes, format, colour, sink);
}

}  // namespace

std::string_view name_of(ForecastKind kind) {
  switch (kind) {
    case ForecastKind::kLaw:
      return "law";
    case ForecastKind::kAuto:
      return "auto";
    case ForecastKind::kAverage:
      return "average";
  }
  return "unknown";
}

void write_predictions(const PredictReport& report, std::span<const GroupOutlook> outlooks,
                       Format format, bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_json(report, outlooks, sink);
    case Format::kJsonl:
      return write_jsonl(report, outlooks, sink);
    case Format::kCsv:
      return write_delimited(report, outlooks, ',', sink);
    case Format::kTsv:
      return write_delimited(report, outlooks, '\t', sink);
    default:
      return write_table(report, outlooks, format, colour, sink);
  }
}

void write_backtest(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                    Format format, bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
    case Format::kJsonl:
      return write_backtest_json(report, backtest, hidden, sink);
    case Format::kCsv:
      return write_backtest_delimited(backtest, ',', sink);
    case Format::kTsv:
      return write_backtest_delimited(backtest, '\t', sink);
    default:
      return write_backtest_table(report, backtest, hidden, format, colour, sink);
  }
}

}  // namespace scalelaw
