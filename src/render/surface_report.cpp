// Forecasts by laws of several x in every format: their JSON (schema scalelaw.surface/1), and one
// row per answer.

#include "scalelaw/render/surface_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

using Answers = std::vector<SurfaceAnswer>;

void write_score(JsonText& json, const ScorePoint& score) {
  json << Members{{"value", score.value}, {"ci", score.ci}, {"pi", score.pi}};
  json << Members{{"extrapolation", score.extrapolation}, {"wide", score.is_wide}};
}

void write_repeats(JsonText& json, const RepeatedTokens& repeats) {
  json << Members{{"effective_n", repeats.effective_n}, {"effective_d", repeats.effective_d}};
  json.key("fresh_median").number(repeats.fresh_median);
}

void write_answer(JsonText& json, const SurfaceAnswer& answer) {
  json << Members{{"compute", answer.compute}, {"optimal", answer.optimal}};
  std::vector<double> x{answer.point.n, answer.point.d};
  if (answer.point.repeats) x.push_back(answer.point.repeats->unique);
  write_list(json.key("x"), x);
  json.key("x_ci");
  answer.optimal ? write_each(json, std::array{answer.n_ci, answer.d_ci}, write_interval)
                 : json.null();
  json << Members{{"median", answer.point.median}, {"ci", answer.point.ci}};
  json << Members{{"pi", answer.point.pi}, {"extrapolation", answer.point.extrapolation}};
  if (answer.point.repeats) write_object(json.key("repeats"), *answer.point.repeats, write_repeats);
  if (answer.score) write_object(json.key("score"), *answer.score, write_score);
}

/// A number as the user gave it.
std::string given_text(double value) {
  const std::string exact = exact_text(value);
  constexpr std::size_t kLongest = 12;
  return exact.size() <= kLongest ? exact : fmt::format("{:.8g}", value);
}

/// How many significant digits show two digits of the width of an interval; at least `least`.
int digits_of(const Interval& ci, int least) {
  const double width = (ci.upper - ci.lower) / std::max(std::abs(ci.lower), std::abs(ci.upper));
  if (!(width > 0) || !std::isfinite(width)) return least;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(width))), least, 15);
}

/// The interval of a scale, as scale_digits writes scales.
std::string range_text(const std::optional<Interval>& ci) {
  const int digits = ci ? digits_of(*ci, 3) : 3;
  return interval_text(ci, [digits](double end) { return fmt::format("{:.{}g}", end, digits); });
}

std::string value_range_text(const std::optional<Interval>& ci) {
  return interval_text(ci, significant(ci ? digits_of(*ci, 4) : 4));
}

/// The product of the scales is a compute if it has a factor.
std::string_view name_of_product(const SurfaceQuestions& questions) {
  return questions.flops_per_parameter_token == 1 ? "product" : "compute";
}

/// Adds a column. People see what the user gave as it is, and what was computed with three digits.
template <class Get>
void add_size(Sheet<SurfaceAnswer>& sheet, const std::string& name, bool given, Get get) {
  sheet.add(name, get).seen_as([given, get](const SurfaceAnswer& answer) {
    return answer.optimal == given ? given_text(get(answer)) : scale_digits(get(answer));
  });
}

void add_score_columns(Sheet<SurfaceAnswer>& sheet, const SurfaceQuestions& questions,
                       const std::string& level) {
  const auto score =
      sheet.part([](const SurfaceAnswer& answer) { return pointer_to(answer.score); });
  score.add("score", &ScorePoint::value).as(decimals(4)).titled(questions.score);
  score.interval("score_ci", &ScorePoint::ci).as(decimals(4)).titled(level);
  score.interval("score_pi", &ScorePoint::pi).as(decimals(4)).titled("new run");
  score.add("score_extrapolation", &ScorePoint::extrapolation)
      .as(decimals(2))
      .titled("beyond scores");
  score.add("score_wide", &ScorePoint::is_wide);
}

