#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "cluster/dispenser.hpp"
#include "cluster/local_ranks.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/progress.hpp"

namespace scalelaw {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::run_ranks;

TEST(Dispenser, HandsOutEveryPieceOnceInOrderAndSmallSharesAtTheEnd) {
  const std::vector<std::uint64_t> sizes(1000, 1 << 20);
  Dispenser dispenser(sizes, 4);
  std::size_t next = 0;
  std::vector<std::size_t> shares;
  for (PieceRange range = dispenser.take_share(); !range.empty(); range = dispenser.take_share()) {
    EXPECT_EQ(range.begin, next);
    next = range.end;
    shares.push_back(range.end - range.begin);
  }
  EXPECT_EQ(next, 1000u);
  EXPECT_EQ(shares.front(), 31u);  // An eighth of a fair share of 250.
  EXPECT_TRUE(std::is_sorted(shares.rbegin(), shares.rend()));
  EXPECT_EQ(shares.back(), 1u);
}

TEST(Team, EveryPieceIsDoneOnceAndToldToTheLeader) {
  std::mutex mutex;
  std::multiset<std::size_t> done;
  std::multiset<std::string> heard;
  const std::vector<std::uint64_t> sizes(500, 1000);
  const auto statuses = run_ranks(3, [&](Ranks& ranks, int) {
    ranks.share(
        sizes, 2,
        [&](std::size_t piece, int worker) -> std::optional<std::string> {
          EXPECT_THAT(worker, ::testing::AllOf(::testing::Ge(0), ::testing::Lt(2)));
          const std::lock_guard lock(mutex);
          done.insert(piece);
          return piece % 2 == 0 ? "piece " + std::to_string(piece) : "";
        },
        [&](std::size_t piece, const std::string& said) {
          EXPECT_TRUE(ranks.leads());
          EXPECT_EQ(said, "piece " + std::to_string(piece));
          heard.insert(said);
        },
        nullptr);
  });
  EXPECT_EQ(done.size(), 500u);
  EXPECT_EQ(std::set<std::size_t>(done.begin(), done.end()).size(), 500u);
  EXPECT_EQ(heard.size(), 250u);
  EXPECT_THAT(statuses, ElementsAre(0, 0));
}

TEST(Team, ASlowRankDoesLess) {
  std::atomic<int> slow{0};
  std::atomic<int> all{0};
  const std::vector<std::uint64_t> sizes(400, 1000);
  run_ranks(2, [&](Ranks& ranks, int rank) {
    ranks.share(
        sizes, 1,
        [&](std::size_t, int) -> std::optional<std::string> {
          std::this_thread::sleep_for(std::chrono::microseconds(rank == 1 ? 20000 : 500));
          if (rank == 1) ++slow;
          ++all;
          return "";
        },
        {}, nullptr);
  });
  EXPECT_EQ(all, 400);
  EXPECT_LE(slow, 30);  // 10 would be fair.
}

// Otherwise the error of the earliest row might be lost.
TEST(Team, AllPiecesBeforeTheOneThatStopsAreDone) {
  std::mutex mutex;
  std::set<std::size_t> done;
  const std::vector<std::uint64_t> sizes(2000, 1 << 20);
  run_ranks(3, [&](Ranks& ranks, int) {
    ranks.share(
        sizes, 1,
        [&](std::size_t piece, int) -> std::optional<std::string> {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          const std::lock_guard lock(mutex);
          done.insert(piece);
          return piece == 700 ? std::nullopt : std::optional<std::string>("");
        },
        {}, nullptr);
  });
  for (std::size_t piece = 0; piece <= 700; ++piece) EXPECT_TRUE(done.contains(piece)) << piece;
  EXPECT_LT(done.size(), 2000u);
}

TEST(Team, WhatARankThrowsIsThrownByTheLeaderAndEndsAll) {
  const std::vector<std::uint64_t> sizes(100, 1000);
  const auto fail = [&](Ranks& ranks, int rank) {
    ranks.share(
        sizes, 1,
        [&](std::size_t, int) -> std::optional<std::string> {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (rank == 2) throw DataError("tree/7.csv: gone");
          return "";
        },
        {}, nullptr);
    ranks.gather("");
  };
  try {
    run_ranks(3, fail);
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 2 on "));
    EXPECT_THAT(error.what(), HasSubstr("tree/7.csv: gone"));
  }
}

// A rank that is done asks for its next pieces while the leader still works on these.
TEST(Team, WorkThatFollowsWorkIsNotTakenForIt) {
  std::atomic<int> all{0};
  const std::vector<std::uint64_t> few(6, 1000);
  const std::vector<std::uint64_t> many(300, 1000);
  run_ranks(3, [&](Ranks& ranks, int rank) {
    const auto work = [&](std::size_t, int) -> std::optional<std::string> {
      ++all;
      std::this_thread::sleep_for(std::chrono::milliseconds(rank == 0 ? 50 : 1));
      return "";
    };
    ranks.share(few, 1, work, {}, nullptr);
    ranks.share(many, 1, work, {}, nullptr);
  });
  EXPECT_EQ(all, 306);
}

// An SQLite commit, for example, must not keep threads from their pieces.
TEST(Team, TheLeaderWorksOnWhileItTakesWhatOthersSaid) {
  std::atomic<bool> taking{false};
  std::atomic<int> own_meanwhile{0};
  const std::vector<std::uint64_t> sizes(2000, 1000);
  run_ranks(2, [&](Ranks& ranks, int rank) {
    ranks.share(
        sizes, 1,
        [&](std::size_t, int) -> std::optional<std::string> {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (rank == 0 && taking) ++own_meanwhile;
          return rank == 0 ? "" : std::string(64 << 10, 'x');
        },
        [&](std::size_t, const std::string&) {
          taking = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(4));
          taking = false;
        },
        nullptr);
  });
  EXPECT_GT(own_meanwhile, 20);
}

