// The best split of a compute in every format: its JSON (schema scalelaw.isoflop/1), and one row
// per approach and compute.

#include "scalelaw/render/isoflop_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/ranges.hpp"
#include "render/labelled_range.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_isoflop_budget(JsonText& json, const IsoflopBudget& budget) {
  json << Members{
      {"compute", budget.compute}, {"runs", budget.rows.size()},       {"sizes", budget.sizes},
      {"n_range", budget.n_range}, {"compute_range", budget.computes}, {"too_far", budget.too_far}};
  json << Members{{"warnings", budget.warnings}};
}

void write_isoflop_optimum(JsonText& json, const IsoflopOptimum& optimum) {
  json << Members{{"compute", optimum.compute}, {"is_budget", optimum.is_budget}, {"n", optimum.n}};
  json << Members{
      {"n_ci", optimum.n_ci}, {"d", optimum.d}, {"d_ci", optimum.d_ci}, {"loss", optimum.loss}};
}

void write_outlier(JsonText& json, const IsoflopOutlier& outlier) {
  json << Members{{"n", outlier.n}, {"compute", outlier.compute}, {"loss", outlier.loss}};
  json.key("expected").number(outlier.expected);
}

void write_exponent(JsonText& json, const Estimate& exponent) {
  json << Members{{"estimate", exponent.estimate}, {"se", exponent.se}, {"ci", exponent.ci}};
  json.key("dof").number(exponent.dof);
}

void write_line_test(JsonText& json, const IsoflopLine& line) {
  json << Members{{"statistic", line.statistic}, {"dof", line.dof}, {"p", line.p}};
  json.key("broken").boolean(line.is_broken);
  json << Members{{"budgets", line.budgets}};
}

void write_scatter(JsonText& json, const IsoflopScatter& scatter) {
  json << Members{{"statistic", scatter.statistic}, {"p", scatter.p}};
  json.key("unequal").boolean(scatter.is_unequal);
  json.key("exponent").number(scatter.exponent);
}

void write_path(JsonText& json, const IsoflopPath& path) {
  json << Members{{"runs", path.runs}, {"profiles", path.budgets}};
  write_object(json.key("n_exponent"), path.n_exponent, write_exponent);
  write_object(json.key("d_exponent"), path.d_exponent, write_exponent);
  write_object(json.key("line"), path.line, write_line_test);
  write_interval(json.key("line_range"),
                 path.line ? std::optional(path.line->range) : std::nullopt);
  write_object(json.key("scatter"), path.scatter, write_scatter);
  write_objects(json.key("optima"), path.optima, write_isoflop_optimum);
}

// Columns.

/// A row is made from these: an optimum of an approach, or why the approach has none.
struct OptimumRow {
  const Isoflop& isoflop;
  IsoflopApproach approach;
  const IsoflopOptimum* optimum = nullptr;  ///< Null of an approach without a path, and of a budget
  const IsoflopBudget* budget = nullptr;    ///< without a minimum.

  const Outcome<IsoflopPath>& outcome() const {
    return isoflop.paths[static_cast<std::size_t>(approach)];
  }
  const IsoflopPath* path() const { return std::get_if<IsoflopPath>(&outcome()); }
  const NoFit* failure() const { return std::get_if<NoFit>(&outcome()); }
  bool is_answer() const { return approach == isoflop.chosen; }
  bool disagrees() const {
    const auto& others = isoflop.disagreeing;
    return contains(others, approach);
  }
};
using OptimumSheet = Sheet<OptimumRow>;

const IsoflopBudget* budget_at(const Isoflop& isoflop, double compute) {
  return first_where(isoflop.budgets,
                     [=](const IsoflopBudget& budget) { return budget.compute == compute; });
}

/// Sizes have no end below 0, so an interval down to it is open.
std::string count_text(double value) {
  return std::isfinite(value) && value >= 1e-6 ? short_count(value) : "open";
}

std::string count_range(const std::optional<Interval>& range) {
  return interval_text(range, count_text);
}

