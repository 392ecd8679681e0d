#include "scalelaw/replay/random_source.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "scalelaw/base/names.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kPool = 4;

/// NumPy's SeedSequence for an integer of up to 64 bits: a pool of four words, each mixed with all
/// others.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t entropy) {
    pool_[0] = stirred(static_cast<std::uint32_t>(entropy));
    pool_[1] = stirred(static_cast<std::uint32_t>(entropy >> 32));
    pool_[2] = stirred(0);
    pool_[3] = stirred(0);
    for (std::size_t from = 0; from < kPool; ++from) {
      for (std::size_t to = 0; to < kPool; ++to) {
        if (from != to) pool_[to] = mixed(pool_[to], stirred(pool_[from]));
      }
    }
  }

  /// The words of generate_state(4, uint64).
  std::array<std::uint64_t, 4> state() const {
    std::array<std::uint64_t, 4> out{};
    std::uint32_t constant = 0x8b51f9ddu;
    for (std::size_t i = 0; i < 2 * out.size(); ++i) {
      std::uint32_t word = pool_[i % kPool] ^ constant;
      constant *= 0x58f38dedu;
      word *= constant;
      word ^= word >> 16;
      out[i / 2] |= std::uint64_t{word} << (32 * (i % 2));
    }
    return out;
  }

 private:
  std::uint32_t stirred(std::uint32_t word) {
    word ^= constant_;
    constant_ *= 0x931e8875u;
    word *= constant_;
    return word ^ (word >> 16);
  }
  static std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t word = 0xca01f9ddu * a - 0x4973f715u * b;
    return word ^ (word >> 16);
  }

  std::array<std::uint32_t, kPool> pool_{};
  std::uint32_t constant_ = 0x43b0d7e5u;
};

/// Where the tail of the normal density begins, so that 256 layers have equal areas.
constexpr long double kTail = 3.654152885361008771645L;
constexpr auto kZigguratTail = static_cast<double>(kTail);

/// The layers of Marsaglia and Tsang's ziggurat (2000) for the standard normal, with 52 bits of
/// magnitude. Layer 0 is the base with the tail; layers 1 to 255 go from the top down.
struct Ziggurat {
  std::array<std::uint64_t, 256> inside;  ///< Smaller magnitudes surely lie under the density.
  std::array<double, 256> width;          ///< Width of the layer over 2^52.
  std::array<double, 256> density;        ///< exp(-x^2 / 2) at the layer's edge.
};

constexpr long double kScale = 0x1p52L;

long double density(long double x) { return std::exp(-x * x / 2); }

Ziggurat make_ziggurat() {
  // Of each layer: a rectangle under the density, or the base with the tail.
  const long double tail = std::sqrt(std::acos(-1.0L) / 2) * std::erfc(kTail / std::sqrt(2.0L));
  const long double area = kTail * density(kTail) + tail;
  std::array<long double, 256> edge;
  edge[0] = area / density(kTail);  // Width of a rectangle with the area of the base.
  edge[255] = kTail;
  for (std::size_t i = 254; i > 0; --i) {
    edge[i] = std::sqrt(-2 * std::log(area / edge[i + 1] + density(edge[i + 1])));
  }
  Ziggurat out;
  for (std::size_t i = 0; i < edge.size(); ++i) {
    const long double above = i == 0 ? kTail : i == 1 ? 0 : edge[i - 1];
    out.inside[i] = static_cast<std::uint64_t>(above / edge[i] * kScale);
    out.width[i] = static_cast<double>(edge[i] / kScale);
    out.density[i] = static_cast<double>(i == 0 ? 1 : density(edge[i]));
  }
  return out;
}

class StreamSource final : public RandomSource {
 public:
  explicit StreamSource(RandomStream stream) : stream_(std::move(stream)) {}
  std::uint32_t below(std::uint32_t n) override { return stream_.below(n); }
  double uniform() override { return stream_.uniform(); }
  double normal() override { return stream_.normal(); }

