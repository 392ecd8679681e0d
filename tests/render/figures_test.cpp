// What the figures say and draw, on results made by hand.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fit/cells_of.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/judge/predict.hpp"
#include "scalelaw/judge/rank.hpp"
#include "scalelaw/render/energy_figures.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "scalelaw/render/study_figures.hpp"

namespace scalelaw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const std::vector<double> kScales{1, 2, 4, 8, 16, 32};

/// Points at all scales with a little scatter, the same in each call.
std::vector<Cell> cells(double (*law)(double), std::size_t repeats = 1) {
  std::vector<double> x;
  std::vector<double> y;
  for (const double n : kScales) {
    for (std::size_t i = 0; i < repeats; ++i) {
      x.push_back(n);
      y.push_back(law(n) * (1 + 0.01 * std::sin(7 * n + 3 * static_cast<double>(i))));
    }
  }
  return point_cells(x, y);
}

double falling(double n) { return 100 / n; }
double turning(double n) { return 100 / n + 2 * n; }

StudyAxes by_model() { return {.x = "gpus", .y = "seconds", .by = {"model"}}; }

Figure forecast_of(double (*law)(double), const std::vector<double>& at) {
  const auto points = cells(law, 2);
  const DrawnForecast drawn{{"A"}, points, make_forecast(points, {})};
  return forecast_figure(by_model(), {&drawn, 1}, at);
}

TEST(ForecastFigure, SaysTheValueAndBothIntervalsAtTheAskedScale) {
  const auto points = cells(falling, 2);
  const Prediction at = predict(make_forecast(points, {}), 128);
  const Figure figure = forecast_of(falling, {128});
  ASSERT_THAT(figure.panels.front().marks, SizeIs(1));
  const FigureMark& mark = figure.panels.front().marks.front();
  EXPECT_EQ(mark.x, 128);
  EXPECT_EQ(mark.y, at.median);
  ASSERT_THAT(mark.words, SizeIs(3));
  EXPECT_EQ(mark.words[0], fmt::format("128 GPUs: {:.3g} s", at.median));
  EXPECT_THAT(mark.words[1], testing::StartsWith("curve "));
  EXPECT_THAT(mark.words[2], testing::StartsWith("new runs "));
  EXPECT_EQ(figure.panels.front().series.front().curves.back().x.back(), 128);
}

TEST(ForecastFigure, NamesItsBandsAndWhatTheCurveIs) {
  const Figure figure = forecast_of(falling, {});
  const FigureSeries& series = figure.panels.front().series.front();
  ASSERT_THAT(series.bands, SizeIs(2));
  EXPECT_EQ(series.bands[0].label, "95 % of new runs");
  EXPECT_EQ(series.bands[1].label, "95 % interval of the curve");
  EXPECT_THAT(figure.caption, HasSubstr("The curve is the median of new runs by an average of"));
  EXPECT_TRUE(figure.panels.front().marks.empty());
}

TEST(ForecastFigure, ExplainsAGroupThatRises) {
  const Figure turns = forecast_of(turning, {64});
  EXPECT_THAT(turns.panels.front().title, testing::StartsWith("A: slower beyond "));
  EXPECT_THAT(turns.caption, HasSubstr(" A: slower beyond "));
  const Figure falls = forecast_of(falling, {64});
  EXPECT_EQ(falls.panels.front().title, "A");
}

TEST(ScalingFigure, CaptionsClaimOnlyWhatIsDrawn) {
  const auto caption = [](std::size_t repeats) {
    DrawnGroup group{{"A"}, cells(falling, repeats), NoFit{FailureCode::kTooFewPoints, "too few"}};
    return scaling_figure(by_model(), {&group, 1}).caption;
  };
  EXPECT_THAT(caption(1), HasSubstr("seconds over gpus: runs."));
  EXPECT_THAT(caption(3), HasSubstr("seconds over gpus: means of runs with their range."));
}

TEST(ScalingFigure, APublishedExponentIsADashedLineThroughTheMiddleOfTheCurve) {
  const auto points = cells(falling);
  DrawnGroup group{{"A"}, points, fit_law(points, {.law = find_law("power")})};
  group.published_beta = 0.5;
  const Figure figure = scaling_figure(by_model(), {&group, 1});
  const auto& curves = figure.panels.front().series.front().curves;
  ASSERT_THAT(curves, SizeIs(2));
  EXPECT_TRUE(curves[1].dashed);
  EXPECT_EQ(curves[1].label, "published exponent");
  EXPECT_NEAR(curves[1].y.front() / curves[1].y.back(), std::sqrt(32.0), 1e-9);
  EXPECT_NEAR(curves[1].y[48], curves[0].y[48], 1e-9);
}

