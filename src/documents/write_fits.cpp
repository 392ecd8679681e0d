// Written by hand, not through a document object, which would hold every group of the study.

#include "documents/json_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/fit/shared.hpp"

namespace scalelaw {
namespace {

void write_covariance(JsonText& json, const Fit& fit) {
  const std::size_t size = fit.parameters.size();
  if (fit.covariance.size() != size * size) return json.null();
  json.open('[');
  for (std::size_t row = 0; row < size; ++row) {
    write_list(json, std::span(fit.covariance).subspan(row * size, size));
  }
  json.close(']');
}

void write_bootstrap(JsonText& json, const Fit& fit) {
  const Bootstrap& bootstrap = *fit.bootstrap;
  json.open('{');
  json.key("kind").text(name_of(bootstrap.kind));
  json.key("b").count(std::uint64_t{bootstrap.resamples});
  json.key("seed").count(bootstrap.seed);
  if (bootstrap.usable) json.key("usable").count(std::uint64_t{*bootstrap.usable});
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const bool known = i < bootstrap.parameters.size() && !fit.parameters[i].fixed;
    write_object(json.key(fit.parameters[i].name), known ? &bootstrap.parameters[i] : nullptr,
                 [](JsonText& members, const BootstrapEstimate& estimate) {
                   members.key("se").number(estimate.se);
                   write_interval(members.key("ci"), estimate.ci);
                   write_interval(members.key("ci_bca"), estimate.ci_bca);
                 });
  }
  json.close('}');
}

void write_split(JsonText& json, const SurfaceFigures& surface) {
  if (!surface.split) return json.null();
  json.open('[');
  for (std::size_t k = 0; k < 2; ++k) {
    const auto write_spread = [](JsonText& members, const auto& estimate) {
      members.key("se").number(estimate.se);
      write_interval(members.key("ci"), estimate.ci);
    };
    write_object(json, (*surface.split)[k], [&](JsonText& members, const Estimate& exponent) {
      members.key("estimate").number(exponent.estimate);
      write_spread(members, exponent);
      if (!surface.split_bootstrap) return;
      write_object(members.key("bootstrap"), (*surface.split_bootstrap)[k], write_spread);
    });
  }
  json.close(']');
}

void write_surface(JsonText& json, const SurfaceFigures& surface) {
  write_each(json.key("x_range"), surface.x_range,
             [](JsonText& list, const Interval& range) { write_interval(list, range); });
  write_numbers(json, {{"objective", surface.objective}, {"huber_delta", surface.huber_delta}});
  json.key("starts").count(std::uint64_t{surface.starts});
  json.key("met").count(std::uint64_t{surface.met});
  json.key("gradient").number(surface.gradient);
  write_split(json.key("split"), surface);
}

/// Minima besides the lowest one; nothing where there are none.
void write_other_minima(JsonText& json, const Fit& fit) {
  if (fit.surface->others.empty()) return;
  write_objects(json.key("other_minima"), fit.surface->others,
                [&fit](JsonText& members, const OtherMinimum& other) {
                  members.key("objective").number(other.objective);
                  members.key("parameters").open('{');
                  for (std::size_t k = 0; k < other.estimates.size(); ++k) {
                    members.key(fit.parameters[k].name).number(other.estimates[k]);
                  }
                  members.close('}');
                });
}

void write_pooled(JsonText& json, const Fit& fit) {
  json.key("pool").text(name_of(fit.pooling->kind));
  const OwnFigures own = fit.own.value_or(OwnFigures{});
  write_numbers(json, {{"own_sigma", own.sigma}, {"sigma_dof", fit.pooling->dof}});
  if (!fit.pooling->slopes) return;
  write_numbers(json,
                {{"own_beta", own.beta}, {"own_share", own.share}, {"own_beta_p", own.beta_p}});
}

void write_slopes(JsonText& json, const PooledSlopes& slopes) {
  write_estimate(json.key("beta"), slopes.beta, false);
  json.key("tau").number(slopes.tau);
  write_interval(json.key("tau_ci"), slopes.tau_ci);
  write_object(json.key("equal_slopes"), slopes.equal_slopes,
               [](JsonText& members, const EqualSlopes& test) {
                 write_numbers(
                     members, {{"f", test.f}, {"df1", test.df1}, {"df2", test.df2}, {"p", test.p}});
               });
}

void write_sharing(JsonText& head, const Sharing& sharing, double confidence) {
  write_object(head.member("shared"), sharing, [&](JsonText& json, const Sharing& joint) {
    json.key("parameters").open('{');
    for (const Parameter& parameter : joint.parameters) {
      write_estimate(json.key(parameter.name), parameter, false);
    }
    json.close('}');
    json.key("groups").count(std::uint64_t{joint.groups});
    json.key("n").count(joint.n);
    json.key("fitted").count(std::uint64_t{joint.fitted});
    json.key("dof").count(joint.dof);
    write_numbers(json, {{"objective", joint.objective},
                         {"sigma", joint.sigma},
                         {"log_likelihood", joint.log_likelihood},
                         {"aic", joint.aic},
                         {"aicc", joint.aicc},
                         {"bic", joint.bic}});
    write_object(json.key("test"), joint.test, [](JsonText& members, const SharingTest& test) {
      write_numbers(members, {{"f", test.f}, {"df1", test.df1}, {"df2", test.df2}, {"p", test.p}});
    });
    json.key("sentence").text(joined(sharing_sentences(joint, confidence), " "));
  });
}

}  // namespace

