// How often the intervals of `scalelaw caps` hold the truth. Prints the section "Caps" of
// docs/explanation/coverage.md. The number of threads does not change the numbers.
//
//     caps_rates [SIMULATIONS [SEED]]     default 2000 1

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/energy/caps.hpp"

namespace {

using namespace scalelaw;

constexpr std::size_t kSlice = 50;  ///< Simulations that share a random stream.

/// Counts of hits, each with its own number of trials.
struct Share {
  double hits = 0;
  double trials = 0;

  void count(bool hit) {
    hits += hit ? 1 : 0;
    ++trials;
  }
  std::string percent() const {
    return trials > 0 ? fmt::format("{:.1f}", 100 * hits / trials) : "-";
  }
};

using Shares = std::vector<Share>;

/// Sums of the counts of `simulate`. Simulations come in slices with one stream each.
Shares simulated(std::size_t simulations, std::uint64_t seed, std::uint64_t row, std::size_t kinds,
                 const std::function<void(RandomStream&, Shares&)>& simulate) {
  const std::size_t slices = (simulations + kSlice - 1) / kSlice;
  std::vector<Shares> parts(slices, Shares(kinds));
  parallel_for(thread_count(0), slices, [&](std::size_t slice, int) {
    RandomStream stream(seed, row, slice);
    for (std::size_t i = slice * kSlice; i < std::min(simulations, (slice + 1) * kSlice); ++i) {
      simulate(stream, parts[slice]);
    }
  });
  Shares sums(kinds);
  for (const Shares& part : parts) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      sums[kind].hits += part[kind].hits;
      sums[kind].trials += part[kind].trials;
    }
  }
  return sums;
}

void print_row(const std::string& head, const Shares& shares) {
  std::string row = "| " + head + " |";
  for (const Share& share : shares) row += " " + share.percent() + " |";
  fmt::print("{}\n", row);
}

/// Scatter of ln t and ln E, at the reference and at the other settings.
struct Scatter {
  std::string title;
  double reference;
  double others;
};

const std::vector<Scatter> kScatters{
    {"2 % everywhere", 0.02, 0.02},     {"2 %, reference 6 %", 0.06, 0.02},
    {"6 %, reference 2 %", 0.02, 0.06}, {"30 % everywhere", 0.3, 0.3},
    {"30 %, reference 10 %", 0.1, 0.3}, {"10 %, reference 30 %", 0.3, 0.1}};

constexpr std::array<double, 4> kLogEnergy{-0.12, -0.11, -0.10, 0};  ///< The reference comes last.
constexpr std::array<double, 4> kLogTime{0.03, 0.02, 0.01, 0};

