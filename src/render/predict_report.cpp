// Forecasts and their backtest in every format: JSON (schemas scalelaw.predict/1 and
// scalelaw.backtest/1), one row per group and x, one row per way of forecasting.

#include "scalelaw/render/predict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/asked_words.hpp"
#include "render/json_document.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

/// Writes median and mean, and the intervals of the curve and of new runs.
void write_prediction(JsonText& json, const Prediction& prediction) {
  write_numbers(json, {{"median", prediction.median}, {"mean", prediction.mean}});
  write_interval(json.key("ci"), prediction.ci);
  write_interval(json.key("pi"), prediction.pi);
}

void write_scale(JsonText& json, const PredictReport& report, const ScaleOutlook& at) {
  json.key("x").number(at.y.x);
  write_prediction(json, at.y);
  json.key("extrapolation").number(at.y.extrapolation);
  write_numbers(json, {{"speedup", at.y.speedup}, {"efficiency", at.y.efficiency}});
  if (at.job) write_object(json.key("job"), at.job, write_prediction);
  json.key("gpu_hours").number(at.gpu_hours);
  if (report.outlook.gpu_price) json.key("gpu_cost").number(at.gpu_cost);
  if (report.energy.empty()) return;
  write_object(json.key("kwh"), at.kwh, write_prediction);
  write_numbers(json, {{"co2_kg", at.co2_kg}, {"cost", at.cost}});
}

void write_law(JsonText& json, const LawShare& share) {
  json.key("law").text(share.law->name());
  json.key("weight").number(share.weight);
  json.key("parameters").open('{');
  for (std::size_t k = 0; k < share.parameters.size(); ++k) {
    json.key(share.law->parameters()[k].name).number(share.parameters[k]);
  }
  json.close('}');
}

void write_demand(JsonText& json, const PredictReport& report, std::string_view name,
                  const std::optional<Demand>& demand, std::optional<double> cost = {}) {
  if (!demand) return;
  json.key(name).open('{');
  const auto write = [&json](std::string_view end, const std::optional<DemandedScale>& scale) {
    json.key(end).number(scale ? std::optional(scale->x) : std::nullopt);
    if (scale && scale->open) json.key(fmt::format("{}_open", end)).boolean(true);
  };
  write(name_of(report.outlook.target), demand->x);
  write("lower", demand->lower);
  write("upper", demand->upper);
  json.key("best").number(demand->best);
  json.key("best_x").number(demand->best_x);
  if (demand->until) json.key("until").number(demand->until);
  if (cost) json.key("gpu_cost").number(cost);
  json.close('}');
}

void write_questions(JsonText& head, const PredictReport& report) {
  write_data(head, report);
  const ForecastOptions& options = report.options;
  head.member("law").text(options.law != nullptr ? options.law->name() : name_of(options.kind));
  head.member("response").text(name_of(options.response));
  write_points(head, report);
  if (options.pooling) write_pooling(head, *options.pooling);
  head.member("confidence").number(options.confidence);
  const OutlookOptions& outlook = report.outlook;
  head.member("target").text(name_of(outlook.target));
  if (outlook.deadline) head.member("deadline").number(*outlook.deadline);
  if (outlook.throughput) head.member("throughput").number(*outlook.throughput);
  if (outlook.epochs) head.member("epochs").number(*outlook.epochs);
  if (outlook.gpu_price) head.member("gpu_price").number(*outlook.gpu_price);
  if (outlook.budget_gpu_hours) head.member("budget_gpu_hours").number(*outlook.budget_gpu_hours);
  if (outlook.budget_kwh) head.member("budget_kwh").number(*outlook.budget_kwh);
  if (!report.energy.empty()) {
    head.member("energy").text(report.energy);
    head.member("pue").number(outlook.footprint.pue);
    head.member("carbon_intensity").number(outlook.footprint.carbon_intensity);
    head.member("price").number(outlook.footprint.price);
  }
  write_rows(head, report);
}

// Columns.

