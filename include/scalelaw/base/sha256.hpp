#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace scalelaw {

/// The SHA-256 of bytes that come in pieces (FIPS 180-4), as `sha256sum` prints it. It tells
/// whether two people have the same file. Checked against the examples of FIPS 180-4.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 hexadecimal digits. Call once, after the last piece.
  std::string hex_digest();

 private:
  void mix(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::size_t filled_ = 0;    ///< Bytes in the block.
  std::uint64_t length_ = 0;  ///< Bytes so far.
};

/// The SHA-256 of a file's bytes on the disk, not decompressed.
/// @throws DataError if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace scalelaw
