// Frontiers in every format: their JSON (schema scalelaw.pareto/1), and one row per point and eta.

#include "scalelaw/render/pareto_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_place(JsonText& json, const TimeAndEnergy& place) {
  write_list(json, std::array{place.seconds, place.joules});
}

void write_saving(JsonText& json, const Saving& saving) {
  json << Members{{"estimate", saving.estimate}, {"ci", saving.ci}};
}

void write_cost(JsonText& json, double eta, const PointCost& cost) {
  json.open('{');
  write_numbers(json, {{"eta", eta}, {"cost_j", cost.joules}});
  write_object(json.key("saving"), cost.saving, write_saving);
  json.key("optimum_share").number(cost.optimum_share);
  json.close('}');
}

void write_point(JsonText& json, const ParetoReport& report, const ParetoPoint& point) {
  write_group(json.key("knobs"), report.knobs, point.knobs);
  json.key("n").count(point.n);
  if (!report.study.x.empty()) json.key("gpus").number(point.gpus);
  write_numbers(json, {{"time_s", point.seconds}, {"energy_j", point.joules}});
  json.key("max_power_w").number(point.max_power);
  json << Members{{"on_frontier", point.on_frontier}, {"frontier_share", point.frontier_share}};
  json.key("surely_dominated").boolean(point.surely_dominated);
  write_object(json.key("time_saving"), point.time_saving, write_saving);
  write_object(json.key("energy_saving"), point.energy_saving, write_saving);
  json.key("costs").open('[');
  for (std::size_t e = 0; e < point.costs.size(); ++e) {
    write_cost(json, report.options.etas[e], point.costs[e]);
  }
  json.close(']');
}

void write_optimum(JsonText& json, const ParetoReport& report, const Pareto& pareto,
                   const EtaOptimum& optimum) {
  const ParetoPoint& point = pareto.points[optimum.point];
  const PointCost& cost = point.costs[static_cast<std::size_t>(&optimum - pareto.optima.data())];
  json << Members{{"eta", optimum.eta}, {"point", optimum.point}};
  write_group(json.key("knobs"), report.knobs, point.knobs);
  json << Members{{"time_s", point.seconds}, {"energy_j", point.joules}, {"cost_j", cost.joules}};
  write_object(json.key("cost_saving"), cost.saving, write_saving);
  write_object(json.key("energy_saving"), point.energy_saving, write_saving);
  write_object(json.key("time_saving"), point.time_saving, write_saving);
  json.key("optimum_share").number(cost.optimum_share);
  write_each(json.key("line"), std::array{optimum.line.first, optimum.line.second}, write_place);
}

void write_range(JsonText& json, const EtaRange& range) {
  json << Members{{"point", range.point}, {"from", range.from}, {"to", range.to}};
}

void write_area(JsonText& json, const Pareto& pareto) {
  write_place(json.key("reference"), pareto.reference);
  json.key("hypervolume").number(pareto.hypervolume);
  json.key("hypervolume_share").number(pareto.hypervolume_share);
  write_each(json.key("outline"), pareto.outline, write_place);
}

void write_scatter(JsonText& json, const Pareto& pareto) {
  json.key("dof").count(pareto.dof);
  write_numbers(json, {{"sigma_time", pareto.sigma_time}, {"sigma_energy", pareto.sigma_energy}});
  json.key("correlation").number(pareto.correlation);
  if (!pareto.no_draws.empty()) json.key("no_draws").text(pareto.no_draws);
}

void write_columns(JsonText& head, const ParetoReport& report) {
  head << HeadMembers{{"inputs", report.study.inputs}, {"time", report.study.y}};
  write_object(head.member("quantity"), report.study.quantity, write_quantity);
  head << HeadMembers{{"energy", or_null(report.energy)},
                      {"power", or_null(report.power)},
                      {"total_power", report.total_power},
                      {"work", or_null(report.work)},
                      {"gpus", or_null(report.study.x)},
                      {"by", report.study.by},
                      {"knobs", report.knobs},
                      {"run", or_null(report.study.run)}};
}

// Columns.

/// A row is made from these.
struct PointRow {
  const Pareto& pareto;
  std::size_t index;                    ///< The place of the point.
  const PointCost* cost = nullptr;      ///< Null without an eta, and in tables for people.
  const EtaOptimum* optimum = nullptr;  ///< The optimum at that eta.

  const ParetoPoint& point() const { return pareto.points[index]; }
  const EtaRange* range() const { return pareto.range_of(index); }
};
using ParetoSheet = Sheet<PointRow>;