/// A row is the forecast of a group at one scale.
struct ForecastRow {
  const Outlook& outlook;
  const ScaleOutlook& at;
};

std::string percent_of_new_runs(const PredictReport& report) {
  return percent_text(report.options.confidence) + " of new runs";
}

/// An amount of money with its currency, "$32.5" or "32.5 EUR".
std::string money_text(const PredictReport& report, double amount) {
  return report.currency.before + with_significant_digits(amount, 3) + report.currency.behind;
}

auto money_in(const PredictReport& report, std::optional<double> ScaleOutlook::*amount) {
  return [currency = report.currency, amount](const ForecastRow& row) {
    const auto value = row.at.*amount;
    return value ? currency.before + with_significant_digits(*value, 3) + currency.behind
                 : std::string("-");
  };
}

void add_energy(Sheet<ForecastRow>& sheet) {
  const auto kwh = sheet.part([](const ForecastRow& row) { return pointer_to(row.at.kwh); });
  kwh.add("kwh_median", &Prediction::median);
  kwh.add("kwh_mean", &Prediction::mean);
  kwh.interval("kwh_pi", &Prediction::pi);
  sheet.add("co2_kg", [](const ForecastRow& row) { return row.at.co2_kg; }).as(significant(3));
  sheet.add("cost", [](const ForecastRow& row) { return row.at.cost; });
}

AskedResponse response_of(const PredictReport& report, bool of_job) {
  const bool is_rate = report.options.response == Response::kRate;
  return {.y = report.y,
          .unit = is_rate ? "" : report.y_unit,  // The unit of "images_per_second" is no second.
          .kind = report.options.response,
          .x = report.x,
          .epochs = of_job ? report.outlook.epochs : std::nullopt,
          .on_average = report.outlook.target == Target::kMean};
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
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  std::vector<DemandColumns> demands;
  if (outlook.deadline) demands.push_back({"deadline", units + " in time", &Outlook::deadline});
  if (outlook.throughput) {
    demands.push_back({"throughput", fmt::format("{} for {}", units, number(*outlook.throughput)),
                       &Outlook::throughput});
  }
  if (outlook.budget_gpu_hours) {
    const std::string title =
        fmt::format("{} within {} GPU-hours", units, number(*outlook.budget_gpu_hours));
    demands.push_back({"budget_gpu_hours", title, &Outlook::budget_gpu_hours});
  }
  if (outlook.budget_kwh) {
    demands.push_back({"budget_kwh",
                       fmt::format("{} within {} kWh", units, number(*outlook.budget_kwh)),
                       &Outlook::budget_kwh});
  }
  return demands;
}

/// The scales that meet a demand by both ends of the interval, the smaller one first. Empty where
/// one of them meets it nowhere.
std::optional<Interval> scales_of(const Demand& demand) {
  if (!demand.lower || !demand.upper) return std::nullopt;
  const auto [low, high] = std::minmax(demand.lower->x, demand.upper->x);
  return Interval{low, high};
}

std::string demanded_scale(const std::optional<Demand>& demand) {
  if (!demand || !demand->x) return "none";
  return scale_text(demand->x->x) + (demand->x->open ? " or more" : "");
}

void add_demand(Sheet<ForecastRow>& sheet, const DemandColumns& names) {
  const auto with = [demand = names.demand](auto text) {
    return [demand, text](const ForecastRow& row) {
      return text((row.outlook.*demand).value_or(Demand{}));
    };
  };
  sheet
      .add(names.name + "_x", with([](const Demand& found) {
             return found.x ? std::optional(found.x->x) : std::nullopt;
           }))
      .seen_as([demand = names.demand](const ForecastRow& row) {
        return demanded_scale(row.outlook.*demand);
      })
      .titled(names.title);
  sheet.interval(names.name + "_x", with(scales_of));
  if (names.name == "deadline" || names.name == "throughput") {
    sheet.add(names.name + "_until", with([](const Demand& found) { return found.until; }));
  }
  sheet.add(names.name + "_best", with([](const Demand& found) { return found.best; }));
  sheet.add(names.name + "_best_x", with([](const Demand& found) { return found.best_x; }));
}

