#include "scalelaw/base/names.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

std::string_view name_of(Response response) {
  return word_for(response, {{Response::kTime, "time"}, {Response::kRate, "rate"}});
}

std::string_view name_of(Errors errors) {
  return word_for(errors, {{Errors::kLognormal, "lognormal"}, {Errors::kNormal, "normal"}});
}

std::string_view name_of(StandardError se) {
  using enum StandardError;
  return word_for(se, {{kClassic, "classic"},
                       {kHc0, "hc0"},
                       {kHc1, "hc1"},
                       {kHc2, "hc2"},
                       {kHc2Bm, "hc2-bm"},
                       {kHc3, "hc3"},
                       {kCluster, "cluster"},
                       {kCr2, "cr2"},
                       {kSandwich, "sandwich"}});
}

std::string_view name_of(Robust robust) {
  using enum Robust;
  return word_for(robust, {{kNone, "none"}, {kHuber, "huber"}, {kTheilSen, "theil-sen"}});
}

std::string_view name_of(BootstrapKind kind) {
  using enum BootstrapKind;
  return word_for(kind,
                  {{kWebb, "webb"}, {kWild, "wild"}, {kResidual, "residual"}, {kCase, "case"}});
}

}  // namespace scalelaw
