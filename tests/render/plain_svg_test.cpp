#include "render/plain_svg.hpp"

#include <gmock/gmock.h>

namespace scalelaw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostileTitle = "</title><script>alert('x')</script> \"note 7\" \\";

Figure figure_with_note(const std::string& note) {
  FigureSeries series{.label = "a"};
  series.points = {.x = {1}, .y = {2}, .notes = {note}};
  FigurePanel panel;
  panel.series.push_back(series);
  Figure figure;
  figure.panels.push_back(panel);
  return figure;
}

// What gnuplot 5.4 writes, shortened.
constexpr std::string_view kSvg =
    "<?xml version=\"1.0\"?>\n<svg  onload=\"gnuplot_svg.Init(evt)\" \n viewBox=\"0 0 900 500\">\n"
    "<title>Gnuplot</title>\n<desc>made</desc>\n<script type=\"text/javascript\" > <![CDATA[\n"
    "if (1 < 2) alert('<g>');\n]]>\n</script>\n<!-- a comment -->\n"
    "<rect x=\"0\" y=\"0\" width=\"900\" height=\"500\" fill=\"#ffffff\" stroke=\"black\"/>\n"
    "<g id=\"gnuplot_canvas\" onclick=\"gnuplot_svg.toggle(evt)\">\n"
    "<defs><circle id='gpPt5' r='1'/><use xlink:href='#gpPt5' id='gpPt6'/></defs>\n"
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\">\n</g>\n"
    "<g id=\"gnuplot_plot_1\" ><title>gnuplot_plot_1</title>\n"
    "<path stroke='rgb(  0, 114, 178)'  d='M91.99,396.21 L567.19,9.876'/></g>\n"
    "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'note 0')\" onmouseout=\"x()\"><title> "
    "</title>\n"
    "<use xlink:href='#gpPt6' transform='translate(113.24,45.11) scale(5.62)' "
    "color='rgb(213,94,0)'/></g>\n"
    "<text>a &lt;b&gt;</text>\n</g>\n"
    "  <text id=\"coord_text\" visibility=\"hidden\"> </text>\n"
    "  <image xlink:href='data:image/png;base64,xyz' "
    "onclick='gnuplot_svg.toggleGrid();'/>\n</svg>\n";

TEST(PlainSvg, HasNeitherScriptNorHandler) {
  const std::string svg = plain_svg(kSvg, {"a <b> 'c'"});
  for (const char* gone : {"script", "onclick", "onmouse", "onload", "gnuplot", "coord_text",
                           "<image", "CDATA", "<desc"}) {
    EXPECT_THAT(svg, Not(HasSubstr(gone)));
  }
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 900 500\""));
  EXPECT_THAT(svg, HasSubstr("<use xlink:href=\"#gpPt5\" id=\"gpPt6\"/>"));
  EXPECT_THAT(svg, HasSubstr("<text>a &lt;b&gt;</text>"));
}

TEST(PlainSvg, NotesOfPointsAreTitlesAndCoordinatesShort) {
  const std::string svg = plain_svg(kSvg, {"a <b>"});
  EXPECT_THAT(svg, HasSubstr("<g class=\"point\"><title>a &lt;b&gt;</title><use"));
  EXPECT_THAT(svg, HasSubstr("d=\"M92,396.2 L567.2,9.876\""));
}

TEST(PlainSvg, NotesStayText) {
  const std::string svg = plain_svg(kSvg, {kHostileTitle});
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;"));
}

/// gnuplot 5.4's drawing of a label, cleaned.
std::string cleaned_label(const std::string& text) {
  const std::string svg = plain_svg("<svg viewBox=\"0 0 9 5\"><text>" + text + "</text></svg>", {});
  const std::size_t begin = svg.find("<text>");
  return svg.substr(begin, svg.rfind("\n</svg>") - begin);
}

TEST(PlainSvg, TextsReadAsGnuplotWasToldToWriteThem) {
  EXPECT_THAT(cleaned_label("]]>"), HasSubstr("<text>]]&gt;</text>"));
  EXPECT_THAT(cleaned_label("&#x1;"), HasSubstr("<text>&amp;#x1;</text>"));
  EXPECT_THAT(cleaned_label("&#x202e;gpj"), HasSubstr("<text>&amp;#x202e;gpj</text>"));
  EXPECT_THAT(cleaned_label("&amp;&#x"), HasSubstr("<text>&amp;&amp;#x</text>"));
  EXPECT_THAT(cleaned_label("&amp;amp;&amp;#1;"), HasSubstr("<text>&amp;amp;&amp;#1;</text>"));
  EXPECT_THAT(cleaned_label(" a "), HasSubstr("<text> a </text>"));
}

TEST(PlainSvg, BrokenDrawingsEndSomewhere) {
  for (std::size_t length = 0; length < kSvg.size(); length += 7) {
    const std::string svg = plain_svg(kSvg.substr(0, length), {"note"});
    EXPECT_TRUE(svg.starts_with("<?xml ") && svg.ends_with("</svg>\n"));
  }
}

TEST(NumberedNotes, NoTextOfTheStudyReachesTheScript) {
  const NumberedNotes numbered = numbered_notes(figure_with_note(kHostileTitle));
  EXPECT_EQ(numbered.figure.panels[0].series[0].points.notes[0], "note 0");
  EXPECT_EQ(numbered.notes, std::vector<std::string>{kHostileTitle});
}

}  // namespace
}  // namespace scalelaw