void add_demands(Sheet<ForecastRow>& sheet, const PredictReport& report) {
  for (const DemandColumns& names : demands_of(report)) add_demand(sheet, names);
  if (report.outlook.deadline && report.outlook.gpu_price) {
    sheet.add("deadline_gpu_cost",
              [](const ForecastRow& row) { return row.outlook.deadline_cost; });
  }
}

/// The columns of y itself, of which people see the figure that was asked for.
void add_response(Sheet<ForecastRow>& sheet, const PredictReport& report) {
  const bool is_mean = report.outlook.target == Target::kMean;
  auto median = sheet.add("median", [](const ForecastRow& row) { return row.at.y.median; });
  auto mean = sheet.add("mean", [](const ForecastRow& row) { return row.at.y.mean; });
  (is_mean ? mean : median).titled(is_mean ? "mean " + report.y : report.y);
  (is_mean ? median : mean).detail().titled(is_mean ? "median" : "mean");
  sheet.interval("ci", [](const ForecastRow& row) { return row.at.y.ci; });
  sheet.interval("pi", [](const ForecastRow& row) { return row.at.y.pi; })
      .titled(percent_of_new_runs(report));
  sheet.add("extrapolation", [](const ForecastRow& row) { return row.at.y.extrapolation; })
      .seen_as([](const ForecastRow& row) {
        const double beyond = row.at.y.extrapolation;
        return beyond > 0 ? shown_text(beyond, decimals(2)) : "inside";
      });
  const auto speedup =
      sheet.add("speedup", [](const ForecastRow& row) { return row.at.y.speedup; });
  const auto efficiency =
      sheet.add("efficiency", [](const ForecastRow& row) { return row.at.y.efficiency; });
  speedup.as(significant(3)).titled("speedup");
  efficiency.as(percent(0)).titled("efficiency");
  if (!asks_for_scales(report.outlook)) return;
  speedup.detail();  // Who asks for a number of GPUs wants that number beside the times.
  efficiency.detail();
}

/// Shows people the columns behind those that everybody sees.
void show_rest(Sheet<ForecastRow>& sheet, const PredictReport& report) {
  const OutlookOptions& outlook = report.outlook;
  const bool is_mean = outlook.target == Target::kMean;
  if (outlook.epochs) sheet.show(is_mean ? "job_mean" : "job_median", "whole job");
  if (outlook.hours_per_unit) sheet.show("gpu_hours", "GPU-hours");
  if (outlook.gpu_price) sheet.show("gpu_cost", "cost of GPUs");
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
      .titled(report.x);
  add_response(sheet, report);
  sheet.add("gpu_hours", [](const ForecastRow& row) { return row.at.gpu_hours; });
  if (!report.energy.empty()) add_energy(sheet);
  if (outlook.epochs) add_job(sheet, report);
  if (outlook.gpu_price) {
    sheet.add("gpu_cost", [](const ForecastRow& row) { return row.at.gpu_cost; })
        .seen_as(money_in(report, &ScaleOutlook::gpu_cost));
  }
  add_demands(sheet, report);
  if (const auto& pooling = report.options.pooling) {
    sheet.add("pool", [kind = pooling->kind](const ForecastRow&) { return name_of(kind); });
  }
  sheet.add_failure();
  show_rest(sheet, report);
  return sheet;
}

// Sentences.

std::string laws_text(const Forecast& forecast) {
  std::vector<LawShare> shares = forecast.laws;
  std::erase_if(shares, [](const LawShare& share) { return share.weight < 0.005; });
  return joined_texts(shares, ", ", [](const LawShare& share) {
    return fmt::format("{} {:.2f}", share.law->name(), share.weight);
  });
}

