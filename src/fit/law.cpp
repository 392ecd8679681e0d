#include "scalelaw/fit/law.hpp"

#include <array>
#include <atomic>

#include "fit/laws.hpp"

namespace scalelaw {
namespace {

constexpr std::array<std::string_view, 8> kLawNames{"power", "lognormal", "floor",  "amdahl",
                                                    "usl",   "broken",    "linear", "proportional"};
constexpr std::array<std::string_view, 1> kSurfaceNames{"chinchilla"};

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Law::Law() : id_(next_id()) {}

const Law* find_law(std::string_view name) {
  static const std::array<const Law*, kLawNames.size() + kSurfaceNames.size()> laws{
      &power_law(),  &lognormal_law(), &floor_law(),        &amdahl_law(),    &usl_law(),
      &broken_law(), &linear_law(),    &proportional_law(), &chinchilla_law()};
  for (const Law* law : laws) {
    if (law->name() == name) return law;
  }
  return nullptr;
}

std::span<const std::string_view> law_names(std::size_t inputs) {
  if (inputs == 1) return kLawNames;
  return inputs == 2 ? std::span<const std::string_view>(kSurfaceNames)
                     : std::span<const std::string_view>();
}

std::vector<double> Law::shapes(double /*x_min*/, double /*x_max*/) const { return {}; }

bool Law::rescale(std::span<double> /*theta*/, double /*log_factor*/, Response /*response*/) const {
  return false;
}

}  // namespace scalelaw
