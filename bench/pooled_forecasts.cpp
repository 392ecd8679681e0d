// How often the intervals of `scalelaw predict --pool laws` hold, beside those of each group alone,
// for populations of groups. Prints a table of the section "Forecasts" of
// docs/explanation/coverage.md.
//
//     pooled_forecasts [GROUPS per figure [SEED]]     default 2000 1

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/predict.hpp"

namespace {

using namespace scalelaw;

using Law = std::function<double(double n)>;

Law power(double beta) {
  return [=](double n) { return std::pow(n, -beta); };
}
Law above_floor(double beta, double floor) {
  return [=](double n) { return (1 - floor) * std::pow(n, -beta) + floor; };
}
Law amdahl(double serial) {
  return [=](double n) { return serial + (1 - serial) / n; };
}
Law usl(double serial, double coherency) {
  return [=](double n) { return (1 + (n - 1) * (serial + coherency * n)) / n; };
}

double normal(RandomStream& stream, double mean, double sd) { return mean + sd * stream.normal(); }
/// About 3 % of the first time.
double share(RandomStream& stream) { return std::exp(normal(stream, -3.5, 0.7)); }
Law any_usl(RandomStream& stream) { return usl(share(stream), std::exp(normal(stream, -7, 0.8))); }

/// Groups that a study draws.
struct Population {
  const char* name;
  Law (*draw)(RandomStream&);
};

const std::vector<Population> kPopulations{
    {"power", [](RandomStream& s) { return power(std::min(1.0, normal(s, 0.7, 0.1))); }},
    {"floor", [](RandomStream& s) { return above_floor(normal(s, 0.8, 0.08), share(s)); }},
    {"Amdahl", [](RandomStream& s) { return amdahl(share(s)); }},
    {"USL", any_usl},
    {"mixed",
     [](RandomStream& s) {
       const double which = s.uniform();
       if (which < 0.4) return power(std::min(1.0, normal(s, 0.75, 0.12)));
       if (which < 0.7) return above_floor(normal(s, 0.85, 0.08), share(s));
       return which < 0.85 ? amdahl(share(s)) : any_usl(s);
     }},
    {"one in ten USL",
     [](RandomStream& s) {
       return s.uniform() < 0.9 ? power(std::min(1.0, normal(s, 0.8, 0.1))) : usl(0.03, 0.001);
     }},
    {"alike", [](RandomStream&) { return above_floor(0.8, 0.03); }}};

struct Design {
  std::size_t groups;
  int points;      ///< N = 1, 2, 4, ...
  double scatter;  ///< Of the means of levels about the law, in ln t.
  int repeats = 1;
  double within = 0;  ///< Of the runs of a level about their mean.
};

struct Tally {
  double held = 0;
  double square = 0;
  std::vector<double> widths{};

  double median_width() {
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::nth_element(widths.begin(), middle, widths.end());
    return *middle;
  }
};

std::vector<Cell> measured(const Law& law, const Design& design, RandomStream& stream) {
  std::vector<Cell> cells;
  for (int i = 0; i < design.points; ++i) {
    const double x = std::exp2(i);
    const double level = std::log(law(x)) + design.scatter * stream.normal();
    std::vector<double> runs;
    for (int k = 0; k < design.repeats; ++k)
      runs.push_back(level + design.within * stream.normal());
    Cell cell{.x = x, .count = static_cast<std::uint64_t>(design.repeats)};
    for (const double run : runs) cell.mean_log += run / design.repeats;
    for (const double run : runs) cell.ss_log += (run - cell.mean_log) * (run - cell.mean_log);
    cell.mean = cell.min = cell.max = std::exp(cell.mean_log);
    cells.push_back(cell);
  }
  return cells;
}

void add(const std::vector<Cell>& cells, const LawPriors& priors, double x, double log_run,
         Tally& tally) {
  ForecastOptions options;
  options.priors = priors;
  const Prediction at = predict(make_forecast(cells, options), x);
  const double low = std::log(at.pi->lower);
  const double high = std::log(at.pi->upper);
  const double error = log_run - std::log(at.median);
  tally.held += log_run >= low && log_run <= high ? 1 : 0;
  tally.square += error * error;
  tally.widths.push_back(high - low);
}

/// One study: all groups alone and pooled, at four times the greatest N.
void add_study(const Population& population, const Design& design, RandomStream& stream,
               Tally& alone, Tally& pooled) {
  std::vector<Law> laws;
  std::vector<std::vector<Cell>> study;
  for (std::size_t i = 0; i < design.groups; ++i) {
    laws.push_back(population.draw(stream));
    study.push_back(measured(laws.back(), design, stream));
  }
  const auto learned = learn_priors(
      study.size(), [&](std::size_t i) { return study[i]; }, 1, 0);
  for (std::size_t i = 0; i < design.groups; ++i) {
    const double x = 4 * study[i].back().x;
    const double log_run =
        std::log(laws[i](x)) + std::hypot(design.scatter, design.within) * stream.normal();
    add(study[i], {}, x, log_run, alone);
    add(study[i], learned->of(i), x, log_run, pooled);
  }
}

constexpr const char* kFigures =
    " pooled holds | alone holds | width, pooled over alone | error, pooled over alone |\n";

void print_figures(const Population& population, const Design& design, std::size_t groups,
                   RandomStream stream) {
  Tally alone;
  Tally pooled;
  for (std::size_t i = 0; i < groups / design.groups; ++i) {
    add_study(population, design, stream, alone, pooled);
  }
  const double percent = 100 / static_cast<double>(pooled.widths.size());
  fmt::print(" {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n", percent * pooled.held, percent * alone.held,
             pooled.median_width() / alone.median_width(), std::sqrt(pooled.square / alone.square));
}

void print_single_runs(std::size_t groups, std::uint64_t seed) {
  fmt::print("#### Pooled forecasts\n\n| population | groups | n | scatter |{}", kFigures);
  fmt::print("| --- | --: | --: | --: | --: | --: | --: | --: |\n");
  std::uint64_t row = 0;
  for (const Population& population : kPopulations) {
    for (const std::size_t size : {5, 8, 20, 50}) {
      for (const int points : {4, 6}) {
        for (const double scatter : {0.01, 0.03, 0.1}) {
          fmt::print("| {} | {} | {} | {:g} % |", population.name, size, points, 100 * scatter);
          print_figures(population, {size, points, scatter}, groups, RandomStream(seed, ++row));
        }
      }
    }
  }
}

void print_repeats(std::size_t groups, std::uint64_t seed) {
  constexpr std::array kDesigns{Design{20, 5, 0.03, 3, 0.015}, Design{20, 5, 0.03, 3, 0.003},
                                Design{20, 5, 0.02, 5, 0.03}, Design{20, 5, 0, 3, 0.03},
                                Design{20, 4, 0.03, 10, 0.01}};
  fmt::print("\n| population | n | runs | inside | between |{}", kFigures);
  fmt::print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n");
  std::uint64_t row = 1000;
  for (const Population& population : kPopulations) {
    for (const Design& design : kDesigns) {
      fmt::print("| {} | {} | {} | {:g} % | {:g} % |", population.name, design.points,
                 design.repeats, 100 * design.within, 100 * design.scatter);
      print_figures(population, design, groups, RandomStream(seed, ++row));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto groups = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 2000);
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  print_single_runs(groups, seed);
  print_repeats(groups, seed);
}
