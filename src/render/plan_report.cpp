// Plans of further runs in every format: their JSON (schema scalelaw.plan/1), and one row per
// addition.

#include "scalelaw/render/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/forecast_words.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

void write_sharpness(JsonText& json, const Sharpness& sharpness) {
  write_numbers(json, {{"exponent_se", sharpness.exponent_se}, {"curve_se", sharpness.curve_se}});
  json.key("run_se").number(sharpness.run_se);
  json.key("detectable_exponent").number(sharpness.detectable_exponent);
  json.key("detectable_log_time").number(sharpness.detectable_log_time);
}

void write_addition(JsonText& json, const Addition& addition) {
  json << Members{{"x", addition.x}, {"repeats", addition.repeats}};
  write_numbers(json, {{"gain", addition.gain}, {"gpu_hours", addition.gpu_hours}});
  write_object(json.key("after"), addition.after, write_sharpness);
}

constexpr double kLeastShown = 0.0005;  ///< A smaller share of y would be shown as 0.0 %.

/// A standard error of ln y as a share of y.
/// @param below  What stands before the number where the share is too small to be shown.
std::string error_text(double log_se, std::string_view below = "less than ") {
  const double share = std::expm1(log_se);
  if (share < kLeastShown) return fmt::format("{}0.1 %", below);
  return fmt::format("{:.1f} %", 100 * share);
}

std::string gain_text(double gain) {
  constexpr double kMostShown = 0.9995;  // A standard error never falls by all of itself.
  return gain < kMostShown ? shown_text(gain, percent(1)) : "> 99.9 %";
}

constexpr double kTellsNothing = 1;  ///< A greater standard error leaves y as open as this one.

/// By how much the standard error falls as a share of y: 0.04 from 12 % to 8 %, 0.2 from 500 % to
/// 80 %.
double fall_of(const Plan& plan, const Addition& addition) {
  const auto share = [](double log_se) { return std::min(std::expm1(log_se), kTellsNothing); };
  return share(plan.now.curve_se) - share(addition.after.curve_se);
}

Sheet<Addition> plan_sheet(const PlanReport& report) {
  const std::string error_title =
      fmt::format("standard error at {}", scale_text(report.options.target));
  Sheet<Addition> sheet(report.by);
  sheet.add_status();
  const auto after = sheet.part([](const Addition& addition) { return &addition.after; });
  sheet.add("x", &Addition::x).as(scale_value());
  sheet.add("repeats", &Addition::repeats);
  sheet.add("gain", &Addition::gain).seen_as([](const Addition& addition) {
    return gain_text(addition.gain);
  });
  sheet.add("gpu_hours", &Addition::gpu_hours).as(significant(3));
  after.add("exponent_se", &Sharpness::exponent_se).as(significant(2));
  const auto error = [&after](const char* name, double Sharpness::*log_se) {
    after.add(name, log_se).seen_as([log_se](const Addition& addition) {
      return error_text(addition.after.*log_se, "< ");
    });
  };
  error("curve_se", &Sharpness::curve_se);
  error("run_se", &Sharpness::run_se);
  after.add("detectable_exponent", &Sharpness::detectable_exponent).as(significant(2));
  error("detectable_log_time", &Sharpness::detectable_log_time);
  sheet.add_failure();
  sheet.show("x", "measure at " + report.x);
  sheet.show("repeats", "times");
  if (report.options.hours_per_unit) sheet.show("gpu_hours", "GPU-hours");
  sheet.show("gain", "error falls by");
  sheet.show("curve_se", error_title);
  if (report.law != nullptr) sheet.named("exponent_se").detail().titled("SE of exponent");
  return sheet;
}

