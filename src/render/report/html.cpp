// A report as one page.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <new>

#include "assets.hpp"
#include "documents/json_parts.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kPageRows = 20;        // As in page.js; longer tables are paged.
constexpr std::size_t kMostOnPaper = 60;     // Rows of a table when the page is printed.
constexpr std::size_t kMostPlain = 1 << 13;  // Bytes of JSON; more are compressed.

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
  for (const char c : json) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
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
std::string columns_json(const TextTable& table) {
  std::vector<TextTable::Row> rows;
  table.for_each_row([&rows](const TextTable::Row& row, bool) { rows.push_back(row); });
  std::string text;
  JsonText json(text);
  json.open('[');
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    json.open('[');
    write_each(json, rows, [&](const TextTable::Row& row) { json.text(row[i].text); });
    if (std::ranges::any_of(rows,
                            [i](const TextTable::Row& row) { return row[i].number.has_value(); })) {
      write_each(json, rows, [&](const TextTable::Row& row) { json.number(row[i].number); });
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
  const std::vector<bool> is_long = long_columns(table.table);
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < is_long.size(); ++i) {
    const bool is_right = table.table.columns()[i].align == Align::kRight;
    classes.emplace_back(is_right ? "right" : is_long[i] ? "long" : "");
  }
  if (table.levels) classes[*table.levels] = "level";
  return classes;
}

/// The class of a cell; that of a level says which one it is.
std::string class_of_cell(const std::string& column, std::string_view text) {
  return column == "level" ? fmt::format("level {}", text.substr(0, text.find(':'))) : column;
}

/// What the cells of the first table are titled with where its headers have no room.
std::vector<std::string> card_titles(const ReportTable& table) {
  std::vector<std::string> titles;
  if (!table.levels) return titles;
  for (const TableColumn& column : table.table.columns()) titles.push_back(html(column.header));
  return titles;
}

/// Attributes of the headers and cells of a sortable table.
/// @param titles  Of cells; empty: they need none.
HtmlFrame frame_of(std::string opening, const std::vector<std::string>& classes,
                   const std::vector<std::string>& titles) {
  const auto header = [classes](std::size_t column) {
    const std::string& cells = classes[column];
    return fmt::format(" scope=\"col\"{}{}", cells == "right" ? " class=\"right\"" : "",
                       cells.empty() ? "" : fmt::format(" data-cells=\"{}\"", cells));
  };
  const auto cell = [classes, titles](std::size_t column, const TableCell& shown) {
    // On a phone the rows of such a table are cards, on which each value has its title.
    std::string attributes =
        titles.empty() || column == 0 ? "" : fmt::format(" data-title=\"{}\"", titles[column]);
    if (!classes[column].empty()) {
      attributes += fmt::format(" class=\"{}\"", class_of_cell(classes[column], shown.text));
    }
    if (shown.number) attributes += fmt::format(" data-v=\"{}\"", *shown.number);
    return attributes;
  };
  return {.opening = std::move(opening), .header = header, .cell = cell};
}

/// The rows of a paged table that stand on paper alone.
struct PaperRows {
  std::vector<std::size_t> rows;
  bool replaces = false;  ///< They stand in place of the first page, and not after it.
  std::string note = {};  ///< Which rows they are; empty: with the first page they are all.
};

PaperRows paper_rows(const ReportTable& table) {
  const std::size_t rows = table.table.size();
  PaperRows paper;
  if (rows > kMostOnPaper && !table.on_paper.empty()) {
    const std::size_t count = std::min(table.on_paper.size(), kMostOnPaper);
    paper = {.rows = {table.on_paper.begin(),
                      table.on_paper.begin() + static_cast<std::ptrdiff_t>(count)},
             .replaces = true,
             .note = fmt::format("{} of {} rows: {} groups and settings of the first table", count,
                                 rows, count < table.on_paper.size() ? "first" : "the")};
    return paper;
  }
  for (std::size_t i = kPageRows; i < std::min(rows, kMostOnPaper); ++i) paper.rows.push_back(i);
  if (rows > kMostOnPaper) paper.note = fmt::format("The first {} of {} rows", kMostOnPaper, rows);
  return paper;
}

