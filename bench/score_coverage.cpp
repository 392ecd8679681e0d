// Coverage of the intervals of predict --score, by simulation, as the table in
// docs/explanation/scores.md: score_coverage [simulations] [seed].

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/score.hpp"

namespace {

using namespace scalelaw;

/// A model whose score is forecast.
struct Model {
  double parameters;
  double tokens;
};
constexpr Model kNear{3e9, 1e11};
constexpr Model kFar{7e9, 1.4e12};
constexpr std::size_t kBudgets = 4;  ///< Evenly in ln c from 1e18 to 1e21.
constexpr std::size_t kSizes = 6;    ///< Of a budget.
constexpr double kLossScatter = 0.002;

/// Scores low + (high - low) / (1 + exp(k (L - half))) of models evenly spread over the losses.
struct Design {
  const char* name;
  std::size_t scored;
  double low;
  double high;
  double k;
  double half;
  double scatter = 0.006;
  Model model = kNear;
};

constexpr std::array kDesigns{
    Design{"full range", 6, 0.25, 0.85, 5, 3},
    Design{"full range", 10, 0.25, 0.85, 5, 3},
    Design{"full range", 20, 0.25, 0.85, 5, 3},
    Design{"full range, error rate", 6, 0.75, 0.15, 5, 3},
    Design{"full range, error rate", 20, 0.75, 0.15, 5, 3},
    Design{"up to 0.7 of 0.85", 6, 0.25, 0.85, 4, 2.6},
    Design{"up to 0.7 of 0.85", 10, 0.25, 0.85, 4, 2.6},
    Design{"up to 0.7 of 0.85", 20, 0.25, 0.85, 4, 2.6},
    Design{"up to 0.7 of 0.98", 10, 0.25, 0.98, 4, 2.5},
    Design{"error rate down to 0.3 of 0.15", 10, 0.75, 0.15, 4, 2.6},
    Design{"onset only", 6, 0.25, 0.85, 4, 1.9},
    Design{"onset only", 10, 0.25, 0.85, 4, 1.9},
    Design{"onset only", 20, 0.25, 0.85, 4, 1.9},
    Design{"onset only, error rate", 10, 0.75, 0.15, 4, 1.9},
    Design{"onset only, error rate", 20, 0.75, 0.15, 4, 1.9},
    Design{"onset only, 7B at 1.4T", 6, 0.25, 0.85, 4, 1.9, 0.006, kFar},
    Design{"onset only, 7B at 1.4T", 10, 0.25, 0.85, 4, 1.9, 0.006, kFar},
    Design{"onset only, 7B at 1.4T", 20, 0.25, 0.85, 4, 1.9, 0.006, kFar},
    Design{"the same, error rate", 20, 0.75, 0.15, 4, 1.9, 0.006, kFar},
    Design{"the same, up to 0.98", 20, 0.25, 0.98, 4, 1.9, 0.006, kFar},
    Design{"up to 0.7 of 0.85, 7B at 1.4T", 10, 0.25, 0.85, 4, 2.6, 0.006, kFar},
    Design{"onset only, half of the scatter", 20, 0.25, 0.85, 4, 1.9, 0.003},
    Design{"no rise yet", 20, 0.25, 0.85, 8, 1.6},
};

double loss_at(double n, double d) {
  return 1.69 + 406.4 * std::pow(n, -0.34) + 410.7 * std::pow(d, -0.28);
}

double score_of(const Design& design, double loss) {
  return design.low + (design.high - design.low) / (1 + std::exp(design.k * (loss - design.half)));
}

struct Study {
  SurfaceRuns runs;
  std::vector<double> score;
};

Study draw(const Design& design, RandomStream& stream) {
  Study study;
  for (std::size_t j = 0; j < kBudgets; ++j) {
    const double compute = std::pow(10.0, 18 + static_cast<double>(j));
    const double best = 0.6 * std::sqrt(compute / 6 / 20) * 2;
    for (std::size_t k = 0; k < kSizes; ++k) {
      const double n = best * std::pow(16.0, static_cast<double>(k) / (kSizes - 1) - 0.5);
      study.runs.n.push_back(n);
      study.runs.d.push_back(compute / 6 / n);
      study.runs.y.push_back(loss_at(n, compute / 6 / n) *
                             std::exp(kLossScatter * stream.normal()));
    }
  }
  const std::size_t all = study.runs.y.size();
  study.score.assign(all, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < design.scored; ++i) {
    const std::size_t run = i * (all - 1) / (design.scored - 1);
    const double score = score_of(design, study.runs.y[run]) + design.scatter * stream.normal();
    study.score[run] = std::clamp(score, 0.0, 1.0);
  }
  return study;
}

struct Tally {
  std::size_t studies = 0;
  std::size_t curve = 0;
  std::size_t run = 0;
  std::size_t wide = 0;
  std::vector<double> width;
  std::vector<double> error;
};

Tally simulate(const Design& design, std::size_t simulations, std::uint64_t seed) {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = Robust::kHuber;
  options.intervals = Intervals::kWald;
  struct Result {
    ScorePoint score;
    double run;
  };
  std::vector<std::optional<Result>> results(simulations);
  parallel_for(thread_count(0), simulations, [&](std::size_t i, int /*worker*/) {
    RandomStream stream(seed, i);
    const Study study = draw(design, stream);
    const double loss = loss_at(design.model.parameters, design.model.tokens) *
                        std::exp(kLossScatter * stream.normal());
    const double run = score_of(design, loss) + design.scatter * stream.normal();
    results[i] = if_possible([&] {
      const Fit fit = fit_surface(study.runs, options);
      const SurfacePoint point =
          surface_at(fit, design.model.parameters, design.model.tokens, 0.95);
      return Result{score_at(fit, point, fit_score(study.runs.y, study.score, 0.95), 0.95), run};
    });
  });
  const double truth = score_of(design, loss_at(design.model.parameters, design.model.tokens));
  const auto holds = [](const Interval& interval, double value) {
    return interval.lower <= value && value <= interval.upper;
  };
  Tally tally;
  for (const auto& result : results) {
    if (!result || !result->score.ci || !result->score.pi) continue;
    ++tally.studies;
    tally.curve += holds(*result->score.ci, truth) ? 1 : 0;
    tally.run += holds(*result->score.pi, result->run) ? 1 : 0;
    tally.wide += result->score.is_wide ? 1 : 0;
    tally.width.push_back(result->score.ci->upper - result->score.ci->lower);
    tally.error.push_back(std::abs(result->score.value - truth));
  }
  return tally;
}

double percent(std::size_t part, std::size_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print(
      "| runs show | scored models | truth | curve | new run | told as wide | median width | "
      "median error "
      "|\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Design& design : kDesigns) {
    const Tally tally = simulate(design, simulations, seed);
    if (tally.studies == 0) continue;
    fmt::print("| {} | {} | {:.2f} | {:.1f} | {:.1f} | {:.0f} | {:.3f} | {:.4f} |\n", design.name,
               design.scored,
               score_of(design, loss_at(design.model.parameters, design.model.tokens)),
               percent(tally.curve, tally.studies), percent(tally.run, tally.studies),
               percent(tally.wide, tally.studies), median(tally.width), median(tally.error));
  }
}
