// The least joint loss over shared parameters, its curvature, and its profiles.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>

#include "fit/bfgs.hpp"
#include "fit/shared_fit.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/outcome.hpp"

namespace scalelaw {
namespace {

/// A fall of the joint loss by this share of it is rounding, or moves no digit that is shown.
constexpr double kEnough = 1e-14;

using JointMatrix = Eigen::MatrixXd;

JointMatrix block(const SmallMatrix& matrix, std::span<const std::size_t> rows,
                  std::span<const std::size_t> columns) {
  JointMatrix out(static_cast<Eigen::Index>(rows.size()),
                  static_cast<Eigen::Index>(columns.size()));
  for (std::size_t j = 0; j < rows.size(); ++j) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) = matrix[rows[j]][columns[k]];
    }
  }
  return out;
}

/// @throws FitError if the matrix, scaled to a diagonal of 1, is singular.
JointMatrix inverse_of(const JointMatrix& matrix) {
  constexpr double kSingularCurvature = 1e-14;
  if (matrix.rows() == 0) return matrix;
  const Eigen::VectorXd scale = matrix.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const JointMatrix scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
  const Eigen::LDLT<JointMatrix> factor(scaled);
  if (!(factor.vectorD().minCoeff() > kSingularCurvature)) {
    throw FitError(FailureCode::kNotIdentifiable,
                   "the runs do not determine the shared and the own parameters together: share "
                   "fewer, hold some with --fix, or measure more scales");
  }
  const JointMatrix inverse = factor.solve(JointMatrix::Identity(matrix.rows(), matrix.rows()));
  return scale.asDiagonal() * inverse * scale.asDiagonal();
}

/// How one group's own parameters follow the shared ones, and what it adds to their curvature.
struct Schur {
  std::vector<std::size_t> own;
  JointMatrix inverse;     ///< Of the own block of the curvature.
  JointMatrix follow;      ///< - inverse times the mixed block: own rows, shared columns.
  JointMatrix complement;  ///< m x m.
};

Schur schur_of(const JointProblem& problem, std::size_t group, const SharedMoments& moments) {
  Schur out;
  const std::vector<std::size_t>& shared = problem.shared();
  for (std::size_t k = 0; k < problem.law().parameters().size(); ++k) {
    if (problem.is_own(group, k)) out.own.push_back(k);
  }
  const JointMatrix mixed = block(moments.curvature, out.own, shared);
  out.inverse = inverse_of(block(moments.curvature, out.own, out.own));
  out.follow = -(out.inverse * mixed);
  out.complement = block(moments.curvature, shared, shared) + mixed.transpose() * out.follow;
  return out;
}

/// The inverse of a curvature in the shared parameters that no end holds; 0 for the others.
JointMatrix inverse_inside(const JointMatrix& matrix, const std::vector<bool>& at_end) {
  std::vector<Eigen::Index> inside;
  for (std::size_t k = 0; k < at_end.size(); ++k) {
    if (!at_end[k]) inside.push_back(static_cast<Eigen::Index>(k));
  }
  const JointMatrix part = inverse_of(matrix(inside, inside));
  JointMatrix out = JointMatrix::Zero(matrix.rows(), matrix.rows());
  for (std::size_t j = 0; j < inside.size(); ++j) {
    for (std::size_t k = 0; k < inside.size(); ++k) {
      out(inside[j], inside[k]) = part(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k));
    }
  }
  return out;
}

std::vector<double> listed(const JointMatrix& matrix) {
  std::vector<double> out;
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) out.push_back(matrix(j, k));
  }
  return out;
}

/// A matrix over own rows as one over all parameters.
JointMatrix spread(const JointMatrix& rows, std::span<const std::size_t> places, std::size_t p) {
  JointMatrix out = JointMatrix::Zero(static_cast<Eigen::Index>(p), rows.cols());
  for (std::size_t j = 0; j < places.size(); ++j) {
    out.row(static_cast<Eigen::Index>(places[j])) = rows.row(static_cast<Eigen::Index>(j));
  }
  return out;
}

JointMatrix follow_of(const JointProblem& problem, const Schur& schur) {
  const std::size_t p = problem.law().parameters().size();
  JointMatrix out = spread(schur.follow, schur.own, p);
  for (std::size_t k = 0; k < problem.shared().size(); ++k) {
    out(static_cast<Eigen::Index>(problem.shared()[k]), static_cast<Eigen::Index>(k)) = 1;
  }
  return out;
}

