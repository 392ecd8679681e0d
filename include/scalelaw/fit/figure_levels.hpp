#pragma once

namespace scalelaw {

/// How much of a Fit is computed. Each level includes the one before; the rest stays empty.
enum class Figures {
  kEstimates,  ///< Parameters with errors, intervals and tests, their covariance, sigma and R2.
  kCurve,      ///< Also likelihood, information criteria, figures of the curve in the unit of y.
  kAll,        ///< Also F, checks of the law, and warnings.
};

}  // namespace scalelaw
