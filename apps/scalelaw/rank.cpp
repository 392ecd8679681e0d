#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "result_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/rank_report.hpp"
#include "study_options.hpp"
#include "surface_study.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw rank data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380
      Which law describes each model, and whether the points bend away from a power law.
  scalelaw rank data/demo/runs.csv --laws power,floor,amdahl --format csv -o /tmp/ranks.csv
      A row a group and law, for programs.
  scalelaw rank data/demo/runs.csv --where model=BERT --format json
      Everything: parameters with profile intervals, tests, hold-out, stability of beta.
)";

struct RankCommand {
  StudyOptions study;
  std::string laws;
  std::uint32_t resamples = 999;
  std::string columns;
  ResultOptions result;
  bool strict = false;
};

std::vector<const Law*> laws_named(const std::string& list) {
  std::vector<const Law*> laws;
  for (const std::string& name : split(list, ',')) {
    const Law* law = find_law(name);
    if (law == nullptr) {
      const auto names = law_names();
      const auto near = nearest(name, std::vector<std::string>(names.begin(), names.end()));
      throw DataError(fmt::format("--laws: no law '{}'{}; laws are: {}", name,
                                  near ? fmt::format(", did you mean '{}'?", *near) : "",
                                  fmt::join(names, ", ")));
    }
    refuse_two_x(*law, "rank");
    if (std::find(laws.begin(), laws.end(), law) != laws.end()) {
      throw DataError(fmt::format("--laws: '{}' stands there twice", name));
    }
    laws.push_back(law);
  }
  return laws;
}

RankOptions rank_options(const RankCommand& options, Format format) {
  RankOptions rank;
  rank.laws = laws_named(options.laws);
  rank.response = options.study.rate ? Response::kRate : Response::kTime;
  rank.confidence = options.study.confidence;
  rank.intervals = shows_parameters(format) ? Intervals::kProfile : Intervals::kWald;
  rank.resamples = options.resamples;
  rank.seed = options.study.seed;
  return rank;
}

/// Whether a law has a criterion, or no scatter to need one.
bool is_ranked(const RankedLaw& ranked) {
  const Fit* const fit = std::get_if<Fit>(&ranked.result);
  return ranked.aicc || (fit != nullptr && fit->rss == 0 && fit->dof > 0);
}

int run_rank(const RankCommand& options, const GlobalOptions& global) {
  const Console console = global.console();
  const Format format = format_of(options.result);
  if (!options.columns.empty() && format != Format::kCsv && format != Format::kTsv) {
    throw DataError(fmt::format("--columns are those of CSV and TSV: --format {} has its own",
                                scalelaw::name_of(format)));
  }
  const RankOptions rank = rank_options(options, format);
  FitOptions reading = fit_options(options.study);
  refuse_to_replace_inputs(options.result.output, options.study);
  Output output(options.result.output);  // Before reading: a missing folder must not cost minutes.
  const GroupedCells runs = read_study(options.study, reading, global);
  RankReport report{study_report(options.study, runs), rank};
  const std::string epochs = note_epochs(runs.unused_run_column(), reading, console);
  if (!epochs.empty()) report.warnings.push_back(epochs);
  const auto writer =
      make_rank_writer(std::move(report),
                       {.format = format,
                        .columns = split(options.columns, ','),
                        .colour = wants_colour(global.colour, output.is_terminal())},
                       [&output](std::string_view text) { output.write(text); });
  std::size_t unranked = 0;
  rank_each(runs, rank, global.threads, [&](GroupRanking&& group) {
    const auto& laws = group.ranking.laws;
    unranked += std::none_of(laws.begin(), laws.end(), is_ranked) ? 1 : 0;
    writer->write(group);
  });
  writer->finish();
  output.commit();
  if (unranked > 0) {
    console.warn(
        fmt::format("{} of {} groups have too few points to rank laws", unranked, runs.size()));
  }
  return options.strict && unranked > 0 ? kCheckFailed : kDone;
}

}  // namespace

Command add_rank_command(Program& program) {
  auto options = std::make_shared<RankCommand>();
  Options rank = program.add_command(
      "rank", "Judge which scaling law describes each group, and how surely", kExamples);
  add_data_options(rank, options->study);
  rank.group("Law");
  add_rate_option(rank, options->study);
  add_confidence_option(rank, options->study);
  rank.group("Law");
  rank.text("--laws", options->laws, "LIST",
            "The laws to rank; without it power,lognormal,floor,amdahl,usl,broken");
  rank.group("Uncertainty");
  rank.count("--resamples", options->resamples, 0, "B",
             "Resamples of each bootstrap test at most; 0 for no such tests");
  rank.count("--seed", options->study.seed, 0, "S", "Seed of the random numbers");
  add_result_options(rank, options->result);
  rank.text("--columns", options->columns, "LIST", "Columns of the CSV in their order");
  rank.flag("--strict", options->strict, "Exit with 1 if a group has too few points to rank");
  return {rank, [options](const GlobalOptions& global) { return run_rank(*options, global); }};
}

}  // namespace scalelaw::cli
