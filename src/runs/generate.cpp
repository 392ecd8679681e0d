#include "scalelaw/runs/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "base/errors.hpp"
#include "input/folder_reader.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/table_rows.hpp"

namespace scalelaw {
namespace {

/// The places of the columns of one utilisation.
struct UtilisationPlaces {
  std::size_t percent;
  std::optional<std::size_t> beta;
  std::size_t variation;
  std::optional<std::size_t> variation_beta;
};

/// The places of the columns of a law table.
struct LawColumns {
  std::size_t alpha;
  std::size_t beta;
  std::optional<std::size_t> gamma;
  std::optional<std::size_t> power;
  std::optional<std::size_t> power_beta;
  std::optional<UtilisationPlaces> sm;
  std::optional<UtilisationPlaces> memory;  ///< Set if sm is.
  std::vector<std::size_t> group;
};

LawColumns law_columns(const Header& header, std::string_view source) {
  std::vector<bool> is_group(header.names.size(), true);
  const auto find = [&](std::string_view name) {
    const auto place = find_column(header, name, source);
    if (place) is_group[*place] = false;
    return place;
  };
  const auto need = [&](std::string_view name) {
    if (const auto place = find(name)) return *place;
    throw data_error("{}: there is no column '{}'; columns are: {}", source, name,
                     joined(header.names));
  };
  const auto utilisation = [&](const std::string& part) {
    return UtilisationPlaces{.percent = need(part + "_pct"),
                             .beta = find(part + "_beta"),
                             .variation = need(part + "_cv"),
                             .variation_beta = find(part + "_cv_beta")};
  };
  LawColumns columns{.alpha = need("alpha"),
                     .beta = need("beta"),
                     .gamma = find("gamma"),
                     .power = find("power_w"),
                     .power_beta = find("power_beta"),
                     .sm = {},
                     .memory = {},
                     .group = {}};
  if (find("sm_pct") || find("sm_cv") || find("mem_pct") || find("mem_cv")) {
    columns.sm = utilisation("sm");
    columns.memory = utilisation("mem");
  }
  for (std::size_t i = 0; i < is_group.size(); ++i) {
    if (is_group[i]) columns.group.push_back(i);
  }
  return columns;
}

/// The current row of a law table, for its numbers and for messages.
struct LawRow {
  const TableRows& rows;

