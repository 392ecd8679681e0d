// Contrasts in every format: their JSON (schema scalelaw.contrast/1), and one row per pair of
// levels with the tests of its group.

#include "scalelaw/render/contrast_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_test(JsonText& json, const FTest& test) {
  write_numbers(json, {{"f", test.f}, {"df1", test.df1}, {"df2", test.df2}, {"p", test.p}});
}

auto write_test_by(std::string_view method) {
  return [method](JsonText& json, const ChiSquaredTest& test) {
    json.key("method").text(method);
    write_numbers(json, {{"chi_squared", test.statistic}, {"df", test.df}, {"p", test.p}});
  };
}

void write_level(JsonText& json, const ContrastReport& report, const ContrastLevel& level) {
  const Fit& fit = level.fit;
  write_group(json.key("level"), report.factors, level.level);
  json << Members{{"n", fit.n}, {"distinct_x", fit.distinct_x}};
  json << Members{{"x_min", fit.x_min}, {"x_max", fit.x_max}, {"dof", fit.dof}};
  write_estimate(json.key("alpha"), fit.parameters.front(), false);
  write_estimate(json.key("beta"), fit.parameters.back(), true);
  json << Members{{"sigma", fit.sigma}, {"misfit_p", level.misfit_p}};
}

void write_omitted(JsonText& json, const ContrastReport& report, const OmittedLevel& level) {
  write_group(json.key("level"), report.factors, level.level);
  json << Members{{"code", level.code}, {"message", level.message}};
}

void write_pair_head(JsonText& json, const ContrastReport& report, const Contrast& contrast,
                     std::size_t first, std::size_t second) {
  write_each(json.key("levels"), std::array{first, second}, [&](std::size_t level) {
    write_group(json, report.factors, contrast.levels[level].level);
  });
}

/// Writes the figures of a difference without its estimate.
void write_difference(JsonText& json, const Estimate& estimate) {
  json << Members{{"se", estimate.se}, {"ci", estimate.ci}};
  write_numbers(json, {{"t", estimate.t}, {"dof", estimate.dof}, {"p", estimate.p}});
}

void write_pair(JsonText& json, const ContrastReport& report, const Contrast& contrast,
                const SlopePair& pair) {
  write_pair_head(json, report, contrast, pair.first, pair.second);
  json.key("delta_beta").number(pair.delta_beta.estimate);
  write_difference(json, pair.delta_beta);
  json << Members{{"p_holm", pair.p_holm}, {"p_tost", pair.p_tost}, {"tost_ci", pair.tost_ci}};
  json << Members{{"equivalent", pair.equivalent}, {"verdict", pair.verdict}};
}

void write_offset(JsonText& json, const ContrastReport& report, const Contrast& contrast,
                  const OffsetPair& pair) {
  write_pair_head(json, report, contrast, pair.first, pair.second);
  json << Members{{"alpha_ratio", pair.ratio}, {"ci", pair.ci}};
  json.key("log_ratio").open('{');
  json.key("estimate").number(pair.log_ratio.estimate);
  write_difference(json, pair.log_ratio);
  json.close('}');
  write_numbers(json, {{"p", pair.log_ratio.p}, {"p_holm", pair.p_holm}});
}

void write_covariates(JsonText& json, const ContrastReport& report, const CovariateModel& model) {
  write_object(json.key("centres"), model.covariates, [&](const std::vector<Covariate>& all) {
    json.key(report.study.x).number(model.x_centre);
    for (const Covariate& covariate : all) json.key(covariate.name).number(covariate.centre);
  });
  json << Members{{"n", model.n}, {"dof", model.dof}};
  write_object(json.key("terms"), model.terms, [&](const std::vector<Term>& terms) {
    for (const Term& term : terms) write_estimate(json.key(term.name), term, true);
  });
  write_numbers(json, {{"sigma", model.sigma}, {"r2", model.r2}});
  write_object(json.key("levels_given_model"), model.levels_given_model, write_test);
  write_object(json.key("interactions"), model.interactions, write_test);
  write_object(json.key("covariates_given_no_interactions"), model.covariates_given_no_interactions,
               write_test);
}

