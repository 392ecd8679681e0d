// Comparisons of settings as a table for people: a row a setting, its means over N, and below what
// each group's numbers mean.

#include <fmt/format.h>

#include <algorithm>

#include "render/caps_writers.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kGroupsExplained = 20;
constexpr std::size_t kCurvesExplained = 3;
constexpr std::size_t kSettingsShown = 12;  ///< Of a fine sweep; the curves tell the rest.
constexpr std::string_view kUndefined = "-";

std::vector<TableColumn> columns_of(const CapsReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.study.by) columns.push_back({.header = name});
  const std::string interval = fmt::format("{:.6g} % interval", 100 * report.options.confidence);
  columns.push_back({.header = report.setting, .align = Align::kRight});
  if (!report.study.x.empty()) {
    columns.push_back({.header = report.study.x + " averaged", .align = Align::kRight});
  }
  for (const std::string& header :
       {std::string("runs"), std::string("speed"), interval, std::string("energy"), interval}) {
    columns.push_back({.header = header, .align = Align::kRight});
  }
  columns.push_back({.header = "notes"});
  return columns;
}

std::string interval_text(const std::optional<Interval>& ci) {
  if (!ci) return std::string(kUndefined);
  return fmt::format("{:.3f} .. {:.3f}", ci->lower, ci->upper);
}

std::string notes_of(const SettingComparison& comparison, const RelativeSetting& setting) {
  if (!setting.in_choice) return "other N only";
  if (setting.setting == comparison.recommended.setting) return "recommended";
  return setting.setting == comparison.least_energy ? "least energy" : "";
}

std::vector<std::string> cells_of(const CapsReport& report, const GroupKey& group,
                                  const SettingComparison& comparison,
                                  const RelativeSetting& setting) {
  std::vector<std::string> cells = group;
  cells.push_back(setting.setting);
  if (!report.study.x.empty()) cells.push_back(std::to_string(setting.scales));
  cells.push_back(std::to_string(setting.n));
  cells.push_back(fmt::format("{:.3f}", setting.speed.ratio));
  cells.push_back(interval_text(setting.speed.ci));
  cells.push_back(fmt::format("{:.3f}", setting.energy.ratio));
  cells.push_back(interval_text(setting.energy.ci));
  cells.push_back(notes_of(comparison, setting));
  return cells;
}

/// "trend of ln time ratio over ln gpus: 100: -0.031 ± 0.004; ...".
std::string trends_text(const CapsReport& report, const Caps& caps) {
  std::string text;
  for (const SettingTrend& trend : caps.trends) {
    const RoundedEstimate slope = rounded(trend.time.estimate, trend.time.se);
    text += text.empty() ? "" : "; ";
    text += fmt::format("{}: {}{}{}", trend.setting, slope.estimate,
                        slope.se.empty() ? "" : " ± " + slope.se,
                        trend.time.p ? fmt::format(" (p {})", p_relation(*trend.time.p)) : "");
  }
  if (text.empty()) return text;
  return fmt::format(
      "slowdown with more {0} (slope of ln time ratio over ln {0}; below 0: it "
      "shrinks): {1}",
      report.study.x, text);
}

/// Collects rows and notes, then writes.
class CapsTable {
 public:
  explicit CapsTable(const CapsReport& report) : report_(report), table_(columns_of(report)) {}

  void add(const GroupKey& group, const Caps& caps) {
    table_.begin_part();
    add_rows(group, caps.overall);
    if (caps.scales.size() > 1 && !example_) example_ = caps.scales.front().x;
    if (++explained_ > kGroupsExplained) return;
    const std::string against =
        report_.options.reference.empty()
            ? fmt::format(", against {} {}", report_.setting, caps.reference)
            : "";
    notes_.push_back(fmt::format("{}{}: {}", group_name(report_.study.by, group), against,
                                 caps_sentence(report_, caps)));
    if (const std::string choice = caps_choice_sentence(report_, caps); !choice.empty()) {
      notes_.push_back("  " + choice);
    }
    if (const std::string trends = trends_text(report_, caps); !trends.empty()) {
      notes_.push_back("  " + trends);
    }
    add_curves(caps.curves);
    if (!caps.without_reference.empty()) {
      notes_.push_back(fmt::format("  {} of {} not compared: no runs at the reference there",
                                   caps.without_reference.size(), report_.study.x));
    }
  }

  void add(const GroupKey& group, const NoFit& failure) {
    failures_.add(report_.study.by, group, failure);
  }

  void write(Format format, bool colour, const TextSink& sink) {
    write_noted_table(table_, caption(), lines(), format, colour, sink);
  }

 private:
  void add_curves(std::span<const SettingCurves> curves) {
    for (std::size_t i = 0; i < std::min(curves.size(), kCurvesExplained); ++i) {
      notes_.push_back("  curve: " + curve_sentence(report_, curves[i]));
    }
    if (curves.size() <= kCurvesExplained) return;
    notes_.push_back(fmt::format("  {} more curves at other {}; --format csv has them all",
                                 curves.size() - kCurvesExplained, report_.study.x));
  }

  void add_rows(const GroupKey& group, const SettingComparison& comparison) {
    const std::size_t count = comparison.settings.size();
    const std::size_t step = (count + kSettingsShown - 1) / kSettingsShown;
    thinned_ = thinned_ || step > 1;
    for (std::size_t i = 0; i < count; ++i) {
      const RelativeSetting& setting = comparison.settings[i];
      if (i % step != 0 && notes_of(comparison, setting).empty()) continue;
      table_.add_row(cells_of(report_, group, comparison, setting));
    }
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    if (const std::string all = caps_summary_sentence(report_); !all.empty()) {
      lines.push_back(all);
      const auto& settings = report_.summary.settings;
      for (std::size_t i = 0; i < settings.size() && settings.size() <= kSettingsShown; ++i) {
        lines.push_back("  " + caps_setting_sentence(report_, settings[i]));
      }
    }
    lines.insert(lines.end(), notes_.begin(), notes_.end());
    if (explained_ > kGroupsExplained) {
      lines.push_back(fmt::format("{} more groups; --format csv and json have them all",
                                  explained_ - kGroupsExplained));
    }
    if (example_) {
      lines.push_back(
          fmt::format("means over {0}, each value alike; --format csv has every one, "
                      "--where {0}={1} picks one",
                      report_.study.x, scale_text(*example_)));
    }
    if (thinned_) lines.emplace_back("some settings only; --format csv has every one");
    failures_.append_to(lines);
    return lines;
  }

  std::string caption() const {
    const std::string reference =
        report_.options.reference.empty()
            ? "each group's greatest " + report_.setting
            : fmt::format("{} {}", report_.setting, report_.options.reference);
    return fmt::format(
        "speed and energy relative to {}; at most {:.6g} % more time; time: {}, "
        "energy: {}",
        reference, 100 * report_.options.max_slowdown, report_.study.y,
        report_.energy.empty() ? report_.power + " x time" : report_.energy);
  }

  const CapsReport& report_;
  TextTable table_;
  std::vector<std::string> notes_;
  FailedGroups failures_{"comparison"};
  std::size_t explained_ = 0;
  std::optional<double> example_;  ///< One of the N that were averaged.
  bool thinned_ = false;
};

}  // namespace

void write_caps_table(const CapsReport& report, std::span<const GroupCaps> groups, Format format,
                      bool colour, const TextSink& sink) {
  CapsTable table(report);
  for (const GroupCaps& group : groups) {
    std::visit([&](const auto& result) { table.add(group.group, result); }, group.result);
  }
  table.write(format, colour, sink);
}

}  // namespace scalelaw
