#include "scalelaw/study/study_options.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// NAME=REST of each part of the texts, which commas divide.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<std::string>& texts,
                                                          std::string_view option,
                                                          std::string_view example) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    for (const std::string& part : split(text, ',')) {
      const std::size_t sign = part.find('=');
      const std::string_view name = trimmed(std::string_view(part).substr(0, sign));
      if (sign == std::string::npos || name.empty()) {
        throw DataError(fmt::format("{}: expected {}, found '{}'", option, example, part));
      }
      pairs.emplace_back(name, trimmed(std::string_view(part).substr(sign + 1)));
    }
  }
  return pairs;
}

double number_in(const std::string& text, std::string_view option, std::string_view example) {
  if (const auto number = parse_number(text)) return *number;
  throw DataError(fmt::format("{}: expected a number as in {}, found '{}'", option, example, text));
}

Interval range_in(const std::string& text) {
  constexpr std::string_view kExample = "alpha=0.2..0.5";
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    throw DataError(fmt::format("--bound: expected two ends as in {}, found '{}'", kExample, text));
  }
  return {number_in(text.substr(0, dots), "--bound", kExample),
          number_in(text.substr(dots + 2), "--bound", kExample)};
}

}  // namespace

const Law& constrained(const Law& law, const ConstraintOptions& options) {
  Constraints constraints;
  constexpr std::string_view kValue = "NAME=VALUE such as E=1.69";
  for (const auto& [name, value] : pairs_of(options.fix, "--fix", kValue)) {
    constraints.fixed.emplace_back(name, number_in(value, "--fix", "E=1.69"));
  }
  for (auto& names : pairs_of(options.tie, "--tie", "NAME=NAME such as alpha=beta")) {
    constraints.tied.push_back(std::move(names));
  }
  for (const auto& [name, range] :
       pairs_of(options.bound, "--bound", "NAME=FROM..TO such as alpha=0.2..0.5")) {
    constraints.bounded.emplace_back(name, range_in(range));
  }
  return constrained(law, constraints);
}

FitOptions fit_options(const StudyOptions& options) {
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  FitOptions fit = options;
  fit.law = &constrained(*options.law, options.constraints);
  if (options.rate) fit.response = Response::kRate;
  return fit;
}

RunOptions row_options(const StudyOptions& options, const CallConditions& conditions) {
  RunOptions run = options;
  run.threads = conditions.threads;
  run.progress = conditions.shows_progress;
  add_units_of(options.y, run.layout);
  if (options.rate) run.told.kind = Kind::kRate;
  if (options.time) run.told.kind = Kind::kTime;
  for (const auto& [name, better] : options.better_of) {
    if (name != options.y) {
      throw DataError(fmt::format("--better {}={}: no such response is asked for: name it with -y",
                                  name, name_of(better)));
    }
    run.told.better = better;
  }
  return run;
}

RunOptions run_options(const StudyOptions& options, const FitOptions& fit,
                       const CallConditions& conditions) {
  refuse_several_x(*fit.law, "this command");
  RunOptions run = row_options(options, conditions);
  run.runs_are_clusters = is_clustered(fit.se);
  run.logarithmic_x = fit.law->logarithmic_x();
  run.logarithmic_y = fit.law->scale() == Scale::kLog;
  run.keep_points |= fit.robust != Robust::kNone || fit.bootstrap.resamples > 0;
  run.ranks = conditions.ranks;
  return run;
}

void refuse_no_input(const StudyOptions& options) {
  if (options.inputs.empty()) {
    throw DataError("no input: name a CSV file, a folder, a quoted glob, or - for standard input");
  }
}

void refuse_few_draws(std::uint32_t draws, std::string_view noun) {
  constexpr std::uint32_t kFewest = 100;
  if (draws == 0 || draws >= kFewest) return;
  throw DataError(
      fmt::format("--bootstrap {}: at least {} {} are needed for the ends of an interval", draws,
                  kFewest, noun));
}

bool takes_several_x(const StudyOptions& options) { return options.law->inputs() > 1; }

void refuse_several_x(const Law& law, std::string_view what) {
  if (law.inputs() == 1) return;
  throw DataError(
      fmt::format("the {} law takes {} x, and {} works only with laws of one x; fit{} predict{} "
                  "can use it",
                  law.name(), law.inputs() == 2 ? "two" : "three", what,
                  law.inputs() == 2 ? "," : " and", law.inputs() == 2 ? " and plot surface" : ""));
}

void refuse_without_gpus(const std::string& x, std::string_view option) {
  if (may_count_gpus(x)) return;
  throw DataError(
      fmt::format("{} needs the number of GPUs, and '{}' does not count GPUs: name a column of "
                  "GPUs with -x, or add one to the table, such as gpus",
                  option, x));
}

}  // namespace scalelaw