/// Adds what repeated tokens are worth.
void add_repeats_columns(Sheet<SurfaceAnswer>& sheet, const StudyReport& report) {
  const auto repeats =
      sheet.part([](const SurfaceAnswer& answer) { return pointer_to(answer.point.repeats); });
  const Shown digits = significant(3);
  repeats.add("x3", &RepeatedTokens::unique).as(digits).titled(report.scales[2]);
  repeats.add("effective_x1", &RepeatedTokens::effective_n).as(digits);
  repeats.add("effective_x2", &RepeatedTokens::effective_d).as(digits);
  repeats.add("fresh_median", &RepeatedTokens::fresh_median).as(decimals(4));
  sheet.show("effective_x1", "effective " + report.scales[0]);
  sheet.show("effective_x2", "effective " + report.scales[1]);
  sheet.show("fresh_median", "if fresh");
}

Sheet<SurfaceAnswer> surface_sheet(const StudyReport& report, const SurfaceQuestions& questions) {
  using Answer = const SurfaceAnswer&;
  const std::string level = percent_text(questions.confidence) + " interval";
  Sheet<SurfaceAnswer> sheet(report.by);
  sheet.add_status();
  // For an optimum the user gave the compute, else the scales.
  add_size(sheet, "compute", true, [](Answer answer) { return answer.compute; });
  sheet.show("compute", std::string(name_of_product(questions)));
  sheet.add("optimal", [](Answer answer) { return answer.optimal; });
  add_size(sheet, "x1", false, [](Answer answer) { return answer.point.n; });
  sheet.show("x1", report.scales[0]);
  const auto point = sheet.part([](Answer answer) { return &answer.point; });
  const auto n_range = [](Answer answer) { return range_text(answer.n_ci); };
  sheet.interval("x1_ci", [](Answer answer) { return answer.n_ci; }).seen_as(n_range).titled(level);
  add_size(sheet, "x2", false, [](Answer answer) { return answer.point.d; });
  sheet.show("x2", report.scales[1]);
  const auto d_range = [](Answer answer) { return range_text(answer.d_ci); };
  sheet.interval("x2_ci", [](Answer answer) { return answer.d_ci; }).seen_as(d_range).titled(level);
  point.add("median", &SurfacePoint::median).titled(report.y);
  const auto add_range = [&](const char* name, auto ends, const std::string& title) {
    point.interval(name, ends)
        .seen_as([ends](Answer answer) { return value_range_text(answer.point.*ends); })
        .titled(title);
  };
  add_range("ci", &SurfacePoint::ci, level);
  add_range("pi", &SurfacePoint::pi, "new run");
  point.add("extrapolation", &SurfacePoint::extrapolation).as(decimals(2)).titled("beyond data");
  if (report.scales.size() > 2) add_repeats_columns(sheet, report);
  if (!questions.score.empty()) add_score_columns(sheet, questions, level);
  sheet.add_failure();
  return sheet;
}

// Sentences.

std::string sizes_text(const StudyReport& report, const SurfacePoint& point) {
  return size_text(report.scales[0], point.n) + " and " + size_text(report.scales[1], point.d);
}

std::string compute_text(const StudyReport& report, const SurfaceQuestions& questions,
                         double compute) {
  const bool trains = meaning_of(report.scales[0]).role == ColumnRole::kParameters &&
                      questions.flops_per_parameter_token != 1;
  constexpr std::size_t kLongest = 6;
  const std::string exact = exact_text(compute);
  return fmt::format("a {} of {}{}", name_of_product(questions),
                     exact.size() <= kLongest ? exact : fmt::format("{:.4g}", compute),
                     trains ? " FLOP" : "");
}

/// "At 7B parameters and 2T tokens", "With a compute of 1e+21 FLOP the best split is 2.55B
/// parameters and 65.4B tokens:".
std::string place_clause(const StudyReport& report, const SurfaceQuestions& questions,
                         const SurfaceAnswer& answer) {
  const std::string sizes = sizes_text(report, answer.point);
  if (!answer.optimal) return "At " + sizes;
  return fmt::format(
      "With {} the best split is {}:", compute_text(report, questions, answer.compute), sizes);
}

/// "with 1.9 times the most tokens that were measured"; empty within the runs.
std::string beyond_clause(const std::string& column, double beyond) {
  if (std::abs(beyond - 1) < 0.005) return "";
  const bool is_counted = meaning_of(column).role == ColumnRole::kParameters ||
                          meaning_of(column).role == ColumnRole::kTokens ||
                          !unit_of_scale(column).empty();
  return fmt::format(
      "{} times the {} {}", with_significant_digits(beyond, 3),
      is_counted ? (beyond > 1 ? "most" : "fewest") : (beyond > 1 ? "greatest" : "least"),
      is_counted ? units_of_scale(column) : column);
}