/// Whether shared parameters are inside the ranges of the law.
bool is_in_range(const JointProblem& problem, std::span<const double> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ParameterSpec& spec = problem.law().parameters()[problem.shared()[k]];
    if (!(values[k] >= spec.lower && values[k] <= spec.upper)) return false;
  }
  return true;
}

/// The end of an interval in one direction: where `beyond` turns positive. It is negative inside,
/// and -reach at the estimate.
/// @param limit  The end of the parameter's range.
double end_of_profile(const std::function<double(double)>& beyond, double estimate, double reach,
                      double step, double limit) {
  constexpr int kMostSteps = 40;
  constexpr double kFurthest = 50;  ///< In first steps; an end beyond it is open.
  const double first = step;
  double inside = estimate;
  double below = -reach;
  double outside = 0;
  double above = -1;
  for (int count = 0; count < kMostSteps && above < 0; ++count) {
    outside = inside + step;
    const bool at_limit = step > 0 ? outside >= limit : outside <= limit;
    if (at_limit) outside = limit;
    above = beyond(outside);
    if (above >= 0) break;
    if (at_limit) return limit;
    if (std::abs(outside - estimate) > kFurthest * std::abs(first)) break;
    step *= std::clamp(reach / std::max(above - below, 1e-9), 0.5, 2.0);
    inside = outside;
    below = above;
  }
  if (!(above >= 0)) return first > 0 ? kInfinity : -kInfinity;
  double weight_inside = below;
  double weight_outside = above;
  for (int count = 0; count < 60; ++count) {
    const double share =
        std::isfinite(weight_outside) ? -weight_inside / (weight_outside - weight_inside) : 0.5;
    const double middle = inside + share * (outside - inside);
    const double there = beyond(middle);
    if (std::abs(there) < 1e-7 * reach || std::abs(outside - inside) < 1e-10 * std::abs(inside)) {
      return middle;
    }
    // The Illinois method: an end that stays twice counts half.
    if (there < 0) {
      inside = middle;
      weight_inside = there;
      weight_outside *= 0.5;
    } else {
      outside = middle;
      weight_outside = there;
      weight_inside *= 0.5;
    }
  }
  return inside;
}

}  // namespace

bool JointProblem::is_shared(std::size_t parameter) const {
  return std::ranges::find(shared_, parameter) != shared_.end();
}

bool JointProblem::is_own(std::size_t group, std::size_t parameter) const {
  return law_->is_fitted(parameter) && !is_shared(parameter) &&
         groups_[group]->is_inside(parameter);
}

bool JointProblem::determines(std::size_t group, const std::vector<double>& shared) const {
  Held held;
  for (std::size_t k = 0; k < shared_.size(); ++k) held[shared_[k]] = shared[k];
  if (!groups_[group]->descend(held)) return false;
  return if_possible([&] { return schur_of(*this, group, groups_[group]->moments(1)).own.size(); })
      .has_value();
}

std::vector<SmallVector> JointProblem::places() const {
  std::vector<SmallVector> places;
  for (const auto& group : groups_) places.push_back(group->theta());
  return places;
}

void JointProblem::move_to(const std::vector<SmallVector>& places) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g]->move_to(places[g]);
}

JointProblem JointProblem::drawn(RandomStream& stream) const {
  std::vector<std::unique_ptr<SharedGroup>> groups;
  for (const auto& group : groups_) groups.push_back(group->drawn(stream));
  return {*law_, shared_, std::move(groups)};
}

/// The sum of the least losses of the groups; infinite if one has none.
double JointProblem::loss_at(const std::vector<double>& values,
                             const std::vector<SmallVector>& from) const {
  if (!is_in_range(*this, values)) return kInfinity;
  Held held;
  for (std::size_t k = 0; k < shared_.size(); ++k) held[shared_[k]] = values[k];
  double sum = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g]->move_to(from[g]);
    if (!groups_[g]->descend(held)) return kInfinity;
    sum += groups_[g]->loss();
  }
  return sum;
}

/// The derivatives of the least losses with respect to the shared parameters. At the minima those
/// of the own parameters are 0, so it is the partial one.
std::vector<double> JointProblem::gradient() const {
  std::vector<double> out(shared_.size());
  for (const auto& group : groups_) {
    const SharedMoments moments = group->moments(1);
    for (std::size_t k = 0; k < shared_.size(); ++k) out[k] += moments.gradient[shared_[k]];
  }
  return out;
}

