// Comparisons of settings as CSV or TSV, every digit of every number. The column `part` tells what
// a row is: "overall" (a setting over all N), "scale" (at one N), "curve" (a point of the curves),
// "optimum" (where a criterion is least) or "summary" (a setting over all groups).

#include <algorithm>
#include <array>
#include <cmath>

#include "render/caps_writers.hpp"
#include "render/delimited_rows.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

/// What a row is made from; the pointers of other parts are null.
struct Part {
  std::string_view name;
  const SettingComparison* comparison = nullptr;
  const RelativeSetting* setting = nullptr;
  const SettingTrend* trend = nullptr;
  const SettingCurves* curves = nullptr;
  std::size_t point = 0;  ///< Of the curves, where there is no optimum.
  const SettingOptimum* optimum = nullptr;
  const SettingSummary* summary = nullptr;

  bool is_point() const { return curves != nullptr && optimum == nullptr; }
};

struct Column {
  std::string_view name;
  std::string (*text)(const Part& part);
};

std::string lower(const std::optional<Interval>& ci) {
  return ci && std::isfinite(ci->lower) ? exact_text(ci->lower) : std::string();
}

std::string upper(const std::optional<Interval>& ci) {
  return ci && std::isfinite(ci->upper) ? exact_text(ci->upper) : std::string();
}

std::string truth(bool value) { return value ? "true" : "false"; }

std::string x_of(const Part& part) {
  if (part.curves != nullptr) return exact_text(part.curves->x);
  return part.comparison != nullptr ? exact_text(part.comparison->x) : std::string();
}

std::string setting_of(const Part& part) {
  if (part.setting != nullptr) return part.setting->setting;
  if (part.summary != nullptr) return part.summary->setting;
  if (part.optimum != nullptr) return exact_text(part.optimum->minimum.setting);
  return exact_text(part.curves->time.at[part.point]);
}

std::string n_of(const Part& part) {
  if (part.setting != nullptr) return std::to_string(part.setting->n);
  return part.is_point() ? std::to_string(part.curves->time.counts[part.point]) : std::string();
}

/// The ratio of time or energy that a row has.
const RelativeMean* ratio_of(const Part& part, RelativeMean RelativeSetting::*of_setting,
                             std::optional<RelativeMean> SettingSummary::*of_summary) {
  if (part.setting != nullptr) return &(part.setting->*of_setting);
  if (part.summary == nullptr || !(part.summary->*of_summary)) return nullptr;
  return &*(part.summary->*of_summary);
}

const RelativeMean* time_of(const Part& part) {
  return ratio_of(part, &RelativeSetting::time, &SettingSummary::time);
}

const RelativeMean* energy_of(const Part& part) {
  return ratio_of(part, &RelativeSetting::energy, &SettingSummary::energy);
}

std::string estimate(const RelativeMean* ratio, std::optional<double> SettingOptimum::*of_optimum,
                     const Part& part) {
  if (part.optimum != nullptr) return exact_text(part.optimum->*of_optimum);
  return ratio != nullptr ? exact_text(ratio->ratio) : std::string();
}

std::string lower(const RelativeMean* ratio) { return ratio != nullptr ? lower(ratio->ci) : ""; }
std::string upper(const RelativeMean* ratio) { return ratio != nullptr ? upper(ratio->ci) : ""; }

std::string trend(const Part& part, Estimate SettingTrend::*of,
                  std::string (*text)(const Estimate&)) {
  return part.trend != nullptr ? text(part.trend->*of) : std::string();
}

std::string slope(const Estimate& estimate) { return exact_text(estimate.estimate); }
std::string slope_lower(const Estimate& estimate) { return lower(estimate.ci); }
std::string slope_upper(const Estimate& estimate) { return upper(estimate.ci); }

std::string curve_figure(const Part& part, SmoothCurve SettingCurves::*of,
                         std::string (*end)(const std::optional<Interval>&)) {
  return part.is_point() ? end((part.curves->*of).ci[part.point]) : std::string();
}

std::string measured(const Part& part, std::optional<double> RelativeSetting::*of_setting,
                     SmoothCurve SettingCurves::*of_curves) {
  if (part.setting != nullptr) return exact_text(part.setting->*of_setting);
  return part.is_point() ? exact_text((part.curves->*of_curves).value[part.point]) : "";
}

