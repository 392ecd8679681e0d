// How sure a frontier is: all points' means are drawn from the posterior of their scatter.

#include <algorithm>
#include <cmath>

#include "energy/pareto_parts.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kSlice = 50;  ///< Draws that a thread takes at a time.
/// Bound for deviations of logarithms: t with one degree of freedom exceeds the range of double.
constexpr double kFarthest = 200;

/// A 2 x 2 matrix: a lower or upper triangle, or a full one.
struct TwoByTwo {
  double tt = 0;
  double te = 0;
  double et = 0;
  double ee = 0;
};

/// The L for which L L' is the matrix of sums of squares.
TwoByTwo root_of(const RunScatter& scatter) {
  TwoByTwo root;
  root.tt = std::sqrt(scatter.time);
  root.et = root.tt > 0 ? scatter.product / root.tt : 0;
  root.ee = std::sqrt(std::max(scatter.energy - root.et * root.et, 0.0));
  return root;
}

/// A root of a covariance that is drawn from the inverse Wishart with dof + 1 degrees of freedom: L
/// T'^-1, where T is the Bartlett factor of a Wishart matrix.
TwoByTwo drawn_root(const TwoByTwo& root, double dof, RandomStream& stream) {
  const double t11 = std::sqrt(stream.chi_squared(dof + 1));
  const double t22 = std::sqrt(stream.chi_squared(dof));
  const double t21 = stream.normal();
  const double corner = -t21 / (t11 * t22);
  return {.tt = root.tt / t11,
          .te = root.tt * corner,
          .et = root.et / t11,
          .ee = root.et * corner + root.ee / t22};
}

/// Sorts by insertion if the points are few.
void sort_nearly_sorted(std::vector<SweepPoint>& points) {
  constexpr std::size_t kFew = 64;
  if (points.size() > kFew) return std::sort(points.begin(), points.end());
  for (std::size_t i = 1; i < points.size(); ++i) {
    const SweepPoint moved = points[i];
    std::size_t place = i;
    for (; place > 0 && moved < points[place - 1]; --place) points[place] = points[place - 1];
    points[place] = moved;
  }
}

/// Each point against the default: how far its ln ratio strays, in standard errors.
struct Comparison {
  std::vector<double> log_ratio;  ///< Estimate for each point.
  std::vector<double> se;
  std::vector<double> strays;  ///< The greatest stray of any point, for each draw.
};

/// Compares points by time, by energy, and by the cost at each eta.
class Draws {
 public:
  Draws(Pareto& pareto, const RunScatter& scatter, std::span<const double> prices,
        const ParetoOptions& options, std::uint64_t stream)
      : pareto_(pareto),
        scatter_(scatter),
        prices_(prices),
        options_(options),
        stream_(stream),
        root_(root_of(scatter)) {
    for (const ParetoPoint& point : pareto.points) {
      inverse_root_n_.push_back(1 / std::sqrt(static_cast<double>(point.n)));
    }
    for (std::size_t i = 0; i < size(); ++i) {
      by_time_.push_back({pareto.points[i].seconds, pareto.points[i].joules, i});
    }
    std::sort(by_time_.begin(), by_time_.end());
    if (pareto.default_point) prepare_comparisons();
  }

  void run() {
    const std::size_t slices = (options_.draws + kSlice - 1) / kSlice;
    const int threads = worth_threads() ? thread_count(options_.threads) : 1;
    std::vector<Worker> workers(static_cast<std::size_t>(threads));
    parallel_for(threads, slices, [&](std::size_t slice, int worker) {
      for (std::size_t i = slice * kSlice;
           i < std::min<std::size_t>((slice + 1) * kSlice, options_.draws); ++i) {
        draw(i, workers[static_cast<std::size_t>(worker)]);
      }
    });
    add_shares(workers);
    if (pareto_.default_point) add_intervals();
  }

 private:
  struct Worker {
    std::vector<std::uint32_t> on_frontier;
    std::vector<std::uint32_t> optimum;  ///< By eta, then by point.
    std::vector<SweepPoint> points;
    std::vector<double> seconds;
    std::vector<double> joules;
    std::vector<double> log_seconds;  ///< Deviation from the estimate.
    std::vector<double> log_joules;
  };

  std::size_t size() const { return pareto_.points.size(); }
  bool worth_threads() const { return options_.draws * size() > 100000; }

  double cost(double eta, std::size_t point, double seconds, double joules) const {
    return eta * joules + (1 - eta) * prices_[point] * seconds;
  }

  /// Variance of g' (ln t, ln E) of one run.
  double variance(double of_time, double of_energy) const {
    const double sum = of_time * of_time * scatter_.time + of_energy * of_energy * scatter_.energy +
                       2 * of_time * of_energy * scatter_.product;
    return std::max(sum, 0.0) / static_cast<double>(scatter_.dof);
  }

