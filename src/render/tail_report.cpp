// Tails in every format: their JSON (schema scalelaw.tail/1), one row per group, and below tables
// for people what each group's numbers mean.

#include "scalelaw/render/tail_report.hpp"

#include <fmt/format.h>

#include "render/result_writer.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

// Sentences.

/// "the log-normal and the exponential"; empty if no shape compares like that.
std::string models_that_are(const Tail& tail, TailComparison comparison) {
  std::vector<std::string> names;
  for (const TailAlternative& one : tail.alternatives) {
    if (one.comparison == comparison) names.push_back("the " + std::string(words_of(one.model)));
  }
  return joined_with_and(names);
}

/// A clause on how the other shapes compare.
std::string comparisons_text(const Tail& tail) {
  std::vector<std::string> clauses;
  const auto add = [&](TailComparison comparison, std::string_view singular,
                       std::string_view plural) {
    const std::string names = models_that_are(tail, comparison);
    if (names.empty()) return;
    const bool several = names.find(" and ") != std::string::npos;
    clauses.push_back(fmt::format("{} {}", names, several ? plural : singular));
  };
  add(TailComparison::kBetter, "fits better", "fit better");
  add(TailComparison::kUndecided, "fits as well", "fit as well");
  add(TailComparison::kWorse, "fits worse", "fit worse");
  return joined(clauses, "; ");
}

std::string verdict_text(const Tail& tail) {
  if (tail.verdict == TailVerdict::kTooFewValues) {
    return fmt::format("The tail has too few values to tell: {}, at least {} are needed",
                       tail.tail_n, kFewTailValues);
  }
  return std::string(word_for(
      tail.verdict,
      {{TailVerdict::kSupported, "A power law is plausible, and no other shape that was tried is"},
       {TailVerdict::kPlausible, "A power law is plausible, but not the only shape that is"},
       {TailVerdict::kWithCutOff,
        "A power law is plausible, but one with an exponential cut-off fits better"},
       {TailVerdict::kOtherBetter,
        "A power law is plausible by itself, but another shape fits better"},
       {TailVerdict::kImplausible,
        "The tail is no power law: samples of one are rarely as far from it"},
       {TailVerdict::kUntested,
        "Whether a power law is plausible was not tested (--bootstrap 0)"}}));
}

/// "log-normal -0.42 (p 0.68)"; "truncated power law LR -0.38 (p 0.19)".
std::string alternative_text(const TailAlternative& one) {
  const std::string name(words_of(one.model));
  if (!one.p) return name + ": none fits better than the power law";
  const bool nested = one.model == TailModel::kTruncated;
  const double figure = nested ? one.log_ratio : *one.normalised;
  return fmt::format("{} {}{}{} (p {})", name, nested ? "log ratio " : "", figure > 0 ? "+" : "",
                     with_significant_digits(figure, 3), p_relation(*one.p));
}

std::string alternatives_text(const Tail& tail) {
  return "against it (> 0 favours the power law): " +
         joined_texts(tail.alternatives, "; ", alternative_text);
}

// JSON.

void write_alternative(JsonText& json, const TailAlternative& alternative) {
  json.key("model").text(name_of(alternative.model));
  write_object(json.key("parameters"), alternative.parameters, [&](const auto& parameters) {
    for (const TailParameter& one : parameters) json.key(one.name).number(one.value);
  });
  json.key("log_likelihood").number(alternative.log_likelihood);
  json.key("log_ratio").number(alternative.log_ratio);
  write_numbers(json, {{"normalised", alternative.normalised}, {"p", alternative.p}});
  json << Members{{"at_limit", alternative.at_limit}, {"comparison", alternative.comparison}};
}

void write_alpha(JsonText& json, const Tail& tail) {
  write_numbers(json, {{"estimate", tail.alpha}, {"se", tail.alpha_se}});
  json << Members{{"bootstrap_se", tail.alpha_bootstrap_se}, {"ci", tail.alpha_ci}};
}

// Columns.

/// The names in the columns of a shape. Its parameters have this order.
struct ShapeNames {
  TailModel model;
  std::string name;
  std::vector<std::string> parameters;
  bool is_nested = false;  ///< It contains the power law, so that its ratio is not normalised.
  bool has_limit = true;
};

