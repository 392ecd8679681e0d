// Forecasts and their backtest in every format: JSON (schemas scalelaw.predict/1 and
// scalelaw.backtest/1), one row per group and x, one row per way of forecasting.

#include "scalelaw/render/predict_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/json_document.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

/// Writes median and mean, and the intervals of the curve and of new runs.
void write_prediction(JsonText& json, const Prediction& prediction) {
  write_numbers(json, {{"median", prediction.median}, {"mean", prediction.mean}});
  write_interval(json.key("ci"), prediction.ci);
  write_interval(json.key("pi"), prediction.pi);
}

void write_scale(JsonText& json, const PredictReport& report, const ScaleOutlook& at) {
  json.key("x").number(at.y.x);
  write_prediction(json, at.y);
  json.key("extrapolation").number(at.y.extrapolation);
  write_numbers(json, {{"speedup", at.y.speedup}, {"efficiency", at.y.efficiency}});
  json.key("gpu_hours").number(at.gpu_hours);
  if (report.energy.empty()) return;
  write_object(json.key("kwh"), at.kwh, write_prediction);
  write_numbers(json, {{"co2_kg", at.co2_kg}, {"cost", at.cost}});
}

void write_law(JsonText& json, const LawShare& share) {
  json.key("law").text(share.law->name());
  json.key("weight").number(share.weight);
  json.key("parameters").open('{');
  for (std::size_t k = 0; k < share.parameters.size(); ++k) {
    json.key(share.law->parameters()[k].name).number(share.parameters[k]);
  }
  json.close('}');
}

void write_demand(JsonText& json, const PredictReport& report, std::string_view name,
                  const std::optional<Demand>& demand) {
  if (!demand) return;
  json.key(name).open('{');
  const auto write = [&json](std::string_view end, const std::optional<DemandedScale>& scale) {
    json.key(end).number(scale ? std::optional(scale->x) : std::nullopt);
    if (scale && scale->open) json.key(fmt::format("{}_open", end)).boolean(true);
  };
  write(name_of(report.outlook.target), demand->x);
  write("lower", demand->lower);
  write("upper", demand->upper);
  json.key("best").number(demand->best);
  json.close('}');
}

