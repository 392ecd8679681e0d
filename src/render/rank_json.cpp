// Rankings as JSON (schema scalelaw.rank/1) and as JSON lines.

#include "render/json_parts.hpp"
#include "render/rank_writers.hpp"

namespace scalelaw {
namespace {

void write_law_names(JsonText& json, std::span<const Law* const> laws) {
  json.open('[');
  for (const Law* law : laws) json.text(law->name());
  json.close(']');
}

void write_fit_of(JsonText& json, const Fit& fit) {
  write_parameters(json.key("parameters"), fit);
  json.key("rss").number(fit.rss);
  json.key("rmse").number(fit.rmse);
  json.key("mape").number(fit.mape);
}

void write_law(JsonText& json, const RankedLaw& ranked) {
  const Fit* fit = std::get_if<Fit>(&ranked.result);
  json.open('{');
  json.key("law").text(ranked.law->name());
  json.key("converged").boolean(fit != nullptr);
  json.key("k").count(static_cast<std::uint64_t>(ranked.k));
  json.key("aicc").number(ranked.aicc);
  json.key("delta").number(ranked.delta);
  json.key("weight").number(ranked.weight);
  if (fit != nullptr) {
    write_fit_of(json, *fit);
  } else {
    const NoFit& failure = std::get<NoFit>(ranked.result);
    json.key("code").text(name_of(failure.code));
    json.key("message").text(failure.message);
  }
  json.close('}');
}

void write_curvature(JsonText& json, const std::optional<CurvatureTest>& test) {
  if (!test) return json.null();
  json.open('{');
  json.key("f").number(test->f);
  json.key("df1").number(test->df1);
  json.key("df2").number(test->df2);
  json.key("p").number(test->p);
  json.key("curvature").number(test->curvature);
  json.close('}');
}

void write_errors(JsonText& json, const std::optional<ErrorsTest>& test) {
  if (!test) return json.null();
  json.open('{');
  json.key("aicc_lognormal").number(test->aicc_lognormal);
  json.key("aicc_normal").number(test->aicc_normal);
  json.key("verdict").text(test->verdict ? name_of(*test->verdict) : "undecided");
  json.close('}');
}

void write_bootstrap_test(JsonText& json, const std::optional<BootstrapTest>& test) {
  if (!test) return json.null();
  json.open('{');
  json.key("statistic").number(test->statistic);
  json.key("p").number(test->p);
  json.key("method").text("parametric-bootstrap");
  json.key("resamples").count(std::uint64_t{test->resamples});
  json.close('}');
}

void write_tests(JsonText& json, const Ranking& ranking) {
  json.open('{');
  write_curvature(json.key("power_vs_lognormal"), ranking.power_vs_lognormal);
  write_errors(json.key("errors"), ranking.errors);
  write_bootstrap_test(json.key("power_vs_floor"), ranking.power_vs_floor);
  write_bootstrap_test(json.key("power_vs_broken"), ranking.power_vs_broken);
  json.close('}');
}

void write_hold_out(JsonText& json, const std::optional<HoldOut>& holdout) {
  if (!holdout) return json.null();
  json.open('{');
  json.key("x").number(holdout->x);
  json.key("n").count(holdout->n);
  json.key("laws").open('[');
  for (const HeldOutLaw& law : holdout->laws) {
    json.open('{');
    json.key("law").text(law.law->name());
    json.key("log_error").number(law.log_error);
    json.key("inside");
    law.inside ? json.boolean(*law.inside) : json.null();
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

void write_betas(JsonText& json, const std::vector<PartialBeta>& betas) {
  json.open('[');
  for (const PartialBeta& part : betas) {
    json.open('{');
    if (part.left_out) json.key("left_out").number(*part.left_out);
    json.key("x_min").number(part.x_min);
    json.key("x_max").number(part.x_max);
    json.key("beta").number(part.beta);
    json.key("se").number(part.se);
    json.close('}');
  }
  json.close(']');
}

void write_stability(JsonText& json, const Stability& stability) {
  json.open('{');
  write_betas(json.key("leave_one_out"), stability.leave_one_out);
  write_betas(json.key("prefixes"), stability.prefixes);
  write_betas(json.key("suffixes"), stability.suffixes);
  write_betas(json.key("local"), stability.local);
  json.close('}');
}

void write_ranking(JsonText& json, const std::vector<std::string>& by, const GroupRanking& group) {
  const Ranking& ranking = group.ranking;
  json.open('{');
  write_group(json.key("group"), by, group.group);
  json.key("n").count(ranking.n);
  json.key("distinct_x").count(ranking.distinct_x);
  json.key("x_min").number(ranking.x_min);
  json.key("x_max").number(ranking.x_max);
  json.key("best");
  ranking.best != nullptr ? json.text(ranking.best->name()) : json.null();
  write_law_names(json.key("undecided"), ranking.undecided);
  json.key("laws").open('[');
  for (const RankedLaw& ranked : ranking.laws) write_law(json, ranked);
  json.close(']');
  write_tests(json.key("tests"), ranking);
  write_hold_out(json.key("holdout"), ranking.holdout);
  write_stability(json.key("stability"), ranking.stability);
  json.key("sentence").text(ranking.sentence);
  json.close('}');
}

void write_head(std::string& out, const RankReport& report) {
  const RankOptions& options = report.options;
  JsonHead head(out);
  write_data(head, "scalelaw.rank/1", report);
  JsonText laws = head.member("laws");
  write_law_names(laws, ranked_laws(options));
  head.member("response").text(name_of(options.response));
  write_points(head, report);
  head.member("confidence").number(options.confidence);
  head.member("resamples").count(std::uint64_t{options.resamples});
  head.member("seed").count(options.seed);
  write_rows(head, report);
}

class JsonRankWriter final : public RankWriter {
 public:
  JsonRankWriter(RankReport report, bool lines, TextSink sink)
      : by_(report.by), lines_(lines), out_(std::move(sink)) {
    if (lines_) return;
    write_head(out_.text(), report);
    out_.text() += ",\n \"groups\": [";
  }

  void write(const GroupRanking& group) override {
    if (!lines_) out_.text() += any_ ? ",\n  " : "\n  ";
    JsonText json(out_.text());
    write_ranking(json, by_, group);
    if (lines_) out_.text() += '\n';
    any_ = true;
    out_.pass_on_if_full();
  }

  void finish() override {
    if (!lines_) out_.text() += any_ ? "\n ]}\n" : "]}\n";
    out_.pass_on();
  }

 private:
  std::vector<std::string> by_;
  bool lines_;
  BufferedText out_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<RankWriter> make_json_rank_writer(RankReport report, Format format, TextSink sink) {
  return std::make_unique<JsonRankWriter>(std::move(report), format == Format::kJsonl,
                                          std::move(sink));
}

}  // namespace scalelaw
