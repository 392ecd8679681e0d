#pragma once

#include <cstddef>
#include <span>

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// How a law of several x differs from "chinchilla". All have two powers and a floor: E + A
/// (f n^k)^(-alpha) + B (f d^k)^(-beta).
struct SurfaceForm {
  std::size_t parameters = 5;  ///< Of the law: the first ones of a descent.
  double power = 1;            ///< k.
  double log_factor = 0;       ///< ln f.
  bool one_exponent = false;   ///< alpha is the only exponent, and beta equals it.
  bool repeats = false;        ///< Tokens may be seen several times: repeated_data().

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

/// Parameters, tokens and unique tokens of a run in logarithms. Each scale may be about a centre;
/// tokens and unique tokens are about the same one.
struct LogScales {
  double n;
  double d;
  double u;
};

/// The law "data-constrained" at a run: its parameters are (ln A, ln B, E, alpha, beta, ln R_D, ln
/// R_N), for scales about the centre of the run.
struct RepeatedData {
  double log_best;   ///< ln U_N, of the size that would be the best one for U fresh tokens.
  double log_n;      ///< ln N', effective parameters.
  double log_d;      ///< ln D', effective tokens.
  double n_of_best;  ///< The derivative of ln N' by ln U_N,
  double n_of_rn;    ///< by ln R_N,
  double d_of_rd;    ///< and that of ln D' by ln R_D.
};

/// Effective parameters and tokens. N' = U_N + U_N R_N (1 - exp(-(N/U_N - 1)/R_N)) if N > U_N, else
/// N; D' likewise of U, D and R_D. U_N is where alpha A N^-alpha = beta B U^-beta. NaN unless alpha
/// and beta are positive.
/// @param theta  Seven parameters; E is not used.
/// Source: Muennighoff et al. (2023), eqs. 5 to 9 and their code.
RepeatedData repeated_data(const LogScales& scales, std::span<const double> theta);

/// The derivatives of ln L in the parameters, from the shares of the first two terms in L. Writes
/// none for E.
void fill_gradient(const LogScales& scales, const RepeatedData& at, double first, double second,
                   std::span<const double> theta, std::span<double> out);

}  // namespace scalelaw
