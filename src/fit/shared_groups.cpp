// Groups of a joint fit: curves over one scale, and surfaces over two.

#include <algorithm>
#include <cmath>

#include "fit/nonlinear.hpp"
#include "fit/shared_fit.hpp"
#include "fit/surface_fit.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

/// Adds a run's gradient to the sums. `psi` and `slope` are those of its residual.
void add_run(SharedMoments& sums, std::span<const double> gradient, double psi, double slope) {
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    sums.gradient[j] += psi * gradient[j];
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      const double product = gradient[j] * gradient[k];
      sums.curvature[j][k] += slope * product;
      sums.filling[j][k] += psi * psi * product;
    }
  }
  sums.psi_slopes += slope;
  sums.psi_squares += psi * psi;
}

class SharedCurve final : public SharedGroup {
 public:
  SharedCurve(std::vector<Cell> cells, const FitOptions& options) : cells_(std::move(cells)) {
    observe(cells_, options, points_);
  }

  std::uint64_t runs() const override { return points_.n; }
  std::size_t clusters() const override { return 0; }
  SmallVector theta() const override { return theta_; }
  void move_to(const SmallVector& theta) override { theta_ = theta; }

  bool descend(const Held& held) override {
    Box box = outer_box(points_);
    for (std::size_t k = 0; k < size(); ++k) {
      if (held[k]) box.lower[k] = box.upper[k] = *held[k];
      theta_[k] = std::clamp(theta_[k], box.lower[k], box.upper[k]);
      inside_[k] = true;
    }
    const auto end = scalelaw::descend(points_, theta_, box, Precision::kParameters);
    if (!end) return false;
    theta_ = end->theta;
    rss_ = end->rss + points_.within;
    for (std::size_t k = 0; k < size(); ++k) {
      inside_[k] = held[k] || (theta_[k] > box.lower[k] && theta_[k] < box.upper[k]);
    }
    return true;
  }
  double loss() const override { return 0.5 * rss_; }
  double rss() const override { return rss_; }
  bool is_inside(std::size_t parameter) const override { return inside_[parameter]; }

  SharedMoments moments(double /*inflation*/) const override {
    SharedMoments sums;
    std::vector<double> gradients;
    fill_gradients(points_, theta_, gradients);
    const auto theta = std::span(theta_).first(size());
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double residual = fitted_value(points_, cells_[i].x, theta) - points_.mean[i];
      add_run(sums, std::span(gradients).subspan(i * size(), size()), points_.mass[i] * residual,
              points_.mass[i]);
    }
    return sums;
  }

  std::unique_ptr<SharedGroup> drawn(RandomStream& stream) const override {
    auto out = std::unique_ptr<SharedCurve>(new SharedCurve(*this));
    std::ranges::fill(out->points_.mass, 0.0);
    const auto n = static_cast<std::uint32_t>(cells_.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t place = stream.below(n);
      out->points_.mass[place] += cells_[place].weight;
    }
    return out;
  }

 private:
  SharedCurve(const SharedCurve& other)
      : SharedGroup(),
        cells_(other.cells_),
        points_(other.points_),
        theta_(other.theta_),
        rss_(other.rss_),
        inside_(other.inside_) {
    points_.cells = cells_;
  }
  std::size_t size() const { return points_.law->parameters().size(); }

  std::vector<Cell> cells_;
  FitPoints points_;  ///< Of the cells.
  SmallVector theta_{};
  double rss_ = 0;
  std::array<bool, kMaxParameters> inside_{};
};

class SharedSurface final : public SharedGroup {
 public:
  SharedSurface(const Law& law, SurfacePoints points, const ResidualLoss& loss)
      : law_(law),
        points_(std::move(points)),
        shape_(loss),
        unit_(loss.scale == Scale::kLog ? 1 : std::exp(points_.centre[2])),
        loss_(points_, loss),
        frame_(law, points_.centre) {}

