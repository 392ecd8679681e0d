#include "render/terminal_figure.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A panel of one falling line with two bands, and what is said of its end.
Figure falling() {
  FigurePanel panel{.x = {.label = "gpus", .scale = AxisScale::kPowersOfTwo},
                    .y = {.label = "seconds", .scale = AxisScale::kLogarithmic}};
  FigureSeries series{.label = "BERT"};
  series.points.add(1, 100, "");
  series.points.add(16, 10, "");
  series.curves.push_back({.x = {1, 16}, .y = {100, 10}, .label = "forecast"});
  series.bands = {{.x = {1, 16}, .lower = {50, 2}, .upper = {200, 50}, .label = "new runs"},
                  {.x = {1, 16}, .lower = {70, 5}, .upper = {140, 20}, .label = "curve"}};
  panel.series = {series};
  panel.marks = {{.x = 16, .words = {"16 GPUs: 10.0 s", "new runs 2 to 50 s"}, .y = 10}};
  return {.panels = {panel}, .note = "3 more groups are not drawn"};
}

std::string drawn_in(bool braille) {
  return terminal_figure(falling(), {.columns = 60, .rows = 20, .braille = braille});
}

TEST(TerminalCanvas, ALineIsBrailleDotsAndAStarInAscii) {
  TerminalCanvas dots(2, 1, true, false);
  dots.line(0, 0.9, 1, 0.9, 1);
  EXPECT_THAT(dots.lines(), ElementsAre("\u2809\u2809"));
  TerminalCanvas ascii(2, 1, false, false);
  ascii.line(0, 0.9, 1, 0.9, 1);
  EXPECT_THAT(ascii.lines(), ElementsAre("**"));
}

TEST(TerminalCanvas, DashesAndWhatIsOutsideAreLeftOut) {
  TerminalCanvas canvas(4, 1, true, false);
  canvas.line(0, 0.9, 2, 0.9, 1, 2, 4);
  EXPECT_THAT(canvas.lines(), ElementsAre("\u2809 \u2809\u2808"));
}

TEST(TerminalCanvas, AWideLetterTakesTwoColumns) {
  TerminalCanvas canvas(4, 1, true, false);
  canvas.write(0, 0, "\u6a21x");
  EXPECT_THAT(canvas.lines(), ElementsAre("\u6a21x "));
}

TEST(TerminalCanvas, ColoursEndWithTheLine) {
  TerminalCanvas canvas(1, 1, true, true);
  canvas.line(0, 0.9, 1, 0.9, 31);
  EXPECT_THAT(canvas.lines(), ElementsAre("\x1b[38;5;31m\u2809\x1b[0m"));
}

TEST(TerminalFigure, BothBandsAreShadedAndNamed) {
  EXPECT_THAT(drawn_in(true), HasSubstr("\u2591\u2591\u2591 new runs   \u2592\u2592\u2592 curve"));
  const std::string ascii = drawn_in(false);
  EXPECT_THAT(ascii, HasSubstr("... new runs   ::: curve"));
  // From left to right: the outer band, the inner one, the line, and back.
  EXPECT_THAT(ascii, HasSubstr("..::::::*******::::::::::.."));
}

TEST(TerminalFigure, ValuesAtMarksAndWhatIsNotDrawnAreWritten) {
  EXPECT_THAT(drawn_in(true), HasSubstr("16 GPUs: 10.0 s"));
  EXPECT_THAT(drawn_in(true), HasSubstr("\u25c9"));
  EXPECT_THAT(drawn_in(true), HasSubstr("  3 more groups are not drawn\n"));
}

TEST(TerminalFigure, CurvesWithoutPointsHaveTheirLetters) {
  FigurePanel panel;
  for (const char* const label : {"broken", "power"}) {
    FigureSeries series{.label = label};
    series.curves.push_back({.x = {}, .y = {}});
    for (int i = 0; i <= 50; ++i) series.curves.back().add(i, 50 - i);
    panel.series.push_back(series);
  }
  Figure figure;
  figure.panels = {panel};
  const std::string text = terminal_figure(figure, {.columns = 60, .rows = 20});
  const std::string drawing = text.substr(0, text.find("  A  broken"));
  EXPECT_THAT(drawing, HasSubstr("A"));
  EXPECT_THAT(drawing, HasSubstr("B"));
}

TEST(TerminalFigure, AsciiHasNoOtherCharacters) {
  for (const char c : drawn_in(false)) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(TerminalFigure, IsNotWiderThanTheWindow) {
  Figure figure = falling();
  figure.panels.push_back(figure.panels.front());
  figure.panels.push_back(figure.panels.front());
  for (const int columns : {40, 79, 100, 160}) {
    const std::string text = terminal_figure(figure, {.columns = columns, .rows = 20});
    for (const std::string& line : split(text, '\n')) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(columns)) << line;
    }
  }
}

TEST(TerminalFigure, PanelsStandSideBySideWhereTheWindowIsWide) {
  Figure figure = falling();
  figure.panels.push_back(figure.panels.front());
  figure.panels[0].title = "left";
  figure.panels[1].title = "right";
  const std::string wide = terminal_figure(figure, {.columns = 100, .rows = 20});
  EXPECT_THAT(wide.substr(0, wide.find('\n')), HasSubstr("right"));
  const std::string narrow = terminal_figure(figure, {.columns = 60, .rows = 20});
  EXPECT_THAT(narrow.substr(0, narrow.find('\n')), Not(HasSubstr("right")));
}

}  // namespace
}  // namespace scalelaw
