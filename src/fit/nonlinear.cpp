#include "fit/nonlinear.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/per_thread.hpp"
#include "fit/broken_line.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

/// Keeps the better of two ends; the first one if they tie.
void keep_better(std::optional<Descent>& best, const std::optional<Descent>& other) {
  if (other && (!best || other->rss < best->rss)) best = other;
}

/// The curves of a law's shapes at the x of one group. All groups with these x and masses share
/// them.
class ShapeTable {
 public:
  bool is_of(const FitPoints& points) const {
    const auto same_x = [](const Cell& cell, double x) { return cell.x == x; };
    return law_ == points.law->id() && response_ == points.response && scale_ == points.scale &&
           mass_ == points.mass &&
           std::equal(points.cells.begin(), points.cells.end(), x_.begin(), x_.end(), same_x);
  }

  void fill(const FitPoints& points) {
    const Law& law = *points.law;
    law_ = law.id();
    response_ = points.response;
    scale_ = points.scale;
    mass_ = points.mass;
    x_.resize(points.size());
    std::ranges::transform(points.cells, x_.begin(), [](const Cell& cell) { return cell.x; });
    p_ = law.parameters().size();
    thetas_ = law.shapes(x_.front(), x_.back());
    shapes_ = thetas_.size() / p_;
    SmallVector probe{};
    std::copy_n(thetas_.begin(), shapes_ > 0 ? p_ : 0, probe.begin());
    rescales_ = shapes_ > 0 && law.rescale(std::span(probe).first(p_), 0, response_);
    fill_curves(points);
  }

  static constexpr std::size_t kMostStarts = 4;

  /// Finds starts of descents, and returns how many there are. Each is the best shape of a row that
  /// beats the rows beside it, with its scale solved exactly; the best of all comes first.
  std::size_t best_thetas(const FitPoints& points, std::array<SmallVector, kMostStarts>& out) {
    multiply(points);
    fill_row_bests();
    std::array<Candidate, kMostStarts> starts;
    starts.fill({kInfinity, 0});
    for (std::size_t row = 0; row < row_bests_.size(); ++row) {
      Candidate candidate = row_bests_[row];
      if (row > 0 && row_bests_[row - 1].misfit < candidate.misfit) continue;
      if (row + 1 < row_bests_.size() && row_bests_[row + 1].misfit < candidate.misfit) continue;
      for (Candidate& place : starts) {
        if (candidate.misfit < place.misfit) std::swap(candidate, place);
      }
    }
    std::size_t count = 0;
    for (const Candidate& start : starts) {
      const double least = starts[0].misfit + own_square_;
      if (!(start.misfit < kInfinity) || start.misfit + own_square_ > kHopeless * least) break;
      out[count++] = scaled_theta(points, start.shape);
    }
    return count;
  }

 private:
  /// A shape this much worse leads nowhere better, because rival minima are about as bad.
  static constexpr double kHopeless = 4;
  struct Candidate {
    double misfit;
    std::size_t shape;
  };

  /// Whether a row begins here: a row ends where the second parameter changes.
  bool starts_row(std::size_t shape) const {
    return shape == 0 || p_ < 2 || thetas_[shape * p_ + 1] != thetas_[(shape - 1) * p_ + 1];
  }

  void fill_row_bests() {
    row_bests_.clear();
    for (std::size_t s = 0; s < shapes_; ++s) {
      const Candidate candidate{misfit(s), s};
      if (starts_row(s)) {
        row_bests_.push_back(candidate);
      } else if (candidate.misfit < row_bests_.back().misfit) {
        row_bests_.back() = candidate;
      }
    }
  }

  SmallVector scaled_theta(const FitPoints& points, std::size_t shape) const {
    SmallVector theta{};
    std::copy_n(thetas_.begin() + static_cast<std::ptrdiff_t>(shape * p_), p_, theta.begin());
    if (!rescales_) return theta;
    const double log_factor = scale_ == Scale::kLog ? mean_of(points.mean, mass_) - centres_[shape]
                                                    : std::log(products_[shape] / squares_[shape]);
    points.law->rescale(std::span(theta).first(p_), log_factor, points.response);
    return theta;
  }

