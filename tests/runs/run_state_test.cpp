#include "runs/run_state.hpp"

#include <gtest/gtest.h>

namespace scalelaw {
namespace {

TEST(StateColumns, AreFoundByTheirNames) {
  Header header;
  header.names = {"gpus", "State", "exit code", "success", "failed", "statement", "status"};
  const std::vector<std::size_t> used{6};
  const auto columns = state_columns(header, used);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].place, 1u);
  EXPECT_EQ(columns[1].kind, StateKind::kExitCode);
  EXPECT_EQ(columns[2].kind, StateKind::kSuccess);
  EXPECT_EQ(columns[3].kind, StateKind::kFailure);
}

TEST(StateColumns, MayNameTheRunOrTheJob) {
  Header header;
  header.names = {"slurm_state",  "job_success", "run_status",
                  "is_completed", "JobState",    "runtime"};
  EXPECT_EQ(state_columns(header, {}).size(), 5u);
}

TEST(TellsFailure, KnowsTheStatesOfSlurm) {
  for (const char* state : {"FAILED", "CANCELLED by 1000", "CANCELLED+", "TIMEOUT", "OUT_OF_MEMORY",
                            "NODE_FAIL", "oom", "error", "RUNNING", "PENDING", "false"}) {
    EXPECT_TRUE(tells_failure(StateKind::kState, state)) << state;
  }
  for (const char* state : {"COMPLETED", "ok", "success", "done", "", "0", "1", "CA", "true"}) {
    EXPECT_FALSE(tells_failure(StateKind::kState, state)) << state;
  }
}

TEST(IsFailureWord, MayBeExplained) {
  for (const char* cell :
       {"OOM", "OOM (40 GB)", "OOM @ 77 GB", "failed: NCCL", "DNF", "CANCELLED by 1000"}) {
    EXPECT_TRUE(is_failure_word(cell)) << cell;
  }
  for (const char* cell : {"errors", "no error", "8 failed"}) {
    EXPECT_FALSE(is_failure_word(cell)) << cell;
  }
}

TEST(TellsFailure, KnowsBooleansAndCodes) {
  EXPECT_TRUE(tells_failure(StateKind::kSuccess, "False"));
  EXPECT_TRUE(tells_failure(StateKind::kSuccess, "0"));
  EXPECT_FALSE(tells_failure(StateKind::kSuccess, "1"));
  EXPECT_FALSE(tells_failure(StateKind::kSuccess, "2026-01-01"));
  EXPECT_TRUE(tells_failure(StateKind::kFailure, "yes"));
  EXPECT_FALSE(tells_failure(StateKind::kFailure, "0"));
  EXPECT_TRUE(tells_failure(StateKind::kExitCode, "137"));
  EXPECT_TRUE(tells_failure(StateKind::kExitCode, "0:9"));
  EXPECT_FALSE(tells_failure(StateKind::kExitCode, "0:0"));
  EXPECT_FALSE(tells_failure(StateKind::kExitCode, ""));
}

TEST(FailedSentence, NamesColumnsAndValues) {
  std::vector<Failure> failures;
  add_failure(failures, {"state", "TIMEOUT"});
  add_failure(failures, {"state", "FAILED"});
  add_failure(failures, {"state", "FAILED"});
  EXPECT_EQ(failed_sentence(3, failures), "3 runs are left out: state is FAILED or TIMEOUT");
  add_failure(failures, {"exit_code", "1"});
  EXPECT_EQ(failed_sentence(1, failures),
            "1 run is left out: exit_code is 1; state is FAILED or TIMEOUT");
  // The first is named whatever stands before it.
  EXPECT_EQ(failed_sentence(1, std::span<const Failure>(failures).last(1)),
            "1 run is left out: state is TIMEOUT");
}

}  // namespace
}  // namespace scalelaw
