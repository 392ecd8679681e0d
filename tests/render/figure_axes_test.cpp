#include "render/figure_axes.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "render/figure_parts.hpp"
#include "render/figure_words.hpp"
#include "render/gnuplot/theme.hpp"
#include "scalelaw/render/study_figures.hpp"

namespace scalelaw {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> ticks(AxisScale scale, double least, double greatest) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks_of({.label = "", .scale = scale}, {least, greatest}, {12})) {
    texts.push_back(tick.text);
  }
  return texts;
}

TEST(Ticks, HaveOneUnitWhereTheGreatestIsLong) {
  EXPECT_THAT(ticks(AxisScale::kLogarithmic, 90, 20000),
              ElementsAre("100", "200", "500", "1k", "2k", "5k", "10k", "20k"));
  EXPECT_THAT(ticks(AxisScale::kLogarithmic, 90, 6000),
              ElementsAre("100", "200", "500", "1000", "2000", "5000"));
}

TEST(Ticks, OfLikePanelsAreOfOneKind) {
  Figure figure;
  for (const double greatest : {6000.0, 20000.0}) {
    FigurePanel panel{.y = {.label = "seconds", .scale = AxisScale::kLogarithmic}};
    FigureSeries series;
    series.points.x = {1, 2};
    series.points.y = {90, greatest};
    panel.series.push_back(series);
    figure.panels.push_back(panel);
  }
  const auto texts_of = [](const FigurePanel& panel) {
    std::vector<std::string> texts;
    for (const Tick& tick : ticks_of(panel.y, ranges_of(panel).y, {12})) texts.push_back(tick.text);
    return texts;
  };
  EXPECT_THAT(texts_of(figure.panels[0]), Contains("5000"));
  EXPECT_THAT(texts_of(with_like_ticks(figure).panels[0]), Contains("5k"));
  figure.panels[1].y.label = "joules";
  EXPECT_THAT(texts_of(with_like_ticks(figure).panels[0]), Contains("5000"));
}

TEST(Ticks, AreDenserWhereFewWouldEndFarFromTheData) {
  EXPECT_THAT(ticks(AxisScale::kLogarithmic, 55, 740),
              ElementsAre("70", "100", "150", "200", "300", "500", "700"));
}

TEST(ResponseAxis, HasAUnitThatTheNameDoesNotTell) {
  EXPECT_EQ(response_axis("epoch time", true, "s").label, "epoch time [s]");
  EXPECT_EQ(response_axis("epoch_seconds", true, "s").label, "epoch_seconds [s]");
  EXPECT_EQ(response_axis("time [s]", true, "s").label, "time [s]");
  EXPECT_EQ(response_axis("loss", true).label, "loss");
}

TEST(Ticks, OfCountsKeepTheirDigits) {
  EXPECT_THAT(ticks(AxisScale::kPowersOfTwo, 256, 20000), Contains("1024"));
}

TEST(Ticks, OfSmallFractionsAreNoPowersOfTwo) {
  EXPECT_THAT(ticks(AxisScale::kPowersOfTwo, 0.0005, 0.5), Not(Contains("0.0009765625")));
  EXPECT_THAT(ticks(AxisScale::kPowersOfTwo, 0.0005, 0.5), Contains("0.001"));
}

TEST(Ticks, OfGreatNumbersHaveAShortExponent) {
  EXPECT_THAT(ticks(AxisScale::kLogarithmic, 1e18, 1e23), Contains("1e19"));
  EXPECT_THAT(ticks(AxisScale::kLogarithmic, 1e6, 1e9), Contains("10M"));
}

TEST(Ticks, OfAShortAxisBeginWithAPowerThatIsOnIt) {
  std::vector<std::string> texts;
  for (const Tick& tick :
       ticks_of({.label = "", .scale = AxisScale::kLogarithmic}, {0.5, 700}, {2})) {
    texts.push_back(tick.text);
  }
  EXPECT_THAT(texts, ElementsAre("1", "100"));
}