std::vector<DrawnGroup> groups(std::size_t count) {
  std::vector<DrawnGroup> out;
  const auto points = cells(falling);
  for (std::size_t i = count; i > 0; --i) {
    out.push_back({{"M" + std::to_string(i)}, points, fit_law(points, {.law = find_law("power")})});
  }
  return out;
}

TEST(ScalingFigure, ManyGroupsHaveAPanelEachInNaturalOrderAndTheFigureSaysWhatIsMissing) {
  const Figure figure = scaling_figure(by_model(), groups(44));
  ASSERT_THAT(figure.panels, SizeIs(12));
  EXPECT_THAT(figure.panels[1].title, testing::StartsWith("M2 "));
  EXPECT_THAT(figure.panels[10].title, testing::StartsWith("M11 "));
  EXPECT_EQ(figure.note, "32 more groups are not drawn");
}

TEST(ScalingFigure, TellsOfTheGroupsThatItDraws) {
  StudyAxes axes = by_model();
  axes.more_groups = 1000;
  std::vector<DrawnGroup> many = groups(44);
  std::get<Fit>(many.front().fit).parameters[1].estimate = 7;  // M44, which is not drawn.
  const Figure figure = scaling_figure(axes, many);
  EXPECT_EQ(figure.note, "1032 more groups are not drawn");
  EXPECT_THAT(figure.caption, HasSubstr(" 1032 more groups are not drawn."));
  EXPECT_THAT(figure.caption, HasSubstr(" The exponent is 1."));
}

TEST(EfficiencyFigure, TellsOfGroupsThatItIsNotGiven) {
  StudyAxes axes = by_model();
  axes.more_groups = 1000;
  EXPECT_EQ(efficiency_figure(axes, groups(9)).note, "1001 more groups are not drawn");
}

TEST(EfficiencyFigure, PointsCurvesAndBandsHaveOneReference) {
  const std::vector<DrawnGroup> one = groups(1);
  const Fit& fit = std::get<Fit>(one.front().fit);
  const Figure figure = efficiency_figure(by_model(), one);
  const FigureSeries& series = figure.panels[0].series.front();
  const double reference = fit.curve(1);
  EXPECT_DOUBLE_EQ(series.points.y.front(),
                   reference / std::exp(one.front().cells.front().mean_log));
  EXPECT_DOUBLE_EQ(series.curves.front().y.back(), reference / fit.curve(32));
  ASSERT_THAT(series.bands, SizeIs(1));
  EXPECT_DOUBLE_EQ(series.bands.front().lower.back(), reference / fit.curve_ci(32)->upper);
}

TEST(EfficiencyFigure, OfASettingIsTheSpeedupAloneWithoutAnIdeal) {
  StudyAxes axes = by_model();
  axes.x = "batch_size";
  axes.ideal = Ideal::kNone;
  const Figure figure = efficiency_figure(axes, groups(1));
  ASSERT_THAT(figure.panels, SizeIs(1));
  EXPECT_EQ(figure.panels[0].title, "speedup");
  EXPECT_TRUE(figure.panels[0].references.empty());
  EXPECT_THAT(figure.caption, testing::HasSubstr("a batch size shares no work out"));
}

TEST(EfficiencyFigure, OfGrowingWorkHasNoSpeedupAndIsIdealAtTheSameTime) {
  const std::vector<DrawnGroup> one = groups(1);
  const Fit& fit = std::get<Fit>(one.front().fit);
  StudyAxes axes = by_model();
  axes.ideal = Ideal::kAsLong;
  const Figure figure = efficiency_figure(axes, one);
  ASSERT_THAT(figure.panels, SizeIs(1));
  EXPECT_EQ(figure.panels[0].title, "weak efficiency");
  EXPECT_DOUBLE_EQ(figure.panels[0].series.front().curves.front().y.back(),
                   100 * fit.curve(1) / fit.curve(32));
}

TEST(ResponseAxis, HasTheUnitThatOnlyTheHeaderTells) {
  EXPECT_EQ(response_axis("epoch time", true, "s").label, "epoch time [s]");
}