  /// Standard errors by the delta method. The quantile of the draws corrects what they leave out.
  template <class Value, class TimeShare>
  Comparison comparison(Value value, TimeShare time_share) const {
    Comparison out;
    const std::size_t base = *pareto_.default_point;
    const auto variance_of = [&](std::size_t i) {
      const double share = time_share(i);
      return variance(share, 1 - share) / static_cast<double>(pareto_.points[i].n);
    };
    for (std::size_t i = 0; i < size(); ++i) {
      out.log_ratio.push_back(std::log(value(i) / value(base)));
      out.se.push_back(std::sqrt(variance_of(i) + variance_of(base)));
    }
    out.strays.resize(options_.draws);
    return out;
  }

  void prepare_comparisons() {
    const auto& points = pareto_.points;
    comparisons_.push_back(comparison([&](std::size_t i) { return points[i].seconds; },
                                      [](std::size_t) { return 1.0; }));
    comparisons_.push_back(comparison([&](std::size_t i) { return points[i].joules; },
                                      [](std::size_t) { return 0.0; }));
    for (std::size_t e = 0; e < options_.etas.size(); ++e) {
      const double eta = options_.etas[e];
      comparisons_.push_back(comparison([&](std::size_t i) { return points[i].costs[e].joules; },
                                        [&](std::size_t i) {
                                          return (1 - eta) * prices_[i] * points[i].seconds /
                                                 points[i].costs[e].joules;
                                        }));
    }
  }

  void draw(std::size_t number, Worker& worker) {
    for (auto* values :
         {&worker.seconds, &worker.joules, &worker.log_seconds, &worker.log_joules}) {
      values->resize(size());
    }
    RandomStream stream(options_.seed, stream_, number);
    const TwoByTwo root = drawn_root(root_, static_cast<double>(scatter_.dof), stream);
    for (std::size_t i = 0; i < size(); ++i) {
      const double z1 = stream.normal() * inverse_root_n_[i];
      const double z2 = stream.normal() * inverse_root_n_[i];
      const double of_time = std::clamp(root.tt * z1 + root.te * z2, -kFarthest, kFarthest);
      const double of_energy = std::clamp(root.et * z1 + root.ee * z2, -kFarthest, kFarthest);
      worker.log_seconds[i] = of_time;
      worker.log_joules[i] = of_energy;
      worker.seconds[i] = pareto_.points[i].seconds * std::exp(of_time);
      worker.joules[i] = pareto_.points[i].joules * std::exp(of_energy);
    }
    count_frontier(worker);
    count_optima(worker);
    if (pareto_.default_point) measure_strays(number, worker);
  }

  void count_frontier(Worker& worker) const {
    worker.on_frontier.resize(size());
    worker.points.resize(size());
    for (std::size_t place = 0; place < size(); ++place) {
      const std::size_t i = by_time_[place].index;
      worker.points[place] = {worker.seconds[i], worker.joules[i], i};
    }
    sort_nearly_sorted(worker.points);
    visit_frontier(std::span<const SweepPoint>(worker.points),
                   [&](const SweepPoint& point) { ++worker.on_frontier[point.index]; });
  }

  void count_optima(Worker& worker) const {
    worker.optimum.resize(options_.etas.size() * size());
    for (std::size_t e = 0; e < options_.etas.size(); ++e) {
      std::size_t best = size() - 1;
      double least = cost(options_.etas[e], best, worker.seconds[best], worker.joules[best]);
      for (std::size_t i = best; i-- > 0;) {
        const double found = cost(options_.etas[e], i, worker.seconds[i], worker.joules[i]);
        if (found < least) {
          least = found;
          best = i;
        }
      }
      ++worker.optimum[e * size() + best];
    }
  }

