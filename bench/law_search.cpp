// Whether fit_law finds the best curve. Random data sets are compared with many random starts and,
// for the broken law of ln y, with all pairs of lines (Hudson 1966). A second table does the same
// for the ends of profile intervals, with the parameter held. Prints Markdown tables.
//
//     law_search [SETS [SEED [PROFILED]]]     default 2000 1 200: data sets per law, response and
//                                             kind of errors, and those whose profiles are searched

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fit/nonlinear.hpp"
#include "one_run.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/statistics/distributions.hpp"

namespace {

using namespace scalelaw;

constexpr int kRandomStarts = 60;
constexpr double kMostSpread = 1000;  ///< Largest ratio of y under normal errors.
constexpr double kWorse = 1e-6;       ///< Least relative excess of the rss that counts.
constexpr std::array<const char*, 4> kLaws{"floor", "amdahl", "usl", "broken"};

double between(RandomStream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}
double log_between(RandomStream& stream, double low, double high) {
  return std::exp(between(stream, std::log(low), std::log(high)));
}

/// From 5 (6 for a break) to 12 different whole numbers in one of several ranges.
std::vector<double> random_scales(RandomStream& stream, std::size_t fewest) {
  struct Range {
    double low;
    double high;
  };
  constexpr std::array<Range, 5> kRanges{Range{1, 64}, Range{2, 424}, Range{1, 1e4},
                                         Range{1e3, 1e6}, Range{4, 100}};
  const std::size_t n = fewest + stream.below(static_cast<std::uint32_t>(13 - fewest));
  std::vector<double> x;
  const std::size_t kind = stream.below(kRanges.size() + 1);
  if (kind == kRanges.size()) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(std::ldexp(1.0, static_cast<int>(i)));
    return x;
  }
  while (x.size() < n) {
    const double value = std::round(log_between(stream, kRanges[kind].low, kRanges[kind].high));
    if (std::find(x.begin(), x.end(), value) == x.end()) x.push_back(value);
  }
  std::sort(x.begin(), x.end());
  return x;
}

/// Shapes of every kind, with features inside [low, high] and outside.
SmallVector random_theta(const Law& law, double low, double high, Response response,
                         RandomStream& stream) {
  const std::string name(law.name());
  SmallVector theta{};
  theta[0] = between(stream, -7, 12);
  if (name == "floor") {
    theta[1] = stream.below(8) == 0 ? between(stream, -2, 0) : between(stream, 0, 3);
    const double unit = response == Response::kTime ? theta[0] : -theta[0];
    const double middle = std::exp(between(stream, std::log(low), std::log(high)));
    theta[2] = stream.below(4) == 0
                   ? 0
                   : std::exp(unit) * std::pow(middle, -theta[1]) * log_between(stream, 0.01, 10);
  } else if (name == "amdahl") {
    const double ratio = log_between(stream, 0.01, 100) / high;
    theta[1] = ratio / (1 + ratio);
  } else if (name == "usl") {
    theta[1] = stream.below(4) == 0 ? 0 : log_between(stream, 0.01, 100) / high;
    theta[2] = stream.below(4) == 0 ? 0 : log_between(stream, 0.01, 100) / (high * high);
  } else if (name == "power") {
    theta[1] = between(stream, -0.5, 2);
  } else if (name == "lognormal") {
    theta[1] = between(stream, -0.5, 2);
    theta[2] = between(stream, -0.2, 0.2);
  } else if (name == "linear") {
    theta[1] = theta[0] < 0 ? 1 : log_between(stream, 0.01, 10);
    theta[0] = log_between(stream, 0.01, 10) * theta[1] * low;
  } else if (name == "proportional") {
    theta[0] = log_between(stream, 0.01, 10);
  } else {
    theta[1] = between(stream, -0.5, 2);
    theta[2] = between(stream, -0.5, 2);
    theta[3] = between(stream, std::log(low), std::log(high));
  }
  return theta;
}

