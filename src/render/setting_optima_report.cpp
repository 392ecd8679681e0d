// The best value of a setting over sizes and tokens in every format: its JSON (schema
// scalelaw.optima/1), and one row per cell.

#include "scalelaw/render/setting_optima_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

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