/// "At 512 GPUs an epoch takes 71 s (95 % of new runs: 66 to 77 s)."
std::string forecast_sentence(const PredictReport& report, const ScaleOutlook& at) {
  const AskedResponse response = response_of(report, at.job.has_value());
  const Prediction& prediction = at.job ? *at.job : at.y;
  const auto value = value_of(prediction, report.outlook.target);
  if (!value) return "";
  const std::string range = range_text(response, prediction.pi);
  std::string text = fmt::format(
      "At {} {}{}.", place_on_scale(report.x, at.y.x), value_clause(response, *value),
      range.empty() ? "" : fmt::format(" ({}: {})", percent_of_new_runs(report), range));
  if (at.gpu_cost) text += fmt::format(" The GPUs cost {}.", money_text(report, *at.gpu_cost));
  return text;
}

std::string budget_sentence(const PredictReport& report, const Demand& demand, double budget,
                            std::string_view unit) {
  const std::string limit = fmt::format("{:.6g} {}", budget, unit);
  const AskedResponse response = response_of(report, true);
  if (!demand.x) {
    const std::string best =
        std::isfinite(demand.best)
            ? fmt::format("the least is {}", with_significant_digits(demand.best, 4))
            : "the least is not known";
    return fmt::format("{} are too few for {} on any number of {}: {}.", limit,
                       subject_of(response), units_of_scale(report.x), best);
  }
  return fmt::format("{} suffice for {} on up to {}{}{}.", limit, subject_of(response),
                     place_on_scale(report.x, demand.x->x), demand.x->open ? " or more" : "",
                     certainty_text(demand, true, report.options.confidence));
}

/// Whether only the laws speak for a scale that was found.
bool is_far(const Outlook& outlook, const std::optional<Demand>& demand) {
  return demand && demand->x && is_far_beyond(outlook.forecast, *demand->x);
}