std::string marginal(const Part& part) {
  if (part.optimum != nullptr) return exact_text(part.optimum->trade);
  return part.is_point() ? exact_text(part.curves->joules_per_second[part.point]) : "";
}

constexpr auto kColumns = std::to_array<Column>({
    {"part", [](const Part& part) { return std::string(part.name); }},
    {"x", x_of},
    {"setting", setting_of},
    {"n", n_of},
    {"reference_n",
     [](const Part& part) {
       return part.setting != nullptr ? std::to_string(part.setting->reference_n) : "";
     }},
    {"scales",
     [](const Part& part) {
       return part.setting != nullptr ? std::to_string(part.setting->scales) : "";
     }},
    {"time_ratio",
     [](const Part& part) { return estimate(time_of(part), &SettingOptimum::time_ratio, part); }},
    {"time_ratio_ci_lower", [](const Part& part) { return lower(time_of(part)); }},
    {"time_ratio_ci_upper", [](const Part& part) { return upper(time_of(part)); }},
    {"speed",
     [](const Part& part) {
       return part.setting != nullptr ? exact_text(part.setting->speed.ratio) : "";
     }},
    {"speed_ci_lower",
     [](const Part& part) { return part.setting != nullptr ? lower(part.setting->speed.ci) : ""; }},
    {"speed_ci_upper",
     [](const Part& part) { return part.setting != nullptr ? upper(part.setting->speed.ci) : ""; }},
    {"energy_ratio",
     [](const Part& part) { return estimate(energy_of(part), &SettingOptimum::energy_ratio, part); }},
    {"energy_ratio_ci_lower", [](const Part& part) { return lower(energy_of(part)); }},
    {"energy_ratio_ci_upper", [](const Part& part) { return upper(energy_of(part)); }},
    {"energy_ratio_joint_ci_lower",
     [](const Part& part) {
       return part.setting != nullptr ? lower(part.setting->energy.joint_ci) : "";
     }},
    {"energy_ratio_joint_ci_upper",
     [](const Part& part) {
       return part.setting != nullptr ? upper(part.setting->energy.joint_ci) : "";
     }},
    {"evidence",
     [](const Part& part) {
       return std::string(part.setting != nullptr ? name_of(part.setting->evidence) : "");
     }},
    {"within_bound",
     [](const Part& part) {
       return part.setting != nullptr ? truth(part.setting->within_bound) : "";
     }},
    {"recommended",
     [](const Part& part) {
       return part.setting != nullptr
                  ? truth(part.comparison->recommended.setting == part.setting->setting)
                  : "";
     }},
    {"least_energy",
     [](const Part& part) {
       return part.setting != nullptr
                  ? truth(part.comparison->least_energy == part.setting->setting)
                  : "";
     }},
    {"seconds",
     [](const Part& part) {
       return measured(part, &RelativeSetting::seconds, &SettingCurves::time);
     }},
    {"seconds_ci_lower",
     [](const Part& part) { return curve_figure(part, &SettingCurves::time, lower); }},
    {"seconds_ci_upper",
     [](const Part& part) { return curve_figure(part, &SettingCurves::time, upper); }},
    {"joules",
     [](const Part& part) {
       return measured(part, &RelativeSetting::joules, &SettingCurves::energy);
     }},
    {"joules_ci_lower",
     [](const Part& part) { return curve_figure(part, &SettingCurves::energy, lower); }},
    {"joules_ci_upper",
     [](const Part& part) { return curve_figure(part, &SettingCurves::energy, upper); }},
    {"joules_per_second", marginal},
    {"time_trend", [](const Part& part) { return trend(part, &SettingTrend::time, slope); }},
    {"time_trend_ci_lower", [](const Part& part) { return trend(part, &SettingTrend::time, slope_lower); }},
    {"time_trend_ci_upper", [](const Part& part) { return trend(part, &SettingTrend::time, slope_upper); }},
    {"energy_trend", [](const Part& part) { return trend(part, &SettingTrend::energy, slope); }},
    {"energy_trend_ci_lower",
     [](const Part& part) { return trend(part, &SettingTrend::energy, slope_lower); }},
    {"energy_trend_ci_upper",
     [](const Part& part) { return trend(part, &SettingTrend::energy, slope_upper); }},
    {"criterion",
     [](const Part& part) {
       return std::string(part.optimum != nullptr ? name_of(part.optimum->criterion) : "");
     }},
    {"setting_ci_lower",
     [](const Part& part) {
       return part.optimum != nullptr ? lower(part.optimum->minimum.ci) : "";
     }},
    {"setting_ci_upper",
     [](const Part& part) {
       return part.optimum != nullptr ? upper(part.optimum->minimum.ci) : "";
     }},
    {"level",
     [](const Part& part) {
       return part.optimum != nullptr ? exact_text(part.optimum->minimum.level) : "";
     }},
    {"at_edge",
     [](const Part& part) {
       return std::string(part.optimum != nullptr ? name_of(part.optimum->minimum.at_edge) : "");
     }},
    {"groups",
     [](const Part& part) {
       return part.summary != nullptr ? std::to_string(part.summary->groups) : "";
     }},
    {"recommended_in",
     [](const Part& part) {
       return part.summary != nullptr ? std::to_string(part.summary->recommended_in) : "";
     }},
});

