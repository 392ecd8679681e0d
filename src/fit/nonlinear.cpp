#include "fit/nonlinear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/per_law.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLevelsBesideKink = 3;  ///< Different x on either side of a kink.

/// The better of two ends; the first where they tie.
void keep_better(std::optional<Descent>& best, const std::optional<Descent>& other) {
  if (other && (!best || other->rss < best->rss)) best = other;
}

/// The curves of a law's shapes at the x of one group, made once for all groups with these x.
class ShapeTable {
 public:
  static constexpr std::size_t kMostStarts = 4;

  /// Where descents start: the best shape of each row that beats the rows beside it, once its scale
  /// is solved exactly; the best of all first. How many they are.
  std::size_t best_thetas(const Observations& points, std::array<SmallVector, kMostStarts>& out) {
    prepare(points);
    fill_row_bests(points);
    std::array<Candidate, kMostStarts> starts;
    starts.fill({kInfinity, 0, 0});
    for (std::size_t row = 0; row < row_bests_.size(); ++row) {
      Candidate candidate = row_bests_[row];
      if (row > 0 && row_bests_[row - 1].rss < candidate.rss) continue;
      if (row + 1 < row_bests_.size() && row_bests_[row + 1].rss < candidate.rss) continue;
      for (Candidate& place : starts) {
        if (candidate.rss < place.rss) std::swap(candidate, place);
      }
    }
    std::size_t count = 0;
    for (const Candidate& start : starts) {
      if (!(start.rss < kInfinity) || start.rss > kHopeless * starts[0].rss) break;
      SmallVector& theta = out[count++];
      theta = {};
      std::copy_n(thetas_.begin() + static_cast<std::ptrdiff_t>(start.shape * p_), p_,
                  theta.begin());
      points.law->rescale(std::span(theta).first(p_), start.log_factor, points.response);
    }
    return count;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  /// A shape so much worse than the best leads nowhere better: minima that rival are all bad.
  static constexpr double kHopeless = 4;
  struct Candidate {
    double rss;
    double log_factor;
    std::size_t shape;
  };

  void prepare(const Observations& points) {
    const auto same_x = [](const Cell& cell, double x) { return cell.x == x; };
    const bool known =
        law_ == points.law->id() && response_ == points.response && scale_ == points.scale &&
        std::equal(points.cells.begin(), points.cells.end(), x_.begin(), x_.end(), same_x);
    if (known) return;
    const Law& law = *points.law;
    law_ = law.id();
    response_ = points.response;
    scale_ = points.scale;
    x_.resize(points.size());
    std::transform(points.cells.begin(), points.cells.end(), x_.begin(),
                   [](const Cell& cell) { return cell.x; });
    p_ = law.parameters().size();
    thetas_ = law.shapes(x_.front(), x_.back());
    shapes_ = thetas_.size() / p_;
    SmallVector probe{};
    std::copy_n(thetas_.begin(), shapes_ > 0 ? p_ : 0, probe.begin());
    rescales_ = shapes_ > 0 && law.rescale(std::span(probe).first(p_), 0, response_);
    curves_.clear();
    for (std::size_t s = 0; s < shapes_; ++s) {
      for (const double x : x_) {
        curves_.push_back(fitted_value(points, x, std::span(thetas_).subspan(s * p_, p_)));
      }
    }
  }

  /// A row ends where the second parameter changes.
  bool starts_row(std::size_t shape) const {
    return shape == 0 || p_ < 2 || thetas_[shape * p_ + 1] != thetas_[(shape - 1) * p_ + 1];
  }

  void fill_row_bests(const Observations& points) {
    row_bests_.clear();
    for (std::size_t s = 0; s < shapes_; ++s) {
      const Candidate candidate = candidate_of(points, s);
      if (starts_row(s)) {
        row_bests_.push_back(candidate);
      } else if (candidate.rss < row_bests_.back().rss) {
        row_bests_.back() = candidate;
      }
    }
  }

  /// The scale is an offset of logarithms and a factor of the original scale.
  Candidate candidate_of(const Observations& points, std::size_t shape) const {
    const std::size_t m = points.size();
    const double* const curve = curves_.data() + shape * m;
    const bool logs = points.scale == Scale::kLog;
    double cross = 0;
    double square = 0;
    for (std::size_t i = 0; i < m; ++i) {
      cross += points.mass[i] * (logs ? points.mean[i] - curve[i] : points.mean[i] * curve[i]);
      square += points.mass[i] * (logs ? 1 : curve[i] * curve[i]);
    }
    const double scale = rescales_ ? cross / square : (logs ? 0.0 : 1.0);
    if (!std::isfinite(scale) || (!logs && !(scale > 0))) return {kInfinity, 0, shape};
    double rss = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const double residual = points.mean[i] - (logs ? curve[i] + scale : curve[i] * scale);
      rss += points.mass[i] * residual * residual;
    }
    return {rss, logs ? scale : std::log(scale), shape};
  }