/// The answers to the demands of a group, a sentence each.
std::vector<std::string> demand_sentences(const PredictReport& report, const Outlook& outlook) {
  const OutlookOptions& asked = report.outlook;
  const double confidence = report.options.confidence;
  std::vector<std::string> sentences;
  if (outlook.deadline) {
    sentences.push_back(demand_sentence(response_of(report, true), *outlook.deadline,
                                        *asked.deadline, report.deadline, confidence));
    if (outlook.deadline_cost) {
      sentences.push_back(
          fmt::format("The GPUs cost {}.", money_text(report, *outlook.deadline_cost)));
    }
  }
  if (outlook.throughput) {
    sentences.push_back(demand_sentence(response_of(report, false), *outlook.throughput,
                                        *asked.throughput, "", confidence));
  }
  if (outlook.budget_gpu_hours) {
    sentences.push_back(
        budget_sentence(report, *outlook.budget_gpu_hours, *asked.budget_gpu_hours, "GPU-hours"));
  }
  if (outlook.budget_kwh) {
    sentences.push_back(budget_sentence(report, *outlook.budget_kwh, *asked.budget_kwh, "kWh"));
  }
  if (is_far(outlook, outlook.deadline) || is_far(outlook, outlook.throughput) ||
      is_far(outlook, outlook.budget_gpu_hours) || is_far(outlook, outlook.budget_kwh)) {
    sentences.push_back(
        fmt::format("This is far beyond the {} that were measured: only the laws speak for it.",
                    place_on_scale(report.x, outlook.forecast.x_max)));
  }
  return sentences;
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

/// What the answer says of all groups: what each was asked, and the extremes of the last scale.
class PredictAnswer {
 public:
  void take_note_of(const PredictReport& report, const GroupKey& group, const Outlook& outlook) {
    ++groups_;
    note_demands(report, group, outlook);
    note_last(report, group, outlook.scales.back());
    if (groups_ > kMostGroups) return;
    const std::vector<std::string> demands = demand_sentences(report, outlook);
    if (asks_for_scales(report.outlook)) {
      answers_.push_back(fmt::format("{}: {}", said_group(report.by, group), joined(demands, " ")));
    }
    if (groups_ == 1) note_only(report, outlook, demands);
  }

  std::vector<std::string> sentences(const PredictReport& report) const {
    const bool asks = asks_for_scales(report.outlook);
    if (groups_ == 1) return only_;
    std::vector<std::string> sentences;
    if (asks) sentences.push_back(met_sentence(report));
    if (!asks) sentences.push_back(extremes_sentence(report));
    return sentences;
  }

  /// The answers of the groups, where there are several.
  std::vector<std::string> lines() const {
    return groups_ > 1 ? answers_ : std::vector<std::string>();
  }

 private:
  static constexpr std::size_t kMostGroups = 24;

  struct Extreme {
    std::string group;
    double value;
  };

  /// What is said where no other group follows.
  void note_only(const PredictReport& report, const Outlook& outlook,
                 const std::vector<std::string>& demands) {
    if (asks_for_scales(report.outlook)) {
      only_ = demands;
      return;
    }
    const std::size_t shown = std::min<std::size_t>(outlook.scales.size(), 2);
    for (std::size_t i = 0; i < shown; ++i) {
      only_.push_back(forecast_sentence(report, outlook.scales[i]));
    }
  }

  /// The names of groups are only made of those that become extremes.
  static void widen(std::optional<Extreme>& least, std::optional<Extreme>& most, double value,
                    const PredictReport& report, const GroupKey& group) {
    if (!least || value < least->value) least = {said_group(report.by, group), value};
    if (!most || value > most->value) most = {said_group(report.by, group), value};
  }

  void note_demands(const PredictReport& report, const GroupKey& group, const Outlook& outlook) {
    const auto& first = outlook.deadline ? outlook.deadline : outlook.throughput;
    if (first && first->x) widen(least_x_, most_x_, first->x->x, report, group);
    const bool lacks_budget = lacks(outlook.budget_gpu_hours) || lacks(outlook.budget_kwh);
    without_ += (first ? lacks(first) : lacks_budget) ? 1 : 0;
  }

  static bool lacks(const std::optional<Demand>& demand) { return demand && !demand->x; }

  void note_last(const PredictReport& report, const GroupKey& group, const ScaleOutlook& at) {
    const Prediction& prediction = at.job ? *at.job : at.y;
    const auto value = value_of(prediction, report.outlook.target);
    is_one_place_ &= !place_ || *place_ == at.y.x;
    place_ = at.y.x;
    is_job_ = at.job.has_value();
    if (value) widen(least_, most_, *value, report, group);
  }

  /// "At 1024 GPUs an epoch takes between 18.3 s (model DimeNet) and 603 s (model InceptionV3)."
  std::string extremes_sentence(const PredictReport& report) const {
    if (!least_ || !most_) return "";
    const AskedResponse response = response_of(report, is_job_);
    const std::string place = is_one_place_
                                  ? place_on_scale(report.x, *place_)
                                  : std::string("the largest forecast scale of each group");
    return fmt::format("At {} {} ({}) and {} ({}).", place, between_clause(response), least_->group,
                       amount_text(response, most_->value), most_->group);
  }

  std::string between_clause(const AskedResponse& response) const {
    const std::string amount = amount_text(response, least_->value);
    std::string clause = value_clause(response, least_->value);
    clause.insert(clause.size() - amount.size(), "between ");
    return clause;
  }

  /// "It takes 133 GPUs (model BERT) to 821 GPUs (model VGG16) to bring an epoch below 60 s; 1 of 6
  /// groups cannot."
  std::string met_sentence(const PredictReport& report) const {
    const std::string cannot =
        without_ == 0 ? "" : fmt::format("; {} of {} cannot", without_, counted(groups_, "group"));
    const OutlookOptions& asked = report.outlook;
    if (!least_x_ || (!asked.deadline && !asked.throughput)) {
      return fmt::format("{} of {} can meet what was asked for.", groups_ - without_,
                         counted(groups_, "group"));
    }
    const std::string goal =
        asked.deadline ? goal_of(response_of(report, true), *asked.deadline, report.deadline)
                       : goal_of(response_of(report, false), *asked.throughput, "");
    const std::string least = place_on_scale(report.x, least_x_->value);
    if (least_x_->value == most_x_->value) {
      const bool is_one = groups_ - without_ == 1;
      return fmt::format("It takes {}{} to bring {}{}.", least,
                         is_one ? fmt::format(" ({})", least_x_->group) : "", goal, cannot);
    }
    return fmt::format("It takes {} ({}) to {} ({}) to bring {}{}.", least, least_x_->group,
                       place_on_scale(report.x, most_x_->value), most_x_->group, goal, cannot);
  }

  std::size_t groups_ = 0;
  std::size_t without_ = 0;  ///< How many cannot meet the deadline or throughput, else a budget.
  std::vector<std::string> only_;     ///< On the first group, where there is one.
  std::vector<std::string> answers_;  ///< Of the first groups.
  std::optional<Extreme> least_;
  std::optional<Extreme> most_;
  std::optional<Extreme> least_x_;  ///< The least and the greatest scale that meet the demand.
  std::optional<Extreme> most_x_;
  std::optional<double> place_;
  bool is_one_place_ = true;
  bool is_job_ = false;
};

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
    json.key("n").count(forecast.n);
    json.key("distinct_x").count(forecast.distinct_x);
    write_numbers(json, {{"x_min", forecast.x_min}, {"x_max", forecast.x_max}});
    if (forecast.chosen != nullptr) json.key("chosen").text(forecast.chosen->name());
    write_objects(json.key("laws"), forecast.laws, write_law);
    write_numbers(json, {{"sigma", forecast.sigma}, {"smearing", forecast.smearing}});
    if (const auto& pooling = report_.options.pooling)
      json.key("pool").text(name_of(pooling->kind));
    write_objects(json.key("predictions"), outlook.scales,
                  [&](const ScaleOutlook& at) { write_scale(json, report_, at); });
    write_demand(json, report_, "deadline", outlook.deadline, outlook.deadline_cost);
    write_demand(json, report_, "throughput", outlook.throughput);
    write_demand(json, report_, "budget_gpu_hours", outlook.budget_gpu_hours);
    write_demand(json, report_, "budget_kwh", outlook.budget_kwh);
  }

  Sheet<ForecastRow> sheet(Format) const override { return predict_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Outlook& outlook) const override {
    if (outlook.scales.size() > 1) rows.begin_part();
    for (const ScaleOutlook& at : outlook.scales) rows.add(group, ForecastRow{outlook, at});
  }

  void take_note_of(const GroupKey& group, const Outlook& outlook) override {
    answer_.take_note_of(report_, group, outlook);
  }

  std::vector<std::string> answer() const override { return answer_.sentences(report_); }

  void open(Notes& lines) const override {
    lines.add(answer_.lines());
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
    const Forecast& forecast = outlook.forecast;
    const std::string chosen =
        forecast.chosen != nullptr ? fmt::format("the {} law; ", forecast.chosen->name()) : "";
    lines.detail(fmt::format("{}: {}weights {}", said_group(report_.by, group), chosen,
                             laws_text(outlook.forecast)));
  }

  void close(Notes& lines) const override {
    if (report_.options.pooling) lines.add(pooling_sentence(*report_.options.pooling));
  }

 private:
  PredictAnswer answer_;
};