TEST(Ticks, StandWhereTheAxisSaysSo) {
  const Axis axis{.label = "cap", .ticks = {100, 200, 250}};
  std::vector<double> places;
  for (const Tick& tick : ticks_of(axis, {90, 260}, {7})) places.push_back(tick.value);
  EXPECT_THAT(places, ElementsAre(100, 200, 250));
}

TEST(ShownOrder, CountsNumbersInsideNames) {
  EXPECT_TRUE(shown_before({"M2"}, {"M10"}));
  EXPECT_FALSE(shown_before({"M10"}, {"M2"}));
  EXPECT_TRUE(shown_before({"A", "9"}, {"A", "10"}));
  EXPECT_TRUE(shown_before({"run 007"}, {"run 8b"}));
  EXPECT_FALSE(shown_before({"A"}, {"A"}));
}

TEST(GroupLabels, DropColumnsInWhichGroupsAgreeAndHaveUnits) {
  const GroupKey a{"BERT", "200", "1380"};
  const GroupKey b{"BERT", "250", "1380"};
  const GroupLabels labels({"model", "power_cap_w", "clock_mhz"}, {&a, &b});
  EXPECT_EQ(labels.of(b), "250 W");
  EXPECT_EQ(labels.columns(), "power_cap_w");
  EXPECT_EQ(labels.shared(), "BERT, 1380 MHz");
}

TEST(GroupLabels, NameAnOnlyGroupInFull) {
  const GroupKey only{"BERT", "250"};
  const GroupLabels labels({"model", "power_cap_w"}, {&only});
  EXPECT_EQ(labels.of(only), "BERT, 250 W");
  EXPECT_EQ(labels.shared(), "");
}

TEST(GroupLabels, AGroupHasItsColourOfTheStudy) {
  const StudyAxes axes{.x = "n", .y = "s", .by = {"m"}, .groups = {{"A"}, {"B"}, {"C"}}};
  EXPECT_EQ(style_of(axes, {"C"}, 0), 2u);
  EXPECT_EQ(style_of({.x = "n", .y = "s", .by = {"m"}}, {"C"}, 0), 0u);
}

/// A diagonal from the upper left to the lower right, with words at its middle.
FigurePanel diagonal() {
  FigurePanel panel;
  FigureSeries series;
  series.curves.push_back({.x = {0, 1}, .y = {1, 0}});
  panel.series = {series};
  panel.x.least = panel.y.least = 0;
  panel.x.greatest = panel.y.greatest = 1;
  return panel;
}

TEST(PlacedWords, DoNotLieOnTheCurve) {
  FigurePanel panel = diagonal();
  panel.marks = {{.x = 0.5, .words = {"some words"}, .y = 0.5}};
  const auto placed = place_words(panel, ranges_of(panel), {0.02, 0.05});
  ASSERT_THAT(placed, SizeIs(1));
  const PlacedWords& words = placed.front();
  const double left = words.ends_at_x ? words.x - 0.2 : words.x;
  const double bottom = words.top - 0.05;
  // On one side of the line y = 1 - x: both corners that are nearest to it are.
  EXPECT_TRUE(left + bottom > 1 || left + 0.2 + words.top < 1)
      << left << " " << bottom << " " << words.top;
}

TEST(PlacedWords, OfALineGoBackAlongItWhereItsEndIsCrowded) {
  FigurePanel panel = diagonal();
  panel.series.clear();
  FigureSeries crowd;
  for (double y = 0.5; y < 1; y += 0.02) {
    crowd.curves.push_back({.x = {0.6, 1}, .y = {y, y}});
  }
  panel.series = {crowd};
  panel.references = {{.x = {0, 1}, .y = {0.8, 0.8}, .label = "a deadline"}};
  const auto placed = place_words(panel, ranges_of(panel), {0.02, 0.05});
  ASSERT_THAT(placed, SizeIs(1));
  const double right = placed[0].ends_at_x ? placed[0].x : placed[0].x + 0.2;
  EXPECT_LT(right, 0.6);
  EXPECT_TRUE(placed[0].top < 0.8 || placed[0].top - 0.05 > 0.8) << placed[0].top;
}

