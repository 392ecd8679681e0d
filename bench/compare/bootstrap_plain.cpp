// bootstrap_plain FILE RESAMPLES: the residual bootstrap of bootstrap_numpy.py as a plain loop in
// one thread, with sscanf as the parser. It shows the speed of straightforward C++.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "scalelaw/base/random.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: bootstrap_plain FILE RESAMPLES\n"), 2;
  std::FILE* file = std::fopen(argv[1], "r");
  if (file == nullptr) return std::perror(argv[1]), 1;
  struct Points {
    std::vector<double> x, y;
  };
  std::map<std::string, Points> groups;
  char line[256], model[64];
  int cap = 0, clock = 0, gpus = 0;
  double seconds = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "%63[^,],%d,%d,%d,%lf", model, &cap, &clock, &gpus, &seconds) != 5)
      continue;
    auto& points =
        groups[std::string(model) + "," + std::to_string(cap) + "," + std::to_string(clock)];
    points.x.push_back(std::log(gpus));
    points.y.push_back(std::log(seconds));
  }
  const auto resamples = static_cast<std::size_t>(std::atol(argv[2]));
  scalelaw::RandomStream random(1);
  std::vector<double> slopes(resamples);
  std::puts("model,power_cap_w,clock_mhz,slope,lower,upper");
  for (auto& [key, points] : groups) {
    const auto n = static_cast<std::uint32_t>(points.x.size());
    double mx = 0, my = 0, sxx = 0, sxy = 0;
    for (std::uint32_t i = 0; i < n; ++i) mx += points.x[i] / n, my += points.y[i] / n;
    for (std::uint32_t i = 0; i < n; ++i) {
      points.x[i] -= mx;
      sxx += points.x[i] * points.x[i];
      sxy += points.x[i] * (points.y[i] - my);
    }
    const double slope = sxy / sxx;
    for (std::uint32_t i = 0; i < n; ++i) points.y[i] -= my + slope * points.x[i];
    for (double& s : slopes) {
      double sum = 0;
      for (std::uint32_t i = 0; i < n; ++i) sum += points.x[i] * points.y[random.below(n)];
      s = slope + sum / sxx;
    }
    std::sort(slopes.begin(), slopes.end());
    std::printf("%s,%.12g,%.12g,%.12g\n", key.c_str(), slope, slopes[resamples / 40],
                slopes[resamples - resamples / 40 - 1]);
  }
}
