#include "scales.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

double place_in(const std::string& option, const std::string& text) {
  const auto value = parse_number(text);
  if (!value || !(*value > 0) || !std::isfinite(*value)) {
    throw DataError(fmt::format("{}: expected a number above 0, found \"{}\"", option, text));
  }
  return *value;
}

}  // namespace

std::vector<double> places(const std::string& option, const std::string& list) {
  std::vector<double> out;
  for (const std::string& item : split(list, ',')) {
    const std::size_t dots = item.find("..");
    if (dots == std::string::npos) {
      out.push_back(place_in(option, item));
      continue;
    }
    const double last = place_in(option, item.substr(dots + 2));
    double x = place_in(option, item.substr(0, dots));
    if (x > last) throw DataError(fmt::format("{}: the range {} runs downwards", option, item));
    for (; x < last; x *= 2) out.push_back(x);
    out.push_back(last);
  }
  return out;
}

}  // namespace scalelaw::cli
