#pragma once

namespace scalelaw {

/// Two-sided p value of a Student t statistic: P(|T| > |t|). dof > 0 need not be whole.
double student_t_p(double t, double dof);

/// The factor of a two-sided Student t interval: quantile (1 + confidence) / 2; cached per thread.
double student_t_factor(double confidence, double dof);

/// Upper tail of the F distribution, P(F > f), for f >= 0.
double f_p(double f, double dof1, double dof2);
/// The value that F exceeds with a probability in (0, 1).
double f_limit(double probability, double dof1, double dof2);

/// Upper tail of chi-squared with one degree of freedom.
double chi_squared1_p(double statistic);

/// Upper tail of chi-squared with dof > 0 degrees of freedom, for a statistic >= 0.
double chi_squared_p(double statistic, double dof);

/// Distribution function and quantile of the standard normal.
double normal_cdf(double z);
double normal_quantile(double probability);
/// ln of the distribution function, also where that underflows.
double log_normal_cdf(double z);
/// The factor of a two-sided interval of known variance: 1.96 at 95 %.
double normal_factor(double confidence);

/// ln Gamma(x) for x > 0. Any number of threads may call it, which std::lgamma does not allow: it
/// writes the sign of Gamma to a global variable.
double log_gamma(double x);

}  // namespace scalelaw
