#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scalelaw/base/random.hpp"
#include "scalelaw/replay/groups.hpp"

namespace scalelaw {
namespace {

constexpr double kRuntimeScatter = 0.3;

struct Row {
  std::string group;
  std::string dataset;
  double start_s;
  double runtime_s;
};

double exponential(RandomStream& random, double mean) { return -mean * std::log(random.uniform()); }

/// Adds the submissions of a group, with a mean runtime between a quarter of an hour and a day.
void add_group(const GroupFilePlan& plan, std::uint32_t number, std::vector<Row>& rows) {
  RandomStream random(plan.seed, stable_hash("groups"), number);
  const auto jobs = published_jobs();
  const std::string name = fmt::format("g{:04}", number + 1);
  const double mean_runtime = 900 * std::exp(std::log(96.0) * random.uniform());
  const double interval = mean_runtime / plan.load;
  const double wish = exponential(random, std::max(0.0, plan.submissions - 2.0));
  const auto count = 2 + static_cast<std::uint32_t>(wish);
  double start = exponential(random, interval);
  for (std::uint32_t i = 0; i < count; ++i) {
    const double scatter =
        kRuntimeScatter * random.normal() - kRuntimeScatter * kRuntimeScatter / 2;
    rows.push_back({name, jobs[number % jobs.size()].dataset, std::round(start),
                    std::max(1.0, std::round(mean_runtime * std::exp(scatter)))});
    start += exponential(random, interval);
  }
}

}  // namespace

std::string generated_groups(const GroupFilePlan& plan) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < plan.groups; ++i) add_group(plan, i, rows);
  std::map<std::string, std::pair<double, double>> runtimes;  // Count and sum for each dataset.
  for (const Row& row : rows) {
    auto& [count, sum] = runtimes[row.dataset];
    count += 1;
    sum += row.runtime_s;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.start_s < b.start_s; });
  std::string out = "group,start_time,end_time,dataset,runtime_ratio\n";
  for (const Row& row : rows) {
    const auto& [count, sum] = runtimes[row.dataset];
    out += fmt::format("{},{},{},{},{}\n", row.group, row.start_s, row.start_s + row.runtime_s,
                       row.dataset, row.runtime_s / (sum / count));
  }
  return out;
}

}  // namespace scalelaw
