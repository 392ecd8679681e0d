#include "judge/student_table.hpp"

#include <memory>
#include <numbers>
#include <unordered_map>

#include "base/per_thread.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

constexpr double kLeastRatio = -8;  ///< ln of the least tabulated ratio, and its steps.
constexpr double kRatioStep = 0.5;

double log_beta_of(double dof) {
  return 0.5 * std::log(std::numbers::pi) + log_gamma(0.5 * dof) - log_gamma(0.5 * (dof + 1));
}

}  // namespace

StudentTable::StudentTable(double dof) : dof_(dof), log_beta_(log_beta_of(dof)) {
  const double log_factor = -log_beta_ - 0.5 * std::log(dof);  // Of the density.
  // Minus the density after v = t / (t + 2).
  const auto slope = [&](double v) {
    const double t = 2 * v / (1 - v);
    const double rest = 0.5 * (1 - v) * (1 - v);
    return -std::exp(log_factor - 0.5 * (dof + 1) * std::log1p(t * t / dof)) / rest;
  };
  const double h = 1.0 / kPieces;
  const double last = dof > 1 ? 0 : -2 * std::exp(log_factor) * std::pow(dof, 0.5 * (dof + 1)) / 4;
  knots_[kPieces] = {0, h * last};
  for (std::size_t i = kPieces; i-- > 0;) {
    const double v = h * static_cast<double>(i);
    // Gauss-Legendre with four points.
    double area = 0;
    for (const auto& [place, weight] : {std::pair{0.8611363115940526, 0.3478548451374538},
                                        std::pair{0.3399810435848563, 0.6521451548625461}}) {
      area += weight * (slope(v + 0.5 * h * (1 - place)) + slope(v + 0.5 * h * (1 + place)));
    }
    knots_[i] = {knots_[i + 1].tail - 0.5 * h * area, h * slope(v)};
  }
  for (std::size_t i = 0; i <= kRatios; ++i) {
    cut_scales_[i] = solve_cut(std::exp(kLeastRatio + kRatioStep * static_cast<double>(i)));
  }
}

double StudentTable::solve_cut(double ratio) const {
  const double share = std::exp(-0.5 * dof_ * std::log1p(ratio));  // Of the part that is taken off.
  const double wider = std::sqrt(1 + ratio);
  double high = student_t_factor(0.95, dof_);
  double low = 0;
  const double full = high;
  for (int i = 0; i < 40; ++i) {
    const double t = 0.5 * (low + high);
    const double tail = (1 - at(t).cdf) - share * (1 - at(t / wider).cdf);
    (tail > 0.025 * (1 - share) ? low : high) = t;
  }
  return 0.5 * (low + high) / full;
}

double StudentTable::cut_scale(double ratio) const {
  // In this order the ends also take what is no number, as of a law that overflows.
  const double place =
      std::min(double{kRatios} - 1e-9, std::max(0.0, (std::log(ratio) - kLeastRatio) / kRatioStep));
  const auto i = static_cast<std::size_t>(place);
  const double u = place - static_cast<double>(i);
  return (1 - u) * cut_scales_[i] + u * cut_scales_[i + 1];
}

const StudentTable& StudentTable::of(double dof) {
  using Tables = std::unordered_map<double, std::unique_ptr<StudentTable>>;
  thread_local PerThread<Tables> tables;
  std::unique_ptr<StudentTable>& table = (*tables)[dof];
  if (!table) table = std::make_unique<StudentTable>(dof);
  return *table;
}

}  // namespace scalelaw