/// "This lies beyond the data, at 1.9 times the most tokens that were measured."
std::string beyond_sentence(const StudyReport& report, const SurfaceAnswer& answer) {
  std::vector<std::string> clauses = {beyond_clause(report.scales[0], answer.n_beyond),
                                      beyond_clause(report.scales[1], answer.d_beyond)};
  std::erase(clauses, "");
  if (clauses.empty()) return "";
  return fmt::format(" This lies beyond the data, at {} that were measured.",
                     joined(clauses, " and "));
}

/// ", and accuracy is 0.7012 (95 % of new runs: 0.688 to 0.7144)"; empty without a score.
std::string score_clause(const SurfaceQuestions& questions, const SurfaceAnswer& answer) {
  if (!answer.score) return "";
  const std::optional<Interval>& pi = answer.score->pi;
  const int digits = pi ? digits_of(*pi, 3) : 3;
  const auto text = [digits](double value) { return with_significant_digits(value, digits); };
  const std::string range =
      pi ? fmt::format(" ({} of new runs: {} to {})", percent_text(questions.confidence),
                       text(pi->lower), text(pi->upper))
         : "";
  return fmt::format(", and {} is {}{}", questions.score, text(answer.score->value), range);
}

/// Why the interval of a score is wide; empty if it is not.
std::string wide_sentence(const StudyReport& report, const SurfaceQuestions& questions,
                          const SurfaceAnswer& answer) {
  if (!answer.score || !answer.score->is_wide) return "";
  if (!answer.score->ci) {
    return fmt::format(" The runs are too few for an interval of {}.", questions.score);
  }
  return fmt::format(
      " The runs show too little of how {} follows {}: take this forecast for a guess.",
      questions.score, response_noun(report.y));
}

/// " These are 4 epochs of 100B unique tokens. They are worth 367B fresh tokens; with 400B fresh
/// tokens the loss would be 2.03." Empty for fresh tokens.
std::string repeats_sentence(const StudyReport& report, const SurfaceAnswer& answer, int digits) {
  const auto& repeats = answer.point.repeats;
  if (!repeats || !(answer.point.d > repeats->unique)) return "";
  return fmt::format(
      " These are {} epochs of {}. They are worth {} that are fresh; with {} that are fresh {} "
      "would be {}.",
      with_significant_digits(answer.point.d / repeats->unique, 3),
      size_text(report.scales[1], repeats->unique),
      size_text(report.scales[1], repeats->effective_d),
      size_text(report.scales[1], answer.point.d), response_noun(report.y),
      with_significant_digits(repeats->fresh_median, digits));
}

/// "At 7B parameters and 2T tokens the loss is 2.051 (95 % of new runs: 2.033 to 2.070)."
std::string answer_sentence(const StudyReport& report, const SurfaceQuestions& questions,
                            const SurfaceAnswer& answer) {
  const SurfacePoint& point = answer.point;
  const int digits = point.pi ? digits_of(*point.pi, 4) : 4;
  const std::string range =
      point.pi ? fmt::format(" ({} of new runs: {} to {})", percent_text(questions.confidence),
                             with_significant_digits(point.pi->lower, digits),
                             with_significant_digits(point.pi->upper, digits))
               : "";
  return fmt::format("{} {} is {}{}{}.{}{}{}", place_clause(report, questions, answer),
                     response_noun(report.y), with_significant_digits(point.median, digits), range,
                     score_clause(questions, answer), repeats_sentence(report, answer, digits),
                     beyond_sentence(report, answer), wide_sentence(report, questions, answer));
}

/// The least and the greatest last answer of all groups, and whether it is at one place.
class SurfaceExtremes {
 public:
  void take_note_of(const StudyReport& report, const GroupKey& group, const Answers& answers) {
    const SurfaceAnswer& last = answers.back();
    const Extreme here{said_group(report.by, group), last};
    is_one_question_ &= !least_ || (last.optimal ? last.compute == least_->answer.compute
                                                 : last.point.n == least_->answer.point.n &&
                                                       last.point.d == least_->answer.point.d);
    if (!least_ || last.point.median < least_->answer.point.median) least_ = here;
    if (!most_ || last.point.median > most_->answer.point.median) most_ = here;
  }

