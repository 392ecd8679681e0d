// Comparisons of settings in every format: their JSON (schema scalelaw.caps/1), and rows of several
// parts. The column `part` tells what a row is: "overall" (a setting over all N), "scale" (at one
// N), "curve" (a point of the curves), "optimum" (where a criterion is least) or "summary" (a
// setting over all groups).

#include "scalelaw/render/caps_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/caps_words.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

template <bool kHasJoint>
void write_mean_ratio(JsonText& json, const RelativeMean& ratio) {
  json << Members{{"estimate", ratio.ratio}, {"ci", ratio.ci}};
  if (kHasJoint) write_interval(json.key("joint_ci"), ratio.joint_ci);
  write_numbers(json, {{"log_se", ratio.log_ratio.se}, {"dof", ratio.log_ratio.dof}});
}

void write_setting(JsonText& json, const RelativeSetting& setting) {
  json << Members{{"setting", setting.setting},         {"n", setting.n},
                  {"reference_n", setting.reference_n}, {"scales", setting.scales},
                  {"seconds", setting.seconds},         {"joules", setting.joules}};
  write_object(json.key("time_ratio"), setting.time, write_mean_ratio<true>);
  write_object(json.key("speed"), setting.speed, write_mean_ratio<true>);
  write_object(json.key("energy_ratio"), setting.energy, write_mean_ratio<true>);
  json << Members{{"evidence", setting.evidence}, {"in_choice", setting.in_choice}};
  json.key("within_bound").boolean(setting.within_bound);
}

void write_recommended(JsonText& json, const RecommendedSetting& recommended) {
  json << Members{{"setting", recommended.setting}, {"is_reference", recommended.is_reference}};
  json.key("by_interval").boolean(recommended.by_interval);
  json.key("saving_shown").boolean(recommended.saving_shown);
}

void write_caps_comparison(JsonText& json, const SettingComparison& comparison) {
  json << Members{
      {"x", comparison.x}, {"over", comparison.over}, {"reference_n", comparison.reference_n}};
  json.key("reference_seconds").number(comparison.reference_seconds);
  json.key("reference_joules").number(comparison.reference_joules);
  write_objects(json.key("settings"), comparison.settings, write_setting);
  json.key("least_energy").text(comparison.least_energy);
  write_object(json.key("recommended"), comparison.recommended, write_recommended);
}

void write_trend(JsonText& json, const SettingTrend& trend) {
  json << Members{{"setting", trend.setting}, {"scales", trend.scales}};
  write_estimate(json.key("time"), trend.time, true);
  write_estimate(json.key("energy"), trend.energy, true);
}

void write_caps_optimum(JsonText& json, const SettingOptimum& optimum) {
  const CurveMinimum& minimum = optimum.minimum;
  json.key("criterion").text(name_of(optimum.criterion));
  write_numbers(json, {{"eta", optimum.eta}, {"joules_per_second", optimum.trade}});
  json.key("setting").number(minimum.setting);
  json << Members{{"ci", minimum.ci}, {"at_edge", or_null(name_of(minimum.at_edge))}};
  write_numbers(json, {{"level", minimum.level}, {"time_ratio", optimum.time_ratio}});
  json.key("energy_ratio").number(optimum.energy_ratio);
}

void write_point(JsonText& json, const SettingCurves& curves, std::size_t i) {
  json.open('{');
  json << Members{{"setting", curves.time.at[i]},     {"n", curves.time.counts[i]},
                  {"seconds", curves.time.value[i]},  {"seconds_ci", curves.time.ci[i]},
                  {"joules", curves.energy.value[i]}, {"joules_ci", curves.energy.ci[i]}};
  json.key("joules_saved_per_second_lost").number(curves.joules_per_second[i]);
  json.close('}');
}

void write_curves(JsonText& json, const CapsReport& report, const SettingCurves& curves) {
  write_numbers(json, {{"x", curves.x}, {"time_sigma", curves.time.sigma}});
  json.key("energy_sigma").number(curves.energy.sigma);
  write_objects(json.key("optima"), curves.optima, write_caps_optimum);
  json.key("points").open('[');
  for (std::size_t i = 0; i < curves.time.at.size(); ++i) write_point(json, curves, i);
  json.close(']');
  json.key("sentence").text(curve_sentence(report, curves));
}