/// @param asked_for  Whether the user named computes.
std::string sizes_seen(const IsoflopBudget* budget, bool asked_for) {
  if (budget == nullptr) return asked_for ? "asked for" : "10x the most";
  return fmt::format("{} .. {}", short_count(budget->n_range.lower),
                     short_count(budget->n_range.upper));
}

/// The compute of a row: that of its optimum, or of the budget that has none.
std::optional<double> compute_of(const OptimumRow& row) {
  if (row.optimum != nullptr) return row.optimum->compute;
  return row.budget != nullptr ? std::optional(row.budget->compute) : std::nullopt;
}

void add_optimum_columns(OptimumSheet& sheet, const IsoflopReport& report) {
  const auto optimum = sheet.part([](const OptimumRow& row) { return row.optimum; });
  const auto budget = sheet.part([](const OptimumRow& row) { return row.budget; });
  sheet.add("compute", compute_of)
      .seen_as([](const OptimumRow& row) { return compute_text(*compute_of(row)); })
      .titled("compute FLOP")
      .key();
  sheet.add("is_budget", [](const OptimumRow& row) { return row.budget != nullptr; });
  const bool asked_for = !report.options.at_compute.empty();
  sheet
      .for_people("sizes_run",
                  [asked_for](const OptimumRow& row) { return sizes_seen(row.budget, asked_for); })
      .titled("sizes run");
  const auto add = [&](const char* name, double IsoflopOptimum::*value,
                       std::optional<Interval> IsoflopOptimum::*ci) {
    const auto size = [value](const IsoflopOptimum& one) { return short_count(one.*value); };
    const auto range = [ci](const IsoflopOptimum& one) { return count_range(one.*ci); };
    optimum.add(name, value).seen_as(optimum.seen(size));
    optimum.interval(std::string(name) + "_ci", ci).seen_as(optimum.seen(range));
  };
  add("best_n", &IsoflopOptimum::n, &IsoflopOptimum::n_ci);
  add("best_d", &IsoflopOptimum::d, &IsoflopOptimum::d_ci);
  sheet.show("best_n", "best " + report.study.scales[0]);
  sheet.show("best_n_ci", percent_text(report.options.confidence) + " interval");
  sheet.show("best_d", "best " + report.study.scales[1]);
  // Beside columns of groups there is no room; it is that of n, turned about.
  if (report.study.by.empty()) {
    sheet.show("best_d_ci", percent_text(report.options.confidence) + " interval");
  }
  optimum.add("loss", &IsoflopOptimum::loss).as(significant(4)).titled(report.study.y);
  budget.add("runs", [](const IsoflopBudget& one) { return one.rows.size(); });
  budget.add("sizes", &IsoflopBudget::sizes);
  budget.interval("size_range", &IsoflopBudget::n_range);
  budget.add("warnings", [](const IsoflopBudget& one) { return names_of(one.warnings); })
      .toned(Tone::kWarning)
      .titled("warnings");
}

void add_exponent_columns(OptimumSheet& sheet, const IsoflopReport& report, bool shown) {
  const std::string level = percent_text(report.options.confidence) + " interval";
  const auto path = sheet.part(&OptimumRow::path);
  const auto add = [&](const char* name, std::optional<Estimate> IsoflopPath::*exponent,
                       const std::string& scale) {
    path.estimate(name, exponent);
    if (shown) sheet.show(name, scale + " ~ c^");
    // The other exponent is 1 minus this one, and so is its interval.
    if (shown && exponent == &IsoflopPath::n_exponent) sheet.show(std::string(name) + "_ci", level);
  };
  add("n_exponent", &IsoflopPath::n_exponent, report.study.scales[0]);
  add("d_exponent", &IsoflopPath::d_exponent, report.study.scales[1]);
  path.add("runs_of_approach", &IsoflopPath::runs);
  path.add("profiles", &IsoflopPath::budgets);
}

OptimumSheet optimum_sheet(const IsoflopReport& report) {
  OptimumSheet sheet(report.study.by);
  sheet.add_status();
  sheet.add("approach", [](const OptimumRow& row) { return name_of(row.approach); });
  sheet.add("is_answer", &OptimumRow::is_answer);
  sheet.add("disagrees", &OptimumRow::disagrees);
  add_optimum_columns(sheet, report);
  add_exponent_columns(sheet, report, false);
  sheet.add_failure([](const OptimumRow& row) { return row.failure(); });
  return sheet;
}