class PlanDescription final : public Description<PlanReport, Plan, Addition> {
 public:
  explicit PlanDescription(const PlanReport& report)
      : Description(report, {.noun = "plan", .schema = "scalelaw.plan/1", .list = "plans"}) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_);
    head << HeadMembers{{"law", law_name()}, {"response", report_.response}};
    write_points(head, report_);
    head << HeadMembers{{"target", report_.options.target}, {"power", report_.options.power}};
    head.member("confidence").number(report_.confidence);
    write_rows(head, report_);
  }

  void write_members(JsonText& json, const Plan& plan) const override {
    write_object(json.key("now"), plan.now, write_sharpness);
    write_objects(json.key("additions"), plan.additions, write_addition);
  }

  Sheet<Addition> sheet(Format) const override { return plan_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Plan& plan) const override {
    rows.begin_part();
    const std::size_t all = plan.additions.size();
    const std::size_t count = rows.is_for_people() ? std::min(report_.shown, all) : all;
    for (std::size_t i = 0; i < count; ++i) rows.add(group, plan.additions[i]);
  }

  void take_note_of(const GroupKey& group, const Plan& plan) override {
    ++groups_;
    if (plan.additions.empty()) return;
    greatest_now_ = std::max(greatest_now_, plan.now.curve_se);
    const double fall = fall_of(plan, plan.additions.front());
    if (best_ && !(fall > fall_)) return;
    best_ = plan.additions.front();
    fall_ = fall;
    now_ = plan.now;
    x_max_ = plan.x_max;
    best_group_ = said_group(report_.by, group);
  }

  /// "3 more runs at 512 GPUs sharpen the forecast at 1024 GPUs most: its standard error falls from
  /// 8.2 % to 5.1 %."
  std::vector<std::string> answer() const override {
    if (!best_) return {};
    const std::string forecast =
        "the forecast at " + place_on_scale(report_.x, report_.options.target);
    if (std::expm1(greatest_now_) < kLeastShown) {
      return {fmt::format("{} needs no further run: its standard error is {} now{}.",
                          capitalised(forecast), error_text(greatest_now_),
                          groups_ > 1 ? " in each group" : "")};
    }
    const std::string cost =
        best_->gpu_hours
            ? fmt::format(" They take {} GPU-hours.", with_significant_digits(*best_->gpu_hours, 3))
            : "";
    const std::string of_group =
        groups_ > 1 ? fmt::format(" That is for {}, whose error falls furthest of the {} groups{}.",
                                  best_group_, groups_,
                                  std::expm1(greatest_now_) > kTellsNothing
                                      ? " (errors above 100 % count as 100 %)"
                                      : "")
                    : "";
    std::vector<std::string> sentences{
        fmt::format("{} at {} {} {} most: its standard error falls from {} to {}.{}{}",
                    counted(best_->repeats, "more run"), place_on_scale(report_.x, best_->x),
                    best_->repeats == 1 ? "sharpens" : "sharpen", forecast,
                    error_text(now_.curve_se), error_text(best_->after.curve_se), cost, of_group)};
    if (is_far_beyond(report_.options.target, x_max_)) {
      sentences.push_back(far_beyond_sentence(report_.x, report_.options.target, x_max_));
    }
    return sentences;
  }

  void open(Notes& lines) const override {
    if (!report_.options.hours_per_unit && report_.response == Response::kRate) {
      lines.add(fmt::format(
          "'{}' is a rate: --tokens N (or --samples, --steps) says how large a run is, and so its "
          "GPU-hours.",
          report_.y));
    }
    lines.detail(report_.law != nullptr
                     ? fmt::format("The forecast is that of the {} law.", report_.law->name())
                     : "The interval of the forecast includes the choice of the law.");
  }

  void explain(Notes& lines, const GroupKey& group, const Plan& plan) override {
    const Sharpness& now = plan.now;
    const std::string place = place_on_scale(report_.x, report_.options.target);
    lines.add(fmt::format(
        "{}: now the curve at {} has a standard error of {}, and one new run there of {}.",
        said_group(report_.by, group), place, error_text(now.curve_se), error_text(now.run_se)));
    const std::string power = shown_text(report_.options.power, percent(1));
    const std::string exponent =
        now.detectable_exponent ? fmt::format("of the exponent by {}, or ",
                                              with_significant_digits(*now.detectable_exponent, 2))
                                : "";
    lines.detail(fmt::format(
        "{}: a second study of these runs would find a change {}of the curve at {} by {} in {} of "
        "cases.",
        said_group(report_.by, group), exponent, place, error_text(now.detectable_log_time),
        power));
    if (!now.exponent_se) return;
    lines.detail(fmt::format("{}: the exponent has a standard error of {}.",
                             said_group(report_.by, group),
                             with_significant_digits(*now.exponent_se, 2)));
  }

 private:
  std::string_view law_name() const {
    return report_.law != nullptr ? report_.law->name() : name_of(ForecastKind::kAverage);
  }

  std::size_t groups_ = 0;
  std::optional<Addition> best_;  ///< The best of the group whose error falls furthest,
  double fall_ = 0;               ///< by this share of y;
  Sharpness now_;                 ///< what that group knows now,
  double x_max_ = 0;              ///< its greatest measured scale,
  std::string best_group_;        ///< and its name.
  double greatest_now_ = 0;       ///< The greatest standard error of all groups now.
};

}  // namespace

std::unique_ptr<GroupWriter<Plan>> make_plan_writer(const PlanReport& report,
                                                    const TableStyle& style, TextSink sink) {
  return make_result_writer(PlanDescription(report), style, std::move(sink));
}

}  // namespace scalelaw
