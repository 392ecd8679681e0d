// The runs at each N against the runs at the smallest N.

#include <cmath>

#include "energy/scaling_parts.hpp"

namespace scalelaw {
namespace {

/// The mean logarithm of one quantity at each N, with a scatter that all N share.
class LogMeans {
 public:
  LogMeans(std::span<const double> x, std::span<const double> y, double confidence)
      : cells_(cells_of(x, y)), confidence_(confidence) {
    double scatter = 0;
    for (const Cell& cell : cells_) scatter += cell.ss_log;
    dof_ = static_cast<double>(x.size()) - static_cast<double>(cells_.size());
    variance_ = dof_ > 0 ? scatter / dof_ : 0;
  }

  const std::vector<Cell>& cells() const { return cells_; }

  /// `factor` times the quantity at the i-th N over the quantity at the smallest N; or the inverse
  /// of that ratio, times `factor`.
  Ratio against_smallest(std::size_t i, bool inverse = false, double factor = 1) const {
    if (i == 0) return {};
    const Cell& here = cells_[i];
    const Cell& smallest = cells_.front();
    const double change = here.mean_log - smallest.mean_log;
    const double se = std::sqrt(variance_ * (1 / static_cast<double>(here.count) +
                                             1 / static_cast<double>(smallest.count)));
    return ratio_of(
        student_estimate((inverse ? -change : change) + std::log(factor), se, dof_, confidence_));
  }

 private:
  std::vector<Cell> cells_;
  double confidence_;
  double dof_ = 0;
  double variance_ = 0;
};

}  // namespace

std::vector<EnergyAtScale> energy_at_scales(const RunFigures& figures, const Workload& workload,
                                            const EnergyOptions& options) {
  const auto means = [&](std::span<const double> y) {
    return LogMeans(figures.x(), y, figures.confidence);
  };
  const LogMeans time = means(figures.seconds());
  const LogMeans energy = means(figures.joules());
  const LogMeans watts = means(figures.watts);
  const LogMeans hours = means(figures.gpu_hours);
  const LogMeans edp = means(products(figures.joules(), figures.seconds()));
  std::optional<LogMeans> sample_time;
  std::optional<LogMeans> sample_energy;
  if (workload.scaling && *workload.scaling != Scaling::kStrong) {
    sample_time = means(quotients(figures.seconds(), figures.runs.samples));
    sample_energy = means(quotients(figures.joules(), figures.runs.samples));
  }
  std::vector<EnergyAtScale> scales;
  for (std::size_t i = 0; i < time.cells().size(); ++i) {
    const double x = time.cells()[i].x;
    const double ideal = x / time.cells().front().x;
    const double joules = energy.cells()[i].mean;
    EnergyAtScale scale{.x = x, .n = time.cells()[i].count};
    scale.seconds = std::exp(time.cells()[i].mean_log);
    scale.joules = std::exp(energy.cells()[i].mean_log);
    scale.watts_per_gpu = std::exp(watts.cells()[i].mean_log);
    scale.gpu_hours = hours.cells()[i].mean;
    scale.kwh = options.footprint.kwh(joules);
    scale.co2_kg = options.footprint.co2_kg(joules);
    scale.cost = total_cost(options, joules, scale.gpu_hours);
    scale.speedup = time.against_smallest(i, true);
    if (figures.runs.x_shares_work) {
      scale.efficiency = time.against_smallest(i, true, 1 / ideal);
    }
    scale.energy = energy.against_smallest(i);
    scale.edp = edp.against_smallest(i);
    if (sample_time) {
      scale.sample_speedup = sample_time->against_smallest(i, true);
      if (figures.runs.x_shares_work) {
        scale.sample_efficiency = sample_time->against_smallest(i, true, 1 / ideal);
      }
      scale.sample_energy = sample_energy->against_smallest(i);
    }
    scales.push_back(scale);
  }
  return scales;
}

}  // namespace scalelaw
