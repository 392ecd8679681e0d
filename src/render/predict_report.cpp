// Forecasts in every format: JSON (schema scalelaw.predict/1), and one row per group and x.

#include "scalelaw/render/predict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/ranges.hpp"
#include "render/forecast_words.hpp"
#include "render/json_document.hpp"
#include "render/predict_answer.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

/// What the groups of a forecast share; empty where each is forecast by itself.
std::optional<Pool> pooled(const ForecastOptions& options) {
  if (options.learned) return Pool::kLaws;
  return options.pooling ? std::optional(options.pooling->kind) : std::nullopt;
}

// JSON.

/// The member "priors" of the head of a document: the priors that all groups tell.
void write_learned(JsonText& head, const LearnedPriors& learned) {
  const LawPriors& all = learned.of_all();
  JsonText& json = head.member("priors");
  json.open('{');
  json.key("groups").count(std::uint64_t{learned.groups});
  json.key("laws").open('{');
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    json.key(law_of(static_cast<MixedLaw>(law)).name()).number(all.weights[law]);
  }
  json.close('}');
  const auto write = [&json](std::string_view name, const NormalPrior& prior) {
    json.key(name).open('{');
    write_numbers(json, {{"mean", prior.mean}, {"sd", prior.sd}});
    json.close('}');
  };
  write("exponent", all.exponent);
  write("exponent_above_floor", all.exponent_above_floor);
  write("ln_floor_share", all.floor);
  write("ln_serial_share", all.serial);
  write("ln_coherency_share", all.coherency);
  write("bend", all.bend);
  json.key("scatter").open('{');
  write_numbers(json, {{"sigma", std::sqrt(all.scatter_variance)}, {"dof", all.scatter_dof}});
  json.close('}');
  json.close('}');
}

/// Writes median and mean, and the intervals of the curve and of new runs.
void write_prediction(JsonText& json, const Prediction& prediction) {
  json << Members{{"median", prediction.median}, {"mean", prediction.mean}, {"ci", prediction.ci}};
  write_interval(json.key("pi"), prediction.pi);
}

void write_cost(JsonText& json, const std::string& name, const std::optional<MachineCost>& cost) {
  json.key(name).number(cost ? std::optional(cost->amount) : std::nullopt);
  write_interval(json.key(name + "_pi"), cost ? cost->pi : std::nullopt);
}

void write_scale(JsonText& json, const PredictReport& report, const ScaleOutlook& at) {
  json.key("x").number(at.y.x);
  write_prediction(json, at.y);
  json << Members{{"extrapolation", at.y.extrapolation}, {"speedup", at.y.speedup}};
  // A setting, such as a batch size, shares no work out.
  json.key("efficiency")
      .number(may_share_work(report.x) ? std::optional(at.y.efficiency) : std::nullopt);
  if (at.job) write_object(json.key("job"), at.job, write_prediction);
  json.key("gpu_hours").number(at.gpu_hours);
  if (report.outlook.gpu_price) write_cost(json, "gpu_cost", at.gpu_cost);
  if (report.outlook.node_price) {
    json.key("node_hours").number(at.node_hours);
    write_cost(json, "node_cost", at.node_cost);
  }
  if (report.energy.empty()) return;
  write_object(json.key("kwh"), at.kwh, write_prediction);
  write_numbers(json, {{"co2_kg", at.co2_kg}, {"cost", at.cost}});
}

void write_law(JsonText& json, const LawShare& share) {
  json << Members{{"law", share.law->name()}, {"weight", share.weight}, {"share", share.share}};
  json.key("parameters").open('{');
  for (std::size_t k = 0; k < share.parameters.size(); ++k) {
    json.key(share.law->parameters()[k].name).number(share.parameters[k]);
  }
  json.close('}');
}

/// Nothing where the search ended before the demand did: its end is no answer.
std::optional<double> found_x(const std::optional<DemandedScale>& scale) {
  return scale && !scale->open ? std::optional(scale->x) : std::nullopt;
}

struct NamedCost {
  std::string name;
  std::optional<MachineCost> cost;
};

