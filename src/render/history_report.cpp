// Histories in every format: one row per kept fit of each group, and below tables for people
// whether each group changed.

#include "scalelaw/render/history_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/ranges.hpp"
#include "render/json_document.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_history_point(JsonText& json, const HistoryPoint& point) {
  json << Members{{"label", point.label}, {"kept_at", point.kept_at}, {"estimate", point.estimate},
                  {"se", point.se},       {"ci", point.ci},           {"dof", point.dof}};
}

/// Writes the change of a figure of a group that the points follow.
void write_change(JsonText& json, const HistoryReport& report,
                  const std::vector<HistoryPoint>& points,
                  const std::optional<ChangePoint>& found) {
  if (!found) return json.null();
  const ChangePoint& change = *found;
  const HistoryPoint& point = points[change.first_after];
  json.open('{');
  json.key("changed").boolean(is_shown(found, report.confidence));
  if (change.without_apart) json.key("without_nights_apart").boolean(true);
  json << Members{{"label", point.label},    {"kept_at", point.kept_at},
                  {"before", change.before}, {"after", change.after},
                  {"change", change.change}, {"night_sd", change.night_sd}};
  json << Members{{"statistic", change.statistic}, {"p", change.p}, {"p_holm", change.p_holm}};
  json.close('}');
}

void write_curve(JsonText& json, const HistoryReport& report, const CurveHistory& curve) {
  json.key("x").number(curve.points.empty() ? std::nullopt : std::optional(curve.x));
  write_objects(json.key("points"), curve.points, write_history_point);
  write_change(json.key("change_point"), report, curve.points, curve.change);
}

void write_night_apart(JsonText& json, const HistoryReport& report, const NightApart& night) {
  json << Members{{"night", night.night}, {"kept_at", night.name}};
  write_group(json.key("group"), report.by, night.group);
  json << Members{{"groups", night.groups}, {"change", night.change}, {"p_holm", night.p}};
}

// Columns.

struct HistoryRow {
  const GroupHistory& group;
  const HistoryPoint& point;
  std::size_t index;

  /// The point of the curve; null if it is not followed.
  const HistoryPoint* curve() const {
    return group.curve.points.empty() ? nullptr : &group.curve.points[index];
  }
};

constexpr int kHistoryDigits = 4;  ///< Of a curve.

/// Adds the columns of the curve.
void add_curve(Sheet<HistoryRow>& sheet) {
  sheet.add("curve_x", [](const HistoryRow& row) {
    return row.curve() != nullptr ? std::optional(row.group.curve.x) : std::nullopt;
  });
  const auto curve = sheet.part(&HistoryRow::curve);
  curve.add("curve", &HistoryPoint::estimate).as(significant(kHistoryDigits));
  curve.add("curve_se", &HistoryPoint::se);
  curve.interval("curve_ci", &HistoryPoint::ci).as(significant(kHistoryDigits));
  sheet.add("curve_new_level", [](const HistoryRow& row) {
    const auto& change = row.group.curve.change;
    return change ? std::optional(row.index >= change->first_after) : std::nullopt;
  });
  const auto change = sheet.part([](const HistoryRow& row) { return &row.group.curve; })
                          .part(&CurveHistory::change);
  change.add("curve_p", &ChangePoint::p).as(p_value());
  change.add("curve_p_holm", &ChangePoint::p_holm).as(p_value());
  change.add("curve_night_sd", &ChangePoint::night_sd);
}

/// What changed in the row, or that its night stands apart, in words; else empty.
std::string news_of(const HistoryRow& row, const HistoryReport& report) {
  const bool is_apart = any_of(report.nights_apart, [&row](const NightApart& night) {
    return night.name == row.point.kept_at;
  });
  if (is_apart) return "stands apart";
  const auto is_here = [&](const std::optional<ChangePoint>& change) {
    return is_shown(change, report.confidence) && row.index == change->first_after;
  };
  const bool is_new_curve = is_here(row.group.curve.change);
  if (!is_here(row.group.change)) return is_new_curve ? "new level of " + report.y : "";
  return is_new_curve ? fmt::format("new level of {} and {}", report.parameter, report.y)
                      : "new level";
}

