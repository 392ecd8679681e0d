#pragma once

#include <cstddef>

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// How a law of several x differs from "chinchilla". All have two powers and a floor: E + A
/// (f n^k)^(-alpha) + B (f d^k)^(-beta).
struct SurfaceForm {
  std::size_t parameters = 5;  ///< Of the law: the first ones of a descent.
  double power = 1;            ///< k.
  double log_factor = 0;       ///< ln f.
  bool one_exponent = false;   ///< alpha is the only exponent, and beta equals it.
  bool repeats = false;        ///< Tokens may be seen several times: fit/repeated_data.hpp.

  /// Which parameter is the exponent of a term, 0 or 1.
  std::size_t exponent(std::size_t term) const { return one_exponent ? 3 : 3 + term; }
};

/// The law "overtrain": C/M = 6 N^2 and C M = 6 D^2.
inline constexpr SurfaceForm kOvertrainForm{.parameters = 4,
                                            .power = 2,
                                            .log_factor = 1.791759469228055,  // ln 6
                                            .one_exponent = true};

/// The form of a law of several x, also with constraints.
const SurfaceForm& form_of(const Law& law);

}  // namespace scalelaw