std::vector<KeyColumn> keys_of(const ParetoReport& report) {
  std::vector<KeyColumn> keys;
  for (const std::string& name : report.study.by) keys.push_back({.name = name});
  for (const std::string& name : report.knobs) {
    keys.push_back({.name = name, .prefix = "knob_", .align = Align::kRight});
  }
  return keys;
}

/// Adds a saving of a part of the row with its interval.
template <class Part>
void add_saving(const std::string& name, const Part& part, auto saving) {
  part.part(saving).bounded(name, &Saving::estimate, &Saving::ci, percent(1));
}

/// @param energy_unit  In which people see energies.
void add_points(ParetoSheet& sheet, const std::string& energy_unit) {
  const auto point = sheet.part([](const PointRow& row) { return &row.point(); });
  point.add("n", &ParetoPoint::n);
  point.add("gpus_of_run", &ParetoPoint::gpus);
  point.add("time_s", &ParetoPoint::seconds).as(significant(5));
  point.add("energy_j", &ParetoPoint::joules)
      .seen_as([joules = in_base_units(energy_unit, Dimension::kEnergy).value_or(1)](
                   const PointRow& row) {
        return shown_text(row.point().joules / joules, significant(5));
      })
      .right();
  point.add("on_frontier", &ParetoPoint::on_frontier);
  point.add("frontier_share", &ParetoPoint::frontier_share).as(percent(1)).detail();
  point.add("surely_dominated", &ParetoPoint::surely_dominated);
  sheet.add("is_default", [](const PointRow& row) {
    const auto& base = row.pareto.default_point;
    return base ? std::optional(*base == row.index) : std::nullopt;
  });
  add_saving("time_saving", point, &ParetoPoint::time_saving);
  add_saving("energy_saving", point, &ParetoPoint::energy_saving);
}

void add_costs(ParetoSheet& sheet) {
  const auto range = sheet.part(&PointRow::range);
  const auto cost = sheet.part(&PointRow::cost);
  const auto optimum = sheet.part(&PointRow::optimum);
  range.add("eta_from", &EtaRange::from);
  range.add("eta_to", &EtaRange::to);
  optimum.add("eta", &EtaOptimum::eta);
  cost.add("cost_j", &PointCost::joules);
  sheet.add("is_optimum", [](const PointRow& row) {
    return row.optimum != nullptr ? std::optional(row.optimum->point == row.index) : std::nullopt;
  });
  cost.add("optimum_share", &PointCost::optimum_share).as(percent(1));
  add_saving("cost_saving", cost, &PointCost::saving);
  sheet.add("max_power_w", [](const PointRow& row) { return row.point().max_power; });
}

// Texts for people.

std::string kind(const PointRow& row) {
  const ParetoPoint& point = row.point();
  const bool is_optimum = any_of(
      row.pareto.optima, [&row](const EtaOptimum& optimum) { return optimum.point == row.index; });
  std::string text = point.on_frontier                        ? "frontier"
                     : is_optimum                             ? "least cost, off the frontier"
                     : point.surely_dominated.value_or(false) ? "surely dominated"
                                                              : "dominated";
  return row.pareto.default_point == row.index ? text + ", default" : text;
}

/// An eta with three decimals, or with six if three would round it to 0 or 1.
std::string eta_text(double eta) {
  if (eta == 0 || eta == 1) return eta == 0 ? "0" : "1";
  return fmt::format("{:.{}f}", eta, eta > 0.0005 && eta < 0.9985 ? 3 : 6);
}

std::string etas_text(const PointRow& row) {
  std::vector<std::string> etas;
  for (const EtaOptimum& optimum : row.pareto.optima) {
    if (optimum.point == row.index) etas.push_back(fmt::format("{}", optimum.eta));
  }
  return etas.empty() ? "-" : joined(etas);
}

/// Chooses the columns that people see, and their titles.
void show_columns(ParetoSheet& sheet, const ParetoReport& report, const ParetoSurvey& survey) {
  const auto point = sheet.part([](const PointRow& row) { return &row.point(); });
  const auto add_change = [&point](const char* name, std::optional<Saving> ParetoPoint::*saving) {
    const auto change = [](const Saving& one) {
      return shown_text(-one.estimate, signed_percent(1));
    };
    point.part(saving).for_people(name, change).right();
  };
  add_change("time_change", &ParetoPoint::time_saving);
  add_change("energy_change", &ParetoPoint::energy_saving);
  sheet.for_people("point", kind);
  const auto range = [](const EtaRange& etas) {
    return fmt::format("{} .. {}", eta_text(etas.from), eta_text(etas.to));
  };
  sheet.part(&PointRow::range).for_people("eta_range", range).right();
  sheet.for_people("optimum_etas", etas_text).right();
  sheet.show("n", "runs");
  sheet.show("time_s", "time s");
  sheet.show("energy_j", "energy " + report.energy_unit);
  if (survey.has_default) sheet.show("time_change", "time");
  if (survey.has_default) sheet.show("energy_change", "energy");
  sheet.show("point", "point");
  if (survey.has_draws) sheet.show("frontier_share", "share");
  if (!report.max_power_from.empty()) sheet.named("eta_range").detail().titled("best for eta");
  if (!report.options.etas.empty()) sheet.show("optimum_etas", "optimum at eta");
}