const std::vector<ShapeNames>& shapes() {
  static const std::vector<ShapeNames> kShapes{
      {TailModel::kLognormal, "lognormal", {"mu", "sigma"}},
      {TailModel::kExponential, "exponential", {"lambda"}, false, false},
      {TailModel::kStretched, "stretched", {"beta", "lambda"}},
      {TailModel::kTruncated, "truncated", {"alpha", "lambda"}, true}};
  return kShapes;
}

/// A function that returns a pointer to the fit of a shape.
auto fit_of(const ShapeNames& shape) {
  return [place = static_cast<std::size_t>(shape.model)](const Tail& tail) {
    return &tail.alternatives[place];
  };
}

/// Adds how a shape compares with the power law.
void add_comparison(Sheet<Tail>& sheet, const ShapeNames& shape) {
  const auto fit = sheet.part(fit_of(shape));
  fit.add(shape.name + "_log_ratio", &TailAlternative::log_ratio);
  if (!shape.is_nested) fit.add(shape.name + "_normalised", &TailAlternative::normalised);
  fit.add(shape.name + "_p", &TailAlternative::p);
  fit.add(shape.name, &TailAlternative::comparison);
}

/// Adds the fit of a shape.
void add_shape(Sheet<Tail>& sheet, const ShapeNames& shape) {
  const auto fit = sheet.part(fit_of(shape));
  for (std::size_t i = 0; i < shape.parameters.size(); ++i) {
    const auto value = [get = fit_of(shape), i](const Tail& tail) {
      const auto& parameters = get(tail)->parameters;
      return i < parameters.size() ? std::optional(parameters[i].value) : std::nullopt;
    };
    sheet.add(shape.name + "_" + shape.parameters[i], value);
  }
  fit.add(shape.name + "_log_likelihood", &TailAlternative::log_likelihood);
  if (shape.has_limit) fit.add(shape.name + "_at_limit", &TailAlternative::at_limit);
}

Sheet<Tail> tail_sheet(const TailReport& report) {
  const std::string interval = percent_text(report.options.confidence) + " interval";
  const auto alpha = [](const Tail& tail) { return rounded(tail.alpha, tail.alpha_se); };
  Sheet<Tail> sheet(report.study.by);
  sheet.add_status();
  sheet.add("n", &Tail::n).titled("n");
  sheet.add("distinct", &Tail::distinct);
  sheet.add("tail_n", &Tail::tail_n).titled("in tail");
  sheet.interval("tail_n_ci", &Tail::tail_n_ci);
  sheet.add("x_min", &Tail::x_min).as(scale_value()).titled("x_min");
  sheet.interval("x_min_ci", &Tail::x_min_ci).detail().titled(interval);
  sheet.add("x_max", &Tail::x_max).as(scale_value());
  sheet.add("alpha", &Tail::alpha)
      .seen_as([alpha](const Tail& tail) { return alpha(tail).estimate; })
      .titled("alpha");
  sheet.add("alpha_se", &Tail::alpha_se)
      .seen_as([alpha](const Tail& tail) { return alpha(tail).se; })
      .detail()
      .titled("± SE");
  sheet.add("alpha_bootstrap_se", &Tail::alpha_bootstrap_se);
  sheet.interval("alpha_ci", &Tail::alpha_ci).as(significant(3)).titled(interval);
  sheet.add("ks", &Tail::distance).as(significant(3)).detail().titled("KS");
  sheet.add("p", &Tail::p).as(p_value()).titled("p");
  sheet.add("log_likelihood", &Tail::log_likelihood);
  for (const ShapeNames& shape : shapes()) add_comparison(sheet, shape);
  sheet.add("usable_draws", &Tail::usable);
  for (const ShapeNames& shape : shapes()) add_shape(sheet, shape);
  sheet.add("verdict", [](const Tail& tail) { return name_of(tail.verdict); }).titled("power law");
  sheet.add("sentence", tail_sentence);
  sheet.add_failure();
  return sheet;
}

class TailDescription final : public Description<TailReport, Tail, Tail> {
 public:
  explicit TailDescription(const TailReport& report)
      : Description(report, {.noun = "tail",
                             .schema = "scalelaw.tail/1",
                             .list = "tails",
                             .unexplained = "--format csv and json explain them all"}) {}

  void write_head(JsonText& head) const override {
    const TailOptions& options = report_.options;
    write_data(head, report_.study);
    head << HeadMembers{{"run", or_null(report_.study.run)}, {"discrete", options.discrete}};
    head << HeadMembers{{"given_x_min", options.x_min}, {"confidence", options.confidence}};
    head << HeadMembers{{"draws", options.draws}, {"seed", options.seed}};
    write_rows(head, report_.study);
  }