  /// "At 7B parameters and 2T tokens the loss is between 2.05 (A) and 2.41 (B)."
  std::vector<std::string> sentences(const StudyReport& report,
                                     const SurfaceQuestions& questions) const {
    if (!least_ || !most_) return {};
    const SurfaceAnswer& asked = least_->answer;
    const std::string place =
        !is_one_question_ ? "With ten times the greatest compute of each group and its best split"
        : asked.optimal   ? fmt::format("With {} and the best split",
                                        compute_text(report, questions, asked.compute))
                          : "At " + sizes_text(report, asked.point);
    return {fmt::format("{} {} is between {} ({}) and {} ({}).", place, response_noun(report.y),
                        with_significant_digits(asked.point.median, 4), least_->group,
                        with_significant_digits(most_->answer.point.median, 4), most_->group)};
  }

 private:
  struct Extreme {
    std::string group;
    SurfaceAnswer answer;
  };

  std::optional<Extreme> least_;
  std::optional<Extreme> most_;
  bool is_one_question_ = true;
};

class SurfaceDescription final : public Description<StudyReport, Answers, SurfaceAnswer> {
 public:
  SurfaceDescription(const StudyReport& report, const SurfaceQuestions& questions)
      : Description(report,
                    {.noun = "forecast", .schema = "scalelaw.surface/1", .list = "surfaces"}),
        questions_(questions) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_);
    head.member("confidence").number(questions_.confidence);
    write_rows(head, report_);
  }
  void write_members(JsonText& json, const Answers& answers) const override {
    write_objects(json.key("points"), answers, write_answer);
  }

  Sheet<SurfaceAnswer> sheet(Format) const override { return surface_sheet(report_, questions_); }
  void add_rows(SheetWriter& rows, const GroupKey& group, const Answers& answers) const override {
    for (const SurfaceAnswer& answer : answers) rows.add(group, answer);
  }

  void take_note_of(const GroupKey& group, const Answers& answers) override {
    extremes_.take_note_of(report_, group, answers);
  }
  std::vector<std::string> answer() const override {
    return extremes_.sentences(report_, questions_);
  }
  /// The first answers; the table has them all.
  std::vector<std::string> answer_on(const GroupKey&, const Answers& answers) const override {
    constexpr std::size_t kMostSentences = 2;
    std::vector<std::string> sentences;
    for (std::size_t i = 0; i < std::min(answers.size(), kMostSentences); ++i) {
      sentences.push_back(answer_sentence(report_, questions_, answers[i]));
    }
    return sentences;
  }

  void open(Notes& lines) const override {
    const double factor = questions_.flops_per_parameter_token;
    const std::string_view product = name_of_product(questions_);
    lines.add(fmt::format(
        "The {} is {}{} * {}. Where {} and {} have an interval, they are the best split of it{}.",
        product, factor == 1 ? "" : fmt::format("{} * ", factor), report_.scales[0],
        report_.scales[1], report_.scales[0], report_.scales[1],
        report_.scales.size() > 2 ? " as long as tokens are fresh" : ""));
  }

 private:
  const SurfaceQuestions& questions_;
  SurfaceExtremes extremes_;
};

}  // namespace

void write_surfaces(const StudyReport& report, const SurfaceQuestions& questions,
                    std::span<const GroupSurface> groups, const TableStyle& style,
                    const TextSink& sink) {
  write_results(SurfaceDescription(report, questions), groups, style, sink);
}

