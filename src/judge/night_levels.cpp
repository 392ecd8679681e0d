#include "judge/night_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

double squared(double value) { return value * value; }

/// The mean of the least of these squares over that of as many normal ones.
/// @param share  How many of them, and what their mean is to that of all normal squares.
double trimmed_mean(std::vector<double>& squares, double share, double of_normal) {
  const auto n = static_cast<double>(squares.size());
  const auto kept = static_cast<std::ptrdiff_t>(std::ceil(share * n));
  std::ranges::nth_element(squares, squares.begin() + kept - 1);
  double sum = 0;
  for (auto square = squares.begin(); square != squares.begin() + kept; ++square) sum += *square;
  return sum / static_cast<double>(kept) / of_normal;
}

/// The variance of one night by differences of nights that lie `lag` apart: half their mean square,
/// if they are independent. Values of few digits differ by no less than rounding does.
double variance_by_differences(std::span<const double> nights, std::size_t lag) {
  std::vector<double> squares;
  double unit = std::numeric_limits<double>::infinity();
  for (std::size_t i = lag; i < nights.size(); ++i) {
    squares.push_back(squared(nights[i] - nights[i - lag]));
    if (squares.back() > 0) unit = std::min(unit, squares.back());
  }
  // Of few nights a few that stand apart are in more than a quarter of the differences.
  constexpr double kSurely = 2;
  const double by_most = trimmed_mean(squares, 0.75, 0.3685);
  const double by_half = trimmed_mean(squares, 0.5, 0.1427);
  const double rounding = std::isfinite(unit) ? unit / 12 : 0;
  return std::max(std::min(by_most, kSurely * by_half) / 2, rounding);
}

/// The same series while nights are taken out and levels are joined.
class Division {
 public:
  Division(std::span<const double> nights, const NightNoise& noise, double chance)
      : nights_(nights), noise_(noise) {
    const auto n = static_cast<double>(nights.size());
    levels_.apart.assign(nights.size(), false);
    variance_ = variance_by_differences(nights, 1) / (1 - noise.rho());
    far_ = student_t_factor(1 - chance / n, (n - 1) / 2);
  }

  NightLevels result() {
    if (!(variance_ > 0)) return std::move(levels_);  // All nights are equal.
    take_spikes_out();
    find_levels();
    while (take_short_level_out()) continue;
    return std::move(levels_);
  }

 private:
  /// A night far from its neighbours, which do not follow it.
  bool is_spike(std::size_t at) const {
    std::array<double, 4> around;
    std::size_t count = 0;
    for (std::size_t i = at < 2 ? 0 : at - 2; i < std::min(at + 3, nights_.size()); ++i) {
      if (i != at) around[count++] = nights_[i];
    }
    const auto end = around.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(count / 2 + 1),
                      end);
    const double median = (around[(count - 1) / 2] + around[count / 2]) / 2;
    const double distance = nights_[at] - median;
    const auto follows = [&](double other) { return (other - median) / distance >= 0.5; };
    // A median of four errs, too.
    constexpr double kErrorOfMedian = 1.2;
    return squared(distance) > squared(kErrorOfMedian * far_) * variance_ &&
           !follows(nights_[at - 1]) && !follows(nights_[at + 1]);
  }

  void take_spikes_out() {
    for (std::size_t i = 1; i + 1 < nights_.size(); ++i) levels_.apart[i] = is_spike(i);
  }

  /// Sums over the nights that count before each place, about the first night.
  void add_up() {
    places_.clear();
    sums_.assign(1, 0);
    squares_.assign(1, 0);
    for (std::size_t i = 0; i < nights_.size(); ++i) {
      if (levels_.apart[i]) continue;
      const double value = nights_[i] - nights_.front();
      places_.push_back(i);
      sums_.push_back(sums_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
  }

  /// Squares about their mean of the nights that count from one to another.
  double spread(std::size_t begin, std::size_t end) const {
    return squares_[end] - squares_[begin] -
           squared(sums_[end] - sums_[begin]) / static_cast<double>(end - begin);
  }

  void find_levels() {
    add_up();
    const std::size_t n = places_.size();
    std::vector<double> penalties(n + 1);
    for (std::size_t m = 1; m <= n; ++m) {
      penalties[m] = squared(far_) * variance_ * static_cast<double>(m) * noise_.of_mean(m);
    }
    std::vector<double> least(n + 1, 0.0);
    std::vector<std::size_t> begin_of(n + 1, 0);
    for (std::size_t end = 1; end <= n; ++end) {
      least[end] = spread(0, end);
      for (std::size_t begin = 1; begin < end; ++begin) {
        const double cost = least[begin] + spread(begin, end) + penalties[end - begin];
        if (cost >= least[end]) continue;
        least[end] = cost;
        begin_of[end] = begin;
      }
    }
    levels_.begins.clear();
    for (std::size_t end = n; end > 0; end = begin_of[end]) {
      levels_.begins.push_back(begin_of[end] == 0 ? 0 : places_[begin_of[end]]);
    }
    std::ranges::reverse(levels_.begins);
  }

  /// Whether two levels are one, between which others lie.
  bool are_alike(std::size_t one, std::size_t other) const {
    const std::vector<double> a = levels_.counted(nights_, one);
    const std::vector<double> b = levels_.counted(nights_, other);
    if (a.empty() || b.empty()) return true;
    const double variance = variance_ * (noise_.of_mean(a.size()) + noise_.of_mean(b.size()));
    return 2 * squared(level_of(a) - level_of(b)) < squared(far_) * variance;
  }

  /// Nights of a level of one or two, which the first level may be, are no level if those around
  /// are alike.
  bool take_short_level_out() {
    constexpr std::size_t kMost = 2;
    for (std::size_t i = 0; i + 1 < levels_.count(); ++i) {
      if (levels_.counted(nights_, i).size() > kMost || (i > 0 && !are_alike(i - 1, i + 1)))
        continue;
      for (std::size_t k = levels_.begins[i]; k < levels_.begins[i + 1]; ++k) {
        levels_.apart[k] = true;
      }
      const auto place = levels_.begins.begin() + static_cast<std::ptrdiff_t>(i);
      levels_.begins.erase(i == 0 ? place + 1 : place, place + 2);
      return true;
    }
    return false;
  }

  std::span<const double> nights_;
  const NightNoise& noise_;
  NightLevels levels_;
  double variance_ = 0;  ///< Of a night.
  double far_ = 0;       ///< In standard deviations.
  std::vector<std::size_t> places_ = {};
  std::vector<double> sums_ = {};
  std::vector<double> squares_ = {};
};

/// What no data say, as if so many nights did.
constexpr double kUsual = 0.3;
constexpr double kNightsOfUsual = 15;

double shrunk(double rho, double nights, double usual) {
  return std::clamp((nights * rho + kNightsOfUsual * usual) / (nights + kNightsOfUsual), 0.0, 0.9);
}

}  // namespace

