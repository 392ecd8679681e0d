#pragma once

#include <span>
#include <string>
#include <vector>

#include "scalelaw/render/figure.hpp"
#include "scalelaw/tail/tail.hpp"

namespace scalelaw {

/// A tail with what its figure draws.
struct DrawnTail {
  GroupKey group;
  Tail tail;
  TailCurve sample;  ///< Share of the values >= x.
  TailCurve power_law;
  std::vector<TailCurve> alternatives;  ///< As many as the tail has; empty: not drawn.
};

/// Shares of values >= x over x, both logarithmic, where a power law is a straight line: the
/// sample, the power law from x_min on, and the alternatives. A panel a group, the first few.
///
/// @param column  Of the values.
Figure tail_figure(const std::string& column, std::span<const DrawnTail> tails);

}  // namespace scalelaw
