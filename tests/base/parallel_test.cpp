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

/// Reads the whole numbers below `count`, squares them, and keeps them in the order of their use.
std::vector<int> squares_below(int count, int threads, int bad_read = -1, int bad_work = -1,
                               int bad_use = -1) {
  struct Piece {
    int number = -1;
    int square = 0;
  };
  const auto refuse = [](int number, int bad, const char* step) {
    if (number == bad) throw std::runtime_error(step + std::to_string(number));
  };
  int next = 0;
  std::atomic<int> readers{0};
  std::atomic<int> users{0};
  std::vector<int> used;
  const auto said = [&] {
    try {
      for_each_piece<Piece>(
          threads,
          [&](Piece& piece) {
            EXPECT_EQ(++readers, 1);
            piece.number = next++;
            --readers;
            refuse(piece.number, bad_read, "read ");
            return piece.number < count;
          },
          [&](Piece& piece) {
            refuse(piece.number, bad_work, "work ");
            piece.square = piece.number * piece.number;
          },
          [&](const Piece& piece) {
            EXPECT_EQ(++users, 1);
            refuse(piece.number, bad_use, "use ");
            used.push_back(piece.square);
            --users;
          });
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  }();
  if (!said.empty()) {
    // Numbers that are no squares tell the step and the piece.
    const int number = std::stoi(said.substr(said.find(' ') + 1));
    used.push_back(said[0] == 'r'   ? -1000 - number
                   : said[0] == 'w' ? -2000 - number
                                    : -3000 - number);
  }
  return used;
}

TEST(ForEachPiece, UsesThePiecesInTheirOrder) {
  std::vector<int> expected;
  for (int i = 0; i < 500; ++i) expected.push_back(i * i);
  for (const int threads : {0, 1, 2, 5, 16}) {
    EXPECT_EQ(squares_below(500, threads), expected);
    EXPECT_EQ(squares_below(0, threads), std::vector<int>());
  }
}

TEST(ForEachPiece, EndsWithTheFirstPieceThatFails) {
  for (const int threads : {1, 2, 8}) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(squares_below(50, threads, 3), (std::vector{0, 1, 4, -1003}));
      EXPECT_EQ(squares_below(50, threads, 5, 2), (std::vector{0, 1, -2002}));
      EXPECT_EQ(squares_below(50, threads, -1, 9, 1), (std::vector{0, -3001}));
    }
  }
}

}  // namespace
}  // namespace scalelaw