/// Four settings with `runs` runs at each of `scales` N.
std::vector<SettingRuns> simulated_runs(int scales, int runs, const Scatter& scatter,
                                        RandomStream& stream) {
  std::vector<SettingRuns> settings;
  for (std::size_t s = 0; s < kLogEnergy.size(); ++s) {
    SettingRuns setting{fmt::format("{}", 100 + 50 * s), {}};
    const double sigma = s + 1 == kLogEnergy.size() ? scatter.reference : scatter.others;
    for (int i = 0; i < scales * runs; ++i) {
      const double x = std::pow(2.0, i % scales);
      setting.runs.x.push_back(x);
      setting.runs.seconds.push_back(100 / x * std::exp(kLogTime[s] + sigma * stream.normal()));
      setting.runs.joules.push_back(1e4 * std::exp(kLogEnergy[s] + sigma * stream.normal()));
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

bool holds(const std::optional<Interval>& ci, double truth) {
  return ci && ci->lower <= truth && truth <= ci->upper;
}

/// Single runs, of which one was repeated: the run of the reference at the least N.
std::vector<SettingRuns> with_one_repeated(int scales, const Scatter& scatter,
                                           RandomStream& stream) {
  std::vector<SettingRuns> settings = simulated_runs(scales, 1, scatter, stream);
  Measurements& reference = settings.back().runs;
  reference.x.push_back(1);
  reference.seconds.push_back(100 * std::exp(scatter.reference * stream.normal()));
  reference.joules.push_back(1e4 * std::exp(scatter.reference * stream.normal()));
  return settings;
}

/// Counts for one N and for all: time, energy, average over N, trend, and the joint interval of the
/// recommended setting.
void count_ratios(const Caps& caps, const Scatter& scatter, Shares& shares) {
  const double of_means =
      (scatter.others * scatter.others - scatter.reference * scatter.reference) / 2;
  for (const SettingComparison& comparison : caps.scales) {
    for (std::size_t s = 0; s < comparison.settings.size(); ++s) {
      shares[0].count(holds(comparison.settings[s].time.log_ratio.ci, kLogTime[s] + of_means));
      shares[1].count(holds(comparison.settings[s].energy.log_ratio.ci, kLogEnergy[s] + of_means));
    }
  }
  for (std::size_t s = 0; s < caps.overall.settings.size(); ++s) {
    const RelativeSetting& setting = caps.overall.settings[s];
    shares[2].count(holds(setting.energy.log_ratio.ci, kLogEnergy[s] + of_means));
    if (caps.overall.least_energy != setting.setting) continue;
    shares[4].count(holds(setting.energy.ci, std::exp(kLogEnergy[s] + of_means)));
    shares[5].count(holds(setting.energy.joint_ci, std::exp(kLogEnergy[s] + of_means)));
  }
  for (const SettingTrend& trend : caps.trends) shares[3].count(holds(trend.time.ci, 0));
}

void print_ratios(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "| runs | N | scatter | time | energy | energy over N | trend | least energy | the same, "
      "joint |\n| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  std::uint64_t row = 0;
  for (const Scatter& scatter : kScatters) {
    for (const auto& [runs, scales] :
         {std::pair(3, 1), {5, 1}, {10, 1}, {3, 4}, {1, 3}, {1, 4}, {1, 9}}) {
      CapsOptions options;
      options.reference = "250";
      const Shares shares =
          simulated(simulations, seed, ++row, 6, [&](RandomStream& stream, Shares& counted) {
            const auto settings = simulated_runs(scales, runs, scatter, stream);
            count_ratios(compare_settings(settings, options), scatter, counted);
          });
      print_row(fmt::format("{} | {} | {}", runs, scales, scatter.title), shares);
    }
  }
  for (const Scatter& scatter : kScatters) {
    for (const int scales : {3, 4, 9}) {
      CapsOptions options;
      options.reference = "250";
      const Shares shares =
          simulated(simulations, seed, ++row, 6, [&](RandomStream& stream, Shares& counted) {
            const auto settings = with_one_repeated(scales, scatter, stream);
            count_ratios(compare_settings(settings, options), scatter, counted);
          });
      print_row(fmt::format("1, one repeated | {} | {}", scales, scatter.title), shares);
    }
  }
}

/// A curve of ln E over u in [0, 1], least at `minimum`.
struct Truth {
  std::string title;
  double minimum;
  double (*at)(double u);
};

const std::vector<Truth> kTruths{
    {"smooth, inside", 0.4, [](double u) { return 1.2 * std::pow(u - 0.4, 2); }},
    // The derivative is 0.2 - 0.032 / (u + 0.1)^2.
    {"steep left", 0.3, [](double u) { return 0.032 / (u + 0.1) + 0.2 * u; }},
    {"corner as of a voltage floor", 0.4,
     [](double u) {
       return u < 0.4 ? 0.1 * (0.4 - u) : 0.45 * (u - 0.4) + 0.35 * std::pow(u - 0.4, 2);
     }},
    {"falls to the lower edge", 0, [](double u) { return 0.3 * u + 0.1 * u * u; }}};

struct Sweep {
  int levels;
  int runs;
  double sigma;
};

void count_minimum(const Truth& truth, const SmoothCurve& curve, double step, Shares& shares) {
  const CurveMinimum& minimum = curve.minimum;
  shares[0].count(holds(minimum.ci, truth.minimum));
  shares[1].count(std::abs(minimum.level - truth.minimum) <= 1.5 * step);
  shares[2].count(minimum.at_edge != SweepEnd::kNone);
  shares[3].count(minimum.ci && (std::isinf(minimum.ci->lower) || std::isinf(minimum.ci->upper)));
  for (std::size_t i = 0; i < curve.at.size(); ++i) {
    const double value = std::exp(truth.at(curve.at[i]));
    shares[4].count(curve.ci[i] && curve.ci[i]->lower <= value && value <= curve.ci[i]->upper);
  }
}

void print_curves(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n| curve | settings | runs | scatter | minimum in interval | level within 1.5 steps | said "
      "at edge | open interval | curve at the settings |\n| --- | ---: | ---: | ---: | ---: | ---: "
      "| ---: | ---: | ---: |\n");
  std::uint64_t row = 1000;
  for (const Truth& truth : kTruths) {
    for (const Sweep& sweep : {Sweep{7, 1, 0.01},
                               {7, 3, 0.02},
                               {16, 1, 0.01},
                               {41, 1, 0.005},
                               {41, 1, 0.02},
                               {61, 1, 0.0025}}) {
      const Shares shares =
          simulated(simulations, seed, ++row, 5, [&](RandomStream& stream, Shares& counted) {
            std::vector<double> settings;
            std::vector<double> joules;
            for (int i = 0; i < sweep.levels * sweep.runs; ++i) {
              settings.push_back(static_cast<double>(i % sweep.levels) / (sweep.levels - 1));
              joules.push_back(std::exp(truth.at(settings.back()) + sweep.sigma * stream.normal()));
            }
            count_minimum(truth, fit_smooth_curve(settings, joules, 0.95, 1000),
                          1.0 / (sweep.levels - 1), counted);
          });
      print_row(fmt::format("{} | {} | {} | {:.4g} %", truth.title, sweep.levels, sweep.runs,
                            100 * sweep.sigma),
                shares);
    }
  }
}

void print_head(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "\n## Caps\n\n"
      "In percent, simulated: four settings of which three save 10 to 12 % of energy, log-normal "
      "scatter. \"energy over N\" and \"trend\" take all N together; \"least energy\" is the "
      "interval of the setting that looks best, which is picked after the fact, and \"joint\" the "
      "one that allows for it. Curves: ln energy over a sweep from 0 to 1; an interval that is "
      "open "
      "holds what lies beyond the end. {} simulations a figure of ratios, a quarter of them a "
      "figure "
      "of curves (of 2000, Monte Carlo error 0.49 and 0.97 where 5 or 95 are expected). Made by "
      "`bench/caps_rates {} {}`.\n\n",
      simulations, simulations, seed);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  print_head(simulations, seed);
  print_ratios(simulations, seed);
  print_curves(std::max<std::size_t>(simulations / 4, 1), seed);
}
