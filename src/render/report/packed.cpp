#include "render/report/packed.hpp"

#include <zlib.h>

#include <cstdint>
#include <new>

namespace scalelaw {

std::string gzip(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemoryLevel = 9;
  z_stream zlib{};
  if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&zlib, static_cast<uLong>(bytes.size())), '\0');
  // zlib does not write to its input.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);  // There is room for everything.
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&bytes](std::size_t i) {
    return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const int shift : {18, 12, 6, 0}) out += kDigits[three >> shift & 63];
  }
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  return out.replace(out.size() - padding, padding, padding, '=');
}

}  // namespace scalelaw
