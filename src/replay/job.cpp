#include "scalelaw/replay/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

bool is_of(const Job& job, const TraceKey& key) {
  return key.dataset == job.dataset && key.network == job.network && key.optimizer == job.optimizer;
}

std::string name_of(const Job& job) {
  return fmt::format("{}, {}, {}", job.dataset, job.network, job.optimizer);
}

/// The distinct texts of the rows of a job, sorted, for messages.
template <class Rows, class Text>
std::vector<std::string> different(const Rows& rows, Text text) {
  std::set<std::string> seen;
  for (const auto& row : rows) {
    if (const auto name = text(row)) seen.insert(*name);
  }
  std::vector<std::string> names(seen.begin(), seen.end());
  std::ranges::sort(names, natural_less);
  return names;
}

template <class Rows, class Text>
std::string choices(const Rows& rows, Text text) {
  return joined(different(rows, text));
}

std::optional<std::string> dataset_of(const TrainRow& row) { return row.key.dataset; }

std::string wished_dataset(const JobWish& wish, const TrainTrace& train) {
  if (!wish.dataset.empty()) return wish.dataset;
  const auto is_published = [](const TrainRow& row) { return row.key.dataset == "librispeech"; };
  if (std::ranges::any_of(train.rows, is_published)) return "librispeech";
  const auto others = [&](const TrainRow& row) {
    return row.key.dataset != train.rows.front().key.dataset;
  };
  if (std::ranges::none_of(train.rows, others)) {
    return train.rows.front().key.dataset;
  }
  throw DataError(fmt::format("{}: it has several datasets: name one with --dataset: {}",
                              train.source, choices(train.rows, dataset_of)));
}

/// The only value that the dataset's rows have for a text.
std::string only_choice(const TrainTrace& train, const std::string& dataset,
                        std::string TraceKey::*text, std::string_view option) {
  const auto found = different(train.rows, [&](const TrainRow& row) -> std::optional<std::string> {
    if (row.key.dataset != dataset) return std::nullopt;
    return row.key.*text;
  });
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw DataError(fmt::format("{}: there is no dataset '{}'; it has: {}", train.source, dataset,
                                choices(train.rows, dataset_of)));
  }
  throw DataError(fmt::format("{}: name one with {}: {}", dataset, option, joined(found)));
}

void require_all(const Job& job, bool has_target) {
  std::vector<std::string> missing;
  if (!has_target) missing.emplace_back("--target-metric");
  if (job.max_epochs == 0) missing.emplace_back("--max-epochs");
  if (job.default_batch_size == 0) missing.emplace_back("--b0");
  if (missing.empty()) return;
  throw DataError(fmt::format("{}: no published job has this dataset: give {} as well", job.dataset,
                              joined(missing)));
}

void add_limit(SizeTrace& size, const PowerRow& row) {
  const auto place = std::ranges::find_if(
      size.limits, [&row](const LimitTrace& one) { return one.limit_w <= row.power_limit_w; });
  const bool known = place != size.limits.end() && place->limit_w == row.power_limit_w;
  LimitTrace& limit =
      known ? *place : *size.limits.insert(place, LimitTrace{row.power_limit_w, {}, {}});
  limit.rows.push_back({row.epoch_seconds, row.epoch_energy_j()});
}

/// The means of the published profiler: it averages power and time separately.
Epoch mean_epoch(const std::vector<Epoch>& rows) {
  double seconds = 0;
  double power = 0;
  for (const Epoch& row : rows) {
    seconds += row.seconds;
    power += row.energy_j / row.seconds;
  }
  const auto n = static_cast<double>(rows.size());
  return rows.size() == 1 ? rows.front() : Epoch{seconds / n, seconds / n * (power / n)};
}

void finish(SizeTrace& size) {
  std::size_t n = 0;
  for (LimitTrace& limit : size.limits) {
    limit.mean = mean_epoch(limit.rows);
    for (const Epoch& row : limit.rows) {
      size.profiled.seconds += row.seconds;
      size.profiled.energy_j += row.energy_j;
      ++n;
    }
  }
  size.profiled.seconds /= static_cast<double>(n);
  size.profiled.energy_j /= static_cast<double>(n);
}