JointMinimum JointProblem::descend(std::vector<double> start,
                                   const std::vector<std::optional<double>>& held) const {
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (held[k]) start[k] = *held[k];
    if (!held[k]) free.push_back(k);
  }
  std::vector<SmallVector> best_places = places();
  std::vector<double> best = start;
  double least = loss_at(start, best_places);
  if (!std::isfinite(least)) return {start, least, false, {}};
  best_places = places();
  JointMatrix curvature = JointMatrix::Zero(static_cast<Eigen::Index>(free.size()),
                                            static_cast<Eigen::Index>(free.size()));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto schur = if_possible([&] { return schur_of(*this, g, groups_[g]->moments(1)); });
    const std::vector<Eigen::Index> inside(free.begin(), free.end());
    if (schur) curvature += schur->complement(inside, inside);
  }
  const auto inverse = if_possible([&] { return inverse_of(curvature); });
  SmallMatrix first{};
  SmallVector at{};
  for (std::size_t j = 0; j < free.size(); ++j) {
    at[j] = start[free[j]];
    for (std::size_t k = 0; k < free.size() && inverse; ++k) {
      first[j][k] = (*inverse)(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k));
    }
  }
  const SmoothFunction function = [&](const SmallVector& there, SmallVector& slopes) {
    std::vector<double> values = start;
    for (std::size_t k = 0; k < free.size(); ++k) values[free[k]] = there[k];
    const double loss = loss_at(values, best_places);
    if (!std::isfinite(loss)) return kInfinity;
    const std::vector<double> all = gradient();
    for (std::size_t k = 0; k < free.size(); ++k) slopes[k] = all[free[k]];
    if (loss < least) {
      least = loss;
      best = values;
      best_places = places();
    }
    return loss;
  };
  if (!free.empty()) bfgs(function, free.size(), at, first, kEnough * least);
  return {.shared = best,
          .loss = loss_at(best, best_places),
          .converged = true,
          .at_end = std::vector<bool>(shared_.size(), false)};
}

JointMinimum JointProblem::minimise(const std::vector<double>& start,
                                    const std::vector<std::optional<double>>& held) const {
  constexpr double kNear = 0.02;  ///< Of the size of the parameter.
  JointMinimum found = descend(start, held);
  if (!found.converged) return found;
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    const ParameterSpec& spec = law_->parameters()[shared_[k]];
    for (const double end : {spec.lower, spec.upper}) {
      const double size = std::max(std::abs(start[k]), std::abs(found.shared[k]));
      if (held[k] || !(std::abs(found.shared[k] - end) <= kNear * size)) continue;
      const std::vector<SmallVector> before = places();
      std::vector<std::optional<double>> at_end = held;
      at_end[k] = end;
      JointMinimum edge = descend(found.shared, at_end);
      if (edge.converged && edge.loss <= found.loss * (1 + 1e-12)) {
        edge.at_end = found.at_end;
        edge.at_end[k] = true;
        found = edge;
      } else {
        move_to(before);
        loss_at(found.shared, before);
      }
    }
  }
  return found;
}

JointCovariance::JointCovariance(std::size_t p, std::vector<double> shared, std::vector<Part> parts)
    : p_(p),
      m_(static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(shared.size()))))),
      shared_(std::move(shared)),
      parts_(std::move(parts)) {}

std::vector<double> JointCovariance::between(std::size_t one, std::size_t other) const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto p = static_cast<Eigen::Index>(p_);
  const auto m = static_cast<Eigen::Index>(m_);
  const auto matrix = [](const std::vector<double>& values, Eigen::Index rows,
                         Eigen::Index columns) {
    return Eigen::Map<const Rows>(values.data(), rows, columns);
  };
  const Part& a = parts_.at(one);
  const Part& b = parts_.at(other);
  JointMatrix sum =
      matrix(a.follow, p, m) * matrix(shared_, m, m) * matrix(b.follow, p, m).transpose();
  sum += matrix(a.mixed, p, m) * matrix(b.follow, p, m).transpose();
  sum += matrix(a.follow, p, m) * matrix(b.mixed, p, m).transpose();
  if (one == other) sum += matrix(a.own, p, p);
  return listed(sum);
}