std::vector<double> NightLevels::counted(std::span<const double> nights, std::size_t level) const {
  std::vector<double> counted;
  for (std::size_t i = begins[level]; i < std::min(end_of(level), nights.size()); ++i) {
    if (!apart[i]) counted.push_back(nights[i]);
  }
  return counted;
}

double level_of(std::span<const double> nights) {
  double mean = 0;
  for (const double night : nights) mean += night / static_cast<double>(nights.size());
  return mean;
}

double NightNoise::of_mean(std::size_t nights) const {
  const auto m = static_cast<double>(nights);
  const double rest = 1 - rho_;
  return ((1 + rho_) / rest - 2 * rho_ * (1 - std::pow(rho_, m)) / (m * rest * rest)) / m;
}

double NightNoise::of_step(std::size_t before, std::size_t after) const {
  const auto a = static_cast<double>(before);
  const auto b = static_cast<double>(after);
  const double shared =
      rho_ * (1 - std::pow(rho_, a)) * (1 - std::pow(rho_, b)) / (squared(1 - rho_) * a * b);
  return of_mean(before) + of_mean(after) - 2 * shared;
}

NightLevels levels_of(std::span<const double> nights, const NightNoise& noise, double chance) {
  if (nights.size() >= kFewestNightsOfLevels) return Division(nights, noise, chance).result();
  return {.apart = std::vector<bool>(nights.size(), false)};
}

double correlation_of(std::span<const double> nights, double chance) {
  if (nights.size() < kFewestNightsOfNoise) return 0;
  const auto n = static_cast<double>(nights.size());
  const double near = variance_by_differences(nights, 1);
  const double farther = variance_by_differences(nights, 2);
  const double first = near > 0 ? std::clamp(farther / near - 1, -0.5, 0.95) : 0;
  const NightLevels levels = levels_of(nights, NightNoise(shrunk(first, n, kUsual)), chance);
  double products = 0;
  double squares = 0;
  double counted = 0;
  for (std::size_t level = 0; level < levels.count(); ++level) {
    const std::vector<double> of_level = levels.counted(nights, level);
    const auto count = static_cast<double>(of_level.size());
    const double mean = std::accumulate(of_level.begin(), of_level.end(), 0.0) / count;
    double before = 0;
    for (std::size_t i = levels.begins[level]; i < levels.end_of(level); ++i) {
      const double distance = levels.apart[i] ? 0 : nights[i] - mean;
      squares += distance * distance;
      products += distance * before;
      before = distance;
    }
    counted += count;
  }
  if (!(squares > 0)) return 0;
  // The mean of the correlation of k nights about their mean is rho - (1 + 3 rho) / k.
  const double bias = static_cast<double>(levels.count()) / counted;
  return std::clamp((products / squares + bias) / std::max(0.3, 1 - 3 * bias), -0.5, 0.95);
}

std::vector<double> shrunk_correlations(std::span<const double> own,
                                        std::span<const std::size_t> counts) {
  double sum = kNightsOfUsual * kUsual;
  double nights = kNightsOfUsual;
  std::vector<double> weights;
  for (std::size_t i = 0; i < own.size(); ++i) {
    weights.push_back(counts[i] < kFewestNightsOfNoise ? 0 : static_cast<double>(counts[i]));
    sum += weights.back() * own[i];
    nights += weights.back();
  }
  std::vector<double> all;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double of_others = (sum - weights[i] * own[i]) / (nights - weights[i]);
    all.push_back(weights[i] > 0 ? shrunk(own[i], weights[i], of_others) : 0);
  }
  return all;
}

}  // namespace scalelaw