  /// The greatest |log_stray(i)| in standard errors. The default does not stray from itself.
  template <class LogStray>
  void measure_stray(Comparison& comparison, std::size_t number, LogStray log_stray) const {
    double farthest = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (i == *pareto_.default_point || !(comparison.se[i] > 0)) continue;
      farthest = std::max(farthest, log_stray(i, farthest * comparison.se[i]) / comparison.se[i]);
    }
    comparison.strays[number] = farthest;
  }

  void measure_strays(std::size_t number, const Worker& worker) {
    const std::size_t base = *pareto_.default_point;
    const auto of_logs = [&](const std::vector<double>& logs) {
      return [&logs, base](std::size_t i, double) { return std::abs(logs[i] - logs[base]); };
    };
    measure_stray(comparisons_[0], number, of_logs(worker.log_seconds));
    measure_stray(comparisons_[1], number, of_logs(worker.log_joules));
    for (std::size_t e = 0; e < options_.etas.size(); ++e) {
      const double eta = options_.etas[e];
      const double base_cost = cost(eta, base, worker.seconds[base], worker.joules[base]);
      const std::vector<ParetoPoint>& points = pareto_.points;
      const double scale = points[base].costs[e].joules / base_cost;
      measure_stray(comparisons_[2 + e], number, [&](std::size_t i, double known) {
        const double drawn = cost(eta, i, worker.seconds[i], worker.joules[i]);
        const double ratio = drawn / points[i].costs[e].joules * scale;
        // |ln r| is at most max(r, 1/r) - 1, and this bound mostly rules it out as the greatest.
        if (std::max(ratio, 1 / ratio) - 1 <= known) return 0.0;
        return std::abs(std::log(ratio));
      });
    }
  }

  void add_shares(const std::vector<Worker>& workers) {
    const auto share = [&](auto member, std::size_t place) {
      std::uint64_t count = 0;
      for (const Worker& worker : workers) {
        if (!(worker.*member).empty()) count += (worker.*member)[place];
      }
      return static_cast<double>(count) / options_.draws;
    };
    for (std::size_t i = 0; i < size(); ++i) {
      ParetoPoint& point = pareto_.points[i];
      point.frontier_share = share(&Worker::on_frontier, i);
      point.surely_dominated = *point.frontier_share <= 1 - options_.confidence;
      for (std::size_t e = 0; e < options_.etas.size(); ++e) {
        point.costs[e].optimum_share = share(&Worker::optimum, e * size() + i);
      }
    }
  }

  void add_intervals() {
    for (std::size_t c = 0; c < comparisons_.size(); ++c) {
      Comparison& comparison = comparisons_[c];
      const double factor = quantile(comparison.strays);
      for (std::size_t i = 0; i < size(); ++i) {
        if (i == *pareto_.default_point || !(comparison.se[i] > 0)) continue;
        const double half = factor * comparison.se[i];
        saving(i, c).ci = Interval{.lower = -std::expm1(comparison.log_ratio[i] + half),
                                   .upper = -std::expm1(comparison.log_ratio[i] - half)};
      }
    }
  }

  double quantile(std::vector<double>& values) const {
    const double place = std::ceil(options_.confidence * static_cast<double>(values.size())) - 1;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(place, 0.0));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  Saving& saving(std::size_t point, std::size_t comparison) {
    ParetoPoint& found = pareto_.points[point];
    if (comparison == 0) return *found.time_saving;
    if (comparison == 1) return *found.energy_saving;
    return *found.costs[comparison - 2].saving;
  }

  Pareto& pareto_;
  RunScatter scatter_;
  std::span<const double> prices_;
  const ParetoOptions& options_;
  std::uint64_t stream_;
  TwoByTwo root_;
  std::vector<double> inverse_root_n_;
  std::vector<SweepPoint> by_time_;  ///< Points in the order that most draws nearly have.
  std::vector<Comparison> comparisons_;
};

}  // namespace

RunScatter scatter_of(std::span<const KnobRuns> points) {
  RunScatter scatter;
  for (const KnobRuns& point : points) {
    const std::size_t n = point.seconds.size();
    double time = 0;
    double energy = 0;
    // Relative to the first run, so that equal runs have exactly no scatter.
    const auto log_time = [&](std::size_t i) {
      return std::log(point.seconds[i] / point.seconds[0]);
    };
    const auto log_energy = [&](std::size_t i) {
      return std::log(point.joules[i] / point.joules[0]);
    };
    for (std::size_t i = 0; i < n; ++i) {
      time += log_time(i) / static_cast<double>(n);
      energy += log_energy(i) / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double of_time = log_time(i) - time;
      const double of_energy = log_energy(i) - energy;
      scatter.time += of_time * of_time;
      scatter.energy += of_energy * of_energy;
      scatter.product += of_time * of_energy;
    }
    scatter.dof += static_cast<std::int64_t>(n) - 1;
  }
  return scatter;
}

std::vector<double> time_prices(std::span<const KnobRuns> points, const ParetoOptions& options) {
  std::vector<double> prices;
  for (const KnobRuns& point : points) {
    const std::optional<double> watts = point.max_power ? point.max_power : options.max_power;
    prices.push_back(watts.value_or(0) * point.gpus);
  }
  if (options.time_cost == TimeCost::kWall && !prices.empty()) {
    prices.assign(prices.size(), *std::ranges::max_element(prices));
  }
  return prices;
}

void add_uncertainty(Pareto& pareto, const RunScatter& scatter, std::span<const double> prices,
                     const ParetoOptions& options, std::uint64_t stream) {
  Draws(pareto, scatter, prices, options, stream).run();
}

}  // namespace scalelaw
