#include "scalelaw/fit/law.hpp"

#include <array>
#include <cmath>

#include "fit/laws.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/fit/least_squares.hpp"

namespace scalelaw {
namespace {

constexpr std::array<std::string_view, 3> kLawNames{"power", "linear", "proportional"};

/// Least squares of ln(mean y) on the design rows of a law that is linear in theta; weights count *
/// mean^power.
std::vector<double> start_in_logs(const Law& law, std::span<const Cell> cells, Response response,
                                  double power) {
  const std::size_t p = law.parameters().size();
  const std::vector<double> origin(p, 0.0);
  std::vector<double> design;
  std::vector<double> log_means;
  std::vector<double> weights;
  for (const Cell& cell : cells) {
    if (!(cell.mean > 0)) continue;  // Additive scatter may reach below 0; the start does without.
    design.resize(design.size() + p);
    law.gradient(cell.x, origin, response, std::span(design).last(p));
    log_means.push_back(std::log(cell.mean) - law.predictor(cell.x, origin, response));
    weights.push_back(cell.weight * static_cast<double>(cell.count) * std::pow(cell.mean, power));
  }
  return least_squares(log_means, design, p, {.intercept = false, .weights = weights}).estimates;
}

}  // namespace

const Law* find_law(std::string_view name) {
  if (name == "power") return &power_law();
  if (name == "linear") return &linear_law();
  if (name == "proportional") return &proportional_law();
  return nullptr;
}

std::span<const std::string_view> law_names() { return kLawNames; }

std::vector<std::vector<double>> Law::starts(std::span<const Cell> cells, Response response) const {
  std::vector<std::vector<double>> starts;
  if (!linear()) return starts;
  // A residual of ln y times y is about one of y, hence weights of mean^2; plain logs trust small y
  // more.
  for (const double power : {2.0, 0.0}) {
    try {
      starts.push_back(start_in_logs(*this, cells, response, power));
    } catch (const FitError&) {
      // Too few positive means: another start may still do.
    }
  }
  return starts;
}

}  // namespace scalelaw
