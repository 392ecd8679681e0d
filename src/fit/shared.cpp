#include "scalelaw/fit/shared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "fit/bootstrap.hpp"
#include "fit/figures.hpp"
#include "fit/nonlinear.hpp"
#include "fit/shared_fit.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// The parameters of those names in the law's order.
std::vector<std::size_t> shared_places(const Law& law, const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const std::size_t k = parameter_named(law, name);
    if (!law.is_fitted(k)) {
      throw data_error("--share {0}: --fix or --tie holds {0} already; leave out one of them",
                       name);
    }
    places.push_back(k);
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

void check_sharing(const FitOptions& options) {
  if (options.law->kink()) {
    throw data_error("--share: the {} law has a kink, over which no parameter can be shared",
                     options.law->name());
  }
  const bool one_x = options.law->inputs() == 1;
  if (one_x && options.se != StandardError::kClassic) {
    throw data_error(
        "--share: joint fits of laws of one x have classic standard errors; leave out --se {}",
        name_of(options.se));
  }
  if (options.se == StandardError::kCr2) {
    throw DataError(
        "--share: joint fits have no --se cr2; --se cluster allows for runs, and needs about 20 of "
        "them");
  }
  if (one_x && options.robust != Robust::kNone) {
    throw data_error(
        "--share: joint fits of laws of one x take least squares; leave out --robust {}",
        name_of(options.robust));
  }
}

/// The groups of a joint fit with their fits alone, which start it and judge it.
struct Alone {
  std::vector<std::size_t> members;  ///< Places of the groups that take part.
  std::vector<Outcome<Fit>> fits;    ///< Of the members.
  std::vector<std::unique_ptr<SharedGroup>> groups;
  std::vector<GroupFit> left_out;  ///< The others, by place; empty results for members.
};

std::optional<std::vector<double>> shared_values(const Outcome<Fit>& alone,
                                                 const std::vector<std::size_t>& shared) {
  const Fit* const fit = std::get_if<Fit>(&alone);
  if (fit == nullptr) return std::nullopt;
  const SmallVector theta = working_parameters(*fit);
  std::vector<double> values;
  for (const std::size_t k : shared) values.push_back(theta[k]);
  return values;
}

/// Where joint descents start: shared values of groups alone, low, middle and high ones.
std::vector<std::vector<double>> starts_from(const Alone& alone,
                                             const std::vector<std::size_t>& shared) {
  std::vector<std::vector<double>> values;
  for (const Outcome<Fit>& fit : alone.fits) {
    if (auto found = shared_values(fit, shared)) values.push_back(std::move(*found));
  }
  std::ranges::sort(values);
  std::vector<std::vector<double>> starts;
  for (const double share : {0.5, 0.2, 0.8}) {
    if (values.empty()) break;
    const auto place =
        static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    starts.push_back(values[place]);
  }
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

/// Moves every group to its fit alone; one without to the middle group's.
void move_to_fits(const JointProblem& problem, const Alone& alone) {
  SmallVector usual{};
  for (const Outcome<Fit>& fit : alone.fits) {
    if (const Fit* const found = std::get_if<Fit>(&fit)) usual = working_parameters(*found);
  }
  for (std::size_t g = 0; g < alone.fits.size(); ++g) {
    const Fit* const found = std::get_if<Fit>(&alone.fits[g]);
    problem.groups()[g]->move_to(found != nullptr ? working_parameters(*found) : usual);
  }
}

/// Leaves out groups that have no fit alone and whose runs do not determine what they do not share.
void leave_out_undetermined(Alone& alone, const std::vector<std::size_t>& shared, const Law& law) {
  const auto starts = starts_from(alone, shared);
  JointProblem problem(law, shared, std::move(alone.groups));
  move_to_fits(problem, alone);
  std::vector<bool> kept;
  for (std::size_t g = 0; g < alone.fits.size(); ++g) {
    const NoFit* const failure = std::get_if<NoFit>(&alone.fits[g]);
    kept.push_back(failure == nullptr || (!starts.empty() && problem.determines(g, starts[0])));
    if (!kept.back()) alone.left_out[alone.members[g]].result = *failure;
  }
  std::vector<std::unique_ptr<SharedGroup>> groups = std::move(problem).release();
  std::vector<std::size_t> members;
  std::vector<Outcome<Fit>> fits(static_cast<std::size_t>(std::ranges::count(kept, true)));
  for (std::size_t g = 0; g < kept.size(); ++g) {
    if (!kept[g]) continue;
    fits[members.size()] = std::move(alone.fits[g]);
    members.push_back(alone.members[g]);
    alone.groups.push_back(std::move(groups[g]));
  }
  alone.members = std::move(members);
  alone.fits = std::move(fits);
}

JointMinimum joint_minimum(const JointProblem& problem, const Alone& alone) {
  const std::vector<std::optional<double>> free(problem.shared().size());
  std::optional<JointMinimum> best;
  std::vector<SmallVector> places;
  for (const std::vector<double>& start : starts_from(alone, problem.shared())) {
    move_to_fits(problem, alone);
    JointMinimum found = problem.minimise(start, free);
    if (!found.converged || (best && !(found.loss < best->loss))) continue;
    best = std::move(found);
    places = problem.places();
  }
  if (!best) {
    throw FitError(FailureCode::kNotConverged,
                   "no joint fit was found: the groups alone give no start, or their losses go on "
                   "falling; share fewer parameters, or measure more runs");
  }
  problem.move_to(places);
  Held held;
  for (std::size_t k = 0; k < best->shared.size(); ++k) held[problem.shared()[k]] = best->shared[k];
  for (const auto& group : problem.groups()) group->descend(held);
  return *best;
}

/// Sums over the groups.
struct JointSums {
  std::uint64_t runs = 0;
  std::size_t clusters = 0;
  double rss = 0;
  double loss = 0;
};

JointSums sums_of(const JointProblem& problem) {
  JointSums sums;
  for (const auto& group : problem.groups()) {
    sums.runs += group->runs();
    sums.clusters += group->clusters();
    sums.rss += group->rss();
    sums.loss += group->loss();
  }
  return sums;
}

void fill_likelihood(Sharing& sharing, double rss) {
  Fit fit;
  fit.n = sharing.n;
  fit.rss = rss;
  scalelaw::fill_likelihood(fit, sharing.fitted);
  sharing.log_likelihood = fit.log_likelihood;
  sharing.aic = fit.aic;
  sharing.aicc = fit.aicc;
  sharing.bic = fit.bic;
}

/// The F test against separate fits. For losses that are no squares, twice the rise of the loss is
/// scaled by the mean of psi' over that of psi^2 (Huber and Ronchetti 2009, sec. 7.6, tau test).
void fill_test(Sharing& sharing, const JointProblem& problem, const Alone& alone, bool is_square) {
  const auto without = std::ranges::find_if(
      alone.fits, [](const auto& fit) { return std::holds_alternative<NoFit>(fit); });
  if (without != alone.fits.end()) {
    sharing.untested = "a group has no fit alone: " + std::get<NoFit>(*without).message;
    return;
  }
  const auto df1 = static_cast<double>(problem.shared().size() * (problem.groups().size() - 1));
  const double df2 = static_cast<double>(sharing.dof) - df1;
  if (!(df1 > 0) || !(df2 > 0)) {
    sharing.untested = "separate fits leave no degrees of freedom";
    return;
  }
  const std::vector<SmallVector> places = problem.places();
  move_to_fits(problem, alone);
  double loss = 0;
  double slopes = 0;
  double squares = 0;
  for (const auto& group : problem.groups()) {
    group->descend({});
    const SharedMoments moments = group->moments(static_cast<double>(sharing.n) / df2);
    loss += group->loss();
    slopes += moments.psi_slopes;
    squares += moments.psi_squares;
  }
  problem.move_to(places);
  const double variance =
      is_square ? 2 * loss / df2 : squares / slopes * static_cast<double>(sharing.n) / df2;
  if (!(variance > 0)) {
    sharing.untested = "separate fits are exact";
    return;
  }
  const double f = 2 * std::max(0.0, sharing.objective - loss) / df1 / variance;
  sharing.test = SharingTest{.f = f, .df1 = df1, .df2 = df2, .p = f_p(f, df1, df2)};
}

/// A joint fit with all that its reports need.
struct Joint {
  JointProblem problem;
  JointMinimum minimum;
  JointCurvature curvature;
  Sharing sharing;
  std::optional<std::uint64_t> clusters;

  double t_dof() const {
    return clusters ? static_cast<double>(*clusters - 1) : static_cast<double>(sharing.dof);
  }
};

std::size_t fitted_parameters(const JointProblem& problem) {
  const std::size_t m = problem.shared().size();
  return m + problem.groups().size() * (problem.law().fitted_parameters() - m);
}

/// n / (n - p), or for clusters the factor of CR1.
double inflation_of(const JointSums& sums, std::int64_t dof, bool clustered) {
  const auto n = static_cast<double>(sums.runs);
  const double small = n / static_cast<double>(dof);
  if (!clustered) return small;
  const auto clusters = static_cast<double>(sums.clusters);
  return clusters / (clusters - 1) * (n - 1) / static_cast<double>(dof);
}

Joint joint_of(Alone& alone, std::vector<std::size_t> shared, const FitOptions& options) {
  leave_out_undetermined(alone, shared, *options.law);
  if (alone.members.size() < 2) {
    throw FitError(FailureCode::kTooFewLevels,
                   "fewer than two groups can be fitted, so that none has another to share with");
  }
  JointProblem problem(*options.law, std::move(shared), std::move(alone.groups));
  Joint joint{std::move(problem), {}, {}, {}, {}};
  joint.minimum = joint_minimum(joint.problem, alone);
  const JointSums sums = sums_of(joint.problem);
  Sharing& sharing = joint.sharing;
  sharing.groups = joint.problem.groups().size();
  sharing.n = sums.runs;
  sharing.fitted = fitted_parameters(joint.problem);
  sharing.dof = static_cast<std::int64_t>(sharing.n) - static_cast<std::int64_t>(sharing.fitted);
  sharing.objective = sums.loss;
  if (sharing.dof < 1) {
    throw fit_error(
        FailureCode::kTooFewPoints,
        "{} runs for {} parameters of all groups leave no degrees of freedom; measure more runs",
        sharing.n, sharing.fitted);
  }
  const bool clustered = is_clustered(options.se);
  if (clustered) joint.clusters = sums.clusters;
  if (clustered && sums.clusters < 2) {
    throw FitError(FailureCode::kTooFewPoints, "--se cluster needs two clusters or more");
  }
  sharing.sigma = std::sqrt(sums.rss / static_cast<double>(sharing.dof));
  const bool one_x = options.law->inputs() == 1;
  const bool is_square = one_x || loss_of(options).is_square();
  std::optional<double> variance;
  if (one_x) variance = *sharing.sigma * *sharing.sigma;
  joint.curvature = curvature_of(joint.problem, joint.minimum.at_end,
                                 inflation_of(sums, sharing.dof, clustered), variance);
  if (is_square) fill_likelihood(sharing, sums.rss);
  if (clustered) {
    sharing.untested = "runs of one cluster share errors, for which the F test does not allow";
  } else {
    fill_test(sharing, joint.problem, alone, is_square);
    Held held;
    for (std::size_t k = 0; k < joint.minimum.shared.size(); ++k) {
      held[joint.problem.shared()[k]] = joint.minimum.shared[k];
    }
    for (const auto& group : joint.problem.groups()) group->descend(held);
  }
  return joint;
}

/// The covariance of one group's parameters with the degrees of freedom of its t.
Covariance covariance_at(const Joint& joint, std::size_t group) {
  const std::size_t p = joint.problem.law().parameters().size();
  const std::vector<double> listed = joint.curvature.covariance.between(group, group);
  Covariance out;
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < p; ++k) out.matrix[j][k] = listed[j * p + k];
    if (joint.clusters) out.dof[j] = joint.t_dof();
  }
  return out;
}