// Backtest.

void write_score(JsonText& json, const BacktestScore& score) {
  json.key("name").text(score.name);
  json.key("series").count(std::uint64_t{score.series});
  write_numbers(json, {{"median_error", score.median_error}, {"p90_error", score.p90_error}});
  write_numbers(json, {{"bias", score.bias}, {"coverage", score.coverage}});
  json.key("median_width").number(score.width);
  json.key("intervals").count(std::uint64_t{score.intervals});
}

void write_point(JsonText& json, const PredictReport& report, const HiddenPoint& point) {
  write_group(json.key("group"), report.by, point.group);
  json.key("x").number(point.x);
  json.key("name").text(point.name);
  json.key("log_error").number(point.log_error);
  json.key("inside").boolean(point.inside);
  json.key("width").number(point.width);
}

void write_backtest_json(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                         const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.backtest/1");
  write_questions(document.head(), report);
  document.member("hidden").count(std::uint64_t{hidden});
  document.head().key("skipped").count(std::uint64_t{backtest.skipped});
  document.list("scores", backtest.scores, write_score, "[\n ]");
  const auto write = [&report](JsonText& json, const HiddenPoint& point) {
    write_point(json, report, point);
  };
  document.list("points", backtest.points, write, "[\n ]");
  document.finish();
}