Cell cell_of(double x, double y) { return one_run(x, y, std::log(y)); }

/// Points of one group, and how they are fitted.
struct Problem {
  std::vector<Cell> cells;
  FitOptions options;
};

/// Points of a random curve of `truth` with 1 to 30 % scatter.
Problem random_problem(const Law& law, Response response, Errors errors, RandomStream& stream) {
  Problem problem;
  problem.options = {.law = &law, .response = response, .errors = errors};
  problem.options.in_logs = law.scale() == Scale::kOriginal && errors == Errors::kLognormal;
  problem.options.intervals = Intervals::kWald;
  problem.options.figures = Figures::kEstimates;
  const std::vector<double> x = random_scales(stream, law.kink() ? 6 : 5);
  // One set in three follows another law than the fitted one.
  const Law& truth = stream.below(3) == 0 ? *find_law(kLaws[stream.below(kLaws.size())]) : law;
  const SmallVector theta = random_theta(truth, x.front(), x.back(), response, stream);
  const double scatter = log_between(stream, 0.01, 0.3);
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (const double at : x) {
    const double eta =
        truth.predictor(at, std::span(theta).first(truth.parameters().size()), response);
    const double log_y = truth.scale() == Scale::kLog ? eta : std::log(eta);
    problem.cells.push_back(cell_of(at, std::exp(log_y + scatter * stream.normal())));
    least = std::min(least, problem.cells.back().mean);
    greatest = std::max(greatest, problem.cells.back().mean);
  }
  // Additive scatter must leave something of the smallest y; other sets hardly give it weight.
  if (errors == Errors::kNormal && greatest > kMostSpread * least) {
    return random_problem(law, response, errors, stream);
  }
  return problem;
}

void keep_less(double& best, const std::optional<Descent>& end) {
  if (end && end->rss < best) best = end->rss;
}

/// The best of many descents from random starts whose scale fits the points.
struct Reference {
  double rss = std::numeric_limits<double>::infinity();
  double settled_rss =
      std::numeric_limits<double>::infinity();  ///< Least of those whose parameters hold.
};

Reference best_of_random_starts(const FitPoints& points, RandomStream& stream) {
  const Law& law = *points.law;
  const auto p = law.parameters().size();
  std::vector<Box> boxes;
  fill_boxes(points, boxes);
  Reference best;
  for (int start = 0; start < kRandomStarts; ++start) {
    SmallVector theta =
        random_theta(law, points.cells.front().x, points.cells.back().x, points.response, stream);
    double offset = 0;
    for (const Cell& cell : points.cells) {
      offset += cell.mean_log - law.predictor(cell.x, std::span(theta).first(p), points.response);
    }
    law.rescale(std::span(theta).first(p), offset / static_cast<double>(points.size()),
                points.response);
    for (const Box& box : boxes) {
      keep_less(best.rss, descend(points, theta, box, Precision::kRss));
      keep_less(best.settled_rss, descend(points, theta, box, Precision::kParameters));
    }
  }
  return best;
}

/// The residual sum of squares of ln y on columns, by modified Gram-Schmidt.
double linear_rss(std::vector<std::vector<double>> columns, std::vector<double> y) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    double square = 0;
    for (const double v : columns[k]) square += v * v;
    if (!(square > 1e-20)) continue;
    for (std::size_t j = k + 1; j <= columns.size(); ++j) {
      std::vector<double>& other = j < columns.size() ? columns[j] : y;
      double along = 0;
      for (std::size_t i = 0; i < y.size(); ++i) along += columns[k][i] * other[i];
      for (std::size_t i = 0; i < y.size(); ++i) other[i] -= along / square * columns[k][i];
    }
  }
  double rss = 0;
  for (const double v : y) rss += v * v;
  return rss;
}