void write_shared_sigma(JsonText& json, const Pooling& pooling) {
  json.key("groups").count(std::uint64_t{pooling.groups});
  write_numbers(json, {{"sigma", pooling.sigma},
                       {"dof", pooling.dof},
                       {"least_sigma", pooling.least_sigma},
                       {"greatest_sigma", pooling.greatest_sigma}});
  write_object(
      json.key("bartlett"), pooling.equal_scatter, [](JsonText& members, const EqualScatter& test) {
        write_numbers(members, {{"statistic", test.statistic}, {"dof", test.dof}, {"p", test.p}});
      });
}

void write_pooling(JsonText& head, const Pooling& pooling) {
  head.member("pool").text(name_of(pooling.kind));
  write_object(head.member("pooled"), pooling, [](JsonText& json, const Pooling& shared) {
    write_shared_sigma(json, shared);
    if (shared.slopes) write_object(json.key("slopes"), *shared.slopes, write_slopes);
    json.key("sentence").text(pooling_sentence(shared));
  });
}

void write_fit_members(JsonText& json, const Fit& fit) {
  json.key("law").text(fit.law->name());
  json.key("n").count(fit.n);
  json.key("distinct_x").count(fit.distinct_x);
  const auto of_one_x = [&fit](double x) { return fit.surface ? std::nullopt : std::optional(x); };
  write_numbers(json, {{"x_min", of_one_x(fit.x_min)}, {"x_max", of_one_x(fit.x_max)}});
  json.key("dof").count(fit.dof);
  write_parameters(json.key("parameters"), fit);
  if (fit.log_alpha) write_estimate(json.key("log_alpha"), *fit.log_alpha, false);
  write_covariance(json.key("covariance"), fit);
  if (!fit.bound_curves.empty()) {
    write_objects(json.key("bound_curves"), fit.bound_curves,
                  [](JsonText& members, const BoundCurve& at) {
                    write_numbers(members, {{"x", at.x}, {"lower", at.lower}, {"upper", at.upper}});
                  });
  }
  json.key("rss").number(fit.rss);
  for (const FitFigure& figure : kFitFigures) json.key(figure.name).number(fit.*figure.member);
  write_object(json.key("speedup"), fit.speedup, [](JsonText& members, const Speedup& speedup) {
    write_numbers(members, {{"observed", speedup.observed}, {"implied", speedup.implied}});
  });
  write_object(json.key("curvature"), fit.curvature, [](JsonText& members, const Curvature& bend) {
    write_numbers(members, {{"estimate", bend.estimate}, {"t", bend.t}, {"p", bend.p}});
  });
  write_object(json.key("lack_of_fit"), fit.lack_of_fit,
               [](JsonText& members, const LackOfFit& lack) {
                 write_numbers(members, {{"f", lack.f}, {"p", lack.p}});
               });
  if (fit.free_law) {
    write_object(json.key("free_law"), *fit.free_law, [](JsonText& members, const auto& test) {
      write_numbers(members, {{"f", test.f},
                              {"df1", test.dof1},
                              {"df2", test.dof2},
                              {"p", test.p},
                              {"aicc_difference", test.aicc_difference}});
    });
  }
  write_numbers(json, {{"cooks_distance_max", fit.cooks_distance_max},
                       {"cooks_distance_p", fit.cooks_distance_p},
                       {"scatter_trend_p", fit.scatter_trend_p}});
  write_object(json.key("outlier"), fit.outlier, [](JsonText& members, const Outlier& outlier) {
    write_numbers(members,
                  {{"x", outlier.x}, {"y", outlier.y}, {"t", outlier.t}, {"p", outlier.p}});
  });
  if (fit.clusters) json.key("clusters").count(*fit.clusters);
  if (fit.pooling) write_pooled(json, fit);
  if (fit.surface) {
    write_object(json.key("surface"), *fit.surface, write_surface);
    write_other_minima(json, fit);
  }
  if (fit.bootstrap) write_bootstrap(json.key("bootstrap"), fit);
  write_objects(json.key("warnings"), fit.warnings, [&fit](JsonText& members, WarningCode code) {
    members.key("code").text(name_of(code));
    members.key("message").text(explain(code, fit));
  });
}

void write_fits_head(JsonText& head, const FitReport& report) {
  const FitOptions& options = report.options;
  write_data(head, report);
  head.member("law").text(options.law->name());
  head.member("formula").text(options.law->formula(options.response));
  if (const auto constraints = constraints_of(*options.law); !constraints.empty()) {
    write_strings(head.member("constraints"), constraints);
  }
  head.member("response").text(name_of(options.response));
  write_points(head, report);
  // Laws of the original scale have additive errors, whatever was asked for.
  const bool additive = options.law->scale() == Scale::kOriginal;
  head.member("errors").text(name_of(additive ? Errors::kNormal : options.errors));
  head.member("robust").text(name_of(options.robust));
  if (options.over_penalty != 1) head.member("over_penalty").number(options.over_penalty);
  head.member("se").text(name_of(options.se));
  if (options.pooling) write_pooling(head, *options.pooling);
  if (options.sharing) write_sharing(head, *options.sharing, options.confidence);
  head.member("confidence").number(options.confidence);
  write_rows(head, report);
}

}  // namespace scalelaw
