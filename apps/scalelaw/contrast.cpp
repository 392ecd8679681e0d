#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/contrast.hpp"
#include "scalelaw/render/contrast_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kContrastExamples =
    R"(  scalelaw contrast data/demo/runs.csv --factor power_cap_w --where clock_mhz=1380
      Whether a power cap changes the exponent of each model, or only its time.
  scalelaw contrast data/demo/runs.csv --factor power_cap_w,clock_mhz -b model --where model=DimeNet
      Power caps and clocks together, and which of the two has which effect.
  scalelaw contrast data/demo/runs.csv --factor model -b "" --where power_cap_w=250 --margin 0.1
      Which models have the same exponent, up to 0.1.
)";

struct ContrastCommand {
  StudyOptions study;
  ContrastOptions contrast;  ///< As far as the user gave them.
  ResultOptions result;
};

/// Writes all contrasts. Returns groups without one, and levels without a line.
Lacks write_contrasts(const GroupedCells& runs, const ContrastReport& report,
                      const Delivery& delivery, int threads) {
  std::size_t groups = 0;
  std::size_t lacking = 0;
  std::size_t levels = 0;
  const auto writer = make_contrast_writer(report, delivery.style, delivery.sink);
  contrast_each(runs, report.options, threads, [&](GroupContrast&& group) {
    const Contrast* const contrast = std::get_if<Contrast>(&group.result);
    ++groups;
    lacking += contrast == nullptr ? 1 : 0;
    levels += contrast == nullptr ? 0 : contrast->omitted.size();
    writer->write(group);
  });
  writer->finish();
  Lacks lacks = groups_without("contrast", lacking, groups);
  if (levels > 0) {
    lacks.push_back(fmt::format("{} without a line left out", counted(levels, "level")));
  }
  return lacks;
}

int run_contrast(ContrastCommand options, const GlobalOptions& global) {
  choose_setting(options.study, "--factor", global.console());
  FitOptions fit = fit_options(options.study);
  ContrastOptions contrast = options.contrast;
  contrast.confidence = fit.confidence;
  return deliver(options.result, global, [&](const Delivery& delivery) {
    auto [head, runs] = read_study(options.study, fit, global);
    contrast.response = fit.response;
    const ContrastReport report = contrast_report(std::move(head), runs, contrast);
    return write_contrasts(runs, report, delivery, global.threads);
  });
}

}  // namespace

Command add_contrast_command(Program& program) {
  auto options = std::make_shared<ContrastCommand>();
  Options contrast = program.add_command(
      "contrast", "Tell whether a setting changes the scaling exponent or only the time",
      kContrastExamples);
  add_data_options(contrast, options->study);
  contrast.group("Contrast");
  contrast.names("--factor", options->study.factors, "COL,COL",
                 "Column of the setting whose values are compared; name several to compare their "
                 "combinations. Default: the only power cap or clock");
  add_rate_option(contrast, options->study);
  contrast.number(
      "--margin", options->contrast.margin, positive(), "BETA",
      "Exponents that differ by less than this count as equal, if the runs show that they do");
  contrast.choice("--variances", options->contrast.variances, named<Variances>(),
                  "How values of the setting scatter when two are compared: each by its own amount "
                  "(unequal, Welch's test), or all alike (equal), which finds more differences, "
                  "and false ones if it is not so");
  add_confidence_option(contrast, options->study);
  add_result_options(contrast, options->result);
  contrast.flag(
      "--strict", options->result.strict,
      "Exit with status 1 if a group cannot be compared, or a value of the setting has no line");
  return {contrast,
          [options](const GlobalOptions& global) { return run_contrast(*options, global); }};
}

}  // namespace scalelaw::cli
