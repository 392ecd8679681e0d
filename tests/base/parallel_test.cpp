#include "scalelaw/base/parallel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace scalelaw {
namespace {

TEST(ParallelFor, DoesEveryIndexOnce) {
  for (const int threads : {1, 2, 7, 64}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_for(threads, done.size(), [&](std::size_t index, int worker) {
      EXPECT_GE(worker, 0);
      EXPECT_LT(worker, threads);
      ++done[index];
    });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, GivesEachWorkerOneIndexAtATime) {
  std::vector<std::atomic<int>> busy(4);
  parallel_for(4, 1000, [&](std::size_t, int worker) {
    EXPECT_EQ(busy[static_cast<std::size_t>(worker)]++, 0);
    --busy[static_cast<std::size_t>(worker)];
  });
}

TEST(ParallelFor, DoesNothingForNoIndex) {
  parallel_for(3, 0, [](std::size_t, int) { FAIL(); });
}

TEST(ParallelFor, WorksWithFewerThreadsThanOne) {
  std::atomic<int> done{0};
  parallel_for(0, 5, [&](std::size_t, int worker) {
    EXPECT_EQ(worker, 0);
    ++done;
  });
  EXPECT_EQ(done, 5);
}

TEST(ParallelFor, RethrowsTheExceptionOfTheLowestIndex) {
  for (const int threads : {1, 2, 7}) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::atomic<int>> done(200);
      try {
        parallel_for(threads, done.size(), [&](std::size_t index, int) {
          ++done[index];
          if (index % 20 == 13) throw std::runtime_error(std::to_string(index));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "13");
      }
      for (std::size_t index = 0; index < 13; ++index) EXPECT_EQ(done[index], 1);
    }
  }
}

TEST(ThreadCount, IsWhatWasAskedForOrTheProcessors) {
  EXPECT_EQ(thread_count(1), 1);
  EXPECT_EQ(thread_count(7), 7);
  EXPECT_GE(thread_count(0), 1);
  EXPECT_GE(thread_count(-1), 1);
  EXPECT_LE(thread_count(1'000'000), 1024);
}

}  // namespace
}  // namespace scalelaw
