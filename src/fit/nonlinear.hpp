#pragma once

#include "fit/levenberg_marquardt.hpp"

namespace scalelaw {

/// Writes the bounds of the law's parameters to `out`, one box per smooth piece of the problem. A
/// law with a kink has a box for each gap between neighbouring x that has three different x on
/// either side. `out` stays empty if there are too few x for a kink.
void fill_boxes(const FitPoints& points, std::vector<Box>& out);

/// The bounds of the law's parameters over all pieces.
Box outer_box(const FitPoints& points);

/// The best fit in one box, to Precision::kRss, from a nearby theta.
std::optional<Descent> descend_piece(const FitPoints& points, const SmallVector& start,
                                     const Box& box);

/// The least-squares solution over all boxes and starts; empty if no descent converges. The scale
/// of the curve is solved exactly for each of the law's shapes (variable projection), and the best
/// shape starts the descent.
std::optional<Descent> best_descent(const FitPoints& points, Precision precision);

/// The same from a nearby theta, such as the solution of a neighbouring problem.
std::optional<Descent> descend_near(const FitPoints& points, const SmallVector& theta,
                                    Precision precision);

}  // namespace scalelaw
