#include "render/figure_axes.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace scalelaw {
namespace {

/// Seconds of a time, as `date -u -d ... +%s` prints them.
double at(const char* text) {
  std::tm time{};
  EXPECT_NE(strptime(text, "%Y-%m-%d %H:%M:%S", &time), nullptr);
  return static_cast<double>(timegm(&time));
}

std::vector<std::string> labels(const char* first, const char* last, double columns) {
  std::vector<std::string> out;
  for (const TimeTick& tick : time_ticks(at(first), at(last), columns)) out.push_back(tick.label);
  return out;
}

using Labels = std::vector<std::string>;

TEST(TimeTicks, AreDaysWithinWeeks) {
  EXPECT_EQ(
      labels("2026-03-01 12:00:00", "2026-03-13 12:00:00", 80),
      (Labels{"2026-03-02", "2026-03-04", "2026-03-06", "2026-03-08", "2026-03-10", "2026-03-12"}));
}

TEST(TimeTicks, StandWhereTheirLabelSays) {
  const auto ticks = time_ticks(at("2026-03-01 12:00:00"), at("2026-03-13 12:00:00"), 80);
  EXPECT_EQ(ticks.at(0).time, 1772409600);  // date -u -d 2026-03-02 +%s
  EXPECT_EQ(ticks.at(1).time, 1772582400);  // date -u -d 2026-03-04 +%s
}

TEST(TimeTicks, AreHoursWithinADay) {
  EXPECT_EQ(labels("2026-01-01 00:30:00", "2026-01-01 17:00:00", 60),
            (Labels{"02:00", "04:00", "06:00", "08:00", "10:00", "12:00", "14:00", "16:00"}));
}

TEST(TimeTicks, HoursOfSeveralDaysNameTheDay) {
  EXPECT_EQ(labels("2026-12-31 10:00:00", "2027-01-01 14:00:00", 70),
            (Labels{"12-31 12:00", "12-31 18:00", "01-01 00:00", "01-01 06:00", "01-01 12:00"}));
}

TEST(TimeTicks, AreSecondsMonthsAndYears) {
  EXPECT_EQ(labels("2026-01-01 23:59:50", "2026-01-02 00:00:12", 30),
            (Labels{"23:59:50", "00:00:00"}));
  EXPECT_EQ(labels("2025-11-20 00:00:00", "2026-06-20 00:00:00", 70),
            (Labels{"2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06"}));
  EXPECT_EQ(labels("2019-06-01 00:00:00", "2026-06-01 00:00:00", 60),
            (Labels{"2020", "2021", "2022", "2023", "2024", "2025", "2026"}));
}

// An axis of any length has at least two labels, apart from each other and inside it.
TEST(TimeTicks, NeitherOverlapNorAreCut) {
  const double first = at("2026-01-20 03:12:07");
  for (const double columns : {30.0, 55.0, 86.0, 100.0}) {
    for (double length = 7; length < 4e9; length *= 1.17) {
      const auto ticks = time_ticks(first, first + length, columns);
      ASSERT_GE(ticks.size(), 2u) << length << " s in " << columns;
      double end = -6;  // There is room to the left of the axis.
      for (const TimeTick& tick : ticks) {
        const double place = (tick.time - first) / length * columns;
        const double half = static_cast<double>(tick.label.size()) / 2;
        EXPECT_GE(place - half, end) << length << " s in " << columns << ": " << tick.label;
        end = place + half + 1.9;
      }
      EXPECT_LE(end, columns + 1 + 1.9) << length << " s in " << columns;
    }
  }
}

}  // namespace
}  // namespace scalelaw
