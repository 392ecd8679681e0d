// Compiled for AVX2 and BMI on x86-64 (CMakeLists.txt), and called only if the processor has them.
#include "separators.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "separators_loop.inc"

namespace scalelaw {

SeparatorIndex index_separators_wide(const char* begin, std::size_t length, char separator,
                                     std::uint32_t* out) {
  return index_loop(begin, length, separator, out);
}

}  // namespace scalelaw
