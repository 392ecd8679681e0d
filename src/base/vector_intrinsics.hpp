#pragma once

// The compiler's vector intrinsics, for functions that are compiled for newer processors than the
// rest and are called only where the processor has what they need.
#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // In GCC's header, of lanes nobody reads.
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif
