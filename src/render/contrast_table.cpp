// Contrasts as a table for people: a row a pair of levels, and below what each group's numbers
// mean.

#include <fmt/format.h>

#include "render/contrast_writers.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kGroupsExplained = 20;
constexpr std::string_view kUndefined = "-";

std::vector<TableColumn> columns_of(const ContrastReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.study.by) columns.push_back({.header = name});
  const std::string factor = joined(report.factors, " x ");
  const std::string interval = fmt::format("{:.6g} % interval", 100 * report.options.confidence);
  const bool is_time = report.options.response == Response::kTime;
  columns.push_back({.header = factor + " from", .align = Align::kRight});
  columns.push_back({.header = "to", .align = Align::kRight});
  columns.push_back({.header = "beta differs by", .align = Align::kRight});
  for (const std::string& header : {std::string("± SE"), interval, std::string("p Holm")}) {
    columns.push_back({.header = header, .align = Align::kRight});
  }
  columns.push_back({.header = "slopes"});
  for (const std::string& header : {std::string(is_time ? "ratio of times" : "ratio of rates"),
                                    interval, std::string("p Holm")}) {
    columns.push_back({.header = header, .align = Align::kRight});
  }
  return columns;
}

std::string p_or_none(const std::optional<double>& p) {
  return p ? p_text(*p) : std::string(kUndefined);
}

std::string beta_interval(const Estimate& estimate) {
  if (!estimate.ci) return std::string(kUndefined);
  return fmt::format("{} .. {}", rounded(estimate.ci->lower, estimate.se).estimate,
                     rounded(estimate.ci->upper, estimate.se).estimate);
}

std::string ratio_interval(const std::optional<Interval>& ci) {
  if (!ci) return std::string(kUndefined);
  return fmt::format("{} .. {}", with_significant_digits(ci->lower, 4),
                     with_significant_digits(ci->upper, 4));
}

/// The sign says which way; a difference has it always.
std::string signed_text(std::string text) {
  if (!text.starts_with('-')) text.insert(text.begin(), '+');
  return text;
}

std::vector<std::string> cells_of(const GroupKey& group, const Contrast& contrast,
                                  const SlopePair& slope, const OffsetPair& offset) {
  const RoundedEstimate delta = rounded(slope.delta_beta.estimate, slope.delta_beta.se);
  std::vector<std::string> cells = group;
  cells.push_back(joined(contrast.levels[slope.first].level));
  cells.push_back(joined(contrast.levels[slope.second].level));
  cells.push_back(signed_text(delta.estimate));
  cells.push_back(delta.se.empty() ? std::string(kUndefined) : delta.se);
  cells.push_back(beta_interval(slope.delta_beta));
  cells.push_back(p_or_none(slope.p_holm));
  cells.emplace_back(name_of(slope.verdict));
  cells.push_back(offset.ratio ? with_significant_digits(*offset.ratio, 4)
                               : std::string(kUndefined));
  cells.push_back(ratio_interval(offset.ci));
  cells.push_back(p_or_none(offset.p_holm));
  return cells;
}

std::string test_text(std::string_view name, const std::optional<FTest>& test) {
  if (!test) return "";
  return fmt::format("{}: F({:.4g}, {:.4g}) = {}, p {}; ", name, test->df1, test->df2,
                     with_significant_digits(test->f, 3), p_relation(test->p));
}

std::string test_text(std::string_view name, const std::optional<ChiSquaredTest>& test) {
  if (!test) return "";
  return fmt::format("{}: chi-squared({:.4g}) = {}, p {}; ", name, test->df,
                     with_significant_digits(test->statistic, 3), p_relation(test->p));
}

std::string tests_text(const Contrast& contrast) {
  std::string text =
      test_text("equal slopes", contrast.equal_slopes) +
      test_text("with own variances", contrast.equal_slopes_own_variances) +
      test_text("equal offsets given one slope", contrast.equal_offsets_given_slope) +
      test_text("equal variances", contrast.equal_variances);
  const Estimate& beta = contrast.common_beta;
  const RoundedEstimate common = rounded(beta.estimate, beta.se);
  text += "common beta " + common.estimate;
  if (!common.se.empty()) text += " ± " + common.se;
  return text;
}

