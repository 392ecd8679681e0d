// Histories in every format: one row per kept fit of each group, and below tables for people
// whether each group changed.

#include "scalelaw/render/history_report.hpp"

#include <fmt/format.h>

#include <limits>

#include "render/result_writer.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_point(JsonText& json, const HistoryPoint& point) {
  json.open('{');
  json.key("label").text(point.label);
  json.key("kept_at").text(point.kept_at);
  json.key("estimate").number(point.estimate);
  json.key("se").number(point.se);
  write_interval(json.key("ci"), point.ci);
  json.key("dof").number(point.dof);
  json.close('}');
}

void write_change(JsonText& json, const HistoryReport& report, const GroupHistory& group) {
  if (!group.change) return json.null();
  const ChangePoint& change = *group.change;
  const HistoryPoint& point = group.points[change.first_after];
  json.open('{');
  json.key("changed").boolean(has_changed(group, report.confidence));
  json.key("label").text(point.label);
  json.key("kept_at").text(point.kept_at);
  json.key("before").number(change.before);
  json.key("after").number(change.after);
  json.key("change").number(change.change);
  json.key("statistic").number(change.statistic);
  json.key("p").number(change.p);
  json.key("p_holm").number(change.p_holm);
  json.close('}');
}

// Columns.

struct HistoryRow {
  const GroupHistory& group;
  const HistoryPoint& point;
  std::size_t index;
};

/// Adds a column of the change, which is the same in every row of a group.
template <class T>
auto of_change(T ChangePoint::*member) {
  return [member](const HistoryRow& row) -> std::optional<double> {
    if (!row.group.change) return std::nullopt;
    return (*row.group.change).*member;
  };
}

Sheet<HistoryRow> history_sheet(const HistoryReport& report) {
  Sheet<HistoryRow> sheet(report.by);
  sheet.add("label", [](const HistoryRow& row) { return std::string_view(row.point.label); });
  sheet.add("kept_at", [](const HistoryRow& row) { return std::string_view(row.point.kept_at); })
      .titled("kept at");
  sheet.show("label", "label");
  sheet.add("estimate", [](const HistoryRow& row) { return row.point.estimate; })
      .seen_as(
          [](const HistoryRow& row) { return rounded(row.point.estimate, row.point.se).estimate; })
      .titled(report.parameter);
  sheet.add("se", [](const HistoryRow& row) { return row.point.se; })
      .seen_as([](const HistoryRow& row) {
        return row.point.se ? rounded(row.point.estimate, row.point.se).se : "-";
      })
      .titled("SE");
  sheet.interval("ci", [](const HistoryRow& row) { return row.point.ci; })
      .seen_as([](const HistoryRow& row) { return interval_text(row.point.ci, row.point.se); });
  sheet.show("ci", "interval");
  sheet.add("dof", [](const HistoryRow& row) { return row.point.dof; });
  sheet.add("new_level", [](const HistoryRow& row) {
    const auto& change = row.group.change;
    return change ? std::optional(row.index >= change->first_after) : std::nullopt;
  });
  sheet.add("p", of_change(&ChangePoint::p)).as(p_value());
  sheet.add("p_holm", of_change(&ChangePoint::p_holm)).as(p_value());
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

std::string change_sentence(const HistoryReport& report, const GroupHistory& group) {
  const std::string name = series_name(report, group);
  if (!group.change) {
    return fmt::format(
        "{}: no test of a change: it takes three fits of different runs with standard errors",
        name);
  }
  const ChangePoint& change = *group.change;
  const HistoryPoint& point = group.points[change.first_after];
  const std::string levels =
      fmt::format("{} before, {} after", with_significant_digits(change.before, 4),
                  with_significant_digits(change.after, 4));
  if (has_changed(group, report.confidence)) {
    return fmt::format("{}: {} changed with '{}' of {}: {} (p {} after Holm)", name,
                       report.parameter, point.label, point.kept_at, levels,
                       adjusted_p_text(change));
  }
  return fmt::format("{}: no change shown (p {} after Holm; the likeliest place is '{}' of {}: {})",
                     name, adjusted_p_text(change), point.label, point.kept_at, levels);
}

class HistoryDescription final : public Description<GroupHistory, HistoryRow> {
 public:
  explicit HistoryDescription(const HistoryReport& report) : report_(report) {}

  const std::vector<std::string>& by() const override { return report_.by; }
  std::string_view noun() const override { return "history"; }

  void write_head(JsonHead& head) const override {
    const auto strings = [&head](const char* name, const std::vector<std::string>& texts) {
      JsonText json = head.member(name);
      write_strings(json, texts);
    };
    head.member("schema").text("scalelaw.history/1");
    head.member("version").text(kVersion);
    head.member("store").text(report_.store);
    head.member("x").text(report_.x);
    head.member("y").text(report_.y);
    strings("by", report_.by);
    head.member("law").text(report_.law);
    head.member("parameter").text(report_.parameter);
    strings("labels", report_.labels);
    head.member("confidence").number(report_.confidence);
    head.member("draws").count(std::uint64_t{report_.options.draws});
    head.member("seed").count(report_.options.seed);
    strings("warnings", report_.warnings);
  }
  std::string_view list() const override { return "groups"; }
  bool lists_failures() const override { return false; }
  void write_members(JsonText& json, const GroupHistory& group) const override {
    json.key("label").text(group.label);
    write_each(json.key("points"), group.points,
               [&json](const HistoryPoint& point) { write_point(json, point); });
    write_change(json.key("change_point"), report_, group);
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
  void explain(std::vector<std::string>& lines, const GroupKey&,
               const GroupHistory& group) override {
    lines.push_back(change_sentence(report_, group));
  }
  std::size_t most_explained() const override { return std::numeric_limits<std::size_t>::max(); }

 private:
  const HistoryReport& report_;
};

}  // namespace

std::string series_name(const HistoryReport& report, const GroupHistory& group) {
  const std::string name = group_name(report.by, group.group);
  return report.labels.size() > 1 ? fmt::format("{} ('{}')", name, group.label) : name;
}

void write_history(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                   const TableStyle& style, const TextSink& sink) {
  const auto writer = make_result_writer<GroupHistory, HistoryRow>(
      std::make_unique<HistoryDescription>(report), style, sink);
  for (const GroupHistory& group : groups) writer->write({group.group, group});
  writer->finish();
}

}  // namespace scalelaw