TEST(RankFigure, LawsKeepTheirOrderAndDifferInTheirDashes) {
  const auto points = cells(turning, 2);
  RankOptions options;
  options.resamples = 0;
  const Ranking ranking = rank_laws(points, options);
  const Figure figure = rank_figure(by_model(), points, {{"A"}, ranking});
  EXPECT_TRUE(figure.ranked);
  const auto& series = figure.panels.front().series;
  ASSERT_GT(series.size(), 3u);
  EXPECT_THAT(series[0].label, HasSubstr(std::string(ranking.laws[0].law->name())));
  EXPECT_EQ(series[0].pattern, 0u);
  EXPECT_NE(series[1].pattern, series[2].pattern);
  EXPECT_NE(series[1].pattern, 0u);
  // The legend says what the points are, and the key not again.
  EXPECT_EQ(series.back().label, "mean of runs");
  EXPECT_EQ(series.back().points.label, "");
  EXPECT_THAT(figure.panels.front().marks.front().words,
              ElementsAre("measured up to", HasSubstr(" GPUs")));
}

Caps caps_of(const std::vector<std::string>& settings) {
  Caps caps;
  caps.reference = settings.back();
  for (std::size_t i = 0; i + 1 < settings.size(); ++i) {
    RelativeSetting one;
    one.setting = settings[i];
    one.energy.ratio = 0.8;
    caps.overall.settings.push_back(one);
  }
  return caps;
}

TEST(CapsFigure, SettingsThatAreNumbersStandAtTheirValuesWithoutADodge) {
  const std::vector<GroupCaps> two{{{"A"}, caps_of({"100", "200", "250"})},
                                   {{"B"}, caps_of({"100", "200", "250"})}};
  const Figure figure = caps_figure(by_model(), "power_cap_w", two);
  const FigurePanel& panel = figure.panels.front();
  EXPECT_EQ(panel.x.label, "power_cap_w [W]");
  EXPECT_THAT(panel.x.ticks, ElementsAre(100, 200, 250));
  for (const FigureSeries& series : panel.series) {
    EXPECT_THAT(series.points.x, ElementsAre(100, 200, 250));
  }
  EXPECT_EQ(panel.references.front().label, "as at 250 W");
  // Nothing is above 1, and still the words find room on their line.
  EXPECT_EQ(panel.y.greatest, 1.2);
  EXPECT_THAT(figure.caption, Not(HasSubstr("intervals")));  // There are none.
}

TEST(CapsFigure, OtherSettingsHaveABandEach) {
  const std::vector<GroupCaps> two{{{"A"}, caps_of({"eco", "turbo"})},
                                   {{"B"}, caps_of({"eco", "turbo"})}};
  const FigurePanel panel = caps_figure(by_model(), "mode", two).panels.front();
  EXPECT_EQ(panel.x.scale, AxisScale::kCategories);
  for (const FigureSeries& series : panel.series) {
    for (std::size_t i = 0; i < series.points.x.size(); ++i) {
      EXPECT_LT(std::abs(series.points.x[i] - static_cast<double>(i)), 0.5);
    }
  }
}

ParetoPoint pareto_point(const std::string& cap, const std::string& gpus, double seconds,
                         double joules, bool frontier) {
  ParetoPoint point{.knobs = {cap, gpus}, .n = 4, .gpus = std::stod(gpus), .seconds = seconds};
  point.joules = joules;
  point.on_frontier = frontier;
  point.costs = {{.joules = 0.5 * joules + 0.5 * 250 * point.gpus * seconds}};
  return point;
}

Pareto hand_made_frontier() {
  Pareto pareto;
  pareto.points = {pareto_point("200", "2", 100, 3e4, true),
                   pareto_point("250", "2", 110, 4e4, false),
                   pareto_point("250", "8", 40, 6e4, true)};
  pareto.frontier = {2, 0};
  pareto.optima = {{0.5, 0, {{90, 3.5e4}, {110, 2.5e4}}}};
  pareto.dof = 9;
  pareto.sigma_time = 0.02;
  pareto.sigma_energy = 0.04;
  return pareto;
}

