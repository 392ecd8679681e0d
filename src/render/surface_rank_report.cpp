// Rankings of laws of several scales in every format: their JSON (schema scalelaw.surface-rank/1),
// and one row per law.

#include "scalelaw/render/surface_rank_report.hpp"

#include <fmt/format.h>

#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

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
