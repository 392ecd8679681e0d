#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

std::string_view name_of(Response response) {
  return response == Response::kTime ? "time" : "rate";
}

std::string_view name_of(Errors errors) {
  return errors == Errors::kLognormal ? "lognormal" : "normal";
}

std::string_view name_of(StandardError se) {
  switch (se) {
    case StandardError::kClassic:
      return "classic";
    case StandardError::kHc0:
      return "hc0";
    case StandardError::kHc1:
      return "hc1";
    case StandardError::kHc2:
      return "hc2";
    case StandardError::kHc2Bm:
      return "hc2-bm";
    case StandardError::kHc3:
      return "hc3";
    case StandardError::kCluster:
      return "cluster";
    case StandardError::kCr2:
      return "cr2";
    case StandardError::kSandwich:
      return "sandwich";
  }
  return "unknown";
}

std::string_view name_of(Robust robust) {
  switch (robust) {
    case Robust::kNone:
      return "none";
    case Robust::kHuber:
      return "huber";
    case Robust::kTheilSen:
      return "theil-sen";
  }
  return "unknown";
}

std::string_view name_of(BootstrapKind kind) {
  switch (kind) {
    case BootstrapKind::kWild:
      return "wild";
    case BootstrapKind::kWebb:
      return "webb";
    case BootstrapKind::kResidual:
      return "residual";
    case BootstrapKind::kCase:
      return "case";
  }
  return "unknown";
}

}  // namespace scalelaw