void set_profile(Parameter& parameter, const ParameterSpec& spec, const Interval& ends) {
  parameter.wald_ci = parameter.ci;
  parameter.ci = spec.is_exponential() ? exp_of(ends) : ends;
}

/// Fills estimates, errors and intervals of one group.
/// @param shared_ends  Intervals of the shared parameters; empty without profiles.
void fill_group(Fit& fit, const Joint& joint, std::size_t group, const JointProfiles& profiles,
                std::span<const Interval> shared_ends) {
  const Law& law = *fit.law;
  const SmallVector theta = joint.problem.groups()[group]->theta();
  const Covariance covariance = covariance_at(joint, group);
  fill_parameters(fit, std::span(theta).first(law.parameters().size()), &covariance, nullptr);
  if (law.inputs() > 1) fit.log_alpha.reset();
  const double reach = student_t_factor(fit.confidence, joint.t_dof());
  const std::vector<std::size_t>& shared = joint.problem.shared();
  for (std::size_t k = 0; k < law.parameters().size(); ++k) {
    Parameter& parameter = fit.parameters[k];
    const auto place = std::ranges::find(shared, k);
    parameter.shared = place != shared.end();
    const auto index = static_cast<std::size_t>(place - shared.begin());
    const bool held = parameter.shared ? joint.minimum.at_end[index]
                                       : !joint.problem.groups()[group]->is_inside(k);
    if (!law.is_fitted(k)) continue;
    if (held) {
      const double estimate = parameter.estimate;
      static_cast<Estimate&>(parameter) = {};
      parameter.estimate = estimate;
      parameter.on_bound = true;
    } else if (!shared_ends.empty() && parameter.shared) {
      set_profile(parameter, law.parameters()[k], shared_ends[index]);
    } else if (!shared_ends.empty()) {
      set_profile(parameter, law.parameters()[k], profiles.of_own(group, k, reach));
    }
  }
}

