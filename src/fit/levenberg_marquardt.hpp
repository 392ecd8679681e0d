#pragma once

#include "fit/regression.hpp"

namespace scalelaw {

/// Bounds of the working parameters; equal ones hold a parameter fixed.
struct Box {
  SmallVector lower;
  SmallVector upper;
};

/// How closely the end of a descent is wanted.
enum class Precision {
  kParameters,  ///< Until the parameters hold to 1e-12.
  kRss,         ///< Until no step can lower the residual sum of squares by 1e-10 of itself.
  kRoughRss,    ///< By 1e-6 of itself: enough to say which of two is the lower.
};

/// Where a descent ended.
struct Descent {
  SmallVector theta;
  double rss;  ///< Weighted, of the cell means; without the scatter inside cells.
};

/// Bounded least squares of a law by Levenberg-Marquardt steps: each solves a QR of the Jacobian
/// with rows that hold the step back; parameters on a bound that the step would cross stay out of
/// it, other steps are cut at the bounds. Nothing if it does not converge.
///
/// No memory is taken once the thread has solved a problem of that size.
///
/// Source: Marquardt (1963); More (1978) for the scaling; damping as in Nielsen (1999).
std::optional<Descent> descend(const FitPoints& points, const SmallVector& start, const Box& box,
                               Precision precision);

/// The weighted residual sum of squares of the cell means about the curve; not finite where the
/// curve is not defined.
double rss_at(const FitPoints& points, const SmallVector& theta);

/// Fills `out` (size x p, row-major) with the gradient of the fitted value of every cell.
void fill_gradients(const FitPoints& points, const SmallVector& theta, std::vector<double>& out);

/// A fitted value with the factor that takes gradients of the predictor to its own.
struct LinkedValue {
  double value;
  double slope;
};

/// The predictor eta of a law on the scale of the fit, which need not be that of the law.
LinkedValue linked_value(Scale law_scale, Scale fit_scale, double eta);

/// The fitted value of a cell on the scale of the fit, which need not be the scale of the law.
double fitted_value(const FitPoints& points, double x, std::span<const double> theta);

}  // namespace scalelaw
