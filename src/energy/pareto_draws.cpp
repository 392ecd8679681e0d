// How sure a frontier is: draws of all points' means from the posterior of their scatter.

#include "energy/pareto_draws.hpp"

#include <algorithm>
#include <cmath>

#include "energy/frontier_sweep.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kSlice = 50;  ///< Draws that a thread takes at a time.
/// Ends of a deviation of ln: t of one degree of freedom reaches beyond the range of double.
constexpr double kFarthest = 200;

/// A lower or upper triangle of a 2 x 2 matrix, or a full one.
struct Matrix {
  double tt = 0;
  double te = 0;
  double et = 0;
  double ee = 0;
};

/// Marsaglia and Tsang (2000), for any dof > 0.
double chi_squared(double dof, RandomStream& stream) {
  if (dof < 2) return chi_squared(dof + 2, stream) * std::pow(stream.uniform(), 2 / dof);
  const double d = dof / 2 - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = stream.normal();
    const double v = std::pow(1 + c * z, 3);
    if (v > 0 && std::log(stream.uniform()) < z * z / 2 + d - d * v + d * std::log(v)) {
      return 2 * d * v;
    }
  }
}

/// L with L L' = the sums of squares.
Matrix root_of(const RunScatter& scatter) {
  Matrix root;
  root.tt = std::sqrt(scatter.time);
  root.et = root.tt > 0 ? scatter.product / root.tt : 0;
  root.ee = std::sqrt(std::max(scatter.energy - root.et * root.et, 0.0));
  return root;
}

/// A root of a covariance drawn from the inverse Wishart with dof + 1 degrees of freedom: L T'^-1
/// with T the Bartlett factor of a Wishart matrix.
Matrix drawn_root(const Matrix& root, double dof, RandomStream& stream) {
  const double t11 = std::sqrt(chi_squared(dof + 1, stream));
  const double t22 = std::sqrt(chi_squared(dof, stream));
  const double t21 = stream.normal();
  const double corner = -t21 / (t11 * t22);
  return {.tt = root.tt / t11,
          .te = root.tt * corner,
          .et = root.et / t11,
          .ee = root.et * corner + root.ee / t22};
}

/// A contrast of a point with the default: how far its ln ratio strays, in standard errors.
struct Comparison {
  std::vector<double> log_ratio;  ///< Estimates, by point.
  std::vector<double> se;
  std::vector<double> strays;  ///< The greatest of all points, by draw.
};

/// The figures that points are compared by: time, energy, then the cost at each eta.
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
    std::vector<std::uint32_t> optimum;  ///< By eta, then point.
    std::vector<SweepPoint> points;
    std::vector<double> seconds;
    std::vector<double> joules;
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

  /// Standard errors by the delta method; what they leave out the draws' quantile makes good.
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
    worker.seconds.resize(size());
    worker.joules.resize(size());
    RandomStream stream(options_.seed, stream_, number);
    const Matrix root = drawn_root(root_, static_cast<double>(scatter_.dof), stream);
    for (std::size_t i = 0; i < size(); ++i) {
      const double z1 = stream.normal() * inverse_root_n_[i];
      const double z2 = stream.normal() * inverse_root_n_[i];
      const double of_time = std::clamp(root.tt * z1 + root.te * z2, -kFarthest, kFarthest);
      const double of_energy = std::clamp(root.et * z1 + root.ee * z2, -kFarthest, kFarthest);
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
    for (std::size_t i = 0; i < size(); ++i) {
      worker.points[i] = {worker.seconds[i], worker.joules[i], i};
    }
    std::sort(worker.points.begin(), worker.points.end());
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

  template <class Value>
  void measure_stray(Comparison& comparison, std::size_t number, Value value) const {
    const std::size_t base = *pareto_.default_point;
    double farthest = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (i == base || !(comparison.se[i] > 0)) continue;
      const double stray = std::log(value(i) / value(base)) - comparison.log_ratio[i];
      farthest = std::max(farthest, std::abs(stray) / comparison.se[i]);
    }
    comparison.strays[number] = farthest;
  }

  void measure_strays(std::size_t number, const Worker& worker) {
    measure_stray(comparisons_[0], number, [&](std::size_t i) { return worker.seconds[i]; });
    measure_stray(comparisons_[1], number, [&](std::size_t i) { return worker.joules[i]; });
    for (std::size_t e = 0; e < options_.etas.size(); ++e) {
      measure_stray(comparisons_[2 + e], number, [&](std::size_t i) {
        return cost(options_.etas[e], i, worker.seconds[i], worker.joules[i]);
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
  Matrix root_;
  std::vector<double> inverse_root_n_;
  std::vector<Comparison> comparisons_;
};

}  // namespace

RunScatter scatter_of(std::span<const KnobRuns> points) {
  RunScatter scatter;
  for (const KnobRuns& point : points) {
    const std::size_t n = point.seconds.size();
    double time = 0;
    double energy = 0;
    // Relative to the first run: equal runs have exactly no scatter.
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
  double most = 0;
  for (const KnobRuns& point : points) most = std::max(most, point.gpus);
  std::vector<double> prices;
  for (const KnobRuns& point : points) {
    const double gpus = options.time_cost == TimeCost::kGpus ? point.gpus : most;
    prices.push_back(options.max_power.value_or(0) * gpus);
  }
  return prices;
}

void add_uncertainty(Pareto& pareto, const RunScatter& scatter, std::span<const double> prices,
                     const ParetoOptions& options, std::uint64_t stream) {
  Draws(pareto, scatter, prices, options, stream).run();
}

}  // namespace scalelaw
