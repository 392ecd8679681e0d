#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "scalelaw/replay/policy.hpp"

namespace scalelaw {

/// Count, mean and centred sum of squares (Welford's update).
struct CostMoments {
  double n = 0;
  double mean = 0;
  double squares = 0;

  void add(double cost) {
    n += 1;
    const double distance = cost - mean;
    mean += distance / n;
    squares += distance * (cost - mean);
  }
};

/// Chooses among arms, numbered from 0, by the costs seen so far.
class Bandit {
 public:
  virtual ~Bandit() = default;
  virtual void add(std::size_t arm, const RunOutcome& outcome) = 0;
  virtual std::size_t choose() = 0;
  virtual Phase phase() const = 0;
};

/// Thompson sampling with a normal posterior of the mean reward. The noise precision is taken as
/// known: 1 over the variance with divisor n (Zeus, section 4.4).
std::unique_ptr<Bandit> make_gaussian_thompson(std::size_t arms, const PolicySettings& settings,
                                               RandomSource& random);

/// Thompson sampling with a Student posterior and censored costs (docs/methods.md).
std::unique_ptr<Bandit> make_corrected_thompson(std::size_t arms, const PolicySettings& settings,
                                                RandomSource& random);

/// The arm of least lower confidence bound: mean - s sqrt(2 ln t / n), where s comes from the
/// pooled relative variance.
std::unique_ptr<Bandit> make_confidence_bound(std::size_t arms, const PolicySettings& settings);

}  // namespace scalelaw