void write_setting_summary(JsonText& json, const SettingSummary& setting) {
  json.key("setting").text(setting.setting);
  json << Members{{"groups", setting.groups}, {"reference_in", setting.reference_in}};
  json.key("recommended_in").count(setting.recommended_in);
  write_object(json.key("time_ratio"), setting.time, write_mean_ratio<false>);
  write_object(json.key("energy_ratio"), setting.energy, write_mean_ratio<false>);
}

void write_caps_summary(JsonText& json, const CapsReport& report) {
  json.key("groups").count(report.summary.groups);
  write_object(json.key("advice"), report.summary.advice, write_advice);
  write_objects(json.key("settings"), report.summary.settings, write_setting_summary);
  json.key("sentence").text_or_null(caps_summary_sentence(report));
}

void write_shared(JsonText& head, const SharedScatter& shared) {
  head.member("pool").text(name_of(Pool::kScatter));
  write_object(head.member("pooled"), shared, [](JsonText& json, const SharedScatter& of) {
    write_object(json.key("time"), of.time, write_shared_sigma);
    write_object(json.key("energy"), of.energy, write_shared_sigma);
    json.key("sentence").text(caps_shared_sentence(of));
  });
}

// Columns.

/// A row is made from these. Pointers that its part does not need are null.
struct Part {
  std::string_view name;
  const SettingComparison* comparison = nullptr;
  const RelativeSetting* setting = nullptr;  ///< Null in the row of the reference.
  const std::string* reference = nullptr;    ///< Of a comparison.
  const SettingTrend* trend = nullptr;
  const SettingCurves* curves = nullptr;
  std::size_t point = 0;  ///< A place on the curves, if `optimum` is null.
  const SettingOptimum* optimum = nullptr;
  const SettingSummary* summary = nullptr;

  bool is_reference() const { return comparison != nullptr && setting == nullptr; }
  bool is_point() const { return curves != nullptr && optimum == nullptr; }
  const std::string& setting_name() const {
    return setting != nullptr ? setting->setting : *reference;
  }
  bool is_recommended() const {
    return comparison != nullptr && comparison->recommended.setting == setting_name();
  }
  /// Filled only in the row of the recommended setting.
  const RecommendedSetting* recommended() const {
    return is_recommended() ? &comparison->recommended : nullptr;
  }
  bool is_advised() const {
    return comparison != nullptr && comparison->advice.setting == setting_name();
  }
  /// Filled only in the row of the setting that is advised.
  const SettingAdvice* advised() const { return is_advised() ? &comparison->advice : nullptr; }
  /// The ratios of time and energy; null where the row has none.
  const RelativeMean* time() const {
    if (setting != nullptr) return &setting->time;
    return summary != nullptr ? pointer_to(summary->time) : nullptr;
  }
  const RelativeMean* energy() const {
    if (setting != nullptr) return &setting->energy;
    return summary != nullptr ? pointer_to(summary->energy) : nullptr;
  }
};
using CapsSheet = Sheet<Part>;

std::string setting_of(const Part& part) {
  if (part.comparison != nullptr) return part.setting_name();
  if (part.summary != nullptr) return part.summary->setting;
  if (part.optimum != nullptr) return exact_text(part.optimum->minimum.setting);
  return exact_text(part.curves->time.at[part.point]);
}

std::optional<std::uint64_t> n_of(const Part& part) {
  if (part.is_point()) return part.curves->time.counts[part.point];
  return part.setting != nullptr ? part.setting->n
                                 : member_of(part.comparison, &SettingComparison::reference_n);
}

/// A remark on the setting, for people.
std::string caps_notes(const Part& part) {
  if (part.comparison == nullptr || part.setting == nullptr) return "";
  if (!part.setting->in_choice) return "other N only";
  if (part.is_recommended()) {
    return part.comparison->recommended.is_shown() ? "recommended" : "undecided";
  }
  return part.comparison->least_energy == part.setting->setting ? "least energy" : "";
}

