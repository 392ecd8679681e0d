#include "render/gnuplot/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "render/gnuplot/run.hpp"
#include "render/time_ticks.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// All values of one coordinate that are drawn in a panel and can be shown.
class Extent {
 public:
  explicit Extent(const Axis& axis) : axis_(axis) {}

  void add(const std::vector<double>& values) {
    for (const double value : values) {
      if (!is_shown(axis_, value)) continue;
      least_ = any_ ? std::min(least_, value) : value;
      greatest_ = any_ ? std::max(greatest_, value) : value;
      any_ = true;
    }
  }
  Range range() const {
    if (axis_.scale == AxisScale::kCategories) {
      return {-0.6, static_cast<double>(axis_.categories.size()) - 0.4};
    }
    Range range = !any_ ? Range{1, 10} : is_logarithmic(axis_) ? factored() : shifted();
    range.least = axis_.least.value_or(range.least);
    range.greatest = axis_.greatest.value_or(range.greatest);
    return range;
  }

 private:
  Range factored() const {
    const double factor = std::pow(greatest_ / least_, 0.04) * 1.05;
    return {least_ / factor, greatest_ * factor};
  }
  Range shifted() const {
    const double width = greatest_ > least_ ? greatest_ - least_ : std::max(1.0, std::abs(least_));
    const bool begins_at_zero = least_ >= 0 && least_ < 0.4 * greatest_;
    return {begins_at_zero ? 0 : least_ - 0.05 * width, greatest_ + 0.05 * width};
  }

  const Axis& axis_;
  bool any_ = false;
  double least_ = 0;
  double greatest_ = 0;
};

/// Powers of two, as numbers of GPUs are counted; every second or third of them on a long axis.
std::vector<double> powers_of_two(Range range, int most) {
  constexpr double kWidthOfTick = 4;  // In digits: longer numbers leave room for fewer.
  const double digits = std::floor(std::log10(std::max(range.greatest, 1.0))) + 1;
  most = std::max(1, static_cast<int>(most * kWidthOfTick / std::max(digits, kWidthOfTick)));
  const int first = static_cast<int>(std::ceil(std::log2(range.least) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(range.greatest) + 1e-9));
  const int step = 1 + (last - first) / most;
  std::vector<double> ticks;
  for (int exponent = first; exponent <= last; exponent += step) {
    ticks.push_back(std::ldexp(1.0, exponent));
  }
  return ticks;
}

/// Multiples of every `step`th power of ten by some factors.
std::vector<double> decades(Range range, const std::vector<double>& factors, int step) {
  const int first = static_cast<int>(std::floor(std::log10(range.least)));
  const int last = static_cast<int>(std::floor(std::log10(range.greatest)));
  std::vector<double> ticks;
  for (int exponent = first; exponent <= last; exponent += step) {
    for (const double factor : factors) {
      const double tick = factor * std::pow(10.0, exponent);
      if (tick >= range.least && tick <= range.greatest) ticks.push_back(tick);
    }
  }
  return ticks;
}

/// 1, 2, 5, 10, ...; where these are more than `most` 1, 3, 10, ...; else 1, 10, 100, ...
std::vector<double> round_numbers(Range range, int most) {
  for (const auto& factors : {std::vector{1.0, 2.0, 5.0}, std::vector{1.0, 3.0}}) {
    std::vector<double> ticks = decades(range, factors, 1);
    if (static_cast<int>(ticks.size()) <= most) return ticks;
  }
  const double length = std::log10(range.greatest / range.least);
  return decades(range, {1.0}, 1 + static_cast<int>(length / most));
}

/// Multiples of 1, 2 or 5 times a power of ten.
std::vector<double> even_numbers(Range range, int most) {
  const double rough = (range.greatest - range.least) / most;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    step = factor * power >= rough ? factor * power : step;
  std::vector<double> ticks;
  const double first = std::ceil(range.least / step - 1e-9);
  for (double i = first; i * step <= range.greatest + 1e-9 * step; i += 1) {
    ticks.push_back(i * step + 0.0);  // -0 becomes 0.
  }
  return ticks;
}

/// Round thousands as k and millions as M keep long numbers out of the margin; powers of two stay
/// as they are.
std::string tick_text(double value) {
  const double size = std::abs(value);
  const auto is_round = [size](double unit) { return std::fmod(size, unit) == 0; };
  if (size >= 1e12) return fmt::format("{:.6g}", value);
  if (size >= 1e6 && (size >= 1e8 || is_round(1e5))) return fmt::format("{:.6g}M", value / 1e6);
  if (size >= 1e4 && is_round(1e3)) return fmt::format("{:.6g}k", value / 1e3);
  return fmt::format("{:.9g}", value);
}

}  // namespace

bool is_logarithmic(const Axis& axis) {
  return axis.scale == AxisScale::kLogarithmic || axis.scale == AxisScale::kPowersOfTwo;
}

bool is_shown(const Axis& axis, double value) {
  return std::isfinite(value) && (!is_logarithmic(axis) || value > 0);
}

PanelRanges ranges_of(const FigurePanel& panel) {
  Extent x(panel.x);
  Extent y(panel.y);
  for (const FigureSeries& series : panel.series) {
    x.add(series.points.x);
    for (const auto* values : {&series.points.y, &series.points.lower, &series.points.upper}) {
      y.add(*values);
    }
    for (const FigureCurve& curve : series.curves) {
      x.add(curve.x);
      y.add(curve.y);
    }
    for (const FigureBand& band : series.bands) {
      y.add(band.lower);
      y.add(band.upper);
    }
  }
  return {x.range(), y.range()};
}

double place_on(const Axis& axis, Range range, double value) {
  if (!is_logarithmic(axis)) return (value - range.least) / (range.greatest - range.least);
  return std::log(value / range.least) / std::log(range.greatest / range.least);
}

std::string ticks_text(const Axis& axis, Range range, TickRoom room) {
  std::vector<std::string> texts;
  if (axis.scale == AxisScale::kCategories) {
    for (std::size_t i = 0; i < axis.categories.size(); ++i) {
      texts.push_back(fmt::format("{} {}", gnuplot_text(axis.categories[i]), i));
    }
  } else if (axis.scale == AxisScale::kTime) {
    for (const TimeTick& tick : time_ticks(range.least, range.greatest, room.columns)) {
      texts.push_back(fmt::format("'{}' {:.17g}", tick.label, tick.time));
    }
  } else {
    const int most = room.most;
    std::vector<double> ticks = axis.scale == AxisScale::kPowersOfTwo   ? powers_of_two(range, most)
                                : axis.scale == AxisScale::kLogarithmic ? round_numbers(range, most)
                                                                        : std::vector<double>{};
    if (ticks.size() < 2) ticks = even_numbers(range, std::min(most, 7));
    if (axis.scale == AxisScale::kPowersOfTwo && range.greatest >= 2) {  // Counts: 3.9 is none.
      std::erase_if(ticks, [](double tick) { return tick > 1 && tick != std::round(tick); });
    }
    for (const double tick : ticks) {
      texts.push_back(fmt::format("'{}' {:.17g}", tick_text(tick), tick));
    }
  }
  return fmt::format("({})", joined(texts));
}

}  // namespace scalelaw
