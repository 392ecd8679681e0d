// Rankings in every format: their JSON (schema scalelaw.rank/1); CSV with one row per group and
// law; tables for people with one row per group, and below them a sentence on each.

#include "scalelaw/render/rank_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/ranges.hpp"
#include "render/rank_verdict.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// JSON.

void write_law_names(JsonText& json, std::span<const Law* const> laws) {
  write_each(json, laws, [&](const Law* law) { json.text(law->name()); });
}

void write_ranked_law(JsonText& json, const RankedLaw& ranked) {
  const Fit* fit = std::get_if<Fit>(&ranked.result);
  json << Members{{"law", ranked.law->name()}, {"converged", fit != nullptr}, {"k", ranked.k}};
  write_numbers(json, {{"aicc", ranked.aicc}, {"delta", ranked.delta}, {"weight", ranked.weight}});
  if (fit != nullptr) {
    write_parameters(json.key("parameters"), *fit);
    write_numbers(json, {{"rss", fit->rss}, {"rmse", fit->rmse}, {"mape", fit->mape}});
  } else {
    write_reason(json, std::get<NoFit>(ranked.result));
  }
}

void write_curvature(JsonText& json, const CurvatureTest& test) {
  write_numbers(json, {{"f", test.f}, {"df1", test.df1}, {"df2", test.df2}, {"p", test.p}});
  json.key("curvature").number(test.curvature);
}

void write_errors(JsonText& json, const ErrorsTest& test) {
  write_numbers(json, {{"aicc_lognormal", test.aicc_lognormal}, {"aicc_normal", test.aicc_normal}});
  json.key("verdict").text(test.verdict ? name_of(*test.verdict) : "undecided");
}

auto write_nested_by(std::string_view method) {
  return [method](JsonText& json, const NestedTest& test) {
    json << Members{{"statistic", test.statistic}, {"p", test.p}, {"method", method}};
    json.key("resamples").count(std::uint64_t{test.resamples});
  };
}

void write_departure_test(JsonText& json, const DepartureTest& test) {
  json << Members{{"p", test.p}, {"method", "harmonic-mean"}, {"tests", test.tests}};
}

void write_tests(JsonText& json, const Ranking& ranking) {
  write_object(json.key("power_vs_lognormal"), ranking.power_vs_lognormal, write_curvature);
  write_object(json.key("errors"), ranking.errors, write_errors);
  write_object(json.key("power_vs_floor"), ranking.power_vs_floor,
               write_nested_by("parametric-bootstrap"));
  write_object(json.key("power_vs_broken"), ranking.power_vs_broken, write_nested_by("tube"));
  write_object(json.key("power_vs_any"), ranking.power_vs_any, write_departure_test);
}

void write_held_out_law(JsonText& json, const HeldOutLaw& held) {
  json << Members{
      {"law", held.law->name()}, {"log_error", held.log_error}, {"inside", held.inside}};
}

void write_hold_out(JsonText& json, const HoldOut& holdout) {
  json << Members{{"x", holdout.x}, {"n", holdout.n}};
  write_objects(json.key("laws"), holdout.laws, write_held_out_law);
}

void write_beta(JsonText& json, const PartialBeta& part) {
  if (part.left_out) json.key("left_out").number(*part.left_out);
  write_numbers(json, {{"x_min", part.x_min}, {"x_max", part.x_max}});
  write_numbers(json, {{"beta", part.beta}, {"se", part.se}});
}

void write_stability(JsonText& json, const Stability& stability) {
  write_objects(json.key("leave_one_out"), stability.leave_one_out, write_beta);
  write_objects(json.key("prefixes"), stability.prefixes, write_beta);
  write_objects(json.key("suffixes"), stability.suffixes, write_beta);
  write_objects(json.key("local"), stability.local, write_beta);
}

// Columns.

/// A row is a law of a group; for people it is the whole group.
struct RankRow {
  const Ranking& ranking;
  const RankedLaw* ranked = nullptr;
  std::size_t place = 0;

  const Fit* fit() const { return std::get_if<Fit>(&ranked->result); }
  const NoFit* failure() const { return std::get_if<NoFit>(&ranked->result); }
  const HeldOutLaw* held_out() const {
    if (!ranking.holdout) return nullptr;
    return first_where(ranking.holdout->laws,
                       [this](const HeldOutLaw& law) { return law.law == ranked->law; });
  }
};

