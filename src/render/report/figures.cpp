#include <fmt/format.h>

#include <algorithm>

#include "assets.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"

namespace scalelaw {
namespace {

/// @param prefix  Of the ids in the drawing: no other figure of the page has it.
std::string drawn(const ReportFigure& figure, ReportFormat format, const DrawFigure& draw,
                  const std::string& prefix) {
  switch (format) {
    case ReportFormat::kHtml:
      return page_svg(draw(figure.figure, FigureFormat::kSvg), prefix,
                      figure.title + ". " + figure.figure.caption);
    case ReportFormat::kMarkdown:
      return draw(figure.figure, FigureFormat::kSvg);
    case ReportFormat::kLatex:
      return draw(figure.figure, FigureFormat::kPdf);
  }
  return "";
}

}  // namespace

std::string_view published_frey2022() { return kPublishedFrey2022; }

std::size_t draw_figures(ReportDocument& document, ReportFormat format, const DrawFigure& draw,
                         int threads) {
  std::vector<ReportFigure*> figures;
  for (ReportSection& section : document.sections) {
    for (ReportBlock& block : section.blocks) {
      if (auto* figure = std::get_if<ReportFigure>(&block)) figures.push_back(figure);
    }
  }
  parallel_for(thread_count(threads), figures.size(), [&](std::size_t i, int /*worker*/) {
    try {
      figures[i]->drawing = drawn(*figures[i], format, draw, fmt::format("f{}-", i));
    } catch (const DataError& error) {
      figures[i]->problem = error.what();
    }
  });
  return static_cast<std::size_t>(
      std::count_if(figures.begin(), figures.end(),
                    [](const ReportFigure* figure) { return figure->drawing.empty(); }));
}

}  // namespace scalelaw