void write_demand(JsonText& json, const PredictReport& report, std::string_view name,
                  const std::optional<Demand>& demand,
                  std::initializer_list<NamedCost> costs = {}) {
  if (!demand) return;
  json.key(name).open('{');
  const auto write = [&json](std::string_view end, const std::optional<DemandedScale>& scale) {
    json.key(end).number(found_x(scale));
    if (scale && scale->open) json.key(fmt::format("{}_open", end)).boolean(true);
  };
  write(name_of(report.outlook.target), demand->x);
  write("lower", demand->lower);
  write("upper", demand->upper);
  json << Members{{"best", demand->best}, {"best_x", demand->best_x}};
  if (demand->until) json.key("until").number(demand->until);
  for (const NamedCost& one : costs) {
    if (one.cost) write_cost(json, one.name, one.cost);
  }
  json.close('}');
}

/// The scales that meet several limits together.
void write_all(JsonText& json, const ScalesWithin& all) {
  if (all.limits < 2) return;
  json.key("within_all_limits");
  if (all.has_none) {
    json.null();
    return;
  }
  json.open('{');
  json << Members{{"from", all.least}, {"to", all.greatest}};
  json.close('}');
}

// Columns.

/// A row is the forecast of a group at one scale.
struct ForecastRow {
  const Outlook& outlook;
  const ScaleOutlook& at;
  bool of_equal_work = true;  ///< Times of unlike work are no speedup.
};

void add_energy(Sheet<ForecastRow>& sheet) {
  const auto kwh = sheet.part([](const ForecastRow& row) { return pointer_to(row.at.kwh); });
  kwh.add("kwh_median", &Prediction::median);
  kwh.add("kwh_mean", &Prediction::mean);
  kwh.interval("kwh_pi", &Prediction::pi);
  const auto at = sheet.part([](const ForecastRow& row) { return &row.at; });
  at.add("co2_kg", &ScaleOutlook::co2_kg).as(significant(3));
  at.add("cost", &ScaleOutlook::cost);
}

/// The time of a whole job, as people say durations where its unit is known.
auto job_text(const PredictReport& report, Target target) {
  return [response = response_of(report, true), target](const ForecastRow& row) {
    const auto value = row.at.job ? value_of(*row.at.job, target) : std::nullopt;
    return value ? amount_text(response, *value) : std::string("-");
  };
}

void add_job(Sheet<ForecastRow>& sheet, const PredictReport& report) {
  const auto job = sheet.part([](const ForecastRow& row) { return pointer_to(row.at.job); });
  job.add("job_median", &Prediction::median).seen_as(job_text(report, Target::kMedian));
  job.add("job_mean", &Prediction::mean).seen_as(job_text(report, Target::kMean));
  job.interval("job_pi", &Prediction::pi);
}

/// A demand and what its columns are called.
struct DemandColumns {
  std::string name;
  std::string title;
  std::optional<Demand> Outlook::*demand;
};

std::vector<DemandColumns> demands_of(const PredictReport& report) {
  const OutlookOptions& outlook = report.outlook;
  const std::string units = units_of_scale(report.x);
  std::vector<DemandColumns> demands;
  const auto add = [&](const char* name, const std::optional<double>& asked, std::string_view title,
                       auto demand) {
    if (!asked) return;
    demands.push_back({name, fmt::format(fmt::runtime(title), units, *asked), demand});
  };
  add("deadline", outlook.deadline, has_speedup(report.quantity.kind) ? "{} in time" : "{} for it",
      &Outlook::deadline);
  add("throughput", outlook.throughput, "{} for {:.6g}", &Outlook::throughput);
  add("budget_gpu_hours", outlook.budget_gpu_hours, "{} within {:.6g} GPU-hours",
      &Outlook::budget_gpu_hours);
  add("budget_kwh", outlook.budget_kwh, "{} within {:.6g} kWh", &Outlook::budget_kwh);
  return demands;
}

/// The scales that meet a demand by both ends of the interval, the smaller one first; an end that
/// the search did not find is infinite. Empty where one of them meets it nowhere.
std::optional<Interval> scales_of(const Demand& demand) {
  if (!demand.lower || !demand.upper) return std::nullopt;
  const auto end = [](const std::optional<DemandedScale>& scale) {
    return found_x(scale).value_or(std::numeric_limits<double>::infinity());
  };
  const auto [low, high] = std::minmax({end(demand.lower), end(demand.upper)});
  return Interval{low, high};
}