/// A body of those rows, which the style sheet shows on paper alone.
std::string paper_body(const ReportTable& table, const PaperRows& paper) {
  const std::vector<std::string> classes = classes_of(table);
  std::vector<std::string> all;
  table.table.for_each_row([&](const TextTable::Row& row, bool) {
    std::string& line = all.emplace_back("<tr>");
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string kind = class_of_cell(classes[i], row[i].text);
      line += fmt::format("<td{}>{}</td>", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind),
                          escaped_html(row[i].text));
    }
    line += "</tr>\n";
  });
  std::string out = fmt::format("<tbody class=\"paper{}\">\n", paper.replaces ? " instead" : "");
  for (const std::size_t i : paper.rows) out += all[i];
  return out + "</tbody>\n";
}

/// The row above the headers.
std::string spans_row(const ReportTable& table) {
  if (table.spans.empty()) return "";
  std::string out = "<tr class=\"spans\">";
  for (const auto& [text, columns] : table.spans) {
    out += text.empty()
               ? fmt::format("<td colspan=\"{}\"></td>", columns)
               : fmt::format("<th colspan=\"{}\" scope=\"colgroup\">{}</th>", columns, html(text));
  }
  return out + "</tr>\n";
}

/// "2 tables, 1 figure".
std::string contents_text(const ReportSection& section) {
  std::size_t tables = 0;
  std::size_t figures = 0;
  for (const ReportBlock& block : section.blocks) {
    tables += std::holds_alternative<ReportTable>(block) ? 1 : 0;
    figures += std::holds_alternative<ReportFigure>(block) ? 1 : 0;
  }
  std::vector<std::string> parts;
  if (tables > 0) parts.push_back(counted(tables, "table"));
  if (figures > 0) parts.push_back(counted(figures, "figure"));
  return joined(parts, ", ");
}

/// The class of a figure by the width of its drawing: two narrow ones stand beside each other on
/// paper, and a wide one takes more of the page, so that its letters can be read.
std::string_view width_class(std::string_view drawing) {
  constexpr std::string_view kBox = "viewBox=\"0 0 ";
  constexpr double kNarrow = 800;  // Pixels; letters have 15.
  constexpr double kWide = 1300;
  const std::size_t place = drawing.find(kBox);
  if (place == std::string_view::npos) return "";
  const std::string_view box = drawing.substr(place + kBox.size());
  const double width = parse_number(box.substr(0, box.find(' '))).value_or(0);
  if (width <= kNarrow) return "";
  return width <= kWide ? " class=\"wide\"" : " class=\"widest\"";
}

