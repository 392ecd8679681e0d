#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>

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

/// The words say what is wrong with the file, and what helps.
struct DamagedGzip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Inflates the members of a gzip file one after the other, in the same way and with the same words
/// whichever library inflates. Zeros behind a member are padding, as of tapes, and left out.
class GzipMembers {
 public:
  /// Inflates from the beginning of `in` to the beginning of `out` until one of them is used up or
  /// a member ends, and shortens both by what was taken and written. Throws DamagedGzip.
  void inflate(std::span<const char>& in, std::span<char>& out);

  /// Whether a member has begun and not ended.
  bool is_inside_member() const { return taken_ > 0; }

 private:
  void leave_out_padding(std::span<const char>& in) const;
  void check_header(std::span<const char> in) const;

  Inflater inflater_;
  std::size_t taken_ = 0;  ///< Bytes of the member that were taken.
  bool is_first_ = true;
};

}  // namespace scalelaw