TEST(ParetoFigure, EveryPointSaysItsSettingAndItsNumberOfGpus) {
  const std::vector<GroupPareto> one{{{"A"}, hand_made_frontier()}};
  const std::vector<std::string> knobs{"power_cap_w", "gpus"};
  const Figure figure = pareto_figure(by_model(), knobs, one);
  const auto& series = figure.panels.front().series;
  EXPECT_TRUE(series[0].stepped);
  EXPECT_EQ(series[0].label, "frontier");
  EXPECT_EQ(series[1].label, "200 W");
  EXPECT_THAT(series[1].points.words, ElementsAre("2"));
  EXPECT_EQ(series[2].label, "250 W");
  EXPECT_THAT(series[2].points.words, ElementsAre("2", "8"));
  EXPECT_EQ(figure.legend, "power_cap_w; at points: gpus");
}

TEST(ParetoFigure, InACrowdWordsStandAtTheFrontierAndTheOptima) {
  Pareto crowd = hand_made_frontier();
  for (int i = 0; i < 40; ++i) {
    crowd.points.push_back(pareto_point("250", std::to_string(10 + i), 200 + i, 7e4, false));
  }
  const std::vector<GroupPareto> two{{{"A"}, crowd}, {{"B"}, hand_made_frontier()}};
  const std::vector<std::string> knobs{"power_cap_w", "gpus"};
  for (const FigurePanel& panel : pareto_figure(by_model(), knobs, two).panels) {
    const std::vector<std::string>& words = panel.series[2].points.words;
    EXPECT_EQ(words[0], "");  // 2 GPUs, off the frontier.
    EXPECT_EQ(words[1], "8");
    EXPECT_TRUE(std::all_of(words.begin() + 2, words.end(),
                            [](const std::string& one) { return one.empty(); }));
  }
  EXPECT_EQ(pareto_figure(by_model(), knobs, two).legend,
            "power_cap_w; at points of the frontier: gpus");
}

TEST(ParetoFigure, TheCaptionLeavesTheCostsToWhatStandsBesideIt) {
  const std::vector<GroupPareto> one{{{"A"}, hand_made_frontier()}};
  const std::vector<std::string> knobs{"power_cap_w", "gpus"};
  EXPECT_THAT(pareto_figure(by_model(), knobs, one).caption, HasSubstr("= 40 kJ"));
  EXPECT_EQ(pareto_figure(by_model(), knobs, one, 0.95, false).caption,
            "Time against energy of power_cap_w, gpus: no point takes less of both than one on the "
            "frontier.");
}

TEST(ParetoFigure, TheOptimumExplainsItsCostInsideTheFigure) {
  const std::vector<GroupPareto> one{{{"A"}, hand_made_frontier()}};
  const std::vector<std::string> knobs{"power_cap_w", "gpus"};
  const Figure figure = pareto_figure(by_model(), knobs, one);
  EXPECT_EQ(
      figure.note,
      "least cost at eta 0.5 with 200 W, 2 GPUs: 0.5 \u00d7 30 kJ + 0.5 \u00d7 500 W \u00d7 100 s "
      "= 40 kJ");
  const FigureSeries& optimum = figure.panels.front().series.back();
  EXPECT_TRUE(optimum.open);
}

// Below a line of equal cost at 2 GPUs, points on more GPUs would seem cheaper than the cheapest.
TEST(ParetoFigure, HasNoLineOfEqualCost) {
  const std::vector<GroupPareto> one{{{"A"}, hand_made_frontier()}};
  const std::vector<std::string> knobs{"power_cap_w", "gpus"};
  const Figure figure = pareto_figure(by_model(), knobs, one);
  for (const FigureSeries& series : figure.panels.front().series) {
    EXPECT_THAT(series.curves, SizeIs(0));
  }
}

TEST(ParetoFigure, PointsHaveTheirIntervals) {
  const std::vector<GroupPareto> one{{{"A"}, hand_made_frontier()}};
  const std::vector<std::string> knobs{"power_cap_w", "gpus"};
  const FigurePoints points = pareto_figure(by_model(), knobs, one).panels.front().series[1].points;
  // t(0.975, 9) = 2.262157: exp(2.262157 * 0.02 / 2) and exp(2.262157 * 0.04 / 2).
  EXPECT_NEAR(points.x_upper.front(), 100 * 1.0228793, 1e-4);
  EXPECT_NEAR(points.upper.front(), 30 * 1.0462821, 1e-4);
}

