// Contrasts in every format: their JSON (schema scalelaw.contrast/1), and one row per pair of
// levels with the tests of its group.

#include "scalelaw/render/contrast_report.hpp"

#include <fmt/format.h>

#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_test(JsonText& json, const std::optional<FTest>& test) {
  if (!test) return json.null();
  json.open('{');
  json.key("f").number(test->f);
  json.key("df1").number(test->df1);
  json.key("df2").number(test->df2);
  json.key("p").number(test->p);
  json.close('}');
}

void write_test(JsonText& json, std::string_view method,
                const std::optional<ChiSquaredTest>& test) {
  if (!test) return json.null();
  json.open('{');
  json.key("method").text(method);
  json.key("chi_squared").number(test->statistic);
  json.key("df").number(test->df);
  json.key("p").number(test->p);
  json.close('}');
}

void write_level_name(JsonText& json, const ContrastReport& report, const GroupKey& level) {
  write_group(json, report.factors, level);
}

void write_level(JsonText& json, const ContrastReport& report, const ContrastLevel& level) {
  const Fit& fit = level.fit;
  json.open('{');
  write_level_name(json.key("level"), report, level.level);
  json.key("n").count(fit.n);
  json.key("distinct_x").count(fit.distinct_x);
  json.key("x_min").number(fit.x_min);
  json.key("x_max").number(fit.x_max);
  json.key("dof").count(fit.dof);
  write_estimate(json.key("alpha"), fit.parameters.front(), false);
  write_estimate(json.key("beta"), fit.parameters.back(), true);
  json.key("sigma").number(fit.sigma);
  json.close('}');
}

void write_omitted(JsonText& json, const ContrastReport& report, const OmittedLevel& level) {
  json.open('{');
  write_level_name(json.key("level"), report, level.level);
  json.key("code").text(name_of(level.code));
  json.key("message").text(level.message);
  json.close('}');
}

void write_pair_head(JsonText& json, const ContrastReport& report, const Contrast& contrast,
                     std::size_t first, std::size_t second) {
  json.key("levels").open('[');
  for (const std::size_t level : {first, second}) {
    write_level_name(json, report, contrast.levels[level].level);
  }
  json.close(']');
}

/// The figures of a difference, beside each other.
void write_difference(JsonText& json, const Estimate& estimate) {
  json.key("se").number(estimate.se);
  write_interval(json.key("ci"), estimate.ci);
  json.key("t").number(estimate.t);
  json.key("dof").number(estimate.dof);
  json.key("p").number(estimate.p);
}

void write_pair(JsonText& json, const ContrastReport& report, const Contrast& contrast,
                const SlopePair& pair) {
  json.open('{');
  write_pair_head(json, report, contrast, pair.first, pair.second);
  json.key("delta_beta").number(pair.delta_beta.estimate);
  write_difference(json, pair.delta_beta);
  json.key("p_holm").number(pair.p_holm);
  json.key("p_tost").number(pair.p_tost);
  write_interval(json.key("tost_ci"), pair.tost_ci);
  json.key("equivalent").boolean(pair.equivalent);
  json.key("verdict").text(name_of(pair.verdict));
  json.close('}');
}

void write_offset(JsonText& json, const ContrastReport& report, const Contrast& contrast,
                  const OffsetPair& pair) {
  json.open('{');
  write_pair_head(json, report, contrast, pair.first, pair.second);
  json.key("alpha_ratio").number(pair.ratio);
  write_interval(json.key("ci"), pair.ci);
  json.key("log_ratio").open('{');
  json.key("estimate").number(pair.log_ratio.estimate);
  write_difference(json, pair.log_ratio);
  json.close('}');
  json.key("p").number(pair.log_ratio.p);
  json.key("p_holm").number(pair.p_holm);
  json.close('}');
}

void write_centres(JsonText& json, const ContrastReport& report, const CovariateModel& model) {
  json.open('{');
  json.key(report.study.x).number(model.x_centre);
  for (const Covariate& covariate : model.covariates) {
    json.key(covariate.name).number(covariate.centre);
  }
  json.close('}');
}

void write_covariates(JsonText& json, const ContrastReport& report, const Contrast& contrast) {
  if (!contrast.covariates) return json.null();
  const CovariateModel& model = *contrast.covariates;
  json.open('{');
  write_centres(json.key("centres"), report, model);
  json.key("n").count(model.n);
  json.key("dof").count(model.dof);
  json.key("terms").open('{');
  for (const Term& term : model.terms) write_estimate(json.key(term.name), term, true);
  json.close('}');
  json.key("sigma").number(model.sigma);
  json.key("r2").number(model.r2);
  write_test(json.key("levels_given_model"), model.levels_given_model);
  write_test(json.key("interactions"), model.interactions);
  write_test(json.key("covariates_given_no_interactions"), model.covariates_given_no_interactions);
  json.close('}');
}

// Columns.

