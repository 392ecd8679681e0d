#include "separators.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "separators_loop.inc"

namespace scalelaw {

SeparatorIndex index_separators_portable(const char* begin, std::size_t length, char separator,
                                         std::uint32_t* out) {
  return index_loop(begin, length, separator, out);
}

bool has_wide_separator_index() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("popcnt") != 0;
#else
  return false;
#endif
}

SeparatorIndex index_separators(const char* begin, std::size_t length, char separator,
                                std::uint32_t* out) {
  static const auto best =
      has_wide_separator_index() ? index_separators_wide : index_separators_portable;
  return best(begin, length, separator, out);
}

}  // namespace scalelaw