Sheet<HistoryRow> history_sheet(const HistoryReport& report) {
  Sheet<HistoryRow> sheet(report.by);
  const std::string interval =
      report.level ? fmt::format("{:.6g} % interval", 100 * *report.level) : "interval";
  const auto point = sheet.part([](const HistoryRow& row) { return &row.point; });
  point.add("label", &HistoryPoint::label).key();
  point.add("kept_at", &HistoryPoint::kept_at).key().titled("kept at");
  if (report.labels.size() > 1) sheet.show("label", "label");
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
      .titled(interval);
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
  if (report.follows_curve) {
    add_curve(sheet);
    sheet.show("curve", report.y + " at the middle");
    sheet.show("curve_ci", interval);
  }
  sheet.for_people("change", [report](const HistoryRow& row) { return news_of(row, report); })
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

/// "0.9019 before, 0.6943 after, sd 0.02 between nights" of a parameter, or "107 s before, 116 s
/// after (+8.4 %), sd 1.2 % between nights" of the curve.
std::string levels_text(const ChangePoint& change, bool is_curve, std::string_view unit) {
  const auto level = [unit](double value) {
    return fmt::format("{}{}{}", with_significant_digits(value, 4), unit.empty() ? "" : " ", unit);
  };
  std::string text = fmt::format("{} before, {} after", level(change.before), level(change.after));
  if (is_curve) text += fmt::format(" ({:+.1f} %)", 100 * (change.after / change.before - 1));
  if (!(change.night_sd > 0)) return text;
  return text + (is_curve ? fmt::format(", sd {} % between nights",
                                        with_significant_digits(100 * change.night_sd, 2))
                          : fmt::format(", sd {} between nights",
                                        with_significant_digits(change.night_sd, 2)));
}

std::string names_of(const std::vector<NightApart>& nights) {
  return joined_texts(nights, ", ", [](const NightApart& night) { return night.night; });
}

/// Whether a figure of the series changed, and when.
/// @param levels  What it was before and after.
std::string change_sentence(const HistoryReport& report, const std::string& figure,
                            const std::vector<HistoryPoint>& points,
                            const std::optional<ChangePoint>& change, const std::string& levels) {
  const HistoryPoint& point = points[change->first_after];
  if (is_shown(change, report.confidence)) {
    const std::string without =
        change->without_apart ? ", without " + names_of(report.nights_apart) : "";
    return fmt::format("{} changed with '{}' of {}: {} (p {} after Holm{})", figure, point.label,
                       point.kept_at, levels, adjusted_p_text(*change), without);
  }
  std::string text = fmt::format(
      "No change of {} is shown (p {} after Holm; the likeliest place is '{}' of {}: {})", figure,
      adjusted_p_text(*change), point.label, point.kept_at, levels);
  if (points.size() < kFewFits) {
    text += fmt::format("; with {} fits only a large one would show", points.size());
  }
  return text;
}

std::string parameter_sentence(const HistoryReport& report, const GroupHistory& group) {
  if (!group.change) {
    return fmt::format(
        "Whether {} changed cannot be tested: that takes three fits of different runs with "
        "standard errors",
        report.parameter);
  }
  return change_sentence(report, report.parameter, group.points, group.change,
                         levels_text(*group.change, false, ""));
}

/// "The time of an epoch at the middle (14 GPUs)".
std::string curve_name(const HistoryReport& report, const CurveHistory& curve) {
  return fmt::format("{} at {}", measured_noun(report.y, Response::kTime),
                     middle_of_scale(report.x, curve.x));
}

/// On the curve; empty if it has no test.
std::string curve_sentence(const HistoryReport& report, const GroupHistory& group) {
  const CurveHistory& curve = group.curve;
  if (!curve.change) return "";
  return change_sentence(report, curve_name(report, curve), curve.points, curve.change,
                         levels_text(*curve.change, true, column_label(report.y).unit));
}

/// "'nightly' of 2026-06-15T00:00:00Z (step_ms of ViT +39 %)".
std::string size_of(const HistoryReport& report, const NightApart& night) {
  const std::string group = night.group.empty() ? "" : " of " + joined(night.group);
  return report.follows_curve
             ? fmt::format("{} ({}{} {:+.2g} %)", night.night, report.y, group,
                           100 * std::expm1(night.change))
             : fmt::format("{} ({}{} {:+.2g})", night.night, report.parameter, group, night.change);
}

/// "the time of ..." begins a sentence; the name of a column stays as it is.
std::string as_sentence(std::string text) {
  if (text.starts_with("the ")) text.front() = 'T';
  return text;
}

std::string series_count(std::size_t changed) {
  return changed == 0 ? "none" : fmt::to_string(changed);
}

/// What tells a series from the others: its group, and its label where there are several.
std::string series_name(const HistoryReport& report, const GroupHistory& group) {
  const std::string name = group_name(report.by, group.group);
  return report.labels.size() > 1 ? fmt::format("{} ('{}')", name, group.label) : name;
}

class HistoryDescription final : public Description<HistoryReport, GroupHistory, HistoryRow> {
 public:
  explicit HistoryDescription(const HistoryReport& report)
      : Description(report, {.noun = "history",
                             .schema = "scalelaw.history/1",
                             .list = "groups",
                             .lists_failures = false}) {}

  void write_head(JsonText& head) const override {
    const ChangeOptions& options = report_.options;
    head << HeadMembers{{"store", report_.store},   {"x", report_.x},
                        {"y", report_.y},           {"by", report_.by},
                        {"law", report_.law},       {"parameter", report_.parameter},
                        {"labels", report_.labels}, {"confidence", report_.confidence},
                        {"draws", options.draws},   {"seed", options.seed}};
    if (!report_.nights_apart.empty()) {
      write_objects(head.member("nights_apart"), report_.nights_apart,
                    [this](JsonText& json, const NightApart& night) {
                      write_night_apart(json, report_, night);
                    });
    }
    write_strings(head.member("warnings"), report_.warnings);
  }
  void write_members(JsonText& json, const GroupHistory& group) const override {
    json.key("label").text(group.label);
    write_objects(json.key("points"), group.points, write_history_point);
    write_change(json.key("change_point"), report_, group.points, group.change);
    if (!report_.follows_curve) return;
    write_object(json.key("curve"), group.curve,
                 [&](const CurveHistory& curve) { write_curve(json, report_, curve); });
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
                                      series_count(changed_), series_.size()));
      if (curves_ > 0) {
        sentences.push_back(as_sentence(fmt::format(
            "{} at the middle of the scales changed in {} of {}.",
            measured_noun(report_.y, Response::kTime), series_count(changed_curves_), curves_)));
      }
    }
    if (report_.parameter == "beta" && !report_.follows_curve) {
      const std::string noun = measured_noun(report_.y, Response::kTime);
      sentences.push_back(fmt::format(
          "beta tells how {0} scales, and not how large it is: without --parameter history follows "
          "{0}, too.",
          noun));
    }
    return sentences;
  }

  void take_note_of(const GroupKey&, const GroupHistory& group) override {
    std::string text = parameter_sentence(report_, group);
    if (const std::string curve = curve_sentence(report_, group); !curve.empty()) {
      text += ". " + as_sentence(curve);
    }
    series_.emplace_back(series_name(report_, group), std::move(text));
    changed_ += has_changed(group, report_.confidence) ? 1 : 0;
    curves_ += group.curve.change ? 1 : 0;
    changed_curves_ += is_shown(group.curve.change, report_.confidence) ? 1 : 0;
  }

  void close(Notes& lines) const override {
    if (series_.size() == 1) return;
    for (const auto& [name, sentence] : series_) lines.add(fmt::format("{}: {}.", name, sentence));
  }

 private:
  std::vector<std::pair<std::string, std::string>> series_;  ///< Their names and verdicts.
  std::size_t changed_ = 0;
  std::size_t curves_ = 0;  ///< Whose change was tested.
  std::size_t changed_curves_ = 0;
};

}  // namespace

std::string warning_of_nights_apart(const HistoryReport& report,
                                    const std::vector<GroupHistory>& groups) {
  const std::vector<NightApart>& nights = report.nights_apart;
  if (nights.empty()) return "";
  const bool one = nights.size() == 1;
  const bool counts = !any_of(groups, [](const GroupHistory& group) {
    return (group.change && group.change->without_apart) ||
           (group.curve.change && group.curve.change->without_apart);
  });
  return fmt::format(
      "night-apart: {} {} apart from the other nights, so that nights seem to differ more than "
      "they do{}. Look at what happened then; {} {} out",
      joined_texts(nights, ", ",
                   [&report](const NightApart& night) { return size_of(report, night); }),
      one ? "stands" : "stand",
      counts
          ? ""
          : fmt::format("; with {} no change is shown that is shown without", one ? "it" : "them"),
      joined_texts(nights, " ",
                   [](const NightApart& night) { return "--without-night " + night.name; }),
      one ? "leaves it" : "leave them");
}

void write_history(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                   const TableStyle& style, const TextSink& sink) {
  const auto writer = make_result_writer(HistoryDescription(report), style, sink);
  for (const GroupHistory& group : groups) writer->write({group.group, group});
  writer->finish();
}

}  // namespace scalelaw
