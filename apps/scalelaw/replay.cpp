#include "scalelaw/study/replays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "delivery.hpp"
#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/render/result_figures.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kReplayExamples =
    R"(  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128
      Which batch sizes and power limits Zeus tries, which it settles on, and what that saves.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --format csv
      Every run, with the numbers of the published simulator.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --policy zeus,thompson,ucb,grid --mode paper,corrected --seed 1..100
      A study that compares four policies over 100 seeds, with intervals.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --jobs data/replay/jobs.csv --target-metric 0.7 --max-epochs 30 --b0 128
      Recurring jobs that are submitted before the last run has ended.
)";

constexpr const char* kPlotReplayExamples =
    R"(  scalelaw plot replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --policy zeus,default,oracle,grid --seed 1..100 -o /tmp/replay.svg
      Four policies, compared with the default and the oracle, with intervals over 100 seeds.
)";

/// @throws DataError if a value stands twice, however it is written.
template <class Value>
void refuse_twice(const std::string& option, const std::string& list, std::vector<Value> values) {
  std::ranges::sort(values);
  if (std::ranges::adjacent_find(values) == values.end()) return;
  throw DataError(fmt::format("{}: a value appears twice in \"{}\"", option, list));
}

std::vector<std::string> words_of(const std::string& option, const std::string& list) {
  std::vector<std::string> words = split(list, ',');
  if (words.empty()) throw DataError(fmt::format("{}: a value is missing", option));
  refuse_twice(option, list, words);
  return words;
}

std::vector<std::string> datasets_of(const std::string& option, const std::string& list) {
  if (list.empty()) return {""};
  if (list != "all") return words_of(option, list);
  std::vector<std::string> names;
  for (const Job& job : published_jobs()) names.push_back(job.dataset);
  return names;
}

/// Values by their names.
template <class Value>
std::vector<Value> values_of(const std::string& option, const std::string& list) {
  std::vector<Value> values;
  for (const std::string& word : words_of(option, list)) {
    values.push_back(value_named(option, word, named<Value>()));
  }
  return values;
}

std::optional<PowerLimitRule> power_policy_of(const std::string& option, const std::string& word) {
  if (word.empty()) return std::nullopt;
  return value_named(option, word, named<PowerLimitRule>());
}

std::vector<double> some_etas_of(const std::string& option, const std::string& list) {
  const std::vector<double> etas = etas_of(option, list);
  if (etas.empty()) throw DataError(fmt::format("{}: a value is missing", option));
  return etas;
}

std::vector<double> betas_of(const std::string& option, const std::string& list) {
  std::vector<double> betas;
  for (const std::string& word : words_of(option, list)) {
    const auto beta = word == "inf" ? std::numeric_limits<double>::infinity() : parse_number(word);
    if (!beta || !(*beta >= 1)) {
      throw DataError(fmt::format(
          "{}: expected numbers from 1, or inf for no early stopping, found {}; below 1 even a run "
          "as cheap as the cheapest would be stopped",
          option, scalelaw::quoted(word)));
    }
    betas.push_back(*beta);
  }
  refuse_twice(option, list, betas);
  return betas;
}

std::uint64_t seed_of(const std::string& option, std::string_view word) {
  if (const auto seed = whole_number_in(word)) return *seed;
  throw DataError(fmt::format("{}: expected whole numbers, or 1..100, found {}", option,
                              scalelaw::quoted(word)));
}

std::vector<std::uint64_t> seeds_of(const std::string& option, const std::string& list) {
  constexpr std::uint64_t kMostSeeds = 10'000'000;
  std::vector<std::uint64_t> seeds;
  for (const std::string& word : words_of(option, list)) {
    const std::size_t dots = word.find("..");
    const std::uint64_t first = seed_of(option, word.substr(0, dots));
    const std::uint64_t last =
        dots == std::string::npos ? first : seed_of(option, word.substr(dots + 2));
    if (last < first || last - first >= kMostSeeds) {
      throw DataError(fmt::format("{}: expected up to {} seeds in ascending order, found {}",
                                  option, kMostSeeds, scalelaw::quoted(word)));
    }
    for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
  }
  refuse_twice(option, list, seeds);
  return seeds;
}

void add_trace_options(Options& replay, ReplayRequest& options) {
  replay.group("Traces");
  replay.text("--train", options.train, "FILE",
              "Train trace: a table of training runs with the columns dataset, network, "
              "batch_size, optimizer, target_metric, target_epoch");
  replay.words(
      "--power", options.power, "FILE",
      "Power trace of one GPU: a table with the columns dataset, network, batch_size, optimizer, "
      "power_limit (W), time_per_epoch (s), average_power (W). Name several to compare GPUs",
      ',');
}

