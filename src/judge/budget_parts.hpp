#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fit/surface_form.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/judge/budget.hpp"

namespace scalelaw {

/// ln of a resource over ln n and ln g: a line that may get steeper beyond the runs.
struct ResourceLine {
  double scale = 0;
  double n = 0;
  double gpus = 0;
  /// Where the runs end, and how much steeper the line is beyond.
  double n_end = std::numeric_limits<double>::infinity();
  double n_more = 0;
  double gpus_end = std::numeric_limits<double>::infinity();
  std::optional<MixturePart> beyond = {};  ///< The law of the time over g there; else the line.

  double at(double log_n, double log_gpus) const {
    const double inside = scale + n * log_n + gpus * std::min(log_gpus, gpus_end) +
                          n_more * std::max(0.0, log_n - n_end);
    return log_gpus > gpus_end ? inside + growth(log_gpus - gpus_end) : inside;
  }
  /// How much more ln of it is so far beyond the most GPUs.
  double growth(double log_times) const;
};

/// What tokens and parameters are worth beyond those that unique tokens can teach.
struct RepeatLaw {
  double log_unique = 0;
  double log_r_d = 0;  ///< ln R_D,
  double log_r_n = 0;  ///< and ln R_N (Muennighoff et al. 2023).
};

/// The numbers of all laws: their estimates, or a draw of them.
struct LawValues {
  double log_a = 0;
  double log_b = 0;
  double floor = 0;
  double alpha = 0;
  double beta = 0;
  std::optional<RepeatLaw> repeats = {};  ///< Empty: all tokens count as fresh ones.
  ResourceLine gpu_seconds = {};          ///< Of a token.
  ResourceLine power = {};                ///< Watts of a GPU, or joules of a token:
  bool of_tokens = false;                 ///< whether it is of a token.

  double loss(double log_n, double log_d) const;
  /// Effective parameters and tokens, where `repeats` is known.
  RepeatedData effective(double log_n, double log_d) const;
  /// ln of the joules of a token.
  double log_joules(double log_n, double log_gpus) const {
    return power.at(log_n, log_gpus) + (of_tokens ? 0 : gpu_seconds.at(log_n, log_gpus));
  }
};

/// Beyond the GPUs of the runs the time goes on by the law whose time is the median at the most
/// GPUs that options allow.
LawValues estimates_of(const BudgetLaws& laws, const BudgetOptions& options);

/// Draws the numbers of all laws from what the runs tell of them.
class LawDraws {
 public:
  static constexpr std::size_t kLaws = 3;  ///< Loss, time, and power or energy.

  /// @param by_time  Whether a limit needs the laws of time and power.
  LawDraws(const BudgetLaws& laws, const LawValues& estimates, bool by_time);
  /// False if a law that is needed was fitted and has no errors.
  bool possible() const { return possible_; }
  /// Numbers of all laws, and the same with the scatter of one run in time and power.
  struct Drawn {
    LawValues laws;
    LawValues run;
  };
  Drawn draw(RandomStream& stream) const;

  /// Independent directions in which the numbers of a law may be off; 0 if they are known.
  std::size_t directions(std::size_t law) const;
  double dof(std::size_t law) const { return spreads_[law].dof; }
  /// With how many degrees of freedom a law is drawn.
  void set_dof(std::size_t law, double dof) { spreads_[law].dof = dof; }
  /// Those of a quantity that changes so along the directions of a law, per standard error.
  double dof_along(std::size_t law, std::span<const double> slopes) const;
  /// The estimates moved by so many standard errors along one direction.
  LawValues moved(std::size_t law, std::size_t direction, double step) const;
  /// The estimates, with one law of the time beyond the most GPUs in place of all.
  LawValues with_one_beyond(const MixturePart& law) const;

 private:
  static constexpr std::size_t kMostNumbers = 7;
  /// By law and direction, in standard errors.
  using Steps = std::array<std::array<double, kMostNumbers>, kLaws>;
  /// The errors of the numbers of one law; without rows if there are none.
  struct Spread {
    std::size_t size = 0;
    std::vector<double> root = {};  ///< Row-major: root root' is the covariance.
    double dof = 0;
    std::shared_ptr<const DirectionDof> direction_dof = {};
    double sigma = 0;  ///< Scatter of a run.
  };
  static Spread spread_of(std::span<const double> covariance, double dof);
  static Spread spread_of(const std::optional<ResourceLaw>& law);
  LawValues values_at(const Steps& steps) const;
  /// What the steps of a law add to its numbers.
  std::array<double, kMostNumbers> added(std::size_t law, const Steps& steps) const;

  BudgetLaws laws_;
  LawValues estimates_;
  std::array<Spread, kLaws> spreads_;
  bool possible_ = true;
};

/// The place of least loss within limits.
struct BestPlace {
  double log_n;
  double log_d;
  double log_gpus;
  double loss;
};

/// Finds it by nested golden sections in ln n and ln g.
/// @return  Empty if nothing meets the limits, or the loss still falls where the search ends.
std::optional<BestPlace> best_place(const LawValues& values, const BudgetOptions& options,
                                    const Interval& log_n, const Interval& log_gpus);

/// Whether a limit needs the time of a token.
bool needs_time(BudgetLimit limit);

/// What training n on d with g takes, and serving.
BudgetPlan plan_at(const LawValues& values, const BudgetLaws& laws, const BudgetOptions& options,
                   const BestPlace& place);

}  // namespace scalelaw