/// The broken law of ln y with its break at every place of a fine grid. This is slower than
/// Hudson's rule, but simpler.
double best_of_breaks(const FitPoints& points) {
  constexpr int kPlaces = 4000;
  const Box range = outer_box(points);
  const double low = range.lower[3];
  const double high = range.upper[3];
  double best = std::numeric_limits<double>::infinity();
  for (int place = 0; place <= kPlaces; ++place) {
    const double kink = low + (high - low) * place / kPlaces;
    std::vector<std::vector<double>> columns(3);
    for (const Cell& cell : points.cells) {
      const double log_x = std::log(cell.x);
      columns[0].push_back(1);
      columns[1].push_back(log_x - low);
      columns[2].push_back(std::max(log_x - kink, 0.0));
    }
    best = std::min(best, linear_rss(columns, points.mean));
  }
  return best;
}

struct Tally {
  int sets = 0;
  int worse = 0;
  int better = 0;       ///< fit_law beats the reference, which is not perfect, by as much.
  int missed = 0;       ///< fit_law has no fit, but a random start finds one.
  int no_solution = 0;  ///< fit_law has no fit, and no start settles either.
  int not_finite = 0;
  double worst = 0;
};

void judge(const Problem& problem, RandomStream& stream, Tally& tally) {
  FitPoints points;
  observe(problem.cells, problem.options, points);
  const Reference random = best_of_random_starts(points, stream);
  const bool has_solution = random.settled_rss <= (1 + kWorse) * random.rss;
  double reference = std::min(random.rss, random.settled_rss);
  if (points.law->kink() && points.scale == Scale::kLog) {
    reference = std::min(reference, best_of_breaks(points));
  }
  ++tally.sets;
  try {
    const Fit fit = fit_law(problem.cells, problem.options);
    const double rss = *fit.sigma * *fit.sigma * static_cast<double>(fit.dof);
    if (!std::isfinite(rss)) ++tally.not_finite;
    const double excess = rss / reference - 1;
    tally.worst = std::max(tally.worst, excess);
    if (excess > kWorse) ++tally.worse;
    if (excess < -kWorse) ++tally.better;
    if (excess > kWorse && std::getenv("SCALELAW_SHOW")) {
      fmt::print(stderr, "{} {} excess {:.3g} reference {:.6g}\n", points.law->name(),
                 points.response == Response::kTime ? "time" : "rate", excess, reference);
      for (const Cell& cell : problem.cells)
        fmt::print(stderr, "  {} {:.17g}\n", cell.x, cell.mean);
      for (const auto& q : fit.parameters) fmt::print(stderr, "  {}={}", q.name, q.estimate);
      fmt::print(stderr, "\n");
    }
  } catch (const FitError& error) {
    if (std::getenv("SCALELAW_SHOW")) {
      fmt::print(stderr, "{} {} {}: {}\n", has_solution ? "MISSED" : "", points.law->name(),
                 points.response == Response::kTime ? "time" : "rate", error.what());
      for (const Cell& cell : problem.cells)
        fmt::print(stderr, "  {} {:.17g}\n", cell.x, cell.mean);
    }
    ++(has_solution ? tally.missed : tally.no_solution);
  }
}

Tally search(const Law& law, Response response, Errors errors, std::size_t sets,
             std::uint64_t seed) {
  constexpr std::size_t kSlice = 100;
  std::vector<Tally> tallies((sets + kSlice - 1) / kSlice);
  const std::uint64_t problem_kind = stable_hash(std::string(law.name())) +
                                     2 * (response == Response::kRate) +
                                     (errors == Errors::kNormal);
  parallel_for(thread_count(0), tallies.size(), [&](std::size_t slice, int) {
    RandomStream stream(seed, problem_kind, slice);
    for (std::size_t i = slice * kSlice; i < std::min(sets, (slice + 1) * kSlice); ++i) {
      judge(random_problem(law, response, errors, stream), stream, tallies[slice]);
    }
  });
  Tally sum;
  for (const Tally& tally : tallies) {
    sum.sets += tally.sets;
    sum.worse += tally.worse;
    sum.better += tally.better;
    sum.missed += tally.missed;
    sum.no_solution += tally.no_solution;
    sum.not_finite += tally.not_finite;
    sum.worst = std::max(sum.worst, tally.worst);
  }
  return sum;
}

