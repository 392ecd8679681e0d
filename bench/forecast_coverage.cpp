// How often the intervals of `scalelaw predict` hold, and how wide they are, where the truth is a
// law of the mixture: of each law, those of the truth that is held least. Prints the section
// "Forecasts" of docs/explanation/coverage.md.
//
//     forecast_coverage [SIMULATIONS [SEED]]     default 400 1

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/predict.hpp"

namespace {

using namespace scalelaw;

constexpr std::array kPoints{4, 5, 6, 8, 10};  ///< N = 1, 2, 4, ...
constexpr std::array kScatters{0.01, 0.03, 0.1, 0.2};
constexpr std::array kDistances{2.0, 4.0};

struct Truth {
  const char* law;
  double (*time)(double n);
};

const std::vector<Truth> kTruths{
    {"power", [](double n) { return std::pow(n, -0.5); }},
    {"power", [](double n) { return std::pow(n, -0.7); }},
    {"power", [](double n) { return std::pow(n, -0.9); }},
    {"power", [](double n) { return std::pow(n, -0.95); }},
    {"power", [](double n) { return 1 / n; }},
    {"floor", [](double n) { return std::pow(n, -0.8) + 0.02; }},
    {"floor", [](double n) { return std::pow(n, -0.5) + 0.02; }},
    {"floor", [](double n) { return std::pow(n, -0.7) + 0.05; }},
    {"floor", [](double n) { return std::pow(n, -0.9) + 0.1; }},
    {"Amdahl", [](double n) { return 0.005 + 0.995 / n; }},
    {"Amdahl", [](double n) { return 0.02 + 0.98 / n; }},
    {"Amdahl", [](double n) { return 0.1 + 0.9 / n; }},
    {"USL", [](double n) { return (1 + (n - 1) * (0.02 + 0.0001 * n)) / n; }},
    {"USL", [](double n) { return (1 + (n - 1) * (0.05 + 0.001 * n)) / n; }},
    {"USL", [](double n) { return (1 + (n - 1) * (0.02 + 0.002 * n)) / n; }},
    {"USL", [](double n) { return (1 + (n - 1) * (0.05 + 0.005 * n)) / n; }},
    {"log-normal", [](double n) { return std::exp(std::log(n) * (-0.9 + 0.03 * std::log(n))); }},
    {"log-normal", [](double n) { return std::exp(std::log(n) * (-1 + 0.05 * std::log(n))); }},
    {"log-normal", [](double n) { return std::exp(std::log(n) * (-0.6 - 0.02 * std::log(n))); }}};

/// What is measured at N = 1, 2, 4, ... and how it scatters, in ln t.
struct Design {
  int points;
  int repeats;
  double within;   ///< Of the runs at one N about their mean.
  double between;  ///< Of these means about the curve.
};

Cell measured(const Design& design, double x, double log_time, RandomStream& stream) {
  const double mean = log_time + design.between * stream.normal();
  std::vector<double> runs;
  for (int i = 0; i < design.repeats; ++i) runs.push_back(mean + design.within * stream.normal());
  Cell cell{.x = x, .count = static_cast<std::uint64_t>(design.repeats)};
  for (const double run : runs) cell.mean_log += run / design.repeats;
  for (const double run : runs) cell.ss_log += (run - cell.mean_log) * (run - cell.mean_log);
  cell.mean = cell.min = cell.max = std::exp(cell.mean_log);
  return cell;
}

/// Of one truth; the widths are those of all truths of a law.
struct Tally {
  int simulations = 0;
  int runs_inside = 0;
  int curves_inside = 0;
};

void add(const Truth& truth, const Design& design, double distance, RandomStream& stream,
         Tally& tally, std::vector<double>& widths) {
  std::vector<Cell> cells;
  for (int i = 0; i < design.points; ++i) {
    const double x = std::exp2(i);
    cells.push_back(measured(design, x, std::log(truth.time(x)), stream));
  }
  const double x = distance * cells.back().x;
  const Prediction at = predict(make_forecast(cells, {}), x);
  const auto holds = [](const Interval& interval, double value) {
    return value >= interval.lower && value <= interval.upper;
  };
  const double curve = truth.time(x);
  const double scatter = std::hypot(design.within, design.between);
  ++tally.simulations;
  tally.runs_inside += holds(*at.pi, curve * std::exp(scatter * stream.normal())) ? 1 : 0;
  tally.curves_inside += holds(*at.ci, curve) ? 1 : 0;
  widths.push_back(std::log(at.pi->upper / at.pi->lower));
}

std::string text_of(const Tally& tally, std::vector<double>& widths) {
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  const double percent = 100.0 / tally.simulations;
  return fmt::format("{:.1f} / {:.1f} ({:.2f})", percent * tally.runs_inside,
                     percent * tally.curves_inside, *middle);
}

constexpr std::array kLaws{"power", "floor", "Amdahl", "USL", "log-normal"};

/// Prints the columns of all laws, and returns the least of the runs that held, in percent.
double print_laws(const Design& design, double distance, int simulations, RandomStream& stream) {
  double least = 100;
  for (const char* const law : kLaws) {
    Tally of_law{
        .simulations = simulations, .runs_inside = simulations, .curves_inside = simulations};
    std::vector<double> widths;
    for (const Truth& truth : kTruths) {
      if (std::string_view(truth.law) != law) continue;
      Tally tally;
      for (int i = 0; i < simulations; ++i) add(truth, design, distance, stream, tally, widths);
      of_law.runs_inside = std::min(of_law.runs_inside, tally.runs_inside);
      of_law.curves_inside = std::min(of_law.curves_inside, tally.curves_inside);
    }
    least = std::min(least, 100.0 * of_law.runs_inside / simulations);
    fmt::print(" {} |", text_of(of_law, widths));
  }
  fmt::print("\n");
  return least;
}

void print_head(const char* first) {
  fmt::print("{}", first);
  for (const char* const law : kLaws) fmt::print(" {} |", law);
  fmt::print("\n");
}

void print_single_runs(int simulations, std::uint64_t seed) {
  print_head("| n | scatter | distance |");
  fmt::print("| --: | --: | --: | --: | --: | --: | --: | --: |\n");
  double least_of_four = 100;
  double least_of_more = 100;
  std::uint64_t rows = 0;
  for (const int points : kPoints) {
    for (const double scatter : kScatters) {
      for (const double distance : kDistances) {
        RandomStream stream(seed, ++rows);
        fmt::print("| {} | {:g} % | {:g}x |", points, 100 * scatter, distance);
        double& least = points == 4 ? least_of_four : least_of_more;
        least = std::min(least, print_laws({points, 1, scatter, 0}, distance, simulations, stream));
      }
    }
  }
  fmt::print("\nThe least truth: {:.1f} % with four points, {:.1f} % with more.\n", least_of_four,
             least_of_more);
}

void print_repeats(int simulations, std::uint64_t seed) {
  constexpr std::array kDesigns{Design{4, 2, 0.02, 0.02},  Design{4, 10, 0.001, 0.05},
                                Design{5, 3, 0.03, 0},     Design{5, 3, 0.03, 0.03},
                                Design{5, 20, 0.01, 0.02}, Design{6, 2, 0.05, 0},
                                Design{6, 50, 0.003, 0.03}};
  print_head("\n| N | runs | inside | between |");
  fmt::print("| --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
  std::uint64_t rows = 1000;
  for (const Design& design : kDesigns) {
    RandomStream stream(seed, ++rows);
    fmt::print("| {} | {} | {:g} % | {:g} % |", design.points, design.repeats, 100 * design.within,
               100 * design.between);
    print_laws(design, 2, simulations, stream);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int simulations = argc > 1 ? std::atoi(argv[1]) : 400;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  print_single_runs(simulations, seed);
  print_repeats(simulations, seed);
}