namespace {

// Backtests of laws of two x in every format: their JSON (schema scalelaw.surface-backtest/1), and
// one row per hidden run.

void write_hidden_run(JsonText& json, const HiddenRun& run) {
  write_list(json.key("x"), std::array{run.n, run.d});
  json << Members{{"y", run.y}, {"median", run.median}};
  json << Members{{"pi", run.pi}, {"log_error", run.log_error}, {"inside", run.inside}};
}

Sheet<HiddenRun> hidden_runs_sheet(const SurfaceBacktestReport& report) {
  Sheet<HiddenRun> sheet(report.by);
  sheet.add_status();
  sheet.add("x1", &HiddenRun::n).as(significant(3)).titled(report.scales[0]);
  sheet.add("x2", &HiddenRun::d).as(significant(3)).titled(report.scales[1]);
  sheet.add("y", &HiddenRun::y).as(significant(4)).titled(report.y);
  sheet.add("median", &HiddenRun::median).as(significant(4)).titled("forecast");
  sheet.interval("pi", &HiddenRun::pi).as(significant(4)).titled("new run");
  sheet.add("log_error", &HiddenRun::log_error)
      .seen_as([](const HiddenRun& run) {
        return shown_text(std::expm1(run.log_error), signed_percent(2));
      })
      .titled("error");
  sheet.add("inside", &HiddenRun::inside).titled("inside");
  sheet.add_failure();
  return sheet;
}

class SurfaceBacktestDescription final
    : public Description<SurfaceBacktestReport, SurfaceBacktest, HiddenRun> {
 public:
  explicit SurfaceBacktestDescription(const SurfaceBacktestReport& report)
      : Description(
            report,
            {.noun = "backtest", .schema = "scalelaw.surface-backtest/1", .list = "backtests"}) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_);
    head << HeadMembers{{"law", report_.law->name()}, {"confidence", report_.confidence}};
    head << HeadMembers{{"hidden", report_.options.levels}, {"hidden_by", report_.options.measure}};
    write_rows(head, report_);
  }

  void write_members(JsonText& json, const SurfaceBacktest& backtest) const override {
    json.key("kept").count(backtest.kept);
    write_numbers(json, {{"most_kept", size_of(backtest.most_kept)},
                         {"least_hidden", size_of(backtest.least_hidden)}});
    const LogErrors& errors = backtest.errors;
    json << Members{{"rms_error", errors.rms},           {"median_error", errors.median},
                    {"greatest_error", errors.greatest}, {"bias", errors.mean},
                    {"coverage", backtest.coverage},     {"intervals", backtest.intervals}};
    write_objects(json.key("points"), backtest.runs, write_hidden_run);
  }

  Sheet<HiddenRun> sheet(Format) const override { return hidden_runs_sheet(report_); }
  void add_rows(SheetWriter& rows, const GroupKey& group,
                const SurfaceBacktest& backtest) const override {
    for (const HiddenRun& run : backtest.runs) rows.add(group, run);
  }

  std::vector<std::string> answer_on(const GroupKey&,
                                     const SurfaceBacktest& backtest) const override {
    const LogErrors& errors = backtest.errors;
    const std::size_t runs = backtest.runs.size();
    std::string text = fmt::format(
        "From {} of up to {}, the {} law forecasts {} of {} with an error of {}{}.",
        counted(backtest.kept, "run"), measure_text(backtest.most_kept), report_.law->name(),
        response_noun(report_.y), counted(runs, "larger run"), relative_error_text(errors.rms),
        runs == 1 ? ""
                  : " (root mean square; the worst is off by " +
                        relative_error_text(errors.greatest) + ")");
    if (backtest.coverage) {
      text += fmt::format(
          " The interval for {} of new runs holds {:.0f} of {}.", percent_text(report_.confidence),
          *backtest.coverage * static_cast<double>(backtest.intervals), backtest.intervals);
    }
    return {text};
  }

  std::vector<std::string> answer() const override {
    return {"How far forecasts of the largest runs from the others were off, group by group:"};
  }

  void open(Notes& lines) const override {
    const std::string measure = report_.options.measure == SizeMeasure::kFirst
                                    ? report_.scales[0]
                                    : fmt::format("{} * {}", report_.scales[0], report_.scales[1]);
    lines.add(fmt::format(
        "The law was fitted without these runs, the largest by {}. --hide K hides the K largest.",
        measure));
  }

 private:
  /// A measure of size as users know it: computes have their factor.
  double size_of(double measure) const {
    return report_.options.measure == SizeMeasure::kFirst
               ? measure
               : report_.flops_per_parameter_token * measure;
  }

  std::string measure_text(double measure) const {
    if (report_.options.measure == SizeMeasure::kFirst)
      return size_text(report_.scales[0], measure);
    return fmt::format("{} {}", scale_digits(size_of(measure)),
                       report_.flops_per_parameter_token == 1 ? "(their product)" : "FLOP");
  }
};

}  // namespace

void write_surface_backtests(const SurfaceBacktestReport& report,
                             std::span<const Grouped<SurfaceBacktest>> groups,
                             const TableStyle& style, const TextSink& sink) {
  write_results(SurfaceBacktestDescription(report), groups, style, sink);
}

}  // namespace scalelaw
