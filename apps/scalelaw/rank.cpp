#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/rank_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kRankExamples =
    R"(  scalelaw rank data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380
      Which law describes each model, and whether the points bend away from a power law.
  scalelaw rank data/demo/runs.csv --laws power,floor,amdahl --format csv -o /tmp/ranks.csv
      Three laws only; a CSV file with one row per group and law.
  scalelaw rank data/demo/runs.csv --where model=BERT --format json
      Everything as JSON: parameters with intervals, tests, and how well each law forecasts.
)";

struct RankCommand {
  StudyOptions study;
  RankOptions rank;  ///< As far as the user gave them.
  ResultOptions result;
};

std::vector<const Law*> laws_named(const std::string& option, const std::string& list) {
  std::vector<const Law*> laws;
  for (const std::string& name : split(list, ',')) {
    const Law* law = find_law(name);
    if (law == nullptr) {
      const auto names = law_names();
      const auto near = nearest(name, std::vector<std::string>(names.begin(), names.end()));
      throw DataError(fmt::format("{}: there is no law '{}'{}; laws are: {}", option, name,
                                  near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                                  fmt::join(names, ", ")));
    }
    refuse_several_x(*law, "rank");
    if (std::find(laws.begin(), laws.end(), law) != laws.end()) {
      throw DataError(fmt::format("{}: '{}' appears twice", option, name));
    }
    laws.push_back(law);
  }
  return laws;
}

RankOptions rank_options(const RankCommand& options, Format format) {
  RankOptions rank = options.rank;
  rank.response = options.study.rate ? Response::kRate : Response::kTime;
  rank.confidence = options.study.confidence;
  rank.intervals = shows_parameters(format) ? Intervals::kProfile : Intervals::kWald;
  return rank;
}

int run_rank(const RankCommand& options, const GlobalOptions& global) {
  RankOptions rank = rank_options(options, format_of(options.result));
  FitOptions reading = fit_options(options.study);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    auto [head, runs] = read_study(options.study, reading, global);
    rank.response = reading.response;
    const auto writer = make_rank_writer({std::move(head), rank}, delivery.style, delivery.sink);
    std::size_t unranked = 0;
    rank_each(runs, rank, global.threads, [&](GroupRanking&& group) {
      unranked += can_rank(std::get<Ranking>(group.result)) ? 0 : 1;
      writer->write(group);
    });
    writer->finish();
    if (unranked == 0) return Lacks{};
    return Lacks{part_of(unranked, runs.size(), "group", "has", "have") +
                 " too few points to rank laws"};
  });
}

}  // namespace

Command add_rank_command(Program& program) {
  auto options = std::make_shared<RankCommand>();
  Options rank = program.add_command(
      "rank", "Tell which scaling law describes each group best, and how sure that is",
      kRankExamples);
  add_data_options(rank, options->study);
  rank.group("Law");
  add_rate_option(rank, options->study);
  add_confidence_option(rank, options->study);
  rank.group("Law");
  rank.parsed("--laws", options->rank.laws, laws_named, "LIST",
              "The laws to compare. Default: power,lognormal,floor,amdahl,usl,broken");
  rank.group("Uncertainty");
  rank.count("--resamples", options->rank.resamples, 0, "B",
             "Greatest number of draws for the test of a floor; 0 for no such test");
  rank.count("--seed", options->rank.seed, 0, "S",
             "Seed of the random numbers; the same seed gives the same result");
  add_result_options(rank, options->result);
  rank.flag("--strict", options->result.strict,
            "Exit with status 1 if a group has too few points to compare laws");
  return {rank, [options](const GlobalOptions& global) { return run_rank(*options, global); }};
}

}  // namespace scalelaw::cli
