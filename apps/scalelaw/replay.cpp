#include <fmt/format.h>

#include <array>
#include <charconv>
#include <deque>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>

#include "command.hpp"
#include "result_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/replay_report.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array kPolicies{BatchSizeRule::kZeus,     BatchSizeRule::kDefault,
                               BatchSizeRule::kGrid,     BatchSizeRule::kOracle,
                               BatchSizeRule::kThompson, BatchSizeRule::kUcb,
                               BatchSizeRule::kCorrected};
constexpr std::array kLimits{PowerLimitRule::kZeus, PowerLimitRule::kMaximum,
                             PowerLimitRule::kFixed, PowerLimitRule::kOracle};
constexpr std::array kModes{ReplayMode::kPaper, ReplayMode::kCorrected};
constexpr std::array<std::string_view, 2> kRandoms{"zeus", "scalelaw"};

constexpr const char* kExamples =
    R"(  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128
      Which batch sizes and power limits Zeus tries, what it settles on, what that saves.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --format csv
      Every run, in the order of the published simulator.
  scalelaw replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --policy zeus,thompson,ucb,grid --mode paper,corrected --seed 1..100
      A study: policies compared over a hundred seeds, with intervals.
)";

struct ReplayCommand {
  std::string train;
  std::vector<std::string> power;
  std::string jobs;
  std::string datasets;
  JobWish job;
  std::string target_metric;
  std::string policies = "zeus";
  std::string power_policy;
  double limit_w = 0;
  std::string modes = "paper";
  std::string etas = "0.5";
  std::string betas = "2";
  std::size_t window = 0;
  std::uint32_t recurrences = 0;
  std::string seeds = "1";
  std::string random;
  double confidence = 0.95;
  bool curves = false;
  bool strict = false;
  ResultOptions result;
};

/// What every combination of the lists in the call is made from.
struct Plan {
  std::vector<BatchSizeRule> policies;
  std::vector<ReplayMode> modes;
  std::vector<double> etas;
  std::vector<double> betas;
  std::vector<std::uint64_t> seeds;
};

std::vector<std::string> words_of(const std::string& option, const std::string& list) {
  std::vector<std::string> words = split(list, ',');
  if (words.empty()) throw DataError(fmt::format("{}: a value is missing", option));
  if (std::set<std::string>(words.begin(), words.end()).size() != words.size()) {
    throw DataError(fmt::format("{}: a value stands twice in \"{}\"", option, list));
  }
  return words;
}

template <class Rule, std::size_t n>
Rule rule_named(const std::string& option, const std::string& word,
                const std::array<Rule, n>& rules) {
  std::vector<std::string> names;
  for (const Rule rule : rules) {
    names.emplace_back(name_of(rule));
    if (names.back() == word) return rule;
  }
  const auto near = nearest(word, names);
  throw DataError(fmt::format("{}: there is no '{}'{}; choices are: {}", option, word,
                              near ? fmt::format(", did you mean '{}'?", *near) : "",
                              joined(names)));
}

template <class Rule, std::size_t n>
std::vector<Rule> rules_named(const std::string& option, const std::string& list,
                              const std::array<Rule, n>& rules) {
  std::vector<Rule> out;
  for (const std::string& word : words_of(option, list)) {
    out.push_back(rule_named(option, word, rules));
  }
  return out;
}

std::vector<double> etas_of(const std::string& list) {
  std::vector<double> etas;
  for (const std::string& word : words_of("--eta", list)) {
    const auto eta = parse_number(word);
    if (!eta || !(*eta >= 0 && *eta <= 1)) {
      throw DataError(
          fmt::format("--eta: expected numbers from 0 (time only) to 1 (energy only), found {}",
                      scalelaw::quoted(word)));
    }
    etas.push_back(*eta);
  }
  return etas;
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
  return betas;
}

std::uint64_t seed_of(std::string_view word) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
  if (error != std::errc() || end != word.data() + word.size()) {
    throw DataError(
        fmt::format("--seed: expected whole numbers, or 1..100, found {}", scalelaw::quoted(word)));
  }
  return seed;
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
  return seeds;
}

Plan plan_of(const ReplayCommand& options) {
  return {.policies = rules_named("--policy", options.policies, kPolicies),
          .modes = rules_named("--mode", options.modes, kModes),
          .etas = etas_of(options.etas),
          .betas = betas_of(options.betas),
          .seeds = seeds_of(options.seeds)};
}