  /// On the logarithmic scale, curves are relative to their means, as the scale is an offset.
  void fill_curves(const FitPoints& points) {
    const std::size_t m = x_.size();
    curves_.assign(m * shapes_, 0);
    centres_.assign(shapes_, 0);
    squares_.assign(shapes_, 0);
    std::vector<double> curve(m);
    for (std::size_t s = 0; s < shapes_; ++s) {
      const auto theta = std::span(thetas_).subspan(s * p_, p_);
      for (std::size_t i = 0; i < m; ++i) curve[i] = fitted_value(points, x_[i], theta);
      if (scale_ == Scale::kLog && rescales_) centres_[s] = mean_of(curve, mass_);
      for (std::size_t i = 0; i < m; ++i) {
        const double value = curve[i] - centres_[s];
        curves_[i * shapes_ + s] = value;
        squares_[s] += mass_[i] * value * value;
      }
      if (!std::isfinite(squares_[s])) leave_out(s);
    }
  }

  /// Makes sure that a shape which is undefined at some x is never the best.
  void leave_out(std::size_t shape) {
    for (std::size_t i = 0; i < x_.size(); ++i) curves_[i * shapes_ + shape] = 0;
    squares_[shape] = kInfinity;
  }

  /// A shape's residual sum of squares minus the response's own sum; less is better.
  double misfit(std::size_t shape) const {
    const double product = products_[shape];
    const double square = squares_[shape];
    if (scale_ == Scale::kLog || !rescales_) return square - 2 * product;
    return product > 0 ? -product * product / square : kInfinity;
  }

  /// The products of all curves with the response.
  void multiply(const FitPoints& points) {
    const double centre = scale_ == Scale::kLog && rescales_ ? mean_of(points.mean, mass_) : 0;
    products_.assign(shapes_, 0);
    own_square_ = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double y = mass_[i] * (points.mean[i] - centre);
      own_square_ += y * (points.mean[i] - centre);
      const double* const curves = curves_.data() + i * shapes_;
      for (std::size_t s = 0; s < shapes_; ++s) products_[s] += y * curves[s];
    }
  }

  std::uint64_t law_ = 0;  ///< The law's id.
  Response response_ = Response::kTime;
  Scale scale_ = Scale::kLog;
  bool rescales_ = false;
  std::size_t p_ = 0;
  std::size_t shapes_ = 0;
  std::vector<double> x_;
  std::vector<double> mass_;
  std::vector<double> thetas_;
  std::vector<double> curves_;    ///< All shapes at each x.
  std::vector<double> centres_;   ///< Means that were subtracted from the shapes.
  std::vector<double> squares_;   ///< Weighted squares of the shapes.
  std::vector<double> products_;  ///< Products of the shapes with the response.
  double own_square_ = 0;         ///< Weighted square of the response.
  std::vector<Candidate> row_bests_;
};

/// The tables of one law for the most recent x. Hold-outs alternate with whole groups.
class ShapeTables {
 public:
  ShapeTable& of(const FitPoints& points) {
    for (ShapeTable& table : tables_) {
      if (table.is_of(points)) return table;
    }
    ShapeTable& table = tables_[next_++ % tables_.size()];
    table.fill(points);
    return table;
  }

 private:
  std::array<ShapeTable, 4> tables_;
  std::size_t next_ = 0;
};

/// Least squares of ln(mean y) from `start`, as a start for the original scale. Weights of y
/// squared make a residual of ln y act like one of y; without them, small y count more.
std::optional<Descent> descend_in_logs(const FitPoints& points, const SmallVector& start,
                                       const Box& box, bool weighted) {
  thread_local PerThread<FitPoints> kept;
  FitPoints& logs = *kept;
  logs = points;
  logs.scale = Scale::kLog;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double y = points.cells[i].mean;
    // Additive scatter may fall below 0, and the start ignores such values.
    logs.mean[i] = y > 0 ? std::log(y) : 0;
    logs.mass[i] = y > 0 ? points.mass[i] * (weighted ? y * y : 1) : 0;
    positive += y > 0 ? 1 : 0;
  }
  if (positive < points.law->parameters().size()) return std::nullopt;
  return descend(logs, start, box, Precision::kRss);
}

