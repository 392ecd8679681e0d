#include "scalelaw/judge/ideal.hpp"

#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {

bool has_speedup(Kind kind) {
  return kind == Kind::kTime || kind == Kind::kRate || kind == Kind::kOther;
}

Ideal ideal_of(std::string_view x, Kind kind, std::string_view growing_work) {
  if (!growing_work.empty()) return Ideal::kAsLong;
  return may_share_work(x) && has_speedup(kind) ? Ideal::kFaster : Ideal::kNone;
}

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
