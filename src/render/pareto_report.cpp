#include "scalelaw/render/pareto_report.hpp"

#include <fmt/format.h>

#include "render/pareto_writers.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

std::string percent(double share) { return with_significant_digits(100 * share, 3); }

/// " (the optimum in 93 % of the draws)".
std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format(" (the optimum in {} % of the draws)", percent(*share)) : "";
}

/// "cost -12.3 % (95 % interval of the saving 8 .. 16 %)".
std::string saving_text(const ParetoReport& report, const Saving& saving) {
  std::string text = saving.estimate < 0 ? fmt::format("cost +{} %", percent(-saving.estimate))
                                         : fmt::format("cost -{} %", percent(saving.estimate));
  if (saving.ci) {
    text += fmt::format(" ({:.6g} % interval of the saving {} .. {} %)",
                        100 * report.options.confidence, percent(saving.ci->lower),
                        percent(saving.ci->upper));
  }
  return text;
}

/// "energy -20 %, time +5 %".
std::string changes_text(const ParetoPoint& point) {
  return fmt::format("energy {:+.1f} %, time {:+.1f} %", -100 * point.energy_saving->estimate + 0.0,
                     -100 * point.time_saving->estimate + 0.0);
}

std::string optimum_text(const ParetoReport& report, const Pareto& pareto, std::size_t e) {
  const EtaOptimum& optimum = pareto.optima[e];
  const ParetoPoint& point = pareto.points[optimum.point];
  const PointCost& cost = point.costs[e];
  const bool is_default = pareto.default_point == optimum.point;
  std::string text = fmt::format("at eta {} the least cost is at {}{}{}", optimum.eta,
                                 group_name(report.knobs, point.knobs),
                                 is_default ? ", the default" : "", share_text(cost.optimum_share));
  if (!pareto.default_point || is_default) return text;
  const ParetoPoint& base = pareto.points[*pareto.default_point];
  return text + fmt::format("; against {}: {}, {}", group_name(report.knobs, base.knobs),
                            changes_text(point), saving_text(report, *cost.saving));
}

std::string frontier_text(const Pareto& pareto) {
  const std::size_t all = pareto.points.size();
  const std::size_t on = pareto.frontier.size();
  if (all == 1) return "one point: nothing to choose";
  const ParetoPoint& first = pareto.points[pareto.frontier.front()];
  const ParetoPoint& last = pareto.points[pareto.frontier.back()];
  const bool equal = first.seconds == last.seconds && first.joules == last.joules;
  if (on == all && equal) return fmt::format("all {} points take the same time and energy", all);
  if (on == 1) return fmt::format("one of {} points has both the least time and energy", all);
  return fmt::format("{} of {} points are on the frontier", on, all);
}

}  // namespace

ParetoReport pareto_report(StudyReport study, const MeasuredRuns& runs,
                           const ParetoOptions& options) {
  const auto knobs = runs.observations.factors();
  const auto& numbers = runs.observations.numbers();
  study.by.resize(study.by.size() - knobs.size());
  ParetoReport report{.study = std::move(study),
                      .knobs = std::vector<std::string>(knobs.begin(), knobs.end()),
                      .energy = {},
                      .power = {},
                      .max_power_from = {},
                      .options = options};
  if (runs.columns.energy) report.energy = numbers[*runs.columns.energy].name;
  if (runs.columns.power) report.power = numbers[*runs.columns.power].name;
  return report;
}

std::vector<std::string> pareto_sentences(const ParetoReport& report, const Pareto& pareto) {
  std::vector<std::string> sentences{frontier_text(pareto)};
  if (pareto.points.size() == 1) return sentences;
  for (std::size_t e = 0; e < pareto.optima.size(); ++e) {
    sentences.push_back(optimum_text(report, pareto, e));
  }
  return sentences;
}

void write_paretos(const ParetoReport& report, std::span<const GroupPareto> groups, Format format,
                   bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_pareto_json(report, groups, sink);
    case Format::kJsonl:
      return write_pareto_jsonl(report, groups, sink);
    case Format::kCsv:
    case Format::kTsv:
      return write_pareto_rows(report, groups, format == Format::kTsv ? '\t' : ',', sink);
    case Format::kTable:
    case Format::kMarkdown:
    case Format::kLatex:
    case Format::kHtml:
      break;
  }
  write_pareto_table(report, groups, format, colour, sink);
}

}  // namespace scalelaw