std::string demanded_scale(const Demand& demand) {
  if (!demand.x) return "none";
  if (demand.x->open) return "no limit";
  const bool is_range = demand.until && *demand.until > demand.x->x;
  return is_range ? fmt::format("{} to {}", scale_text(demand.x->x), scale_text(*demand.until))
                  : scale_text(demand.x->x);
}

void add_demand(Sheet<ForecastRow>& sheet, const DemandColumns& names) {
  const auto demand =
      sheet.part([](const ForecastRow& row) { return &row.outlook; }).part(names.demand);
  demand.add(names.name + "_x", [](const Demand& found) { return found_x(found.x); })
      .seen_as(demand.seen(demanded_scale))
      .titled(names.title);
  demand.interval(names.name + "_x", scales_of);
  const bool is_budget = names.name != "deadline" && names.name != "throughput";
  if (is_budget) {
    demand.add(names.name + "_open", [](const Demand& found) { return found.x && found.x->open; });
  } else {
    demand.add(names.name + "_until", &Demand::until);
  }
  demand.add(names.name + "_best", &Demand::best);
  demand.add(names.name + "_best_x", &Demand::best_x);
}

void add_demands(Sheet<ForecastRow>& sheet, const PredictReport& report) {
  for (const DemandColumns& names : demands_of(report)) add_demand(sheet, names);
  const auto cost =
      sheet.part([](const ForecastRow& row) { return &row.outlook; }).part(&Outlook::deadline_cost);
  if (!report.outlook.deadline) return;
  if (report.outlook.gpu_price) cost.add("deadline_gpu_cost", &MachineCost::amount);
  if (report.outlook.node_price) cost.add("deadline_node_cost", &MachineCost::amount);
}

/// Whether people see speedups without --details: a number that is asked for is seen beside the
/// times, and losses are not shared out.
bool shows_speedup(const PredictReport& report) {
  return report.growing_work.empty() && !asks_for_scales(report.outlook) &&
         has_speedup(report.quantity.kind);
}

bool is_of_equal_work(const PredictReport& report, const GroupKey& group) {
  if (!report.partly_growing_work) return report.growing_work.empty();
  const std::vector<GroupKey>& growing = report.partly_growing_work->groups;
  return !contains(growing, group);
}

/// The columns of y itself, of which people see the figure that was asked for.
void add_response(Sheet<ForecastRow>& sheet, const PredictReport& report) {
  const bool is_mean = report.outlook.target == Target::kMean;
  const auto prediction = sheet.part([](const ForecastRow& row) { return &row.at.y; });
  auto median = prediction.add("median", &Prediction::median);
  auto mean = prediction.add("mean", &Prediction::mean);
  const std::string y = label_with_unit(report.y, report.y_unit);
  (is_mean ? mean : median).titled(is_mean ? "mean " + y : y);
  (is_mean ? median : mean).detail().titled(is_mean ? "median" : "mean");
  prediction.interval("ci", &Prediction::ci);
  prediction.interval("pi", &Prediction::pi).titled(percent_of_new_runs(report));
  prediction.add("extrapolation", &Prediction::extrapolation).seen_as([](const ForecastRow& row) {
    const double beyond = row.at.y.extrapolation;
    return beyond > 0 ? shown_text(beyond, decimals(2)) : "inside";
  });
  const auto speedup = prediction.add("speedup", &Prediction::speedup);
  const auto efficiency =
      sheet.add("efficiency", [shares_work = may_share_work(report.x)](const ForecastRow& row) {
        return shares_work ? std::optional(row.at.y.efficiency) : std::nullopt;
      });
  const auto shown = [](double Prediction::*value, Shown as) {
    return [value, as](const ForecastRow& row) {
      return row.of_equal_work ? shown_text(row.at.y.*value, as) : std::string("-");
    };
  };
  speedup.seen_as(shown(&Prediction::speedup, significant(3)));
  efficiency.seen_as(shown(&Prediction::efficiency, percent(0)));
  if (!has_speedup(report.quantity.kind)) return;
  speedup.titled("speedup");
  if (may_share_work(report.x)) efficiency.titled("efficiency");
  if (shows_speedup(report)) return;
  speedup.detail();
  efficiency.detail();
}

