#pragma once

#include <span>

namespace scalelaw {

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
