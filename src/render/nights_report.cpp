// The levels of a table of nights in every format: one row per level of each figure.

#include "scalelaw/render/nights_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/gate_parts.hpp"
#include "render/json_document.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

struct LevelRow {
  const GateReport& report;
  const FigureHistory& history;
  const FigureLevel& level;

  bool is_of_response() const { return history.comparison.is_of_response(); }
  /// As people know it: of a response not its logarithm.
  GateEstimate mean() const { return history.comparison.shown(level.mean); }
};

/// "+8.7 %", "-0.012".
std::string change_text(const LevelRow& row, double change) {
  return row.is_of_response() ? fmt::format("{:+.1f} %", 100 * std::expm1(change))
                              : fmt::format("{:+.3f}", change);
}

std::string change_of(const LevelRow& row) {
  return row.level.change ? change_text(row, row.level.change->estimate) : "";
}

std::string interval_of(const LevelRow& row) {
  if (!row.level.change || !row.level.change->reach) return "";
  const Interval ci = *row.level.change->ci();
  return fmt::format("{} .. {}", change_text(row, ci.lower), change_text(row, ci.upper));
}

/// "step_ms at 32 GPUs", also where it is the mean of runs there.
std::string name_of(const GateReport& report, const FigureHistory& history) {
  GateComparison figure = history.comparison;
  if (figure.is_of_response()) figure.figure = "curve";
  return figure_name(report, history.group, figure);
}

Sheet<LevelRow> level_sheet(const GateReport& report) {
  Sheet<LevelRow> sheet(report.by);
  const auto level = sheet.part([](const LevelRow& row) { return &row.level; });
  const auto change = sheet.part([](const LevelRow& row) { return row.level.change.get(); });
  sheet.add("y", [](const LevelRow& row) { return row.history.group.y; });
  sheet.add("figure", [](const LevelRow& row) { return row.history.comparison.figure; });
  sheet.add("x", [](const LevelRow& row) { return row.history.comparison.x; });
  sheet.for_people("compared", [](const LevelRow& row) { return name_of(row.report, row.history); })
      .key()
      .titled("figure");
  level.add("since", &FigureLevel::since).key().titled("since");
  level.add("nights", &FigureLevel::nights).titled("nights");
  sheet.add("mean", [](const LevelRow& row) { return row.mean().estimate; })
      .as(significant(4))
      .titled("level");
  sheet.add("mean_se", [](const LevelRow& row) { return row.mean().se; });
  change.add("change", &GateChange::estimate).seen_as(change_of).titled("change");
  change.add("se", &GateChange::se);
  change.add("dof", &GateChange::dof);
  change.interval("ci", &GateChange::ci)
      .seen_as(interval_of)
      .titled(percent_text(report.options.confidence) + " interval");
  level.add("p", &FigureLevel::p);
  sheet.add("night_sd", [](const LevelRow& row) { return row.history.night_sd; });
  sheet.add("correlation", [](const LevelRow& row) { return row.history.correlation; });
  return sheet;
}

void write_level(JsonText& json, const GateReport& /*report*/, const FigureHistory& history,
                 const FigureLevel& level) {
  const GateEstimate mean = history.comparison.shown(level.mean);
  json << Members{{"since", level.since}, {"nights", level.nights}};
  json << Members{{"mean", mean.estimate}, {"se", mean.se}};
  if (!level.change) return json.key("change").null();
  json << Members{{"change", level.change->estimate},
                  {"change_se", level.change->se},
                  {"change_ci", level.change->ci()},
                  {"p", level.p}};
}

void write_night(JsonText& json, const FigureHistory& history, const FigureNight& night) {
  const bool is_log = history.comparison.is_of_response();
  json << Members{{"night", night.night}, {"value", is_log ? std::exp(night.value) : night.value}};
  json.key("apart").boolean(night.apart);
}

/// Whether changes to one side that are each within the limit add up: a drift.
bool drifts(const FigureHistory& history) {
  constexpr std::size_t kFewest = 3;
  if (history.levels.size() < kFewest) return false;
  const double total = history.levels.back().mean.estimate - history.levels.front().mean.estimate;
  return std::all_of(history.levels.begin() + 1, history.levels.end(), [&](const auto& level) {
    const double change = level.change->estimate;
    return (change > 0) == (total > 0) && std::abs(change) < history.comparison.limit;
  });
}