bool is_own_column(const std::string& name) {
  if (name == "status" || name == "code" || name == "message") return true;
  return std::any_of(kColumns.begin(), kColumns.end(),
                     [&name](const Column& column) { return column.name == name; });
}

/// Rows of one file.
class Rows {
 public:
  Rows(const CapsReport& report, char separator, const TextSink& sink)
      : report_(report), rows_(separator, sink) {}

  void write_header() {
    for (const std::string& name : report_.study.by) {
      rows_.add(is_own_column(name) ? "group_" + name : name);
    }
    rows_.add("status");
    for (const Column& column : kColumns) rows_.add(column.name);
    rows_.add("code");
    rows_.add("message");
    rows_.end_row();
  }

  void write(const GroupKey& group, const Caps& caps) {
    write_comparison(group, "overall", caps.overall, caps.trends);
    for (const SettingComparison& comparison : caps.scales)
      write_comparison(group, "scale", comparison, {});
    for (const SettingCurves& curves : caps.curves) {
      for (std::size_t i = 0; i < curves.time.at.size(); ++i) {
        write_part(group, {.name = "curve", .curves = &curves, .point = i});
      }
      for (const SettingOptimum& optimum : curves.optima) {
        write_part(group, {.name = "optimum", .curves = &curves, .optimum = &optimum});
      }
    }
  }

  void write(const GroupKey& group, const NoFit& failure) {
    for (const std::string& value : group) rows_.add(value);
    rows_.add("failed");
    for (std::size_t i = 0; i < kColumns.size(); ++i) rows_.add("");
    rows_.add(name_of(failure.code));
    rows_.add(failure.message);
    rows_.end_row();
  }

  void write_summary() {
    const GroupKey none(report_.study.by.size());
    for (const SettingSummary& setting : report_.summary.settings) {
      write_part(none, {.name = "summary", .summary = &setting});
    }
  }

  void finish() { rows_.finish(); }

 private:
  void write_comparison(const GroupKey& group, std::string_view name,
                        const SettingComparison& comparison, std::span<const SettingTrend> trends) {
    for (const RelativeSetting& setting : comparison.settings) {
      const auto found = std::find_if(trends.begin(), trends.end(), [&](const SettingTrend& one) {
        return one.setting == setting.setting;
      });
      write_part(group, {.name = name,
                         .comparison = &comparison,
                         .setting = &setting,
                         .trend = found == trends.end() ? nullptr : &*found});
    }
  }

  void write_part(const GroupKey& group, const Part& part) {
    for (const std::string& value : group) rows_.add(value);
    rows_.add("ok");
    for (const Column& column : kColumns) rows_.add(column.text(part));
    rows_.add("");
    rows_.add("");
    rows_.end_row();
  }

  const CapsReport& report_;
  DelimitedRows rows_;
};

}  // namespace

void write_caps_rows(const CapsReport& report, std::span<const GroupCaps> groups, char separator,
                     const TextSink& sink) {
  Rows rows(report, separator, sink);
  rows.write_header();
  for (const GroupCaps& group : groups) {
    std::visit([&](const auto& result) { rows.write(group.group, result); }, group.result);
  }
  rows.write_summary();
  rows.finish();
}

}  // namespace scalelaw