constexpr std::array<const char*, 8> kProfiledLaws{"power", "lognormal", "floor",  "amdahl",
                                                   "usl",   "broken",    "linear", "proportional"};

/// The least residual sum of squares with a parameter held at a value, of many descents.
double best_with(const FitPoints& points, const SmallVector& near, std::size_t parameter,
                 double value, RandomStream& stream) {
  const Law& law = *points.law;
  const auto p = law.parameters().size();
  std::vector<Box> boxes;
  fill_boxes(points, boxes);
  double best = std::numeric_limits<double>::infinity();
  for (int start = 0; start <= kRandomStarts; ++start) {
    SmallVector theta = near;
    if (start > 0) {
      theta =
          random_theta(law, points.cells.front().x, points.cells.back().x, points.response, stream);
      double offset = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        offset +=
            std::log(std::abs(points.cells[i].mean)) -
            std::log(std::abs(std::exp(
                law.scale() == Scale::kLog
                    ? law.predictor(points.cells[i].x, std::span(theta).first(p), points.response)
                    : 0)));
      }
      if (law.scale() == Scale::kLog) {
        law.rescale(std::span(theta).first(p), offset / static_cast<double>(points.size()),
                    points.response);
      }
    }
    theta[parameter] = value;
    for (Box box : boxes) {
      if (law.kink() == parameter &&
          (value < box.lower[parameter] || value > box.upper[parameter])) {
        continue;
      }
      box.lower[parameter] = box.upper[parameter] = value;
      keep_less(best, descend_piece(points, theta, box));
    }
  }
  return best + points.within;
}

struct ProfileTally {
  int ends = 0;
  int too_short = 0;  ///< Values just beyond the end are not rejected.
  int too_long = 0;   ///< Values between the estimate and the end are rejected.
  int open = 0;

  void add(const ProfileTally& other) {
    ends += other.ends;
    too_short += other.too_short;
    too_long += other.too_long;
    open += other.open;
  }
};

/// The end of an interval on the scale of the working parameter.
double working_end(const Parameter& parameter, bool exponential, int direction) {
  const double end = direction < 0 ? parameter.ci->lower : parameter.ci->upper;
  return exponential && std::isfinite(end) ? std::log(end) : end;
}

void judge_profiles(Problem problem, RandomStream& stream, ProfileTally& tally) {
  problem.options.intervals = Intervals::kProfile;
  const Fit fit = fit_law(problem.cells, problem.options);
  FitPoints points;
  observe(problem.cells, problem.options, points);
  Solution solution;
  solve(points, solution);
  if (fit.dof <= 0 || !(solution.rss > 0)) return;
  const double reach = student_t_factor(fit.confidence, static_cast<double>(fit.dof));
  const double limit = solution.rss * (1 + reach * reach / static_cast<double>(fit.dof));
  const Box outer = outer_box(points);
  for (std::size_t k = 0; k < solution.p; ++k) {
    if (fit.law->kink() == k) continue;  // Its values may form several stretches.
    const bool exponential = fit.law->parameters()[k].transform == Transform::kExp;
    for (const int direction : {-1, 1}) {
      ++tally.ends;
      const double end = working_end(fit.parameters[k], exponential, direction);
      const double bound = direction < 0 ? outer.lower[k] : outer.upper[k];
      const double estimate = solution.theta[k];
      if (!std::isfinite(end)) {
        ++tally.open;
        continue;
      }
      const double width = end != estimate ? std::abs(end - estimate) : 1e-3 * std::abs(estimate);
      const double beyond = end + direction * 0.02 * width;
      const bool inside_bound = direction < 0 ? beyond > bound : beyond < bound;
      const bool is_short = inside_bound && best_with(points, solution.theta, k, beyond, stream) <
                                                (1 - kWorse) * limit;
      bool is_long = false;
      for (const double share : {0.5, 0.8, 0.98}) {
        const double value = estimate + share * (end - estimate);
        is_long =
            is_long || best_with(points, solution.theta, k, value, stream) > (1 + kWorse) * limit;
      }
      tally.too_short += is_short ? 1 : 0;
      tally.too_long += is_long ? 1 : 0;
      if ((is_short || is_long) && std::getenv("SCALELAW_SHOW")) {
        fmt::print(stderr, "{} {} {} {} {} estimate {:.17g} end {:.17g} rss {} limit {}\n",
                   is_short ? "SHORT" : "LONG", fit.law->name(),
                   points.response == Response::kTime ? "time" : "rate",
                   points.scale == Scale::kLog ? "log" : "original", fit.parameters[k].name,
                   estimate, end, solution.rss, limit);
        for (const Cell& cell : problem.cells)
          fmt::print(stderr, "  {} {:.17g}\n", cell.x, cell.mean);
      }
    }
  }
}

