#include "scalelaw/fit/fit.hpp"

#include <cmath>
#include <stdexcept>

#include "fit/covariance.hpp"
#include "fit/figures.hpp"
#include "fit/regression.hpp"

namespace scalelaw {
namespace {

/// Memory of one thread that one fit leaves to the next.
struct Workspace {
  Observations points;
  Solution solution;
  std::vector<double> fitted;
};

void check_options(const FitOptions& options) {
  if (options.law == nullptr) throw std::invalid_argument("fit_law: no law");
  if (options.law->parameters().size() > kMaxParameters) {
    throw std::invalid_argument("fit_law: the law has too many parameters");
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("fit_law: confidence is not between 0 and 1");
  }
}

void fill_fitted(const Observations& points, const Solution& solution,
                 std::vector<double>& fitted) {
  fitted.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    fitted[i] = points.mean[i] - solution.residual[i];
  }
}

Fit least_squares_fit(Workspace& work, const FitOptions& options) {
  const Observations& points = work.points;
  const Solution& solution = work.solution;
  solve(points, work.solution);
  Fit fit = fit_of(points, options.confidence);
  const bool classic_asked = options.se == StandardError::kClassic;
  const auto classic = classic_covariance(points, solution);
  const auto asked = classic_asked ? classic : covariance_of(points, solution, options.se);
  fill_parameters(fit, std::span(solution.theta).first(solution.p), asked ? &*asked : nullptr,
                  classic && !classic_asked ? &*classic : nullptr);
  fill_least_squares_figures(fit, points, solution);
  return fit;
}

}  // namespace

double Fit::curve(double x) const {
  SmallVector theta{};
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const bool exponential = law->parameters()[k].transform == Transform::kExp;
    theta[k] = exponential ? std::log(parameters[k].estimate) : parameters[k].estimate;
  }
  const double eta = law->predictor(x, std::span(theta).first(parameters.size()), response);
  return law->scale() == Scale::kLog ? std::exp(eta) : eta;
}

Fit fit_law(std::span<const Cell> cells, const FitOptions& options,
            [[maybe_unused]] std::uint64_t random_stream) {
  check_options(options);
  thread_local Workspace work;
  observe(cells, options, work.points);
  Fit fit = least_squares_fit(work, options);
  fill_fitted(work.points, work.solution, work.fitted);
  fill_curve_figures(fit, work.points, work.fitted);
  fill_warnings(fit, options);
  return fit;
}

}  // namespace scalelaw
