#include "render/time_ticks.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

namespace scalelaw {
namespace {

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kMonth = 28 * kDay;  // The shortest.
constexpr double kYear = 12 * kMonth;

constexpr std::array kSteps{1.0,          2.0,          5.0,         10.0,        15.0,
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
  const auto utc = fmt::gmtime(static_cast<std::time_t>(time));
  if (step < kMinute) return fmt::format("{:%H:%M:%S}", utc);
  if (step < kDay && one_day) return fmt::format("{:%H:%M}", utc);
  if (step < kDay) return fmt::format("{:%m-%d %H:%M}", utc);
  if (step < kMonth) return fmt::format("{:%Y-%m-%d}", utc);
  if (step < kYear) return fmt::format("{:%Y-%m}", utc);
  return fmt::format("{:%Y}", utc);
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
  for (const double step : kSteps) {
    if (ticks.empty() && fits(step)) ticks = with_labels(axis, even_times(axis, step), step);
  }
  for (const int months : kMonthSteps) {
    const double step = months * kMonth;
    if (ticks.empty() && fits(step)) ticks = with_labels(axis, month_times(axis, months), step);
  }
  return ticks.size() < 2 ? two_ticks(axis) : ticks;
}

}  // namespace scalelaw