std::string term_text(const Term& term) {
  const RoundedEstimate text = rounded(term.estimate, term.se);
  const std::string p = term.p ? fmt::format(" (p {})", p_relation(*term.p)) : "";
  return fmt::format("{} {} ± {}{}", term.name, text.estimate, text.se, p);
}

/// "one model: beta 0.82 ± 0.01 at power_cap_w 171; ln power_cap_w -0.70 ± 0.01; ...".
std::string model_text(const ContrastReport& report, const Contrast& contrast) {
  if (!contrast.covariates) return "no model of ln setting: " + contrast.no_covariates;
  const CovariateModel& model = *contrast.covariates;
  if (model.terms.empty()) return "no model of ln setting: no degree of freedom is left";
  std::string text = fmt::format("model of ln setting, one variance for all, about {} {}",
                                 report.study.x, with_significant_digits(model.x_centre, 3));
  for (const Covariate& covariate : model.covariates) {
    text += fmt::format(", {} {}", covariate.name, with_significant_digits(covariate.centre, 3));
  }
  for (std::size_t i = 1; i < model.terms.size(); ++i) {
    text += (i == 1 ? ": " : "; ") + term_text(model.terms[i]);
  }
  if (model.is_refuted()) {
    const auto& test = model.levels_given_model;
    text +=
        fmt::format("; but it does not hold: separate lines are closer, F({:g}, {:g}) = {}, p {}",
                    test->df1, test->df2, with_significant_digits(test->f, 3), p_relation(test->p));
  }
  return text;
}

/// Collects rows and notes, then writes.
class ContrastTable {
 public:
  explicit ContrastTable(const ContrastReport& report)
      : report_(report), table_(columns_of(report)) {}

  void add(const GroupKey& group, const Contrast& contrast) {
    table_.begin_part();
    for (std::size_t i = 0; i < contrast.slopes.size(); ++i) {
      table_.add_row(cells_of(group, contrast, contrast.slopes[i], contrast.offsets[i]));
    }
    if (++explained_ > kGroupsExplained) return;
    const std::string name = group_name(report_.study.by, group);
    notes_.push_back(fmt::format("{}: {}", name, contrast_sentence(report_, contrast)));
    notes_.push_back("  " + tests_text(contrast));
    notes_.push_back("  " + model_text(report_, contrast));
    for (const WarningCode code : contrast.warnings) {
      notes_.push_back(fmt::format("  {}: {}", name_of(code), explain(code, contrast)));
    }
    for (const OmittedLevel& level : contrast.omitted) {
      notes_.push_back(fmt::format("  left out: {}: {} ({})",
                                   group_name(report_.factors, level.level), level.message,
                                   name_of(level.code)));
    }
  }

  void add(const GroupKey& group, const NoFit& failure) {
    failures_.add(report_.study.by, group, failure);
  }

  void write(Format format, bool colour, const TextSink& sink) {
    std::vector<std::string> lines = notes_;
    if (explained_ > kGroupsExplained) {
      lines.push_back(fmt::format("{} more groups; --format csv and json explain them all",
                                  explained_ - kGroupsExplained));
    }
    failures_.append_to(lines);
    write_noted_table(table_, caption(), lines, format, colour, sink);
  }

 private:
  std::string caption() const {
    const ContrastOptions& options = report_.options;
    return fmt::format("{} at each {}, x: {}, y: {}; {} variances, margin {}",
                       find_law("power")->formula(options.response), joined(report_.factors, " x "),
                       report_.study.x, report_.study.y, name_of(options.variances),
                       options.margin);
  }

  const ContrastReport& report_;
  TextTable table_;
  std::vector<std::string> notes_;
  FailedGroups failures_{"contrast"};
  std::size_t explained_ = 0;
};

}  // namespace

void write_contrast_table(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                          Format format, bool colour, const TextSink& sink) {
  ContrastTable table(report);
  for (const GroupContrast& group : contrasts) {
    std::visit([&](const auto& result) { table.add(group.group, result); }, group.result);
  }
  table.write(format, colour, sink);
}

}  // namespace scalelaw
