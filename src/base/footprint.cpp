#include "scalelaw/base/footprint.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

constexpr std::array kGrids = {
    GridIntensity{"AT", "Austria", 111},        GridIntensity{"AU", "Australia", 549},
    GridIntensity{"BE", "Belgium", 138},        GridIntensity{"BR", "Brazil", 98},
    GridIntensity{"CA", "Canada", 170},         GridIntensity{"CL", "Chile", 291},
    GridIntensity{"CN", "China", 582},          GridIntensity{"CZ", "Czechia", 450},
    GridIntensity{"DE", "Germany", 381},        GridIntensity{"DK", "Denmark", 152},
    GridIntensity{"FI", "Finland", 79},         GridIntensity{"FR", "France", 56},
    GridIntensity{"GB", "United Kingdom", 238}, GridIntensity{"IE", "Ireland", 291},
    GridIntensity{"IN", "India", 713},          GridIntensity{"JP", "Japan", 485},
    GridIntensity{"NO", "Norway", 30},          GridIntensity{"SE", "Sweden", 41},
    GridIntensity{"US", "United States", 369},  GridIntensity{"WORLD", "World", 481}};

}  // namespace

std::optional<double> Footprint::co2_kg(double joules) const {
  if (!carbon_intensity) return std::nullopt;
  return kwh(joules) * *carbon_intensity / 1000;
}

std::optional<double> Footprint::cost(double joules) const {
  if (!price) return std::nullopt;
  return kwh(joules) * *price;
}

std::string Currency::cost_title() const {
  const std::string_view name = trimmed(before.empty() ? behind : before);
  return name.empty() ? "cost" : "cost [" + std::string(name) + "]";
}

std::span<const GridIntensity> grid_intensities() { return kGrids; }

std::optional<double> grid_intensity(std::string_view region) {
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  for (const GridIntensity& grid : kGrids) {
    if (std::equal(region.begin(), region.end(), grid.region.begin(), grid.region.end(), same)) {
      return grid.grams_per_kwh;
    }
  }
  return std::nullopt;
}

}  // namespace scalelaw