void add_ratios(CapsSheet& sheet) {
  const auto ratio = [&sheet](const std::string& name,
                              const RelativeMean* (Part::*ratio_of)() const,
                              std::optional<double> SettingOptimum::*at_optimum) {
    const auto value = [=](const Part& part) {
      return part.optimum != nullptr ? part.optimum->*at_optimum
                                     : member_of((part.*ratio_of)(), &RelativeMean::ratio);
    };
    sheet.add(name, value).as(decimals(3));
    sheet.part(ratio_of).interval(name + "_ci", &RelativeMean::ci).as(decimals(3));
  };
  ratio("time_ratio", &Part::time, &SettingOptimum::time_ratio);
  sheet.part(&Part::setting)
      .part(&RelativeSetting::speed)
      .bounded("speed", &RelativeMean::ratio, &RelativeMean::ci, decimals(3));
  ratio("energy_ratio", &Part::energy, &SettingOptimum::energy_ratio);
  sheet.part(&Part::setting)
      .part(&RelativeSetting::energy)
      .interval("energy_ratio_joint_ci", &RelativeMean::joint_ci)
      .as(decimals(3));
}

/// Adds whether a test holds for the setting of a comparison. Other rows have no value.
template <class Test>
void add_truth(CapsSheet& sheet, const char* name, Test test) {
  sheet.add(name, [test](const Part& part) {
    return part.comparison != nullptr ? std::optional<bool>(test(part)) : std::nullopt;
  });
}

/// Adds the mean time and energy, which may be those of a curve.
void add_means(CapsSheet& sheet) {
  const auto mean = [&sheet](const std::string& name,
                             std::optional<double> RelativeSetting::*of_setting,
                             std::optional<double> SettingComparison::*of_reference,
                             SmoothCurve SettingCurves::*of_curves) {
    sheet.add(name, [=](const Part& part) {
      if (part.is_point()) return std::optional((part.curves->*of_curves).value[part.point]);
      return part.setting != nullptr ? part.setting->*of_setting
                                     : member_of(part.comparison, of_reference);
    });
    sheet.interval(name + "_ci", [=](const Part& part) {
      return part.is_point() ? (part.curves->*of_curves).ci[part.point] : std::nullopt;
    });
  };
  mean("seconds", &RelativeSetting::seconds, &SettingComparison::reference_seconds,
       &SettingCurves::time);
  mean("joules", &RelativeSetting::joules, &SettingComparison::reference_joules,
       &SettingCurves::energy);
  sheet.add("joules_per_second", [](const Part& part) {
    if (part.is_point()) return part.curves->joules_per_second[part.point];
    return member_of(part.optimum, &SettingOptimum::trade);
  });
}

void add_trends(CapsSheet& sheet) {
  const auto trend = [&sheet](const std::string& name, Estimate SettingTrend::*slope) {
    sheet.part(&Part::trend).part(slope).bounded(name, &Estimate::estimate, &Estimate::ci);
  };
  trend("time_trend", &SettingTrend::time);
  trend("energy_trend", &SettingTrend::energy);
}

/// Adds the columns of settings, comparisons and curves.
void add_settings(CapsSheet& sheet) {
  const auto setting = sheet.part(&Part::setting);
  sheet.add("part", [](const Part& part) { return part.name; });
  sheet
      .add("x",
           [](const Part& part) {
             return part.curves != nullptr ? part.curves->x
                                           : member_of(part.comparison, &SettingComparison::x);
           })
      .as(scale_value());
  sheet.add("setting", setting_of).right().key();
  sheet.add("n", n_of);
  setting.add("reference_n", &RelativeSetting::reference_n);
  setting.add("scales", &RelativeSetting::scales);
  add_ratios(sheet);
  setting.add("evidence", &RelativeSetting::evidence);
  setting.add("within_bound", &RelativeSetting::within_bound);
  add_truth(sheet, "recommended", [](const Part& part) { return part.is_recommended(); });
  add_truth(sheet, "least_energy",
            [](const Part& part) { return part.comparison->least_energy == part.setting_name(); });
  add_means(sheet);
  add_trends(sheet);
}

