#include "render/figure_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "scalelaw/base/date.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kMonth = 28 * kDay;  // The shortest.
constexpr double kYear = 12 * kMonth;

constexpr std::array kTimeSteps{1.0,          2.0,          5.0,         10.0,        15.0,
                                30.0,         kMinute,      2 * kMinute, 5 * kMinute, 10 * kMinute,
                                15 * kMinute, 30 * kMinute, kHour,       2 * kHour,   3 * kHour,
                                6 * kHour,    12 * kHour,   kDay,        2 * kDay,    3 * kDay,
                                4 * kDay,     5 * kDay,     7 * kDay,    10 * kDay,   14 * kDay};
constexpr std::array kMonthSteps{1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200};

struct TimeAxis {
  double first;
  double last;
  double columns;

  double place(double time) const { return (time - first) / (last - first) * columns; }
  bool is_of_one_day() const { return std::floor(first / kDay) == std::floor(last / kDay); }
};

/// The label of a time, as exact as ticks need that are so many seconds apart.
std::string label_of(double time, double step, bool one_day) {
  const auto written = [&](const char* pattern) {
    return utc_text(static_cast<std::int64_t>(time), pattern);
  };
  if (step < kMinute) return written("%H:%M:%S");
  if (step < kDay && one_day) return written("%H:%M");
  if (step < kDay) return written("%m-%d %H:%M");
  if (step < kMonth) return written("%Y-%m-%d");
  if (step < kYear) return written("%Y-%m");
  return written("%Y");
}

/// Steps of days count from the first day on the axis, shorter steps from midnight.
std::vector<double> even_times(const TimeAxis& axis, double step) {
  std::vector<double> times;
  const double unit = std::min(step, kDay);
  for (double time = std::ceil(axis.first / unit) * unit; time <= axis.last; time += step) {
    times.push_back(time);
  }
  return times;
}

/// The beginnings of months whose number since year 0 is a multiple of `step`.
std::vector<double> month_times(const TimeAxis& axis, int step) {
  using namespace std::chrono;
  const sys_days day{days{static_cast<int>(std::floor(axis.first / kDay))}};
  const year_month_day date{day};
  int month = static_cast<int>(date.year()) * 12 + static_cast<int>(unsigned{date.month()}) - 1;
  month -= month % step;
  std::vector<double> times;
  for (;; month += step) {
    const sys_days begin{year{month / 12} / (month % 12 + 1) / 1};
    const double time = static_cast<double>(begin.time_since_epoch().count()) * kDay;
    if (time > axis.last) return times;
    if (time >= axis.first) times.push_back(time);
  }
}

/// The ticks whose labels are inside the figure; none if two labels are too close.
std::vector<TimeTick> with_labels(const TimeAxis& axis, const std::vector<double>& times,
                                  double step) {
  constexpr double kGap = 2;
  constexpr double kOverhang = 1;
  std::vector<TimeTick> ticks;
  double end = -std::numeric_limits<double>::infinity();  // Of the label before.
  for (const double time : times) {
    std::string label = label_of(time, step, axis.is_of_one_day());
    const double half = static_cast<double>(label.size()) / 2;
    const double place = axis.place(time);
    if (place - half < end + kGap) return {};
    end = place + half;
    if (end <= axis.columns + kOverhang) ticks.push_back({time, std::move(label)});
  }
  return ticks;
}

/// Two times that are as round as the length of the axis allows.
std::vector<TimeTick> two_ticks(const TimeAxis& axis) {
  const double length = axis.last - axis.first;
  const double unit = length > 10 * kDay ? kDay : length > 10 * kMinute ? kMinute : 1;
  std::vector<double> times;
  for (const double share : {0.15, 0.75}) {
    times.push_back(std::ceil((axis.first + share * length) / unit) * unit);
  }
  const std::vector<TimeTick> ticks = with_labels(axis, times, unit);
  return ticks.empty() ? with_labels(axis, {times.front()}, unit) : ticks;
}

}  // namespace

std::vector<TimeTick> time_ticks(double first, double last, double columns) {
  const TimeAxis axis{first, last, columns};
  std::vector<TimeTick> ticks;
  const auto fits = [&](double step) { return (last - first) / step <= columns; };
  for (const double step : kTimeSteps) {
    if (ticks.empty() && fits(step)) ticks = with_labels(axis, even_times(axis, step), step);
  }
  for (const int months : kMonthSteps) {
    const double step = months * kMonth;
    if (ticks.empty() && fits(step)) ticks = with_labels(axis, month_times(axis, months), step);
  }
  return ticks.size() < 2 ? two_ticks(axis) : ticks;
}

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
  const double begin = std::log10(range.least);
  // Leaps of several powers begin with one that is on the axis.
  const int first = static_cast<int>(step > 1 ? std::ceil(begin - 1e-9) : std::floor(begin));
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

