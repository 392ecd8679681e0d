#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "documents/json_parts.hpp"
#include "render/buffered_text.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/group_writer.hpp"
#include "scalelaw/render/sheet.hpp"

namespace scalelaw {

/// Describes the groups of a command, once for all formats.
template <class T, class Row>
class Description {
 public:
  virtual ~Description() = default;

  virtual const std::vector<std::string>& by() const = 0;
  /// The noun in "no NOUN for GROUP".
  virtual std::string_view noun() const = 0;

  /// JSON: the members of the document before the list of groups, the name of that list, and the
  /// members of one group after its key.
  virtual void write_head(JsonHead& head) const = 0;
  virtual std::string_view list() const = 0;
  virtual void write_members(JsonText& json, const T& result) const = 0;
  /// JSON: whether the document lists the groups without a result.
  virtual bool lists_failures() const { return true; }
  /// JSON: members of the document between the list of groups and that of failed groups.
  virtual void write_tail(BufferedText&) const {}

  /// CSV and tables: the columns, and the rows of one group.
  virtual Sheet<Row> sheet(Format format) const = 0;
  virtual void add_rows(SheetWriter& rows, const GroupKey& group, const T& result) const = 0;
  /// CSV: rows after those of the groups.
  virtual void add_closing_rows(SheetWriter&) const {}

  /// Tables for people: the caption, the lines before and after those that explain groups, the
  /// lines of one group, and a line (or nothing) that counts the groups that are not explained.
  virtual std::string caption() const = 0;
  virtual std::vector<std::string> opening() const { return {}; }
  virtual void explain(std::vector<std::string>& lines, const GroupKey& group, const T& result) = 0;
  virtual std::size_t most_explained() const { return 20; }
  virtual std::string not_explained(std::size_t groups) const {
    return fmt::format("{} more groups; --format csv and json explain them all", groups);
  }
  virtual std::vector<std::string> closing() const { return {}; }
  /// Sees every group, explained or not, before its rows are written.
  virtual void take_note_of(const GroupKey&, const T&) {}
};

/// Writes the groups of one description as a JSON document.
template <class T, class Row>
class JsonResultWriter final : public GroupWriter<T> {
 public:
  JsonResultWriter(std::unique_ptr<Description<T, Row>> description, bool lines, TextSink sink)
      : description_(std::move(description)), lines_(lines), out_(std::move(sink)) {
    if (lines_) return;
    JsonHead head(out_.text());
    description_->write_head(head);
    out_.text().append(",\n \"").append(description_->list()).append("\": [");
  }

  void write(const Grouped<T>& group) override {
    const NoFit* const failure = std::get_if<NoFit>(&group.result);
    // Failed groups wait, because their list follows the other one.
    std::string& out = failure != nullptr && !lines_ ? failed_ : out_.text();
    if (!lines_) out += (failure != nullptr ? any_failed_ : any_) ? ",\n  " : "\n  ";
    (failure != nullptr ? any_failed_ : any_) = true;
    JsonText json(out);
    if (failure != nullptr) {
      write_failure(json, description_->by(), group.group, *failure);
    } else {
      json.open('{');
      write_group(json.key("group"), description_->by(), group.group);
      description_->write_members(json, std::get<T>(group.result));
      json.close('}');
    }
    if (lines_) out += '\n';
    out_.pass_on_if_full();
  }

  void finish() override {
    if (!lines_) {
      out_.text() += any_ ? "\n ]" : "]";
      description_->write_tail(out_);
      if (description_->lists_failures()) {
        out_.text().append(",\n \"failed\": [").append(failed_);
        out_.text() += any_failed_ ? "\n ]" : "]";
      }
      out_.text() += "}\n";
    }
    out_.pass_on();
  }

 private:
  std::unique_ptr<Description<T, Row>> description_;
  bool lines_;
  BufferedText out_;
  std::string failed_;
  bool any_ = false;
  bool any_failed_ = false;
};

/// Writes the groups of one description as CSV or TSV, or as a table for people with lines that
/// explain it.
template <class T, class Row>
class SheetResultWriter final : public GroupWriter<T> {
 public:
  SheetResultWriter(std::unique_ptr<Description<T, Row>> description, const TableStyle& style,
                    TextSink sink)
      : description_(std::move(description)),
        for_people_(is_for_people(style.format)),
        rows_(description_->sheet(style.format), style, std::move(sink)),
        failures_(description_->noun()) {}

  Figures figures() const override { return for_people_ ? Figures::kAll : rows_.figures(); }

  void write(const Grouped<T>& group) override {
    if (const NoFit* const failure = std::get_if<NoFit>(&group.result)) {
      rows_.add(group.group, *failure);
      if (for_people_) failures_.add(description_->by(), group.group, *failure);
      return;
    }
    const T& result = std::get<T>(group.result);
    description_->take_note_of(group.group, result);
    description_->add_rows(rows_, group.group, result);
    if (!for_people_ || ++groups_ > description_->most_explained()) return;
    description_->explain(lines_, group.group, result);
  }

  void finish() override {
    if (!for_people_) {
      description_->add_closing_rows(rows_);
      return rows_.finish("", {});
    }
    std::vector<std::string> lines = description_->opening();
    lines.insert(lines.end(), lines_.begin(), lines_.end());
    const std::size_t most = description_->most_explained();
    if (groups_ > most) {
      std::string rest = description_->not_explained(groups_ - most);
      if (!rest.empty()) lines.push_back(std::move(rest));
    }
    for (std::string& line : description_->closing()) lines.push_back(std::move(line));
    failures_.append_to(lines);
    rows_.finish(description_->caption(), lines);
  }

 private:
  std::unique_ptr<Description<T, Row>> description_;
  bool for_people_;
  SheetWriter rows_;
  FailedGroups failures_;
  std::vector<std::string> lines_;
  std::size_t groups_ = 0;
};

/// A writer of the description in the format of `style`.
/// @throws DataError if `style` names a column that the sheet does not have.
template <class T, class Row>
std::unique_ptr<GroupWriter<T>> make_result_writer(std::unique_ptr<Description<T, Row>> description,
                                                   const TableStyle& style, TextSink sink) {
  if (style.format == Format::kJson || style.format == Format::kJsonl) {
    return std::make_unique<JsonResultWriter<T, Row>>(
        std::move(description), style.format == Format::kJsonl, std::move(sink));
  }
  return std::make_unique<SheetResultWriter<T, Row>>(std::move(description), style,
                                                     std::move(sink));
}

}  // namespace scalelaw
