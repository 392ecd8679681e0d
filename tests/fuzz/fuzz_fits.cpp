// Bytes as a document of fits. read_fits answers with fits or an Error, and every fit has a curve.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "fuzz/reading.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/surface.hpp"

namespace scalelaw::fuzz {
namespace {

void ask(const Fit& fit) {
  if (fit.surface) {
    static_cast<void>(surface_at(fit, 1e9, 2e10, 0.95));
    static_cast<void>(surface_optimum(fit, 1e20, 0.95));
    return;
  }
  for (const double x : {1.0, 2.0, 1e6}) {
    static_cast<void>(fit.curve(x));
    const auto se = fit.curve_se(x);
    if (se && *se < 0) std::abort();
  }
}

void check(std::string_view text) {
  static MemoryFile file;
  file.assign(text);
  try {
    const SavedFits fits = read_fits(file.path());
    if (fits.law == nullptr || !(fits.confidence > 0 && fits.confidence < 1)) std::abort();
    for (const GroupFit& group : fits.groups) {
      if (group.group.size() != fits.by.size()) std::abort();
      if (const auto* fit = std::get_if<Fit>(&group.result)) ask(*fit);
    }
  } catch (const Error&) {
    return;
  }
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