/// What people read of an approach: its number in Hoffmann et al. and what it fits.
std::string approach_title(const OptimumRow& row) {
  static constexpr std::string_view kNumbers = "1223";
  return fmt::format("{} {}", kNumbers[static_cast<std::size_t>(row.approach)],
                     short_name(row.approach));
}

std::string approach_note(const OptimumRow& row) {
  if (row.is_answer()) return "the answer";
  if (row.path() == nullptr) return "not possible";
  return row.disagrees() ? "disagrees" : "";
}

/// The table of approaches, which only people see.
OptimumSheet approach_sheet(const IsoflopReport& report) {
  OptimumSheet sheet(report.study.by);
  sheet.for_people("approach", approach_title).titled("approach");
  add_exponent_columns(sheet, report, true);
  const auto optimum = sheet.part(&OptimumRow::optimum);
  optimum.for_people("best_n", [](const IsoflopOptimum& one) { return short_count(one.n); })
      .right()
      .titled(fmt::format("best at {}", report.options.at_compute.empty()
                                            ? "10x"
                                            : compute_text(report.options.at_compute.back())));
  optimum.for_people("best_n_ci", [](const IsoflopOptimum& one) { return count_range(one.n_ci); })
      .right()
      .titled(percent_text(report.options.confidence) + " interval");
  sheet.for_people("note", approach_note).titled("");
  return sheet;
}

constexpr IsoflopApproach kApproaches[] = {IsoflopApproach::kCurves, IsoflopApproach::kParabolas,
                                           IsoflopApproach::kPowers, IsoflopApproach::kSurface};

class IsoflopDescription final : public Description<IsoflopReport, Isoflop, OptimumRow> {
 public:
  explicit IsoflopDescription(const IsoflopReport& report)
      : Description(report, {.noun = "best split",
                             .schema = "scalelaw.isoflop/1",
                             .list = "groups",
                             .unexplained = "--format csv and json have them all"}) {}

  void write_head(JsonText& head) const override {
    const IsoflopOptions& options = report_.options;
    write_data(head, report_.study);
    head << HeadMembers{{"run", or_null(report_.study.run)},
                        {"at_compute", options.at_compute},
                        {"confidence", options.confidence}};
    write_rows(head, report_.study);
  }

  void write_members(JsonText& json, const Isoflop& isoflop) const override {
    json << Members{{"runs", isoflop.runs}, {"runs_in_budgets", isoflop.in_budgets}};
    json.key("answer").text(name_of(isoflop.chosen));
    json.key("within");
    std::isfinite(isoflop.within) ? json.number(isoflop.within) : json.null();
    write_objects(json.key("outliers"), isoflop.outliers, write_outlier);
    json << Members{{"disagreeing", isoflop.disagreeing}};
    write_objects(json.key("budgets"), isoflop.budgets, write_isoflop_budget);
    write_object(json.key("approaches"), isoflop, [&](const Isoflop&) {
      for (const IsoflopApproach approach : kApproaches) {
        write_object(json.key(name_of(approach)), isoflop.paths[static_cast<std::size_t>(approach)],
                     write_path);
      }
    });
    write_strings(json.key("sentences"), isoflop_sentences(report_, isoflop));
  }

  OptimumSheet sheet(Format) const override { return optimum_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Isoflop& isoflop) const override {
    if (rows.is_for_people()) return add_answer_rows(rows, group, isoflop);
    for (const IsoflopApproach approach : kApproaches) {
      const OptimumRow row{isoflop, approach};
      if (row.path() == nullptr) rows.add(group, row);
      if (row.path() == nullptr) continue;
      for (const IsoflopOptimum& optimum : row.path()->optima) {
        const IsoflopBudget* const budget =
            optimum.is_budget ? budget_at(isoflop, optimum.compute) : nullptr;
        rows.add(group, OptimumRow{isoflop, approach, &optimum, budget});
      }
    }
  }

