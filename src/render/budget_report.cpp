// Plans within limits in every format: their JSON (schema scalelaw.budget/1), and one row per plan
// and place of the frontier.

#include "scalelaw/render/budget_report.hpp"

#include <fmt/format.h>

#include "render/budget_words.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_plan(JsonText& json, const BudgetPlan& plan) {
  write_numbers(json, {{"n", plan.n},
                       {"d", plan.d},
                       {"loss", plan.loss},
                       {"gpus", plan.gpus},
                       {"seconds", plan.seconds},
                       {"gpu_hours", plan.gpu_hours},
                       {"kwh", plan.kwh},
                       {"cost", plan.cost},
                       {"co2_kg", plan.co2_kg},
                       {"flop", plan.flop},
                       {"epochs", plan.epochs},
                       {"effective_d", plan.effective_d}});
}

void write_resource(JsonText& json, const ResourceLaw& law) {
  const double at_one = law.level - law.n_exponent.estimate * law.centre[0] -
                        law.gpu_exponent.estimate * law.centre[1];
  json << Members{{"points", law.points}, {"log_scale", at_one}};
  write_estimate(json.key("n_exponent"), law.n_exponent, false);
  write_estimate(json.key("gpu_exponent"), law.gpu_exponent, false);
  json << Members{
      {"dof", law.dof},           {"sigma", law.sigma},       {"correlation", law.correlation},
      {"misfit_p", law.misfit_p}, {"clusters", law.clusters}, {"left_out", law.left_out}};
}

void write_laws(JsonText& json, const BudgetLaws& laws) {
  write_object(json.key("loss"), laws.loss, [&](const Fit& fit) {
    json << Members{{"law", fit.law->name()}, {"n", fit.n}};
    write_parameters(json.key("parameters"), fit);
  });
  write_object(json.key("repeats"), laws.repeats, [](JsonText& out, const RepeatConstants& known) {
    write_numbers(out, {{"r_d", known.r_d}, {"r_n", known.r_n}});
  });
  write_object(json.key("gpu_seconds_per_token"), laws.gpu_seconds, write_resource);
  write_object(json.key("watts"), laws.watts, write_resource);
  write_object(json.key("joules_per_token"), laws.joules, write_resource);
}

void write_gain(JsonText& json, const BudgetGain& gain) {
  json << Members{
      {"limit", gain.limit}, {"amount", gain.amount}, {"gain", gain.gain}, {"binds", gain.binds}};
}

// Columns.

/// The plan, or a place of the frontier and what limits it.
struct PlanRow {
  const Budget& budget;
  const BudgetPlan& plan;
  std::optional<BudgetLimit> limit;  ///< Empty for plans.

  bool is_plan() const { return &plan == &budget.plan; }
  /// The budget in the row of the plan, which has its intervals; else null.
  const Budget* of_plan() const { return is_plan() ? &budget : nullptr; }
  bool is_safe() const { return budget.safe && &plan == &*budget.safe; }
  bool is_one_epoch() const { return budget.one_epoch && &plan == &*budget.one_epoch; }
};

/// The plan, and what is told beside it.
std::vector<PlanRow> plan_rows(const Budget& budget) {
  std::vector<PlanRow> rows{{budget, budget.plan, {}}};
  if (budget.safe) rows.push_back({budget, *budget.safe, {}});
  if (budget.one_epoch) rows.push_back({budget, *budget.one_epoch, {}});
  return rows;
}
using PlanSheet = Sheet<PlanRow>;

/// What people call a row: "the plan", "the safe plan", "3.5 days", "500 kWh".
std::string row_title(const BudgetReport& report, const PlanRow& row) {
  if (row.is_plan()) return "the plan";
  if (row.is_safe()) return "the safe plan";
  if (row.is_one_epoch()) return "one epoch";
  switch (*row.limit) {
    case BudgetLimit::kDeadline:
      return days_text(*row.plan.seconds);
    case BudgetLimit::kKwh:
      return kwh_text(*row.plan.kwh);
    case BudgetLimit::kGpuHours:
      return limited_amount(report, *row.limit, *row.plan.gpu_hours);
    default:
      return limited_amount(report, *row.limit, row.plan.flop);
  }
}

/// "0.95 (0.93 .. 0.97)"; "1, assumed" where it was not fitted.
std::string exponent_text(const Estimate& exponent) {
  if (!exponent.ci) return fmt::format("{:.3g}, assumed", exponent.estimate);
  return fmt::format("{:.3f} ({:.3f} .. {:.3f})", exponent.estimate, exponent.ci->lower,
                     exponent.ci->upper);
}