/// Intervals of the shared parameters; empty if profiles are not asked for or not needed.
std::vector<Interval> shared_ends_of(const Joint& joint, const JointProfiles& profiles,
                                     const FitOptions& options) {
  std::vector<Interval> ends;
  if (options.intervals != Intervals::kProfile || !(joint.sharing.sigma > 0.0)) return ends;
  const double reach = student_t_factor(options.confidence, joint.t_dof());
  for (std::size_t k = 0; k < joint.problem.shared().size(); ++k) {
    ends.push_back(joint.minimum.at_end[k] ? Interval{} : profiles.of_shared(k, reach));
  }
  return ends;
}

/// Parameters of all groups of joint refits of runs drawn inside each group; those that did not
/// converge are left out.
std::vector<std::vector<double>> joint_refits(const Joint& joint, const FitOptions& options,
                                              int threads) {
  constexpr std::size_t kBlock = 20;  // Refits that share a random stream.
  const std::size_t p = options.law->parameters().size();
  const std::size_t resamples = options.bootstrap.resamples;
  std::vector<std::vector<double>> refits(resamples);
  parallel_for(threads, (resamples + kBlock - 1) / kBlock, [&](std::size_t block, int /*worker*/) {
    RandomStream stream(options.bootstrap.seed, 0, block);
    for (std::size_t r = block * kBlock; r < std::min(resamples, (block + 1) * kBlock); ++r) {
      const JointProblem drawn = joint.problem.drawn(stream);
      const std::vector<std::optional<double>> free(joint.minimum.shared.size());
      if (!drawn.minimise(joint.minimum.shared, free).converged) continue;
      for (const auto& group : drawn.groups()) {
        const SmallVector theta = group->theta();
        for (std::size_t k = 0; k < p; ++k) {
          refits[r].push_back(options.law->parameters()[k].reported(theta[k]));
        }
      }
    }
  });
  std::erase_if(refits, [](const auto& refit) { return refit.empty(); });
  return refits;
}

