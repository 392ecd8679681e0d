// Made-up losses of training runs.

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/runs/generate.hpp"

namespace scalelaw {
namespace {

constexpr double kFlopPerParameterAndToken = 6;  // Kaplan et al. 2020.

/// The number of parameters with the least loss at parameters * tokens = product (Hoffmann et al.
/// 2022, eq. 4).
double best_parameters(const std::array<double, 5>& law, double product) {
  const auto& [floor, a, b, alpha, beta] = law;
  return std::pow(alpha * a / (beta * b) * std::pow(product, beta), 1 / (alpha + beta));
}

double loss_at(const std::array<double, 5>& law, double parameters, double tokens) {
  const auto& [floor, a, b, alpha, beta] = law;
  return floor + a * std::pow(parameters, -alpha) + b * std::pow(tokens, -beta);
}

double to_digits(double value, int digits) {
  return *parse_number(fmt::format("{:.{}e}", value, digits - 1));
}

/// The place of a size among those of its budget, from -1 to 1.
double place_of(std::uint32_t size, std::uint32_t sizes) {
  return sizes == 1 ? 0 : 2.0 * size / (sizes - 1) - 1;
}

std::string runs_at(double budget, const LossPlan& plan) {
  const double product = budget / kFlopPerParameterAndToken;
  const double best = best_parameters(plan.law, product);
  RandomStream random(plan.seed, stable_hash(fmt::format("{}", budget)));
  std::string text;
  for (std::uint32_t size = 0; size < plan.sizes; ++size) {
    const double parameters = to_digits(best * std::pow(plan.reach, place_of(size, plan.sizes)), 4);
    const double tokens = to_digits(product / parameters, 6);
    for (std::uint32_t replicate = 0; replicate < plan.replicates; ++replicate) {
      const double loss =
          loss_at(plan.law, parameters, tokens) * std::exp(plan.noise * random.normal());
      fmt::format_to(std::back_inserter(text), "{:.0f},{:.0f},{:.6g}\n", parameters, tokens, loss);
    }
  }
  return text;
}

}  // namespace

void generate_losses(const LossPlan& plan, const std::function<void(std::string_view)>& sink) {
  sink("parameters,tokens,loss\n");
  for (const double budget : plan.budgets) sink(runs_at(budget, plan));
}

}  // namespace scalelaw