ProfileTally search_profiles(const Law& law, Response response, Errors errors, std::size_t sets,
                             std::uint64_t seed) {
  constexpr std::size_t kSlice = 20;
  std::vector<ProfileTally> tallies((sets + kSlice - 1) / kSlice);
  const std::uint64_t problem_kind = 17 + stable_hash(std::string(law.name())) +
                                     2 * (response == Response::kRate) +
                                     (errors == Errors::kNormal);
  parallel_for(thread_count(0), tallies.size(), [&](std::size_t slice, int) {
    RandomStream stream(seed, problem_kind, slice);
    for (std::size_t i = slice * kSlice; i < std::min(sets, (slice + 1) * kSlice); ++i) {
      try {
        judge_profiles(random_problem(law, response, errors, stream), stream, tallies[slice]);
      } catch (const FitError&) {
        // There is no fit, so there is no interval.
      }
    }
  });
  ProfileTally sum;
  for (const ProfileTally& tally : tallies) sum.add(tally);
  return sum;
}

void print_profile_search(std::size_t sets, std::uint64_t seed) {
  fmt::print(
      "\n| law | response | scale | ends of profile intervals | too short | too long | open |\n"
      "| --- | --- | --- | --: | --: | --: | --: |\n");
  for (const char* name : kProfiledLaws) {
    const Law& law = *find_law(name);
    for (const Response response : {Response::kTime, Response::kRate}) {
      for (const Errors errors : {Errors::kLognormal, Errors::kNormal}) {
        const bool in_logs = errors == Errors::kLognormal;
        if (law.linear() && in_logs == (law.scale() == Scale::kLog)) continue;  // Exact.
        if (law.scale() == Scale::kOriginal && response == Response::kRate) continue;
        const ProfileTally tally = search_profiles(law, response, errors, sets, seed);
        fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", name,
                   response == Response::kTime ? "time" : "rate", in_logs ? "ln y" : "y",
                   tally.ends, tally.too_short, tally.too_long, tally.open);
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t sets = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::size_t profiled = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 200;
  fmt::print(
      "| law | response | errors | sets | worse | worst excess | better | missed | no solution | "
      "not "
      "finite |\n| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: "
      "|\n");
  for (const char* name : kLaws) {
    for (const Response response : {Response::kTime, Response::kRate}) {
      for (const Errors errors : {Errors::kLognormal, Errors::kNormal}) {
        const Tally tally = search(*find_law(name), response, errors, sets, seed);
        fmt::print("| {} | {} | {} | {} | {} | {:.1e} | {} | {} | {} | {} |\n", name,
                   response == Response::kTime ? "time" : "rate",
                   errors == Errors::kNormal ? "normal" : "lognormal", tally.sets, tally.worse,
                   tally.worst, tally.better, tally.missed, tally.no_solution, tally.not_finite);
        std::fflush(stdout);
      }
    }
  }
  print_profile_search(profiled, seed);
}