/// Shows people the columns behind those that everybody sees.
void show_rest(Sheet<ForecastRow>& sheet, const PredictReport& report) {
  const OutlookOptions& outlook = report.outlook;
  const bool is_mean = outlook.target == Target::kMean;
  if (outlook.epochs || outlook.tokens)
    sheet.show(is_mean ? "job_mean" : "job_median", "whole job");
  // Beside the number that a deadline needs, they are those of the row all the same.
  const bool of_at = asks_for_scales(outlook) && !outlook.at.empty();
  if (outlook.hours_per_unit) {
    sheet.show("gpu_hours", of_at ? "GPU-hours at " + report.x : std::string("GPU-hours"));
  }
  if (outlook.gpu_price) sheet.show("gpu_cost", "cost of GPUs");
  if (outlook.node_price) {
    sheet.show("node_hours", "node-hours");
    sheet.show("node_cost", "cost of nodes");
  }
  if (!report.energy.empty()) {
    sheet.show(is_mean ? "kwh_mean" : "kwh_median", "kWh");
    if (outlook.footprint.carbon_intensity) sheet.show("co2_kg", "kg CO2");
    if (outlook.footprint.price) sheet.show("cost", "cost of energy");
  }
  sheet.named("extrapolation").detail().titled("beyond data");
}

Sheet<ForecastRow> predict_sheet(const PredictReport& report) {
  const OutlookOptions& outlook = report.outlook;
  Sheet<ForecastRow> sheet(report.by);
  sheet.add_status();
  sheet.add("x", [](const ForecastRow& row) { return row.at.y.x; })
      .as(scale_value())
      .key()
      .titled(report.x);
  add_response(sheet, report);
  const auto at = sheet.part([](const ForecastRow& row) { return &row.at; });
  const auto add_cost = [&](const char* name, auto cost) {
    const auto money = [&report](const MachineCost& of) { return money_text(report, of.amount); };
    at.part(cost).add(name, &MachineCost::amount).seen_as(at.part(cost).seen(money));
  };
  at.add("gpu_hours", &ScaleOutlook::gpu_hours);
  if (!report.energy.empty()) add_energy(sheet);
  if (outlook.epochs || outlook.tokens) add_job(sheet, report);
  if (outlook.gpu_price) add_cost("gpu_cost", &ScaleOutlook::gpu_cost);
  if (outlook.node_price) {
    at.add("node_hours", &ScaleOutlook::node_hours);
    add_cost("node_cost", &ScaleOutlook::node_cost);
  }
  add_demands(sheet, report);
  if (const auto pool = pooled(report.options)) {
    sheet.add("pool", [pool](const ForecastRow& row) {
      return name_of(row.outlook.forecast.mixture || *pool != Pool::kLaws ? *pool : Pool::kNone);
    });
  }
  sheet.add("warnings", [](const ForecastRow& row) {
    return joined_texts(row.outlook.doubts, ";",
                        [](const ForecastDoubt& doubt) { return name_of(doubt.code); });
  });
  sheet.add_failure();
  show_rest(sheet, report);
  return sheet;
}

// Sentences.

std::string laws_text(const Forecast& forecast) {
  return joined_texts(laws_taking_part(forecast), ", ", [](const LawShare& share) {
    return fmt::format("{} {:.2f}", share.law->name(), share.weight);
  });
}

std::string footprint_text(const PredictReport& report) {
  const Footprint& footprint = report.outlook.footprint;
  std::string text;
  if (footprint.pue > 1) text += fmt::format(", PUE {:.4g}", footprint.pue);
  if (footprint.carbon_intensity) {
    text += fmt::format(", {:.4g} g CO2 per kWh", *footprint.carbon_intensity);
  }
  if (footprint.price) text += fmt::format(", price {:.4g} per kWh", *footprint.price);
  return text;
}

/// A typical share, and one standard deviation about it.
std::string share_range(const NormalPrior& log_share) {
  const auto share_at = [&](double sds) {
    return 100 / (1 + std::exp(-log_share.mean - sds * log_share.sd));
  };
  return fmt::format("{:.2g} % ({:.2g} to {:.2g} %)", share_at(0), share_at(-1), share_at(1));
}