void write_questions(JsonText& head, const PredictReport& report) {
  write_data(head, report);
  const ForecastOptions& options = report.options;
  head.member("law").text(options.law != nullptr ? options.law->name() : name_of(options.kind));
  head.member("response").text(name_of(options.response));
  write_points(head, report);
  if (options.pooling) write_pooling(head, *options.pooling);
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

// Columns.

void add_energy(Sheet<ScaleOutlook>& sheet) {
  using At = const ScaleOutlook&;
  const auto kwh = sheet.part([](At at) { return pointer_to(at.kwh); });
  kwh.add("kwh_median", &Prediction::median);
  kwh.add("kwh_mean", &Prediction::mean);
  kwh.interval("kwh_pi", &Prediction::pi);
  sheet.add("co2_kg", [](At at) { return at.co2_kg; }).as(significant(3));
  sheet.add("cost", [](At at) { return at.cost; });
}

/// Shows people the columns behind those that everybody sees.
void show_rest(Sheet<ScaleOutlook>& sheet, const PredictReport& report) {
  const OutlookOptions& outlook = report.outlook;
  if (outlook.hours_per_unit) sheet.show("gpu_hours", "GPU-hours");
  if (!report.energy.empty()) {
    sheet.show(outlook.target == Target::kMean ? "kwh_mean" : "kwh_median", "kWh");
    if (outlook.footprint.carbon_intensity) sheet.show("co2_kg", "kg CO2");
    if (outlook.footprint.price) sheet.show("cost", "cost");
  }
  sheet.show("extrapolation", "beyond data");
}

Sheet<ScaleOutlook> predict_sheet(const PredictReport& report) {
  using At = const ScaleOutlook&;
  Sheet<ScaleOutlook> sheet(report.by);
  sheet.add_status();
  sheet.add("x", [](At at) { return at.y.x; }).as(scale_value()).titled(report.x);
  sheet.add("median", [](At at) { return at.y.median; }).titled("median");
  sheet.add("mean", [](At at) { return at.y.mean; }).titled("mean");
  sheet.interval("ci", [](At at) { return at.y.ci; });
  sheet.interval("pi", [](At at) { return at.y.pi; })
      .titled(fmt::format("{:.6g} % of new runs", 100 * report.options.confidence));
  sheet.add("extrapolation", [](At at) { return at.y.extrapolation; }).seen_as([](At at) {
    return at.y.extrapolation > 0 ? shown_text(at.y.extrapolation, decimals(2)) : "inside";
  });
  sheet.add("speedup", [](At at) { return at.y.speedup; }).as(significant(3)).titled("speedup");
  sheet.add("efficiency", [](At at) { return at.y.efficiency; })
      .as(percent(0))
      .titled("efficiency");
  sheet.add("gpu_hours", [](At at) { return at.gpu_hours; });
  if (!report.energy.empty()) add_energy(sheet);
  if (const auto& pooling = report.options.pooling) {
    sheet.add("pool", [kind = pooling->kind](At) { return name_of(kind); });
  }
  sheet.add_failure();
  show_rest(sheet, report);
  return sheet;
}

// Lines below tables for people.

std::string laws_text(const Forecast& forecast) {
  std::vector<LawShare> shares = forecast.laws;
  std::erase_if(shares, [](const LawShare& share) { return share.weight < 0.005; });
  return joined_texts(shares, ", ", [](const LawShare& share) {
    return fmt::format("{} {:.2f}", share.law->name(), share.weight);
  });
}

std::string best_text(const Demand& demand) {
  return std::isfinite(demand.best) ? with_significant_digits(demand.best, 4) : "not known";
}

std::string place_text(const DemandedScale& scale) {
  return scale_text(scale.x) + (scale.open ? " and more" : "");
}

/// The scale that meets a demand, with its interval from the favourable end to the other.
std::string demanded_text(const PredictReport& report, const Forecast& forecast,
                          const Demand& demand) {
  const auto end = [](const std::optional<DemandedScale>& scale) {
    return scale ? place_text(*scale) : "none";
  };
  // The text says so if the answer rests on the law alone.
  const bool is_far = !demand.x->open && is_far_beyond(forecast, *demand.x);
  return fmt::format("{} {}{} by the {} ({:.6g} % of new runs: {} to {})", report.x,
                     place_text(*demand.x), is_far ? " (far beyond the data)" : "",
                     name_of(report.outlook.target), 100 * report.options.confidence,
                     end(demand.lower), end(demand.upper));
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

/// The answers to the demands of a group, each after a semicolon.
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

std::string footprint_text(const PredictReport& report) {
  const Footprint& footprint = report.outlook.footprint;
  std::string text;
  if (footprint.pue > 1) text += fmt::format(", PUE {:.4g}", footprint.pue);
  if (footprint.carbon_intensity) {
    text += fmt::format(", {:.4g} g CO2 per kWh", *footprint.carbon_intensity);
  }
  if (footprint.price) text += fmt::format(", price {:.4g} per kWh", *footprint.price);
  return text;
}

class PredictDescription final : public Description<PredictReport, Outlook, ScaleOutlook> {
 public:
  explicit PredictDescription(const PredictReport& report)
      : Description(report, {.noun = "forecast",
                             .schema = "scalelaw.predict/1",
                             .list = "forecasts",
                             .unexplained = "--format json explains them all",
                             .most_explained = 24}) {}

  void write_head(JsonText& head) const override { write_questions(head, report_); }

  void write_members(JsonText& json, const Outlook& outlook) const override {
    const Forecast& forecast = outlook.forecast;
    json.key("n").count(forecast.n);
    json.key("distinct_x").count(forecast.distinct_x);
    write_numbers(json, {{"x_min", forecast.x_min}, {"x_max", forecast.x_max}});
    if (forecast.chosen != nullptr) json.key("chosen").text(forecast.chosen->name());
    write_objects(json.key("laws"), forecast.laws, write_law);
    write_numbers(json, {{"sigma", forecast.sigma}, {"smearing", forecast.smearing}});
    if (const auto& pooling = report_.options.pooling)
      json.key("pool").text(name_of(pooling->kind));
    write_objects(json.key("predictions"), outlook.scales,
                  [&](const ScaleOutlook& at) { write_scale(json, report_, at); });
    write_demand(json, report_, "deadline", outlook.deadline);
    write_demand(json, report_, "budget_gpu_hours", outlook.budget_gpu_hours);
    write_demand(json, report_, "budget_kwh", outlook.budget_kwh);
  }

  Sheet<ScaleOutlook> sheet(Format) const override { return predict_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Outlook& outlook) const override {
    if (outlook.scales.size() > 1) rows.begin_part();
    for (const ScaleOutlook& at : outlook.scales) rows.add(group, at);
  }

  std::string caption() const override {
    const std::string energy = report_.energy.empty() ? ""
                                                      : fmt::format("; kWh by {}{}", report_.energy,
                                                                    footprint_text(report_));
    const bool one_law = report_.options.kind == ForecastKind::kLaw;
    return fmt::format(
        "{} forecast over {}; beyond data: distance in units of the measured ln range{}{}",
        report_.y, report_.x, energy,
        one_law ? "; intervals take the law for true"
                : "; intervals include the choice of the law; weights: how plausible each law is, "
                  "since few scales rule none out (rank compares best fits)");
  }

  void explain(Notes& lines, const GroupKey& group, const Outlook& outlook) override {
    const Forecast& forecast = outlook.forecast;
    const std::string chosen =
        forecast.chosen != nullptr ? fmt::format("the {} law; ", forecast.chosen->name()) : "";
    lines.add(fmt::format("{}: {}weights {}{}", group_name(report_.by, group), chosen,
                          laws_text(outlook.forecast), demands_text(report_, outlook)));
  }

  void close(Notes& lines) const override {
    if (report_.options.pooling) lines.add(pooling_sentence(*report_.options.pooling));
  }
};

// Backtest.

void write_score(JsonText& json, const BacktestScore& score) {
  json.key("name").text(score.name);
  json.key("series").count(std::uint64_t{score.series});
  write_numbers(json, {{"median_error", score.median_error}, {"p90_error", score.p90_error}});
  write_numbers(json, {{"bias", score.bias}, {"coverage", score.coverage}});
  json.key("median_width").number(score.width);
  json.key("intervals").count(std::uint64_t{score.intervals});
}

void write_point(JsonText& json, const PredictReport& report, const HiddenPoint& point) {
  write_group(json.key("group"), report.by, point.group);
  json.key("x").number(point.x);
  json.key("name").text(point.name);
  json.key("log_error").number(point.log_error);
  json.key("inside").boolean(point.inside);
  json.key("width").number(point.width);
}

void write_backtest_json(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                         const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.backtest/1");
  write_questions(document.head(), report);
  document.member("hidden").count(std::uint64_t{hidden});
  document.head().key("skipped").count(std::uint64_t{backtest.skipped});
  document.list("scores", backtest.scores, write_score, "[\n ]");
  const auto write = [&report](JsonText& json, const HiddenPoint& point) {
    write_point(json, report, point);
  };
  document.list("points", backtest.points, write, "[\n ]");
  document.finish();
}

Sheet<BacktestScore> backtest_sheet() {
  using Score = BacktestScore;
  Sheet<Score> sheet(std::vector<std::string>{});
  sheet.add("name", &Score::name).titled("forecast");
  sheet.add("series", &Score::series).titled("series");
  sheet.add("median_error", &Score::median_error).as(decimals(3)).titled("median |ln error|");
  sheet.add("p90_error", &Score::p90_error).as(decimals(3)).titled("90th percentile");
  sheet.add("bias", &Score::bias).as(signed_decimals(3)).titled("bias");
  sheet.add("coverage", &Score::coverage)
      .seen_as([](const Score& score) {
        return score.coverage ? fmt::format("{} of {}", shown_text(score.coverage, percent(1)),
                                            score.intervals)
                              : "-";
      })
      .titled("intervals that held");
  sheet.add("median_width", &Score::width).as(decimals(2)).titled("median width");
  sheet.add("intervals", &Score::intervals);
  return sheet;
}

void write_backtest_sheet(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                          const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(backtest_sheet(), style, sink);
  const GroupKey no_group;
  for (const BacktestScore& score : backtest.scores) rows.add(no_group, score);
  TableWords words;
  if (backtest.skipped > 0) {
    words.lines.push_back(fmt::format(
        "{} fewer than {} different {}: three and the hidden are needed",
        backtest.skipped == 1 ? "1 group has" : counted(backtest.skipped, "group") + " have",
        hidden + 3, report.x));
  }
  words.caption = fmt::format(
      "the greatest {} hidden, forecast from {}; errors and widths in ln {}", report.x,
      hidden == 1 ? "the rest" : fmt::format("the rest without the {} greatest", hidden), report.y);
  rows.finish(words);
}

}  // namespace

void write_predictions(const PredictReport& report, std::span<const GroupOutlook> outlooks,
                       const TableStyle& style, const TextSink& sink) {
  write_results(PredictDescription(report), outlooks, style, sink);
}

void write_backtest(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                    const TableStyle& style, const TextSink& sink) {
  backtest_sheet().refuse_unknown(style);
  if (style.format == Format::kJson) return write_backtest_json(report, backtest, hidden, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, backtest.scores, write_score);
  write_backtest_sheet(report, backtest, hidden, style, sink);
}

}  // namespace scalelaw
