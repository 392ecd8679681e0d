// How often the intervals of `scalelaw predict` hold, and how wide they are, where the truth is a
// law of the mixture. Prints the section "Forecasts" of docs/coverage.md.
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
    {"log-normal", [](double n) { return std::exp(std::log(n) * (-0.9 + 0.03 * std::log(n))); }},
    {"log-normal", [](double n) { return std::exp(std::log(n) * (-1 + 0.05 * std::log(n))); }},
    {"log-normal", [](double n) { return std::exp(std::log(n) * (-0.6 - 0.02 * std::log(n))); }}};

Cell run(double x, double log_time) {
  Cell cell{.x = x, .count = 1, .mean_log = log_time};
  cell.mean = cell.min = cell.max = std::exp(log_time);
  return cell;
}

/// Over all truths of one law.
struct Tally {
  int simulations = 0;
  int runs_inside = 0;
  int curves_inside = 0;
  std::vector<double> widths{};
};

void add(const Truth& truth, int points, double scatter, double distance, RandomStream& stream,
         Tally& tally) {
  std::vector<Cell> cells;
  for (int i = 0; i < points; ++i) {
    const double x = std::exp2(i);
    cells.push_back(run(x, std::log(truth.time(x)) + scatter * stream.normal()));
  }
  const double x = distance * cells.back().x;
  const Prediction at = predict(make_forecast(cells, {}), x);
  const auto holds = [](const Interval& interval, double value) {
    return value >= interval.lower && value <= interval.upper;
  };
  const double curve = truth.time(x);
  ++tally.simulations;
  tally.runs_inside += holds(*at.pi, curve * std::exp(scatter * stream.normal())) ? 1 : 0;
  tally.curves_inside += holds(*at.ci, curve) ? 1 : 0;
  tally.widths.push_back(std::log(at.pi->upper / at.pi->lower));
}

std::string text_of(Tally& tally) {
  const auto middle = tally.widths.begin() + static_cast<std::ptrdiff_t>(tally.widths.size() / 2);
  std::nth_element(tally.widths.begin(), middle, tally.widths.end());
  const double percent = 100.0 / tally.simulations;
  return fmt::format("{:.1f} / {:.1f} ({:.2f})", percent * tally.runs_inside,
                     percent * tally.curves_inside, *middle);
}

}  // namespace

int main(int argc, char** argv) {
  const int simulations = argc > 1 ? std::atoi(argv[1]) : 400;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  constexpr std::array kLaws{"power", "floor", "Amdahl", "USL", "log-normal"};
  fmt::print("| n | scatter | distance |");
  for (const char* const law : kLaws) fmt::print(" {} |", law);
  fmt::print("\n| --: | --: | --: | --: | --: | --: | --: | --: |\n");
  double sum = 0;
  int cells = 0;
  std::uint64_t stream_index = 0;
  for (const int points : kPoints) {
    for (const double scatter : kScatters) {
      for (const double distance : kDistances) {
        fmt::print("| {} | {:g} % | {:g}x |", points, 100 * scatter, distance);
        for (const char* const law : kLaws) {
          Tally tally;
          RandomStream stream(seed, ++stream_index);
          for (const Truth& truth : kTruths) {
            if (std::string_view(truth.law) != law) continue;
            for (int i = 0; i < simulations; ++i) {
              add(truth, points, scatter, distance, stream, tally);
            }
          }
          sum += 100.0 * tally.runs_inside / tally.simulations;
          ++cells;
          fmt::print(" {} |", text_of(tally));
        }
        fmt::print("\n");
      }
    }
  }
  fmt::print("\nMean over the cells: {:.1f} %.\n", sum / cells);
}