std::vector<SizeTrace> joined_sizes(const TrainTrace& train, const PowerTrace& power,
                                    const Job& job) {
  std::vector<SizeTrace> sizes;
  const auto size_of = [&sizes](std::int64_t batch_size) {
    return std::ranges::find(sizes, batch_size, &SizeTrace::batch_size);
  };
  for (const PowerRow& row : power.rows) {
    if (!is_of(job, row.key)) continue;
    if (size_of(row.key.batch_size) == sizes.end()) {
      sizes.push_back({row.key.batch_size, {}, {}, {}});
    }
    add_limit(*size_of(row.key.batch_size), row);
  }
  std::set<std::int64_t> trained;
  for (const TrainRow& row : train.rows) {
    if (!is_of(job, row.key)) continue;
    trained.insert(row.key.batch_size);
    const auto size = size_of(row.key.batch_size);
    if (size != sizes.end() && row.target_metric == job.target_metric) {
      size->paths.push_back(row.target_epoch);
    }
  }
  std::erase_if(sizes, [&](const SizeTrace& size) { return !trained.contains(size.batch_size); });
  std::ranges::sort(sizes, {}, &SizeTrace::batch_size);
  std::ranges::for_each(sizes, finish);
  return sizes;
}

double largest_joined_limit(const TrainTrace& train, const PowerTrace& power) {
  std::set<TraceKey> trained;
  for (const TrainRow& row : train.rows) trained.insert(row.key);
  double largest = 0;
  for (const PowerRow& row : power.rows) {
    if (trained.contains(row.key)) largest = std::max(largest, row.power_limit_w);
  }
  return largest;
}

void refuse_unknown_job(const TrainTrace& train, const PowerTrace& power, const Job& job) {
  const auto text = [](const auto& row) -> std::optional<std::string> {
    return fmt::format("({}, {}, {})", row.key.dataset, row.key.network, row.key.optimizer);
  };
  const auto refuse = [&](const auto& trace) {
    if (std::ranges::any_of(trace.rows, [&job](const auto& row) { return is_of(job, row.key); })) {
      return;
    }
    throw DataError(fmt::format("{}: it has no rows for ({}); it has rows for: {}", trace.source,
                                name_of(job), choices(trace.rows, text)));
  };
  refuse(train);
  refuse(power);
}

void refuse_unknown_target(const TrainTrace& train, const JobTrace& trace) {
  if (std::ranges::any_of(trace.sizes, [](const SizeTrace& size) { return !size.paths.empty(); })) {
    return;
  }
  const Job& job = trace.job;
  throw DataError(
      fmt::format("{}: of the rows of ({}) whose batch size {} has as well, none has the target "
                  "{}; targets are: {}",
                  train.source, name_of(job), trace.power, job.target_metric,
                  choices(train.rows, [&job](const TrainRow& row) -> std::optional<std::string> {
                    if (!is_of(job, row.key)) return std::nullopt;
                    return exact_text(row.target_metric);
                  })));
}

std::size_t place_of_default(const JobTrace& trace) {
  std::vector<std::string> feasible;
  for (std::size_t i = 0; i < trace.sizes.size(); ++i) {
    if (trace.sizes[i].batch_size == trace.job.default_batch_size) return i;
    feasible.push_back(fmt::to_string(trace.sizes[i].batch_size));
  }
  throw DataError(
      fmt::format("{} on {}: the default batch size {} (--b0) is not in both traces; these are: {}",
                  trace.job.dataset, trace.power, trace.job.default_batch_size, joined(feasible)));
}

}  // namespace

std::span<const Job> published_jobs() {
  static const std::array<Job, 6> jobs{
      Job{"cifar100", "shufflenetv2", "adadelta", 0.6, 100, 1024},
      Job{"imagenet", "resnet50", "adadelta", 0.65, 100, 256},
      Job{"squad", "bert_base_uncased", "adamw", 84.0, 6, 32},
      Job{"librispeech", "deepspeech2", "adamw", 40.0, 16, 256},
      Job{"movielens-1m", "ncf", "adam", 0.41, 100, 1024},
      Job{"sentiment140", "bert_base_uncased", "adamw", 0.84, 10, 128}};
  return jobs;
}

const Job* published_job(std::string_view dataset) {
  for (const Job& job : published_jobs()) {
    if (job.dataset == dataset) return &job;
  }
  return nullptr;
}