 private:
  RandomStream stream_;
};

}  // namespace

const std::vector<std::uint32_t>& RandomSource::permutation(std::uint32_t n) {
  order_.resize(n);
  taken_.assign(n, 0);
  for (std::uint32_t last = 0; last < n; ++last) {
    const std::uint32_t drawn = last == 0 ? 0 : below(last + 1);
    const std::uint32_t free = taken_[drawn] != 0 ? last : drawn;
    taken_[free] = 1;
    order_[last] = free;
  }
  for (std::uint32_t last = n; last-- > 1;) std::swap(order_[last], order_[below(last + 1)]);
  return order_;
}

std::unique_ptr<RandomSource> make_random_source(RandomKind kind, std::uint64_t seed,
                                                 RandomUse use) {
  if (kind == RandomKind::kZeus) return std::make_unique<NumpyRandom>(seed);
  return std::make_unique<StreamSource>(
      RandomStream(seed, stable_hash("replay"), static_cast<std::uint64_t>(use)));
}

std::string_view name_of(RandomKind kind) {
  return word_for(kind, {{RandomKind::kZeus, "zeus"}, {RandomKind::kScalelaw, "scalelaw"}});
}

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const auto words = SeedSequence(seed).state();
  increment_ = (((Wide{words[2]} << 64) | words[3]) << 1) | 1;
  next64();
  state_ += (Wide{words[0]} << 64) | words[1];
  next64();
}

std::uint64_t NumpyRandom::next64() {
  constexpr Wide kMultiplier = (Wide{0x2360ed051fc65da4u} << 64) | 0x4385df649fccf645u;
  state_ = state_ * kMultiplier + increment_;
  const auto high = static_cast<std::uint64_t>(state_ >> 64);
  return std::rotr(high ^ static_cast<std::uint64_t>(state_), static_cast<int>(high >> 58));
}

std::uint32_t NumpyRandom::next32() {
  if (spare_) {
    const std::uint32_t word = *spare_;
    spare_.reset();
    return word;
  }
  const std::uint64_t both = next64();
  spare_ = static_cast<std::uint32_t>(both >> 32);
  return static_cast<std::uint32_t>(both);
}

std::uint32_t NumpyRandom::below(std::uint32_t n) {
  if (n <= 1) return 0;
  std::uint64_t product = std::uint64_t{next32()} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t uneven = (0u - n) % n;  // Words that favour some results.
    while (static_cast<std::uint32_t>(product) < uneven) product = std::uint64_t{next32()} * n;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

double NumpyRandom::uniform() { return static_cast<double>(next64() >> 11) * 0x1p-53; }

double NumpyRandom::normal() {
  static const Ziggurat layers = make_ziggurat();  // In extended precision, at the first call.
  for (;;) {
    const std::uint64_t bits = next64();
    const auto layer = static_cast<std::size_t>(bits & 0xff);
    const bool negative = (bits >> 8 & 1) != 0;
    const std::uint64_t magnitude = bits >> 9 & ((std::uint64_t{1} << 52) - 1);
    const double x = static_cast<double>(magnitude) * layers.width[layer] * (negative ? -1 : 1);
    if (magnitude < layers.inside[layer]) return x;
    if (layer == 0) return normal_tail((magnitude >> 8 & 1) != 0);
    const double low = layers.density[layer];
    const double high = layers.density[layer - 1];
    if ((high - low) * uniform() + low < std::exp(-0.5 * x * x)) return x;
  }
}

double NumpyRandom::normal_tail(bool negative) {
  for (;;) {
    const double x = -std::log1p(-uniform()) / kZigguratTail;
    const double y = -std::log1p(-uniform());
    if (y + y > x * x) return negative ? -(kZigguratTail + x) : kZigguratTail + x;
  }
}

}  // namespace scalelaw
