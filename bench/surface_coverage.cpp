// Coverage of the intervals of the law of two scales, by simulation, as the table in
// docs/explanation/coverage.md: surface_coverage [simulations] [seed] [resamples].

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/surface.hpp"

namespace {

using namespace scalelaw;

constexpr std::array<double, 5> kTruth{480, 2100, 1.82, 0.35, 0.37};  ///< A, B, E, alpha, beta.
constexpr double kProduct = 1e21 / 6;                                 ///< n * d for the optimum.

struct Design {
  const char* name;
  std::size_t runs;
  double floor;      ///< The true E.
  double n_decades;  ///< Range of the first scale from 1e8 on,
  double d_decades;  ///< and of the second from 1e9 on.
  double scatter;    ///< Scale of ln y.
  bool heavy;        ///< Student t with 3 degrees of freedom instead of normal.
  /// Different values of the first scale, evenly in its logarithm; 0: each run has its own.
  std::size_t sizes = 0;
  double shared = 0;  ///< Scatter of ln y that runs of one size share.
};

constexpr std::array kDesigns{
    Design{"100 runs", 100, 1.82, 2, 2.5, 0.005, false},
    Design{"245 runs", 245, 1.82, 2, 2.5, 0.005, false},
    Design{"245 runs, heavy tails", 245, 1.82, 2, 2.5, 0.005, true},
    Design{"245 runs, ten times the scatter", 245, 1.82, 2, 2.5, 0.05, false},
    Design{"100 runs, E = 0", 100, 0, 2, 2.5, 0.005, false},
    Design{"100 runs of one decade each", 100, 1.82, 1, 1, 0.02, false},
};

/// Few runs, by least squares.
constexpr std::array kFewDesigns{
    Design{"8 runs", 8, 1.82, 2, 2.5, 0.005, false},
    Design{"12 runs", 12, 1.82, 2, 2.5, 0.005, false},
    Design{"20 runs", 20, 1.82, 2, 2.5, 0.005, false},
    Design{"9 runs of 3 sizes", 9, 1.82, 2, 2.5, 0.005, false, 3},
    Design{"12 runs of 4 sizes", 12, 1.82, 2, 2.5, 0.005, false, 4},
    Design{"20 runs of 5 sizes", 20, 1.82, 2, 2.5, 0.005, false, 5},
    Design{"20 runs, one decade each", 20, 1.82, 1, 1, 0.005, false},
    Design{"20 runs, heavy tails", 20, 1.82, 2, 2.5, 0.005, true},
    Design{"100 runs", 100, 1.82, 2, 2.5, 0.005, false},
};

/// Runs of one size share most of their scatter.
constexpr std::array kSharedDesigns{
    Design{"3 sizes, 40 runs", 40, 1.82, 2, 2.5, 0.0025, false, 3, 0.005},
    Design{"4 sizes, 40 runs", 40, 1.82, 2, 2.5, 0.0025, false, 4, 0.005},
    Design{"6 sizes, 60 runs", 60, 1.82, 2, 2.5, 0.0025, false, 6, 0.005},
    Design{"10 sizes, 80 runs", 80, 1.82, 2, 2.5, 0.0025, false, 10, 0.005},
    Design{"20 sizes, 100 runs", 100, 1.82, 2, 2.5, 0.0025, false, 20, 0.005},
    Design{"50 sizes, 245 runs", 245, 1.82, 2, 2.5, 0.0025, false, 50, 0.005},
    Design{"50 sizes, 245 runs, nothing shared", 245, 1.82, 2, 2.5, 0.005, false, 50, 0},
};

double surface(const Design& design, double n, double d) {
  return design.floor + kTruth[0] * std::pow(n, -kTruth[3]) + kTruth[1] * std::pow(d, -kTruth[4]);
}

struct Runs {
  std::vector<double> n;
  std::vector<double> d;
  std::vector<double> y;
  std::vector<std::uint32_t> size;  ///< Which of the sizes; empty if each run has its own.
};

Runs draw(const Design& design, RandomStream& stream) {
  Runs runs;
  std::vector<double> shared;
  for (std::size_t k = 0; k < design.sizes; ++k) shared.push_back(design.shared * stream.normal());
  for (std::size_t i = 0; i < design.runs; ++i) {
    const std::size_t size = design.sizes > 0 ? i % design.sizes : 0;
    const double place = design.sizes > 0
                             ? static_cast<double>(size) / static_cast<double>(design.sizes - 1)
                             : stream.uniform();
    const double n = 1e8 * std::pow(10, design.n_decades * place);
    const double d = 1e9 * std::pow(10, design.d_decades * stream.uniform());
    double e = stream.normal();
    if (design.heavy) e /= std::sqrt(stream.chi_squared(3) / 3);
    e *= design.scatter;
    if (design.sizes > 0) {
      e += shared[size];
      runs.size.push_back(static_cast<std::uint32_t>(size));
    }
    runs.n.push_back(n);
    runs.d.push_back(d);
    runs.y.push_back(surface(design, n, d) * std::exp(e));
  }
  return runs;
}

/// Counts of what held in a simulation, for the five parameters, the split, the optimum and a new
/// run.
constexpr std::size_t kFigures = 9;
constexpr std::array<const char*, kFigures> kNames{"A",     "B",  "E",       "alpha",  "beta",
                                                   "split", "N*", "surface", "new run"};
struct Tally {
  std::array<int, kFigures> interval{};
  std::array<int, kFigures> wald{};
  std::array<int, kFigures> bootstrap{};
  int fits = 0;
  int on_bound = 0;
  int reaches_zero = 0;
  int open = 0;
};

bool holds(const std::optional<Interval>& ci, double truth) {
  return ci && ci->lower <= truth && truth <= ci->upper;
}

void score(const Design& design, const Fit& fit, RandomStream& stream, Tally& tally) {
  std::array<double, 5> truth = kTruth;
  truth[2] = design.floor;
  ++tally.fits;
  for (std::size_t k = 0; k < 5; ++k) {
    const Parameter& parameter = fit.parameters[k];
    tally.interval[k] += holds(parameter.ci, truth[k]) ? 1 : 0;
    tally.wald[k] += holds(parameter.wald_ci, truth[k]) ? 1 : 0;
    tally.open += parameter.ci && !std::isfinite(parameter.ci->lower + parameter.ci->upper) ? 1 : 0;
    if (fit.bootstrap && !fit.bootstrap->parameters.empty())
      tally.bootstrap[k] += holds(fit.bootstrap->parameters[k].ci, truth[k]) ? 1 : 0;
  }
  tally.on_bound += fit.parameters[2].on_bound ? 1 : 0;
  tally.reaches_zero += fit.parameters[2].ci && fit.parameters[2].ci->lower == 0 ? 1 : 0;
  const double share = truth[4] / (truth[3] + truth[4]);
  if (fit.surface->split) tally.interval[5] += holds((*fit.surface->split)[0].ci, share) ? 1 : 0;
  if (fit.surface->split_bootstrap) {
    tally.bootstrap[5] += holds((*fit.surface->split_bootstrap)[0].ci, share) ? 1 : 0;
  }
  const double n =
      std::pow(truth[0] * truth[3] / (truth[1] * truth[4]), 1 / (truth[3] + truth[4])) *
      std::pow(kProduct, share);
  if (const auto optimum = surface_optimum(fit, kProduct, fit.confidence)) {
    tally.interval[6] += holds(optimum->n_ci, n) ? 1 : 0;
  }
  const SurfacePoint point = surface_at(fit, n, kProduct / n, fit.confidence);
  const double median = surface(design, n, kProduct / n);
  tally.interval[7] += holds(point.ci, median) ? 1 : 0;
  double e = stream.normal();
  if (design.heavy) e /= std::sqrt(stream.chi_squared(3) / 3);
  e = design.scatter * e + design.shared * stream.normal();  // A size of its own.
  tally.interval[8] += holds(point.pi, median * std::exp(e)) ? 1 : 0;
}

std::string percent(int count, int of) {
  return of > 0 ? fmt::format("{:.1f}", 100.0 * count / of) : "-";
}

/// Simulations of one design, with errors of one kind.
class Simulation {
 public:
  Simulation(int simulations, std::uint64_t seed, std::uint32_t resamples, Robust robust)
      : simulations_(simulations), seed_(seed) {
    options_.law = find_law("chinchilla");
    options_.robust = robust;
    options_.bootstrap.resamples = resamples;
  }

