#include "fit/surface_form.hpp"

#include <cmath>

namespace scalelaw {
namespace {

/// ln(1 + R (1 - exp(-r / R))) of r repetitions, and its derivatives by r and ln R.
struct Worth {
  double log;
  double of_repeats;
  double of_log_constant;
};

Worth worth_of(double repeats, double constant) {
  const double left = std::exp(-repeats / constant);
  const double gained = -constant * std::expm1(-repeats / constant);
  const double sum = 1 + gained;
  return {std::log1p(gained), left / sum, (gained - repeats * left) / sum};
}

}  // namespace

RepeatedData repeated_data(const LogScales& scales, std::span<const double> theta) {
  const double alpha = theta[3];
  const double beta = theta[4];
  RepeatedData at{};
  at.log_best = (std::log(alpha / beta) + theta[0] - theta[1] + beta * scales.u) / alpha;
  at.log_n = scales.n;
  if (!(scales.n <= at.log_best)) {  // Also for NaN, so that it is seen.
    const double repeats = std::expm1(scales.n - at.log_best);
    const Worth worth = worth_of(repeats, std::exp(theta[6]));
    at.log_n = at.log_best + worth.log;
    at.n_of_best = 1 - worth.of_repeats * (1 + repeats);
    at.n_of_rn = worth.of_log_constant;
  }
  at.log_d = scales.d;
  if (scales.d > scales.u) {
    const Worth worth = worth_of(std::expm1(scales.d - scales.u), std::exp(theta[5]));
    at.log_d = scales.u + worth.log;
    at.d_of_rd = worth.of_log_constant;
  }
  return at;
}

void fill_gradient(const LogScales& scales, const RepeatedData& at, double first, double second,
                   std::span<const double> theta, std::span<double> out) {
  const double alpha = theta[3];
  const double beta = theta[4];
  // ln A moves the first term itself, and with ln U_N its N'.
  out[0] = first * (1 - at.n_of_best);
  out[1] = first * at.n_of_best + second;
  out[3] = -first * (at.log_n + at.n_of_best * (1 / alpha - at.log_best));
  out[4] = -first * at.n_of_best * (scales.u - 1 / beta) - second * at.log_d;
  out[5] = -second * beta * at.d_of_rd;
  out[6] = -first * alpha * at.n_of_rn;
}

}  // namespace scalelaw
