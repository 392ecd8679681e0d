#include "replay_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "measure_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array kPolicies{BatchSizeRule::kZeus,     BatchSizeRule::kDefault,
                               BatchSizeRule::kGrid,     BatchSizeRule::kOracle,
                               BatchSizeRule::kThompson, BatchSizeRule::kUcb,
                               BatchSizeRule::kCorrected};
constexpr std::array kLimits{PowerLimitRule::kZeus, PowerLimitRule::kMaximum,
                             PowerLimitRule::kFixed, PowerLimitRule::kOracle};
constexpr std::array kModes{ReplayMode::kPaper, ReplayMode::kCorrected};
constexpr std::array kRandoms{RandomKind::kZeus, RandomKind::kScalelaw};

/// @throws DataError if a value stands twice, however it is written.
template <class Value>
void refuse_twice(const std::string& option, const std::string& list, std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  if (std::adjacent_find(values.begin(), values.end()) == values.end()) return;
  throw DataError(fmt::format("{}: a value stands twice in \"{}\"", option, list));
}

std::vector<std::string> words_of(const std::string& option, const std::string& list) {
  std::vector<std::string> words = split(list, ',');
  if (words.empty()) throw DataError(fmt::format("{}: a value is missing", option));
  refuse_twice(option, list, words);
  return words;
}

template <class Rule, std::size_t n>
std::vector<Rule> rules_named(const std::string& option, const std::string& list,
                              const std::array<Rule, n>& rules) {
  std::vector<Rule> out;
  for (const std::string& word : words_of(option, list)) {
    out.push_back(value_named(option, word, named(rules)));
  }
  return out;
}

std::vector<double> betas_of(const std::string& list) {
  std::vector<double> betas;
  for (const std::string& word : words_of("--beta", list)) {
    const auto beta = word == "inf" ? std::numeric_limits<double>::infinity() : parse_number(word);
    if (!beta || !(*beta >= 1)) {
      throw DataError(fmt::format(
          "--beta: expected numbers from 1, or inf for no early stopping, found {}; below 1 even "
          "a run as cheap as the cheapest would be stopped",
          scalelaw::quoted(word)));
    }
    betas.push_back(*beta);
  }
  refuse_twice("--beta", list, betas);
  return betas;
}

std::uint64_t seed_of(std::string_view word) {
  if (const auto seed = whole_number_in(word)) return *seed;
  throw DataError(
      fmt::format("--seed: expected whole numbers, or 1..100, found {}", scalelaw::quoted(word)));
}

std::vector<std::uint64_t> seeds_of(const std::string& list) {
  constexpr std::uint64_t kMostSeeds = 10'000'000;
  std::vector<std::uint64_t> seeds;
  for (const std::string& word : words_of("--seed", list)) {
    const std::size_t dots = word.find("..");
    const std::uint64_t first = seed_of(word.substr(0, dots));
    const std::uint64_t last =
        dots == std::string::npos ? first : seed_of(std::string_view(word).substr(dots + 2));
    if (last < first || last - first >= kMostSeeds) {
      throw DataError(fmt::format("--seed: expected up to {} seeds in ascending order, found {}",
                                  kMostSeeds, scalelaw::quoted(word)));
    }
    for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
  }
  refuse_twice("--seed", list, seeds);
  return seeds;
}

ReplayPlan read_plan(const ReplayOptions& options) {
  const ReplayPlan plan{.policies = rules_named("--policy", options.policies, kPolicies),
                        .modes = rules_named("--mode", options.modes, kModes),
                        .etas = etas_of(options.etas),
                        .betas = betas_of(options.betas),
                        .seeds = seeds_of(options.seeds)};
  if (plan.etas.empty()) throw DataError("--eta: a value is missing");
  return plan;
}

void check_limits(const ReplayOptions& options) {
  if (options.power_policy == "fixed" && !(options.limit_w > 0)) {
    throw DataError("--power-policy fixed: name the limit with --limit W");
  }
  if (options.limit_w > 0 && !options.power_policy.empty() && options.power_policy != "fixed") {
    throw DataError(
        fmt::format("--limit goes with --power-policy fixed, not {}", options.power_policy));
  }
  if (options.window == 1) {
    throw DataError("--window: expected 0 (all costs) or at least 2, as one has no variance");
  }
}

/// Whether the options of the job are for this dataset: of several only for those not published.
bool takes_job_options(const ReplayOptions& options, const std::string& dataset) {
  return datasets_of(options).size() == 1 || published_job(dataset) == nullptr;
}

void refuse_job_options_without_use(const ReplayOptions& options) {
  const JobWish& job = options.job;
  const bool given = !job.network.empty() || !job.optimizer.empty() ||
                     !options.target_metric.empty() || job.max_epochs > 0 ||
                     job.default_batch_size > 0;
  const std::vector<std::string> datasets = datasets_of(options);
  const bool used = std::any_of(datasets.begin(), datasets.end(), [&](const std::string& dataset) {
    return takes_job_options(options, dataset);
  });
  if (!given || used) return;
  throw DataError(
      "--model, --optimizer, --target-metric, --max-epochs and --b0 are of one dataset; several "
      "that are published take those of their jobs");
}