Bootstrap bootstrap_at(const Joint& joint, std::span<const std::vector<double>> refits,
                       std::size_t group, const FitOptions& options) {
  const std::size_t p = options.law->parameters().size();
  Bootstrap out{BootstrapKind::kCase,
                options.bootstrap.resamples,
                options.bootstrap.seed,
                {},
                static_cast<std::uint32_t>(refits.size())};
  constexpr double kLeastConverged = 0.9;
  const auto asked = static_cast<double>(options.bootstrap.resamples);
  if (static_cast<double>(refits.size()) < kLeastConverged * asked) return out;
  const double reach = student_t_factor(options.confidence, joint.t_dof());
  for (std::size_t k = 0; k < p; ++k) {
    std::vector<double> draws;
    for (const auto& refit : refits) draws.push_back(refit[group * p + k]);
    out.parameters.push_back(percentile_estimate(draws, reach));
  }
  return out;
}

/// The joint fit as one fit per group.
/// @param head_of  The fit of a member without its parameters.
/// @param fill_figures  Adds the figures of a member's curve, once it has its parameters.
template <class HeadOf, class FillFigures>
SharedFits shared_fits(Alone& alone, std::vector<std::size_t> shared, const FitOptions& options,
                       int threads, HeadOf head_of, FillFigures fill_figures) {
  SharedFits out;
  if (alone.left_out.size() < 2) {
    throw DataError(
        "--share: two groups or more can share a parameter; -b names the columns "
        "that divide the runs into groups");
  }
  Joint joint = joint_of(alone, std::move(shared), options);
  out.groups = std::move(alone.left_out);
  const JointProfiles profiles(joint.problem, joint.minimum, joint.curvature);
  const std::vector<Interval> ends = shared_ends_of(joint, profiles, options);
  std::vector<std::vector<double>> refits;
  if (options.bootstrap.resamples > 0) refits = joint_refits(joint, options, thread_count(threads));
  for (std::size_t g = 0; g < alone.members.size(); ++g) {
    Fit fit = head_of(alone.members[g]);
    fit.dof = joint.sharing.dof;
    fit.se = options.se;
    fit.clusters = joint.clusters;
    fill_group(fit, joint, g, profiles, ends);
    fit.rss = joint.problem.groups()[g]->rss();
    if (options.bootstrap.resamples > 0) fit.bootstrap = bootstrap_at(joint, refits, g, options);
    fill_held(fit);
    fill_figures(fit, alone.members[g], joint.problem.groups()[g]->loss());
    fit.sigma = joint.sharing.sigma;
    if (options.figures == Figures::kAll) fill_warnings(fit, options);
    if (g == 0) {
      for (const Parameter& parameter : fit.parameters) {
        if (parameter.shared) joint.sharing.parameters.push_back(parameter);
      }
    }
    out.groups[alone.members[g]].result = std::move(fit);
  }
  out.sharing = std::make_shared<const Sharing>(std::move(joint.sharing));
  out.covariance = std::move(joint.curvature.covariance);
  return out;
}

