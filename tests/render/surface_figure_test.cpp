#include <gmock/gmock.h>

#include <cmath>

#include "scalelaw/fit/surface.hpp"
#include "scalelaw/render/result_figures.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Losses at every pair of sizes and numbers of tokens.
Figure figure_of(const std::vector<double>& sizes) {
  DrawnSurface surface;
  for (const double n : sizes) {
    for (const double d : {1e9, 4e9, 1e10, 3e10}) {
      surface.n.push_back(n);
      surface.d.push_back(d);
      const double loss = 1.7 + 400 * std::pow(n, -0.34) + 400 * std::pow(d, -0.28);
      surface.y.push_back(loss * (1 + 0.001 * std::sin(n + d)));
    }
  }
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = Robust::kHuber;
  surface.fit = fit_surface(surface.n, surface.d, surface.y, options, 0, 1);
  StudyReport report;
  report.scales = {"parameters", "tokens"};
  report.y = "loss";
  report.flops_per_parameter_token = 6;
  return surface_figure(report, surface);
}

std::vector<std::string> sizes_in(const Figure& figure) {
  std::vector<std::string> labels;
  for (const FigureSeries& series : figure.panels.front().series) {
    if (series.label.starts_with("parameters = ")) labels.push_back(series.label.substr(13));
  }
  return labels;
}

TEST(SurfaceFigure, HasALinePerSizeOfTheTable) {
  const Figure few = figure_of({1e7, 1e8, 3e9});
  EXPECT_THAT(sizes_in(few), ElementsAre("1e+07", "1e+08", "3e+09"));
  EXPECT_THAT(few.caption, Not(HasSubstr("nearest one")));
}

TEST(SurfaceFigure, OfManySizesSomeHaveALine) {
  const Figure many = figure_of({1e7, 2e7, 3e7, 5e7, 1e8, 2e8, 1e9});
  EXPECT_THAT(sizes_in(many), ElementsAre("1e+07", "3e+07", "1e+08", "2e+08", "1e+09"));
  EXPECT_THAT(many.caption,
              HasSubstr("those without a line of their own have the colour of the nearest one"));
}

}  // namespace
}  // namespace scalelaw