void add_trace_options(Options& replay, ReplayOptions& options) {
  replay.group("Traces");
  replay.text("--train", options.train, "FILE",
              "Train trace: dataset, network, batch_size, optimizer, target_metric, target_epoch "
              "of every training run");
  replay.words("--power", options.power, "FILE",
               "Power trace of a GPU: dataset, network, batch_size, optimizer, power_limit (W), "
               "time_per_epoch (s), average_power (W); several for a study of GPUs",
               ',');
}

void add_job_options(Options& replay, ReplayOptions& options) {
  replay.group("Job");
  replay.text("--dataset", options.datasets, "NAME,NAME",
              "What is trained; several, or all for the six published jobs, which take no other "
              "option of this list then; librispeech where the trace has it");
  replay.text("--model", options.job.network, "NAME", "Network; without it the published one");
  replay.text("--optimizer", options.job.optimizer, "NAME", "Without it the published one");
  replay.text("--target-metric", options.target_metric, "VALUE",
              "Target as the train trace writes it; without it the published one");
  replay.count("--max-epochs", options.job.max_epochs, 1, "N",
               "Epochs of a run at most; without it as published", 1'000'000'000);
  replay.count(
      "--b0", options.job.default_batch_size, 1, "SIZE",
      "Default batch size; without it the published one, at most the largest of the traces",
      1'000'000'000'000);
}

void add_policy_options(Options& replay, ReplayOptions& options) {
  replay.group("Policy");
  replay.text("--policy", options.policies, "NAME,NAME",
              "Chooses batch sizes: zeus, default, grid, oracle, thompson, ucb; corrected is zeus "
              "with the sampling of the corrected mode, and nothing else of it");
  replay.text("--power-policy", options.power_policy, "NAME",
              "Chooses power limits: zeus, maximum, fixed, oracle; without it what goes with the "
              "policy");
  replay.number("--limit", options.limit_w, positive(), "W",
                "The fixed power limit; the next lower one where a batch size lacks it, else its "
                "lowest");
  replay.text("--mode", options.modes, "NAME,NAME",
              "paper, as published; corrected mends the whole simulation: sampling, pruning, "
              "profiling, what a stopped run counts, and the bound");
  replay.count("--window", options.window, 0, "N",
               "Latest costs of a batch size that count; 0 for all");
}

void add_simulation_options(Options& replay, ReplayOptions& options) {
  replay.group("Simulation");
  replay.text("--eta", options.etas, "LIST", "Weight of energy against time, 0 to 1");
  replay.text("--beta", options.betas, "LIST",
              "A run stops before it costs more than beta times the least cost; inf for never");
  replay.count("--recurrences", options.recurrences, 0, "T",
               "How often the job recurs, up to a million times; 0 for twice its batch sizes times "
               "its limits",
               1'000'000);
  replay.text("--seed", options.seeds, "LIST", "Seed, or several for a study: 1..100 or 1,2,5");
  replay.choice("--random", options.random, named(kRandoms),
                "Random numbers: of the published simulator, or our own; without it zeus for one "
                "replay, scalelaw for a study");
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
                 "Of the intervals over seeds");
}

ReplayPlan plan_of(const ReplayOptions& options) {
  const ReplayPlan plan = read_plan(options);
  check_limits(options);
  refuse_job_options_without_use(options);
  return plan;
}

PolicySettings policy_of(const ReplayOptions& options, BatchSizeRule rule, ReplayMode mode,
                         double eta) {
  PolicySettings policy{.batch_size = rule, .mode = mode, .eta = eta, .window = options.window};
  policy.power_limit = options.power_policy.empty()
                           ? usual_limits(rule)
                           : value_named("--power-policy", options.power_policy, named(kLimits));
  if (options.limit_w > 0) {
    policy.power_limit = PowerLimitRule::kFixed;
    policy.fixed_limit_w = options.limit_w;
  }
  return policy;
}

std::vector<std::string> datasets_of(const ReplayOptions& options) {
  if (options.datasets.empty()) return {""};
  if (options.datasets != "all") return words_of("--dataset", options.datasets);
  std::vector<std::string> names;
  for (const Job& job : published_jobs()) names.push_back(job.dataset);
  return names;
}

JobWish wish_of(const ReplayOptions& options, const std::string& dataset) {
  JobWish wish = takes_job_options(options, dataset) ? options.job : JobWish{};
  wish.dataset = dataset;
  if (!takes_job_options(options, dataset)) return wish;
  if (!options.target_metric.empty()) {
    wish.target_metric = parse_number(options.target_metric);
    if (!wish.target_metric) {
      throw DataError(fmt::format("--target-metric: expected a number, found {}",
                                  scalelaw::quoted(options.target_metric)));
    }
  }
  return wish;
}

RandomKind random_of(const ReplayOptions& options, RandomKind usual) {
  return options.random.value_or(usual);
}

void refuse_to_replace_traces(const std::string& output, const ReplayOptions& options) {
  std::vector<std::string> inputs = options.power;
  inputs.push_back(options.train);
  refuse_to_replace_files(output, inputs);
}

}  // namespace scalelaw::cli