/// Fits every group alone. Those with too few runs for their own parameters are left out.
/// @param fit_alone  The fit of the group at a place. @param make  Its part of a joint fit.
template <class Runs, class FitAlone, class Make>
Alone alone_of(std::span<const Runs> groups, std::size_t own_parameters, FitAlone fit_alone,
               Make make) {
  Alone alone;
  alone.left_out = std::vector<GroupFit>(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    alone.left_out[i].group = groups[i].group;
    std::unique_ptr<SharedGroup> group = make(groups[i]);
    if (group->runs() <= own_parameters) {
      alone.left_out[i].result =
          NoFit{FailureCode::kTooFewPoints,
                fmt::format("{} cannot determine the {} that the group does not share",
                            counted(group->runs(), "run"), counted(own_parameters, "parameter"))};
      continue;
    }
    alone.members.push_back(i);
    alone.groups.push_back(std::move(group));
    alone.fits.push_back(fit_alone(groups[i]));
  }
  return alone;
}

FitOptions plain(FitOptions options) {
  options.bootstrap.resamples = 0;
  options.intervals = Intervals::kWald;
  options.figures = Figures::kEstimates;
  return options;
}

}  // namespace

SharedFits fit_shared(std::span<const CurveRuns> groups, const std::vector<std::string>& names,
                      const FitOptions& options, int threads) {
  check_sharing(options);
  std::vector<std::size_t> shared = shared_places(*options.law, names);
  const FitOptions simple = plain(options);
  Alone alone = alone_of(
      groups, options.law->fitted_parameters() - shared.size(),
      [&](const CurveRuns& runs) { return fit_or_reason(runs.cells, simple); },
      [&](const CurveRuns& runs) { return shared_curve(runs.cells, options); });
  FitPoints points;
  const auto head = [&](std::size_t i) {
    observe(groups[i].cells, options, points);
    return fit_of(points, options.confidence);
  };
  const auto figures = [&](Fit& fit, std::size_t i, double /*loss*/) {
    observe(groups[i].cells, options, points);
    const SmallVector theta = working_parameters(fit);
    std::vector<double> residuals;
    double mean = 0;
    double tss = points.within;
    for (std::size_t k = 0; k < points.size(); ++k) {
      mean += points.mass[k] * points.mean[k] / points.total_mass;
    }
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto working = std::span(theta).first(fit.parameters.size());
      residuals.push_back(points.mean[k] - fitted_value(points, points.cells[k].x, working));
      tss += points.mass[k] * (points.mean[k] - mean) * (points.mean[k] - mean);
    }
    if (tss > 0) fit.r2 = 1 - fit.rss / tss;
    fill_curve_figures(fit, points, residuals);
  };
  return shared_fits(alone, std::move(shared), options, threads, head, figures);
}