  double number(std::size_t column) const {
    if (const auto value = parse_number(trimmed(rows.fields()[column]))) return *value;
    fail(column, "a number");
  }
  [[noreturn]] void fail(std::size_t column, std::string_view expected) const {
    throw parse_error(rows.source(), rows.line(), "field {} '{}': expected {}, found \"{}\"",
                      column + 1, rows.header().names[column], expected, rows.fields()[column]);
  }
};

UtilisationLaw utilisation_in(const LawRow& row, const UtilisationPlaces& columns) {
  UtilisationLaw law{.percent = row.number(columns.percent),
                     .variation = row.number(columns.variation)};
  if (!(law.percent > 0 && law.percent <= 100)) {
    row.fail(columns.percent, "a number > 0 and at most 100");
  }
  if (!(law.variation > 0)) row.fail(columns.variation, "a number > 0");
  if (columns.beta) law.beta = row.number(*columns.beta);
  if (columns.variation_beta) law.variation_beta = row.number(*columns.variation_beta);
  return law;
}

GroupLaw law_in(const LawRow& row, const LawColumns& columns) {
  GroupLaw law{.group = {}, .alpha = row.number(columns.alpha), .beta = row.number(columns.beta)};
  if (!(law.alpha > 0)) row.fail(columns.alpha, "a number > 0");
  if (columns.gamma) law.gamma = row.number(*columns.gamma);
  if (law.gamma < 0) row.fail(*columns.gamma, "a number >= 0");
  if (columns.power) {
    law.power_watts = row.number(*columns.power);
    if (!(*law.power_watts > 0)) row.fail(*columns.power, "a number > 0");
  }
  if (columns.power_beta) law.power_beta = row.number(*columns.power_beta);
  if (columns.sm) {
    law.utilisation = {utilisation_in(row, *columns.sm), utilisation_in(row, *columns.memory)};
  }
  for (const std::size_t column : columns.group) law.group.push_back(row.rows.fields()[column]);
  return law;
}

LawTable laws_of(TableRows& rows) {
  const LawColumns columns = law_columns(rows.header(), rows.source());
  LawTable table;
  for (const std::size_t column : columns.group) table.by.push_back(rows.header().names[column]);
  while (rows.next()) table.laws.push_back(law_in(LawRow{rows}, columns));
  if (table.laws.empty()) {
    throw data_error("{}: there is no law below the header", rows.source());
  }
  return table;
}

constexpr double kSmallNoise = 0.2;  ///< Noise of power and utilisation over that of times.

/// The random stream of one quantity of a law at one N.
RandomStream stream_of(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan,
                       const std::string& quantity) {
  return RandomStream(plan.seed, stable_hash(joined(law.group, "\x1f") + quantity), gpus);
}

/// Appends mean and variation of one part of the GPUs for the next replicate.
void append_utilisation(std::string& out, const UtilisationLaw& law, std::uint64_t gpus,
                        double noise, RandomStream& random) {
  const auto drawn = [&](double at_one, double beta) {
    return at_one * std::pow(static_cast<double>(gpus), -beta) * std::exp(noise * random.normal());
  };
  const double percent = std::min(100.0, drawn(law.percent, law.beta));
  const double greatest = std::sqrt((100 - percent) / percent);
  const double variation = std::min(greatest, drawn(law.variation, law.variation_beta));
  out += fmt::format(",{:.4g},{:.4g}", percent, variation);
}

void append_group(std::string& out, const GroupKey& group) {
  for (const std::string& value : group) {
    append_delimited(out, value, ',');
    out += ',';
  }
}

/// The runs of one group at one N.
std::string replicates_of(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan) {
  const auto n = static_cast<double>(gpus);
  const double noise = kSmallNoise * plan.noise;
  const double mean_watts = law.power_watts.value_or(0) * std::pow(n, -law.power_beta);
  EpochSeconds epoch_seconds(law, gpus, plan);
  RandomStream of_power = stream_of(law, gpus, plan, "\x1fpower");
  RandomStream of_utilisation = stream_of(law, gpus, plan, "\x1futilisation");
  std::string text;
  for (std::uint32_t replicate = 1; replicate <= plan.replicates; ++replicate) {
    append_group(text, law.group);
    const double seconds = epoch_seconds();
    text += fmt::format("{},{},{:.7g}", gpus, replicate, seconds);
    if (law.power_watts) {
      const double watts = mean_watts * std::exp(noise * of_power.normal());
      text += fmt::format(",{:.7g},{:.7g}", watts, watts * (n * seconds));
    }
    if (law.utilisation) {
      append_utilisation(text, law.utilisation->sm, gpus, noise, of_utilisation);
      append_utilisation(text, law.utilisation->memory, gpus, noise, of_utilisation);
    }
    text += '\n';
  }
  return text;
}

constexpr double kFlopPerParameterAndToken = 6;  // Kaplan et al. 2020.

/// The number of parameters with the least loss at parameters * tokens = product (Hoffmann et al.
/// 2022, eq. 4).
double best_parameters(const std::array<double, 5>& law, double product) {
  const auto& [floor, a, b, alpha, beta] = law;
  return std::pow(alpha * a / (beta * b) * std::pow(product, beta), 1 / (alpha + beta));
}

double loss_at(const std::array<double, 5>& law, double parameters, double tokens) {
  const auto& [floor, a, b, alpha, beta] = law;
  return floor + a * std::pow(parameters, -alpha) + b * std::pow(tokens, -beta);
}

double to_digits(double value, int digits) {
  return *parse_number(fmt::format("{:.{}e}", value, digits - 1));
}

/// The place of a size among those of its budget, from -1 to 1.
double place_of(std::uint32_t size, std::uint32_t sizes) {
  return sizes == 1 ? 0 : 2.0 * size / (sizes - 1) - 1;
}

std::string runs_at(double budget, const LossPlan& plan) {
  const double product = budget / kFlopPerParameterAndToken;
  const double best = best_parameters(plan.law, product);
  RandomStream random(plan.seed, stable_hash(fmt::format("{}", budget)));
  std::string text;
  for (std::uint32_t size = 0; size < plan.sizes; ++size) {
    const double parameters = to_digits(best * std::pow(plan.reach, place_of(size, plan.sizes)), 4);
    const double tokens = to_digits(product / parameters, 6);
    for (std::uint32_t replicate = 0; replicate < plan.replicates; ++replicate) {
      const double loss =
          loss_at(plan.law, parameters, tokens) * std::exp(plan.noise * random.normal());
      text += fmt::format("{:.0f},{:.0f},{:.6g}\n", parameters, tokens, loss);
    }
  }
  return text;
}

}  // namespace

LawTable parse_law_table(std::string_view csv, std::string_view source) {
  TableRows rows(csv, source);
  return laws_of(rows);
}

LawTable read_law_table(const std::string& path) {
  TableRows rows(path);
  return laws_of(rows);
}

EpochSeconds::EpochSeconds(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan)
    : random_(stream_of(law, gpus, plan, "")),
      curve_(law.alpha * std::pow(static_cast<double>(gpus), -law.beta) + law.gamma),
      noise_(plan.noise) {}

double EpochSeconds::operator()() { return curve_ * std::exp(noise_ * random_.normal()); }

void generate_runs(const LawTable& laws, const StudyPlan& plan,
                   const std::function<void(std::string_view)>& sink) {
  const GroupLaw& first = laws.laws.front();  // All laws have the columns of the first.
  std::string header;
  append_group(header, laws.by);
  header += "gpus,replicate,epoch_seconds";
  if (first.power_watts) header += ",power_mean_w,energy_per_epoch_j";
  if (first.utilisation) header += ",sm_util_mean_pct,sm_util_cv,mem_util_mean_pct,mem_util_cv";
  sink(header + "\n");
  for (const GroupLaw& law : laws.laws) {
    for (const std::uint64_t gpus : plan.gpus) sink(replicates_of(law, gpus, plan));
  }
}

void generate_losses(const LossPlan& plan, const std::function<void(std::string_view)>& sink) {
  sink("parameters,tokens,loss\n");
  for (const double budget : plan.budgets) sink(runs_at(budget, plan));
}

namespace {

// A trace tree like MIT SuperCloud's, to try the way from raw samples to a report.

constexpr std::uint64_t kMostGpus = 16;
constexpr std::uint64_t kGpusPerNode = 2;
constexpr int kEpochs = 3;
constexpr double kSamplesPerGpu = 150;
constexpr double kShortestStepSeconds = 0.1;
constexpr double kFirstStart = 1612137600;  // 2021-02-01, the time of the real data set.
constexpr int kMemoryMib = 32510;           // Free on an idle 32 GB V100.
constexpr double kIdleWatts = 42;
constexpr double kFullClockMhz = 1380;

constexpr std::string_view kTraceHeader =
    "timestamp,gpu_index,utilization_gpu_pct,utilization_memory_pct,memory_free_MiB,memory_used_"
    "MiB,temperature_gpu,temperature_memory,power_draw_W,pcie_link_width_current\n";

struct Job {
  const GroupLaw* law;
  std::uint64_t gpus;
  std::uint64_t id;
  double epoch_seconds;
  double start;
  double power_cap_watts = 250;
  double clock_mhz = kFullClockMhz;