  void write_members(JsonText& json, const Tail& tail) const override {
    json << Members{{"n", tail.n}, {"distinct", tail.distinct}, {"x_max", tail.x_max}};
    write_object(json.key("x_min"), tail, [&](const Tail&) {
      json << Members{{"estimate", tail.x_min}, {"ci", tail.x_min_ci}};
    });
    write_object(json.key("tail_n"), tail, [&](const Tail&) {
      json << Members{{"estimate", tail.tail_n}, {"ci", tail.tail_n_ci}};
    });
    write_object(json.key("alpha"), tail, write_alpha);
    json << Members{{"ks", tail.distance}, {"log_likelihood", tail.log_likelihood}, {"p", tail.p}};
    json.key("usable_draws").count(std::uint64_t{tail.usable});
    write_objects(json.key("alternatives"), tail.alternatives, write_alternative);
    json << Members{{"verdict", tail.verdict}, {"sentence", tail_sentence(tail)}};
  }

  Sheet<Tail> sheet(Format) const override { return tail_sheet(report_); }

  void add_rows(SheetWriter& rows, const GroupKey& group, const Tail& tail) const override {
    rows.add(group, tail);
  }

  std::string caption() const override {
    const TailOptions& options = report_.options;
    const std::string draws = options.draws == 0
                                  ? "no draws"
                                  : fmt::format("{} draws, seed {}", options.draws, options.seed);
    return fmt::format("p(x) ~ x^-alpha for x >= x_min, {} values, x: {}; x_min {}, {}",
                       options.discrete ? "whole" : "continuous", report_.study.y,
                       options.x_min ? "given" : "by the least KS distance", draws);
  }

  std::vector<std::string> answer() const override {
    if (tails_ > 0 && too_few_ == tails_) {
      return {fmt::format("No tail has enough values to tell: at least {} are needed.",
                          kFewTailValues)};
    }
    if (untested_ > 0) return {"No tail was tested, because no draws were made."};
    std::string text =
        fmt::format("A power law is plausible for {} of {}", plausible_, counted(tails_, "tail"));
    if (too_few_ > 0) {
      text += fmt::format("; {} {} too few values to tell (at least {} are needed)", too_few_,
                          too_few_ == 1 ? "has" : "have", kFewTailValues);
    }
    return {text + "."};
  }

  std::vector<std::string> answer_on(const GroupKey&, const Tail& tail) const override {
    return {tail_sentence(tail) + ".", fmt::format("The tail begins at {} and has {} of {} values.",
                                                   scale_text(tail.x_min), tail.tail_n, tail.n)};
  }

  void take_note_of(const GroupKey&, const Tail& tail) override {
    ++tails_;
    too_few_ += tail.verdict == TailVerdict::kTooFewValues ? 1 : 0;
    untested_ += tail.verdict == TailVerdict::kUntested ? 1 : 0;
    plausible_ += tail.verdict == TailVerdict::kSupported ||
                          tail.verdict == TailVerdict::kPlausible ||
                          tail.verdict == TailVerdict::kWithCutOff
                      ? 1
                      : 0;
  }

  void explain(Notes& lines, const GroupKey&, const Tail& tail) override {
    lines.detail("  " + alternatives_text(tail));
  }

 private:
  std::size_t tails_ = 0;
  std::size_t too_few_ = 0;
  std::size_t untested_ = 0;
  std::size_t plausible_ = 0;
};

}  // namespace

std::string_view words_of(TailModel model) {
  return word_for(model, {{TailModel::kLognormal, "log-normal"},
                          {TailModel::kExponential, "exponential"},
                          {TailModel::kStretched, "stretched exponential"},
                          {TailModel::kTruncated, "truncated power law"}});
}

std::string tail_sentence(const Tail& tail) {
  std::string text = verdict_text(tail);
  if (tail.p) text += fmt::format(" (p {})", p_relation(*tail.p));
  if (tail.verdict == TailVerdict::kTooFewValues) return text;
  text += "; " + comparisons_text(tail);
  if (tells_little(tail)) {
    text += fmt::format("; with {} tail values little can be told apart", tail.tail_n);
  }
  return text;
}

std::unique_ptr<GroupWriter<Tail>> make_tail_writer(const TailReport& report,
                                                    const TableStyle& style, TextSink sink) {
  return make_result_writer(TailDescription(report), style, std::move(sink));
}

}  // namespace scalelaw
