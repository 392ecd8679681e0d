// How reliable the intervals and the goodness of fit of `scalelaw tail` are. Prints the section
// "Tail" of docs/explanation/coverage.md. The number of threads does not change the numbers.
//
//     tail_rates [SIMULATIONS [SEED]]     default 200 1

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/tail/tail.hpp"

namespace {

using namespace scalelaw;

constexpr double kAlpha = 2.5;
constexpr double kBody = 0.5;  ///< Share below x_min, where there is a kink.
constexpr std::uint32_t kDraws = 200;

/// The source of the values; x_min is 1, or 5 for whole numbers.
enum class Truth {
  kPure,      ///< A power law from the least value on.
  kKink,      ///< Uniform below x_min.
  kSmooth,    ///< Below x_min exp(-alpha (x - 1)), with smooth density and slope.
  kDiscrete,  ///< Whole numbers, uniform below x_min.
  kLognormal  ///< No power law anywhere: ln x is normal with standard deviation 1.
};

struct Setting {
  std::string_view name;
  Truth truth;
  int n;
};

/// A whole number from the zeta distribution on 5, 6, ...: Devroye's rejection (1986, X.6) from 1
/// on, until a value is large enough.
double zeta_value(RandomStream& random) {
  const double b = std::pow(2.0, kAlpha - 1);
  for (;;) {
    const double x = std::floor(std::pow(random.uniform(), -1 / (kAlpha - 1)));
    const double t = std::pow(1 + 1 / x, kAlpha - 1);
    if (random.uniform() * x * (t - 1) / (b - 1) <= t / b && x >= 5) return x;
  }
}

double value_of(Truth truth, RandomStream& random) {
  const double share_of_body = truth == Truth::kPure ? 0 : kBody;
  const double pareto = std::pow(random.uniform(), -1 / (kAlpha - 1));
  if (truth == Truth::kLognormal) return std::exp(random.normal());
  if (truth == Truth::kSmooth) {
    const double body = std::expm1(kAlpha) / kAlpha;
    const double tail = 1 / (kAlpha - 1);
    if (random.uniform() * (body + tail) < tail) return pareto;
    return 1 - std::log1p(random.uniform() * std::expm1(kAlpha)) / kAlpha;
  }
  const bool in_body = random.uniform() < share_of_body;
  if (truth == Truth::kDiscrete) {
    return in_body ? 1.0 + random.below(4) : zeta_value(random);
  }
  return in_body ? random.uniform() : pareto;
}

struct Rates {
  double samples = 0;
  double alpha_held = 0;
  double alpha_held_if_known = 0;  ///< By alpha +- 1.96 standard errors, with x_min known.
  double x_min_held = 0;
  double width = 0;
  double bias = 0;
  double below_05 = 0;
  double below_10 = 0;
  double below_50 = 0;
  double supported = 0;  ///< Verdicts for a power law, alone or beside others.

  void add(const Rates& other) {
    for (const auto member : {&Rates::samples, &Rates::alpha_held, &Rates::alpha_held_if_known,
                              &Rates::x_min_held, &Rates::width, &Rates::bias, &Rates::below_05,
                              &Rates::below_10, &Rates::below_50, &Rates::supported}) {
      this->*member += other.*member;
    }
  }
};

Rates judged(const Setting& setting, std::uint64_t seed, std::size_t i) {
  RandomStream random(seed, stable_hash(setting.name), i);
  std::vector<double> values(static_cast<std::size_t>(setting.n));
  for (double& value : values) value = value_of(setting.truth, random);
  TailOptions options;
  options.discrete = setting.truth == Truth::kDiscrete;
  options.draws = kDraws;
  options.seed = i + 1;
  options.threads = 1;
  const Tail tail = judge_tail(values, options);
  const double x_min = options.discrete ? 5 : 1;
  Rates rates;
  rates.samples = 1;
  rates.alpha_held = tail.alpha_ci->lower <= kAlpha && kAlpha <= tail.alpha_ci->upper;
  rates.alpha_held_if_known = std::abs(tail.alpha - kAlpha) <= 1.96 * tail.alpha_se;
  // No value is exactly 1, so the least one above it must do.
  rates.x_min_held = tail.x_min_ci->lower <= 1.02 * x_min && x_min <= tail.x_min_ci->upper;
  rates.width = tail.alpha_ci->upper - tail.alpha_ci->lower;
  rates.bias = tail.alpha - kAlpha;
  rates.below_05 = *tail.p < 0.05;
  rates.below_10 = *tail.p < 0.1;
  rates.below_50 = *tail.p < 0.5;
  rates.supported =
      tail.verdict == TailVerdict::kSupported || tail.verdict == TailVerdict::kPlausible;
  return rates;
}

Rates simulate(const Setting& setting, std::size_t simulations, std::uint64_t seed) {
  std::vector<Rates> parts(simulations);
  parallel_for(thread_count(0), simulations,
               [&](std::size_t i, int) { parts[i] = judged(setting, seed, i); });
  Rates sum;
  for (const Rates& part : parts) sum.add(part);
  return sum;
}

void print_row(const Setting& setting, const Rates& rates) {
  const auto percent = [&](double count) {
    return fmt::format("{:.1f}", 100 * count / rates.samples);
  };
  const bool has_tail = setting.truth != Truth::kLognormal;
  const auto if_tail = [&](const std::string& text) { return has_tail ? text : std::string("-"); };
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", setting.name, setting.n,
             if_tail(percent(rates.alpha_held)), if_tail(percent(rates.alpha_held_if_known)),
             if_tail(percent(rates.x_min_held)), fmt::format("{:.2f}", rates.width / rates.samples),
             if_tail(fmt::format("{:+.3f}", rates.bias / rates.samples)), percent(rates.below_05),
             percent(rates.below_10), percent(rates.below_50), percent(rates.supported));
}

void print_table(std::size_t simulations, std::uint64_t seed) {
  fmt::print(
      "## Tail\n\nIn percent, simulated: a power law with alpha 2.5 from x_min on, sampled by "
      "itself (\"pure\"), or with a body below x_min that holds half of the values and ends in a "
      "kink (\"kink\"; \"whole\" on whole numbers from 5 on), or with a body that goes over "
      "smoothly and leaves the tail 13 % of the values (\"smooth\"); and a log-normal sample with "
      "sigma 1, which has no such tail. {} samples a row, {} draws each. Made by "
      "`bench/tail_rates {} {}`.\n\n",
      simulations, kDraws, simulations, seed);
  fmt::print(
      "| truth | n | alpha's interval holds (95) | with x_min taken for known | x_min's holds (95) "
      "| width of alpha's | bias of alpha | p < 0.05 | p < 0.1 | p < 0.5 | verdict supported or "
      "plausible |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  constexpr Setting kSettings[] = {
      {"pure", Truth::kPure, 300},
      {"pure", Truth::kPure, 3000},
      {"kink", Truth::kKink, 300},
      {"kink", Truth::kKink, 3000},
      {"smooth", Truth::kSmooth, 1000},

      {"whole", Truth::kDiscrete, 300},

      {"log-normal", Truth::kLognormal, 300},
      {"log-normal", Truth::kLognormal, 3000},
  };
  for (const Setting& setting : kSettings) {
    print_row(setting, simulate(setting, simulations, seed));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t simulations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  print_table(simulations, seed);
}