class Page {
 public:
  std::string body(const ReportDocument& document) {
    for (const ReportSection& section : document.sections) {
      const std::string title =
          fmt::format("<h2 id=\"{0}-title\">{1}</h2>", section.id, html(section.title));
      out_ += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n", section.id);
      out_ += section.folded ? fmt::format("<details>\n<summary>{} <span>{}</span></summary>\n",
                                           title, contents_text(section))
                             : title + "\n";
      for (const ReportBlock& block : section.blocks) {
        std::visit([this](const auto& one) { write(one); }, block);
      }
      out_ += section.folded ? "</details>\n</section>\n" : "</section>\n";
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
    out_ += fmt::format("<figure id=\"{}\"{}>\n", figure.id, width_class(figure.drawing));
    if (figure.drawing.empty()) {
      out_ += fmt::format("<p class=\"missing\">Not drawn: {}.</p>\n", html(figure.problem));
    } else {
      out_ += fmt::format(
          "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n{}</div>\n",
          html(figure.title), figure.drawing);
    }
    const CaptionParts caption = caption_of(figure);
    out_ += fmt::format("<figcaption><strong>{}</strong>{}</figcaption>\n</figure>\n",
                        html(caption.lead), html(caption.rest));
  }

  void write(const ReportAnswer& answer) {
    write(answer.advice);
    out_ += "<ul class=\"key\">\n";
    for (const auto& [value, label] : answer.figures.items) {
      out_ += fmt::format("<li><strong>{}</strong> {}</li>\n", html(value), html(label));
    }
    out_ +=
        "</ul>\n<div id=\"ask\" hidden></div>\n<div class=\"answer\">\n<div>\n"
        "<div id=\"chart\" hidden></div>\n";
    write(answer.chart);
    out_ += "</div>\n";
    write(answer.table);
    out_ += "</div>\n";
  }

  void write(const ReportWhatIf& panel) {
    out_ += std::string(kWhatIf) + data_element("what-if-data", panel.json);
  }

  void write(const ReportTable& table) {
    const std::size_t rows = table.table.size();
    constexpr std::size_t kNarrow = 8;  // Columns.
    const bool paged = rows > kPageRows;
    // On paper, long tables of few columns stand in two columns of text.
    const bool is_narrow = paged && table.table.columns().size() <= kNarrow;
    out_ += fmt::format("<div class=\"table{}\">\n", is_narrow ? " narrow" : "");
    out_ += "<div class=\"scroll\" tabindex=\"0\" role=\"group\"";
    out_ += fmt::format(" aria-labelledby=\"{}-caption\">\n", table.id);
    const std::string opening = fmt::format(
        "<table id=\"{0}\" class=\"sortable{4}\"{1}>\n<caption id=\"{0}-caption\">{2}</caption>\n"
        "<thead>\n{3}",
        table.id, table.sortable ? "" : " data-fixed=\"1\"", html(table.caption), spans_row(table),
        table.levels ? " cards" : "");
    table.table.write_html([this](std::string_view piece) { out_ += piece; },
                           frame_of(opening, classes_of(table), card_titles(table)),
                           paged ? kPageRows : rows);
    const PaperRows paper = paged ? paper_rows(table) : PaperRows();
    if (paged) {
      constexpr std::string_view kEnd = "</table>\n";
      out_.insert(out_.size() - kEnd.size(), paper_body(table, paper));
    }
    out_ += "</div>\n";
    if (paged) {
      out_ += fmt::format(
          "<noscript><p>The first {0} of {1} rows: the others need JavaScript.</p></noscript>\n"
          "<p class=\"printed\">{2}</p>\n",
          kPageRows, rows,
          paper.note.empty() ? "" : paper.note + "; the HTML file has all of them.");
      out_ += data_element(table.id + "-rows", columns_json(table.table),
                           fmt::format(" data-rows=\"{}\"", rows));
    }
    out_ += "</div>\n";
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

std::string gzip(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemoryLevel = 9;
  z_stream zlib{};
  if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&zlib, static_cast<uLong>(bytes.size())), '\0');
  // zlib does not write to its input.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);  // There is room for everything.
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&bytes](std::size_t i) {
    return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const int shift : {18, 12, 6, 0}) out += kDigits[three >> shift & 63];
  }
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  return out.replace(out.size() - padding, padding, padding, '=');
}

namespace {

/// SHA-256 of figure_style().
constexpr std::string_view kFigureStyleSha256 =
    "9ad1997e4e7601f8f9f4a448d18a1b35df02a7a14f35b8af09a4986d33c57206";

/// A hash as a policy for the content of a page has it: 'sha256-...'.
std::string policy_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return fmt::format("'sha256-{}'", base64(bytes));
}

}  // namespace

std::string report_html(const ReportDocument& document) {
  return filled(
      kPage, {{"version", html(kVersion)},
              {"title", html(document.title)},
              {"subtitle", html(document.subtitle)},
              {"note", document.note.empty()
                           ? ""
                           : fmt::format("<p class=\"note\">{}</p>\n", html(document.note))},
              {"style_hashes", policy_of(kFigureStyleSha256) + ' ' + policy_of(kPageStyleSha256)},
              {"script_hash", policy_of(kPageScriptSha256)},
              {"figure_style", figure_style()},
              {"style", std::string(kPageStyle)},
              {"contents", contents_of(document)},
              {"body", Page().body(document)},
              {"script", std::string(kPageScript)}});
}

}  // namespace scalelaw
