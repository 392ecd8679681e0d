// Histories in every format: one row per kept fit of each group, and below tables for people
// whether each group changed.

#include "scalelaw/render/history_report.hpp"

#include <fmt/format.h>

#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_point(JsonText& json, const HistoryPoint& point) {
  json.key("label").text(point.label);
  json.key("kept_at").text(point.kept_at);
  write_numbers(json, {{"estimate", point.estimate}, {"se", point.se}});
  write_interval(json.key("ci"), point.ci);
  json.key("dof").number(point.dof);
}

void write_change(JsonText& json, const HistoryReport& report, const GroupHistory& group) {
  const ChangePoint& change = *group.change;
  const HistoryPoint& point = group.points[change.first_after];
  json.key("changed").boolean(has_changed(group, report.confidence));
  json.key("label").text(point.label);
  json.key("kept_at").text(point.kept_at);
  write_numbers(json, {{"before", change.before}, {"after", change.after}});
  write_numbers(json, {{"change", change.change}, {"night_sd", change.night_sd}});
  write_numbers(json, {{"statistic", change.statistic}});
  write_numbers(json, {{"p", change.p}, {"p_holm", change.p_holm}});
}

// Columns.

struct HistoryRow {
  const GroupHistory& group;
  const HistoryPoint& point;
  std::size_t index;
};

Sheet<HistoryRow> history_sheet(const HistoryReport& report) {
  Sheet<HistoryRow> sheet(report.by);
  const auto point = sheet.part([](const HistoryRow& row) { return &row.point; });
  point.add("label", &HistoryPoint::label);
  point.add("kept_at", &HistoryPoint::kept_at).titled("kept at");
  sheet.show("label", "label");
  point.add("estimate", &HistoryPoint::estimate)
      .seen_as(
          [](const HistoryRow& row) { return rounded(row.point.estimate, row.point.se).estimate; })
      .titled(report.parameter);
  point.add("se", &HistoryPoint::se)
      .seen_as([](const HistoryRow& row) {
        return row.point.se ? rounded(row.point.estimate, row.point.se).se : "-";
      })
      .detail()
      .titled("± SE");
  point.interval("ci", &HistoryPoint::ci)
      .seen_as([](const HistoryRow& row) { return interval_text(row.point.ci, row.point.se); })
      .titled(report.level ? fmt::format("{:.6g} % interval", 100 * *report.level) : "interval");
  point.add("dof", &HistoryPoint::dof);
  sheet.add("new_level", [](const HistoryRow& row) {
    const auto& change = row.group.change;
    return change ? std::optional(row.index >= change->first_after) : std::nullopt;
  });
  const auto change =
      sheet.part([](const HistoryRow& row) { return pointer_to(row.group.change); });
  change.add("p", &ChangePoint::p).as(p_value());
  change.add("p_holm", &ChangePoint::p_holm).as(p_value());
  change.add("night_sd", &ChangePoint::night_sd);
  const double confidence = report.confidence;
  sheet
      .for_people("change",
                  [confidence](const HistoryRow& row) {
                    const bool here = has_changed(row.group, confidence) &&
                                      row.index == row.group.change->first_after;
                    return here ? "new level" : "";
                  })
      .toned(Tone::kWarning)
      .titled("change");
  return sheet;
}

/// The p value after Holm's adjustment, as it follows "p".
std::string adjusted_p_text(const ChangePoint& change) {
  const auto bound = bound_of_p_holm(change);
  return bound ? fmt::format("< {:.2g}", *bound) : p_relation(*change.p_holm);
}

/// With fewer, the scatter between nights is hardly known (docs/explanation/coverage.md, "Nights").
constexpr std::size_t kFewFits = 6;

