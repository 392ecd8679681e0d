// A report as GitHub's Markdown, with its figures beside it.

#include <fmt/format.h>

#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

std::string markdown(std::string_view text) { return escaped_markdown(printable(text)); }

class Markdown {
 public:
  explicit Markdown(std::string folder) : folder_(std::move(folder)) {}

  std::vector<ReportFile> written(const ReportDocument& document, const std::string& name) {
    out_ = fmt::format("# {}\n\n{}\n", markdown(document.title), markdown(document.subtitle));
    if (!document.note.empty()) out_ += fmt::format("\n**{}**\n", markdown(document.note));
    for (const ReportSection& section : document.sections) {
      const bool shown = section.blocks.size() != 1 ||
                         !std::holds_alternative<ReportWhatIf>(section.blocks.front());
      if (!shown) continue;
      out_ += fmt::format("\n## {}\n", markdown(section.title));
      for (const ReportBlock& block : section.blocks) {
        std::visit([this](const auto& one) { write(one); }, block);
      }
    }
    files_.insert(files_.begin(), {name + ".md", std::move(out_)});
    return std::move(files_);
  }

 private:
  void write(const ReportText& text) { out_ += "\n" + markdown(text.text) + "\n"; }

  void write(const ReportList& list) {
    out_ += "\n";
    for (const ReportList::Item& item : list.items) {
      out_ += "- ";
      if (!item.lead.empty()) out_ += fmt::format("**{}** ", markdown(item.lead));
      out_ += markdown(item.text) + "\n";
    }
  }

  void write(const ReportAnswer& answer) {
    write(answer.advice);
    write(answer.figures);
    write(answer.table);
    write(answer.chart);
  }

  void write(const ReportWhatIf&) {}

  void write(const ReportFigure& figure) {
    const std::string file = fmt::format("{}/{}.svg", folder_, figure.id);
    if (figure.drawing.empty()) {
      out_ += fmt::format("\n*Not drawn: {}.*\n", markdown(figure.problem));
    } else {
      out_ += fmt::format("\n![{}]({})\n", markdown(figure.title), file);
      files_.push_back({file, figure.drawing});
    }
    const CaptionParts caption = caption_of(figure);
    out_ += fmt::format("\n**{}**{}\n", markdown(caption.lead), markdown(caption.rest));
  }

  void write(const ReportTable& table) {
    out_ += fmt::format("\n{}\n\n", markdown(table.caption));
    table.table.write_markdown([this](std::string_view piece) { out_ += piece; }, kMostPrintedRows);
    if (table.table.size() > kMostPrintedRows) {
      out_ += fmt::format("\n{} more rows are in the HTML report.\n",
                          table.table.size() - kMostPrintedRows);
    }
  }

  std::string folder_;
  std::string out_;
  std::vector<ReportFile> files_;
};

}  // namespace

std::vector<ReportFile> report_markdown(const ReportDocument& document, const std::string& name) {
  return Markdown(name + "-figures").written(document, name);
}

}  // namespace scalelaw
