#pragma once

#include <array>
#include <cstdint>

namespace scalelaw {

/// Where the tail of the normal density begins, so that 256 layers have equal areas.
inline constexpr double kZigguratTail = 3.654152885361008771645;

/// The layers of Marsaglia and Tsang's ziggurat (2000) for the standard normal, with 52 bits of
/// magnitude. Layer 0 is the base with the tail; layers 1 to 255 go from the top down.
struct Ziggurat {
  std::array<std::uint64_t, 256> inside;  ///< Smaller magnitudes surely lie under the density.
  std::array<double, 256> width;          ///< Width of the layer over 2^52.
  std::array<double, 256> density;        ///< exp(-x^2 / 2) at the layer's edge.
};

/// Made at the first call, in extended precision.
const Ziggurat& ziggurat();

}  // namespace scalelaw
