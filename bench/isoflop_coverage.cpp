// Coverage of the intervals of isoflop, by simulation, as the table in
// docs/explanation/coverage.md: isoflop_coverage [simulations] [seed] [part of a design's name].

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/isoflop.hpp"

namespace {

using namespace scalelaw;

constexpr double kA = 406.4;
constexpr double kB = 410.7;
constexpr double kE = 1.69;
constexpr double kTarget = 1e23;

struct Design {
  const char* name;
  std::size_t budgets;  ///< Evenly in ln c from 1e18 to 1e21.
  std::size_t sizes;    ///< Of a budget, or of all budgets if errors are shared.
  double reach;         ///< Sizes lie up to so many times from the best one.
  double scatter;       ///< Of ln y,
  double shared = 0;    ///< and what runs of one size share.
  double alpha = 0.34;
  double beta = 0.28;
  double bend = 0;   ///< By so much the exponent of the best size falls at 3e19.
  double falls = 1;  ///< The scatter falls so many times from the least to the greatest budget.
};

constexpr std::array kDesigns{
    Design{"20 runs: 4 budgets of 5", 4, 5, 4, 0.002},
    Design{"45 runs: 9 budgets of 5", 9, 5, 4, 0.002},
    Design{"45 runs, symmetric", 9, 5, 4, 0.002, 0, 0.31, 0.31},
    Design{"45 runs, three times the scatter", 9, 5, 4, 0.006},
    Design{"63 runs: 9 budgets of 7, wide", 9, 7, 16, 0.002},
    Design{"100 runs: 10 budgets of 10", 10, 10, 8, 0.005},
    Design{"200 runs: 10 budgets of 20", 10, 20, 8, 0.005},
    Design{"32 runs: 4 budgets of 8", 4, 8, 4, 0.002},
    Design{"72 runs: 8 budgets of 9", 8, 9, 4, 0.002},
    Design{"72 runs, bent by 0.15", 8, 9, 4, 0.002, 0, 0.34, 0.28, 0.15},
    Design{"72 runs, bent by 0.15, twice the scatter", 8, 9, 4, 0.004, 0, 0.34, 0.28, 0.15},
    Design{"49 runs: 7 budgets of 7, bent by 0.15", 7, 7, 4, 0.002, 0, 0.34, 0.28, 0.15},
    Design{"35 runs: 5 budgets of 7, scatter falls 9 times", 5, 7, 4, 0.006, 0, 0.34, 0.28, 0, 9},
    Design{"56 runs: 8 budgets of 7, scatter falls 9 times", 8, 7, 4, 0.006, 0, 0.34, 0.28, 0, 9},
    Design{"8 sizes, shared errors", 9, 8, 8, 0.001, 0.002},
    Design{"12 sizes, shared errors", 9, 12, 8, 0.001, 0.002},
    Design{"20 sizes, shared errors", 9, 20, 8, 0.001, 0.002},
    Design{"20 sizes, nothing shared", 9, 20, 8, 0.002, 1e-12},
};

/// How many times the best size at a compute lies below that of the surface.
double bent_by(const Design& design, double compute) {
  return std::pow(std::max(1.0, compute / 3e19), design.bend);
}

double surface_exponent(const Design& design) { return design.beta / (design.alpha + design.beta); }

double exponent_of(const Design& design) { return surface_exponent(design) - design.bend; }

double best_size(const Design& design, double compute) {
  const double sum = design.alpha + design.beta;
  return std::pow(design.alpha * kA / (design.beta * kB), 1 / sum) *
         std::pow(compute / 6, surface_exponent(design)) / bent_by(design, compute);
}

double loss_at(const Design& design, double n, double d) {
  return kE + kA * std::pow(n, -design.alpha) + kB * std::pow(d, -design.beta);
}

void add_run(SurfaceRuns& runs, const Design& design, double n, double compute, double error) {
  const double d = compute / 6 / n;
  runs.n.push_back(n);
  runs.d.push_back(d);
  const double bent = bent_by(design, compute);
  runs.y.push_back(loss_at(design, n * bent, d / bent) * std::exp(error));
}

SurfaceRuns draw(const Design& design, RandomStream& stream) {
  SurfaceRuns runs;
  const double least = best_size(design, 1e18) / design.reach;
  const double greatest = best_size(design, 1e21) * design.reach;
  std::vector<double> shared;
  for (std::size_t k = 0; k < design.sizes; ++k) shared.push_back(design.shared * stream.normal());
  for (std::size_t j = 0; j < design.budgets; ++j) {
    const double place = static_cast<double>(j) / static_cast<double>(design.budgets - 1);
    const double compute = 1e18 * std::pow(1e3, place);
    const double best = best_size(design, compute);
    for (std::size_t k = 0; k < design.sizes; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(design.sizes - 1);
      const double own = design.scatter * std::pow(design.falls, -place) * stream.normal();
      if (design.shared == 0) {
        add_run(runs, design, best * std::pow(design.reach, 2 * share - 1), compute, own);
        continue;
      }
      const double n = least * std::pow(greatest / least, share);
      if (std::abs(std::log(n / best)) > std::log(design.reach) * 1.5) continue;
      add_run(runs, design, n, compute, own + shared[k]);
      runs.cluster.push_back(static_cast<std::uint32_t>(k));
    }
  }
  return runs;
}

bool holds(const std::optional<Interval>& ci, double truth) {
  return ci && ci->lower <= truth && truth <= ci->upper;
}

/// What held: of one approach, and of the one that is chosen.
struct Tally {
  int paths = 0;  ///< Studies that have one.
  int exponent = 0;
  int target = 0;
  int budgets = 0;
  int budget_holds = 0;
  int leasts = 0;  ///< Optima of the least budget.
  int least_holds = 0;
  int unequal = 0;  ///< Scatters that are told to differ.
  int open = 0;
  int broken = 0;    ///< Lines that are told to bend.
  double width = 0;  ///< Half the interval of ln N* at the target; a sum.
  double bias = 0;   ///< Of ln N* there; a sum.