void add_job_options(Options& replay, ReplayRequest& options) {
  replay.group("Job");
  replay.parsed(
      "--dataset", options.datasets, datasets_of, "NAME,NAME",
      "Dataset of the job; several make a study. all means the six published jobs, which take none "
      "of the options below. Default: librispeech if the trace has it, otherwise its only dataset");
  replay.text("--model", options.job.network, "NAME",
              "Network that is trained. Default: the published one");
  replay.text("--optimizer", options.job.optimizer, "NAME",
              "Optimizer of the job. Default: the published one");
  replay.number("--target-metric", options.job.target_metric, any_number(), "VALUE",
                "Target of the training, as the train trace writes it. Default: the published one");
  replay.count("--max-epochs", options.job.max_epochs, 1, "N",
               "Greatest number of epochs of a run. Default: the published one", 1'000'000'000);
  replay.count("--b0", options.job.default_batch_size, 1, "SIZE",
               "Batch size with which the job starts. Default: the published one, or the largest "
               "of the traces if that is smaller",
               1'000'000'000'000);
}

void add_policy_options(Options& replay, ReplayRequest& options) {
  replay.group("Policy");
  replay.parsed(
      "--policy", options.policies, values_of<BatchSizeRule>, "NAME,NAME",
      "What chooses batch sizes: zeus, default, grid, oracle, thompson, ucb, or corrected, which "
      "is zeus with only the sampling of --mode corrected. Several make a study",
      "zeus");
  replay.parsed(
      "--power-policy", options.power_policy, power_policy_of, "NAME",
      "What chooses power limits: zeus, maximum, fixed, oracle. Default: what belongs to --policy");
  replay.rules("--power-policy=fixed").needs("--limit", "{0}: name the limit with --limit W");
  replay
      .number("--limit", options.limit_w, positive(), "W",
              "The fixed power limit in watts. A batch size that was not measured at it uses the "
              "next lower limit, otherwise its lowest")
      .excludes("--power-policy!=fixed", "{0} goes with --power-policy fixed, not {2}");
  replay.parsed("--mode", options.modes, values_of<ReplayMode>, "NAME,NAME",
                "Simulate as published (paper), or with its mistakes mended (corrected): in "
                "sampling, pruning, profiling, what a stopped run costs, and the bound",
                "paper");
  replay.count("--window", options.window, 0, "N",
               "How many of the latest costs of a batch size count; 0 means all");
}

void add_simulation_options(Options& replay, ReplayRequest& options) {
  replay.group("Simulation");
  replay.parsed("--eta", options.etas, some_etas_of, "LIST",
                "Weight of energy against time in the cost, from 0 (time only) to 1 (energy only). "
                "Several make a study",
                "0.5");
  replay.parsed("--beta", options.betas, betas_of, "LIST",
                "Stop a run before it costs more than beta times the least cost; inf means never. "
                "Several make a study",
                "2");
  replay.count("--recurrences", options.recurrences, 0, "T",
               "How often the job recurs, up to a million times; 0 means twice the number of its "
               "batch sizes times that of its power limits",
               1'000'000);
  replay.parsed("--seed", options.seeds, seeds_of, "LIST",
                "Seed of the random numbers. Several make a study: 1..100 or 1,2,5", "1");
  replay.choice("--random", options.random, named<RandomKind>(),
                "Random numbers of the published simulator (zeus) or our own (scalelaw). Default: "
                "zeus for one replay, scalelaw for a study");
}

void add_replay_options(Options& command, ReplayRequest& options) {
  add_trace_options(command, options);
  add_job_options(command, options);
  add_policy_options(command, options);
  add_simulation_options(command, options);
}

void add_seed_confidence(Options& command, ReplayRequest& options, const char* group) {
  command.group(group);
  command.number("--confidence", options.confidence, number_between(0, 1), "LEVEL",
                 "Level of the intervals over seeds, between 0 and 1");
}

Traces checked_traces(const ReplayRequest& request, const Messages& say) {
  check_combination(request);
  Traces traces = read_traces(request);
  for (const std::string& warning : traces.warnings) say.warn(warning);
  return traces;
}

struct ReplayCommand {
  ReplayRequest replay;
  bool curves = false;
  ResultOptions result;
};

int replay_once(const ReplayCommand& options, const Traces& traces, const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const OneReplay one = replay_first(options.replay, traces);
    const Replay& replay = one.report.replay;
    if (replay.failure && replay.history.size() < 2) throw DataError(*replay.failure);
    write_replay(one.report, delivery.style, delivery.sink);
    return replay.failure ? Lacks{{"the replay ended early: " + *replay.failure}} : Lacks{};
  });
}