/// Whether the parameter changed in the series, and when.
std::string change_sentence(const HistoryReport& report, const GroupHistory& group) {
  if (!group.change) {
    return fmt::format(
        "Whether {} changed cannot be tested: that takes three fits of different runs with "
        "standard "
        "errors",
        report.parameter);
  }
  const ChangePoint& change = *group.change;
  const HistoryPoint& point = group.points[change.first_after];
  std::string levels = fmt::format("{} before, {} after", with_significant_digits(change.before, 4),
                                   with_significant_digits(change.after, 4));
  if (change.night_sd > 0) {
    levels += fmt::format(", sd {} between nights", with_significant_digits(change.night_sd, 2));
  }
  if (has_changed(group, report.confidence)) {
    return fmt::format("{} changed with '{}' of {}: {} (p {} after Holm)", report.parameter,
                       point.label, point.kept_at, levels, adjusted_p_text(change));
  }
  std::string text = fmt::format(
      "No change of {} is shown (p {} after Holm; the likeliest place is '{}' of {}: {})",
      report.parameter, adjusted_p_text(change), point.label, point.kept_at, levels);
  if (group.points.size() < kFewFits) {
    text += fmt::format("; with {} fits only a large one would show", group.points.size());
  }
  return text;
}

class HistoryDescription final : public Description<HistoryReport, GroupHistory, HistoryRow> {
 public:
  explicit HistoryDescription(const HistoryReport& report)
      : Description(report, {.noun = "history",
                             .schema = "scalelaw.history/1",
                             .list = "groups",
                             .lists_failures = false}) {}

  void write_head(JsonText& head) const override {
    head.member("store").text(report_.store);
    head.member("x").text(report_.x);
    head.member("y").text(report_.y);
    write_strings(head.member("by"), report_.by);
    head.member("law").text(report_.law);
    head.member("parameter").text(report_.parameter);
    write_strings(head.member("labels"), report_.labels);
    head.member("confidence").number(report_.confidence);
    head.member("draws").count(std::uint64_t{report_.options.draws});
    head.member("seed").count(report_.options.seed);
    write_strings(head.member("warnings"), report_.warnings);
  }
  void write_members(JsonText& json, const GroupHistory& group) const override {
    json.key("label").text(group.label);
    write_objects(json.key("points"), group.points, write_point);
    write_object(json.key("change_point"), group.change,
                 [&](const ChangePoint&) { write_change(json, report_, group); });
  }

  Sheet<HistoryRow> sheet(Format) const override { return history_sheet(report_); }
  void add_rows(SheetWriter& rows, const GroupKey& group,
                const GroupHistory& history) const override {
    rows.begin_part();
    for (std::size_t i = 0; i < history.points.size(); ++i) {
      rows.add(group, HistoryRow{history, history.points[i], i});
    }
  }

  std::string caption() const override {
    return fmt::format("{} of the {} law of {} over {}, as kept in {}", report_.parameter,
                       report_.law, report_.y, report_.x, report_.store);
  }
  std::vector<std::string> answer() const override {
    std::vector<std::string> sentences;
    if (series_.size() == 1) {
      sentences.push_back(series_.front().second + ".");
    } else {
      sentences.push_back(fmt::format("{} changed in {} of {} series.", report_.parameter,
                                      changed_ == 0 ? "none" : fmt::to_string(changed_),
                                      series_.size()));
    }
    if (report_.parameter == "beta") {
      sentences.push_back(fmt::format(
          "beta tells how {} scales, and not how large it is: --parameter alpha follows that.",
          measured_noun(report_.y, Response::kTime)));
    }
    return sentences;
  }

  void take_note_of(const GroupKey&, const GroupHistory& group) override {
    series_.emplace_back(series_name(report_, group), change_sentence(report_, group));
    changed_ += has_changed(group, report_.confidence) ? 1 : 0;
  }

  void close(Notes& lines) const override {
    if (series_.size() == 1) return;
    for (const auto& [name, sentence] : series_) lines.add(fmt::format("{}: {}.", name, sentence));
  }

 private:
  std::vector<std::pair<std::string, std::string>> series_;  ///< Their names and verdicts.
  std::size_t changed_ = 0;
};

}  // namespace

std::string series_name(const HistoryReport& report, const GroupHistory& group) {
  const std::string name = group_name(report.by, group.group);
  return report.labels.size() > 1 ? fmt::format("{} ('{}')", name, group.label) : name;
}

void write_history(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                   const TableStyle& style, const TextSink& sink) {
  const auto writer = make_result_writer(HistoryDescription(report), style, sink);
  for (const GroupHistory& group : groups) writer->write({group.group, group});
  writer->finish();
}

}  // namespace scalelaw