/// The median of the scatter of levels over groups, by Wilson and Hilferty's approximation.
double typical_scatter(const LawPriors& priors) {
  const double below = 1 - 2 / (9 * priors.scatter_dof);
  return std::sqrt(priors.scatter_variance / (below * below * below));
}

/// How much the laws weigh, and what is typical of the groups.
std::string learned_sentence(const LearnedPriors& learned) {
  const LawPriors& all = learned.of_all();
  const auto weight = [&all](MixedLaw law) { return all.weights[static_cast<std::size_t>(law)]; };
  std::vector<std::string> laws;
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    laws.push_back(
        fmt::format("{} {:.2f}", law_of(static_cast<MixedLaw>(law)).name(), all.weights[law]));
  }
  std::string text = fmt::format(
      "Pooled: each forecast also uses what the others of {} groups tell. Their laws weigh {}.",
      learned.groups, joined(laws));
  if (weight(MixedLaw::kFloor) > 0.2) {
    text += fmt::format(" A floor takes {} of the first time.", share_range(all.floor));
  }
  if (weight(MixedLaw::kAmdahl) + weight(MixedLaw::kUsl) > 0.2) {
    text += fmt::format(" Serial work takes {} of the first time.", share_range(all.serial));
  }
  return text + fmt::format(" Means at one scale typically lie {:.2g} % from the curve.",
                            100 * typical_scatter(all));
}

class PredictDescription final : public Description<PredictReport, Outlook, ForecastRow> {
 public:
  explicit PredictDescription(const PredictReport& report)
      : Description(report, {.noun = "forecast",
                             .schema = "scalelaw.predict/1",
                             .list = "forecasts",
                             .unexplained = "--format json has them all",
                             .most_explained = 24}) {}

  void write_head(JsonText& head) const override { write_questions(head, report_); }

  void write_members(JsonText& json, const Outlook& outlook) const override {
    const Forecast& forecast = outlook.forecast;
    json << Members{{"n", forecast.n}, {"distinct_x", forecast.distinct_x}};
    write_numbers(json, {{"x_min", forecast.x_min}, {"x_max", forecast.x_max}});
    if (forecast.chosen != nullptr) json.key("chosen").text(forecast.chosen->name());
    write_objects(json.key("laws"), forecast.laws, write_law);
    write_numbers(json, {{"sigma", forecast.sigma}, {"smearing", forecast.smearing}});
    const auto pool = pooled(report_.options);
    if (pool && (forecast.mixture || *pool != Pool::kLaws)) json.key("pool").text(name_of(*pool));
    write_objects(json.key("predictions"), outlook.scales,
                  [&](const ScaleOutlook& at) { write_scale(json, report_, at); });
    const std::string cost = report_.outlook.node_price ? "node_cost" : "gpu_cost";
    write_demand(json, report_, "deadline", outlook.deadline,
                 {{cost, outlook.deadline_cost}, {"safe_" + cost, outlook.safe_deadline_cost}});
    write_demand(json, report_, "throughput", outlook.throughput);
    write_demand(json, report_, "budget_gpu_hours", outlook.budget_gpu_hours);
    write_demand(json, report_, "budget_kwh", outlook.budget_kwh);
    write_all(json, scales_within_all(outlook));
    write_objects(json.key("warnings"), outlook.doubts,
                  [](JsonText& members, const ForecastDoubt& doubt) {
                    members << Members{{"code", doubt.code}, {"message", doubt.sentence}};
                  });
  }

  Sheet<ForecastRow> sheet(Format) const override { return predict_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Outlook& outlook) const override {
    if (outlook.scales.size() > 1) rows.begin_part();
    const bool of_equal_work = is_of_equal_work(report_, group);
    for (const ScaleOutlook& at : outlook.scales) {
      rows.add(group, ForecastRow{outlook, at, of_equal_work});
    }
  }

  void take_note_of(const GroupKey& group, const Outlook& outlook) override {
    const Forecast& forecast = outlook.forecast;
    if (forecast.mixture && forecast.distinct_x >= kFewestScalesToLearnFrom) ++teachers_;
    answer_.take_note_of(report_, group, outlook);
  }

  std::vector<std::string> answer() const override { return answer_.sentences(report_); }

