#include <algorithm>
#include <cmath>

#include "tail/tail_parts.hpp"

namespace scalelaw {
namespace {

using Function = std::function<double(const Point2&)>;

/// from + factor (to - from).
Point2 between(const Point2& from, const Point2& to, double factor) {
  return {from[0] + factor * (to[0] - from[0]), from[1] + factor * (to[1] - from[1])};
}

class Simplex {
 public:
  Simplex(const Function& function, const Point2& start, const Point2& step)
      : function_(function),
        corners_{at(start), at({start[0] + step[0], start[1]}),
                 at({start[0], start[1] + step[1]})} {
    sort();
  }

  Minimum2 descend() {
    constexpr int kMostSteps = 500;
    for (int step = 0; step < kMostSteps && !is_small(); ++step) replace_worst();
    return corners_[0];
  }

 private:
  Minimum2 at(const Point2& point) const { return {point, function_(point)}; }

  void sort() { std::ranges::sort(corners_, {}, &Minimum2::value); }

  bool is_small() const {
    constexpr double kTolerance = 1e-13;
    const double spread = corners_[2].value - corners_[0].value;
    double width = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double least = std::min({corners_[0].at[i], corners_[1].at[i], corners_[2].at[i]});
      const double greatest = std::max({corners_[0].at[i], corners_[1].at[i], corners_[2].at[i]});
      width = std::max(width, (greatest - least) / (1e-6 + std::abs(greatest)));
    }
    return spread <= kTolerance * (1 + std::abs(corners_[0].value)) && width < 1e-7;
  }

  void replace_worst() {
    const Point2 centre = between(corners_[0].at, corners_[1].at, 0.5);
    const auto along = [&](double factor) { return at(between(centre, corners_[2].at, factor)); };
    const Minimum2 reflected = along(-1);
    if (reflected.value < corners_[0].value) {
      const Minimum2 expanded = along(-2);
      corners_[2] = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < corners_[1].value) {
      corners_[2] = reflected;
    } else {
      contract(reflected, along(reflected.value < corners_[2].value ? -0.5 : 0.5));
    }
    sort();
  }

  void contract(const Minimum2& reflected, const Minimum2& contracted) {
    if (contracted.value < std::min(reflected.value, corners_[2].value)) {
      corners_[2] = contracted;
      return;
    }
    for (std::size_t i = 1; i < 3; ++i) {
      corners_[i] = at(between(corners_[0].at, corners_[i].at, 0.5));
    }
  }

  const Function& function_;
  std::array<Minimum2, 3> corners_;
};

}  // namespace

Minimum2 minimise(const Function& function, const Point2& start, const Point2& step) {
  constexpr int kMostStarts = 6;
  Minimum2 best = Simplex(function, start, step).descend();
  for (int i = 1; i < kMostStarts; ++i) {
    const Point2 small{0.1 * step[0], 0.1 * step[1]};
    const Minimum2 next = Simplex(function, best.at, small).descend();
    const double gain = best.value - next.value;
    if (gain > 0) best = next;
    if (!(gain > 1e-11 * (1 + std::abs(best.value)))) break;
  }
  return best;
}

}  // namespace scalelaw