/// Adds an interval of the plan, which places of the frontier have not.
void add_range(PlanSheet& sheet, const std::string& name, std::optional<Interval> Budget::*ends,
               std::string (*text_of_end)(double)) {
  const auto budget = sheet.part(&PlanRow::of_plan);
  budget.interval(name, ends).seen_as(budget.seen([=](const Budget& of_plan) {
    return interval_text(of_plan.*ends, text_of_end);
  }));
}

void add_amount_columns(PlanSheet& sheet, const BudgetReport& report) {
  const auto plan = sheet.part([](const PlanRow& row) { return &row.plan; });
  const auto add = [&](const char* name, auto value, auto text) {
    plan.add(name, value).seen_as(plan.part(value).seen(text));
  };
  plan.add("gpus", &BudgetPlan::gpus).as(scale_value());
  add("seconds", &BudgetPlan::seconds, days_text);
  add_range(sheet, "seconds_pi", &Budget::seconds_pi, days_text);
  add("gpu_hours", &BudgetPlan::gpu_hours, short_amount);
  add("kwh", &BudgetPlan::kwh, short_amount);
  add("cost", &BudgetPlan::cost, short_amount);
  add("co2_kg", &BudgetPlan::co2_kg, short_amount);
  add("flop", &BudgetPlan::flop, compute_text);
  if (report.time.empty()) return sheet.show("flop", "FLOP");
  sheet.show("gpus", "GPUs");
  sheet.show("seconds", "time");
  sheet.show("gpu_hours", "GPU-hours");
  const bool has_energy = !report.power.empty();
  if (has_energy) sheet.show("kwh", "kWh");
  const bool prices_energy = has_energy && report.options.footprint.price;
  if (report.options.gpu_price || prices_energy) sheet.show("cost", "cost");
  if (has_energy && report.options.footprint.carbon_intensity) sheet.show("co2_kg", "kg CO2");
}

/// How often tokens are seen, and what they are worth.
void add_repeat_columns(PlanSheet& sheet) {
  const auto plan = sheet.part([](const PlanRow& row) { return &row.plan; });
  plan.add("epochs", &BudgetPlan::epochs).as(significant(3));
  plan.add("effective_d", &BudgetPlan::effective_d)
      .seen_as(plan.part(&BudgetPlan::effective_d).seen(short_count));
  sheet.show("epochs", "epochs");
}

PlanSheet budget_sheet(const BudgetReport& report) {
  using Row = const PlanRow&;
  PlanSheet sheet(report.study.by);
  sheet.add_status();
  sheet.add("row", [](Row row) {
    if (row.is_one_epoch()) return std::string_view("one_epoch");
    return row.is_safe() ? "safe" : row.limit ? name_of(*row.limit) : "plan";
  });
  sheet.for_people("within", [&report](Row row) { return row_title(report, row); })
      .titled("within");
  const auto plan = sheet.part([](Row row) { return &row.plan; });
  const auto budget = sheet.part(&PlanRow::of_plan);
  plan.add("n", &BudgetPlan::n).seen_as([](Row row) { return short_count(row.plan.n); });
  add_range(sheet, "n_ci", &Budget::n_ci, short_count);
  plan.add("d", &BudgetPlan::d).seen_as([](Row row) { return short_count(row.plan.d); });
  add_range(sheet, "d_ci", &Budget::d_ci, short_count);
  plan.add("loss", &BudgetPlan::loss);
  budget.interval("loss_ci", &Budget::loss_ci);
  budget.interval("loss_pi", &Budget::loss_pi);
  sheet.show("n", report.study.scales[0]);
  sheet.show("d", report.study.scales[1]);
  if (report.options.unique_tokens) add_repeat_columns(sheet);
  sheet.named("loss").as(significant(4)).titled(report.study.y);
  add_amount_columns(sheet, report);
  budget.interval("gpus_ci", &Budget::gpus_ci).as(scale_value());
  budget.add("warnings", [](const Budget& of_plan) { return names_of(of_plan.warnings); });
  sheet.add_failure();
  return sheet;
}

class BudgetDescription final : public Description<BudgetReport, Budget, PlanRow> {
 public:
  explicit BudgetDescription(const BudgetReport& report)
      : Description(report, {.noun = "plan",
                             .schema = "scalelaw.budget/1",
                             .list = "groups",
                             .unexplained = "--format csv and json have them all"}) {}

