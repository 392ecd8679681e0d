// The drawings of a report, and how they become parts of a page.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "assets.hpp"
#include "render/gnuplot/theme.hpp"
#include "render/plain_svg.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {
namespace {

/// The variables of the page's style that stand for the colours of a theme.
std::vector<std::pair<std::string, std::string_view>> variables_of(const Theme& theme) {
  std::vector<std::pair<std::string, std::string_view>> variables{
      {"--fig-background", theme.background},
      {"--fig-text", theme.text},
      {"--fig-axis", theme.axis},
      {"--fig-grid", theme.grid},
      {"--fig-reference", theme.reference}};
  for (std::size_t i = 0; i < theme.series.size(); ++i) {
    variables.emplace_back(fmt::format("--fig-{}", i), theme.series[i]);
  }
  return variables;
}

std::string style_of(const Theme& theme) {
  std::string style;
  for (const auto& [name, colour] : variables_of(theme)) {
    style += fmt::format("{}: {}; ", name, colour);
  }
  return style;
}

/// "rgb(  0, 114, 178)" or "#0072B2" as "#0072b2"; other values as they are.
std::string plain_colour(std::string_view value) {
  std::string out;
  if (!value.starts_with("rgb(")) {
    for (const char c : value)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  }
  out = "#";
  value = value.substr(4, value.size() - 5);
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    const auto part = parse_number(trimmed(value.substr(0, end)));
    out += fmt::format("{:02x}", static_cast<unsigned>(part.value_or(0)) & 0xFFU);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return out;
}

/// Rewrites the drawing tag by tag.
class PageSvg {
 public:
  PageSvg(std::string_view svg, std::string prefix) : reader_(svg), prefix_(std::move(prefix)) {
    for (const auto& [name, colour] : variables_of(theme_of(FigureTheme::kLight))) {
      colours_.emplace_back(std::string(colour), "var(" + name + ")");
    }
  }

  std::string rewritten(const std::string& title) {
    while (const auto piece = reader_.next()) {
      out_ += piece->text;
      if (piece->tag) write_tag(*piece->tag);
    }
    return fmt::format(
        "<svg viewBox=\"{}\" role=\"img\" aria-label=\"{}\" fill=\"none\" color=\"black\" "
        "stroke=\"currentColor\" stroke-width=\"1\" font-family=\"sans-serif\" "
        "font-size=\"15\">\n{}</svg>\n",
        view_box_, escaped_html(printable(title)), out_);
  }

 private:
  void write_tag(const SvgTag& tag) {
    if (tag.name == "svg") view_box_ = std::string(tag.value("viewBox"));
    if (tag.name == "svg" || tag.name == "/svg") return;
    if (tag.name == "rect" && !background_gone_) {
      background_gone_ = true;  // The page's own shows through.
      return;
    }
    out_ += "<" + tag.name;
    for (const SvgAttribute& attribute : tag.attributes) write_attribute(attribute);
    out_ += tag.empty ? "/>" : ">";
    if (tag.name == "/g") out_ += "\n";
  }

  void write_attribute(const SvgAttribute& attribute) {
    const std::string& name = attribute.name;
    if (name == "id") {
      out_ += fmt::format(" id=\"{}{}\"", prefix_, attribute.value);
    } else if (name == "xlink:href") {
      out_ += fmt::format(" href=\"#{}{}\"", prefix_, attribute.value.substr(1));
    } else {
      out_ += fmt::format(" {}=\"{}\"", name, value_of(attribute));
    }
  }

  std::string value_of(const SvgAttribute& attribute) const {
    const std::string& name = attribute.name;
    if (name != "fill" && name != "stroke" && name != "color") return attribute.value;
    const std::string colour = plain_colour(attribute.value);
    for (const auto& [known, variable] : colours_) {
      if (colour == known) return variable;
    }
    return attribute.value;
  }

  SvgReader reader_;
  std::string prefix_;
  std::vector<std::pair<std::string, std::string>> colours_;
  std::string out_;
  std::string view_box_;
  bool background_gone_ = false;
};

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

std::string figure_style() {
  const std::string light = style_of(theme_of(FigureTheme::kLight));
  return fmt::format(
      ":root {{ {} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {} }} }}\n"
      "@media print {{ :root {{ {} }} }}\n",
      light, style_of(theme_of(FigureTheme::kDark)), light);
}

std::string page_svg(std::string_view svg, const std::string& prefix, const std::string& title) {
  return PageSvg(svg, prefix).rewritten(title);
}

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
