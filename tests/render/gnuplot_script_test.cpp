#include <gmock/gmock.h>

#include <string>

#include "scalelaw/render/figure.hpp"

namespace scalelaw {
namespace {

using ::testing::HasSubstr;

std::string script_with_category(const std::string& name) {
  FigureSeries series{.label = "a"};
  series.points = {.x = {0}, .y = {2}};
  FigurePanel panel{.x = {.label = "setting", .scale = AxisScale::kCategories}};
  panel.x.categories = {name};
  panel.series.push_back(series);
  Figure figure;
  figure.panels.push_back(panel);
  return render_figure(figure, FigureFormat::kGnuplot, {});
}

TEST(GnuplotScript, APercentSignOfATickIsNoFormat) {
  EXPECT_THAT(script_with_category("100%"), HasSubstr("set xtics (\"100\\045\\045\" 0)"));
}

// gnuplot keeps 49 bytes of a formatted text, which could end inside a character.
TEST(GnuplotScript, ALongTickWithAPercentSignIsShortenedHere) {
  std::string name = "%";
  for (int i = 0; i < 30; ++i) name += "\u00e9";
  std::string shown = "\\045\\045";
  for (int i = 0; i < 22; ++i) shown += "\u00e9";
  EXPECT_THAT(script_with_category(name), HasSubstr("(\"" + shown + "\u2026\" 0)"));
}

TEST(GnuplotScript, ALongTickWithoutOneStaysWhole) {
  const std::string name(80, 'x');
  EXPECT_THAT(script_with_category(name), HasSubstr("(\"" + name + "\" 0)"));
}

}  // namespace
}  // namespace scalelaw
