// The backtest of forecasts in every format: JSON (schema scalelaw.backtest/1), and one row per way
// of forecasting.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/ranges.hpp"
#include "render/json_document.hpp"
#include "render/predict_answer.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/predict_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

void write_backtest_score(JsonText& json, const BacktestScore& score) {
  json.key("name").text(score.name);
  json << Members{{"series", score.series},       {"median_error", score.median_error},
                  {"p90_error", score.p90_error}, {"bias", score.bias},
                  {"coverage", score.coverage},   {"median_width", score.width},
                  {"intervals", score.intervals}, {"interval_score", score.interval_score}};
}

void write_point(JsonText& json, const PredictReport& report, const HiddenPoint& point) {
  write_group(json.key("group"), report.by, point.group);
  json << Members{
      {"x", point.x},           {"name", point.name},   {"log_error", point.log_error},
      {"inside", point.inside}, {"width", point.width}, {"interval_score", point.interval_score}};
}

void write_backtest_json(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                         const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.backtest/1");
  write_questions(document.head(), report);
  document.member("hidden").count(std::uint64_t{hidden});
  document.head().key("skipped").count(std::uint64_t{backtest.skipped});
  document.list("scores", backtest.scores, write_backtest_score, "[\n ]");
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
  sheet.add("median_error", &Score::median_error).as(decimals(3)).titled("median error");
  sheet.add("p90_error", &Score::p90_error).as(decimals(3)).titled("error of nine in ten");
  sheet.add("bias", &Score::bias).as(signed_decimals(3)).titled("mean error");
  sheet.add("coverage", &Score::coverage)
      .seen_as([](const Score& score) {
        return score.coverage ? fmt::format("{} of {}", shown_text(score.coverage, percent(1)),
                                            score.intervals)
                              : "-";
      })
      .titled("intervals that held");
  sheet.add("median_width", &Score::width).as(decimals(2)).titled("median width");
  sheet.add("intervals", &Score::intervals);
  sheet.add("interval_score", &Score::interval_score)
      .as(decimals(2))
      .titled("interval score")
      .detail();
  return sheet;
}

constexpr std::size_t kMostInRange = 3;       ///< Groups of which half is no share.
constexpr std::size_t kFewestForShares = 10;  ///< Groups of which "nine of ten" can be said.

/// The |ln errors| of one way of forecasting, in order.
std::vector<double> errors_of(const Backtest& backtest, const BacktestScore& score) {
  std::vector<double> errors;
  for (const HiddenPoint& point : backtest.points) {
    if (point.name == score.name) errors.push_back(std::abs(point.log_error));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

/// "Forecasts of the greatest number of GPUs were off by less than 3.6 % in half of 10 groups, and
/// by less than 7.0 % in nine of ten."; of few groups how far the worst was off.
std::vector<std::string> backtest_answer(const PredictReport& report, const Backtest& backtest) {
  if (backtest.scores.empty() || backtest.scores.front().series == 0) return {};
  const BacktestScore& score = backtest.scores.front();
  const std::vector<double> errors = errors_of(backtest, score);
  std::string text;
  if (score.series == 1) {
    text = fmt::format("The forecast of the greatest {} was off by {} in the only group.",
                       noun_of_scale(report.x), relative_error_text(errors.back()));
  } else if (score.series <= kMostInRange) {
    text = fmt::format("Forecasts of the greatest {} were off by {} to {} in {} groups.",
                       noun_of_scale(report.x), relative_error_text(errors.front()),
                       relative_error_text(errors.back()), score.series);
  } else {
    const bool is_few = score.series < kFewestForShares;
    text = fmt::format(
        "Forecasts of the greatest {} were off by less than {} in half of {} groups, and "
        "by {} in {}.",
        noun_of_scale(report.x), relative_error_text(score.median_error), score.series,
        is_few ? relative_error_text(errors.back())
               : "less than " + relative_error_text(score.p90_error),
        is_few ? "the worst" : "nine of ten");
  }
  if (score.coverage) {
    text += fmt::format(" The interval for {} of new runs held in {:.0f} of {}.",
                        percent_text(report.options.confidence),
                        *score.coverage * static_cast<double>(score.intervals), score.intervals);
  }
  return {text};
}

/// What forecasts gain if they also use what the other groups tell; empty if they gain nothing.
std::string pooling_advice(const Backtest& backtest) {
  const auto named = [&](std::string_view name) {
    return first_where(backtest.scores,
                       [&](const BacktestScore& score) { return score.name == name; });
  };
  const BacktestScore* const alone = named("average");
  const BacktestScore* const pooled = named("pooled");
  if (pooled == nullptr || alone == nullptr || pooled == &backtest.scores.front()) return "";
  if (!pooled->interval_score || !alone->interval_score) return "";
  if (!(*pooled->interval_score < 0.9 * *alone->interval_score)) return "";
  const auto held = [](const BacktestScore& score) {
    return fmt::format("{:.0f} of {}", *score.coverage * static_cast<double>(score.intervals),
                       score.intervals);
  };
  return fmt::format(
      "With --pool laws a forecast by several laws also uses what the other groups tell (row "
      "pooled). Its intervals are {} times as wide as those of average; {} held, and {} of "
      "average.",
      with_significant_digits(*pooled->width / *alone->width, 2), held(*pooled), held(*alone));
}

void write_backtest_sheet(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                          const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(backtest_sheet(), style, sink);
  const GroupKey no_group;
  for (const BacktestScore& score : backtest.scores) rows.add(no_group, score);
  TableWords words;
  if (backtest.skipped > 0) {
    words.lines.push_back(
        fmt::format("{} fewer than {} different {}: three and the hidden are needed",
                    counted(backtest.skipped, "group", "has", "have"), hidden + 3, report.x));
  }
  words.answer = backtest_answer(report, backtest);
  words.lines.push_back(pooling_advice(backtest));
  std::erase(words.lines, "");
  words.caption = fmt::format(
      "The greatest {} of each group was hidden and forecast from {}; errors are in ln {}.",
      report.x, hidden == 1 ? "the rest" : fmt::format("the rest without the {} greatest", hidden),
      report.y);
  rows.finish(words);
}

}  // namespace

void write_backtest(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                    const TableStyle& style, const TextSink& sink) {
  backtest_sheet().refuse_unknown(style);
  if (style.format == Format::kJson) return write_backtest_json(report, backtest, hidden, sink);
  if (style.format == Format::kJsonl)
    return write_lines(sink, backtest.scores, write_backtest_score);
  write_backtest_sheet(report, backtest, hidden, style, sink);
}

}  // namespace scalelaw