std::string_view best_law_of(const RankRow& row) {
  return row.ranking.best != nullptr ? row.ranking.best->name() : "";
}

std::string best_law_text(const RankRow& row) {
  if (row.ranking.best != nullptr) return std::string(row.ranking.best->name());
  return has_verdict(row.ranking) ? "undecided" : "-";
}

std::string_view errors_of_rank(const RankRow& row) {
  const auto& test = row.ranking.errors;
  if (!test) return "";
  return test->verdict ? name_of(*test->verdict) : "undecided";
}

std::string scatter_text(const RankRow& row) {
  const auto& test = row.ranking.errors;
  if (!test) return "-";
  if (!test->verdict) return "undecided";
  return *test->verdict == Errors::kLognormal ? "relative" : "absolute";
}

/// The distance in percent of the mean at the greatest x from the curve that was fitted without it.
/// A "!" says that it lies outside the prediction interval.
std::string hold_out_text(const RankRow& row) {
  const HeldOutLaw* held = telling_hold_out(row.ranking);
  if (held == nullptr) return "-";
  const double error = std::expm1(held->log_error);
  return fmt::format("{} ({}){}", error >= 10 ? "> 1000 %" : shown_text(error, signed_percent(1)),
                     held->law->name(), held->inside.value_or(true) ? "" : " !");
}

std::string undecided_laws(const RankRow& row) {
  return joined_texts(row.ranking.undecided, ";", [](const Law* law) { return law->name(); });
}

void add_tests(Sheet<RankRow>& sheet) {
  const auto add_p = [&sheet](const char* name, auto Ranking::*result, const char* title) {
    sheet.part([](const RankRow& row) { return &row.ranking; })
        .part(result)
        .add(name, [](const auto& test) { return test.p; })
        .as(p_value())
        .detail()
        .titled(title);
  };
  add_p("curvature_p", &Ranking::power_vs_lognormal, "p bend");
  add_p("floor_p", &Ranking::power_vs_floor, "p floor");
  add_p("break_p", &Ranking::power_vs_broken, "p break");
  add_p("any_p", &Ranking::power_vs_any, "p any");
  sheet.add("errors", errors_of_rank).seen_as(scatter_text).detail().titled("scatter");
}

/// The sheet for people, with one row per group.
Sheet<RankRow> group_sheet(const RankReport& report) {
  Sheet<RankRow> sheet(report.by);
  sheet.add("n", [](const RankRow& row) { return row.ranking.n; }).titled("n");
  sheet.add("best", best_law_of).seen_as(best_law_text).titled("best law");
  sheet
      .for_people("power_law",
                  [](const RankRow& row) { return words_of(verdict_on_power(row.ranking)); })
      .titled("power law");
  for (const Law* law : ranked_laws(report.options)) {
    const std::string name(law->name());
    const auto delta = [law](const RankRow& row) {
      return member_of(
          first_where(row.ranking.laws, [law](const RankedLaw& one) { return one.law == law; }),
          &RankedLaw::delta);
    };
    sheet.add(name, delta).as(decimals(1)).detail().titled(name);
  }
  add_tests(sheet);
  sheet.for_people("held_out", hold_out_text).right().titled("miss of the largest");
  return sheet;
}

/// The sheet for programs, with one row per group and law.
Sheet<RankRow> law_sheet(const RankReport& report) {
  Sheet<RankRow> sheet(report.by);
  const auto ranking = sheet.part([](const RankRow& row) { return &row.ranking; });
  const auto ranked = sheet.part(&RankRow::ranked);
  const auto fit = sheet.part(&RankRow::fit);
  const auto held_out = sheet.part(&RankRow::held_out);
  const auto failure = sheet.part(&RankRow::failure);
  ranking.add("n", &Ranking::n);
  ranking.add("distinct_x", &Ranking::distinct_x);
  ranking.add("x_min", &Ranking::x_min);
  ranking.add("x_max", &Ranking::x_max);
  sheet.add("place", [](const RankRow& row) { return row.place; });
  sheet.add("law", [](const RankRow& row) { return row.ranked->law->name(); });
  sheet.add("status", [](const RankRow& row) { return row.fit() != nullptr ? "ok" : "failed"; });
  ranked.add("k", &RankedLaw::k);
  fit.add("rss", &Fit::rss);
  ranked.add("aicc", &RankedLaw::aicc);
  ranked.add("delta", &RankedLaw::delta);
  ranked.add("weight", &RankedLaw::weight);
  fit.add("rmse", &Fit::rmse);
  fit.add("mape", &Fit::mape);
  sheet.add("best", best_law_of);
  sheet.add("undecided", undecided_laws);
  ranking.part(&Ranking::power_vs_lognormal).add("curvature", &CurvatureTest::curvature);
  add_tests(sheet);
  sheet.add("holdout_x", [](const RankRow& row) {
    return row.held_out() != nullptr ? std::optional(row.ranking.holdout->x) : std::nullopt;
  });
  held_out.add("holdout_log_error", &HeldOutLaw::log_error);
  held_out.add("holdout_inside", &HeldOutLaw::inside);
  failure.add("code", &NoFit::code);
  failure.add("message", &NoFit::message);
  ranking.add("sentence", &Ranking::sentence);
  return sheet;
}