SharedFits fit_shared(std::span<const SurfaceRuns> groups, const std::vector<std::string>& names,
                      const FitOptions& options, int threads) {
  check_sharing(options);
  std::vector<std::size_t> shared = shared_places(*options.law, names);
  const FitOptions simple = plain(options);
  Alone alone = alone_of(
      groups, options.law->fitted_parameters() - shared.size(),
      [&](const SurfaceRuns& runs) {
        return outcome_of([&] { return fit_surface(runs, simple); });
      },
      [&](const SurfaceRuns& runs) { return shared_surface(runs, options); });
  const auto head = [&](std::size_t i) { return surface_head(scales_of(groups[i]), options); };
  const auto figures = [&](Fit& fit, std::size_t i, double loss) {
    fill_surface(fit, groups[i], loss, options);
  };
  return shared_fits(alone, std::move(shared), options, threads, head, figures);
}

std::vector<std::string> sharing_sentences(const Sharing& sharing, double confidence) {
  std::vector<std::string> sentences;
  for (const Parameter& parameter : sharing.parameters) {
    std::string text = fmt::format("{} has one value for all {} groups: {:.4g}", parameter.name,
                                   sharing.groups, parameter.estimate);
    if (parameter.ci) {
      text += fmt::format(" ({:.6g} %: {:.4g} to {:.4g})", 100 * confidence, parameter.ci->lower,
                          parameter.ci->upper);
    }
    sentences.push_back(text + ".");
  }
  if (!sharing.test) {
    sentences.push_back(
        fmt::format("Whether the groups may share it is not tested: {}.", sharing.untested));
    return sentences;
  }
  const SharingTest& test = *sharing.test;
  const std::string chance = test.p < 1e-4 ? "p < 0.0001" : fmt::format("p = {:.2g}", test.p);
  sentences.push_back(
      sharing.is_refuted()
          ? fmt::format("The runs speak against it: separate values fit better (F({:g}, {:g}) = "
                        "{:.3g}, {}).",
                        test.df1, test.df2, test.f, chance)
          : fmt::format("The runs do not speak against it (F({:g}, {:g}) = {:.3g}, {}).", test.df1,
                        test.df2, test.f, chance));
  return sentences;
}

}  // namespace scalelaw