  void write_head(JsonText& head) const override {
    const BudgetOptions& options = report_.options;
    write_data(head, report_.study);
    head << HeadMembers{{"run", or_null(report_.study.run)}, {"time", or_null(report_.time)}};
    head.member("power").text_or_null(report_.power);
    write_object(head.member("limits"), options, [&](const BudgetOptions&) {
      for (std::size_t k = 0; k < kBudgetLimits; ++k) {
        head.key(name_of(static_cast<BudgetLimit>(k))).number(options.limits[k]);
      }
    });
    head.member("inference_tokens").number(options.inference_tokens);
    head.member("unique_tokens").number(options.unique_tokens);
    head << HeadMembers{{"gpu_price", options.gpu_price}, {"price", options.footprint.price}};
    head.member("carbon_intensity").number(options.footprint.carbon_intensity);
    head << HeadMembers{{"pue", options.footprint.pue}, {"draws", options.draws}};
    head << HeadMembers{{"seed", options.seed}, {"confidence", options.confidence}};
    write_rows(head, report_.study);
  }

  void write_members(JsonText& json, const Budget& budget) const override {
    write_object(json.key("laws"), budget.laws, write_laws);
    write_object(json.key("plan"), budget.plan, write_plan);
    json << Members{{"n_ci", budget.n_ci},       {"d_ci", budget.d_ci},
                    {"loss_ci", budget.loss_ci}, {"loss_pi", budget.loss_pi},
                    {"gpus_ci", budget.gpus_ci}, {"seconds_pi", budget.seconds_pi}};
    write_numbers(json, {{"over_limits", budget.over_limits}});
    write_object(json.key("safe"), budget.safe, write_plan);
    write_object(json.key("one_epoch"), budget.one_epoch, write_plan);
    json.key("lost_draws").number(budget.lost_draws);
    write_objects(json.key("gains"), budget.gains, write_gain);
    write_numbers(json, {{"gain_together", budget.gain_together}});
    write_each(json.key("frontier"), budget.frontier, [&](const auto& place) {
      json.open('{');
      json.key("limit").text(name_of(place.first));
      write_plan(json, place.second);
      json.close('}');
    });
    write_numbers(json, {{"n_beyond", budget.n_beyond},
                         {"d_beyond", budget.d_beyond},
                         {"gpus_beyond", budget.gpus_beyond},
                         {"epochs_beyond", budget.epochs_beyond}});
    json << Members{{"warnings", budget.warnings}};
    write_strings(json.key("sentences"), budget_sentences(report_, budget));
    write_strings(json.key("doubts"), budget_doubts(report_, budget));
  }

  PlanSheet sheet(Format) const override { return budget_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Budget& budget) const override {
    rows.begin_part();
    for (const PlanRow& row : plan_rows(budget)) rows.add(group, row);
    std::optional<BudgetLimit> last;
    for (const auto& [limit, plan] : budget.frontier) {
      if (limit != last) rows.begin_part();
      last = limit;
      rows.add(group, PlanRow{budget, plan, limit});
    }
  }

  std::string caption() const override { return "The plan, and what one limit alone would allow"; }
  std::vector<std::string> answer() const override {
    return {fmt::format("{} has the least loss within the limits: {}.", best_group_,
                        with_significant_digits(best_loss_, 4))};
  }
  std::vector<std::string> answer_on(const GroupKey&, const Budget& budget) const override {
    return budget_sentences(report_, budget);
  }
  void take_note_of(const GroupKey& group, const Budget& budget) override {
    if (!best_group_.empty() && budget.plan.loss >= best_loss_) return;
    best_group_ = said_group(report_.study.by, group);
    best_loss_ = budget.plan.loss;
  }
  void explain(Notes& lines, const GroupKey& group, const Budget& budget) override {
    const std::string name =
        report_.study.by.empty() ? "" : group_name(report_.study.by, group) + ": ";
    for (const std::string& doubt : budget_doubts(report_, budget)) lines.add(name + doubt);
    const auto& time = budget.laws.gpu_seconds;
    if (!time || time->points == 0) return;
    lines.detail(fmt::format(
        "{}A token takes c N^p G^q GPU-seconds: p is {} and q is {}, from {}. The times of runs "
        "scatter by {}.",
        name, exponent_text(time->n_exponent), exponent_text(time->gpu_exponent),
        counted(time->points, "time"), percent_text(time->sigma, 2)));
  }

 private:
  std::string best_group_;
  double best_loss_ = 0;
};

}  // namespace

TextTable plan_table(const BudgetReport& report, std::span<const GroupBudget> groups) {
  const PlanSheet sheet = budget_sheet(report);
  SheetTable rows(sheet);
  for (const GroupBudget& group : groups) {
    const Budget* const budget = std::get_if<Budget>(&group.result);
    if (budget == nullptr) continue;
    for (const PlanRow& row : plan_rows(*budget)) rows.add(group.group, row);
  }
  return rows.take();
}

void write_budgets(const BudgetReport& report, std::span<const GroupBudget> groups,
                   const TableStyle& style, const TextSink& sink) {
  write_results(BudgetDescription(report), groups, style, sink);
}

}  // namespace scalelaw
