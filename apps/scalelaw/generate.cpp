#include "scalelaw/runs/generate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "delivery.hpp"
#include "demo_laws.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/replay/groups.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kGenerateExamples = R"(  scalelaw generate --seed 2022 -o /tmp/runs.csv
      Writes the demo study: its exponents are published, its seconds are made up with 5 % noise.
  scalelaw generate --laws data/demo/laws.csv --gpus 1,2,4,8 --noise 0 --replicates 1
      Writes the times that the laws of a file give, without noise.
  scalelaw generate --traces /tmp/scalelaw-traces --jobs 8
      Writes GPU samples of eight jobs in the format of MIT SuperCloud, with their jobs.csv.
  scalelaw generate --submissions /tmp/submissions.csv --groups 30
      Writes when 30 recurring jobs are submitted, for replay --jobs.
  scalelaw generate --loss -o /tmp/losses.csv
      Writes losses of models trained at seven compute budgets, for isoflop and --law chinchilla.
)";

struct GenerateCommand {
  std::string laws;
  StudyPlan plan;
  std::string output;
  std::string traces;
  std::size_t jobs = 24;
  std::string submissions;
  GroupFilePlan groups;
  bool is_loss = false;
  LossPlan losses;
};

std::vector<std::uint64_t> gpus_of(const std::string& option, const std::string& list) {
  std::vector<std::uint64_t> gpus;
  for (const std::string& word : split(list, ',')) {
    const auto count = whole_number_in(word);
    if (!count || *count == 0) {
      throw DataError(fmt::format("{}: expected whole numbers from 1, found \"{}\"", option, word));
    }
    if (contains(gpus, *count)) {
      throw DataError(
          fmt::format("{}: {} appears twice; use --replicates for several runs", option, *count));
    }
    gpus.push_back(*count);
  }
  if (gpus.empty()) throw DataError(option + ": name at least one number of GPUs");
  return gpus;
}