/// What a row is made from.
struct Pair {
  const Contrast& contrast;
  const std::string& sentence;
  const SlopePair& slope;
  const OffsetPair& offset;
};

std::string level(const Pair& pair, std::size_t index) {
  return joined(pair.contrast.levels[index].level);
}

double beta(const Pair& pair, std::size_t index) {
  return pair.contrast.levels[index].fit.parameters.back().estimate;
}

std::string left_out(const Pair& pair) {
  std::vector<std::string> levels;
  for (const OmittedLevel& level : pair.contrast.omitted) {
    levels.push_back(fmt::format("{}: {}", joined(level.level), name_of(level.code)));
  }
  return joined(levels, ";");
}

/// A difference has a sign always, which says which way it goes.
std::string signed_text(const Pair& pair) {
  const Estimate& delta = pair.slope.delta_beta;
  const std::string text = rounded(delta.estimate, delta.se).estimate;
  return text.starts_with('-') ? text : "+" + text;
}

/// Adds the members of a test of a contrast as columns.
template <class Test>
void add_test(Sheet<Pair>& sheet, const std::string& name, std::optional<Test> Contrast::*test,
              std::initializer_list<std::pair<const char*, double Test::*>> members) {
  for (const auto& [suffix, member] : members) {
    sheet.add(fmt::format("{}_{}", name, suffix), [test, member = member](const Pair& pair) {
      const auto& result = pair.contrast.*test;
      return result ? std::optional((*result).*member) : std::nullopt;
    });
  }
}

Sheet<Pair> contrast_sheet(const ContrastReport& report) {
  const std::string factor = joined(report.factors, " x ");
  const std::string interval = fmt::format("{:.6g} % interval", 100 * report.options.confidence);
  const bool is_time = report.options.response == Response::kTime;
  const auto delta = [](const Pair& pair) { return &pair.slope.delta_beta; };
  Sheet<Pair> sheet(report.study.by);
  sheet.add_status();
  sheet.add("level_1", [](const Pair& pair) { return level(pair, pair.slope.first); })
      .right()
      .titled(factor + " from");
  sheet.add("level_2", [](const Pair& pair) { return level(pair, pair.slope.second); })
      .right()
      .titled("to");
  sheet.add("beta_1", [](const Pair& pair) { return beta(pair, pair.slope.first); });
  sheet.add("beta_2", [](const Pair& pair) { return beta(pair, pair.slope.second); });
  sheet.estimate({.estimate = "delta_beta", .se = "se", .ci = "ci"}, delta)
      .seen_as(signed_text)
      .titled("beta differs by");
  sheet.show("se", "± SE");
  sheet.show("ci", interval);
  sheet.add("t", [](const Pair& pair) { return pair.slope.delta_beta.t; });
  sheet.add("dof", [](const Pair& pair) { return pair.slope.delta_beta.dof; });
  sheet.add("p", [](const Pair& pair) { return pair.slope.delta_beta.p; }).as(p_value());
  sheet.add("p_holm", [](const Pair& pair) { return pair.slope.p_holm; })
      .as(p_value())
      .titled("p Holm");
  sheet.add("p_tost", [](const Pair& pair) { return pair.slope.p_tost; }).as(p_value());
  sheet.add("equivalent", [](const Pair& pair) { return pair.slope.equivalent; });
  sheet.add("verdict", [](const Pair& pair) { return name_of(pair.slope.verdict); })
      .titled("slopes");
  sheet.add("alpha_ratio", [](const Pair& pair) { return pair.offset.ratio; })
      .titled(is_time ? "ratio of times" : "ratio of rates");
  sheet.interval("alpha_ratio_ci", [](const Pair& pair) { return pair.offset.ci; })
      .titled(interval);
  sheet.add("alpha_ratio_p", [](const Pair& pair) { return pair.offset.log_ratio.p; })
      .as(p_value());
  sheet.add("alpha_ratio_p_holm", [](const Pair& pair) { return pair.offset.p_holm; })
      .as(p_value())
      .titled("p Holm");
  sheet.add("n", [](const Pair& pair) { return pair.contrast.n; });
  sheet.add("levels", [](const Pair& pair) { return pair.contrast.levels.size(); });
  add_test(sheet, "equal_slopes", &Contrast::equal_slopes,
           {{"f", &FTest::f}, {"df1", &FTest::df1}, {"df2", &FTest::df2}, {"p", &FTest::p}});
  add_test(sheet, "equal_slopes_own_variances", &Contrast::equal_slopes_own_variances,
           {{"chi_squared", &ChiSquaredTest::statistic}, {"p", &ChiSquaredTest::p}});
  add_test(sheet, "equal_offsets", &Contrast::equal_offsets_given_slope,
           {{"f", &FTest::f}, {"df2", &FTest::df2}, {"p", &FTest::p}});
  add_test(sheet, "equal_variances", &Contrast::equal_variances, {{"p", &ChiSquaredTest::p}});
  sheet.estimate("common_beta", [](const Pair& pair) { return &pair.contrast.common_beta; });
  sheet.add("left_out", left_out);
  sheet.add("warnings", [](const Pair& pair) { return names_of(pair.contrast.warnings); });
  sheet.add("sentence", [](const Pair& pair) { return pair.sentence; });
  sheet.add_failure();
  return sheet;
}

