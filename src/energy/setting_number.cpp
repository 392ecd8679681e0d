#include "scalelaw/energy/setting_number.hpp"

#include <fmt/format.h>

#include <array>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

struct BaseUnit {
  double factor;
  std::string_view unit;
};

constexpr auto kFrequencies = std::to_array<std::pair<std::string_view, double>>(
    {{"Hz", 1e-6}, {"kHz", 1e-3}, {"MHz", 1}, {"GHz", 1e3}});

BaseUnit base_unit(std::string_view unit) {
  if (const auto factor = in_base_units(unit, Dimension::kPower)) return {*factor, "W"};
  if (const auto factor = in_base_units(unit, Dimension::kTime)) return {*factor, "s"};
  if (const auto factor = in_base_units(unit, Dimension::kEnergy)) return {*factor, "J"};
  for (const auto& [name, factor] : kFrequencies) {
    if (name == unit) return {factor, "MHz"};
  }
  return {1, unit};
}

/// Removes the digits that multiplication by a unit adds: 0.29 kW is 290 W.
double without_rounding(double value) {
  return parse_number(fmt::format("{:.14g}", value)).value_or(value);
}

}  // namespace

std::optional<SettingNumber> setting_number(std::string_view setting) {
  const auto quantity = parse_measure(setting);
  if (!quantity) return std::nullopt;
  const BaseUnit base = base_unit(quantity->unit);
  if (base.factor == 1) return SettingNumber{quantity->value, base.unit};
  return SettingNumber{without_rounding(quantity->value * base.factor), base.unit};
}

bool same_setting(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto left = setting_number(a);
  const auto right = setting_number(b);
  if (!left || !right || left->value != right->value) return false;
  return left->unit.empty() || right->unit.empty() || left->unit == right->unit;
}

std::optional<double> watts_of_setting(std::string_view setting) {
  const auto number = setting_number(setting);
  if (!number || !(number->value > 0)) return std::nullopt;
  if (!number->unit.empty() && number->unit != "W") return std::nullopt;
  return number->value;
}

}  // namespace scalelaw
