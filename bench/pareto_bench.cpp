// The time for a frontier beside a plain std::sort of the same numbers. Prints one Markdown table.
//
//     pareto_bench [POINTS [THREADS]]     default 10000000, all processors

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/energy/pareto.hpp"

namespace {

using namespace scalelaw;

struct Shape {
  std::string name;
  std::function<std::pair<double, double>(RandomStream&)> draw;
};

const std::vector<Shape> kShapes{
    {"random", [](RandomStream& stream) { return std::pair(stream.uniform(), stream.uniform()); }},
    {"all on the frontier",
     [](RandomStream& stream) {
       const double a = stream.uniform();
       return std::pair(a, 1 - a);
     }},
    {"all equal", [](RandomStream&) { return std::pair(1.0, 1.0); }},
    {"a hundred values each", [](RandomStream& stream) {
       return std::pair(std::floor(100 * stream.uniform()), std::floor(100 * stream.uniform()));
     }}};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print_row(const Shape& shape, std::size_t count, int threads) {
  RandomStream stream(1);
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [x, y] = shape.draw(stream);
    a.push_back(x);
    b.push_back(y);
  }
  std::vector<double> sorted = a;
  const double sort = seconds_of([&] { std::sort(sorted.begin(), sorted.end()); });
  std::size_t found = 0;
  const double one = seconds_of([&] { found = pareto_frontier(a, b, 1).size(); });
  const double all = seconds_of([&] { found = pareto_frontier(a, b, threads).size(); });
  const double ns = 1e9 / static_cast<double>(count);
  fmt::print("| {} | {} | {:.2f} | {:.0f} | {:.1f} | {:.2f} | {:.0f} | {:.1f} |\n", shape.name,
             found, one, one * ns, one / sort, all, all * ns, all / sort);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000000;
  const int threads = thread_count(argc > 2 ? std::atoi(argv[2]) : 0);
  fmt::print(
      "| {} points | on the frontier | s, one thread | ns a point | over std::sort | s, {} "
      "threads | ns a point | over std::sort |\n| --- | --: | --: | --: | --: | --: | --: | "
      "--: |\n",
      count, threads);
  for (const Shape& shape : kShapes) print_row(shape, count, threads);
}