std::vector<double> positive_numbers(const std::string& option, const std::string& list) {
  std::vector<double> numbers;
  for (const std::string& word : split(list, ',')) {
    const auto number = parse_number(trimmed(word));
    if (!number || !(*number > 0) || !std::isfinite(*number)) {
      throw DataError(fmt::format("{}: expected numbers above 0, found \"{}\"", option, word));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::array<double, 5> loss_law_in(const std::string& option, const std::string& list) {
  const std::vector<std::string> words = split(list, ',');
  std::array<double, 5> law{};
  for (std::size_t i = 0; i < words.size() && words.size() == law.size(); ++i) {
    const auto number = parse_number(trimmed(words[i]));
    if (!number || !std::isfinite(*number) || !(*number > 0 || (i == 0 && *number == 0))) break;
    law[i] = *number;
    if (i + 1 == law.size()) return law;
  }
  throw DataError(
      fmt::format("{}: expected E,A,B,alpha,beta, five numbers above 0 (E from 0 on), found \"{}\"",
                  option, list));
}

/// Opens an output and calls `make` with its sink; with an empty one if nobody asked for it.
void with_output(bool is_wanted, const std::string& output, const GlobalOptions& global,
                 const std::function<void(const TextSink&)>& make) {
  if (!is_wanted) return make({});
  deliver({.formats = {}, .output = output}, global, [&make](const Delivery& delivery) {
    make(delivery.sink);
    return Lacks{};
  });
}

/// A file of recurring jobs for `scalelaw replay --jobs`.
std::string submissions_of(const GenerateCommand& options) {
  GroupFilePlan plan = options.groups;
  plan.seed = options.plan.seed;
  return generated_groups(plan);
}

void write_traces(const LawTable& laws, const GenerateCommand& options,
                  const GlobalOptions& global) {
  const std::size_t jobs = generate_traces(laws, options.plan, options.traces, options.jobs);
  global.console().note(fmt::format("{}: traces of {} jobs, and jobs.csv", options.traces, jobs));
}

/// Writes what was asked for: the run table, submissions and traces. No file is replaced before all
/// others can be written.
void write_study(const GenerateCommand& options, const GlobalOptions& global) {
  const LawTable laws = options.laws.empty() ? parse_law_table(kDemoLaws, "the demo study's laws")
                                             : read_law_table(options.laws);
  const bool wants_traces = !options.traces.empty();
  const bool wants_submissions = !options.submissions.empty();
  // Asked for something else only, nobody wants the table on the screen.
  const bool wants_runs = !options.output.empty() || !(wants_traces || wants_submissions);
  with_output(wants_submissions, options.submissions, global, [&](const TextSink& submissions) {
    with_output(wants_runs, options.output, global, [&](const TextSink& runs) {
      if (submissions) submissions(submissions_of(options));
      if (runs) generate_runs(laws, options.plan, runs);
      if (wants_traces) write_traces(laws, options, global);
    });
  });
}

/// What is meant for times has another default where losses are made up.
LossPlan loss_plan(const GenerateCommand& options, const Options& given) {
  LossPlan plan = options.losses;
  plan.seed = options.plan.seed;
  if (given.given("--noise")) plan.noise = options.plan.noise;
  if (given.given("--replicates")) plan.replicates = options.plan.replicates;
  return plan;
}

int run_generate(const GenerateCommand& options, const Options& given,
                 const GlobalOptions& global) {
  if (options.is_loss) {
    return deliver({.formats = {}, .output = options.output}, global,
                   [&](const Delivery& delivery) {
                     generate_losses(loss_plan(options, given), delivery.sink);
                     return Lacks{};
                   });
  }
  write_study(options, global);
  return kDone;
}

void add_study_options(Options& generate, GenerateCommand& options) {
  generate.group("Study");
  generate.text("--laws", options.laws, "FILE",
                "CSV with the columns alpha, beta, gamma (optional) and those of the groups. "
                "Default: the laws of the demo study");
  generate.parsed("--gpus", options.plan.gpus, gpus_of, "LIST",
                  "Numbers of GPUs (N) at which runs are made up",
                  fmt::format("{}", fmt::join(options.plan.gpus, ",")));
  generate.number("--noise", options.plan.noise, not_negative(), "SD",
                  "Scatter of the times as a share: t = (alpha N^-beta + gamma) exp(noise z), "
                  "where z is standard normal; of losses 0.002 if it is not given");
  generate.count("--replicates", options.plan.replicates, 1, "R",
                 "Number of runs at each number of GPUs; at each size of a budget 1 if it is not "
                 "given");
  generate.count("--seed", options.plan.seed, 0, "S",
                 "Seed of the random numbers; the same seed gives the same result");
  generate.text("-o,--output", options.output, "FILE",
                "Write the run table to this file instead of standard output");
}

void add_trace_options(Options& generate, GenerateCommand& options) {
  generate.group("Traces");
  generate.text(
      "--traces", options.traces, "FOLDER",
      "Write GPU samples to this new folder instead of runs: gpu/00NN/<job>-<node>.csv as in MIT "
      "SuperCloud, and jobs.csv with the times. Each job is one group at one N up to 16, with two "
      "GPUs per node and about 150 samples per GPU. -o writes the run table as well");
  generate.count("--jobs", options.jobs, 1, "N", "Greatest number of jobs with samples");
}

void add_submission_options(Options& generate, GenerateCommand& options) {
  generate.group("Submissions");
  generate.text(
      "--submissions", options.submissions, "FILE",
      "Write when recurring jobs are submitted instead of runs, for replay --jobs, with the "
      "columns group, start_time, end_time, dataset, runtime_ratio. - means standard output");
  generate.count("--groups", options.groups.groups, 1, "N", "Number of recurring jobs");
  generate.count("--recurrences", options.groups.submissions, 2, "N",
                 "Mean number of submissions per job");
  generate.number("--load", options.groups.load, positive(), "RATIO",
                  "Mean run time divided by the mean time between submissions of a job; near 0 "
                  "they do not overlap");
}

void add_loss_options(Options& generate, GenerateCommand& options) {
  generate.group("Losses");
  generate
      .flag("--loss", options.is_loss,
            "Write training runs at compute budgets instead, with the columns parameters, tokens "
            "and loss: loss = (E + A / parameters^alpha + B / tokens^beta) exp(noise z)")
      .excludes({"--laws", "--gpus", "--traces", "--submissions"},
                "{1} is about times, and {0} makes up losses: leave out one of them");
  generate.parsed("--loss-law", options.losses.law, loss_law_in, "E,A,B,ALPHA,BETA",
                  "The law of the losses. Default: what Hoffmann et al. (2022) printed",
                  fmt::format("{}", fmt::join(options.losses.law, ",")));
  generate.parsed("--budgets", options.losses.budgets, positive_numbers, "LIST",
                  "Computes of the runs in FLOP; a run takes 6 parameters times tokens",
                  fmt::format("{}", fmt::join(options.losses.budgets, ",")));
  generate.count("--sizes", options.losses.sizes, 1, "N", "Number of models at each budget");
  generate.number(
      "--reach", options.losses.reach, number_between(1, 1e6), "X",
      "The sizes of a budget go from the best one divided by X to the best one times X");
}

}  // namespace

Command add_generate_command(Program& program) {
  auto options = std::make_shared<GenerateCommand>();
  Options generate = program.add_command(
      "generate", "Write a made-up study whose exponents are known", kGenerateExamples);
  add_study_options(generate, *options);
  add_trace_options(generate, *options);
  add_submission_options(generate, *options);
  add_loss_options(generate, *options);
  return {generate, [options, generate](const GlobalOptions& global) {
            return run_generate(*options, generate, global);
          }};
}

}  // namespace scalelaw::cli