/// Descends from the starts of laws that are smooth on their own scale. These are their shapes or,
/// for linear laws, their solution there.
std::optional<Descent> descend_smooth(const FitPoints& points, const Box& box,
                                      Precision precision) {
  std::optional<Descent> best;
  if (points.law->scale() == Scale::kLog && points.scale == Scale::kOriginal &&
      points.law->linear()) {
    for (const bool weighted : {true, false}) {
      const auto start = descend_in_logs(points, {}, box, weighted);
      if (start) keep_better(best, descend(points, start->theta, box, precision));
    }
    return best;
  }
  thread_local PerThread<PerLaw<ShapeTables>> tables;
  std::array<SmallVector, ShapeTable::kMostStarts> starts;
  const std::size_t count = (*tables)[*points.law].of(points).best_thetas(points, starts);
  if (count == 1) return descend(points, starts[0], box, precision);
  for (const SmallVector& start : std::span(starts).first(count)) {
    keep_better(best, descend(points, start, box, Precision::kRss));
  }
  return best ? descend(points, best->theta, box, precision) : best;
}

/// The best fit with the kink held at a place, from a nearby theta or, without one, from anywhere.
std::optional<Descent> hold_kink(const FitPoints& points, const SmallVector* near, Box box,
                                 double place) {
  const std::size_t kink = *points.law->kink();
  SmallVector start = near != nullptr ? *near : SmallVector{};
  box.lower[kink] = box.upper[kink] = start[kink] = place;
  if (near == nullptr && points.scale == Scale::kOriginal) {
    const auto logs = descend_in_logs(points, start, box, true);
    if (!logs) return std::nullopt;
    start = logs->theta;
  }
  return descend(points, start, box, Precision::kRss);
}

/// Descends from either end of a piece. Inside it, the profile of a kink has at most one minimum
/// (Hudson 1966), and from one of the ends the way there leads down.
std::optional<Descent> descend_from_ends(const FitPoints& points, const SmallVector* near,
                                         const Box& box) {
  const std::size_t kink = *points.law->kink();
  std::optional<Descent> best;
  for (const double end : {box.lower[kink], box.upper[kink]}) {
    const auto held = hold_kink(points, near, box, end);
    if (held) keep_better(best, descend(points, held->theta, box, Precision::kRss));
  }
  return best;
}

/// Scales a curve so that its logarithm is that of the means on average.
void scale_to(const FitPoints& points, SmallVector& theta) {
  const auto used = std::span(theta).first(points.law->parameters().size());
  double offset = 0;
  double mass = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double curve = fitted_value(points, points.cells[i].x, used);
    const double difference =
        points.scale == Scale::kLog ? points.mean[i] - curve : std::log(points.mean[i] / curve);
    if (!std::isfinite(difference)) continue;
    offset += points.mass[i] * difference;
    mass += points.mass[i];
  }
  if (mass > 0) points.law->rescale(used, offset / mass, points.response);
}

/// The box that contains a break; the first one if two share it.
const Box* box_around(std::span<const Box> boxes, std::size_t kink, double place) {
  const double slack = 1e-9 * std::max(1.0, std::abs(place));
  for (const Box& box : boxes) {
    if (place >= box.lower[kink] - slack && place <= box.upper[kink] + slack) return &box;
  }
  return nullptr;
}

/// On the original scale, every piece is tried and the best one followed to the precision.
std::optional<Descent> descend_all_pieces(const FitPoints& points, const SmallVector* near,
                                          std::span<const Box> boxes, Precision precision) {
  std::optional<Descent> best;
  const Box* best_box = nullptr;
  for (const Box& box : boxes) {
    const auto end = descend_from_ends(points, near, box);
    if (!end || (best && best->rss <= end->rss)) continue;
    best = end;
    best_box = &box;
  }
  if (!best || precision == Precision::kRss) return best;
  return descend(points, best->theta, *best_box, precision);
}

/// In logarithms the best break is known exactly. It is held while the others settle: if all were
/// free, the first steps might carry it past a worse minimum of its piece.
std::optional<Descent> descend_pieces(const FitPoints& points, const SmallVector* near,
                                      std::span<const Box> boxes, Precision precision) {
  if (points.scale != Scale::kLog) return descend_all_pieces(points, near, boxes, precision);
  const std::size_t kink = *points.law->kink();
  thread_local PerThread<std::vector<double>> kept;
  std::vector<double>& log_x = *kept;
  log_x.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) log_x[i] = std::log(points.cells[i].x);
  const double place = BrokenLine(log_x, points.mass).best_break(points.mean).place;
  const Box* const box = box_around(boxes, kink, place);
  if (box == nullptr) return std::nullopt;
  const double inside = std::clamp(place, box->lower[kink], box->upper[kink]);
  const auto held = hold_kink(points, nullptr, *box, inside);
  return held ? descend(points, held->theta, *box, precision) : std::nullopt;
}