class RankDescription final : public Description<RankReport, Ranking, RankRow> {
 public:
  explicit RankDescription(RankReport report)
      : Description(std::move(report), {.noun = "ranking",
                                        .schema = "scalelaw.rank/1",
                                        .list = "groups",
                                        .lists_failures = false,
                                        .unexplained = "--format csv or json has their sentences",
                                        .most_explained = 24}) {}

  void write_head(JsonText& head) const override {
    const RankOptions& options = report_.options;
    write_data(head, report_);
    write_law_names(head.member("laws"), ranked_laws(options));
    head.member("response").text(name_of(options.response));
    write_points(head, report_);
    head << HeadMembers{{"confidence", options.confidence}, {"resamples", options.resamples}};
    head.member("seed").count(options.seed);
    write_rows(head, report_);
  }

  void write_members(JsonText& json, const Ranking& ranking) const override {
    json << Members{{"n", ranking.n}, {"distinct_x", ranking.distinct_x}};
    write_numbers(json, {{"x_min", ranking.x_min}, {"x_max", ranking.x_max}});
    json.key("best");
    ranking.best != nullptr ? json.text(ranking.best->name()) : json.null();
    write_law_names(json.key("undecided"), ranking.undecided);
    write_objects(json.key("laws"), ranking.laws, write_ranked_law);
    write_object(json.key("tests"), ranking, write_tests);
    write_object(json.key("holdout"), ranking.holdout, write_hold_out);
    write_object(json.key("stability"), ranking.stability, write_stability);
    json.key("sentence").text(ranking.sentence);
  }

  Sheet<RankRow> sheet(Format format) const override {
    const bool for_people = is_for_people(format);
    Sheet<RankRow> sheet = for_people ? group_sheet(report_) : law_sheet(report_);
    sheet.reserve_names_of(for_people ? law_sheet(report_) : group_sheet(report_));
    return sheet;
  }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Ranking& ranking) const override {
    if (rows.is_for_people()) {
      rows.begin_part_of(group);
      return rows.add(group, RankRow{ranking});
    }
    for (std::size_t i = 0; i < ranking.laws.size(); ++i) {
      rows.add(group, RankRow{ranking, &ranking.laws[i], i + 1});
    }
  }

  std::string caption() const override { return fmt::format("x: {}, y: {}", report_.x, report_.y); }

  std::vector<std::string> answer() const override { return answer_.sentences(); }

  std::vector<std::string> answer_on(const GroupKey&, const Ranking& ranking) const override {
    return rank_verdict(ranking, report_.x);
  }

  void take_note_of(const GroupKey& group, const Ranking& ranking) override {
    answer_.take_note_of(ranking, said_group(report_.by, group));
  }

  void explain(Notes& lines, const GroupKey&, const Ranking& ranking) override {
    lines.detail("  " + ranking.sentence);
  }

  void open(Notes& lines) const override {
    lines.detail("law columns: AICc above that of the best law; below 2 nothing is decided");
    lines.add(fmt::format(
        "\"miss of the largest\": the runs at the largest {} against a law fitted without them, by "
        "share; ! is further off than the interval of its forecast allows.",
        report_.x));
  }

 private:
  RankAnswer answer_;
};

}  // namespace

bool shows_parameters(Format format) { return format == Format::kJson || format == Format::kJsonl; }

std::unique_ptr<RankWriter> make_rank_writer(RankReport report, const TableStyle& style,
                                             TextSink sink) {
  return make_result_writer(RankDescription(std::move(report)), style, std::move(sink));
}

