// Backtests of laws of two x in every format: their JSON (schema scalelaw.surface-backtest/1), and
// one row per hidden run.

#include "scalelaw/render/surface_backtest_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

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
