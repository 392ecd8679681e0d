#include "base/content_hash.hpp"

#include <fmt/format.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>  // The same hash, with the widest registers available.
#else
#include <xxhash.h>
#endif

#include <new>

namespace scalelaw {

ContentHash::ContentHash() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_);
}

ContentHash::~ContentHash() { XXH3_freeState(state_); }

void ContentHash::add(std::string_view bytes) {
  XXH3_128bits_update(state_, bytes.data(), bytes.size());
}

std::string ContentHash::hex_digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace scalelaw