// What tables for people say of a group.

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
  return text + "common beta " + with_error(contrast.common_beta);
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

class ContrastDescription final : public Description<Contrast, Pair> {
 public:
  explicit ContrastDescription(const ContrastReport& report) : report_(report) {}

  const std::vector<std::string>& by() const override { return report_.study.by; }
  std::string_view noun() const override { return "contrast"; }

  void write_head(JsonHead& head) const override {
    const ContrastOptions& options = report_.options;
    write_data(head, "scalelaw.contrast/1", report_.study);
    JsonText factors = head.member("factors");
    write_strings(factors, report_.factors);
    head.member("response").text(name_of(options.response));
    write_points(head, report_.study);
    head.member("variances").text(name_of(options.variances));
    head.member("margin").number(options.margin);
    head.member("confidence").number(options.confidence);
    scalelaw::write_rows(head, report_.study);
  }

  std::string_view list() const override { return "contrasts"; }

  void write_members(JsonText& json, const Contrast& contrast) const override {
    json.key("n").count(contrast.n);
    write_each(json.key("levels"), contrast.levels,
               [&](const ContrastLevel& level) { write_level(json, report_, level); });
    write_each(json.key("left_out"), contrast.omitted,
               [&](const OmittedLevel& level) { write_omitted(json, report_, level); });
    write_test(json.key("equal_slopes"), contrast.equal_slopes);
    write_test(json.key("equal_slopes_own_variances"), "alexander-govern",
               contrast.equal_slopes_own_variances);
    write_test(json.key("equal_offsets_given_slope"), contrast.equal_offsets_given_slope);
    write_test(json.key("equal_variances"), "bartlett", contrast.equal_variances);
    write_estimate(json.key("common_beta"), contrast.common_beta, true);
    write_each(json.key("pairs"), contrast.slopes,
               [&](const SlopePair& pair) { write_pair(json, report_, contrast, pair); });
    write_each(json.key("offset_pairs"), contrast.offsets,
               [&](const OffsetPair& pair) { write_offset(json, report_, contrast, pair); });
    write_covariates(json.key("covariates"), report_, contrast);
    if (!contrast.covariates) json.key("no_covariates").text(contrast.no_covariates);
    write_each(json.key("warnings"), contrast.warnings, [&](WarningCode code) {
      json.open('{');
      json.key("code").text(name_of(code));
      json.key("message").text(scalelaw::explain(code, contrast));
      json.close('}');
    });
    json.key("sentence").text(contrast_sentence(report_, contrast));
  }

  Sheet<Pair> sheet(Format) const override { return contrast_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Contrast& contrast) const override {
    const std::string sentence = contrast_sentence(report_, contrast);
    rows.begin_part();
    for (std::size_t i = 0; i < contrast.slopes.size(); ++i) {
      rows.add(group, Pair{contrast, sentence, contrast.slopes[i], contrast.offsets[i]});
    }
  }

  std::string caption() const override {
    const ContrastOptions& options = report_.options;
    return fmt::format("{} at each {}, x: {}, y: {}; {} variances, margin {}",
                       find_law("power")->formula(options.response), joined(report_.factors, " x "),
                       report_.study.x, report_.study.y, name_of(options.variances),
                       options.margin);
  }

  void explain(std::vector<std::string>& lines, const GroupKey& group,
               const Contrast& contrast) override {
    lines.push_back(fmt::format("{}: {}", group_name(report_.study.by, group),
                                contrast_sentence(report_, contrast)));
    lines.push_back("  " + tests_text(contrast));
    lines.push_back("  " + model_text(report_, contrast));
    for (const WarningCode code : contrast.warnings) {
      lines.push_back(fmt::format("  {}: {}", name_of(code), scalelaw::explain(code, contrast)));
    }
    for (const OmittedLevel& level : contrast.omitted) {
      lines.push_back(fmt::format("  left out: {}: {} ({})",
                                  group_name(report_.factors, level.level), level.message,
                                  name_of(level.code)));
    }
  }

 private:
  const ContrastReport& report_;
};

}  // namespace

ContrastReport contrast_report(StudyReport study, const GroupedCells& runs,
                               const ContrastOptions& options) {
  const auto factors = runs.factors();
  study.by.resize(study.by.size() - factors.size());
  return {.study = std::move(study),
          .factors = std::vector<std::string>(factors.begin(), factors.end()),
          .options = options};
}

void write_contrasts(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                     const TableStyle& style, const TextSink& sink) {
  write_groups(*make_result_writer<Contrast, Pair>(std::make_unique<ContrastDescription>(report),
                                                   style, sink),
               contrasts);
}

}  // namespace scalelaw
