// A report as one page.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assets.hpp"
#include "documents/json_text.hpp"
#include "render/report/packed.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kPageRows = 50;        // As in page.js.
constexpr std::size_t kMostRows = 200;       // More are paged.
constexpr std::size_t kLongText = 60;        // Columns with longer cells may break lines.
constexpr std::size_t kMostPlain = 1 << 18;  // Bytes of JSON; more are compressed.

std::string html(std::string_view text) { return escaped_html(printable(text)); }

/// A template with every {{name}} replaced; what is put in is not looked at again.
std::string filled(std::string_view page, const std::map<std::string, std::string>& values) {
  std::string out;
  while (true) {
    const std::size_t open = page.find("{{");
    const std::size_t close = page.find("}}", open == std::string_view::npos ? 0 : open);
    out += page.substr(0, open);
    if (open == std::string_view::npos || close == std::string_view::npos) return out;
    out += values.at(std::string(page.substr(open + 2, close - open - 2)));
    page.remove_prefix(close + 2);
  }
}

/// JSON inside an element <script>: nothing in it can end the element.
std::string for_script(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// Data of the page's script, as JSON. `more` are attributes, each with a blank before it.
std::string data_element(const std::string& id, const std::string& json,
                         const std::string& more = "") {
  const bool plain = json.size() <= kMostPlain;
  return fmt::format("<script type=\"application/{}\" id=\"{}\"{}>{}</script>\n",
                     plain ? "json" : "gzip", id, more,
                     plain ? for_script(json) : base64(gzip(json)));
}

/// The rows of a table by columns: their texts, and their numbers or null where there are none.
std::string columns_json(const ReportTable& table) {
  std::string text;
  JsonText json(text);
  json.open('[');
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    json.open('[');
    json.open('[');
    for (const auto& row : table.rows) json.text(printable(row[i].text));
    json.close(']');
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [i](const auto& row) { return row[i].number.has_value(); })) {
      json.open('[');
      for (const auto& row : table.rows) json.number(row[i].number);
      json.close(']');
    } else {
      json.null();
    }
    json.close(']');
  }
  json.close(']');
  return text;
}

/// How the cells of each column look.
std::vector<std::string> classes_of(const ReportTable& table) {
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t widest = 0;
    for (const auto& row : table.rows) widest = std::max(widest, row[i].text.size());
    const bool is_right = table.columns[i].align == Align::kRight;
    classes.emplace_back(is_right ? "right" : widest > kLongText ? "long" : "");
  }
  return classes;
}

class Page {
 public:
  std::string body(const ReportDocument& document) {
    for (const ReportSection& section : document.sections) {
      out_ += fmt::format(
          "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n",
          section.id, html(section.title));
      for (const ReportBlock& block : section.blocks) {
        std::visit([this](const auto& one) { write(one); }, block);
      }
      out_ += "</section>\n";
    }
    return std::move(out_);
  }

 private:
  void write(const ReportText& text) { out_ += fmt::format("<p>{}</p>\n", html(text.text)); }

  void write(const ReportList& list) {
    out_ += "<ul class=\"findings\">\n";
    for (const ReportList::Item& item : list.items) {
      out_ += "<li>";
      if (!item.lead.empty()) out_ += fmt::format("<strong>{}</strong> ", html(item.lead));
      out_ += html(item.text) + "</li>\n";
    }
    out_ += "</ul>\n";
  }

  void write(const ReportFigure& figure) {
    out_ += fmt::format("<figure id=\"{}\">\n", figure.id);
    if (figure.drawing.empty()) {
      out_ += fmt::format("<p class=\"missing\">Not drawn: {}.</p>\n", html(figure.problem));
    } else {
      out_ += fmt::format(
          "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}</div>\n",
          html(figure.title), figure.drawing);
    }
    out_ += fmt::format("<figcaption><strong>{}.</strong> {}</figcaption>\n</figure>\n",
                        html(figure.title), html(figure.figure.caption));
  }

  void write(const ReportWhatIf& panel) {
    out_ += std::string(kWhatIf) + data_element("what-if-data", panel.json);
  }

  void write(const ReportTable& table) {
    const std::vector<std::string> classes = classes_of(table);
    const bool paged = table.rows.size() > kMostRows;
    out_ += "<div class=\"table\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\"";
    out_ +=
        fmt::format(" aria-labelledby=\"{0}-caption\">\n<table id=\"{0}\" class=\"sortable\"{1}>\n",
                    table.id, table.sortable ? "" : " data-fixed=\"1\"");
    out_ += fmt::format("<caption id=\"{}-caption\">{}</caption>\n", table.id, html(table.caption));
    write_header(table, classes);
    out_ += "<tbody>\n";
    for (std::size_t i = 0; i < (paged ? kPageRows : table.rows.size()); ++i) {
      write_row(table.rows[i], classes);
    }
    out_ += "</tbody>\n</table>\n</div>\n";
    if (paged) {
      out_ += fmt::format(
          "<noscript><p>The first {} of {} rows: the others need JavaScript.</p></noscript>\n",
          kPageRows, table.rows.size());
      out_ += data_element(table.id + "-rows", columns_json(table),
                           fmt::format(" data-rows=\"{}\"", table.rows.size()));
    }
    out_ += "</div>\n";
  }

  void write_header(const ReportTable& table, const std::vector<std::string>& classes) {
    out_ += "<thead>\n";
    if (!table.spans.empty()) {
      out_ += "<tr class=\"spans\">";
      for (const auto& [text, columns] : table.spans) {
        out_ += text.empty() ? fmt::format("<td colspan=\"{}\"></td>", columns)
                             : fmt::format("<th colspan=\"{}\" scope=\"colgroup\">{}</th>", columns,
                                           html(text));
      }
      out_ += "</tr>\n";
    }
    out_ += "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& cells = classes[i];
      out_ +=
          fmt::format("<th scope=\"col\"{}{}>{}</th>", cells == "right" ? " class=\"right\"" : "",
                      cells.empty() ? "" : fmt::format(" data-cells=\"{}\"", cells),
                      html(table.columns[i].header));
    }
    out_ += "</tr>\n</thead>\n";
  }

  void write_row(const std::vector<ReportCell>& row, const std::vector<std::string>& classes) {
    out_ += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out_ += "<td";
      if (!classes[i].empty()) out_ += fmt::format(" class=\"{}\"", classes[i]);
      if (row[i].number) out_ += fmt::format(" data-v=\"{}\"", *row[i].number);
      out_ += fmt::format(">{}</td>", html(row[i].text));
    }
    out_ += "</tr>\n";
  }

  std::string out_;
};

std::string contents_of(const ReportDocument& document) {
  std::string out;
  for (const ReportSection& section : document.sections) {
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, html(section.title));
  }
  return out;
}

}  // namespace

std::string report_html(const ReportDocument& document) {
  return filled(kPage, {{"version", html(kVersion)},
                        {"title", html(document.title)},
                        {"subtitle", html(document.subtitle)},
                        {"style", figure_style() + std::string(kPageStyle)},
                        {"contents", contents_of(document)},
                        {"body", Page().body(document)},
                        {"script", std::string(kPageScript)}});
}

}  // namespace scalelaw