/// 1, 2, 5, 10, ...; where these are few, and so end far from the ends of the axis, 1, 1.5, 2, 3,
/// 5, 7, 10, ...; where they are more than `most` 1, 3, 10, ...; else 1, 10, 100, ...
std::vector<double> round_numbers(Range range, int most) {
  constexpr std::size_t kFew = 4;
  const std::vector<double> usual = decades(range, {1.0, 2.0, 5.0}, 1);
  if (usual.size() > 1 && usual.size() < kFew) {
    std::vector<double> ticks = decades(range, {1.0, 1.5, 2.0, 3.0, 5.0, 7.0}, 1);
    if (static_cast<int>(ticks.size()) <= most) return ticks;
  }
  for (const auto& ticks : {usual, decades(range, {1.0, 3.0}, 1)}) {
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

/// Powers of two of fractions would be 0.0009765625.
bool takes_powers_of_two(const Axis& axis, Range range) {
  constexpr double kLeastFraction = 0.1;
  return axis.scale == AxisScale::kPowersOfTwo && range.least > kLeastFraction;
}

/// Round numbers from a thousand on as k and M where the greatest has five digits or more.
std::string tick_text(double value, bool with_units, bool counts) {
  const double size = std::abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) {
    const auto exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    return fmt::format("{:.4g}e{}", value / std::pow(10.0, exponent), exponent);
  }
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit unit :
       {Unit{1e12, "T"}, Unit{1e9, counts ? "B" : "G"}, Unit{1e6, "M"}, Unit{1e3, "k"}}) {
    if (!with_units || size < unit.size) continue;
    const std::string text = fmt::format("{:.4g}", value / unit.size);
    if (size / unit.size < 1e4) return text + unit.name;
  }
  return fmt::format("{:.9g}", value);
}

std::vector<Tick> number_ticks(const Axis& axis, Range range, int most) {
  const bool by_two = takes_powers_of_two(axis, range);
  std::vector<double> values = by_two                 ? powers_of_two(range, most)
                               : is_logarithmic(axis) ? round_numbers(range, most)
                                                      : std::vector<double>{};
  if (values.size() < 2) values = even_numbers(range, std::min(most, 7));
  if (by_two && range.greatest >= 2) {  // Counts: 3.9 is none.
    std::erase_if(values, [](double tick) { return tick > 1 && tick != std::round(tick); });
  }
  const double greatest = std::max(axis.beside, values.empty() ? 0 : std::abs(values.back()));
  const bool with_units = by_two ? greatest >= 1e8 : greatest >= 1e4;
  std::vector<Tick> ticks;
  for (const double value : values)
    ticks.push_back({value, tick_text(value, with_units, axis.counts)});
  return ticks;
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

Figure with_like_ticks(Figure figure) {
  struct Alike {
    std::size_t panels = 0;
    double greatest = 0;
  };
  for (Axis FigurePanel::*const direction : {&FigurePanel::x, &FigurePanel::y}) {
    std::map<std::string, Alike> axes;
    for (const FigurePanel& panel : figure.panels) {
      const PanelRanges ranges = ranges_of(panel);
      Alike& alike = axes[(panel.*direction).label];
      ++alike.panels;
      alike.greatest =
          std::max(alike.greatest, (direction == &FigurePanel::x ? ranges.x : ranges.y).greatest);
    }
    for (FigurePanel& panel : figure.panels) {
      const Alike& alike = axes.at((panel.*direction).label);
      if (alike.panels > 1) (panel.*direction).beside = alike.greatest;
    }
  }
  return figure;
}

double place_on(const Axis& axis, Range range, double value) {
  if (!is_logarithmic(axis)) return (value - range.least) / (range.greatest - range.least);
  return std::log(value / range.least) / std::log(range.greatest / range.least);
}

std::vector<Tick> ticks_of(const Axis& axis, Range range, TickRoom room) {
  std::vector<Tick> ticks;
  if (axis.scale == AxisScale::kCategories) {
    for (std::size_t i = 0; i < axis.categories.size(); ++i) {
      ticks.push_back({static_cast<double>(i), axis.categories[i]});
    }
    return ticks;
  }
  if (axis.scale == AxisScale::kTime) {
    for (const TimeTick& tick : time_ticks(range.least, range.greatest, room.columns)) {
      ticks.push_back({tick.time, tick.label});
    }
    return ticks;
  }
  if (axis.ticks.empty()) return number_ticks(axis, range, room.most);
  for (const double value : axis.ticks)
    ticks.push_back({value, tick_text(value, false, axis.counts)});
  return ticks;
}

std::string count_text(double value) {
  for (const auto& [size, name] :
       {std::pair(1e12, "T"), std::pair(1e9, "B"), std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (value >= 0.9995 * size) return fmt::format("{:.3g} {}", value / size, name);
  }
  return fmt::format("{:.3g}", value);
}

namespace {

using Places = std::vector<std::pair<double, double>>;
using AddPlace = std::function<void(double, double)>;

/// Both ends of a line and the places between them, close enough to keep words off it.
void add_line(const std::pair<double, double>& from, const std::pair<double, double>& to,
              const AddPlace& add) {
  constexpr double kApart = 0.008;
  constexpr double kMostSteps = 200;  // Of a line that leaves the panel.
  const double width = to.first - from.first;
  const double height = to.second - from.second;
  const double length = std::max(std::abs(width), std::abs(height));
  const double steps = std::min(kMostSteps, std::ceil(length / kApart));
  for (double step = 0; step <= steps; step += 1) {
    const double part = steps > 0 ? step / steps : 0;
    add(from.first + part * width, from.second + part * height);
  }
}

void add_path(const Places& places, bool stepped, const AddPlace& add) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0) {
      add(places[i].first, places[i].second);
      continue;
    }
    const std::pair corner{places[i].first, places[i - 1].second};
    if (stepped) add_line(places[i - 1], corner, add);
    add_line(stepped ? corner : places[i - 1], places[i], add);
  }
}