void add_optima(CapsSheet& sheet) {
  const auto optimum = sheet.part(&Part::optimum);
  const auto minimum = optimum.part(&SettingOptimum::minimum);
  const auto summary = sheet.part(&Part::summary);
  const auto recommended = sheet.part(&Part::recommended);
  optimum.add("criterion", &SettingOptimum::criterion);
  minimum.interval("setting_ci", &CurveMinimum::ci);
  minimum.add("level", &CurveMinimum::level);
  minimum.add("at_edge", &CurveMinimum::at_edge);
  summary.add("groups", &SettingSummary::groups);
  summary.add("recommended_in", &SettingSummary::recommended_in);
  add_truth(sheet, "is_reference", [](const Part& part) { return part.is_reference(); });
  add_truth(sheet, "in_choice",
            [](const Part& part) { return part.is_reference() || part.setting->in_choice; });
  recommended.add("by_interval", &RecommendedSetting::by_interval);
  recommended.add("saving_shown", &RecommendedSetting::saving_shown);
  optimum.add("eta", &SettingOptimum::eta);
  summary.add("reference_in", &SettingSummary::reference_in);
  add_truth(sheet, "advised", [](const Part& part) { return part.is_advised(); });
  add_truth(sheet, "undecided", [](const Part& part) {
    return part.comparison->advice.undecided &&
           part.comparison->advice.rival == part.setting_name();
  });
  sheet.part(&Part::advised).add("doubt", &SettingAdvice::doubt);
  sheet.part(&Part::advised).add("trust", &SettingAdvice::trust);
}

/// Chooses the columns that people see, and their titles.
void show_columns(CapsSheet& sheet, const CapsReport& report) {
  const std::string interval = percent_text(report.options.confidence) + " interval";
  sheet.show("setting", report.setting);
  if (!report.study.x.empty()) sheet.show("scales", several_scales(report.study.x) + " averaged");
  sheet.show("n", "runs");
  sheet.show("speed", "speed");
  sheet.show("speed_ci", interval);
  if (report.has_energy()) {
    sheet.show("energy_ratio", "energy");
    sheet.show("energy_ratio_ci", interval);
  }
  sheet.for_people("notes", caps_notes).titled("notes");
}

class CapsDescription final : public Description<CapsReport, Caps, Part> {
 public:
  explicit CapsDescription(const CapsReport& report)
      : Description(report, {.noun = "comparison",
                             .schema = "scalelaw.caps/1",
                             .list = "caps",
                             .unexplained = "--format csv and json have them all"}) {}

  void write_head(JsonText& head) const override {
    const CapsOptions& options = report_.options;
    write_data(head, report_.study);
    head << HeadMembers{
        {"energy", or_null(report_.energy)},       {"power", or_null(report_.power)},
        {"total_power", report_.total_power},      {"work", or_null(report_.work)},
        {"run", or_null(report_.study.run)},       {"setting", or_null(report_.setting)},
        {"reference", or_null(options.reference)}, {"max_slowdown", options.max_slowdown},
        {"confidence", options.confidence}};
    head.member("continuous").boolean(options.continuous == Continuous::kYes);
    head << HeadMembers{{"trades", options.trades}, {"etas", options.etas}};
    head.member("max_power").number(options.max_power);
    head.member("max_power_from").text_or_null(report_.max_power_from);
    if (options.shared) write_shared(head, *options.shared);
    write_rows(head, report_.study);
    write_object(head.member("summary"), report_, write_caps_summary);
  }

