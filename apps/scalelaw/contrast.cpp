#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/contrast.hpp"
#include "scalelaw/judge/savings.hpp"
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
  scalelaw contrast data/recipes/runs.csv --factor dataset --law chinchilla -x parameters,tokens -y loss
      How much less compute one dataset needs than another for the same loss.
)";

struct ContrastCommand {
  Options call;
  StudyOptions study;
  SurfaceOptions surface;
  SavingsOptions savings;    ///< Of recipes that are compared by their losses.
  ContrastOptions contrast;  ///< As far as the user gave them.
  ResultOptions result;
};

/// Writes all contrasts. Returns groups without one, and levels without a line.
Lacks write_contrasts(const GroupedCells& runs, const ContrastReport& report,
                      const Delivery& delivery, int threads) {
  std::size_t levels = 0;
  const auto writer = make_contrast_writer(report, delivery.style, delivery.sink);
  Lacks lacks = write_each("contrast", *writer, [&](const auto& write) {
    contrast_each(runs, report.options, threads, [&](const GroupContrast& group) {
      const Contrast* const contrast = std::get_if<Contrast>(&group.result);
      levels += contrast == nullptr ? 0 : contrast->omitted.size();
      write(group);
    });
  });
  if (levels > 0) {
    lacks.push_back(fmt::format("{} without a line left out", counted(levels, "level")));
  }
  return lacks;
}

/// Compares recipes by what they need for the same loss.
int run_savings(const ContrastCommand& options, const GlobalOptions& global) {
  StudyOptions asked = options.study;
  const bool two_x = takes_several_x(asked);
  SavingsOptions savings = options.savings;
  savings.fit = two_x ? surface_fit_options(options.call, asked) : fit_options(asked);
  const std::size_t factors = asked.factors.size();
  return deliver(options.result, global, [&](const Delivery& delivery) {
    std::vector<GroupSavings> groups;
    StudyReport head;
    if (two_x) {
      SurfaceOptions surface = options.surface;
      surface.sharing = "--se cluster --run";
      SurfaceStudy study = read_surface(asked, surface, global.conditions());
      head = std::move(study.report);
      groups = savings_by_group(std::move(study.groups), factors, savings);
    } else {
      auto [report, runs] = read_study(asked, savings.fit, global.conditions());
      head = std::move(report);
      std::vector<CurveRuns> recipes(runs.size());
      for (std::size_t i = 0; i < recipes.size(); ++i) {
        recipes[i].group = runs.key(i);
        runs.cells(i, recipes[i].cells);
      }
      groups = savings_by_group(std::move(recipes), factors, savings);
    }
    SavingsReport report{std::move(head), {}, savings};
    const auto first = report.by.end() - static_cast<std::ptrdiff_t>(factors);
    report.factors.assign(first, report.by.end());
    report.by.erase(first, report.by.end());
    write_savings(report, groups, delivery.style, delivery.sink);
    return groups_without("contrast", groups);
  });
}

int run_contrast(ContrastCommand options, const GlobalOptions& global) {
  if (options.call.given("--law")) return run_savings(options, global);
  refuse_losses(options.study, "contrast");
  options.study.usual_factors.option = "--factor";
  FitOptions fit = fit_options(options.study);
  ContrastOptions contrast = options.contrast;
  contrast.confidence = fit.confidence;
  return deliver(options.result, global, [&](const Delivery& delivery) {
    auto [head, runs] = read_study(options.study, fit, global.conditions());
    say_factors(options.study, runs.factors(), delivery.console);
    contrast.response = fit.response;
    const ContrastReport report = contrast_report(std::move(head), runs, contrast);
    return write_contrasts(runs, report, delivery, global.threads);
  });
}

}  // namespace

Command add_contrast_command(Program& program) {
  auto options = std::make_shared<ContrastCommand>();
  Options contrast = options->call = program.add_command(
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
  contrast
      .rules({"--share", "--at-loss", "--flops", "--flops-per-parameter-token", "--residual",
              "--huber-delta", "--over-penalty", "--se", "--robust"})
      .needs("--law", "{0} goes with --law, which compares recipes by their losses");
  contrast.rules({"--margin", "--variances", "--rate"})
      .excludes("--law",
                "{0} does not go with --law, which compares recipes by what they need for the same "
                "loss");
  contrast.rules("--law").needs("--factor",
                                "{0}: name the column of the recipes with --factor COL");
  contrast.group("Losses of recipes");
  contrast.choice("--law", options->study.law, laws_named({"power", "floor", "chinchilla"}),
                  "Compare recipes by what they need for the same loss: by a power law, one with "
                  "a floor, or chinchilla over parameters and tokens");
  contrast.names("--share", options->savings.shared, "NAME,NAME",
                 "Parameters that all recipes have in common. Default: all but the prefactors");
  contrast.number("--at-loss", options->savings.at, positive(), "LOSS",
                  "Loss at which laws of their own are compared. Default: the least that all "
                  "recipes reached");
  contrast.choice("--robust", options->study.robust,
                  std::vector<Named<Robust>>{{"none", Robust::kNone}, {"huber", Robust::kHuber}},
                  "A fit that outliers influence less. chinchilla uses huber unless you ask for "
                  "none");
  contrast.choice("--se", options->study.se,
                  std::vector<Named<StandardError>>{{"classic", StandardError::kClassic},
                                                    {"cluster", StandardError::kCluster}},
                  "For chinchilla: cluster allows for rows of one --run that share errors");
  add_method_rules(contrast);
  add_surface_options(contrast, options->surface, options->study);
  add_confidence_option(contrast, options->study);
  add_result_options(
      contrast, options->result,
      "Exit with status 1 if a group cannot be compared, or a value of the setting has no line");
  return command_of(contrast, options, run_contrast);
}

}  // namespace scalelaw::cli
