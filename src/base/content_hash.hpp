#pragma once

#include <string>
#include <string_view>

struct XXH3_state_s;

namespace scalelaw {

/// The XXH3 hash (128 bits) of bytes that come in pieces: what `xxhsum -H2` prints.
///
/// It finds damage and tells contents apart at the speed of reading, where SHA-256 would cost more
/// than the reading itself; against somebody who forges contents it is no help.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::string_view bytes);
  /// 32 hexadecimal digits, of all bytes so far.
  std::string hex_digest() const;

 private:
  XXH3_state_s* state_;
};

}  // namespace scalelaw
