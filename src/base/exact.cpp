#include "scalelaw/base/exact.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>

namespace scalelaw {

void append_exact(std::string& out, double value) {
  if (value == 0) {
    out += std::signbit(value) ? "-0" : "0";
  } else if (!std::isfinite(value)) {
    out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  } else {
    constexpr std::size_t kLongest = 32;  // "-1.7976931348623157e+308" has 24 characters.
    const std::size_t size = out.size();
    out.resize(size + kLongest);
    char* const end = fmt::format_to(out.data() + size, FMT_COMPILE("{}"), value);
    out.resize(static_cast<std::size_t>(end - out.data()));
  }
}

}  // namespace scalelaw