Box law_box(const Law& law) {
  Box box{};
  for (std::size_t k = 0; k < law.parameters().size(); ++k) {
    box.lower[k] = law.parameters()[k].lower;
    box.upper[k] = law.parameters()[k].upper;
  }
  return box;
}

void fill_levels(const FitPoints& points, std::vector<double>& levels) {
  levels.clear();
  for (const Cell& cell : points.cells) {
    if (levels.empty() || cell.x != levels.back()) levels.push_back(cell.x);
  }
}

/// Moves a kink onto an x if a descent left it within rounding.
void snap_kink(const FitPoints& points, Descent& end) {
  const std::size_t kink = *points.law->kink();
  for (const Cell& cell : points.cells) {
    const double place = std::log(cell.x);
    if (std::abs(place - end.theta[kink]) > 1e-9 * std::max(1.0, std::abs(place))) continue;
    end.theta[kink] = place;
    end.rss = rss_at(points, end.theta);
    return;
  }
}

[[noreturn]] void throw_no_piece(const FitPoints& points) {
  throw fit_error(
      FailureCode::kNotIdentifiable,
      "a break needs at least {} different x on either side, {} are there; measure more scales",
      kLevelsBesideBreak, points.distinct_x);
}

/// Removes parameters on a bound from the linearisation, so that standard errors hold them fixed.
void drop_bound_columns(const FitPoints& points, Solution& out) {
  const Box box = outer_box(points);
  for (std::size_t k = 0; k < out.p; ++k) {
    out.on_bound[k] = out.theta[k] <= box.lower[k] || out.theta[k] >= box.upper[k];
  }
}

/// The least-squares solution over all boxes and starts; empty if no descent converges. The scale
/// of the curve is solved exactly for each of the law's shapes (variable projection), and the best
/// shape starts the descent.
std::optional<Descent> best_descent(const FitPoints& points, Precision precision) {
  thread_local PerThread<std::vector<Box>> kept;
  std::vector<Box>& boxes = *kept;
  fill_boxes(points, boxes);
  if (!points.law->kink()) return descend_smooth(points, boxes.front(), precision);
  auto best = descend_pieces(points, nullptr, boxes, precision);
  if (best) snap_kink(points, *best);
  return best;
}

}  // namespace

void fill_boxes(const FitPoints& points, std::vector<Box>& out) {
  out.assign(1, law_box(*points.law));
  const auto kink = points.law->kink();
  if (!kink) return;
  const Box whole = out.front();
  out.clear();
  thread_local PerThread<std::vector<double>> kept;
  std::vector<double>& levels = *kept;
  fill_levels(points, levels);
  for (std::size_t k = kLevelsBesideBreak; k + kLevelsBesideBreak <= levels.size(); ++k) {
    Box& box = out.emplace_back(whole);
    box.lower[*kink] = std::log(levels[k - 1]);
    box.upper[*kink] = std::log(levels[k]);
    // At its upper end, the kink would pass to the next piece.
    box.upper[*kink] -= 1e-12 * (box.upper[*kink] - box.lower[*kink]);
  }
}

Box outer_box(const FitPoints& points) {
  const auto kink = points.law->kink();
  Box box = law_box(*points.law);
  if (!kink) return box;
  thread_local PerThread<std::vector<double>> kept;
  std::vector<double>& levels = *kept;
  fill_levels(points, levels);
  if (levels.size() < 2 * kLevelsBesideBreak) return box;
  box.lower[*kink] = std::log(levels[kLevelsBesideBreak - 1]);
  box.upper[*kink] = std::log(levels[levels.size() - kLevelsBesideBreak]);
  return box;
}

std::optional<Descent> descend_piece(const FitPoints& points, const SmallVector& start,
                                     const Box& box) {
  const auto kink = points.law->kink();
  return kink && box.lower[*kink] < box.upper[*kink] ? descend_from_ends(points, &start, box)
                                                     : descend(points, start, box, Precision::kRss);
}