  std::string caption() const override {
    return fmt::format("best {0} and {1} for a compute c = {2:g} * {0} * {1}",
                       report_.study.scales[0], report_.study.scales[1],
                       report_.options.flops_per_parameter_token);
  }
  std::vector<std::string> answer() const override {
    if (exponents_.empty()) return {};
    return {fmt::format("The best number of parameters grows as the compute to a power {}.",
                        exponents_.text("{:.3f}", "between", "and"))};
  }
  std::vector<std::string> answer_on(const GroupKey&, const Isoflop& isoflop) const override {
    return isoflop_sentences(report_, isoflop);
  }
  void take_note_of(const GroupKey& group, const Isoflop& isoflop) override {
    const std::optional<Estimate>& exponent = isoflop.path().n_exponent;
    if (exponent) exponents_.add(exponent->estimate, said_group(report_.study.by, group));
  }
  void explain(Notes& lines, const GroupKey&, const Isoflop& isoflop) override {
    if (!isoflop.path().optima.back().loss) {
      lines.detail("Only the surface tells the loss at computes that were not run.");
    }
    for (const IsoflopApproach approach : kApproaches) {
      const OptimumRow row{isoflop, approach};
      if (row.failure() == nullptr) continue;
      lines.detail(fmt::format("{}: {}.", approach_title(row), row.failure()->message));
    }
  }

 private:
  /// The budgets by the approach of the answer, with those that have no minimum, and the computes
  /// asked for.
  void add_answer_rows(SheetWriter& rows, const GroupKey& group, const Isoflop& isoflop) const {
    rows.begin_part();
    const IsoflopPath& path = isoflop.path();
    for (const IsoflopBudget& budget : isoflop.budgets) {
      const IsoflopOptimum* const optimum = path.optimum_of_budget(budget.compute);
      rows.add(group, OptimumRow{isoflop, isoflop.chosen, optimum, &budget});
    }
    for (const IsoflopOptimum& optimum : path.optima) {
      if (optimum.is_budget) continue;
      rows.add(group, OptimumRow{isoflop, isoflop.chosen, &optimum, nullptr});
    }
  }

  LabelledRange exponents_;
};

/// The table of approaches; its column of the best size is that of the last compute asked for.
void write_approaches(const IsoflopReport& report, std::span<const GroupIsoflop> groups,
                      const TableStyle& style, const TextSink& sink) {
  SheetWriter rows(approach_sheet(report), style, sink);
  for (const GroupIsoflop& group : groups) {
    const auto* const isoflop = std::get_if<Isoflop>(&group.result);
    if (isoflop == nullptr) continue;
    rows.begin_part();
    for (const IsoflopApproach approach : kApproaches) {
      OptimumRow row{*isoflop, approach};
      if (row.path() != nullptr && !row.path()->optima.back().is_budget) {
        row.optimum = &row.path()->optima.back();
      }
      if (row.path() != nullptr || style.shows_details()) rows.add(group.group, row);
    }
  }
  rows.finish({.caption = "Exponents by approach"});
}

}  // namespace

void write_isoflops(const IsoflopReport& report, std::span<const GroupIsoflop> groups,
                    const TableStyle& style, const TextSink& sink) {
  write_results(IsoflopDescription(report), groups, style, sink);
  const bool is_data = style.format == Format::kJson || style.format == Format::kJsonl;
  const bool any = any_of(groups, [](const GroupIsoflop& group) {
    return std::holds_alternative<Isoflop>(group.result);
  });
  if (!any || is_data || !is_for_people(style.format) || !style.columns.empty()) return;
  sink("\n");
  write_approaches(report, groups, style, sink);
}

