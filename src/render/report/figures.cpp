// The drawings of a report, and how they become parts of a page.

#include <fmt/format.h>

#include <algorithm>

#include "assets.hpp"
#include "base/code_points.hpp"
#include "render/gnuplot/theme.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"

namespace scalelaw {
namespace {

std::string style_of(const Theme& theme) {
  std::string style;
  for (const auto& [name, colour] : figure_variables(theme)) {
    style += fmt::format("{}: {}; ", name, colour);
  }
  return style;
}

/// Short names for what drawings say most often.
std::string colour_classes() {
  std::string style =
      ".t { fill: var(--fig-text); stroke: none; }\n"
      ".gridline { stroke: var(--fig-grid); stroke-width: 0.7; }\n"
      ".a { stroke: var(--fig-axis); }\n"
      ".cb { color: var(--fig-background); }\n";
  for (std::size_t i = 0; i < theme_of(FigureTheme::kLight).series.size(); ++i) {
    style += fmt::format(".c{0} {{ color: var(--fig-{0}); }}\n", i);
  }
  return style;
}

/// A text with the characters that fonts may lack as their numbers: "[U+4E2D]".
std::string spelled_out(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view rest = text;
    const CodePoint code = take_code_point(text);
    out += is_of_a_script(code.value) ? fmt::format("[U+{:04X}]", code.value)
                                      : std::string(rest.substr(0, code.bytes));
  }
  return out;
}

/// The figure with names spelled out that fonts may lack, as the LaTeX around it spells them.
Figure spelled_figure(Figure figure) {
  const auto spell = [](std::string& text) { text = spelled_out(text); };
  for (std::string* const text : {&figure.title, &figure.legend, &figure.note}) spell(*text);
  for (FigurePanel& panel : figure.panels) {
    for (std::string* const text : {&panel.title, &panel.x.label, &panel.y.label}) spell(*text);
    for (std::string& name : panel.x.categories) spell(name);
    for (FigureReference& reference : panel.references) spell(reference.label);
    for (FigureMark& mark : panel.marks) {
      for (std::string& words : mark.words) spell(words);
    }
    for (FigureSeries& series : panel.series) {
      spell(series.label);
      for (std::string& words : series.points.words) spell(words);
    }
  }
  return figure;
}

/// A PDF, with names spelled out where no font has them.
std::string drawn_pdf(const Figure& figure, const DrawFigure& draw) {
  try {
    return draw(figure, FigureFormat::kPdf);
  } catch (const DataError&) {
    return draw(spelled_figure(figure), FigureFormat::kPdf);
  }
}

/// @param prefix  Of the ids in the drawing: no other figure of the page has it.
std::string drawn(const ReportFigure& figure, ReportFormat format, const DrawFigure& draw,
                  const std::string& prefix) {
  switch (format) {
    case ReportFormat::kHtml: {
      const CaptionParts caption = caption_of(figure);
      return page_svg(draw(figure.figure, FigureFormat::kSvg), prefix, caption.lead + caption.rest);
    }
    case ReportFormat::kMarkdown:
      return draw(figure.figure, FigureFormat::kSvg);
    case ReportFormat::kLatex:
      return drawn_pdf(figure.figure, draw);
    case ReportFormat::kJson:  // It has no figures.
      break;
  }
  return "";
}

}  // namespace

std::string figure_style() {
  const std::string light = style_of(theme_of(FigureTheme::kLight));
  return fmt::format(
      ":root {{ {} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}\n"
      "@media print {{ :root {{ {} }} }}\n{}",
      light, style_of(theme_of(FigureTheme::kDark)), light, colour_classes());
}

std::string_view published_frey2022() { return kPublishedFrey2022; }

std::size_t draw_figures(ReportDocument& document, ReportFormat format, const DrawFigure& draw,
                         int threads) {
  std::vector<ReportFigure*> figures;
  for (ReportSection& section : document.sections) {
    for (ReportBlock& block : section.blocks) {
      if (auto* figure = std::get_if<ReportFigure>(&block)) figures.push_back(figure);
      if (auto* answer = std::get_if<ReportAnswer>(&block)) figures.push_back(&answer->chart);
    }
  }
  parallel_for(thread_count(threads), figures.size(), [&](std::size_t i, int /*worker*/) {
    try {
      figures[i]->drawing = drawn(*figures[i], format, draw, fmt::format("f{}-", i));
    } catch (const DataError& error) {
      figures[i]->problem = error.what();
    }
  });
  return static_cast<std::size_t>(std::ranges::count_if(
      figures, [](const ReportFigure* figure) { return figure->drawing.empty(); }));
}

}  // namespace scalelaw