// Columns.

/// A row is made from these.
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
  return joined_texts(pair.contrast.omitted, ";", [](const OmittedLevel& level) {
    return fmt::format("{}: {}", joined(level.level), name_of(level.code));
  });
}

/// The difference always has a sign, which tells its direction.
std::string signed_text(const Pair& pair) {
  const Estimate& delta = pair.slope.delta_beta;
  const std::string text = rounded(delta.estimate, delta.se).estimate;
  return text.starts_with('-') ? text : "+" + text;
}

/// Adds the members of a test of a contrast as columns.
template <class Test>
void add_test(Sheet<Pair>& sheet, const std::string& name, std::optional<Test> Contrast::*test,
              std::initializer_list<std::pair<const char*, double Test::*>> members) {
  const auto result = sheet.part([](const Pair& pair) { return &pair.contrast; }).part(test);
  for (const auto& [suffix, member] : members) result.add(name + "_" + suffix, member);
}

Sheet<Pair> contrast_sheet(const ContrastReport& report) {
  const std::string factor = joined(report.factors, " x ");
  const std::string interval = percent_text(report.options.confidence) + " interval";
  const ResponseWords words = words_of(report.study, report.options.response);
  const auto delta = [](const Pair& pair) { return &pair.slope.delta_beta; };
  Sheet<Pair> sheet(report.study.by);
  sheet.add_status();
  sheet.add("level_1", [](const Pair& pair) { return level(pair, pair.slope.first); })
      .right()
      .key()
      .titled(factor + " from");
  sheet.add("level_2", [](const Pair& pair) { return level(pair, pair.slope.second); })
      .right()
      .key()
      .titled("to");
  sheet.add("beta_1", [](const Pair& pair) { return beta(pair, pair.slope.first); });
  sheet.add("beta_2", [](const Pair& pair) { return beta(pair, pair.slope.second); });
  sheet.estimate({.estimate = "delta_beta", .se = "se", .ci = "ci"}, delta)
      .seen_as(signed_text)
      .titled("beta differs by");
  sheet.named("se").detail().titled("± SE");
  sheet.named("ci").detail().titled(interval);
  const auto difference = sheet.part(delta);
  difference.add("t", &Estimate::t);
  difference.add("dof", &Estimate::dof);
  difference.add("p", &Estimate::p).as(p_value());
  const auto slope = sheet.part([](const Pair& pair) { return &pair.slope; });
  slope.add("p_holm", &SlopePair::p_holm).as(p_value()).detail().titled("p Holm");
  slope.add("p_tost", &SlopePair::p_tost).as(p_value());
  slope.add("equivalent", &SlopePair::equivalent);
  slope.add("verdict", &SlopePair::verdict).titled("slopes");
  const auto offset = sheet.part([](const Pair& pair) { return &pair.offset; });
  offset.add("alpha_ratio", &OffsetPair::ratio).titled(fmt::format("ratio of {}", words.several));
  offset.interval("alpha_ratio_ci", &OffsetPair::ci).titled(interval);
  offset.part(&OffsetPair::log_ratio).add("alpha_ratio_p", &Estimate::p).as(p_value());
  offset.add("alpha_ratio_p_holm", &OffsetPair::p_holm).as(p_value()).detail().titled("p Holm");
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

// Lines below tables for people.

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

class ContrastDescription final : public Description<ContrastReport, Contrast, Pair> {
 public:
  explicit ContrastDescription(const ContrastReport& report)
      : Description(report, {.noun = "contrast",
                             .schema = "scalelaw.contrast/1",
                             .list = "contrasts",
                             .unexplained = "--format csv and json explain them all"}) {}

  void write_head(JsonText& head) const override {
    const ContrastOptions& options = report_.options;
    write_data(head, report_.study);
    head << HeadMembers{{"factors", report_.factors}, {"response", options.response}};
    write_points(head, report_.study);
    head << HeadMembers{{"variances", options.variances}, {"margin", options.margin}};
    head.member("confidence").number(options.confidence);
    write_rows(head, report_.study);
  }

  void write_members(JsonText& json, const Contrast& contrast) const override {
    json.key("n").count(contrast.n);
    write_objects(json.key("levels"), contrast.levels,
                  [&](const ContrastLevel& level) { write_level(json, report_, level); });
    write_objects(json.key("left_out"), contrast.omitted,
                  [&](const OmittedLevel& level) { write_omitted(json, report_, level); });
    write_object(json.key("equal_slopes"), contrast.equal_slopes, write_test);
    write_object(json.key("equal_slopes_own_variances"), contrast.equal_slopes_own_variances,
                 write_test_by("alexander-govern"));
    write_object(json.key("equal_offsets_given_slope"), contrast.equal_offsets_given_slope,
                 write_test);
    write_object(json.key("equal_variances"), contrast.equal_variances, write_test_by("bartlett"));
    write_estimate(json.key("common_beta"), contrast.common_beta, true);
    write_objects(json.key("pairs"), contrast.slopes,
                  [&](const SlopePair& pair) { write_pair(json, report_, contrast, pair); });
    write_objects(json.key("offset_pairs"), contrast.offsets,
                  [&](const OffsetPair& pair) { write_offset(json, report_, contrast, pair); });
    write_object(json.key("covariates"), contrast.covariates,
                 [&](const CovariateModel& model) { write_covariates(json, report_, model); });
    if (!contrast.covariates) json.key("no_covariates").text(contrast.no_covariates);
    write_objects(json.key("warnings"), contrast.warnings, [&](WarningCode code) {
      json << Members{{"code", code}, {"message", scalelaw::explain(code, contrast)}};
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
    return fmt::format(
        "{} at each {}, x: {}, y: {}; exponents whose difference is surely below {} count as equal",
        formula_of(*find_law("power"), report_.study, options.response),
        joined(report_.factors, " x "), report_.study.x, report_.study.y, options.margin);
  }

  void take_note_of(const GroupKey&, const Contrast& contrast) override {
    ++groups_;
    const SlopeFinding slopes = findings_of(contrast, report_.options).slopes;
    differing_ +=
        slopes == SlopeFinding::kDiffer || slopes == SlopeFinding::kDifferTogether ? 1 : 0;
    equivalent_ += slopes == SlopeFinding::kEquivalent ? 1 : 0;
  }

  std::vector<std::string> answer() const override {
    const std::string factor = joined(report_.factors, " and ");
    return {fmt::format("In {} of {} the effect of {} depends on {}.", differing_,
                        counted(groups_, "group"), factor, number_of_units(report_.study.x)),
            fmt::format("In {} it is the same at every scale: the difference of the exponents is "
                        "surely below {}.",
                        counted(equivalent_, "group"), report_.options.margin)};
  }

  std::vector<std::string> answer_on(const GroupKey&, const Contrast& contrast) const override {
    return {contrast_sentence(report_, contrast) + "."};
  }

  void explain(Notes& lines, const GroupKey&, const Contrast& contrast) override {
    lines.detail(fmt::format("  tests with {} variances: {}", name_of(report_.options.variances),
                             tests_text(contrast)));
    lines.detail("  " + model_text(report_, contrast));
    for (const WarningCode code : contrast.warnings) {
      lines.add(fmt::format("  {}: {}", name_of(code), scalelaw::explain(code, contrast)));
    }
    for (const OmittedLevel& level : contrast.omitted) {
      lines.add(fmt::format("  left out: {}: {} ({})", group_name(report_.factors, level.level),
                            level.message, name_of(level.code)));
    }
  }

 private:
  std::size_t groups_ = 0;
  std::size_t differing_ = 0;
  std::size_t equivalent_ = 0;
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

std::unique_ptr<GroupWriter<Contrast>> make_contrast_writer(const ContrastReport& report,
                                                            const TableStyle& style,
                                                            TextSink sink) {
  return make_result_writer(ContrastDescription(report), style, std::move(sink));
}

namespace {

// What recipes save, in every format: JSON (schema scalelaw.savings/1), and one row per pair.

/// A pair with the names of its recipes, and figures of their ratio.
struct SavingRow {
  std::string first;
  std::string second;
  double at;
  const SavingPair* pair;
};

/// "loss"; else the name of the column.
std::string response_noun_of(const SavingsReport& report) {
  return report.quantity.kind == Kind::kLoss ? "loss" : report.y;
}

/// What is saved: "flops", "GPUs", "compute" for a product of two scales.
std::string scale_noun(const SavingsReport& report) {
  if (report.scales.size() != 2) {
    return unit_of_scale(report.x).empty() ? report.x : units_of_scale(report.x);
  }
  return report.flops_per_parameter_token == 1 ? "product" : "compute";
}

double ratio_of(const Estimate& estimate) { return std::exp(estimate.estimate); }

std::optional<Interval> interval_of(const Estimate& estimate) {
  return estimate.ci ? std::optional(exp_of(*estimate.ci)) : std::nullopt;
}

std::string ratio_text(const Estimate& estimate, const SavingsReport& report) {
  std::string text = with_significant_digits(ratio_of(estimate), 3);
  const auto ci = interval_of(estimate);
  if (!ci) return text + " times";
  return fmt::format("{} times ({}: {} to {})", text, percent_text(report.options.fit.confidence),
                     with_significant_digits(ci->lower, 3), with_significant_digits(ci->upper, 3));
}

void write_ratio(JsonText& json, const Estimate& estimate) {
  json.key("ratio").number(std::exp(estimate.estimate));
  json << Members{{"ci", interval_of(estimate)}, {"log_ratio", estimate.estimate}};
  write_numbers(json, {{"se", estimate.se}, {"dof", estimate.dof}, {"p", estimate.p}});
}

class SavingsDescription final : public Description<SavingsReport, Savings, SavingRow> {
 public:
  explicit SavingsDescription(const SavingsReport& report)
      : Description(report,
                    {.noun = "contrast", .schema = "scalelaw.savings/1", .list = "savings"}) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_);
    const FitOptions& fit = report_.options.fit;
    head << HeadMembers{
        {"factors", report_.factors}, {"law", fit.law->name()}, {"confidence", fit.confidence}};
    write_rows(head, report_);
  }
  void write_members(JsonText& json, const Savings& savings) const override {
    json.key("at").number(savings.at);
    write_object(json.key("common"), *savings.sharing, [](JsonText& members, const Sharing& joint) {
      write_each(members.key("parameters"), joint.parameters,
                 [](JsonText& list, const Parameter& parameter) { list.text(parameter.name); });
      members << Members{{"dof", joint.dof}, {"aicc", joint.aicc}};
      write_object(members.key("test"), joint.test, [](JsonText& test, const SharingTest& found) {
        write_numbers(test,
                      {{"f", found.f}, {"df1", found.df1}, {"df2", found.df2}, {"p", found.p}});
      });
    });
    write_objects(json.key("pairs"), savings.pairs, [&](JsonText& members, const SavingPair& pair) {
      write_each(members.key("levels"), std::array{pair.first, pair.second},
                 [&](JsonText& list, std::size_t recipe) {
                   write_group(list, report_.factors, savings.recipes[recipe]);
                 });
      write_object(members.key("common"), pair.common, write_ratio);
      write_object(members.key("separate"), pair.separate, write_ratio);
    });
    write_objects(json.key("omitted"), savings.omitted,
                  [&](JsonText& members, const OmittedLevel& level) {
                    write_group(members.key("level"), report_.factors, level.level);
                    members << Members{{"code", level.code}, {"message", level.message}};
                  });
  }

  Sheet<SavingRow> sheet(Format) const override {
    Sheet<SavingRow> sheet(report_.by);
    const std::string noun = scale_noun(report_);
    const std::string level = percent_text(report_.options.fit.confidence) + " interval";
    sheet.add_status();
    sheet.add("first", &SavingRow::first).key().titled("from");
    sheet.add("second", &SavingRow::second).key().titled("to");
    const auto add = [&](const std::string& name, std::optional<Estimate> SavingPair::*part,
                         const std::string& title) {
      const auto log_ratio = sheet.part(&SavingRow::pair).part(part);
      log_ratio.add(name, ratio_of).as(significant(3)).titled(title);
      log_ratio.interval(name + "_ci", interval_of).titled(level);
      log_ratio.add(name + "_p", &Estimate::p).as(p_value());
    };
    add("common_ratio", &SavingPair::common, noun + ", common shape");
    add("separate_ratio", &SavingPair::separate, "separate laws");
    sheet.add("at", &SavingRow::at).as(significant(4)).titled("at " + response_noun_of(report_));
    sheet.add_failure();
    return sheet;
  }
  void add_rows(SheetWriter& rows, const GroupKey& group, const Savings& savings) const override {
    for (const SavingPair& pair : savings.pairs) {
      rows.add(group, SavingRow{joined(savings.recipes[pair.first]),
                                joined(savings.recipes[pair.second]), savings.at, &pair});
    }
  }

  std::vector<std::string> answer_on(const GroupKey&, const Savings& savings) const override {
    constexpr std::size_t kMostSentences = 3;
    std::vector<std::string> sentences;
    const bool refuted = savings.sharing->is_refuted();
    for (const SavingPair& pair : savings.pairs) {
      const auto& ratio = refuted ? pair.separate : pair.common;
      if (!ratio || sentences.size() == kMostSentences) continue;
      const std::string place = refuted ? fmt::format("At {} = {}", response_noun_of(report_),
                                                      with_significant_digits(savings.at, 4))
                                        : "For the same " + response_noun_of(report_);
      sentences.push_back(fmt::format(
          "{} {} needs {} the {} of {}.", place, joined(savings.recipes[pair.second]),
          ratio_text(*ratio, report_), scale_noun(report_), joined(savings.recipes[pair.first])));
    }
    sentences.push_back(test_sentence(*savings.sharing));
    return sentences;
  }

  void explain(Notes& lines, const GroupKey&, const Savings& savings) override {
    for (const OmittedLevel& level : savings.omitted) {
      lines.add(fmt::format("  left out: {}: {} ({})", joined(level.level), level.message,
                            name_of(level.code)));
    }
  }
  std::string caption() const override {
    return fmt::format("{} that the second needs over that of the first for the same {}",
                       scale_noun(report_), response_noun_of(report_));
  }

 private:
  static std::string test_sentence(const Sharing& sharing) {
    std::vector<std::string> names;
    for (const Parameter& parameter : sharing.parameters) names.emplace_back(parameter.name);
    const std::string shape = joined(names);
    if (!sharing.test) {
      return fmt::format("Whether a common {} is allowed was not tested: {}.", shape,
                         sharing.untested);
    }
    const SharingTest& test = *sharing.test;
    const std::string figures =
        fmt::format("(F({:g}, {:g}) = {:.3g}, {})", test.df1, test.df2, test.f,
                    test.p < 1e-4 ? "p < 0.0001" : fmt::format("p = {:.2g}", test.p));
    return sharing.is_refuted()
               ? fmt::format(
                     "The runs speak against a common {} {}, so the ratio depends on where "
                     "it is taken.",
                     shape, figures)
               : fmt::format("The runs do not speak against a common {} {}.", shape, figures);
  }
};

}  // namespace

void write_savings(const SavingsReport& report, std::span<const GroupSavings> groups,
                   const TableStyle& style, const TextSink& sink) {
  write_results(SavingsDescription(report), groups, style, sink);
}

}  // namespace scalelaw