  std::uint64_t runs() const override { return points_.size(); }
  std::size_t clusters() const override { return points_.clusters(); }
  SmallVector theta() const override { return reported_theta(points_, at_.theta); }
  void move_to(const SmallVector& theta) override {
    at_.theta = {};
    for (std::size_t k = 0; k < size(); ++k) {
      at_.theta[k] = frame_.in_descent(k, theta[k]);
      if (k < kFloorPlace) at_.theta[k] -= points_.centre[k] * theta[points_.form.exponent(k)];
    }
    at_.theta = frame_.completed(at_.theta);
  }

  bool descend(const Held& held) override {
    SurfaceFrame frame = frame_;
    for (std::size_t k = 0; k < size(); ++k) {
      if (held[k]) frame = frame.holding(k, frame_.in_descent(k, *held[k]));
    }
    at_ = descend_in_frame(loss_, at_.theta, frame, true);
    return std::isfinite(at_.value) && at_.converged();
  }
  double loss() const override { return unit_ * unit_ * at_.value; }
  double rss() const override {
    double sum = 0;
    for (const double residual : loss_.residuals(at_.theta)) sum += residual * residual;
    return unit_ * unit_ * sum;
  }
  bool is_inside(std::size_t parameter) const override {
    return !at_.at_end[parameter] &&
           (parameter != kFloorPlace || at_.theta[kFloorPlace] != -kInfinity);
  }

  SharedMoments moments(double inflation) const override {
    std::vector<double> residuals = loss_.residuals(at_.theta);
    for (double& residual : residuals) residual *= unit_;
    const std::vector<double> slopes = slopes_of_psi(residuals, shape_, inflation);
    const SmallVector place = theta();
    SharedMoments sums;
    std::vector<SmallVector> by_cluster(points_.clusters());
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      SmallVector row{};
      const std::array x = points_.scales_at(i);
      const auto whole = std::span(row).first(size());
      const double eta = law_.gradient(std::span(x).first(law_.inputs()),
                                       std::span(place).first(size()), Response::kTime, whole);
      const double slope = shape_.scale == Scale::kLog ? 1 : std::exp(eta);
      for (double& value : whole) value *= slope;
      const double psi = points_.weight[i] * term_of(residuals[i], shape_).psi;
      add_run(sums, whole, psi, points_.weight[i] * slopes[i]);
      if (by_cluster.empty()) continue;
      SmallVector& cluster = by_cluster[points_.cluster[i]];
      for (std::size_t k = 0; k < kSurfaceParameters; ++k) cluster[k] += psi * row[k];
    }
    if (!by_cluster.empty()) fill_from(by_cluster, sums);
    return sums;
  }

  std::unique_ptr<SharedGroup> drawn(RandomStream& stream) const override {
    SurfacePoints runs;
    draw_runs(points_, stream, runs);
    auto out = std::make_unique<SharedSurface>(law_, std::move(runs), shape_);
    out->at_ = at_;
    return out;
  }

 private:
  std::size_t size() const { return points_.form.parameters; }

  static void fill_from(std::span<const SmallVector> clusters, SharedMoments& sums) {
    sums.filling = {};
    for (const SmallVector& cluster : clusters) {
      for (std::size_t j = 0; j < kSurfaceParameters; ++j) {
        for (std::size_t k = 0; k < kSurfaceParameters; ++k) {
          sums.filling[j][k] += cluster[j] * cluster[k];
        }
      }
    }
  }

  const Law& law_;
  SurfacePoints points_;
  ResidualLoss shape_;
  double unit_;  ///< Of the residuals of loss_.
  SurfaceLoss loss_;
  SurfaceFrame frame_;
  SurfaceMinimum at_;
};

}  // namespace

std::unique_ptr<SharedGroup> shared_curve(const std::vector<Cell>& cells,
                                          const FitOptions& options) {
  return std::make_unique<SharedCurve>(cells, options);
}

std::unique_ptr<SharedGroup> shared_surface(const SurfaceRuns& runs, const FitOptions& options) {
  const auto cluster =
      is_clustered(options.se) ? std::span(runs.cluster) : std::span<const std::uint32_t>();
  return std::make_unique<SharedSurface>(
      *options.law, points_of(*options.law, scales_of(runs), runs.y, cluster), loss_of(options));
}

}  // namespace scalelaw