  double duration() const { return kEpochs * epoch_seconds; }
};

/// One sample of one GPU.
struct Sample {
  double sm_percent;
  double memory_percent;
  double watts;
};

/// Two seeds give different jobs, even if their trees are read together.
std::uint64_t job_hash(const GroupLaw& law, std::uint64_t gpus, std::uint64_t seed) {
  const std::string of_seed = seed == StudyPlan().seed ? "" : fmt::format("\x1f{}", seed);
  return stable_hash(fmt::format("{}\x1f{}", joined(law.group, "\x1f"), gpus) + of_seed);
}

double first_start(std::uint64_t seed) {
  constexpr std::uint64_t kWeeks = 500;
  const std::uint64_t weeks = (seed - StudyPlan().seed) % kWeeks;
  return kFirstStart + static_cast<double>(weeks) * 7 * 86400;
}

/// The number in a group column, or `standard` without such a column.
double setting(const LawTable& laws, const GroupLaw& law, std::string_view column,
               double standard) {
  for (std::size_t i = 0; i < laws.by.size(); ++i) {
    if (laws.by[i] == column) return parse_number(law.group[i]).value_or(standard);
  }
  return standard;
}

/// Milliseconds, as times are written: the epochs must add up to the times of the job.
double to_milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

std::vector<Job> plan_jobs(const LawTable& laws, const StudyPlan& plan, std::size_t most_jobs) {
  std::vector<Job> jobs;
  double start = first_start(plan.seed);
  for (const GroupLaw& law : laws.laws) {
    for (const std::uint64_t gpus : plan.gpus) {
      if (gpus > kMostGpus || jobs.size() >= most_jobs) continue;
      const std::uint64_t hash = job_hash(law, gpus, plan.seed);
      jobs.push_back({.law = &law,
                      .gpus = gpus,
                      .id = 10'000'000'000'000 + hash % 90'000'000'000'000,  // 14 digits.
                      .epoch_seconds = to_milliseconds(EpochSeconds(law, gpus, plan)()),
                      .start = start,
                      .power_cap_watts = setting(laws, law, "power_cap_w", 250),
                      .clock_mhz = setting(laws, law, "clock_mhz", kFullClockMhz)});
      start += std::ceil(jobs.back().duration()) + 60;
    }
  }
  return jobs;
}

/// A sample that is busy during an epoch and nearly idle in its last twentieth (validation and data
/// loading). More GPUs wait more.
Sample sample_at(double seconds, const Job& job, RandomStream& random) {
  const double in_epoch = std::fmod(seconds, job.epoch_seconds) / job.epoch_seconds;
  const bool pauses = in_epoch > 0.95;
  const double busy = 97 - 5 * std::log2(static_cast<double>(job.gpus)) / 2;
  const double sm = std::clamp((pauses ? 6 : busy) + 2 * random.normal(), 0.0, 100.0);
  const double speed = std::clamp(job.clock_mhz / kFullClockMhz, 0.05, 1.0);
  const double full_watts = kIdleWatts + (250 - kIdleWatts) * (0.25 + 0.75 * speed);
  const double draw =
      kIdleWatts + (std::min(full_watts, job.power_cap_watts) - kIdleWatts) * sm / 100;
  return {.sm_percent = sm,
          .memory_percent = std::clamp(0.45 * sm + random.normal(), 0.0, 100.0),
          .watts = std::clamp(draw + 2 * random.normal(), 20.0, job.power_cap_watts + 1)};
}

void append_sample(std::string& out, double time, std::uint64_t gpu, const Sample& sample,
                   int memory_used) {
  const int temperature = 32 + static_cast<int>(sample.watts / 8);
  out += fmt::format("{:.3f},{},{:.0f},{:.0f},{},{},{},{},{:.2f},16\n", time, gpu,
                     sample.sm_percent, sample.memory_percent, kMemoryMib - memory_used,
                     memory_used, temperature, temperature + 1, sample.watts);
}

double step_of(const Job& job) {
  const double tenths = std::ceil(job.duration() / kSamplesPerGpu / kShortestStepSeconds);
  return std::max(1.0, tenths) * kShortestStepSeconds;
}

std::string node_trace(const Job& job, std::uint64_t node, std::uint64_t seed) {
  std::string out(kTraceHeader);
  const std::uint64_t gpus_here = std::min(kGpusPerNode, job.gpus - node * kGpusPerNode);
  RandomStream random(seed, job.id, node);
  const int memory_used = 8000 + static_cast<int>(random.below(12000));
  const double step = step_of(job);
  const auto samples = static_cast<int>(job.duration() / step) + 1;
  for (int i = 0; i < samples; ++i) {
    const double seconds = i * step;
    for (std::uint64_t gpu = 0; gpu < gpus_here; ++gpu) {
      append_sample(out, job.start + seconds, gpu, sample_at(seconds, job, random), memory_used);
    }
  }
  return out;
}

std::string node_name(const Job& job, std::uint64_t node) {
  const std::uint64_t hash = mix64(job.id + node);
  return fmt::format("r{}-n{}", 1'000'000 + hash % 9'000'000, 100'000 + (hash >> 32) % 900'000);
}

/// Folders and files that a call makes. They are removed again unless it keeps them, which takes
/// no memory.
class NewTree {
 public:
  NewTree() = default;
  NewTree(const NewTree&) = delete;
  NewTree& operator=(const NewTree&) = delete;
  ~NewTree() {
    std::for_each(made_.rbegin(), made_.rend(),
                  [](const std::string& path) { std::remove(path.c_str()); });
  }

