#pragma once

#include <memory>
#include <span>

namespace scalelaw {

/// What is wrong with a member behind its first four bytes.
enum class GzipDamage { kChecksum, kBits };

struct DamagedMember {
  GzipDamage damage;
};

/// Inflates members of a gzip file (RFC 1952) whose first four bytes are known to be right. There
/// are two of it, of which a build has one: ISA-L's, which is three to six times faster, and
/// zlib's.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Inflates from the beginning of `in` to the beginning of `out` until one of them is used up or
  /// a member ends, and shortens both by what was taken and written. The next call begins the next
  /// member. Returns whether a member ended and agrees with its checksum and length. Throws
  /// DamagedMember.
  bool inflate(std::span<const char>& in, std::span<char>& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scalelaw