  std::uint64_t law_ = 0;  ///< Its id.
  Response response_ = Response::kTime;
  Scale scale_ = Scale::kLog;
  bool rescales_ = false;
  std::size_t p_ = 0;
  std::size_t shapes_ = 0;
  std::vector<double> x_;
  std::vector<double> thetas_;
  std::vector<Candidate> row_bests_;
  std::vector<double> curves_;  ///< One after the other, a value for each x.
};

/// Least squares of ln(mean y) from `start`, as a start for the original scale: weighted by y
/// squared, since a residual of ln y times y is about one of y, or not, trusting small y more.
std::optional<Descent> descend_in_logs(const Observations& points, const SmallVector& start,
                                       const Box& box, bool weighted) {
  thread_local Observations logs;
  logs = points;
  logs.scale = Scale::kLog;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double y = points.cells[i].mean;
    // Additive scatter may reach below 0; the start does without.
    logs.mean[i] = y > 0 ? std::log(y) : 0;
    logs.mass[i] = y > 0 ? points.mass[i] * (weighted ? y * y : 1) : 0;
    positive += y > 0 ? 1 : 0;
  }
  if (positive < points.law->parameters().size()) return std::nullopt;
  return descend(logs, start, box, Precision::kRss);
}

/// From the starts of laws that are smooth on the scale of the law: their shapes, or for linear
/// laws their solution there.
std::optional<Descent> descend_smooth(const Observations& points, const Box& box,
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
  std::array<SmallVector, ShapeTable::kMostStarts> starts;
  thread_local PerLaw<ShapeTable> tables;
  const std::size_t count = tables[*points.law].best_thetas(points, starts);
  if (count == 1) return descend(points, starts[0], box, precision);
  for (const SmallVector& start : std::span(starts).first(count)) {
    keep_better(best, descend(points, start, box, Precision::kRss));
  }
  return best ? descend(points, best->theta, box, precision) : best;
}

/// The best fit with the kink held at a place, from a theta close by or, without one, from
/// anywhere.
std::optional<Descent> hold_kink(const Observations& points, const SmallVector* near, Box box,
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

/// From either end of a piece: inside it the profile of a kink has at most one minimum (Hudson
/// 1966), and from one of the ends the way there is downhill.
std::optional<Descent> descend_from_ends(const Observations& points, const SmallVector* near,
                                         const Box& box) {
  const std::size_t kink = *points.law->kink();
  std::optional<Descent> best;
  for (const double end : {box.lower[kink], box.upper[kink]}) {
    const auto held = hold_kink(points, near, box, end);
    if (held) keep_better(best, descend(points, held->theta, box, Precision::kRss));
  }
  return best;
}

Box law_box(const Law& law) {
  Box box{};
  for (std::size_t k = 0; k < law.parameters().size(); ++k) {
    box.lower[k] = law.parameters()[k].lower;
    box.upper[k] = law.parameters()[k].upper;
  }
  return box;
}

void fill_levels(const Observations& points, std::vector<double>& levels) {
  levels.clear();
  for (const Cell& cell : points.cells) {
    if (levels.empty() || cell.x != levels.back()) levels.push_back(cell.x);
  }
}

/// A descent may leave a kink within rounding of an x: it belongs on it.
void snap_kink(const Observations& points, Descent& end) {
  const std::size_t kink = *points.law->kink();
  for (const Cell& cell : points.cells) {
    const double place = std::log(cell.x);
    if (std::abs(place - end.theta[kink]) > 1e-9 * std::max(1.0, std::abs(place))) continue;
    end.theta[kink] = place;
    end.rss = rss_at(points, end.theta);
    return;
  }
}

/// The best of all pieces of a law with a kink, followed as closely as wanted.
std::optional<Descent> best_of_pieces(const Observations& points, const SmallVector* near,
                                      std::span<const Box> boxes, Precision precision) {
  std::optional<Descent> best;
  const Box* best_box = nullptr;
  for (const Box& box : boxes) {
    const auto end = descend_from_ends(points, near, box);
    if (!end || (best && best->rss <= end->rss)) continue;
    best = end;
    best_box = &box;
  }
  if (!best) return std::nullopt;
  if (precision == Precision::kParameters) {
    const auto close = descend(points, best->theta, *best_box, precision);
    if (!close) return std::nullopt;
    best = close;
  }
  snap_kink(points, *best);
  return best;
}

[[noreturn]] void throw_no_piece(const Observations& points) {
  throw FitError(FailureCode::kNotIdentifiable,
                 fmt::format("a break needs at least {} different x on either side, {} are there; "
                             "measure more scales",
                             kLevelsBesideKink, points.distinct_x));
}

/// Leaves parameters on a bound out of the linearisation: standard errors hold them fixed.
void drop_bound_columns(const Observations& points, Solution& out) {
  const Box box = outer_box(points);
  for (std::size_t k = 0; k < out.p; ++k) {
    out.on_bound[k] = out.theta[k] <= box.lower[k] || out.theta[k] >= box.upper[k];
  }
}

}  // namespace

