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

void write_kwh(JsonText& json, const Prediction& kwh) {
  json.open('{');
  json.key("median").number(kwh.median);
  json.key("mean").number(kwh.mean);
  write_interval(json.key("ci"), kwh.ci);
  write_interval(json.key("pi"), kwh.pi);
  json.close('}');
}

void write_scale(JsonText& json, const PredictReport& report, const ScaleOutlook& at) {
  json.open('{');
  json.key("x").number(at.y.x);
  json.key("median").number(at.y.median);
  json.key("mean").number(at.y.mean);
  write_interval(json.key("ci"), at.y.ci);
  write_interval(json.key("pi"), at.y.pi);
  json.key("extrapolation").number(at.y.extrapolation);
  json.key("speedup").number(at.y.speedup);
  json.key("efficiency").number(at.y.efficiency);
  json.key("gpu_hours").number(at.gpu_hours);
  if (!report.energy.empty()) {
    json.key("kwh");
    at.kwh ? write_kwh(json, *at.kwh) : static_cast<void>(json.null());
    json.key("co2_kg").number(at.co2_kg);
    json.key("cost").number(at.cost);
  }
  json.close('}');
}

void write_demand(JsonText& json, const PredictReport& report, const Demand& demand) {
  json.open('{');
  const auto write = [&json](std::string_view name, const std::optional<DemandedScale>& scale) {
    json.key(name).number(scale ? std::optional(scale->x) : std::nullopt);
    if (scale && scale->open) json.key(fmt::format("{}_open", name)).boolean(true);
  };
  write(name_of(report.outlook.target), demand.x);
  write("lower", demand.lower);
  write("upper", demand.upper);
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
  for (const ScaleOutlook& at : outlook.scales) write_scale(json, report, at);
  json.close(']');
  const auto write = [&](std::string_view name, const std::optional<Demand>& demand) {
    if (demand) write_demand(json.key(name), report, *demand);
  };
  write("deadline", outlook.deadline);
  write("budget_gpu_hours", outlook.budget_gpu_hours);
  write("budget_kwh", outlook.budget_kwh);
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
  const OutlookOptions& outlook = report.outlook;
  head.member("target").text(name_of(outlook.target));
  if (outlook.deadline) head.member("deadline").number(*outlook.deadline);
  if (outlook.budget_gpu_hours) head.member("budget_gpu_hours").number(*outlook.budget_gpu_hours);
  if (outlook.budget_kwh) head.member("budget_kwh").number(*outlook.budget_kwh);
  if (!report.energy.empty()) {
    head.member("energy").text(report.energy);
    head.member("pue").number(outlook.footprint.pue);
    head.member("carbon_intensity").number(outlook.footprint.carbon_intensity);
    head.member("price").number(outlook.footprint.price);
  }
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

/// A figure of one scale, by the name of its column.
struct Figure {
  std::string_view name;
  std::optional<double> (*value)(const ScaleOutlook& at);
};

std::optional<double> lower_kwh(const ScaleOutlook& at) {
  return at.kwh ? lower(at.kwh->pi) : std::nullopt;
}

std::optional<double> upper_kwh(const ScaleOutlook& at) {
  return at.kwh ? upper(at.kwh->pi) : std::nullopt;
}

std::vector<Figure> figures_of(const PredictReport& report) {
  using At = const ScaleOutlook&;
  using Value = std::optional<double>;
  std::vector<Figure> figures{{"x", [](At at) { return Value(at.y.x); }},
                              {"median", [](At at) { return Value(at.y.median); }},
                              {"mean", [](At at) { return at.y.mean; }},
                              {"ci_lower", [](At at) { return lower(at.y.ci); }},
                              {"ci_upper", [](At at) { return upper(at.y.ci); }},
                              {"pi_lower", [](At at) { return lower(at.y.pi); }},
                              {"pi_upper", [](At at) { return upper(at.y.pi); }},
                              {"extrapolation", [](At at) { return Value(at.y.extrapolation); }},
                              {"speedup", [](At at) { return Value(at.y.speedup); }},
                              {"efficiency", [](At at) { return Value(at.y.efficiency); }},
                              {"gpu_hours", [](At at) { return at.gpu_hours; }}};
  if (report.energy.empty()) return figures;
  for (const Figure& figure : std::vector<Figure>{
           {"kwh_median", [](At at) { return at.kwh ? Value(at.kwh->median) : std::nullopt; }},
           {"kwh_mean", [](At at) { return at.kwh ? at.kwh->mean : std::nullopt; }},
           {"kwh_pi_lower", lower_kwh},
           {"kwh_pi_upper", upper_kwh},
           {"co2_kg", [](At at) { return at.co2_kg; }},
           {"cost", [](At at) { return at.cost; }}}) {
    figures.push_back(figure);
  }
  return figures;
}

void write_delimited(const PredictReport& report, std::span<const GroupOutlook> outlooks,
                     char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  const std::vector<Figure> figures = figures_of(report);
  std::vector<std::string> header(report.by.begin(), report.by.end());
  for (const Figure& figure : figures) header.emplace_back(figure.name);
  write_row(rows, header);
  for (const GroupOutlook& group : outlooks) {
    const Outlook* outlook = std::get_if<Outlook>(&group.result);
    if (outlook == nullptr) continue;
    for (const ScaleOutlook& at : outlook->scales) {
      std::vector<std::string> cells(group.group.begin(), group.group.end());
      for (const Figure& figure : figures) cells.push_back(exact_text(figure.value(at)));
      write_row(rows, cells);
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
                                  const ScaleOutlook& at) {
  std::vector<std::string> cells(group.begin(), group.end());
  cells.push_back(scale_text(at.y.x));
  cells.push_back(with_significant_digits(at.y.median, 4));
  cells.push_back(or_none(at.y.mean, 4));
  cells.push_back(interval_text(at.y.pi));
  cells.push_back(with_significant_digits(at.y.speedup, 3));
  cells.push_back(fmt::format("{:.0f} %", 100 * at.y.efficiency));
  if (report.outlook.hours_per_unit) cells.push_back(or_none(at.gpu_hours, 4));
  if (!report.energy.empty()) {
    const auto kwh = at.kwh ? value_of(*at.kwh, report.outlook.target) : std::nullopt;
    cells.push_back(or_none(kwh, 4));
    if (report.outlook.footprint.carbon_intensity) cells.push_back(or_none(at.co2_kg, 3));
    if (report.outlook.footprint.price) cells.push_back(or_none(at.cost, 4));
  }
  cells.push_back(at.y.extrapolation > 0 ? fmt::format("{:.2f}", at.y.extrapolation) : "inside");
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
  if (report.outlook.hours_per_unit) add("GPU-hours");
  if (!report.energy.empty()) {
    add("kWh");
    if (report.outlook.footprint.carbon_intensity) add("kg CO2");
    if (report.outlook.footprint.price) add("cost");
  }
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

std::string best_text(const Demand& demand) {
  return std::isfinite(demand.best) ? with_significant_digits(demand.best, 4) : "not known";
}

/// An answer that rests on the law alone says so.
std::string place_text(const DemandedScale& scale, const Forecast& forecast) {
  constexpr double kFar = 4;
  const std::string text = scale_text(scale.x);
  if (scale.open) return text + " and more";
  return scale.x > kFar * forecast.x_max ? text + " (far beyond the data)" : text;
}

/// The scale that a demand asks for, with its interval from the favourable to the other end.
std::string demanded_text(const PredictReport& report, const Forecast& forecast,
                          const Demand& demand) {
  const auto end = [](const std::optional<DemandedScale>& scale) {
    return !scale ? "none" : scale_text(scale->x) + (scale->open ? " and more" : "");
  };
  return fmt::format("{} {} by the {} ({:.6g} % of new runs: {} to {})", report.x,
                     place_text(*demand.x, forecast), name_of(report.outlook.target),
                     100 * report.options.confidence, end(demand.lower), end(demand.upper));
}

std::string deadline_text(const PredictReport& report, const Forecast& forecast,
                          const Demand& demand) {
  const std::string limit = with_significant_digits(*report.outlook.deadline, 4);
  if (!demand.x) {
    return fmt::format("{} {} cannot be met under the fitted laws: the least within reach is {}",
                       report.y, limit, best_text(demand));
  }
  return fmt::format("{} {} is met from {}", report.y, limit,
                     demanded_text(report, forecast, demand));
}

std::string budget_text(const PredictReport& report, const Forecast& forecast, const Demand& demand,
                        double budget, std::string_view unit) {
  const std::string limit = with_significant_digits(budget, 4);
  if (!demand.x) {
    return fmt::format("{} {} are too few under the fitted laws: the least is {}", limit, unit,
                       best_text(demand));
  }
  return fmt::format("{} {} suffice up to {}", limit, unit,
                     demanded_text(report, forecast, demand));
}

/// What a group's demands come to, each behind a semicolon.
std::string demands_text(const PredictReport& report, const Outlook& outlook) {
  std::string text;
  if (outlook.deadline) text += "; " + deadline_text(report, outlook.forecast, *outlook.deadline);
  if (outlook.budget_gpu_hours) {
    text += "; " + budget_text(report, outlook.forecast, *outlook.budget_gpu_hours,
                               *report.outlook.budget_gpu_hours, "GPU-hours");
  }
  if (outlook.budget_kwh) {
    text += "; " + budget_text(report, outlook.forecast, *outlook.budget_kwh,
                               *report.outlook.budget_kwh, "kWh");
  }
  return text;
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
    notes.push_back(fmt::format("{}: weights {}{}", name, laws_text(outlook.forecast),
                                demands_text(report, outlook)));
  }
  return notes;
}

std::string footprint_text(const PredictReport& report) {
  const Footprint& footprint = report.outlook.footprint;
  std::string text;
  if (footprint.pue > 1) text += fmt::format(", PUE {:.4g}", footprint.pue);
  if (footprint.carbon_intensity) {
    text += fmt::format(", {:.4g} g CO2 a kWh", *footprint.carbon_intensity);
  }
  if (footprint.price) text += fmt::format(", price {:.4g} a kWh", *footprint.price);
  return text;
}

void write_table(const PredictReport& report, std::span<const GroupOutlook> outlooks, Format format,
                 bool colour, const TextSink& sink) {
  TextTable table(columns_of(report));
  for (const GroupOutlook& group : outlooks) {
    const Outlook* outlook = std::get_if<Outlook>(&group.result);
    if (outlook == nullptr) continue;
    if (outlook->scales.size() > 1) table.begin_part();
    for (const ScaleOutlook& at : outlook->scales) {
      table.add_row(cells_of(report, group.group, at));
    }
  }
  const std::string energy =
      report.energy.empty() ? ""
                            : fmt::format("; kWh by {}{}", report.energy, footprint_text(report));
  const bool one_law = report.options.kind == ForecastKind::kLaw;
  const std::string caption = fmt::format(
      "{} forecast over {}; beyond data: distance in units of the measured ln range{}{}", report.y,
      report.x, energy, one_law ? "; intervals take the law for true" : "");
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

/// A score a line.
void write_backtest_lines(const Backtest& backtest, const TextSink& sink) {
  BufferedText out(sink);
  for (const BacktestScore& score : backtest.scores) {
    JsonText json(out.text());
    write_score(json, score);
    out.text() += '\n';
  }
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
      return write_backtest_json(report, backtest, hidden, sink);
    case Format::kJsonl:
      return write_backtest_lines(backtest, sink);
    case Format::kCsv:
      return write_backtest_delimited(backtest, ',', sink);
    case Format::kTsv:
      return write_backtest_delimited(backtest, '\t', sink);
    default:
      return write_backtest_table(report, backtest, hidden, format, colour, sink);
  }
}

}  // namespace scalelaw
