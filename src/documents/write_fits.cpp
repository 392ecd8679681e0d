// Written by hand, not through a document object, which would hold every group of the study.

#include "documents/write_fits.hpp"

namespace scalelaw {
namespace {

void write_covariance(JsonText& json, const Fit& fit) {
  const std::size_t size = fit.parameters.size();
  if (fit.covariance.size() != size * size) return json.null();
  json.open('[');
  for (std::size_t row = 0; row < size; ++row) {
    json.open('[');
    for (std::size_t column = 0; column < size; ++column) {
      json.number(fit.covariance[row * size + column]);
    }
    json.close(']');
  }
  json.close(']');
}

void write_speedup(JsonText& json, const std::optional<Speedup>& speedup) {
  if (!speedup) return json.null();
  json.open('{');
  json.key("observed").number(speedup->observed);
  json.key("implied").number(speedup->implied);
  json.close('}');
}

void write_curvature(JsonText& json, const std::optional<Curvature>& curvature) {
  if (!curvature) return json.null();
  json.open('{');
  json.key("estimate").number(curvature->estimate);
  json.key("t").number(curvature->t);
  json.key("p").number(curvature->p);
  json.close('}');
}

void write_lack_of_fit(JsonText& json, const std::optional<LackOfFit>& lack_of_fit) {
  if (!lack_of_fit) return json.null();
  json.open('{');
  json.key("f").number(lack_of_fit->f);
  json.key("p").number(lack_of_fit->p);
  json.close('}');
}

void write_bootstrap(JsonText& json, const Fit& fit) {
  const Bootstrap& bootstrap = *fit.bootstrap;
  json.open('{');
  json.key("kind").text(name_of(bootstrap.kind));
  json.key("b").count(std::uint64_t{bootstrap.resamples});
  json.key("seed").count(bootstrap.seed);
  if (bootstrap.usable) json.key("usable").count(std::uint64_t{*bootstrap.usable});
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    json.key(fit.parameters[i].name);
    if (i >= bootstrap.parameters.size()) {
      json.null();
      continue;
    }
    const BootstrapEstimate& estimate = bootstrap.parameters[i];
    json.open('{');
    json.key("se").number(estimate.se);
    write_interval(json.key("ci"), estimate.ci);
    write_interval(json.key("ci_bca"), estimate.ci_bca);
    json.close('}');
  }
  json.close('}');
}

void write_split(JsonText& json, const SurfaceFigures& surface) {
  if (!surface.split) return json.null();
  json.open('[');
  for (std::size_t k = 0; k < 2; ++k) {
    const Estimate& exponent = (*surface.split)[k];
    json.open('{');
    json.key("estimate").number(exponent.estimate);
    json.key("se").number(exponent.se);
    write_interval(json.key("ci"), exponent.ci);
    if (surface.split_bootstrap) {
      const BootstrapEstimate& resampled = (*surface.split_bootstrap)[k];
      json.key("bootstrap").open('{');
      json.key("se").number(resampled.se);
      write_interval(json.key("ci"), resampled.ci);
      json.close('}');
    }
    json.close('}');
  }
  json.close(']');
}

void write_surface(JsonText& json, const SurfaceFigures& surface) {
  json.open('{');
  json.key("x_range").open('[');
  for (const Interval& range : surface.x_range) write_interval(json, range);
  json.close(']');
  json.key("objective").number(surface.objective);
  json.key("huber_delta").number(surface.huber_delta);
  json.key("starts").count(std::uint64_t{surface.starts});
  json.key("met").count(std::uint64_t{surface.met});
  json.key("gradient").number(surface.gradient);
  write_split(json.key("split"), surface);
  json.close('}');
}

}  // namespace

void write_fit_members(JsonText& json, const Fit& fit) {
  json.key("law").text(fit.law->name());
  json.key("n").count(fit.n);
  json.key("distinct_x").count(fit.distinct_x);
  if (fit.surface) {
    json.key("x_min").null();
    json.key("x_max").null();
  } else {
    json.key("x_min").number(fit.x_min);
    json.key("x_max").number(fit.x_max);
  }
  json.key("dof").count(fit.dof);
  write_parameters(json.key("parameters"), fit);
  if (fit.log_alpha) write_estimate(json.key("log_alpha"), *fit.log_alpha, false);
  write_covariance(json.key("covariance"), fit);
  json.key("rss").number(fit.rss);
  json.key("sigma").number(fit.sigma);
  json.key("r2").number(fit.r2);
  json.key("r2_adjusted").number(fit.r2_adjusted);
  json.key("f").number(fit.f);
  json.key("f_p").number(fit.f_p);
  json.key("log_likelihood").number(fit.log_likelihood);
  json.key("aic").number(fit.aic);
  json.key("aicc").number(fit.aicc);
  json.key("bic").number(fit.bic);
  json.key("rmse").number(fit.rmse);
  json.key("mape").number(fit.mape);
  json.key("smearing").number(fit.smearing);
  write_speedup(json.key("speedup"), fit.speedup);
  write_curvature(json.key("curvature"), fit.curvature);
  write_lack_of_fit(json.key("lack_of_fit"), fit.lack_of_fit);
  json.key("cooks_distance_max").number(fit.cooks_distance_max);
  json.key("scatter_trend_p").number(fit.scatter_trend_p);
  if (fit.surface) write_surface(json.key("surface"), *fit.surface);
  if (fit.bootstrap) write_bootstrap(json.key("bootstrap"), fit);
  write_each(json.key("warnings"), fit.warnings, [&fit](JsonText& list, WarningCode code) {
    list.open('{');
    list.key("code").text(name_of(code));
    list.key("message").text(explain(code, fit));
    list.close('}');
  });
}

void write_fits_head(JsonHead& head, const FitReport& report) {
  const FitOptions& options = report.options;
  write_data(head, "scalelaw.fit/1", report);
  head.member("law").text(options.law->name());
  head.member("formula").text(options.law->formula(options.response));
  head.member("response").text(name_of(options.response));
  write_points(head, report);
  head.member("errors").text(name_of(options.errors));
  head.member("robust").text(name_of(options.robust));
  head.member("se").text(name_of(options.se));
  head.member("confidence").number(options.confidence);
  write_rows(head, report);
}

}  // namespace scalelaw