int replay_many(const ReplayCommand& options, const Traces& traces, const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    ReplayStudy study = replay_all(options.replay, traces, global.threads);
    study.report.curves = options.curves;
    write_replay_study(study.report, delivery.style, delivery.sink);
    return Lacks{lacks_of(study.report.rows)};
  });
}

int replay_cluster(const ReplayCommand& options, const Traces& traces,
                   const GlobalOptions& global) {
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const ReplayGroupsReport report = replay_submitted(options.replay, traces, global.threads);
    write_replay_groups(report, delivery.style, delivery.sink);
    const auto failed = std::ranges::count_if(
        report.groups, [](const GroupReplay& group) { return group.replay.failure.has_value(); });
    if (failed == 0) return Lacks{};
    return Lacks{{fmt::format("{} of {} could not be replayed", failed,
                              counted(report.groups.size(), "group"))}};
  });
}

/// Curves are means over seeds after every recurrence, which only the JSON of a study has.
void refuse_curves_without_place(const ReplayCommand& options, bool one) {
  if (!options.curves) return;
  const Format format = format_of(options.result);
  if (format != Format::kJson && format != Format::kJsonl) {
    throw DataError("--curves: only --format json and jsonl have them");
  }
  if (one) {
    throw DataError(
        "--curves: one replay has its whole history instead; name several --seed, --policy, ...");
  }
}

int run_replay(const ReplayCommand& options, const GlobalOptions& global) {
  const Traces traces = checked_traces(options.replay, global.console());
  if (!options.replay.jobs.empty()) return replay_cluster(options, traces, global);
  const bool one = is_one_replay(options.replay);
  refuse_curves_without_place(options, one);
  return one ? replay_once(options, traces, global) : replay_many(options, traces, global);
}

struct PlotReplayCommand {
  ReplayRequest replay;
  DrawingOptions drawing;
};

int run_plot_replay(const PlotReplayCommand& options, const GlobalOptions& global) {
  return draw(options.drawing, global, [&] {
    const Traces traces = checked_traces(options.replay, global.console());
    const ReplayStudy study = replay_all(options.replay, traces, global.threads);
    for (const std::string& sentence : lacks_of(study.report.rows)) global.console().warn(sentence);
    return replay_figure(study.report);
  });
}

}  // namespace

Command add_replay_command(Program& program) {
  auto options = std::make_shared<ReplayCommand>();
  Options replay = program.add_command(
      "replay", "Tell what Zeus and other policies would save on training jobs that recur",
      kReplayExamples);
  add_replay_options(replay, options->replay);
  replay.group("Traces");
  replay.text(
      "--jobs", options->replay.jobs, "FILE",
      "Submissions of recurring jobs, which may overlap: a table with the columns group, "
      "start_time (s), end_time (s), dataset, runtime_ratio, as generate --submissions writes it");
  add_seed_confidence(replay, options->replay, "Result");
  replay.flag("--curves", options->curves,
              "Add to the JSON of a study the means after every recurrence, for figures");
  constexpr const char* kOfSeeds = "it is about means over seeds, and each group has one seed";
  replay.rules({"--curves", "--confidence"}).excludes("--jobs", kOfSeeds);
  replay.rules("--jobs").excludes(
      {"--dataset", "--recurrences!=0", "--seed!=1"},
      "{0} does not go with --dataset, --recurrences or --seed: its file says datasets and "
      "recurrences, and the names of the groups give the seeds");
  add_result_options(replay, options->result, "Exit with status 1 if a replay ended early");
  return command_of(replay, options, run_replay);
}

Command add_plot_replay_command(Program& program) {
  auto options = std::make_shared<PlotReplayCommand>();
  Options plot =
      program.add_command("plot-replay", "Draw what policies cost each time a training job recurs",
                          kPlotReplayExamples);
  add_replay_options(plot, options->replay);
  add_seed_confidence(plot, options->replay, "Figure");
  add_drawing_options(plot, options->drawing);
  return command_of(plot, options, run_plot_replay);
}

}  // namespace scalelaw::cli