  /// Prints a row per kind of interval.
  /// @param se  kSandwich, or a kind whose clusters are the sizes.
  void print(const Design& design, StandardError se) const {
    const Tally tally = simulated(design, se);
    const std::string kind =
        se == StandardError::kSandwich ? "" : fmt::format(", `{}`", name_of(se));
    print_row(design, "`ci`" + kind, tally, tally.interval, kFigures);
    print_row(design, "`wald_ci`" + kind, tally, tally.wald, 5);
    if (options_.bootstrap.resamples > 0) {
      print_row(design, "bootstrap" + kind, tally, tally.bootstrap, 6);
    }
  }

 private:
  Tally simulated(const Design& design, StandardError se) const {
    Tally tally;
    FitOptions options = options_;
    options.se = se;
    const bool clustered = se != StandardError::kSandwich;
    for (int i = 0; i < simulations_; ++i) {
      RandomStream stream(seed_, static_cast<std::uint64_t>(i));
      const Runs runs = draw(design, stream);
      const auto result = outcome_of([&] {
        return fit_surface(runs.n, runs.d, runs.y, options, static_cast<std::uint64_t>(i),
                           thread_count(0),
                           clustered ? std::span<const std::uint32_t>(runs.size)
                                     : std::span<const std::uint32_t>());
      });
      if (const Fit* fit = std::get_if<Fit>(&result)) score(design, *fit, stream, tally);
    }
    return tally;
  }

