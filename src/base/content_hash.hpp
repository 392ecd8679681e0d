#pragma once

#include <string>
#include <string_view>

struct XXH3_state_s;

namespace scalelaw {

/// The XXH3 hash (128 bits) of bytes that come in pieces, as `xxhsum -H2` prints it.
///
/// It finds damage and distinguishes contents at the speed of reading; SHA-256 would take longer
/// than the reading itself. It does not protect against forgery.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::string_view bytes);
  /// 32 hexadecimal digits for all bytes so far.
  std::string hex_digest() const;

 private:
  XXH3_state_s* state_;
};

}  // namespace scalelaw