void fill_boxes(const Observations& points, std::vector<Box>& out) {
  out.assign(1, law_box(*points.law));
  const auto kink = points.law->kink();
  if (!kink) return;
  const Box whole = out.front();
  out.clear();
  thread_local std::vector<double> levels;
  fill_levels(points, levels);
  for (std::size_t k = kLevelsBesideKink; k + kLevelsBesideKink <= levels.size(); ++k) {
    Box& box = out.emplace_back(whole);
    box.lower[*kink] = std::log(levels[k - 1]);
    box.upper[*kink] = std::log(levels[k]);
    // At its upper end the kink would pass to the next piece.
    box.upper[*kink] -= 1e-12 * (box.upper[*kink] - box.lower[*kink]);
  }
}

Box outer_box(const Observations& points) {
  const auto kink = points.law->kink();
  Box box = law_box(*points.law);
  if (!kink) return box;
  thread_local std::vector<double> levels;
  fill_levels(points, levels);
  if (levels.size() < 2 * kLevelsBesideKink) return box;
  box.lower[*kink] = std::log(levels[kLevelsBesideKink - 1]);
  box.upper[*kink] = std::log(levels[levels.size() - kLevelsBesideKink]);
  return box;
}

std::optional<Descent> descend_piece(const Observations& points, const SmallVector& start,
                                     const Box& box) {
  const auto kink = points.law->kink();
  return kink && box.lower[*kink] < box.upper[*kink] ? descend_from_ends(points, &start, box)
                                                     : descend(points, start, box, Precision::kRss);
}

std::optional<Descent> best_descent(const Observations& points, Precision precision) {
  thread_local std::vector<Box> boxes;
  fill_boxes(points, boxes);
  if (!points.law->kink()) return descend_smooth(points, boxes.front(), precision);
  return best_of_pieces(points, nullptr, boxes, precision);
}

std::optional<Descent> descend_near(const Observations& points, const SmallVector& theta,
                                    Precision precision) {
  thread_local std::vector<Box> boxes;
  fill_boxes(points, boxes);
  if (!points.law->kink()) return descend(points, theta, boxes.front(), precision);
  return best_of_pieces(points, &theta, boxes, precision);
}

void solve_nonlinear(const Observations& points, Solution& out) {
  if (points.law->kink() && points.distinct_x < 2 * kLevelsBesideKink) throw_no_piece(points);
  const auto best = best_descent(points, Precision::kParameters);
  if (!best) {
    throw FitError(
        FailureCode::kNotConverged,
        fmt::format("no curve of the {} law fits best: the residuals go on falling while "
                    "parameters run off; a simpler law may do",
                    points.law->name()));
  }
  out.theta = best->theta;
  drop_bound_columns(points, out);
  fill_gradients(points, out.theta, out.design);
  if (!orthonormalise(points, out)) {
    throw FitError(FailureCode::kNotIdentifiable,
                   fmt::format("the parameters of the {} law cannot be told apart at these x",
                               points.law->name()));
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