TEST(PlacedWords, DoNotLieOnBarsAlongX) {
  FigurePanel panel = diagonal();
  panel.series.clear();
  FigureSeries series;
  series.points.add(0.5, 0.5, "");
  series.points.x_lower = {0.3};
  series.points.x_upper = {0.7};
  series.points.words = {"256"};
  panel.series = {series};
  const auto placed = place_words(panel, ranges_of(panel), {0.02, 0.05});
  ASSERT_THAT(placed, SizeIs(1));
  EXPECT_TRUE(placed[0].top <= 0.5 || placed[0].top - 0.05 >= 0.5) << placed[0].top;
}

TEST(PlacedWords, AreLeftOutWhereTheirLeaderWouldPassAnotherPoint) {
  FigurePanel panel = diagonal();
  FigureSeries heap;  // Of points so close that no words are clearly of one of them.
  for (int i = 0; i < 7; ++i) {
    for (int k = 0; k < 7; ++k) heap.points.add(0.44 + 0.02 * i, 0.44 + 0.02 * k, "");
  }
  heap.points.words.assign(49, "");
  heap.points.words[24] = "424";  // In the middle.
  panel.series = {heap};
  panel.x.least = panel.y.least = 0;
  panel.x.greatest = panel.y.greatest = 1;
  EXPECT_THAT(place_words(panel, ranges_of(panel), {0.02, 0.05}), IsEmpty());
}

TEST(PlacedWords, DoNotLieOnEachOther) {
  FigurePanel panel = diagonal();
  FigureSeries points;
  for (const double x : {0.40, 0.46, 0.52}) {
    points.points.add(x, 0.8, "");
    points.points.words.emplace_back("256");
  }
  panel.series.push_back(points);
  const auto placed = place_words(panel, ranges_of(panel), {0.02, 0.05});
  ASSERT_THAT(placed, SizeIs(3));
  for (std::size_t i = 0; i < placed.size(); ++i) {
    for (std::size_t k = i + 1; k < placed.size(); ++k) {
      const auto left = [](const PlacedWords& one) { return one.ends_at_x ? one.x - 0.06 : one.x; };
      EXPECT_TRUE(std::abs(left(placed[i]) - left(placed[k])) >= 0.0599 ||
                  std::abs(placed[i].top - placed[k].top) >= 0.0499);
    }
  }
}

TEST(PlacedWords, HaveALeaderWhereTheyWouldSeemToBeOfAnotherPoint) {
  FigurePanel panel = diagonal();
  FigureSeries points;
  points.points.add(0.5, 0.8, "");
  points.points.words.emplace_back("256");
  // On all four sides, with room between them for a leader.
  for (const auto& [x, y] : {std::pair{0.47, 0.8}, {0.53, 0.8}, {0.5, 0.85}, {0.5, 0.75}}) {
    points.points.add(x, y, "");
    points.points.words.emplace_back("");
  }
  panel.series.push_back(points);
  const auto led = place_words(panel, ranges_of(panel), {0.02, 0.05});
  ASSERT_THAT(led, SizeIs(1));
  ASSERT_TRUE(led[0].leader);
  EXPECT_NEAR(led[0].leader->to_x, place_on(panel.x, ranges_of(panel).x, 0.5), 1e-9);
  panel.series.back().points.words = {"256"};
  panel.series.back().points.x.resize(1);
  panel.series.back().points.y.resize(1);
  const auto alone = place_words(panel, ranges_of(panel), {0.02, 0.05});
  ASSERT_THAT(alone, SizeIs(1));
  EXPECT_FALSE(alone[0].leader);
}

/// Relative luminance of sRGB (WCAG 2.2).
double luminance(std::string_view hex) {
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(std::string_view a, std::string_view b) {
  const double x = luminance(a);
  const double y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Theme, TextHasFourAndAHalfTimesTheContrastOfItsBackground) {
  for (const FigureTheme which : {FigureTheme::kLight, FigureTheme::kDark}) {
    const Theme& theme = theme_of(which);
    EXPECT_GE(contrast(theme.text, theme.background), 4.5);
    EXPECT_GE(contrast(theme.axis, theme.background), 4.5);
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      EXPECT_GE(contrast(shade_colour(share), theme.background), 3) << shade_colour(share);
    }
  }
}

}  // namespace
}  // namespace scalelaw