TEST(GpuHoursFigure, SaysTheWattsAtBothEndsAndNoMeanOfThem) {
  EnergyScaling scaling;
  scaling.gpu_hours.origin = NoFit{FailureCode::kTooFewPoints, "no line is needed"};
  scaling.gpu_hours.intercept = scaling.gpu_hours.origin;
  for (const double watts : {230.2, 203.9, 185.3}) {
    const double x = scaling.scales.empty() ? 2 : 8 * scaling.scales.back().x;
    scaling.scales.push_back({.x = x, .watts_per_gpu = watts, .kwh = watts / 100, .gpu_hours = 10});
  }
  const std::vector<GroupEnergy> one{{{"A"}, scaling}};
  const Figure figure = gpu_hours_figure(by_model(), one);
  EXPECT_EQ(figure.panels.front().series.front().label, "A: 230 to 185 W/GPU");
  EXPECT_THAT(figure.caption,
              HasSubstr("A GPU takes from 185 W (A, 128 GPUs) to 230 W (A, 2 GPUs)."));
}

TEST(GpuHoursFigure, WithoutAResultHasAnEmptyPanel) {
  EXPECT_THAT(gpu_hours_figure(by_model(), {}).panels, SizeIs(1));
}

TEST(ParetoFigure, WithoutAFrontierIsRefused) {
  const std::vector<std::string> knobs{"gpus"};
  EXPECT_THROW(pareto_figure(by_model(), knobs, {}), DataError);
}

/// A law over two scales with runs at three sizes.
DrawnSurface hand_made_surface() {
  DrawnSurface surface;
  for (const double n : {35e6, 350e6, 3.5e9}) {
    for (const double d : {1e9, 1e10, 1e11}) {
      surface.n.push_back(n);
      surface.d.push_back(d);
      surface.y.push_back(1.8 + 400 * std::pow(n, -0.34) + 1500 * std::pow(d, -0.35));
    }
  }
  SurfaceRuns runs;
  runs.n = surface.n;
  runs.d = surface.d;
  runs.y = surface.y;
  surface.fit = fit_surface(runs, {.law = find_law("chinchilla")});
  return surface;
}

TEST(SurfaceFigure, HasItsCurvesAndLabelsAtSizesOfTheTable) {
  StudyReport report;
  report.y = "loss";
  report.scales = {"parameters", "tokens"};
  report.flops_per_parameter_token = 6;
  const Figure figure = surface_figure(report, hand_made_surface());
  const FigurePanel& panel = figure.panels.front();
  EXPECT_EQ(panel.x.label, "compute [FLOP]");
  std::vector<std::string> labels;
  std::vector<double> shades;
  std::vector<double> run_shades;
  for (const FigureSeries& series : panel.series) {
    if (series.curves.empty()) run_shades.push_back(series.shade.value_or(-1));
    if (series.curves.empty() || !series.shade) continue;
    labels.push_back(series.label);
    shades.push_back(*series.shade);
  }
  EXPECT_THAT(labels, ElementsAre("parameters 35 M", "parameters 350 M", "parameters 3.5 B"));
  EXPECT_EQ(run_shades, shades);  // A run has the colour of the law at its size.
}

TEST(TailFigure, MarksWhereTheTailBeginsAndPutsTheLikeliestShapeFirst) {
  DrawnTail drawn{
      .group = {}, .tail = {}, .sample = {{1, 10}, {1, 0.1}}, .power_law = {}, .alternatives = {}};
  drawn.tail.n = 100;
  drawn.tail.x_min = 3.5;
  drawn.power_law = {{3.5, 10}, {0.4, 0.1}};
  drawn.tail.alternatives = {{.model = TailModel::kLognormal, .log_ratio = 2},
                             {.model = TailModel::kExponential, .log_ratio = -1}};
  drawn.alternatives = {drawn.power_law, drawn.power_law};
  const Figure figure = tail_figure("duration_s", {&drawn, 1});
  const FigurePanel& panel = figure.panels.front();
  ASSERT_THAT(panel.marks, SizeIs(1));
  EXPECT_EQ(panel.marks.front().x, 3.5);
  EXPECT_THAT(panel.marks.front().words, ElementsAre("x_min 3.500"));
  EXPECT_TRUE(figure.ranked);
  EXPECT_EQ(panel.series[2].label, "exponential");
  EXPECT_EQ(panel.series[1].pattern, 0u);
  EXPECT_NE(panel.series[2].pattern, 0u);
  EXPECT_EQ(panel.x.label, "duration_s [s]");
}

}  // namespace
}  // namespace scalelaw