TEST(Team, RanksThatAreOutOfStepEndTheJob) {
  const std::vector<std::uint64_t> sizes(10, 1000);
  const auto work = [](std::size_t, int) -> std::optional<std::string> { return ""; };
  const auto out_of_step = [&](const std::function<void(Ranks&, int)>& run) {
    try {
      run_ranks(2, run);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("ranks are out of step"));
    }
  };
  out_of_step([&](Ranks& ranks, int rank) {
    if (rank == 0) ranks.broadcast("heard while pieces are due");
    ranks.share(sizes, 1, work, {}, nullptr);
  });
  out_of_step([&](Ranks& ranks, int rank) {  // A rank that awaits the end hears a broadcast.
    if (rank == 0) ranks.broadcast("");
    if (rank == 0) ranks.gather("");
  });
  out_of_step([&](Ranks& ranks, int rank) {
    if (rank == 0) ranks.gather("");
    ranks.share(sizes, 1, work, {}, nullptr);
  });
  out_of_step([&](Ranks& ranks, int rank) {
    if (rank == 1) ranks.gather("heard while pieces are asked for");
    ranks.share(sizes, 1, work, {}, nullptr);
  });
}

TEST(Team, GathersLongBytesByRankAndBroadcasts) {
  const std::string long_bytes(std::size_t{40} << 20, 'x');
  run_ranks(3, [&](Ranks& ranks, int rank) {
    EXPECT_EQ(ranks.broadcast(rank == 0 ? "from the leader" : "own"), "from the leader");
    EXPECT_TRUE(ranks.broadcast(rank == 0 ? long_bytes : "own") == long_bytes);
    const auto all = ranks.gather(rank == 2 ? long_bytes : std::to_string(rank));
    if (!ranks.leads()) return;
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0], "0");
    EXPECT_EQ(all[1], "1");
    EXPECT_TRUE(all[2] == long_bytes);
  });
}

TEST(Team, ProgressIsTheSum) {
  Progress shown;  // Draws nothing; only what it is told matters.
  const std::vector<std::uint64_t> sizes(300, 1000);
  run_ranks(3, [&](Ranks& ranks, int rank) {
    Progress own;
    Progress& progress = rank == 0 ? shown : own;
    ranks.share(
        sizes, 1,
        [&](std::size_t, int) -> std::optional<std::string> {
          progress.advance(1000, 1);
          return "";
        },
        {}, &progress);
  });
  EXPECT_EQ(shown.done().bytes, 300'000u);
  EXPECT_EQ(shown.done().files, 300u);
}

}  // namespace
}  // namespace scalelaw