namespace {

// Rankings of laws of several scales in every format: their JSON (schema scalelaw.surface-rank/1),
// and one row per law.

/// A law of a group, in its place.
struct PlacedLaw {
  const RankedSurfaceLaw& ranked;
  std::size_t place;
  bool is_closest;

  const Fit* fit() const { return std::get_if<Fit>(&ranked.result); }
  const NoFit* failure() const { return std::get_if<NoFit>(&ranked.result); }
  const LogErrors* held_out() const { return pointer_to(ranked.held_out); }
};

/// The columns that a law takes: "parameters,tokens", "tokens", "compute".
std::string over_text(const StudyReport& report, LawScale over) {
  if (over == LawScale::kFirst) return report.scales[0];
  if (over == LawScale::kSecond) return report.scales[1];
  if (over == LawScale::kBoth) return report.x;
  return report.flops_per_parameter_token == 1 ? "product" : "compute";
}

/// "the chinchilla law", "the floor law over tokens alone".
std::string ranked_law_text(const StudyReport& report, const RankedSurfaceLaw& ranked) {
  if (ranked.over == LawScale::kBoth) return fmt::format("the {} law", ranked.law->name());
  return fmt::format("the {} law over {} alone", ranked.law->name(),
                     over_text(report, ranked.over));
}

Sheet<PlacedLaw> placed_laws_sheet(const SurfaceRankReport& report) {
  Sheet<PlacedLaw> sheet(report.by);
  const auto fit = sheet.part(&PlacedLaw::fit);
  const auto held_out = sheet.part(&PlacedLaw::held_out);
  const auto failure = sheet.part(&PlacedLaw::failure);
  sheet.add("place", [](const PlacedLaw& law) { return law.place; });
  sheet.add("law", [](const PlacedLaw& law) { return law.ranked.law->name(); }).titled("law");
  sheet.add("over", [report](const PlacedLaw& law) { return over_text(report, law.ranked.over); })
      .titled("over");
  sheet.add("status", [](const PlacedLaw& law) { return law.fit() != nullptr ? "ok" : "failed"; });
  fit.add("n", &Fit::n);
  sheet.add("k", [](const PlacedLaw& law) { return law.ranked.k; }).titled("k");
  fit.add("rss", &Fit::rss);
  sheet.add("aicc", [](const PlacedLaw& law) { return law.ranked.aicc; });
  sheet.add("delta", [](const PlacedLaw& law) { return law.ranked.delta; })
      .as(decimals(1))
      .titled("AICc above best");
  sheet.add("weight", [](const PlacedLaw& law) { return law.ranked.weight; });
  fit.add("sigma", &Fit::sigma).as(percent(2)).titled("scatter");
  held_out.add("held_out_rms", &LogErrors::rms).as(percent(2)).titled("held-out error");
  held_out.add("held_out_bias", &LogErrors::mean).as(signed_percent(2)).titled("mean");
  held_out.add("held_out_greatest", &LogErrors::greatest).as(percent(2)).titled("worst");
  held_out.add("held_out_mse", [](const LogErrors& errors) { return errors.rms * errors.rms; });
  sheet.add("closest", [](const PlacedLaw& law) { return law.is_closest; });
  failure.add("code", &NoFit::code);
  failure.add("message", &NoFit::message);
  return sheet;
}

class SurfaceRankDescription final
    : public Description<SurfaceRankReport, SurfaceRanking, PlacedLaw> {
 public:
  explicit SurfaceRankDescription(const SurfaceRankReport& report)
      : Description(report, {.noun = "ranking",
                             .schema = "scalelaw.surface-rank/1",
                             .list = "groups",
                             .lists_failures = false}) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_);
    head.member("confidence").number(report_.options.confidence);
    head.member("hidden").count(std::uint64_t{report_.options.levels});
    write_rows(head, report_);
  }

  void write_members(JsonText& json, const SurfaceRanking& ranking) const override {
    json << Members{{"n", ranking.n}, {"tied", ranking.tied}};
    write_object(json.key("holdout"), ranking.held_out, [](JsonText& out, const HeldOutRuns& held) {
      out.key("n").count(held.n);
      write_numbers(out, {{"least_hidden", held.least_hidden}, {"most_kept", held.most_kept}});
    });
    json.key("closest");
    ranking.closest ? json.count(std::uint64_t{*ranking.closest}) : json.null();
    write_objects(json.key("laws"), ranking.laws,
                  [this](JsonText& out, const RankedSurfaceLaw& law) { write_law_of(out, law); });
    json.key("sentence").text(joined(sentences(ranking), " "));
  }

  Sheet<PlacedLaw> sheet(Format) const override { return placed_laws_sheet(report_); }
  void add_rows(SheetWriter& rows, const GroupKey& group,
                const SurfaceRanking& ranking) const override {
    for (std::size_t i = 0; i < ranking.laws.size(); ++i) {
      rows.add(group, PlacedLaw{ranking.laws[i], i + 1, ranking.closest == i});
    }
  }

  std::vector<std::string> answer_on(const GroupKey&,
                                     const SurfaceRanking& ranking) const override {
    return sentences(ranking);
  }
  std::vector<std::string> answer() const override {
    return {"Which law describes each group best stands below the table."};
  }

  void open(Notes& lines) const override {
    lines.add(
        "AICc takes the rows for independent. Rows of one model or run often share errors, and "
        "then it tells laws apart too easily; what was held out does not suffer from that.");
  }

 private:
  void write_law_of(JsonText& json, const RankedSurfaceLaw& ranked) const {
    const Fit* const fit = std::get_if<Fit>(&ranked.result);
    json << Members{{"law", ranked.law->name()},   {"over", over_text(report_, ranked.over)},
                    {"converged", fit != nullptr}, {"k", ranked.k},
                    {"aicc", ranked.aicc},         {"delta", ranked.delta},
                    {"weight", ranked.weight}};
    write_object(json.key("held_out"), ranked.held_out, [](JsonText& out, const LogErrors& errors) {
      write_numbers(out, {{"rms_error", errors.rms}, {"mse", errors.rms * errors.rms}});
      write_numbers(out, {{"greatest_error", errors.greatest}, {"bias", errors.mean}});
    });
    if (fit != nullptr) {
      write_parameters(json.key("parameters"), *fit);
      write_numbers(json, {{"rss", fit->rss}, {"rmse", fit->rmse}, {"mape", fit->mape}});
    } else {
      write_reason(json, std::get<NoFit>(ranked.result));
    }
  }

  std::string on_the_criterion(const SurfaceRanking& ranking) const {
    if (ranking.tied == 0) return "No law can be ranked: the runs are too few.";
    std::vector<std::string> best;
    for (std::size_t i = 0; i < ranking.tied; ++i) {
      best.push_back(ranked_law_text(report_, ranking.laws[i]));
    }
    if (best.size() > 1) {
      return fmt::format("The runs do not tell which describes them best: {}.", joined(best, ", "));
    }
    std::string text = fmt::format("The runs are described best by {}", best.front());
    if (ranking.laws.size() > 1 && ranking.laws[1].delta) {
      text += fmt::format("; next is {}, with an AICc {} above",
                          ranked_law_text(report_, ranking.laws[1]),
                          shown_text(*ranking.laws[1].delta, decimals(1)));
    }
    return text + ".";
  }

  std::string on_what_was_hidden(const SurfaceRanking& ranking) const {
    if (!ranking.closest) return "";
    const RankedSurfaceLaw& closest = ranking.laws[*ranking.closest];
    std::string text = fmt::format(
        "Fitted to sizes up to {}, {} comes closest to the {} of {} or more, with an error of {}",
        size_text(report_.scales[0], ranking.held_out->most_kept),
        ranked_law_text(report_, closest), counted(ranking.held_out->n, "run"),
        size_text(report_.scales[0], ranking.held_out->least_hidden),
        relative_error_text(closest.held_out->rms));
    const RankedSurfaceLaw& best = ranking.laws.front();
    if (*ranking.closest != 0 && best.held_out) {
      text += fmt::format("; {} is off by {}", ranked_law_text(report_, best),
                          relative_error_text(best.held_out->rms));
    }
    return text + ".";
  }

  std::vector<std::string> sentences(const SurfaceRanking& ranking) const {
    return told({on_the_criterion(ranking), on_what_was_hidden(ranking)});
  }
};

}  // namespace

void write_surface_rankings(const SurfaceRankReport& report,
                            std::span<const Grouped<SurfaceRanking>> groups,
                            const TableStyle& style, const TextSink& sink) {
  write_results(SurfaceRankDescription(report), groups, style, sink);
}

}  // namespace scalelaw
