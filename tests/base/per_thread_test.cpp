#include "base/per_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace scalelaw {
namespace {

std::vector<int>& numbers_of_thread() {
  thread_local PerThread<std::vector<int>> kept;
  return *kept;
}

TEST(PerThread, IsMadeOnceInEachThread) {
  numbers_of_thread().assign(1, 7);
  std::vector<int> of_other;
  std::thread([&of_other] {
    numbers_of_thread().push_back(8);
    of_other = numbers_of_thread();
  }).join();
  EXPECT_EQ(of_other, std::vector{8});
  EXPECT_EQ(numbers_of_thread(), std::vector{7});
}

std::atomic<int> alive{0};

template <int Which>
struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

TEST(PerThread, IsDestroyedWithItsThread) {
  std::thread([] {
    thread_local PerThread<Counted<1>> first;
    thread_local PerThread<Counted<2>> second;
    static_cast<void>(*first);
    static_cast<void>(*second);
    EXPECT_EQ(alive, 2);
  }).join();
  EXPECT_EQ(alive, 0);
}

struct Reluctant {
  Reluctant() {
    if (++tries == 1) throw std::runtime_error("not yet");
  }
  static inline int tries = 0;
};

TEST(PerThread, IsMadeLaterIfItsConstructorThrew) {
  thread_local PerThread<Reluctant> kept;
  EXPECT_THROW(*kept, std::runtime_error);
  EXPECT_NO_THROW(*kept);
  EXPECT_NO_THROW(*kept);
  EXPECT_EQ(Reluctant::tries, 2);
}

}  // namespace
}  // namespace scalelaw
