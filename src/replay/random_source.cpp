#include "scalelaw/replay/random_source.hpp"

#include <utility>

#include "scalelaw/base/random.hpp"
#include "scalelaw/replay/numpy_random.hpp"

namespace scalelaw {
namespace {

template <class Stream>
class StreamSource final : public RandomSource {
 public:
  explicit StreamSource(Stream stream) : stream_(std::move(stream)) {}
  std::uint32_t below(std::uint32_t n) override { return stream_.below(n); }
  double uniform() override { return stream_.uniform(); }
  double normal() override { return stream_.normal(); }

 private:
  Stream stream_;
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
  if (kind == RandomKind::kZeus) {
    return std::make_unique<StreamSource<NumpyRandom>>(NumpyRandom(seed));
  }
  return std::make_unique<StreamSource<RandomStream>>(
      RandomStream(seed, stable_hash("replay"), static_cast<std::uint64_t>(use)));
}

std::string_view name_of(RandomKind kind) {
  return kind == RandomKind::kZeus ? "zeus" : "scalelaw";
}

}  // namespace scalelaw