Job wished_job(const JobWish& wish, const TrainTrace& train) {
  const std::string dataset = wished_dataset(wish, train);
  const Job* published = published_job(dataset);
  Job job = published == nullptr ? Job{dataset, {}, {}, 0, 0, 0} : *published;
  if (!wish.network.empty()) job.network = wish.network;
  if (!wish.optimizer.empty()) job.optimizer = wish.optimizer;
  if (wish.target_metric) job.target_metric = *wish.target_metric;
  if (wish.max_epochs > 0) job.max_epochs = wish.max_epochs;
  if (wish.default_batch_size > 0) job.default_batch_size = wish.default_batch_size;
  if (job.network.empty()) {
    job.network = only_choice(train, dataset, &TraceKey::network, "--model");
  }
  if (job.optimizer.empty()) {
    job.optimizer = only_choice(train, dataset, &TraceKey::optimizer, "--optimizer");
  }
  require_all(job, published != nullptr || wish.target_metric);
  return job;
}

double zeus_cost(double eta, double max_power_w, double energy_j, double seconds) {
  return eta * energy_j + (1 - eta) * max_power_w * seconds;
}

std::uint32_t JobTrace::usual_recurrences() const {
  std::uint32_t with_target = 0;
  std::set<double> limits;
  for (const SizeTrace& size : sizes) {
    if (size.paths.empty()) continue;
    ++with_target;
    for (const LimitTrace& limit : size.limits) limits.insert(limit.limit_w);
  }
  return 2 * with_target * static_cast<std::uint32_t>(limits.size());
}

JobTrace join_traces(const TrainTrace& train, const PowerTrace& power, const Job& job,
                     bool cap_default) {
  refuse_unknown_job(train, power, job);
  JobTrace trace{.job = job, .power = power.name, .sizes = joined_sizes(train, power, job)};
  if (trace.sizes.empty()) {
    throw DataError(fmt::format("{} and {} have no batch size of ({}) in common", train.source,
                                power.source, name_of(job)));
  }
  refuse_unknown_target(train, trace);
  trace.max_power_w = largest_joined_limit(train, power);
  if (cap_default) {
    trace.job.default_batch_size = std::min(job.default_batch_size, trace.sizes.back().batch_size);
  }
  trace.default_size = place_of_default(trace);
  return trace;
}

JobTrace join_wished(const TrainTrace& train, const PowerTrace& power, const JobWish& wish) {
  return join_traces(train, power, wished_job(wish, train), wish.default_batch_size == 0);
}

std::optional<Spending> expected_cost(const JobTrace& trace, std::size_t size, std::size_t limit,
                                      double eta) {
  const SizeTrace& of_size = trace.sizes[size];
  double epochs = 0;
  std::size_t reached = 0;
  for (const auto& path : of_size.paths) {
    const bool reaches = path && *path <= trace.job.max_epochs;
    epochs += reaches ? *path : trace.job.max_epochs;
    reached += reaches ? 1 : 0;
  }
  if (reached == 0) return std::nullopt;
  const double epochs_to_target = epochs / static_cast<double>(reached);
  Epoch epoch;
  for (const Epoch& row : of_size.limits[limit].rows) {
    epoch.seconds += row.seconds;
    epoch.energy_j += row.energy_j;
  }
  const auto rows = static_cast<double>(of_size.limits[limit].rows.size());
  const double energy = epochs_to_target * epoch.energy_j / rows;
  const double seconds = epochs_to_target * epoch.seconds / rows;
  return Spending{energy, seconds, zeus_cost(eta, trace.max_power_w, energy, seconds)};
}

std::optional<Knobs> oracle_knobs(const JobTrace& trace, double eta) {
  std::optional<Knobs> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t size = 0; size < trace.sizes.size(); ++size) {
    for (std::size_t limit = 0; limit < trace.sizes[size].limits.size(); ++limit) {
      const auto expected = expected_cost(trace, size, limit, eta);
      if (!expected || !(expected->cost < least)) continue;
      least = expected->cost;
      best = Knobs{size, limit};
    }
  }
  return best;
}

std::size_t profiled_limit(const SizeTrace& size, double eta, double max_power_w) {
  const auto cost = [&](const LimitTrace& limit) {
    return zeus_cost(eta, max_power_w, limit.mean.energy_j, limit.mean.seconds);
  };
  const auto best = std::ranges::min_element(size.limits, {}, cost);
  return static_cast<std::size_t>(best - size.limits.begin());
}

}  // namespace scalelaw