  void add(const Design& design, const IsoflopPath& path) {
    ++paths;
    broken += path.line && path.line->is_broken ? 1 : 0;
    unequal += path.scatter && path.scatter->is_unequal ? 1 : 0;
    exponent += path.n_exponent && holds(path.n_exponent->ci, exponent_of(design)) ? 1 : 0;
    for (const IsoflopOptimum& optimum : path.optima) {
      const bool held = holds(optimum.n_ci, best_size(design, optimum.compute));
      if (optimum.is_budget) {
        ++budgets;
        budget_holds += held ? 1 : 0;
        leasts += optimum.compute < 1.1e18 ? 1 : 0;
        least_holds += held && optimum.compute < 1.1e18 ? 1 : 0;
        continue;
      }
      target += held ? 1 : 0;
      bias += std::log(optimum.n / best_size(design, optimum.compute));
      if (!optimum.n_ci || !std::isfinite(std::log(optimum.n_ci->upper / optimum.n_ci->lower))) {
        ++open;
      } else {
        width += std::log(optimum.n_ci->upper / optimum.n_ci->lower) / 2;
      }
    }
  }
};

using Tallies = std::array<Tally, 5>;

Tallies simulate(const Design& design, std::size_t simulations, std::uint64_t seed) {
  IsoflopOptions options;
  options.at_compute = {kTarget};
  options.surface.law = find_law("chinchilla");
  options.surface.robust = Robust::kHuber;
  options.surface.intervals = Intervals::kWald;
  options.surface.se = design.shared > 0 ? StandardError::kCr2 : StandardError::kSandwich;
  std::vector<std::optional<Isoflop>> results(simulations);
  parallel_for(thread_count(0), simulations, [&](std::size_t i, int /*worker*/) {
    RandomStream stream(seed, i);
    const SurfaceRuns runs = draw(design, stream);
    results[i] = if_possible([&] { return judge_isoflop(runs, options); });
  });
  Tallies tallies;
  for (const auto& result : results) {
    if (!result) continue;
    for (std::size_t k = 0; k < 4; ++k) {
      if (const auto* path = std::get_if<IsoflopPath>(&result->paths[k])) {
        tallies[k].add(design, *path);
      }
    }
    tallies[4].add(design, result->path());
  }
  return tallies;
}

double percent(int part, int all) { return all > 0 ? 100.0 * part / all : 0; }

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "### IsoFLOP\n\n| design | approach | studies | exponent | N* at 1e23 | N* of budgets | N* "
      "of the "
      "least | open | half width of ln N* | bias of ln N* | bent | unequal |\n| --- | --- | ---: | "
      "---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Design& design : kDesigns) {
    if (argc > 3 && std::string_view(design.name).find(argv[3]) == std::string_view::npos) continue;
    const Tallies tallies = simulate(design, simulations, seed);
    for (std::size_t k = 1; k < 5; ++k) {
      const Tally& tally = tallies[k];
      const auto paths = std::max(1, tally.paths);
      fmt::print(
          "| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {} | {:.3f} | {:.3f} | "
          "{:.1f} | {:.1f} |\n",
          design.name, k == 4 ? "answer" : name_of(static_cast<IsoflopApproach>(k)), tally.paths,
          percent(tally.exponent, paths), percent(tally.target, paths),
          percent(tally.budget_holds, tally.budgets), percent(tally.least_holds, tally.leasts),
          tally.open, tally.width / paths, tally.bias / paths, percent(tally.broken, paths),
          percent(tally.unequal, paths));
    }
  }
}