  void open(Notes& lines) const override {
    lines.add(answer_.lines(report_));
    if (shows_speedup(report_) && answer_.has_forecasts()) {
      lines.add(fmt::format("Speedup{}: against the law at the smallest measured {}{}.",
                            may_share_work(report_.x) ? " and efficiency" : "",
                            noun_of_scale(report_.x), report_.by.empty() ? "" : " of each group"));
      if (report_.options.rate_of_one) lines.add(rate_of_one_sentence(report_.y, report_.x));
    }
    if (!report_.energy.empty()) {
      lines.detail(fmt::format("kWh comes from {}{}.", report_.energy, footprint_text(report_)));
    }
    lines.detail(
        "\"beyond data\" is the distance from the measured range, in units of its length on a "
        "logarithmic scale.");
    lines.detail(report_.options.kind == ForecastKind::kLaw
                     ? "Intervals take the law for true."
                     : "Intervals include the choice of the law. A weight tells how plausible each "
                       "law is: few scales rule none out. scalelaw rank compares best fits.");
  }

  void explain(Notes& lines, const GroupKey& group, const Outlook& outlook) override {
    for (const ForecastDoubt& doubt : outlook.doubts) {
      warnings_.take(doubt.code, group_name(report_.by, group), [&] { return doubt.sentence; });
    }
    const Forecast& forecast = outlook.forecast;
    const std::string chosen =
        forecast.chosen != nullptr ? fmt::format("the {} law; ", forecast.chosen->name()) : "";
    lines.detail(fmt::format("{}: {}weights {}", said_group(report_.by, group), chosen,
                             laws_text(outlook.forecast)));
  }

  void close(Notes& lines) const override {
    if (report_.options.pooling) lines.add(pooling_sentence(*report_.options.pooling));
    if (report_.options.learned) {
      lines.add(learned_sentence(*report_.options.learned));
    } else if (teachers_ >= kFewestToLearnFrom) {
      lines.add(
          fmt::format("If laws of the groups are alike, --pool laws narrows the intervals: each "
                      "forecast learns from {} groups. --backtest shows what that gains.",
                      teachers_));
    }
    lines.add(warnings_.lines());
  }

 private:
  PredictAnswer answer_;
  std::size_t teachers_ = 0;  ///< Groups of which the others could learn their laws.
  WarningNotes warnings_;
};

}  // namespace

void write_questions(JsonText& head, const PredictReport& report) {
  write_data(head, report);
  const ForecastOptions& options = report.options;
  head.member("law").text(options.law != nullptr ? options.law->name() : name_of(options.kind));
  head.member("response").text(name_of(options.response));
  write_points(head, report);
  if (options.pooling) write_pooling(head, *options.pooling);
  if (options.learned) write_learned(head, *options.learned);
  head.member("confidence").number(options.confidence);
  const OutlookOptions& outlook = report.outlook;
  head.member("target").text(name_of(outlook.target));
  if (outlook.deadline) head.member("deadline").number(*outlook.deadline);
  if (outlook.throughput) head.member("throughput").number(*outlook.throughput);
  const double per_time = outlook.epochs ? report.quantity.multiple : 1;
  const auto& job = outlook.epochs ? outlook.epochs : outlook.tokens;
  if (job) head.member(report.job_member).number(*job * per_time);
  if (outlook.gpu_price) head.member("gpu_price").number(*outlook.gpu_price);
  if (outlook.node_price) head.member("node_price").number(*outlook.node_price);
  if (outlook.budget_gpu_hours) head.member("budget_gpu_hours").number(*outlook.budget_gpu_hours);
  if (outlook.budget_kwh) head.member("budget_kwh").number(*outlook.budget_kwh);
  if (!report.energy.empty()) {
    head << HeadMembers{{"energy", report.energy}, {"pue", outlook.footprint.pue}};
    head.member("carbon_intensity").number(outlook.footprint.carbon_intensity);
    head.member("price").number(outlook.footprint.price);
  }
  write_rows(head, report);
}

std::unique_ptr<GroupWriter<Outlook>> make_predict_writer(const PredictReport& report,
                                                          const TableStyle& style, TextSink sink) {
  return make_result_writer(PredictDescription(report), style, std::move(sink));
}

}  // namespace scalelaw
