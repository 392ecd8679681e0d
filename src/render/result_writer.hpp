#pragma once

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "render/buffered_text.hpp"
#include "render/json_document.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The words of a description, and what its formats leave out.
struct ResultTraits {
  std::string_view noun;       ///< In "no NOUN for GROUP".
  std::string_view schema;     ///< JSON: the schema of the document,
  std::string_view list;       ///< and the name of its list of groups.
  bool lists_failures = true;  ///< JSON: there is a list of the groups without a result.
  /// Tables for people: they say "N more groups; UNEXPLAINED" of groups that they do not explain.
  std::string_view unexplained = {};
  /// How many groups they explain: all, if nothing is said of the others.
  std::size_t most_explained =
      unexplained.empty() ? std::numeric_limits<std::size_t>::max() : std::size_t{20};
};

/// Describes the groups of a command, once for all formats. `Report` is what they have in common.
template <class Report, class T, class Row>
class Description {
 public:
  using Result = T;

  Description(Report report, ResultTraits traits) : report_(std::move(report)), traits_(traits) {}
  virtual ~Description() = default;

  const ResultTraits& traits() const { return traits_; }
  const std::vector<std::string>& by() const {
    if constexpr (requires { report_.study; }) {
      return report_.study.by;
    } else {
      return report_.by;
    }
  }

  /// JSON: the members between version and list of groups, and those of one group after its key.
  virtual void write_head(JsonText& head) const = 0;
  virtual void write_members(JsonText& json, const T& result) const = 0;

  /// CSV and tables: the columns, and the rows of one group.
  virtual Sheet<Row> sheet(Format format) const = 0;
  virtual void add_rows(SheetWriter& rows, const GroupKey& group, const T& result) const = 0;
  /// CSV: rows after those of the groups.
  virtual void add_closing_rows(SheetWriter&) const {}

  /// Tables for people: sentences that answer what was asked. Where there is one group they are
  /// those on it; else they are on all groups, and those on each one stand below the table.
  virtual std::vector<std::string> answer() const { return {}; }
  virtual std::vector<std::string> answer_on(const GroupKey&, const T&) const { return {}; }
  /// The caption, more lines of one group, and those before and after all groups. All but `explain`
  /// are asked for after the last group.
  virtual std::string caption() const { return ""; }
  virtual void explain(Notes&, const GroupKey&, const T&) {}
  virtual void open(Notes&) const {}
  virtual void close(Notes&) const {}
  /// Tables for people: sees every group, explained or not, before its rows are written.
  virtual void take_note_of(const GroupKey&, const T&) {}

 protected:
  Report report_;

 private:
  ResultTraits traits_;
};

/// Writes the groups of one description as a JSON document, or as JSON lines.
template <class D>
class JsonResultWriter final : public GroupWriter<typename D::Result> {
 public:
  JsonResultWriter(D description, bool lines, TextSink sink)
      : description_(std::move(description)), lines_(lines), out_(std::move(sink)) {
    if (lines_) return;
    JsonText head(out_.text());
    begin_document(head, description_.traits().schema);
    description_.write_head(head);
    head.member(description_.traits().list);
    out_.text() += '[';
  }

  void write(const Grouped<typename D::Result>& group) override {
    const NoFit* const failure = std::get_if<NoFit>(&group.result);
    // Failed groups wait, because their list follows the other one.
    std::string& out = failure != nullptr && !lines_ ? failed_ : out_.text();
    bool& any = failure != nullptr ? any_failed_ : any_;
    if (!lines_) out += any ? ",\n  " : "\n  ";
    any = true;
    JsonText json(out);
    json.open('{');
    write_group(json.key("group"), description_.by(), group.group);
    if (failure != nullptr) {
      write_reason(json, *failure);
    } else {
      description_.write_members(json, std::get<typename D::Result>(group.result));
    }
    json.close('}');
    if (lines_) out += '\n';
    out_.pass_on_if_full();
  }

  void finish() override {
    if (!lines_) {
      out_.text() += any_ ? "\n ]" : "]";
      if (description_.traits().lists_failures) {
        out_.text().append(",\n \"failed\": [").append(failed_);
        out_.text() += any_failed_ ? "\n ]" : "]";
      }
      out_.text() += "}\n";
    }
    out_.pass_on();
  }