std::optional<Descent> descend_from_shapes(const FitPoints& points, const Box& box) {
  constexpr std::size_t kStarts = 3;
  const Law& law = *points.law;
  const std::size_t p = law.parameters().size();
  const std::vector<double> shapes = law.shapes(points.cells.front().x, points.cells.back().x);
  std::vector<Descent> starts;
  for (std::size_t shape = 0; shape + p <= shapes.size(); shape += p) {
    SmallVector theta{};
    std::copy_n(shapes.begin() + static_cast<std::ptrdiff_t>(shape), p, theta.begin());
    scale_to(points, theta);
    for (std::size_t k = 0; k < p; ++k) theta[k] = std::clamp(theta[k], box.lower[k], box.upper[k]);
    const double rss = rss_at(points, theta);
    if (std::isfinite(rss)) starts.push_back({theta, rss});
  }
  const std::size_t count = std::min(kStarts, starts.size());
  std::partial_sort(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(count),
                    starts.end(), [](const Descent& a, const Descent& b) { return a.rss < b.rss; });
  std::optional<Descent> best;
  for (std::size_t i = 0; i < count; ++i) {
    keep_better(best, descend(points, starts[i].theta, box, Precision::kRoughRss));
  }
  return best;
}

std::optional<Descent> descend_near(const FitPoints& points, const SmallVector& theta,
                                    Precision precision) {
  thread_local PerThread<std::vector<Box>> kept;
  std::vector<Box>& boxes = *kept;
  fill_boxes(points, boxes);
  if (!points.law->kink()) return descend(points, theta, boxes.front(), precision);
  auto best = descend_pieces(points, &theta, boxes, precision);
  if (best) snap_kink(points, *best);
  return best;
}

/// Responses outside have squares beyond the range of double, as variances of parameters in their
/// unit.
void check_responses(const FitPoints& points) {
  constexpr double kMost = 1e150;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double size =
        points.scale == Scale::kLog ? std::exp(std::abs(points.mean[i])) : std::abs(points.mean[i]);
    if (size < kMost) continue;
    throw fit_error(
        FailureCode::kNotIdentifiable,
        "values above {0:g} or below {1:g} have squares beyond the range of double; take "
        "another unit for y",
        kMost, 1 / kMost);
  }
}

/// Moves parameters of an exact fit to the ends of their ranges, where rounding alone keeps them
/// away.
void snap_to_ends(const FitPoints& points, SmallVector& theta) {
  const double noise = noise_floor(points, 0);
  if (rss_at(points, theta) > noise) return;
  const Box box = law_box(*points.law);
  for (std::size_t k = 0; k < points.law->parameters().size(); ++k) {
    if (!std::isfinite(box.lower[k])) continue;
    SmallVector end = theta;
    end[k] = box.lower[k];
    if (rss_at(points, end) <= noise) theta = end;
  }
}

void solve_nonlinear(const FitPoints& points, Solution& out) {
  check_responses(points);
  if (points.law->kink() && points.distinct_x < 2 * kLevelsBesideBreak) throw_no_piece(points);
  const auto best = best_descent(points, Precision::kParameters);
  if (!best) {
    throw fit_error(FailureCode::kNotConverged,
                    "no curve of the {} law fits best: the residuals go on falling while "
                    "parameters run off; a simpler law may do",
                    points.law->name());
  }
  out.theta = best->theta;
  snap_to_ends(points, out.theta);
  drop_bound_columns(points, out);
  fill_gradients(points, out.theta, out.design);
  if (!orthonormalise(points, out)) {
    throw fit_error(FailureCode::kNotIdentifiable,
                    "the parameters of the {} law cannot be told apart at these x",
                    points.law->name());
  }
  out.residual.resize(points.size());
  const auto theta = std::span(out.theta).first(out.p);
  double rss = points.within;
  for (std::size_t i = 0; i < points.size(); ++i) {
    out.residual[i] = points.mean[i] - fitted_value(points, points.cells[i].x, theta);
    rss += points.mass[i] * out.residual[i] * out.residual[i];
  }
  out.rss = rss > noise_floor(points, 0) ? rss : 0;
  out.explained = 0;
}

}  // namespace scalelaw