Sheet<BacktestScore> backtest_sheet() {
  using Score = BacktestScore;
  Sheet<Score> sheet(std::vector<std::string>{});
  sheet.add("name", &Score::name).titled("forecast");
  sheet.add("series", &Score::series).titled("series");
  sheet.add("median_error", &Score::median_error).as(decimals(3)).titled("median error");
  sheet.add("p90_error", &Score::p90_error).as(decimals(3)).titled("error of nine in ten");
  sheet.add("bias", &Score::bias).as(signed_decimals(3)).titled("mean error");
  sheet.add("coverage", &Score::coverage)
      .seen_as([](const Score& score) {
        return score.coverage ? fmt::format("{} of {}", shown_text(score.coverage, percent(1)),
                                            score.intervals)
                              : "-";
      })
      .titled("intervals that held");
  sheet.add("median_width", &Score::width).as(decimals(2)).titled("median width");
  sheet.add("intervals", &Score::intervals);
  return sheet;
}

/// "Forecasts of the greatest gpus were off by 3.6 % in half of 10 groups, and by less than 7.0 %
/// in nine of ten."
std::vector<std::string> backtest_answer(const PredictReport& report, const Backtest& backtest) {
  if (backtest.scores.empty() || backtest.scores.front().series == 0) return {};
  const BacktestScore& score = backtest.scores.front();
  const auto percent = [](double log_error) {
    return with_significant_digits(100 * std::expm1(log_error), 2) + " %";
  };
  std::string text = fmt::format(
      "Forecasts of the greatest number of {} were off by less than {} in half of {}, and by less "
      "than {} in nine of ten.",
      units_of_scale(report.x), percent(score.median_error), counted(score.series, "group"),
      percent(score.p90_error));
  if (score.coverage) {
    text += fmt::format(" The interval for {} of new runs held in {:.0f} of {}.",
                        percent_text(report.options.confidence),
                        *score.coverage * static_cast<double>(score.intervals), score.intervals);
  }
  return {text};
}

void write_backtest_sheet(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                          const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(backtest_sheet(), style, sink);
  const GroupKey no_group;
  for (const BacktestScore& score : backtest.scores) rows.add(no_group, score);
  TableWords words;
  if (backtest.skipped > 0) {
    words.lines.push_back(fmt::format(
        "{} fewer than {} different {}: three and the hidden are needed",
        backtest.skipped == 1 ? "1 group has" : counted(backtest.skipped, "group") + " have",
        hidden + 3, report.x));
  }
  words.answer = backtest_answer(report, backtest);
  words.caption = fmt::format(
      "The greatest {} of each group was hidden and forecast from {}; errors are in ln {}.",
      report.x, hidden == 1 ? "the rest" : fmt::format("the rest without the {} greatest", hidden),
      report.y);
  rows.finish(words);
}

}  // namespace

std::unique_ptr<GroupWriter<Outlook>> make_predict_writer(const PredictReport& report,
                                                          const TableStyle& style, TextSink sink) {
  return make_result_writer(PredictDescription(report), style, std::move(sink));
}

void write_backtest(const PredictReport& report, const Backtest& backtest, std::size_t hidden,
                    const TableStyle& style, const TextSink& sink) {
  backtest_sheet().refuse_unknown(style);
  if (style.format == Format::kJson) return write_backtest_json(report, backtest, hidden, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, backtest.scores, write_score);
  write_backtest_sheet(report, backtest, hidden, style, sink);
}

}  // namespace scalelaw
