// Energy against GPU-hours, and what changes the power of a GPU.

#include <cmath>
#include <numeric>

#include "energy/scaling_parts.hpp"
#include "scalelaw/fit/least_squares.hpp"

namespace scalelaw {

InterceptSign GpuHoursFit::intercept_sign() const {
  const Fit* const line = std::get_if<Fit>(&intercept);
  if (line == nullptr || !line->parameters.front().ci) return InterceptSign::kUnknown;
  const Interval& ci = *line->parameters.front().ci;
  if (ci.lower > 0) return InterceptSign::kAbove;
  return ci.upper < 0 ? InterceptSign::kBelow : InterceptSign::kNone;
}

namespace {

constexpr double kJoulesPerWattHour = 3600;

Outcome<Fit> line_of(std::span<const Cell> cells, std::string_view law, bool in_logs,
                     double confidence) {
  const FitOptions options{.law = find_law(law), .confidence = confidence, .in_logs = in_logs};
  return outcome_of([&] { return fit_law(cells, options); });
}

/// The t interval of ln k, a mean of logarithms, in place of one that is searched for step by step.
void make_interval_exact(Outcome<Fit>& result, double confidence) {
  Fit* fit = std::get_if<Fit>(&result);
  if (fit == nullptr || !fit->sigma || fit->dof < 1) return;
  Parameter& k = fit->parameters.back();
  const double se = *fit->sigma / std::sqrt(static_cast<double>(fit->n));
  const Ratio factor = ratio_of(student_estimate(0, se, static_cast<double>(fit->dof), confidence));
  k.ci = Interval{k.estimate * factor.ci->lower, k.estimate * factor.ci->upper};
  k.wald_ci.reset();
}

/// 1 - RSS over the scatter of y about its mean; nothing where y does not vary.
std::optional<double> r2_about_mean(const Outcome<Fit>& result, std::span<const double> y) {
  const Fit* fit = std::get_if<Fit>(&result);
  if (fit == nullptr) return std::nullopt;
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  double scatter = 0;
  for (const double value : y) scatter += (value - mean) * (value - mean);
  if (!(scatter > 0)) return std::nullopt;
  return 1 - fit->rss / scatter;
}

/// A quantity that may change a run's k, one value per run; NaN where unknown.
struct DriverCandidate {
  std::string_view name;
  std::vector<double> values;
};

std::vector<DriverCandidate> candidates_of(const RunFigures& figures) {
  const EnergyRuns& runs = figures.runs;
  std::vector<DriverCandidate> all{{"scale", runs.measured.x}};
  if (!runs.batch.empty()) {
    all.push_back({"global_batch", runs.batch});
    all.push_back({"local_batch", quotients(runs.batch, figures.gpus)});
  }
  if (!runs.samples.empty()) {
    all.push_back({"samples_per_gpu_hour", quotients(runs.samples, figures.gpu_hours)});
  }
  if (!runs.batch.empty() && !runs.samples.empty()) {
    all.push_back({"updates_per_gpu_hour",
                   quotients(quotients(runs.samples, runs.batch), figures.gpu_hours)});
  }
  return all;
}

PowerDriver driver_of(const DriverCandidate& candidate, const RunFigures& figures) {
  std::vector<double> z;
  std::vector<double> watts;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!is_known(candidate.values[i])) continue;
    z.push_back(candidate.values[i]);
    watts.push_back(figures.watts[i]);
  }
  PowerDriver driver{.name = candidate.name, .n = z.size()};
  if (z.empty()) {
    driver.reason = "no run has a value of it";
    return driver;
  }
  const auto result =
      outcome_of([&] { return power_fit(z, watts, Response::kRate, figures.confidence); });
  if (const NoFit* failure = std::get_if<NoFit>(&result)) {
    driver.reason = failure->code == FailureCode::kTooFewX ? "one value only" : failure->message;
    return driver;
  }
  const Fit& fit = std::get<Fit>(result);
  driver.slope = fit.parameters.back();
  driver.r2 = fit.r2;
  return driver;
}

/// Whether a design's two columns, stored row by row, lie on one line but for rounding.
bool is_collinear(std::span<const double> design) {
  constexpr double kSingular = 1e-10;
  const auto n = static_cast<double>(design.size()) / 2;
  double mean[2] = {0, 0};
  for (std::size_t i = 0; i < design.size(); ++i) mean[i % 2] += design[i] / n;
  double squares[2] = {0, 0};
  double together = 0;
  for (std::size_t i = 0; i + 1 < design.size(); i += 2) {
    const double a = design[i] - mean[0];
    const double b = design[i + 1] - mean[1];
    squares[0] += a * a;
    squares[1] += b * b;
    together += a * b;
  }
  return squares[0] * squares[1] - together * together <= kSingular * squares[0] * squares[1];
}

}  // namespace

GpuHoursFit gpu_hours_fit(const RunFigures& figures) {
  std::vector<double> watt_hours(figures.joules().begin(), figures.joules().end());
  for (double& value : watt_hours) value /= kJoulesPerWattHour;
  const std::vector<Cell> cells = cells_of(figures.gpu_hours, watt_hours);
  const auto fit = [&](std::string_view law, bool in_logs) {
    return line_of(cells, law, in_logs, figures.confidence);
  };
  GpuHoursFit out{.origin = fit("proportional", true),
                  .intercept = fit("linear", true),
                  .origin_least = fit("proportional", false),
                  .intercept_least = fit("linear", false),
                  .origin_least_r2_mean = {}};
  make_interval_exact(out.origin, figures.confidence);
  out.origin_least_r2_mean = r2_about_mean(out.origin_least, watt_hours);
  return out;
}

std::vector<PowerDriver> power_drivers(const RunFigures& figures) {
  std::vector<PowerDriver> drivers;
  for (const DriverCandidate& candidate : candidates_of(figures)) {
    drivers.push_back(driver_of(candidate, figures));
  }
  return drivers;
}

std::optional<JointDrivers> joint_drivers(const RunFigures& figures) {
  const EnergyRuns& runs = figures.runs;
  if (runs.batch.empty() || runs.samples.empty()) return std::nullopt;
  std::vector<double> y;
  std::vector<double> design;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const double samples = runs.samples[i] / figures.gpu_hours[i];
    const double updates = samples / runs.batch[i];
    if (!is_known(samples) || !is_known(updates)) continue;
    y.push_back(std::log(figures.watts[i]));
    design.insert(design.end(), {std::log(samples), std::log(updates)});
  }
  if (is_collinear(design)) return std::nullopt;  // One at a time is all there is.
  const auto fit = if_possible([&] { return least_squares(y, design, 2); });
  if (!fit || fit->dof < 1) return std::nullopt;  // Fewer runs than terms, or as many.
  const auto estimate = [&](std::size_t term) {
    return student_estimate(fit->estimates[term], fit->standard_errors[term],
                            static_cast<double>(fit->dof), figures.confidence);
  };
  return JointDrivers{.n = y.size(),
                      .dof = fit->dof,
                      .samples = estimate(1),
                      .updates = estimate(2),
                      .r2 = fit->r2};
}

}  // namespace scalelaw