/// The frontier, then the optima and the default if they are not on it.
std::vector<std::size_t> points_for_people(const Pareto& pareto) {
  std::vector<std::size_t> points = pareto.frontier;
  const auto add = [&points](std::size_t point) {
    if (!contains(points, point)) points.push_back(point);
  };
  for (const EtaOptimum& optimum : pareto.optima) add(optimum.point);
  if (pareto.default_point) add(*pareto.default_point);
  return points;
}

/// Sentences on the area that the frontier dominates, and on the scatter of runs.
std::string pareto_area_sentence(const Pareto& pareto) {
  std::string text = fmt::format("hypervolume {} J s before time {} s and energy {} J",
                                 with_significant_digits(pareto.hypervolume, 4),
                                 with_significant_digits(pareto.reference.seconds, 5),
                                 with_significant_digits(pareto.reference.joules, 5));
  if (pareto.hypervolume_share) {
    text += fmt::format(", {} of what one point with the least of both would have",
                        shown_text(pareto.hypervolume_share, percent(1)));
  }
  return text;
}

std::string pareto_scatter_sentence(const Pareto& pareto) {
  if (!pareto.no_draws.empty()) return "no shares nor intervals: " + pareto.no_draws;
  std::string text = fmt::format("runs of one point scatter by {} % in time and {} % in energy",
                                 with_significant_digits(100 * *pareto.sigma_time, 2),
                                 with_significant_digits(100 * *pareto.sigma_energy, 2));
  return text + fmt::format(" ({} of freedom)", counted(pareto.dof, "degree"));
}

/// A sentence on what the cost is.
std::string pareto_cost_sentence(const ParetoReport& report) {
  const ParetoOptions& options = report.options;
  if (report.max_power_from.empty()) {
    return "no cost: no knob or group column is a power limit; --max-power W gives one";
  }
  std::string gpus;
  if (!report.study.x.empty()) {
    gpus = options.time_cost == TimeCost::kGpus
               ? fmt::format(" x {}", report.study.x)
               : fmt::format(" x the group's greatest {}", report.study.x);
  }
  return fmt::format("cost = eta energy + (1 - eta) {}{} time (MaxPower: {})",
                     options.max_power ? fmt::format("{} W", *options.max_power) : "MaxPower", gpus,
                     report.max_power_from);
}

class ParetoDescription final : public Description<ParetoReport, Pareto, PointRow> {
 public:
  ParetoDescription(const ParetoReport& report, const ParetoSurvey& survey)
      : Description(report, {.noun = "frontier",
                             .schema = "scalelaw.pareto/1",
                             .list = "groups",
                             .unexplained = "--format csv and json have all points"}),
        survey_(survey) {}

  void write_head(JsonText& head) const override {
    const ParetoOptions& options = report_.options;
    write_columns(head, report_);
    head << HeadMembers{{"etas", options.etas}, {"max_power_w", options.max_power}};
    head.member("max_power_from").text_or_null(report_.max_power_from);
    head.member("time_cost").text(name_of(options.time_cost));
    write_object(head.member("default"), options.default_knobs, [&](const auto& knobs) {
      for (const KnobValue& knob : knobs) head.key(knob.knob).text(knob.value);
    });
    head << HeadMembers{
        {"confidence", options.confidence}, {"draws", options.draws}, {"seed", options.seed}};
    write_rows(head, report_.study);
  }

  void write_members(JsonText& json, const Pareto& pareto) const override {
    write_objects(json.key("points"), pareto.points,
                  [&](const ParetoPoint& point) { write_point(json, report_, point); });
    write_each(json.key("frontier"), pareto.frontier,
               [&](std::size_t point) { json.count(std::uint64_t{point}); });
    if (pareto.default_point) {
      json.key("default").count(std::uint64_t{*pareto.default_point});
    } else {
      json.key("default").null();
      json.key("no_default").text(pareto.no_default);
    }
    write_objects(json.key("optima"), pareto.optima, [&](const EtaOptimum& optimum) {
      write_optimum(json, report_, pareto, optimum);
    });
    write_objects(json.key("eta_ranges"), pareto.ranges, write_range);
    write_area(json, pareto);
    write_scatter(json, pareto);
    write_strings(json.key("sentences"), pareto_sentences(report_, pareto));
  }

