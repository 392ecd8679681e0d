#include "fixed_log.hpp"

#include "base/vector_intrinsics.hpp"

namespace scalelaw {

#if defined(__x86_64__)

bool FixedLog::has_wide() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

// The same steps as for one number, eight numbers at a time. Compiled for AVX-512 whatever the rest
// is compiled for, and called only if the processor has it.
__attribute__((target("avx512f,avx512dq"))) std::size_t FixedLog::take_wide(
    const double* ts, std::size_t count, std::int64_t* logs) const {
  constexpr std::size_t kLanes = 8;
  const auto* const entries = reinterpret_cast<const long long*>(table_.data());
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m512i bits = _mm512_loadu_si512(ts + i);
    const __m512i least = _mm512_set1_epi64(kLeastNormal);
    if (_mm512_cmplt_epu64_mask(bits, least) != 0) [[unlikely]] {
      for (std::size_t lane = 0; lane < kLanes; ++lane) logs[i + lane] = (*this)(ts[i + lane]);
      continue;
    }
    const __m512i e = _mm512_sub_epi64(_mm512_srli_epi64(bits, 52), _mm512_set1_epi64(1023));
    const __m512i mantissa =
        _mm512_or_si512(_mm512_and_si512(bits, _mm512_set1_epi64(kFraction)), least);
    // An entry is two numbers.
    const __m512i place = _mm512_and_si512(_mm512_srli_epi64(bits, 44), _mm512_set1_epi64(254));
    const __m512i reciprocal = _mm512_i64gather_epi64(place, entries, 8);
    const __m512i log = _mm512_i64gather_epi64(place, entries + 1, 8);
    const __m512i r = _mm512_sub_epi64(_mm512_mullo_epi64(mantissa, reciprocal),
                                       _mm512_set1_epi64(std::int64_t{1} << 62));
    const __m512d x = _mm512_mul_pd(_mm512_cvtepi64_pd(r), _mm512_set1_pd(0x1p-62));
    const __m512d x2 = _mm512_mul_pd(x, x);
    const __m512d last = _mm512_sub_pd(
        _mm512_add_pd(_mm512_set1_pd(-1.0 / 6), _mm512_mul_pd(x, _mm512_set1_pd(1.0 / 7))),
        _mm512_mul_pd(x2, _mm512_set1_pd(0.125)));
    const __m512d middle =
        _mm512_add_pd(_mm512_add_pd(_mm512_set1_pd(-0.25), _mm512_mul_pd(x, _mm512_set1_pd(0.2))),
                      _mm512_mul_pd(x2, last));
    const __m512d first = _mm512_add_pd(
        _mm512_add_pd(_mm512_set1_pd(-0.5), _mm512_mul_pd(x, _mm512_set1_pd(1.0 / 3))),
        _mm512_mul_pd(x2, middle));
    const __m512i series =
        _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_mul_pd(x2, first), _mm512_set1_pd(0x1p62)));
    const __m512i low = _mm512_add_epi64(_mm512_add_epi64(_mm512_add_epi64(log, r), series),
                                         _mm512_mullo_epi64(e, _mm512_set1_epi64(kLn2Low)));
    const __m512i rounded = _mm512_srai_epi64(_mm512_add_epi64(low, _mm512_set1_epi64(256)), 9);
    _mm512_storeu_si512(logs + i,
                        _mm512_add_epi64(_mm512_mullo_epi64(e, _mm512_set1_epi64(kLn2)), rounded));
  }
  return i;
}

#else

bool FixedLog::has_wide() { return false; }

std::size_t FixedLog::take_wide(const double* /*ts*/, std::size_t /*count*/,
                                std::int64_t* /*logs*/) const {
  return 0;
}

#endif

void FixedLog::take(const double* ts, std::size_t count, std::int64_t* logs) const {
  static const bool is_wide = has_wide();
  for (std::size_t i = is_wide ? take_wide(ts, count, logs) : 0; i < count; ++i) {
    logs[i] = (*this)(ts[i]);
  }
}

}  // namespace scalelaw
