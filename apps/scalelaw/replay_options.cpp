#include "replay_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "measure_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

/// @throws DataError if a value stands twice, however it is written.
template <class Value>
void refuse_twice(const std::string& option, const std::string& list, std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  if (std::adjacent_find(values.begin(), values.end()) == values.end()) return;
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

/// Whether the options of the job are for this dataset: of several only for those not published.
bool takes_job_options(const ReplayOptions& options, const std::string& dataset) {
  return options.datasets.size() == 1 || published_job(dataset) == nullptr;
}

void refuse_job_options_without_use(const ReplayOptions& options) {
  const JobWish& job = options.job;
  const bool given = !job.network.empty() || !job.optimizer.empty() || job.target_metric ||
                     job.max_epochs > 0 || job.default_batch_size > 0;
  const auto& datasets = options.datasets;
  const bool used = std::any_of(datasets.begin(), datasets.end(), [&](const std::string& dataset) {
    return takes_job_options(options, dataset);
  });
  if (!given || used) return;
  throw DataError(
      "--model, --optimizer, --target-metric, --max-epochs and --b0 describe one dataset: leave "
      "them out if --dataset names several published ones");
}

ReplaySettings settings_of(const ReplayOptions& options, BatchSizeRule rule, ReplayMode mode,
                           double eta, double beta) {
  const PowerLimitRule limits =
      options.limit_w ? PowerLimitRule::kFixed : options.power_policy.value_or(usual_limits(rule));
  return {.policy = {.batch_size = rule,
                     .power_limit = limits,
                     .fixed_limit_w = options.limit_w.value_or(0),
                     .mode = mode,
                     .eta = eta,
                     .window = options.window},
          .beta = beta,
          .recurrences = options.recurrences,
          .seed = options.seeds.front(),
          .random = options.random.value_or(RandomKind::kZeus)};
}

void add_trace_options(Options& replay, ReplayOptions& options) {
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

void add_job_options(Options& replay, ReplayOptions& options) {
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

void add_policy_options(Options& replay, ReplayOptions& options) {
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

void add_simulation_options(Options& replay, ReplayOptions& options) {
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

}  // namespace

void add_replay_options(Options& command, ReplayOptions& options) {
  add_trace_options(command, options);
  add_job_options(command, options);
  add_policy_options(command, options);
  add_simulation_options(command, options);
}

void add_seed_confidence(Options& command, ReplayOptions& options, const char* group) {
  command.group(group);
  command.number("--confidence", options.confidence, number_between(0, 1), "LEVEL",
                 "Level of the intervals over seeds, between 0 and 1");
}

void check_combination(const ReplayOptions& options) {
  if (options.window == 1) {
    throw DataError(
        "--window: expected 0 (all costs) or at least 2, because one cost has no variance");
  }
  refuse_job_options_without_use(options);
}

ReplaySettings first_settings(const ReplayOptions& options) {
  return settings_of(options, options.policies.front(), options.modes.front(), options.etas.front(),
                     options.betas.front());
}

std::vector<ReplaySettings> all_settings(const ReplayOptions& options) {
  std::vector<ReplaySettings> all;
  for (const BatchSizeRule rule : options.policies) {
    for (const ReplayMode mode : options.modes) {
      for (const double eta : options.etas) {
        for (const double beta : options.betas) {
          all.push_back(settings_of(options, rule, mode, eta, beta));
          all.back().random = options.random.value_or(RandomKind::kScalelaw);
        }
      }
    }
  }
  return all;
}

JobWish wish_of(const ReplayOptions& options, const std::string& dataset) {
  JobWish wish = takes_job_options(options, dataset) ? options.job : JobWish{};
  wish.dataset = dataset;
  return wish;
}

}  // namespace scalelaw::cli