  ParetoSheet sheet(Format) const override {
    ParetoSheet sheet(keys_of(report_));
    sheet.add_status();
    add_points(sheet, report_.energy_unit);
    add_costs(sheet);
    sheet.add_failure();
    show_columns(sheet, report_, survey_);
    return sheet;
  }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Pareto& pareto) const override {
    rows.begin_part();
    const auto add = [&](const PointRow& row) {
      GroupKey key = group;
      key.insert(key.end(), row.point().knobs.begin(), row.point().knobs.end());
      rows.add(key, row);
    };
    if (rows.is_for_people()) {
      for (const std::size_t i : points_for_people(pareto)) add({pareto, i});
      return;
    }
    for (std::size_t i = 0; i < pareto.points.size(); ++i) {
      if (pareto.optima.empty()) add({pareto, i});
      for (std::size_t e = 0; e < pareto.optima.size(); ++e) {
        add({pareto, i, &pareto.points[i].costs[e], &pareto.optima[e]});
      }
    }
  }

  std::string caption() const override {
    return fmt::format("time: {}, energy: {}{}, knobs: {}; {}", report_.study.y,
                       report_.energy.empty() ? report_.power + " x time" : report_.energy,
                       report_.work.empty() ? "" : fmt::format(", per unit of '{}'", report_.work),
                       joined(report_.knobs), pareto_cost_sentence(report_));
  }

  std::vector<std::string> answer() const override {
    if (cheapest_.empty() && most_points_ > 1 && on_frontier_ == points_) {
      return {
          "Every point is on the frontier of its group: whatever takes less time takes more "
          "energy, "
          "so none can be ruled out."};
    }
    if (cheapest_.empty()) {
      return {
          fmt::format("{} of {} points are on the frontier of their group: the others take more "
                      "time or energy and no less of the other.",
                      on_frontier_, points_)};
    }
    const auto best = std::max_element(cheapest_.begin(), cheapest_.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    const std::string who = choices_ == 1 ? "the one group that has a choice"
                                          : fmt::format("{} of the {} groups that have a choice",
                                                        best->second, choices_);
    return {
        fmt::format("At eta {}, the weight of energy against time, the cost is least with {} in "
                    "{}.",
                    report_.options.etas.front(), best->first, who)};
  }

  std::vector<std::string> answer_on(const GroupKey&, const Pareto& pareto) const override {
    std::vector<std::string> sentences = pareto_sentences(report_, pareto);
    std::rotate(sentences.begin(), sentences.begin() + 1, sentences.end());
    for (std::string& sentence : sentences) sentence += '.';
    return sentences;
  }

  void take_note_of(const GroupKey&, const Pareto& pareto) override {
    hidden_ += pareto.points.size() - points_for_people(pareto).size();
    points_ += pareto.points.size();
    most_points_ = std::max(most_points_, pareto.points.size());
    on_frontier_ += pareto.frontier.size();
    if (pareto.points.size() == 1 || pareto.optima.empty()) return;
    ++choices_;
    ++cheapest_[said_group(report_.knobs, pareto.points[pareto.optima.front().point].knobs)];
  }

  void open(Notes& lines) const override {
    lines.add("frontier: no other point takes less of time or energy and no more of the other");
    if (survey_.has_draws) {
      lines.detail(
          fmt::format("share: how likely a point is on the frontier, given the scatter of "
                      "runs; surely dominated: {:.6g} % or less",
                      100 * (1 - report_.options.confidence)));
    }
    if (!survey_.no_draws.empty() && !survey_.has_draws) {
      lines.add("how sure the frontier is cannot be told: " + survey_.no_draws);
    }
    if (survey_.has_default) lines.add("time and energy in %: against the default");
  }

  void explain(Notes& lines, const GroupKey&, const Pareto& pareto) override {
    if (pareto.points.size() == 1) return;
    lines.detail("  " + pareto_area_sentence(pareto));
    if (survey_.has_draws) lines.detail("  " + pareto_scatter_sentence(pareto));
    if (!report_.options.default_knobs.empty() && !pareto.no_default.empty()) {
      lines.add("  no savings: " + pareto.no_default);
    }
  }

  void close(Notes& lines) const override {
    if (hidden_ == 0) return;
    lines.add(
        fmt::format("{} not shown, as other points are better in both time and energy; "
                    "--format csv has all",
                    counted(hidden_, "point", "is", "are")));
  }

 private:
  ParetoSurvey survey_;
  std::size_t hidden_ = 0;                       ///< Points that people do not see.
  std::size_t points_ = 0;                       ///< Of all groups,
  std::size_t on_frontier_ = 0;                  ///< and those on their frontiers.
  std::size_t most_points_ = 0;                  ///< Of one group.
  std::map<std::string, std::size_t> cheapest_;  ///< How often each point costs least.
  std::size_t choices_ = 0;
};

}  // namespace