/// Everything between two edges, of which the places belong together.
void add_area(const Places& lower, const Places& upper, const AddPlace& add) {
  constexpr double kApart = 0.02;
  const std::size_t count = std::min(lower.size(), upper.size());
  for (std::size_t i = 0; i < count; ++i) {
    add_line(lower[i], upper[i], add);
    if (i == 0) continue;
    const double steps = std::ceil((lower[i].first - lower[i - 1].first) / kApart);
    for (double step = 1; step < steps; step += 1) {
      const auto between = [&](const Places& edge) {
        const double part = step / steps;
        return std::pair(edge[i - 1].first + part * (edge[i].first - edge[i - 1].first),
                         edge[i - 1].second + part * (edge[i].second - edge[i - 1].second));
      };
      add_line(between(lower), between(upper), add);
    }
  }
}

/// The places that a panel can show of some points.
Places places_of(const FigurePanel& panel, const PanelRanges& ranges, const std::vector<double>& x,
                 const std::vector<double>& y) {
  Places places;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!is_shown(panel.x, x[i]) || !is_shown(panel.y, y[i])) continue;
    places.emplace_back(place_on(panel.x, ranges.x, x[i]), place_on(panel.y, ranges.y, y[i]));
  }
  return places;
}

}  // namespace

void for_each_place(const FigurePanel& panel, const PanelRanges& ranges, const AddPlace& add) {
  const auto places = [&](const std::vector<double>& x, const std::vector<double>& y) {
    return places_of(panel, ranges, x, y);
  };
  for (const FigureReference& reference : panel.references) {
    add_path(places(reference.x, reference.y), false, add);
  }
  for (const FigureSeries& series : panel.series) {
    for (const FigureCurve& curve : series.curves) add_path(places(curve.x, curve.y), false, add);
    for (const FigureBand& band : series.bands) {
      add_area(places(band.x, band.lower), places(band.x, band.upper), add);
    }
    const FigurePoints& points = series.points;
    const Places centres = places(points.x, points.y);
    if (series.connected || series.stepped) add_path(centres, series.stepped, add);
    for (const auto& [x, y] : centres) add(x, y);
    for (std::size_t i = 0; i < points.lower.size(); ++i) {
      const Places ends = places({points.x[i], points.x[i]}, {points.lower[i], points.upper[i]});
      if (ends.size() == 2) add_line(ends[0], ends[1], add);
    }
    for (std::size_t i = 0; i < points.x_lower.size(); ++i) {
      const Places ends =
          places({points.x_lower[i], points.x_upper[i]}, {points.y[i], points.y[i]});
      if (ends.size() == 2) add_line(ends[0], ends[1], add);
    }
  }
}

}  // namespace scalelaw
