#include "replay/ziggurat.hpp"

#include <cmath>

namespace scalelaw {
namespace {

constexpr long double kTail = 3.654152885361008771645L;
constexpr long double kScale = 0x1p52L;

long double density(long double x) { return std::exp(-x * x / 2); }

/// The area of each layer: a rectangle under the density, or the base with the tail.
long double layer_area() {
  const long double tail = std::sqrt(std::acos(-1.0L) / 2) * std::erfc(kTail / std::sqrt(2.0L));
  return kTail * density(kTail) + tail;
}

Ziggurat make_ziggurat() {
  const long double area = layer_area();
  std::array<long double, 256> edge;
  edge[0] = area / density(kTail);  // Width of a rectangle with the area of the base.
  edge[255] = kTail;
  for (std::size_t i = 254; i > 0; --i) {
    edge[i] = std::sqrt(-2 * std::log(area / edge[i + 1] + density(edge[i + 1])));
  }
  Ziggurat out;
  for (std::size_t i = 0; i < edge.size(); ++i) {
    const long double above = i == 0 ? kTail : i == 1 ? 0 : edge[i - 1];
    out.inside[i] = static_cast<std::uint64_t>(above / edge[i] * kScale);
    out.width[i] = static_cast<double>(edge[i] / kScale);
    out.density[i] = static_cast<double>(i == 0 ? 1 : density(edge[i]));
  }
  return out;
}

}  // namespace

const Ziggurat& ziggurat() {
  static const Ziggurat layers = make_ziggurat();
  return layers;
}

}  // namespace scalelaw
