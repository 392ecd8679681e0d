#include "run_ids.hpp"

#include <xxhash.h>

#include <bit>
#include <cstring>

#include "scalelaw/base/parallel.hpp"

namespace scalelaw {

void RunIds::add(int worker, std::string_view name) {
  Worker& own = workers_[static_cast<std::size_t>(worker)];
  const std::uint64_t hash = XXH3_64bits(name.data(), name.size()) | 1;  // 0 means none.
  std::uint64_t& recent = own.recent[(hash >> 1) % kRecent];
  if (recent == hash) return is_decided_.store(true, std::memory_order_relaxed);
  recent = hash;
  put(own, hash);
}

void RunIds::put(Worker& worker, std::uint64_t hash) {
  worker.parts[hash >> (64 - kPartBits)].push_back(hash);
  constexpr std::uint64_t kCounted = 1024;  // Rows per step.
  if (++worker.rows % kCounted != 0) return;
  if (rows_.fetch_add(kCounted, std::memory_order_relaxed) + kCounted > kMost) is_decided_ = true;
}

std::string RunIds::bytes() const {
  std::string out(1, is_decided() ? '1' : '0');
  if (is_decided()) return out;
  for (const Worker& worker : workers_) {
    for (const auto& hashes : worker.parts) {
      out.append(reinterpret_cast<const char*>(hashes.data()),
                 hashes.size() * sizeof(std::uint64_t));
    }
  }
  return out;
}

void RunIds::take(std::string_view bytes) {
  if (bytes.front() == '1') is_decided_ = true;
  Worker& worker = workers_.emplace_back();
  for (std::size_t at = 1; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t hash = 0;
    std::memcpy(&hash, bytes.data() + at, sizeof hash);
    put(worker, hash);
  }
}

/// Whether a part has a hash twice.
bool RunIds::has_twice(std::size_t part) const {
  std::size_t rows = 0;
  for (const Worker& worker : workers_) rows += worker.parts[part].size();
  const std::size_t size = std::bit_ceil(2 * rows + 1);
  std::vector<std::uint64_t> table(size, 0);
  for (const Worker& worker : workers_) {
    for (const std::uint64_t hash : worker.parts[part]) {
      std::size_t place = (hash >> 1) & (size - 1);
      while (table[place] != 0 && table[place] != hash) place = (place + 1) & (size - 1);
      if (table[place] == hash) return true;
      table[place] = hash;
    }
  }
  return false;
}

bool RunIds::is_repeated(int threads) const {
  std::uint64_t rows = 0;
  for (const Worker& worker : workers_) rows += worker.rows;
  if (is_decided() || rows > kMost) return true;
  std::atomic<bool> found = false;
  parallel_for(threads, std::size_t{1} << kPartBits, [&](std::size_t part, int /*worker*/) {
    if (!found && has_twice(part)) found = true;
  });
  return found;
}

}  // namespace scalelaw
