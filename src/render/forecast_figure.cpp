// Forecasts with both bands, and what they say at the scales that were asked for.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "render/asked_words.hpp"
#include "render/figure_parts.hpp"
#include "render/forecast_words.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// Whether all panels are wide enough for whole sentences.
constexpr std::size_t kMostWithSentences = 2;

/// Curve and bands over many x, split where the data end.
FigureSeries forecast_series(const StudyAxes& axes, const DrawnForecast& group,
                             const std::string& label, double last) {
  FigureSeries series;
  series.points = mean_points(axes, label, group.cells);
  const Forecast& forecast = group.forecast;
  const std::string level = percent_text(forecast.confidence);
  FigureBand runs{.label = level + " of new runs"};
  FigureBand curve_band{.label = level + " interval of the curve"};
  const auto add = [&](double from, double to, bool dashed) {
    FigureCurve curve{.dashed = dashed, .label = dashed ? "beyond the data" : "forecast"};
    for (const double x : spaced(from, to, kCurvePoints)) {
      const Prediction at = predict(forecast, x);
      curve.add(x, at.median);
      if (!at.pi || !at.ci) continue;
      runs.add(x, *at.pi);
      curve_band.add(x, *at.ci);
    }
    series.curves.push_back(std::move(curve));
  };
  add(forecast.x_min, forecast.x_max, false);
  if (last > forecast.x_max) add(forecast.x_max, last, true);
  if (!runs.x.empty()) series.bands = {std::move(runs), std::move(curve_band)};
  return series;
}

std::string unit_of(const StudyAxes& axes) {
  const std::string named(column_label(axes.y).unit);
  return named.empty() ? axes.y_unit : named;
}

/// The value at x with its intervals, in words beside it.
FigureMark value_at(const StudyAxes& axes, const Forecast& forecast, double x, bool sentences) {
  const Prediction at = predict(forecast, x);
  const AskedResponse response{.y = axes.y, .unit = unit_of(axes), .kind = forecast.response};
  FigureMark mark{.x = x, .words = {}, .y = at.median};
  mark.words.push_back(
      fmt::format("{}: {}", place_on_scale(axes.x, x), amount_text(response, at.median)));
  const std::string of_curve = range_text(response, at.ci);
  const std::string of_runs = range_text(response, at.pi);
  const bool is_alike = of_curve == of_runs;
  if (sentences && at.ci && !is_alike) mark.words.push_back("curve " + of_curve);
  if (at.pi) {
    mark.words.push_back((!sentences ? ""
                          : is_alike ? "curve and new runs "
                                     : "new runs ") +
                         of_runs);
  }
  return mark;
}

/// How much a curve may rise by rounding.
constexpr double kRises = 1.001;

/// What to know of a curve that turns for the worse: "slower from 208 GPUs on". Empty if it does
/// not, up to `last`.
std::string turn_text(const StudyAxes& axes, const FigureSeries& series, const Forecast& forecast) {
  const bool is_time = forecast.response == Response::kTime;
  double best = 0;
  double best_x = 0;
  double first_x = 0;
  double last_y = 0;
  for (const FigureCurve& curve : series.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const bool better = is_time ? curve.y[i] < best : curve.y[i] > best;
      if (best_x == 0) first_x = curve.x[i];
      if (best_x == 0 || better) std::tie(best, best_x) = std::pair(curve.y[i], curve.x[i]);
      last_y = curve.y[i];
    }
  }
  if (is_time ? last_y <= kRises * best : kRises * last_y >= best) return "";
  const std::string worse = !is_time ? "falls" : unit_of(axes) == "s" ? "slower" : "rises";
  if (best_x == first_x) return fmt::format("{} with more {}", worse, units_of_scale(axes.x));
  return fmt::format("{} beyond {}", worse, place_on_scale(axes.x, std::round(best_x)));
}

/// " The curve is the median of new runs by an average of the power and floor laws."
std::string curve_sentence(std::span<const DrawnForecast> groups) {
  std::vector<const Forecast*> forecasts;
  for (const DrawnForecast& group : groups) forecasts.push_back(&group.forecast);
  const bool is_one_law = groups.front().forecast.laws.size() == 1;
  return fmt::format(" The curve is {}{}.", is_one_law ? "" : "the median of new runs by ",
                     curve_words(forecasts));
}

/// " Widest at 4096 GPUs: BERT, 11.5 to 18.5 s for a new run."
class Widest {
 public:
  void add(const StudyAxes& axes, const std::string& label, const Prediction& at) {
    if (!at.pi || at.pi->upper / at.pi->lower <= width_) return;
    width_ = at.pi->upper / at.pi->lower;
    text_ = fmt::format(" Widest: {} at {}, {} to {}.", label, place_on_scale(axes.x, at.x),
                        with_significant_digits(at.pi->lower, 3),
                        with_significant_digits(at.pi->upper, 3));
  }
  const std::string& text() const { return text_; }

 private:
  double width_ = 0;
  std::string text_;
};

}  // namespace

Figure forecast_figure(const StudyAxes& axes, std::span<const DrawnForecast> all,
                       std::span<const double> asked) {
  const std::vector<DrawnForecast> groups = first_shown(all, kMostPanels);
  const GroupLabels names = labels_of(axes, groups);
  Figure figure{.title = names.shared()};
  Widest widest;
  std::string turns;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Forecast& forecast = groups[i].forecast;
    const std::string label = names.of(groups[i].group);
    const double end =
        asked.empty() ? 4 * forecast.x_max : *std::max_element(asked.begin(), asked.end());
    FigurePanel panel{.title = groups[i].group.empty() ? "" : label,
                      .x = scale_axis(axes.x, true),
                      .y = response_axis(axes.y, true, axes.y_unit)};
    FigureSeries series = forecast_series(axes, groups[i], label, end);
    series.style = style_of(axes, groups[i].group, i);
    const std::string turn = turn_text(axes, series, forecast);
    if (!turn.empty()) {
      panel.title += (panel.title.empty() ? "" : ": ") + turn;
      turns += fmt::format(" {}: {}.", label, turn);
    }
    for (const double x : asked) {
      panel.marks.push_back(value_at(axes, forecast, x, groups.size() <= kMostWithSentences));
    }
    widest.add(axes, label, predict(forecast, end));
    panel.series.push_back(std::move(series));
    figure.panels.push_back(std::move(panel));
  }
  figure.caption = fmt::format(
      "Forecast of {}: {} and the curve{}; dashed beyond the data.{}{}{}", axes.y,
      points_words(figure),
      has_bands(figure)
          ? fmt::format(" with its {} interval (darker) and that of one new run (lighter)",
                        percent_text(groups.front().forecast.confidence))
          : "",
      groups.empty() ? "" : curve_sentence(groups), turns, widest.text());
  tell_left_out(figure, left_out(axes, all.size(), groups.size()));
  return figure;
}

}  // namespace scalelaw
