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
  scalelaw rank data/two_scales/runs.csv -x parameters,tokens -y loss
      Whether a loss follows parameters and tokens, one of them, or the compute alone.
  scalelaw rank data/demo/runs.csv --where model=BERT --format json
      Everything as JSON: parameters with intervals, tests, and how well each law forecasts.
)";

struct RankCommand {
  Options call;
  StudyOptions study;
  SurfaceOptions surface;
  std::size_t hidden = 0;  ///< How many sizes laws of several scales do not see; 0: by their runs.
  RankOptions rank;        ///< As far as the user gave them.
  ResultOptions result;
};

std::vector<const Law*> laws_to_rank(const std::string& option, const std::string& list) {
  std::vector<const Law*> laws;
  for (const std::string& name : split(list, ',')) {
    const Law* law = find_law(name);
    if (law == nullptr) {
      std::vector<std::string> names;
      for (const std::size_t inputs : {1, 2}) {
        for (const std::string_view one : law_names(inputs)) names.emplace_back(one);
      }
      const auto near = nearest(name, names);
      throw DataError(fmt::format("{}: there is no law '{}'{}; laws are: {}", option, name,
                                  near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                                  fmt::join(names, ", ")));
    }
    if (law->inputs() > 2) {
      throw DataError(fmt::format("the {} law takes three x, and rank compares laws of one or two",
                                  law->name()));
    }
    if (contains(laws, law)) {
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

bool is_of_two_x(const Law* law) { return law->inputs() == 2; }

/// Whether laws of several scales are to be ranked.
bool ranks_surfaces(const RankCommand& options) {
  const auto& laws = options.rank.laws;
  return std::ranges::any_of(laws, is_of_two_x) || options.call.given("--flops") ||
         split(options.study.x, ',').size() > 1;
}

int rank_by_several_scales(const RankCommand& options, const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    StudyOptions study = options.study;
    const auto& laws = options.rank.laws;
    const auto named = std::ranges::find_if(laws, is_of_two_x);
    study.law = named != laws.end() ? *named : default_surface_laws().front();
    SurfaceOptions surface = options.surface;
    surface.sharing.clear();  // It tells no intervals.
    SurfaceStudy runs = read_surface(study, surface, global.conditions());
    SurfaceRankReport report{std::move(runs.report), {}};
    report.options = {.laws = laws,
                      .flops_per_parameter_token = report.flops_per_parameter_token,
                      .confidence = study.confidence,
                      .levels = options.hidden};
    const auto groups = rank_surfaces(runs.groups, report.options, global.threads);
    write_surface_rankings(report, groups, delivery.style, delivery.sink);
    return groups_without<SurfaceRanking>(
        "ranking", groups, [](const SurfaceRanking& ranking) { return ranking.tied > 0; });
  });
}

int run_rank(const RankCommand& options, const GlobalOptions& global) {
  const bool of_surfaces = ranks_surfaces(options);
  if (of_surfaces) return rank_by_several_scales(options, global);
  RankOptions rank = rank_options(options, format_of(options.result));
  FitOptions reading = fit_options(options.study);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    auto [head, runs] = read_study_by_nights(options.call, options.study, reading, global);
    rank.response = reading.response;
    const auto writer = make_rank_writer({std::move(head), rank}, delivery.style, delivery.sink);
    std::size_t unranked = 0;
    rank_each(runs, rank, global.threads, [&](GroupRanking&& group) {
      unranked += can_rank(std::get<Ranking>(group.result)) ? 0 : 1;
      writer->write(group);
    });
    writer->finish();
    if (unranked == 0) return Lacks{};
    return Lacks{
        {part_of(unranked, runs.size(), "group", "has", "have") + " too few points to rank laws"}};
  });
}

}  // namespace

Command add_rank_command(Program& program) {
  auto options = std::make_shared<RankCommand>();
  Options rank = options->call = program.add_command(
      "rank", "Tell which scaling law describes each group best, and how sure that is",
      kRankExamples);
  add_data_options(rank, options->study);
  rank.group("Law");
  add_rate_option(rank, options->study);
  add_confidence_option(rank, options->study);
  rank.group("Law");
  rank.parsed("--laws", options->rank.laws, laws_to_rank, "LIST",
              "The laws to compare. Default: power,lognormal,floor,amdahl,usl,broken; over two "
              "scales all laws of two x, and power and floor over each scale and the compute");
  add_compute_options(rank, options->surface);
  rank.group("Law");
  rank.count("--hide", options->hidden, 1, "K",
             "For laws of several scales: how many of the largest sizes are held out and foretold "
             "from the others. Default: those of a tenth of the runs");
  rank.group("Uncertainty");
  rank.count("--resamples", options->rank.resamples, 0, "B",
             "Greatest number of draws for the test of a floor; 0 for no such test");
  rank.count("--seed", options->rank.seed, 0, "S",
             "Seed of the random numbers; the same seed gives the same result");
  add_result_options(rank, options->result,
                     "Exit with status 1 if a group has too few points to compare laws");
  const CallKind of_surfaces{"laws of several scales", [options](const CallOptions&) {
                               return KindFound{ranks_surfaces(*options), ""};
                             }};
  rank.rules({"--rate", "--points", "--weights", "--resamples", "--seed"}).excludes(of_surfaces);
  rank.rules({"--flops-per-parameter-token", "--hide"})
      .only_for(of_surfaces,
                "{0} does not go with laws of one scale: name two, such as -x parameters,tokens");
  return command_of(rank, options, run_rank);
}

}  // namespace scalelaw::cli
