#pragma once

#include <string>

#include "scalelaw/render/fit_report.hpp"

namespace scalelaw {

/// A fit whose figures are all short numbers, invented for the test.
inline Fit hand_made_fit() {
  Fit fit;
  fit.law = find_law("power");
  fit.n = 45;
  fit.distinct_x = 9;
  fit.x_min = 2;
  fit.x_max = 424;
  fit.dof = 43;
  Parameter alpha;
  alpha.name = "alpha";
  alpha.estimate = 21637.25;
  alpha.se = 250.5;
  alpha.ci = Interval{21100.5, 22200.75};
  Parameter beta;
  beta.name = "beta";
  beta.estimate = 0.875;
  beta.se = 0.0125;
  beta.ci = Interval{0.85, 0.9};
  beta.t = 70;
  beta.p = 1e-40;
  fit.parameters = {alpha, beta};
  fit.log_alpha.emplace();
  fit.log_alpha->estimate = 9.5;
  fit.log_alpha->se = 0.25;
  fit.log_alpha->ci = Interval{9, 10};
  fit.covariance = {0.0625, 0.5, 0.5, 0.00015625};
  fit.sigma = 0.05;
  fit.r2 = 0.9986;
  fit.r2_adjusted = 0.9985;
  fit.f = 4900;
  fit.f_p = 1e-40;
  fit.log_likelihood = 70.5;
  fit.aic = -135;
  fit.aicc = -134.5;
  fit.bic = -129.5;
  fit.rmse = 12.5;
  fit.mape = 0.04;
  fit.smearing = 1.001;
  fit.speedup = Speedup{100, 108.5};
  fit.curvature = Curvature{0.01, 0.75, 0.4};
  fit.lack_of_fit = LackOfFit{1.25, 0.3};
  fit.cooks_distance_max = 0.2;
  return fit;
}

/// Two points, two parameters: no degrees of freedom, so that most figures are undefined.
inline Fit undefined_fit() {
  Fit fit;
  fit.law = find_law("power");
  fit.n = 2;
  fit.distinct_x = 2;
  fit.x_min = 1;
  fit.x_max = 2;
  Parameter alpha;
  alpha.name = "alpha";
  alpha.estimate = 100;
  Parameter beta;
  beta.name = "beta";
  beta.estimate = 1;
  fit.parameters = {alpha, beta};
  return fit;
}

inline FitReport hand_made_report() {
  FitReport report;
  report.inputs = {"runs.csv"};
  report.x = "gpus";
  report.y = "epoch_seconds";
  report.by = {"model", "power_cap_w"};
  report.rows = {.read = 100, .used = 90, .missing = 7, .bad = 2, .filtered = 1};
  return report;
}

inline GroupFit group_of(std::string model, std::string cap, Fit fit) {
  return {{std::move(model), std::move(cap)}, std::move(fit)};
}

inline GroupFit failed_group(std::string model, std::string cap) {
  return {{std::move(model), std::move(cap)},
          NoFit{FailureCode::kTooFewX, "all 3 points have the same gpus"}};
}

}  // namespace scalelaw