 private:
  D description_;
  bool lines_;
  BufferedText out_;
  std::string failed_;
  bool any_ = false;
  bool any_failed_ = false;
};

/// Writes the groups of one description as CSV or TSV, or as a table for people with explanations.
template <class D>
class SheetResultWriter final : public GroupWriter<typename D::Result> {
 public:
  SheetResultWriter(D description, const TableStyle& style, TextSink sink)
      : description_(std::move(description)),
        for_people_(is_for_people(style.format)),
        rows_(description_.sheet(style.format), style, std::move(sink)),
        lines_(style.shows_details()),
        first_lines_(style.shows_details()),
        failures_(description_.traits().noun) {}

  Figures figures() const override { return for_people_ ? Figures::kAll : rows_.figures(); }

  void write(const Grouped<typename D::Result>& group) override {
    if (const NoFit* const failure = std::get_if<NoFit>(&group.result)) {
      rows_.add(group.group, *failure);
      if (for_people_) failures_.add(description_.by(), group.group, *failure);
      return;
    }
    const auto& result = std::get<typename D::Result>(group.result);
    if (for_people_) description_.take_note_of(group.group, result);
    description_.add_rows(rows_, group.group, result);
    if (!for_people_ || ++groups_ > description_.traits().most_explained) return;
    std::vector<std::string> answer = description_.answer_on(group.group, result);
    if (groups_ == 1) {
      first_group_ = group.group;
      first_answer_ = std::move(answer);
      return description_.explain(first_lines_, group.group, result);
    }
    if (groups_ == 2) add_first_group();
    add_answer(group.group, answer);
    description_.explain(lines_, group.group, result);
  }

  void finish() override {
    if (!for_people_) {
      description_.add_closing_rows(rows_);
      return rows_.finish();
    }
    Notes lines(lines_.with_details());
    description_.open(lines);
    lines.add(groups_ == 1 ? first_lines_.take() : lines_.take());
    const ResultTraits& traits = description_.traits();
    if (groups_ > traits.most_explained && !traits.unexplained.empty()) {
      lines.add(fmt::format("{}; {}", counted(groups_ - traits.most_explained, "more group"),
                            traits.unexplained));
    }
    description_.close(lines);
    failures_.append_to(lines);
    rows_.finish({.answer = answer(), .caption = description_.caption(), .lines = lines.take()});
  }

 private:
  std::vector<std::string> answer() const {
    if (groups_ == 0) return {failures_.answer()};
    if (groups_ > 1 || first_answer_.empty()) return description_.answer();
    std::vector<std::string> sentences = first_answer_;
    // Another group has no result, so that the answer must say whose it is.
    if (!failures_.empty()) {
      sentences.front().insert(0, group_name(description_.by(), first_group_) + ": ");
    }
    return sentences;
  }

  void add_answer(const GroupKey& group, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    lines_.add(fmt::format("{}: {}", group_name(description_.by(), group), joined(sentences, " ")));
  }

  void add_first_group() {
    add_answer(first_group_, first_answer_);
    lines_.add(first_lines_.take());
  }

  D description_;
  bool for_people_;
  SheetWriter rows_;
  Notes lines_;
  /// Of the first group, whose answer is that of the command if no other follows.
  Notes first_lines_;
  GroupKey first_group_;
  std::vector<std::string> first_answer_;
  FailedGroups failures_;
  std::size_t groups_ = 0;
};

/// A writer of the description in the format of `style`.
/// @throws DataError if `style` names a column that the sheet does not have.
template <class D>
std::unique_ptr<GroupWriter<typename D::Result>> make_result_writer(D description,
                                                                    const TableStyle& style,
                                                                    TextSink sink) {
  if (style.format == Format::kJson || style.format == Format::kJsonl) {
    description.sheet(Format::kCsv).refuse_unknown(style);
    return std::make_unique<JsonResultWriter<D>>(std::move(description),
                                                 style.format == Format::kJsonl, std::move(sink));
  }
  return std::make_unique<SheetResultWriter<D>>(std::move(description), style, std::move(sink));
}

/// Writes all groups of a description.
template <class D, class Groups>
void write_results(D description, const Groups& groups, const TableStyle& style,
                   const TextSink& sink) {
  write_groups(*make_result_writer(std::move(description), style, sink), groups);
}

}  // namespace scalelaw
