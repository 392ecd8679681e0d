#include "scalelaw/judge/ideal.hpp"

namespace scalelaw {

std::optional<double> efficiency_of(double speedup, double ratio, Ideal ideal) {
  switch (ideal) {
    case Ideal::kFaster:
      return speedup / ratio;
    case Ideal::kAsLong:
      return speedup;
    case Ideal::kNone:
      break;
  }
  return std::nullopt;
}

bool is_efficient(double speedup, double ratio, Ideal ideal) {
  return efficiency_of(speedup, ratio, ideal).value_or(kEfficient) >= kEfficient;
}

}  // namespace scalelaw
