// Comparisons of settings as JSON (schema scalelaw.caps/1) and as JSON lines.

#include "render/caps_writers.hpp"
#include "render/group_json.hpp"

namespace scalelaw {
namespace {

void write_text_or_null(JsonText& json, std::string_view text) {
  text.empty() ? json.null() : json.text(text);
}

void write_ratio(JsonText& json, const RelativeMean& ratio, bool joint) {
  json.open('{');
  json.key("estimate").number(ratio.ratio);
  write_interval(json.key("ci"), ratio.ci);
  if (joint) write_interval(json.key("joint_ci"), ratio.joint_ci);
  json.key("log_se").number(ratio.log_ratio.se);
  json.key("dof").number(ratio.log_ratio.dof);
  json.close('}');
}

void write_ratio(JsonText& json, const std::optional<RelativeMean>& ratio) {
  if (!ratio) return json.null();
  write_ratio(json, *ratio, false);
}

void write_setting(JsonText& json, const RelativeSetting& setting) {
  json.open('{');
  json.key("setting").text(setting.setting);
  json.key("n").count(setting.n);
  json.key("reference_n").count(setting.reference_n);
  json.key("scales").count(setting.scales);
  json.key("seconds").number(setting.seconds);
  json.key("joules").number(setting.joules);
  write_ratio(json.key("time_ratio"), setting.time, true);
  write_ratio(json.key("speed"), setting.speed, true);
  write_ratio(json.key("energy_ratio"), setting.energy, true);
  json.key("evidence").text(name_of(setting.evidence));
  json.key("in_choice").boolean(setting.in_choice);
  json.key("within_bound").boolean(setting.within_bound);
  json.close('}');
}

void write_recommended(JsonText& json, const RecommendedSetting& recommended) {
  json.open('{');
  json.key("setting").text(recommended.setting);
  json.key("is_reference").boolean(recommended.is_reference);
  json.key("by_interval").boolean(recommended.by_interval);
  if (recommended.saving_shown) {
    json.key("saving_shown").boolean(*recommended.saving_shown);
  } else {
    json.key("saving_shown").null();
  }
  json.close('}');
}

void write_comparison(JsonText& json, const SettingComparison& comparison) {
  json.open('{');
  json.key("x").number(comparison.x);
  write_each(json.key("over"), comparison.over, [&](double x) { json.number(x); });
  json.key("reference_n").count(comparison.reference_n);
  json.key("reference_seconds").number(comparison.reference_seconds);
  json.key("reference_joules").number(comparison.reference_joules);
  write_each(json.key("settings"), comparison.settings,
             [&](const RelativeSetting& setting) { write_setting(json, setting); });
  json.key("least_energy").text(comparison.least_energy);
  write_recommended(json.key("recommended"), comparison.recommended);
  json.close('}');
}

void write_trend(JsonText& json, const SettingTrend& trend) {
  json.open('{');
  json.key("setting").text(trend.setting);
  json.key("scales").count(trend.scales);
  write_estimate(json.key("time"), trend.time, true);
  write_estimate(json.key("energy"), trend.energy, true);
  json.close('}');
}

void write_optimum(JsonText& json, const SettingOptimum& optimum) {
  const CurveMinimum& minimum = optimum.minimum;
  json.open('{');
  json.key("criterion").text(name_of(optimum.criterion));
  json.key("eta").number(optimum.eta);
  json.key("joules_per_second").number(optimum.trade);
  json.key("setting").number(minimum.setting);
  write_interval(json.key("ci"), minimum.ci);
  write_text_or_null(json.key("at_edge"), name_of(minimum.at_edge));
  json.key("level").number(minimum.level);
  json.key("time_ratio").number(optimum.time_ratio);
  json.key("energy_ratio").number(optimum.energy_ratio);
  json.close('}');
}

void write_point(JsonText& json, const SettingCurves& curves, std::size_t i) {
  json.open('{');
  json.key("setting").number(curves.time.at[i]);
  json.key("n").count(curves.time.counts[i]);
  json.key("seconds").number(curves.time.value[i]);
  write_interval(json.key("seconds_ci"), curves.time.ci[i]);
  json.key("joules").number(curves.energy.value[i]);
  write_interval(json.key("joules_ci"), curves.energy.ci[i]);
  json.key("joules_saved_per_second_lost").number(curves.joules_per_second[i]);
  json.close('}');
}

void write_curves(JsonText& json, const CapsReport& report, const SettingCurves& curves) {
  json.open('{');
  json.key("x").number(curves.x);
  json.key("time_sigma").number(curves.time.sigma);
  json.key("energy_sigma").number(curves.energy.sigma);
  write_each(json.key("optima"), curves.optima,
             [&](const SettingOptimum& optimum) { write_optimum(json, optimum); });
  json.key("points").open('[');
  for (std::size_t i = 0; i < curves.time.at.size(); ++i) write_point(json, curves, i);
  json.close(']');
  json.key("sentence").text(curve_sentence(report, curves));
  json.close('}');
}

void write_caps_of_group(JsonText& json, const CapsReport& report, const GroupKey& group,
                         const Caps& caps) {
  json.open('{');
  write_group(json.key("group"), report.study.by, group);
  json.key("n").count(caps.n);
  json.key("reference").text(caps.reference);
  write_comparison(json.key("overall"), caps.overall);
  write_each(json.key("scales"), caps.scales,
             [&](const SettingComparison& comparison) { write_comparison(json, comparison); });
  write_each(json.key("without_reference"), caps.without_reference,
             [&](double x) { json.number(x); });
  write_each(json.key("trends"), caps.trends,
             [&](const SettingTrend& trend) { write_trend(json, trend); });
  write_each(json.key("curves"), caps.curves,
             [&](const SettingCurves& curves) { write_curves(json, report, curves); });
  json.key("sweeps_without_curves").count(caps.too_fine);
  json.key("sentence").text(caps_sentence(report, caps));
  json.close('}');
}

void write_summary(JsonText json, const CapsReport& report) {
  json.open('{');
  json.key("groups").count(report.summary.groups);
  json.key("settings").open('[');
  for (const SettingSummary& setting : report.summary.settings) {
    json.open('{');
    json.key("setting").text(setting.setting);
    json.key("groups").count(setting.groups);
    json.key("reference_in").count(setting.reference_in);
    json.key("recommended_in").count(setting.recommended_in);
    write_ratio(json.key("time_ratio"), setting.time);
    write_ratio(json.key("energy_ratio"), setting.energy);
    json.close('}');
  }
  json.close(']');
  write_text_or_null(json.key("sentence"), caps_summary_sentence(report));
  json.close('}');
}

void write_list(JsonText json, const std::vector<double>& numbers) {
  write_each(json, numbers, [&](double number) { json.number(number); });
}

void write_head(std::string& out, const CapsReport& report) {
  JsonHead head(out);
  const auto member = [&head](std::string_view name, std::string_view text) {
    JsonText json = head.member(name);
    write_text_or_null(json, text);
  };
  write_data(head, "scalelaw.caps/1", report.study);
  member("energy", report.energy);
  member("power", report.power);
  head.member("total_power").boolean(report.total_power);
  member("run", report.study.run);
  member("setting", report.setting);
  member("reference", report.options.reference);
  head.member("max_slowdown").number(report.options.max_slowdown);
  head.member("confidence").number(report.options.confidence);
  head.member("continuous").boolean(report.options.continuous == Continuous::kYes);
  write_list(head.member("trades"), report.options.trades);
  write_list(head.member("etas"), report.options.etas);
  head.member("max_power").number(report.options.max_power);
  member("max_power_from", report.max_power_from);
  write_rows(head, report.study);
  write_summary(head.member("summary"), report);
}

}  // namespace

void write_caps_json(const CapsReport& report, std::span<const GroupCaps> groups,
                     const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report);
  write_groups<Caps>(out, "caps", report.study.by, groups,
                     [&](JsonText& json, const GroupKey& group, const Caps& caps) {
                       write_caps_of_group(json, report, group, caps);
                     });
}

void write_caps_jsonl(const CapsReport& report, std::span<const GroupCaps> groups,
                      const TextSink& sink) {
  write_group_lines<Caps>(report.study.by, groups, sink,
                          [&](JsonText& json, const GroupKey& group, const Caps& caps) {
                            write_caps_of_group(json, report, group, caps);
                          });
}

}  // namespace scalelaw