PolicySettings policy_of(const ReplayCommand& options, BatchSizeRule rule, ReplayMode mode,
                         double eta) {
  PolicySettings policy{.batch_size = rule, .mode = mode, .eta = eta, .window = options.window};
  policy.power_limit = options.power_policy.empty()
                           ? usual_limits(rule)
                           : rule_named("--power-policy", options.power_policy, kLimits);
  if (options.limit_w > 0) {
    policy.power_limit = PowerLimitRule::kFixed;
    policy.fixed_limit_w = options.limit_w;
  }
  return policy;
}

void check_limits(const ReplayCommand& options) {
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

std::vector<std::string> datasets_of(const ReplayCommand& options) {
  if (options.datasets.empty()) return {""};
  if (options.datasets != "all") return words_of("--dataset", options.datasets);
  std::vector<std::string> names;
  for (const Job& job : published_jobs()) names.push_back(job.dataset);
  return names;
}

JobWish wish_of(const ReplayCommand& options, const std::string& dataset) {
  JobWish wish = options.job;
  wish.dataset = dataset;
  if (!options.target_metric.empty()) {
    wish.target_metric = parse_number(options.target_metric);
    if (!wish.target_metric) {
      throw DataError(fmt::format("--target-metric: expected a number, found {}",
                                  scalelaw::quoted(options.target_metric)));
    }
  }
  return wish;
}

void refuse_one_job_for_many(const ReplayCommand& options, std::size_t datasets) {
  const JobWish& job = options.job;
  if (datasets > 1 && (!job.network.empty() || !job.optimizer.empty() ||
                       !options.target_metric.empty() || job.max_epochs > 0)) {
    throw DataError(
        "--model, --optimizer, --target-metric and --max-epochs are of one dataset; several "
        "--dataset take those of the published jobs");
  }
}

/// The traces of a call.
struct Traces {
  TrainTrace train;
  std::vector<PowerTrace> power;
  std::vector<std::string> warnings;
};

void note_repeated(const std::string& source, std::size_t repeated, Traces& traces) {
  if (repeated == 0) return;
  traces.warnings.push_back(
      fmt::format("{}: {} earlier rows; each counts as a measurement of its own", source,
                  repeated == 1 ? "a row repeats" : fmt::format("{} rows repeat", repeated)));
}

Traces read_traces(const ReplayCommand& options) {
  if (options.train.empty()) throw DataError("replay: name the train trace with --train FILE");
  if (options.power.empty()) throw DataError("replay: name a power trace with --power FILE");
  Traces traces{.train = read_train_trace(options.train), .power = {}, .warnings = {}};
  note_repeated(traces.train.source, traces.train.repeated, traces);
  std::set<std::string> names;
  for (const std::string& path : options.power) {
    traces.power.push_back(read_power_trace(path));
    const PowerTrace& power = traces.power.back();
    note_repeated(power.source, power.repeated, traces);
    if (!names.insert(power.name).second) {
      throw DataError(fmt::format("--power: two traces are called {}", power.name));
    }
  }
  return traces;
}

void refuse_to_replace(const ReplayCommand& options) {
  std::error_code error;
  std::vector<std::string> inputs = options.power;
  inputs.push_back(options.train);
  if (!options.jobs.empty()) inputs.push_back(options.jobs);
  for (const std::string& input : inputs) {
    if (!options.result.output.empty() &&
        std::filesystem::equivalent(input, options.result.output, error)) {
      throw DataError(
          fmt::format("{}: the output would replace this input", options.result.output));
    }
  }
}

RandomKind random_of(const ReplayCommand& options, RandomKind usual) {
  if (options.random.empty()) return usual;
  return options.random == "zeus" ? RandomKind::kZeus : RandomKind::kScalelaw;
}

ReplayReport report_of(const ReplayCommand& options, const Plan& plan, const Traces& traces,
                       const JobTrace& trace) {
  ReplayReport report;
  report.train = options.train;
  report.power = options.power.front();
  report.trace = &trace;
  report.settings.policy =
      policy_of(options, plan.policies.front(), plan.modes.front(), plan.etas.front());
  report.settings.beta = plan.betas.front();
  report.settings.recurrences = options.recurrences;
  report.settings.seed = plan.seeds.front();
  report.settings.random = random_of(options, RandomKind::kZeus);
  report.replay = replay_job(trace, report.settings);
  report.summary =
      replay_study(std::vector<StudyCase>{{&trace, report.settings}}, plan.seeds, 0.95, 1).front();
  report.uses = knob_uses(report.replay);
  report.lowest_run_cost = lowest_run_cost(report.replay);
  report.warnings = traces.warnings;
  return report;
}

int replay_once(const ReplayCommand& options, const Plan& plan, const Traces& traces,
                const GlobalOptions& global) {
  const std::string dataset = datasets_of(options).front();
  const bool cap = options.job.default_batch_size == 0;
  const JobTrace trace = join_traces(traces.train, traces.power.front(),
                                     wished_job(wish_of(options, dataset), traces.train), cap);
  Output output(options.result.output);
  const ReplayReport report = report_of(options, plan, traces, trace);
  if (report.replay.failure && report.replay.history.size() < 2) {
    throw DataError(*report.replay.failure);
  }
  write_replay(report, format_of(options.result), wants_colour(global.colour, output.is_terminal()),
               [&output](std::string_view text) { output.write(text); });
  output.commit();
  if (report.replay.failure) global.console().warn("ended early: " + *report.replay.failure);
  return report.replay.failure && options.strict ? kCheckFailed : kDone;
}

/// The rows of a study; traces that cannot be joined are rows with the reason.
struct StudyPlan {
  std::deque<JobTrace> traces;  ///< Cases point to them.
  std::vector<StudyRow> rows;
};

void add_cases(const ReplayCommand& options, const Plan& plan, const StudyRow& of_job,
               std::vector<StudyRow>& rows) {
  for (const BatchSizeRule rule : plan.policies) {
    for (const ReplayMode mode : plan.modes) {
      for (const double eta : plan.etas) {
        for (const double beta : plan.betas) {
          StudyRow row = of_job;
          row.settings.policy = policy_of(options, rule, mode, eta);
          row.settings.beta = beta;
          row.settings.recurrences = options.recurrences;
          row.settings.random = random_of(options, RandomKind::kScalelaw);
          rows.push_back(std::move(row));
        }
      }
    }
  }
}

StudyPlan study_plan(const ReplayCommand& options, const Plan& plan, const Traces& traces) {
  StudyPlan study;
  const bool cap = options.job.default_batch_size == 0;
  for (const std::string& dataset : datasets_of(options)) {
    const Job job = wished_job(wish_of(options, dataset), traces.train);
    for (const PowerTrace& power : traces.power) {
      StudyRow row;
      row.gpu = power.name;
      row.dataset = job.dataset;
      try {
        study.traces.push_back(join_traces(traces.train, power, job, cap));
        row.trace = &study.traces.back();
      } catch (const DataError& error) {
        row.result = std::string(error.what());
      }
      add_cases(options, plan, row, study.rows);
    }
  }
  return study;
}

void replay_cases(const ReplayCommand& options, const Plan& plan, int threads,
                  std::vector<StudyRow>& rows) {
  std::vector<StudyCase> cases;
  for (const StudyRow& row : rows) {
    if (row.trace != nullptr) cases.push_back({row.trace, row.settings});
  }
  auto summaries = replay_study(cases, plan.seeds, options.confidence, threads);
  std::size_t next = 0;
  for (StudyRow& row : rows) {
    if (row.trace != nullptr) row.result = std::move(summaries[next++]);
  }
}

/// Says what was left out; whether anything was.
bool say_what_failed(const std::vector<StudyRow>& rows, const Console& console) {
  std::size_t cases = 0;
  std::size_t seeds = 0;
  std::string reason;
  for (const StudyRow& row : rows) {
    const auto* summary = std::get_if<CaseSummary>(&row.result);
    cases += summary == nullptr || summary->failed == summary->seeds ? 1 : 0;
    seeds += summary == nullptr ? 0 : summary->failed;
    if (summary == nullptr && reason.empty()) reason = std::get<std::string>(row.result);
    if (summary != nullptr && reason.empty()) reason = summary->first_failure.value_or("");
  }
  if (cases == rows.size()) throw DataError(reason);
  if (cases > 0) {
    console.warn(
        fmt::format("{} of {} cases could not be replayed: {}", cases, rows.size(), reason));
  }
  if (seeds > 0) console.warn(fmt::format("{} replays ended early and are left out", seeds));
  return cases + seeds > 0;
}

int replay_many(const ReplayCommand& options, const Plan& plan, const Traces& traces,
                const GlobalOptions& global) {
  StudyPlan study = study_plan(options, plan, traces);
  Output output(options.result.output);
  replay_cases(options, plan, global.threads, study.rows);
  const bool failed = say_what_failed(study.rows, global.console());
  ReplayStudyReport report;
  report.train = options.train;
  report.power = options.power;
  report.random = random_of(options, RandomKind::kScalelaw);
  report.seeds = plan.seeds;
  report.confidence = options.confidence;
  report.curves = options.curves;
  report.rows = std::move(study.rows);
  report.warnings = traces.warnings;
  write_replay_study(report, format_of(options.result),
                     wants_colour(global.colour, output.is_terminal()),
                     [&output](std::string_view text) { output.write(text); });
  output.commit();
  return failed && options.strict ? kCheckFailed : kDone;
}

void refuse_lists_for_groups(const ReplayCommand& options, const Plan& plan, const Traces& traces) {
  if (!options.datasets.empty() || options.seeds != "1" || options.recurrences > 0) {
    throw DataError(
        "--jobs: the file tells datasets, recurrences and, by the groups' names, seeds; "
        "--dataset, --recurrences and --seed do not go with it");
  }
  if (plan.policies.size() * plan.modes.size() * plan.etas.size() * plan.betas.size() *
          traces.power.size() >
      1) {
    throw DataError("--jobs: replays one policy, mode, eta, beta and power trace at a time");
  }
}

ReplayGroupsReport groups_report(const ReplayCommand& options, const Plan& plan,
                                 const Traces& traces, int threads) {
  ReplayGroupsReport report;
  report.train = options.train;
  report.power = options.power.front();
  report.jobs = options.jobs;
  report.gpu = traces.power.front().name;
  report.settings.policy =
      policy_of(options, plan.policies.front(), plan.modes.front(), plan.etas.front());
  report.settings.beta = plan.betas.front();
  report.settings.random = random_of(options, RandomKind::kZeus);
  report.groups = replay_groups(traces.train, traces.power.front(), read_job_groups(options.jobs),
                                wish_of(options, ""), report.settings, threads);
  report.totals = totals_by_dataset(report.groups);
  report.warnings = traces.warnings;
  return report;
}

std::string failure_of(const GroupReplay& group) {
  return fmt::format("group {}: {}", group.group.name,
                     group.failure.empty() ? group.replay.failure.value_or("") : group.failure);
}

int replay_cluster(const ReplayCommand& options, const Plan& plan, const Traces& traces,
                   const GlobalOptions& global) {
  refuse_lists_for_groups(options, plan, traces);
  Output output(options.result.output);
  const ReplayGroupsReport report = groups_report(options, plan, traces, global.threads);
  std::size_t failed = 0;
  std::size_t groups = 0;
  for (const DatasetTotals& totals : report.totals) {
    failed += totals.failed;
    groups += totals.groups;
  }
  if (failed == groups) throw DataError(failure_of(report.groups.front()));
  if (failed > 0) {
    global.console().warn(fmt::format("{} of {} groups could not be replayed", failed, groups));
  }
  write_replay_groups(report, format_of(options.result),
                      wants_colour(global.colour, output.is_terminal()),
                      [&output](std::string_view text) { output.write(text); });
  output.commit();
  return failed > 0 && options.strict ? kCheckFailed : kDone;
}

int run_replay(const ReplayCommand& options, const GlobalOptions& global) {
  const Plan plan = plan_of(options);
  check_limits(options);
  const std::size_t datasets = datasets_of(options).size();
  refuse_one_job_for_many(options, datasets);
  refuse_to_replace(options);
  const Traces traces = read_traces(options);
  for (const std::string& warning : traces.warnings) global.console().warn(warning);
  if (!options.jobs.empty()) return replay_cluster(options, plan, traces, global);
  const bool one = datasets == 1 && traces.power.size() == 1 && plan.policies.size() == 1 &&
                   plan.modes.size() == 1 && plan.etas.size() == 1 && plan.betas.size() == 1 &&
                   plan.seeds.size() == 1 && !options.curves;
  return one ? replay_once(options, plan, traces, global)
             : replay_many(options, plan, traces, global);
}

void add_trace_options(CLI::App& replay, ReplayCommand& options) {
  replay
      .add_option("--train", options.train,
                  "Train trace: dataset, network, batch_size, optimizer, target_metric, "
                  "target_epoch of every training run")
      ->type_name("FILE")
      ->group("Traces");
  replay
      .add_option("--power", options.power,
                  "Power trace of a GPU: power_limit, time_per_epoch, average_power of every "
                  "batch size; several for a study of GPUs")
      ->type_name("FILE")
      ->delimiter(',')
      ->group("Traces");
  replay
      .add_option("--jobs", options.jobs,
                  "Submissions of recurring jobs that may overlap: group, start_time, end_time, "
                  "dataset, runtime_ratio")
      ->type_name("FILE")
      ->group("Traces");
}

void add_job_options(CLI::App& replay, ReplayCommand& options) {
  replay
      .add_option("--dataset", options.datasets,
                  "What is trained; several, or all for the six published jobs; librispeech where "
                  "the trace has it")
      ->type_name("NAME,NAME")
      ->group("Job");
  replay.add_option("--model", options.job.network, "Network; without it the published one")
      ->type_name("NAME")
      ->group("Job");
  replay.add_option("--optimizer", options.job.optimizer, "Without it the published one")
      ->type_name("NAME")
      ->group("Job");
  replay
      .add_option("--target-metric", options.target_metric,
                  "Target as the train trace writes it; without it the published one")
      ->type_name("VALUE")
      ->group("Job");
  replay
      .add_option("--max-epochs", options.job.max_epochs,
                  "Epochs of a run at most; without it as published")
      ->transform(whole_number(1, 1'000'000'000))
      ->type_name("N")
      ->group("Job");
  replay
      .add_option("--b0", options.job.default_batch_size,
                  "Default batch size; without it the published one, at most the largest of the "
                  "traces")
      ->transform(whole_number(1, 1'000'000'000'000))
      ->type_name("SIZE")
      ->group("Job");
}

void add_policy_options(CLI::App& replay, ReplayCommand& options) {
  replay
      .add_option("--policy", options.policies,
                  "Chooses batch sizes: zeus, default, grid, oracle, thompson, ucb, corrected")
      ->type_name("NAME,NAME")
      ->capture_default_str()
      ->group("Policy");
  replay
      .add_option("--power-policy", options.power_policy,
                  "Chooses power limits: zeus, maximum, fixed, oracle; without it what goes with "
                  "the policy")
      ->type_name("NAME")
      ->group("Policy");
  replay.add_option("--limit", options.limit_w, "The fixed power limit")
      ->type_name("W")
      ->check(positive())
      ->group("Policy");
  replay
      .add_option("--mode", options.modes,
                  "paper, as published, or corrected, which mends its weak points")
      ->type_name("NAME,NAME")
      ->capture_default_str()
      ->group("Policy");
  add_count(replay, "--window", options.window, 0,
            "Latest costs of a batch size that count; 0 for all")
      ->type_name("N")
      ->group("Policy");
}

void add_simulation_options(CLI::App& replay, ReplayCommand& options) {
  replay.add_option("--eta", options.etas, "Weight of energy against time, 0 to 1")
      ->type_name("LIST")
      ->capture_default_str()
      ->group("Simulation");
  replay
      .add_option("--beta", options.betas,
                  "A run stops before it costs more than beta times the least cost; inf for never")
      ->type_name("LIST")
      ->capture_default_str()
      ->group("Simulation");
  add_count(replay, "--recurrences", options.recurrences, 0,
            "How often the job recurs; 0 for twice its batch sizes times its limits")
      ->type_name("T")
      ->group("Simulation");
  replay.add_option("--seed", options.seeds, "Seed, or several for a study: 1..100 or 1,2,5")
      ->type_name("LIST")
      ->capture_default_str()
      ->group("Simulation");
  add_choice(replay, "--random", options.random, kRandoms,
             "Random numbers: of the published simulator, or our own; without it zeus for one "
             "replay, scalelaw for a study")
      ->group("Simulation");
}

}  // namespace

Command add_replay_command(CLI::App& program) {
  auto options = std::make_shared<ReplayCommand>();
  CLI::App* replay = program.add_subcommand(
      "replay", "Replay recurring training jobs under Zeus and other policies");
  replay->footer(kExamples);
  add_trace_options(*replay, *options);
  add_job_options(*replay, *options);
  add_policy_options(*replay, *options);
  add_simulation_options(*replay, *options);
  replay->add_option("--confidence", options->confidence, "Of the intervals over seeds")
      ->type_name("LEVEL")
      ->check(number_between(0, 1))
      ->capture_default_str()
      ->group("Result");
  replay
      ->add_flag("--curves", options->curves,
                 "JSON of a study has the means after every recurrence, for figures")
      ->group("Result");
  add_result_options(*replay, options->result);
  replay->add_flag("--strict", options->strict, "Exit with 1 if a replay ended early")
      ->group("Result");
  return {replay, [options](const GlobalOptions& global) { return run_replay(*options, global); }};
}

}  // namespace scalelaw::cli