JointCurvature curvature_of(const JointProblem& problem, const std::vector<bool>& at_end,
                            double inflation, std::optional<double> variance) {
  const std::size_t p = problem.law().parameters().size();
  const auto m = static_cast<Eigen::Index>(problem.shared().size());
  std::vector<Schur> schurs;
  std::vector<SharedMoments> moments;
  JointMatrix complement = JointMatrix::Zero(m, m);
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    moments.push_back(problem.groups()[g]->moments(inflation));
    schurs.push_back(schur_of(problem, g, moments.back()));
    complement += schurs.back().complement;
  }
  const JointMatrix inverse = inverse_inside(complement, at_end);
  JointMatrix filling = JointMatrix::Zero(m, m);
  std::vector<JointCovariance::Part> bread;
  std::vector<JointCovariance::Part> parts;
  for (std::size_t g = 0; g < schurs.size(); ++g) {
    const Schur& schur = schurs[g];
    SmallMatrix scatter = moments[g].filling;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) {
        scatter[j][k] =
            variance ? *variance * moments[g].curvature[j][k] : inflation * scatter[j][k];
      }
    }
    // A shared parameter moves by the inverse times (its score + follow' own scores).
    const JointMatrix own = block(scatter, schur.own, schur.own);
    const JointMatrix mixed = block(scatter, schur.own, problem.shared());
    const JointMatrix follow = schur.follow.transpose();
    filling += block(scatter, problem.shared(), problem.shared()) + follow * mixed +
               mixed.transpose() * schur.follow + follow * own * schur.follow;
    const JointMatrix spread_own = spread(schur.inverse * own * schur.inverse, schur.own, p);
    const JointMatrix with_shared = schur.inverse * (mixed + own * schur.follow) * inverse;
    const std::vector<double> follows = listed(follow_of(problem, schur));
    parts.push_back({listed(spread(spread_own.transpose(), schur.own, p)), follows,
                     listed(spread(with_shared, schur.own, p))});
    bread.push_back({listed(spread(spread(schur.inverse, schur.own, p).transpose(), schur.own, p)),
                     follows, listed(JointMatrix::Zero(static_cast<Eigen::Index>(p), m))});
  }
  const JointMatrix covariance = inverse * filling * inverse;
  return {listed(inverse), JointCovariance(p, listed(inverse), std::move(bread)),
          JointCovariance(p, listed(covariance), std::move(parts))};
}

JointProfiles::JointProfiles(const JointProblem& problem, const JointMinimum& minimum,
                             const JointCurvature& curvature)
    : problem_(problem), minimum_(minimum), curvature_(curvature), places_(problem.places()) {
  const std::size_t m = minimum.shared.size();
  total_.assign(m * m, 0);
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    moments_.push_back(problem.groups()[g]->moments(1));
    complements_.push_back(listed(schur_of(problem, g, moments_.back()).complement));
    for (std::size_t k = 0; k < m * m; ++k) total_[k] += complements_.back()[k];
  }
}

double JointProfiles::variance_of(std::size_t group, std::size_t parameter) const {
  const std::size_t p = problem_.law().parameters().size();
  return curvature_.covariance.between(group, group)[parameter * p + parameter];
}

double JointProfiles::factor_of(std::size_t group, std::size_t parameter) const {
  const std::size_t p = problem_.law().parameters().size();
  return curvature_.bread.between(group, group)[parameter * p + parameter] /
         variance_of(group, parameter);
}

Interval JointProfiles::of_shared(std::size_t place, double reach) const {
  const std::size_t parameter = problem_.shared()[place];
  const double factor = factor_of(0, parameter);
  const double step = reach * std::sqrt(variance_of(0, parameter));
  const ParameterSpec& spec = problem_.law().parameters()[parameter];
  const auto end = [&](double direction, double limit) {
    problem_.move_to(places_);
    std::vector<double> start = minimum_.shared;
    const auto beyond = [&](double value) {
      std::vector<std::optional<double>> held(start.size());
      held[place] = value;
      const JointMinimum there = problem_.minimise(start, held);
      if (!there.converged) return kInfinity;
      start = there.shared;
      return std::sqrt(2 * std::max(0.0, there.loss - minimum_.loss) * factor) - reach;
    };
    return end_of_profile(beyond, minimum_.shared[place], reach, direction * step, limit);
  };
  const Interval ends{end(-1, spec.lower), end(1, spec.upper)};
  problem_.move_to(places_);
  return ends;
}

