// Contrasts as JSON (schema scalelaw.contrast/1) and as JSON lines.

#include "render/contrast_writers.hpp"
#include "render/group_json.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

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
  if (pair.equivalent) {
    json.key("equivalent").boolean(*pair.equivalent);
  } else {
    json.key("equivalent").null();
  }
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

template <class Items, class Write>
void write_each(JsonText& json, const Items& items, Write write) {
  json.open('[');
  for (const auto& item : items) write(item);
  json.close(']');
}

void write_contrast(JsonText& json, const ContrastReport& report, const GroupKey& group,
                    const Contrast& contrast) {
  json.open('{');
  write_group(json.key("group"), report.study.by, group);
  json.key("n").count(contrast.n);
  write_each(json.key("levels"), contrast.levels,
             [&](const ContrastLevel& level) { write_level(json, report, level); });
  write_each(json.key("left_out"), contrast.omitted,
             [&](const OmittedLevel& level) { write_omitted(json, report, level); });
  write_test(json.key("equal_slopes"), contrast.equal_slopes);
  write_test(json.key("equal_slopes_own_variances"), "alexander-govern",
             contrast.equal_slopes_own_variances);
  write_test(json.key("equal_offsets_given_slope"), contrast.equal_offsets_given_slope);
  write_test(json.key("equal_variances"), "bartlett", contrast.equal_variances);
  write_estimate(json.key("common_beta"), contrast.common_beta, true);
  write_each(json.key("pairs"), contrast.slopes,
             [&](const SlopePair& pair) { write_pair(json, report, contrast, pair); });
  write_each(json.key("offset_pairs"), contrast.offsets,
             [&](const OffsetPair& pair) { write_offset(json, report, contrast, pair); });
  write_covariates(json.key("covariates"), report, contrast);
  if (!contrast.covariates) json.key("no_covariates").text(contrast.no_covariates);
  write_each(json.key("warnings"), contrast.warnings, [&](WarningCode code) {
    json.open('{');
    json.key("code").text(name_of(code));
    json.key("message").text(explain(code, contrast));
    json.close('}');
  });
  json.key("sentence").text(contrast_sentence(report, contrast));
  json.close('}');
}

void write_head(std::string& out, const ContrastReport& report) {
  JsonHead head(out);
  const ContrastOptions& options = report.options;
  write_data(head, "scalelaw.contrast/1", report.study);
  JsonText factors = head.member("factors");
  write_strings(factors, report.factors);
  head.member("response").text(name_of(options.response));
  write_points(head, report.study);
  head.member("variances").text(name_of(options.variances));
  head.member("margin").number(options.margin);
  head.member("confidence").number(options.confidence);
  write_rows(head, report.study);
}

}  // namespace

void write_contrast_json(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                         const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report);
  write_groups<Contrast>(out, "contrasts", report.study.by, contrasts,
                         [&](JsonText& json, const GroupKey& group, const Contrast& contrast) {
                           write_contrast(json, report, group, contrast);
                         });
}

void write_contrast_jsonl(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                          const TextSink& sink) {
  write_group_lines<Contrast>(report.study.by, contrasts, sink,
                              [&](JsonText& json, const GroupKey& group, const Contrast& contrast) {
                                write_contrast(json, report, group, contrast);
                              });
}

}  // namespace scalelaw