class NightsDescription final : public Description<GateReport, FigureHistory, LevelRow> {
 public:
  explicit NightsDescription(const GateReport& report)
      : Description(report, {.noun = "history",
                             .schema = "scalelaw.nights/1",
                             .list = "figures",
                             .lists_failures = false}) {}

  void write_head(JsonText& head) const override {
    head << HeadMembers{{"table", report_.base}, {"x", or_null(report_.x)}, {"y", report_.y}};
    head << HeadMembers{{"by", report_.by}, {"confidence", report_.options.confidence}};
    write_strings(head.member("warnings"), report_.warnings);
  }
  void write_members(JsonText& json, const FigureHistory& history) const override {
    json << Members{{"y", history.group.y}, {"figure", history.comparison.figure}};
    json << Members{{"x", history.comparison.x}, {"night_sd", history.night_sd}};
    json << Members{{"correlation", history.correlation}};
    json.key("changed").boolean(history.is_shown);
    json.key("drifts").boolean(history.is_shown && drifts(history));
    write_objects(json.key("levels"), history.levels, [&](JsonText& one, const FigureLevel& level) {
      write_level(one, report_, history, level);
    });
    write_objects(json.key("nights"), history.nights, [&](JsonText& one, const FigureNight& night) {
      write_night(one, history, night);
    });
  }

  Sheet<LevelRow> sheet(Format) const override { return level_sheet(report_); }
  void add_rows(SheetWriter& rows, const GroupKey& group,
                const FigureHistory& history) const override {
    rows.begin_part();
    for (const FigureLevel& level : history.levels) {
      rows.add(group, LevelRow{report_, history, level});
    }
  }

  std::string caption() const override {
    return fmt::format("Levels of {} in {}: nights between two changes", joined(report_.y, ", "),
                       report_.base);
  }
  std::vector<std::string> answer() const override {
    if (sentences_.size() == 1) return {sentences_.front().second + "."};
    return {fmt::format("{} of {} changed over the nights of {}.", changed_,
                        counted(sentences_.size(), "figure"), report_.base)};
  }
  void take_note_of(const GroupKey& group, const FigureHistory& history) override {
    sentences_.emplace_back(group_name(report_.by, group), level_sentence(report_, history));
    changed_ += history.is_shown ? 1 : 0;
  }
  void close(Notes& lines) const override {
    if (sentences_.size() > 1) {
      for (const auto& [group, sentence] : sentences_) {
        lines.add(report_.by.empty() ? sentence + "." : fmt::format("{}: {}.", group, sentence));
      }
    }
    for (const std::string& warning : report_.warnings) lines.add(warning);
  }

 private:
  std::vector<std::pair<std::string, std::string>> sentences_;
  std::size_t changed_ = 0;
};

}  // namespace

std::string level_sentence(const GateReport& report, const FigureHistory& history) {
  const std::string name = name_of(report, history);
  const std::size_t changes = history.levels.size() - 1;
  const LevelRow last{report, history, history.levels.back()};
  if (changes == 0 || !history.is_shown) {
    return fmt::format("{}: no change is shown in {}", name,
                       counted(history.nights.size(), "night"));
  }
  if (drifts(history)) {
    const double total = history.levels.back().mean.estimate - history.levels.front().mean.estimate;
    return fmt::format("{} drifts: {} in {}, by {} small changes", name, change_text(last, total),
                       counted(history.nights.size(), "night"), changes);
  }
  return fmt::format("{} changed {}{}: {} since {} ({}: {})", name,
                     changes == 1 ? "once" : fmt::format("{} times", changes),
                     changes == 1 ? "" : ", last", change_of(last), last.level.since,
                     percent_text(report.options.confidence), interval_of(last));
}

void write_nights(const GateReport& report, const std::vector<FigureHistory>& figures,
                  const TableStyle& style, const TextSink& sink) {
  const auto writer = make_result_writer(NightsDescription(report), style, sink);
  for (const FigureHistory& history : figures) {
    writer->write({history.group.group, history});
  }
  writer->finish();
}

}  // namespace scalelaw