  void print_row(const Design& design, const std::string& kind, const Tally& tally,
                 const std::array<int, kFigures>& counts, std::size_t figures) const {
    fmt::print("| {} | {} |", design.name, kind);
    for (std::size_t k = 0; k < kFigures; ++k) {
      fmt::print(" {} |", k < figures ? percent(counts[k], tally.fits) : "");
    }
    fmt::print(" {} | {} | {} | {} |\n", percent(tally.on_bound, tally.fits),
               percent(tally.reaches_zero, tally.fits), tally.open, simulations_ - tally.fits);
    std::fflush(stdout);
  }

  int simulations_;
  std::uint64_t seed_;
  FitOptions options_;
};

void print_head() {
  fmt::print("| design | interval |");
  for (const char* name : kNames) fmt::print(" {} |", name);
  fmt::print(" E on bound | E from 0 | open | no fit |\n| --- | --- |");
  for (std::size_t k = 0; k < kFigures + 4; ++k) fmt::print(" ---: |");
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int simulations = argc > 1 ? std::atoi(argv[1]) : 300;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoi(argv[2]) : 1);
  const auto resamples = static_cast<std::uint32_t>(argc > 3 ? std::atoi(argv[3]) : 0);
  const Simulation simulation(simulations, seed, resamples, Robust::kHuber);
  print_head();
  for (const Design& design : kDesigns) simulation.print(design, StandardError::kSandwich);
  fmt::print("\n### Laws of two scales: few runs by least squares\n\n");
  print_head();
  const Simulation squares(simulations, seed, 0, Robust::kNone);
  for (const Design& design : kFewDesigns) squares.print(design, StandardError::kSandwich);
  fmt::print("\n### Laws of two scales: errors shared inside model sizes\n\n");
  print_head();
  for (const Design& design : kSharedDesigns) {
    for (const StandardError se :
         {StandardError::kSandwich, StandardError::kCluster, StandardError::kCr2}) {
      simulation.print(design, se);
    }
  }
}
