#pragma once

#include "fit/levenberg_marquardt.hpp"

namespace scalelaw {

/// The bounds of the law's parameters, one box a smooth piece of the problem: a law with a kink has
/// one for each gap between neighbouring x that has three different x on either side. `out` is
/// overwritten; it stays empty where there are too few x for a kink.
void fill_boxes(const FitPoints& points, std::vector<Box>& out);

/// The bounds of the law's parameters over all pieces.
Box outer_box(const FitPoints& points);

/// The best fit in one box, to Precision::kRss, from a theta close by.
std::optional<Descent> descend_piece(const FitPoints& points, const SmallVector& start,
                                     const Box& box);

/// The least-squares solution over all boxes and starts; nothing where no descent converges.
///
/// The scale of the curve is solved exactly at each of the law's shapes (variable projection), and
/// the best of them starts the descent.
std::optional<Descent> best_descent(const FitPoints& points, Precision precision);

/// The same from a theta close by: the solution of a neighbouring problem.
std::optional<Descent> descend_near(const FitPoints& points, const SmallVector& theta,
                                    Precision precision);

}  // namespace scalelaw