namespace {

// The best value of a setting over sizes and tokens in every format: its JSON (schema
// scalelaw.optima/1), and one row per cell.

std::optional<Interval> exp_of_ci(const Estimate& estimate) {
  return estimate.ci ? std::optional(exp_of(*estimate.ci)) : std::nullopt;
}

std::optional<double> best_of(const SettingCell& cell) {
  return cell.log_best ? std::optional(std::exp(cell.log_best->estimate)) : std::nullopt;
}
std::optional<Interval> best_ci_of(const SettingCell& cell) {
  return cell.log_best ? exp_of_ci(*cell.log_best) : std::nullopt;
}

/// Whether the table has sizes alone.
bool has_one_scale(const SettingReport& report) {
  return report.study.scales[0] == report.study.scales[1];
}

void write_places(JsonText& json, const SettingReport& report, double n, double d) {
  if (has_one_scale(report)) return write_list(json, std::array{n});
  write_list(json, std::array{n, d});
}

void write_setting_cell(JsonText& json, const SettingReport& report, const SettingCell& cell) {
  write_places(json.key("x"), report, cell.n, cell.d);
  json << Members{{"runs", cell.runs},     {"values", cell.values},       {"range", cell.range},
                  {"best", best_of(cell)}, {"best_ci", best_ci_of(cell)}, {"loss", cell.loss}};
  json.key("fault").text_or_null(cell.fault ? name_of(*cell.fault) : std::string_view());
}

void write_setting_exponent(JsonText& json, const std::optional<Estimate>& exponent,
                            const std::optional<BootstrapEstimate>& bootstrap) {
  write_object(json, exponent, [&](JsonText& members, const Estimate& estimate) {
    members << Members{{"estimate", estimate.estimate}, {"se", estimate.se}, {"ci", estimate.ci}};
    members.key("dof").number(estimate.dof);
    write_object(members.key("bootstrap"), bootstrap,
                 [](JsonText& inner, const BootstrapEstimate& drawn) {
                   inner << Members{{"se", drawn.se}, {"ci", drawn.ci}};
                 });
  });
}

std::string exponent_text(const Estimate& exponent, const std::string& column, double confidence) {
  std::string text = fmt::format("{}^{}", column, rounded(exponent.estimate, exponent.se).estimate);
  if (exponent.ci) {
    text +=
        fmt::format(" ({}: {})", percent_text(confidence), interval_text(exponent.ci, exponent.se));
  }
  return text;
}

class SettingDescription final : public Description<SettingReport, SettingOptima, SettingCell> {
 public:
  explicit SettingDescription(const SettingReport& report)
      : Description(report, {.noun = "optimum", .schema = "scalelaw.optima/1", .list = "groups"}) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_.study);
    head << HeadMembers{{"setting", report_.setting}, {"confidence", report_.confidence}};
    write_rows(head, report_.study);
  }
  void write_members(JsonText& json, const SettingOptima& optima) const override {
    json.key("used").count(std::uint64_t{optima.used});
    write_places(json.key("centre"), report_, optima.n0, optima.d0);
    json.key("at_centre").number(std::exp(optima.log_at_centre.estimate));
    write_interval(json.key("at_centre_ci"), exp_of_ci(optima.log_at_centre));
    write_setting_exponent(json.key("n_exponent"), optima.n_exponent, optima.n_bootstrap);
    write_setting_exponent(json.key("d_exponent"), optima.d_exponent, optima.d_bootstrap);
    json.key("together").boolean(optima.together && !has_one_scale(report_));
    write_objects(json.key("cells"), optima.cells,
                  [this](JsonText& cell_json, const SettingCell& cell) {
                    write_setting_cell(cell_json, report_, cell);
                  });
    write_strings(json.key("sentences"), sentences(optima));
  }

  Sheet<SettingCell> sheet(Format) const override {
    const std::string level = percent_text(report_.confidence) + " interval";
    Sheet<SettingCell> sheet(report_.study.by);
    sheet.add_status();
    sheet.add("x1", &SettingCell::n).as(significant(3)).titled(report_.study.scales[0]);
    const bool one = has_one_scale(report_);
    const auto second = sheet.add("x2", [one](const SettingCell& cell) {
      return one ? std::nullopt : std::optional(cell.d);
    });
    second.as(significant(3));
    if (!one) second.titled(report_.study.scales[1]);
    sheet.add("runs", &SettingCell::runs).titled("runs");
    sheet.add("values", &SettingCell::values).titled("values");
    sheet.add("best", best_of).as(significant(3)).titled("best " + report_.setting);
    sheet.interval("best_ci", best_ci_of).as(significant(3)).titled(level);
    sheet.add("loss", &SettingCell::loss).as(decimals(4)).titled(report_.study.y);
    sheet
        .add("fault",
             [](const SettingCell& cell) {
               return cell.fault ? std::string(name_of(*cell.fault)) : std::string();
             })
        .toned(Tone::kWarning)
        .titled("notes");
    sheet.add_failure();
    return sheet;
  }
  void add_rows(SheetWriter& rows, const GroupKey& group,
                const SettingOptima& optima) const override {
    rows.begin_part_of(group);
    for (const SettingCell& cell : optima.cells) rows.add(group, cell);
  }

  std::string caption() const override {
    if (has_one_scale(report_)) {
      return fmt::format("best {} for each value of {}", report_.setting, report_.study.scales[0]);
    }
    return fmt::format("best {} in each cell of {} and {}", report_.setting,
                       report_.study.scales[0], report_.study.scales[1]);
  }
  std::vector<std::string> answer_on(const GroupKey&, const SettingOptima& optima) const override {
    return sentences(optima);
  }

 private:
  std::vector<std::string> sentences(const SettingOptima& optima) const {
    const auto& [study, setting, confidence] = report_;
    std::vector<std::string> powers;
    if (optima.n_exponent) {
      powers.push_back(exponent_text(*optima.n_exponent, study.scales[0], confidence));
    }
    if (optima.d_exponent) {
      powers.push_back(exponent_text(*optima.d_exponent, study.scales[1], confidence));
    }
    const auto& middle = optima.log_at_centre;
    std::vector<std::string> out{
        fmt::format("The best {} grows as {}.", setting, joined(powers, " and "))};
    add_bootstrap(optima, out);
    const bool one = has_one_scale(report_);
    const std::string second =
        one ? "" : fmt::format(" and {} {}", short_count(optima.d0), study.scales[1]);
    out.push_back(
        fmt::format("At {} {}{} it is {}{}.", short_count(optima.n0), study.scales[0], second,
                    with_significant_digits(std::exp(middle.estimate), 3),
                    middle.ci ? fmt::format(" ({}: {} to {})", percent_text(confidence),
                                            with_significant_digits(std::exp(middle.ci->lower), 3),
                                            with_significant_digits(std::exp(middle.ci->upper), 3))
                              : ""));
    if (optima.together && !one) {
      out.push_back(fmt::format(
          "Runs with more {0} also have more {1}, always in the same way, so nobody can tell which "
          "of the two moves it: the exponent is that of both together.",
          study.scales[0], study.scales[1]));
    }
    add_left_out(optima, out);
    return out;
  }

  void add_bootstrap(const SettingOptima& optima, std::vector<std::string>& out) const {
    std::vector<std::string> texts;
    const auto add = [&](const std::optional<BootstrapEstimate>& drawn, const std::string& column) {
      if (!drawn) return;
      texts.push_back(fmt::format("{} for {}", interval_text(drawn->ci, drawn->se), column));
    };
    add(optima.n_bootstrap, report_.study.scales[0]);
    add(optima.d_bootstrap, report_.study.scales[1]);
    if (texts.empty()) return;
    out.push_back(fmt::format("Draws of whole cells give {}.", joined(texts, " and ")));
  }

  static void add_left_out(const SettingOptima& optima, std::vector<std::string>& out) {
    std::size_t edges = 0;
    std::size_t others = 0;
    for (const SettingCell& cell : optima.cells) {
      if (cell.fault) ++(*cell.fault == CellFault::kEdge ? edges : others);
    }
    if (edges > 0) {
      out.push_back(fmt::format(
          "{} left out because the minimum lies outside the sweep; that moves the exponents if it "
          "happens on one side only, so widen the sweep there.",
          counted(edges, "cell", "is", "are")));
    }
    if (others > 0) {
      out.push_back(fmt::format("{} left out for too few values or no minimum.",
                                counted(others, "cell", "is", "are")));
    }
  }
};

}  // namespace

void write_setting_optima(const SettingReport& report, std::span<const GroupSettingOptima> groups,
                          const TableStyle& style, const TextSink& sink) {
  write_results(SettingDescription(report), groups, style, sink);
}

}  // namespace scalelaw
