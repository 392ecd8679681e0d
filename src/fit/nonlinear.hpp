#pragma once

#include "fit/regression.hpp"

namespace scalelaw {

/// Bounds of the working parameters. Equal bounds hold a parameter fixed.
struct Box {
  SmallVector lower;
  SmallVector upper;
};

/// How precise the end of a descent has to be.
enum class Precision {
  kParameters,  ///< Until the parameters hold to 1e-12.
  kRss,         ///< Until no step can lower the residual sum of squares by 1e-10 of itself.
  kRoughRss,    ///< The same by 1e-6, enough to tell which of two is lower.
};

/// The end of a descent.
struct Descent {
  SmallVector theta;
  double rss;  ///< Weighted, for the cell means; without scatter inside cells.
};

/// Bounded least squares of a law by Levenberg-Marquardt steps. Each step solves a QR of the
/// Jacobian with additional rows that hold it back. Parameters on a bound that the step would cross
/// are left out, and other steps end at the bounds. Empty if it does not converge. Once a thread
/// has solved a problem of that size, it allocates no memory.
///
/// Source: Marquardt (1963); More (1978) for the scaling; damping as in Nielsen (1999).
std::optional<Descent> descend(const FitPoints& points, const SmallVector& start, const Box& box,
                               Precision precision);

/// The weighted residual sum of squares of the cell means about the curve. Not finite if the curve
/// is undefined.
double rss_at(const FitPoints& points, const SmallVector& theta);

/// Fills `out` (size x p, row-major) with the gradient of the fitted value of every cell.
void fill_gradients(const FitPoints& points, const SmallVector& theta, std::vector<double>& out);

/// A fitted value, and the factor from gradients of the predictor to its gradients.
struct LinkedValue {
  double value;
  double slope;
};

/// Converts the predictor eta of a law to the scale of the fit, which may differ from the law's.
LinkedValue linked_value(Scale law_scale, Scale fit_scale, double eta);

/// The fitted value of a cell on the scale of the fit, which may differ from the law's.
double fitted_value(const FitPoints& points, double x, std::span<const double> theta);

/// Writes the bounds of the law's parameters to `out`, one box per smooth piece of the problem. A
/// law with a kink has a box for each gap between neighbouring x that has three different x on
/// either side. `out` stays empty if there are too few x for a kink.
void fill_boxes(const FitPoints& points, std::vector<Box>& out);

/// The bounds of the law's parameters over all pieces.
Box outer_box(const FitPoints& points);

/// The best fit in one box, to Precision::kRss, from a nearby theta.
std::optional<Descent> descend_piece(const FitPoints& points, const SmallVector& start,
                                     const Box& box);

/// The best fit in one box, to Precision::kRoughRss, from the law's shapes. For boxes that hold a
/// parameter, where the scale of a shape cannot be solved exactly. Empty if no descent converges,
/// and for laws without shapes.
std::optional<Descent> descend_from_shapes(const FitPoints& points, const Box& box);

/// The same from a nearby theta, such as the solution of a neighbouring problem.
std::optional<Descent> descend_near(const FitPoints& points, const SmallVector& theta,
                                    Precision precision);

}  // namespace scalelaw