  void write_members(JsonText& json, const Caps& caps) const override {
    json << Members{{"n", caps.n}, {"reference", caps.reference}};
    write_object(json.key("advice"), caps.overall.advice, write_advice);
    write_object(json.key("overall"), caps.overall, write_caps_comparison);
    write_objects(json.key("scales"), caps.scales, write_caps_comparison);
    write_list(json.key("without_reference"), caps.without_reference);
    write_objects(json.key("trends"), caps.trends, write_trend);
    write_objects(
        json.key("curves"), caps.curves,
        [this](JsonText& out, const SettingCurves& curves) { write_curves(out, report_, curves); });
    json.key("sweeps_without_curves").count(caps.too_fine);
    json.key("sentence").text(caps_sentence(report_, caps));
  }

  CapsSheet sheet(Format) const override {
    CapsSheet sheet(report_.study.by);
    sheet.add_status();
    add_settings(sheet);
    add_optima(sheet);
    sheet.add_failure();
    show_columns(sheet, report_);
    return sheet;
  }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Caps& caps) const override {
    rows.begin_part();
    if (rows.is_for_people()) return add_some(rows, group, caps);
    add_comparison(rows, group, {.name = "overall", .comparison = &caps.overall}, caps);
    for (const SettingComparison& comparison : caps.scales) {
      add_comparison(rows, group, {.name = "scale", .comparison = &comparison}, caps);
    }
    for (const SettingCurves& curves : caps.curves) add_curves(rows, group, curves);
  }

  void add_closing_rows(SheetWriter& rows) const override {
    const GroupKey none(report_.study.by.size());
    for (const SettingSummary& setting : report_.summary.settings) {
      rows.add(none, Part{.name = "summary", .summary = &setting});
    }
  }

  std::string caption() const override {
    const std::string work =
        report_.work.empty() ? "" : fmt::format(", per unit of '{}'", report_.work);
    const std::string reference =
        report_.options.reference.empty()
            ? "each group's greatest " + report_.setting
            : fmt::format("{} {}", report_.setting, report_.options.reference);
    if (!report_.has_energy()) {
      return fmt::format("Speed is relative to {}. Time: {}{}.", reference, report_.study.y, work);
    }
    return fmt::format(
        "Speed and energy are relative to {}. Recommended settings take at most {:.6g} % more "
        "time. "
        "Time: {}, energy: {}{}.",
        reference, 100 * report_.options.max_slowdown, report_.study.y,
        report_.energy.empty() ? report_.power + " x time" : report_.energy, work);
  }

  void take_note_of(const GroupKey&, const Caps& caps) override {
    if (caps.scales.size() > 1 && !example_) example_ = caps.scales.front().x;
    thinned_ = thinned_ || step_of(caps) > 1;
  }

  std::vector<std::string> answer() const override {
    const std::string all = caps_summary_sentence(report_);
    std::vector<std::string> sentences{all.empty() ? "No setting can be recommended for all groups."
                                                   : all + "."};
    if (const std::string one = caps_common_sentence(report_); !one.empty()) {
      sentences.push_back(one + ".");
    }
    return sentences;
  }

  std::vector<std::string> answer_on(const GroupKey&, const Caps& caps) const override {
    std::vector<std::string> sentences{caps_sentence(report_, caps) + "."};
    if (report_.options.reference.empty()) {
      sentences.push_back(
          fmt::format("The reference is {}.", said_value(report_.setting, caps.reference)));
    }
    return sentences;
  }

  void open(Notes& lines) const override {
    const auto& settings = report_.summary.settings;
    const bool is_few = settings.size() <= kSettingsShown && report_.summary.groups > 1;
    for (std::size_t i = 0; i < settings.size() && is_few; ++i) {
      lines.add(caps_setting_sentence(report_, settings[i]));
    }
  }

  void explain(Notes& lines, const GroupKey&, const Caps& caps) override {
    lines.add(indented(caps_choice_sentence(report_, caps)));
    lines.detail(indented(caps_trends_sentence(report_, caps)));
    explain_curves(lines, caps.curves);
    if (!caps.without_reference.empty()) {
      lines.add(fmt::format("  {} of {} not compared: no runs at the reference there",
                            caps.without_reference.size(), report_.study.x));
    }
  }

  void close(Notes& lines) const override {
    if (report_.options.shared) {
      lines.add(caps_shared_sentence(*report_.options.shared));
      for (const Pooling* const pooling :
           {&report_.options.shared->time, &report_.options.shared->energy}) {
        if (!pooling->has_unequal_scatter()) continue;
        lines.add(fmt::format("{}: {}", name_of(WarningCode::kUnequalScatter),
                              unequal_scatter_sentence(*pooling)));
      }
    }
    if (example_) {
      lines.add(
          fmt::format("means over {0}, each value alike; --format csv has every one, "
                      "--where {0}={1} picks one",
                      report_.study.x, scale_text(*example_)));
    }
    if (thinned_) lines.add("some settings only; --format csv has every one");
  }

 private:
  static constexpr std::size_t kCurvesExplained = 3;
  static constexpr std::size_t kSettingsShown =
      12;  ///< A fine sweep has more; its curves tell the rest.

  static std::string indented(const std::string& line) { return line.empty() ? "" : "  " + line; }

  static std::size_t step_of(const Caps& caps) {
    return (caps.overall.settings.size() + kSettingsShown - 1) / kSettingsShown;
  }

  /// People see some settings of a fine sweep, and every one that has a remark.
  static void add_some(SheetWriter& rows, const GroupKey& group, const Caps& caps) {
    const std::size_t step = step_of(caps);
    for (std::size_t i = 0; i < caps.overall.settings.size(); ++i) {
      const Part part{.name = "overall",
                      .comparison = &caps.overall,
                      .setting = &caps.overall.settings[i],
                      .reference = &caps.reference};
      if (i % step == 0 || !caps_notes(part).empty()) rows.add(group, part);
    }
  }

  /// Adds the settings of `part.comparison`, then its reference. Only that over all N has trends.
  static void add_comparison(SheetWriter& rows, const GroupKey& group, Part part,
                             const Caps& caps) {
    part.reference = &caps.reference;
    for (const RelativeSetting& setting : part.comparison->settings) {
      part.setting = &setting;
      part.trend = part.comparison == &caps.overall ? caps.trend_of(setting.setting) : nullptr;
      rows.add(group, part);
    }
    part.setting = nullptr;
    part.trend = nullptr;
    rows.add(group, part);
  }

  static void add_curves(SheetWriter& rows, const GroupKey& group, const SettingCurves& curves) {
    for (std::size_t i = 0; i < curves.time.at.size(); ++i) {
      rows.add(group, Part{.name = "curve", .curves = &curves, .point = i});
    }
    for (const SettingOptimum& optimum : curves.optima) {
      rows.add(group, Part{.name = "optimum", .curves = &curves, .optimum = &optimum});
    }
  }

  void explain_curves(Notes& lines, std::span<const SettingCurves> curves) {
    for (std::size_t i = 0; i < std::min(curves.size(), kCurvesExplained); ++i) {
      lines.add("  curve: " + curve_sentence(report_, curves[i]));
    }
    if (curves.size() <= kCurvesExplained) return;
    lines.add(fmt::format("  {} more curves at other {}; --format csv has them all",
                          curves.size() - kCurvesExplained, report_.study.x));
  }

  std::optional<double> example_;  ///< One of the N that were averaged.
  bool thinned_ = false;
};

}  // namespace

void write_advice(JsonText& json, const SettingAdvice& advice) {
  json << Members{{"setting", advice.setting}, {"is_reference", advice.is_reference}};
  json.key("scope").text(advice.of_all_groups ? "groups" : advice.x ? "scale" : "group");
  json << Members{{"x", advice.x}, {"rival", or_null(advice.rival)}};
  json << Members{{"undecided", advice.undecided}, {"evidence", advice.evidence}};
  json.key("doubt").text_or_null(advice.doubt == SettingDoubt::kNone ? "" : name_of(advice.doubt));
  json.key("trust").text(name_of(advice.trust));
}

std::unique_ptr<GroupWriter<Caps>> make_caps_writer(const CapsReport& report,
                                                    const TableStyle& style, TextSink sink) {
  return make_result_writer(CapsDescription(report), style, std::move(sink));
}

}  // namespace scalelaw