  /// Makes a folder, and those that lead to it.
  void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
    make_folder(folder.parent_path());
    made_.push_back(folder.string());
    if (std::filesystem::create_directory(folder, error)) return;
    made_.pop_back();
    if (std::filesystem::is_directory(folder)) return;
    throw data_error("cannot make the folder {}: {}", folder.string(),
                     error ? error.message() : "a file has that name");
  }
  void write_file(const std::filesystem::path& path, std::string_view text) {
    made_.push_back(path.string());
    write_output(made_.back(), text);
  }
  void keep() { made_.clear(); }

 private:
  std::vector<std::string> made_;  ///< What lies in a folder after that folder.
};

void write_job(const Job& job, const std::filesystem::path& folder, std::uint64_t seed,
               NewTree& tree) {
  const std::filesystem::path part = folder / "gpu" / fmt::format("{:04}", job.id % 100);
  tree.make_folder(part);
  const std::uint64_t nodes = (job.gpus + kGpusPerNode - 1) / kGpusPerNode;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    tree.write_file(part / fmt::format("{}-{}.csv", job.id, node_name(job, node)),
                    node_trace(job, node, seed));
  }
}

std::string job_table(const std::vector<Job>& jobs, const LawTable& laws) {
  std::string out = "job_id,";
  const auto append_group = [&out](const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      append_delimited(out, value, ',');
      out += ',';
    }
  };
  append_group(laws.by);
  out += "gpus,epochs,start_time,end_time\n";
  for (const Job& job : jobs) {
    out += fmt::format("{},", job.id);
    append_group(job.law->group);
    out += fmt::format("{},{},{:.3f},{:.3f}\n", job.gpus, kEpochs, job.start,
                       job.start + job.duration());
  }
  return out;
}

/// Requires an empty folder, since the trees of several calls would mix jobs of different seeds.
void make_empty_folder(const std::filesystem::path& folder, NewTree& tree) {
  tree.make_folder(folder);
  if (FolderReader(folder).next()) {
    throw data_error("the folder {} is not empty", folder.string());
  }
}

}  // namespace

std::size_t generate_traces(const LawTable& laws, const StudyPlan& plan, const std::string& folder,
                            std::size_t most_jobs) {
  const std::vector<Job> jobs = plan_jobs(laws, plan, most_jobs);
  if (jobs.empty()) {
    throw data_error("no job to trace: no number of GPUs is {} or less", kMostGpus);
  }
  NewTree tree;
  make_empty_folder(folder, tree);
  for (const Job& job : jobs) write_job(job, folder, plan.seed, tree);
  tree.write_file(std::filesystem::path(folder) / "jobs.csv", job_table(jobs, laws));
  tree.keep();
  return jobs.size();
}

}  // namespace scalelaw