/// The rise of the joint loss where one group's own parameter is held: that of the group, and the
/// quadratic of the others in the shared parameters.
class JointProfiles::OwnRise {
 public:
  OwnRise(const JointProfiles& profiles, std::size_t group, std::size_t parameter)
      : profiles_(profiles),
        runs_(*profiles.problem_.groups()[group]),
        group_(group),
        parameter_(parameter),
        place_(profiles.places_[group]),
        shared_(profiles.minimum_.shared) {
    const auto& at_end = profiles.minimum_.at_end;
    for (std::size_t k = 0; k < at_end.size(); ++k) {
      if (!at_end[k]) free_.push_back(k);
    }
    move_back();
    loss_ = runs_.loss();
  }
  ~OwnRise() { move_back(); }
  OwnRise(const OwnRise&) = delete;
  OwnRise& operator=(const OwnRise&) = delete;

  /// The least rise over the shared parameters; starts from the place of the last one.
  double at(double value) {
    const std::size_t m = shared_.size();
    SmallMatrix inverse{};
    SmallVector start{};
    for (std::size_t j = 0; j < free_.size(); ++j) {
      start[j] = shared_[free_[j]];
      for (std::size_t k = 0; k < free_.size(); ++k) {
        inverse[j][k] = profiles_.curvature_.shared_inverse[free_[j] * m + free_[k]];
      }
    }
    double least = kInfinity;
    const SmoothFunction rise = [&](const SmallVector& there, SmallVector& slopes) {
      std::vector<double> values = profiles_.minimum_.shared;
      for (std::size_t k = 0; k < free_.size(); ++k) values[free_[k]] = there[k];
      const double here = rise_at(value, values, slopes);
      if (here < least) {
        least = here;
        place_ = runs_.theta();
        shared_ = values;
      }
      return here;
    };
    if (free_.empty()) {
      SmallVector slopes{};
      return rise(start, slopes);
    }
    bfgs(rise, free_.size(), start, inverse, kEnough * profiles_.minimum_.loss);
    return least;
  }

 private:
  Held held_at(const std::vector<double>& shared) const {
    Held held;
    for (std::size_t k = 0; k < shared.size(); ++k)
      held[profiles_.problem_.shared()[k]] = shared[k];
    return held;
  }
  void move_back() {
    runs_.move_to(profiles_.places_[group_]);
    runs_.descend(held_at(profiles_.minimum_.shared));
  }

  double rise_at(double value, const std::vector<double>& shared, SmallVector& slopes) {
    if (!is_in_range(profiles_.problem_, shared)) return kInfinity;
    Held held = held_at(shared);
    held[parameter_] = value;
    runs_.move_to(place_);
    if (!runs_.descend(held)) return kInfinity;
    const SharedMoments here = runs_.moments(1);
    const auto& places = profiles_.problem_.shared();
    const std::size_t m = shared.size();
    double rise = runs_.loss() - loss_;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const std::size_t row = free_[j];
      double bent = 0;
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t entry = row * m + k;
        bent += (profiles_.total_[entry] - profiles_.complements_[group_][entry]) *
                (shared[k] - profiles_.minimum_.shared[k]);
      }
      // At the minimum the slopes of the others balance this group's.
      const double slope = -profiles_.moments_[group_].gradient[places[row]];
      rise += (shared[row] - profiles_.minimum_.shared[row]) * (slope + 0.5 * bent);
      slopes[j] = here.gradient[places[row]] + slope + bent;
    }
    return rise;
  }

  const JointProfiles& profiles_;
  SharedGroup& runs_;
  std::size_t group_;
  std::size_t parameter_;
  SmallVector place_;           ///< Of the group, where the last rise was least,
  std::vector<double> shared_;  ///< and of the shared parameters.
  std::vector<std::size_t> free_;
  double loss_ = 0;
};

Interval JointProfiles::of_own(std::size_t group, std::size_t parameter, double reach) const {
  const double factor = factor_of(group, parameter);
  const double step = reach * std::sqrt(variance_of(group, parameter));
  const ParameterSpec& spec = problem_.law().parameters()[parameter];
  const auto end = [&](double direction, double limit) {
    OwnRise rise(*this, group, parameter);
    const auto beyond = [&](double value) {
      return std::sqrt(2 * std::max(0.0, rise.at(value)) * factor) - reach;
    };
    return end_of_profile(beyond, places_[group][parameter], reach, direction * step, limit);
  };
  return {end(-1, spec.lower), end(1, spec.upper)};
}

}  // namespace scalelaw