std::unique_ptr<GroupWriter<Pareto>> make_pareto_writer(const ParetoReport& report,
                                                        const ParetoSurvey& survey,
                                                        const TableStyle& style, TextSink sink) {
  return make_result_writer(ParetoDescription(report, survey), style, std::move(sink));
}

namespace {

// What a frontier means, in plain words.

/// "12.3", without the unit.
std::string in_percent(double share) { return with_significant_digits(100 * share, 3); }

/// " It is the optimum in 93 % of draws from the scatter of runs."
std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format(". It is the optimum in {} of draws from the scatter of runs",
                             shown_text(share, percent(0)))
               : "";
}

/// "the cost falls by 12.3 % (95 %: 8 to 16 %)".
std::string saving_text(const ParetoReport& report, const Saving& saving) {
  std::string text = fmt::format("the cost {} by {} %", saving.estimate < 0 ? "rises" : "falls",
                                 in_percent(std::abs(saving.estimate)));
  if (!saving.ci) return text;
  return text + fmt::format(" ({:.6g} % interval of the saving: {} to {} %)",
                            100 * report.options.confidence, in_percent(saving.ci->lower),
                            in_percent(saving.ci->upper));
}

/// "20.0 % less energy", "5.0 % more time".
std::string change_text(const Saving& saving, std::string_view of) {
  return fmt::format("{} {} {}", shown_text(std::abs(saving.estimate), percent(1)),
                     saving.estimate < 0 ? "more" : "less", of);
}

/// Says how a point can cost least although others take less time and no more energy.
std::string off_frontier_text(const ParetoReport& report, const ParetoPoint& point) {
  if (point.on_frontier) return "";
  const std::string unit = unit_of_scale(report.study.x);
  return fmt::format(
      ". {0} take less time and energy, yet cost more, because the cost counts every {1} for as "
      "long "
      "as it is held (--time-cost wall counts the time alone)",
      unit.empty() ? "Other points"
                   : fmt::format("Points with more {}", units_of_scale(report.study.x)),
      unit.empty() ? "unit" : unit);
}

std::string optimum_text(const ParetoReport& report, const Pareto& pareto, std::size_t e) {
  const EtaOptimum& optimum = pareto.optima[e];
  const ParetoPoint& point = pareto.points[optimum.point];
  const PointCost& cost = point.costs[e];
  const bool is_default = pareto.default_point == optimum.point;
  std::string text = fmt::format("At eta {}{} the cost is least with {}", optimum.eta,
                                 e == 0 ? ", the weight of energy against time," : "",
                                 said_group(report.knobs, point.knobs));
  if (is_default) text += ", the default";
  if (pareto.default_point && !is_default) {
    const ParetoPoint& base = pareto.points[*pareto.default_point];
    text += fmt::format(": {} and {} than with {}; {}", change_text(*point.energy_saving, "energy"),
                        change_text(*point.time_saving, "time"),
                        said_group(report.knobs, base.knobs), saving_text(report, *cost.saving));
  }
  return text + share_text(cost.optimum_share) + off_frontier_text(report, point);
}

std::string frontier_text(const Pareto& pareto) {
  const std::size_t all = pareto.points.size();
  const std::size_t on = pareto.frontier.size();
  if (all == 1) return "There is one point and nothing to choose";
  if (pareto.has_equal_points())
    return fmt::format("All {} points take the same time and energy", all);
  if (on == 1)
    return fmt::format("One of {} points has both the least time and the least energy", all);
  return part_of(on, all, "point", "is", "are") + " on the frontier of time and energy";
}

}  // namespace

std::vector<std::string> pareto_sentences(const ParetoReport& report, const Pareto& pareto) {
  std::vector<std::string> sentences{frontier_text(pareto)};
  if (pareto.points.size() == 1) return sentences;
  for (std::size_t e = 0; e < pareto.optima.size(); ++e) {
    sentences.push_back(optimum_text(report, pareto, e));
  }
  return sentences;
}

}  // namespace scalelaw
