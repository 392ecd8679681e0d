#include "scalelaw/runs/look.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TableLook look_of(const std::string& table, const RunOptions& options = {},
                  const std::string& name = "t.txt") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / name).string();
  write_bytes(path, table);
  return look_at({path}, options);
}

std::string kind_of(const TableLook& look, const std::string& column) {
  for (const LookColumn& one : look.columns) {
    if (one.name == column) return one.kind;
  }
  return "no such column";
}

std::string finding(const TableLook& look, const std::string& code) {
  for (const LookFinding& one : look.findings) {
    if (one.code == code) return one.sentence;
  }
  return "";
}

/// The words of the commands to run next, "fit", "rank", ...
std::vector<std::string> next_of(const TableLook& look) {
  std::vector<std::string> names;
  for (const NextCommand& one : look.next) {
    const std::string rest = one.command.substr(sizeof "scalelaw");
    names.push_back(rest.substr(0, rest.find(' ')));
  }
  return names;
}

/// What fit takes for x and y without options.
std::string choice_of(const std::string& table) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t.txt").string();
  write_bytes(path, table);
  const GroupedCells runs = read_runs(std::vector{path}, {});
  return runs.x() + ", " + runs.y();
}

TEST(LookAt, AndFitTakeDurationsForATime) {
  const std::string table = "NNodes,Elapsed\n1,05:38:43\n2,1-02:03:04\n4,01:31:43\n";
  const TableLook look = look_of(table);
  EXPECT_EQ(look.y, "Elapsed");
  EXPECT_EQ(kind_of(look, "Elapsed"), "duration");
  EXPECT_EQ(look.columns[1].unit, "s");
  EXPECT_EQ(look.columns[1].max, 93784);
  EXPECT_EQ(choice_of(table), "NNodes, Elapsed");
}

TEST(LookAt, AndFitTakeNumbersAsPeopleWriteThem) {
  const std::string rates = "gpus,throughput\n1x,24.5k\n2x,\"48,500\"\n4x,96k\n";
  EXPECT_EQ(look_of(rates).response, "rate");
  EXPECT_EQ(look_of(rates).columns[1].max, 96000);
  EXPECT_EQ(choice_of(rates), "gpus, throughput");
  const std::string commas = "Knoten;Zeit [s]\n1;3190,11\n2;1600,5\n4;810,25\n";
  EXPECT_EQ(look_of(commas).columns[1].min, 810.25);
  EXPECT_EQ(choice_of(commas), "Knoten, Zeit");
}

TEST(LookAt, ReadsWhatFitReads) {
  const std::string json = R"({"gpus": 1, "seconds": 9, "model": "a, \"b\""})"
                           "\n"
                           R"({"gpus": 2, "seconds": 5, "model": "a, \"b\""})"
                           "\n";
  EXPECT_EQ(look_of(json).y, "seconds");
  const TableLook blanks = look_of("gpus   seconds\n1   9\n2 5\n");
  EXPECT_EQ(kind_of(blanks, "seconds"), "number");
  const TableLook bars = look_of("| GPUs | Time (s) |\n|---|---|\n| 1 | 9 |\n| 2 | 5 |\n");
  ASSERT_EQ(bars.columns.size(), 2);
  EXPECT_EQ(bars.columns[1].max, 9);
  const TableLook comments = look_of("# nodes time\n1 9\n# a remark\n2 5\n");
  EXPECT_EQ(comments.x, "nodes");
  RunOptions options;
  options.layout.delimiter = ':';
  const TableLook chosen = look_of("gpus:seconds\n1:9\n2:5\n4:3\n", options);
  EXPECT_THAT(chosen.next.front().command, HasSubstr("--delimiter :"));
}

TEST(LookAt, KnowsALossTableByItsMagnitudes) {
  std::string table = "params,tokens,loss\n";
  for (const char* params : {"44M", "200M", "1B"}) {
    for (const char* tokens : {"1B", "4B", "16B"}) {
      table += std::string(params) + "," + tokens + ",3.1\n";
    }
  }
  EXPECT_THAT(look_of(table).scales, ElementsAre("params", "tokens"));
  RunOptions options;
  options.x = "tokens,Params";
  EXPECT_THAT(look_of(table, options).scales, ElementsAre("tokens", "params"));
}

TEST(LookAt, LeavesOutFailedRunsAsFitDoes) {
  const std::string table =
      "State,gpus,seconds\nCOMPLETED,1,9\nCOMPLETED,2,5\nCOMPLETED,4,3\nFAILED,512,1\n";
  const TableLook look = look_of(table);
  EXPECT_EQ(look.rows, 3);
  EXPECT_EQ(look.columns[1].max, 4);
  EXPECT_EQ(finding(look, "crashed"), "1 run is left out: State is FAILED.");
  EXPECT_THAT(look.next.front().command, testing::Not(HasSubstr("--where")));
  RunOptions options;
  options.keep_failed = true;
  EXPECT_EQ(look_of(table, options).rows, 4);
  EXPECT_THAT(look_of(table, options).next.front().command, HasSubstr("--keep-failed"));
}

TEST(LookAt, CountsTheRowsThatConditionsKeep) {
  RunOptions options;
  options.where = {"gpus<=2"};
  EXPECT_EQ(look_of("gpus,seconds\n1,9\n2,5\n4,3\n8,2\n", options).rows, 2);
}

TEST(LookAt, AsksWhichOfTwoEqualTimesIsMeant) {
  const TableLook look = look_of("gpus,io_s,compute_s\n1,10,100\n2,8,50\n4,6,26\n");
  EXPECT_THAT(look.answer,
              HasSubstr("Several columns may be the time: choose -y io_s or -y compute_s."));
  ASSERT_EQ(look.next.size(), 2);
  EXPECT_THAT(look.next[0].command, HasSubstr("-y io_s"));
  EXPECT_THAT(look.next[1].command, HasSubstr("-y compute_s"));
}

TEST(LookAt, SaysWhatRunsAtOneScaleCanTell) {
  const std::string header = "gpus,seconds,energy_j,power_limit_w\n";
  const TableLook caps = look_of(header + "8,100,1000,200\n8,101,1010,200\n8,90,1200,300\n");
  EXPECT_THAT(next_of(caps), ElementsAre("caps", "energy"));
  EXPECT_THAT(finding(caps, "one_scale"), HasSubstr("All runs have gpus = 8."));
  EXPECT_THAT(finding(caps, "one_scale"), HasSubstr("scalelaw gate"));
  EXPECT_EQ(finding(caps, "few_scales"), "");
  EXPECT_THAT(next_of(look_of("gpus,seconds\n8,100\n8,101\n")), IsEmpty());
}

TEST(LookAt, RowsAreEpochsOnlyIfARunHasSeveralAtOnePlace) {
  std::string losses = "run,params,tokens,step,loss\n";
  std::string log = "run,gpus,step,step_time_ms\n";
  int run = 0;
  for (const char* params : {"1e7", "1e8", "1e9"}) {
    for (const char* tokens : {"1e9", "1e10", "1e11"}) {
      for (const char* step : {"1000", "2000"}) {
        losses += "r" + std::to_string(++run) + "," + params + "," + tokens + "," + step + ",3\n";
      }
    }
  }
  for (int gpus = 1; gpus <= 16; gpus *= 2) {
    for (int step = 10; step <= 100; step += 10) {
      const std::string n = std::to_string(gpus);
      log += "run" + n + "," + n + "," + std::to_string(step) + ",10\n";
    }
  }
  EXPECT_EQ(finding(look_of(losses), "epochs"), "");
  EXPECT_THAT(finding(look_of(log), "epochs"), HasSubstr("one per 'step'"));
  EXPECT_EQ(look_of(log).run, "run");
}

TEST(LookAt, SpeaksOfOneGroupAndOfSeveral) {
  const std::string rows = "a,1,9\na,2,5\na,4,3\nb,1,9\nb,2,5\n";
  EXPECT_EQ(finding(look_of("model,gpus,seconds\n" + rows), "few_scales"),
            "1 of 2 groups has fewer than three values of 'gpus', and no law.");
  EXPECT_EQ(finding(look_of("model,gpus,seconds\n" + rows + "c,1,9\nc,2,5\n"), "few_scales"),
            "2 of 3 groups have fewer than three values of 'gpus', and no law.");
}

TEST(LookAt, ALossTableMayHaveOneRun) {
  RunOptions options;
  options.x = "n_params,train_tokens";
  EXPECT_EQ(look_of("n_params,train_tokens,final_loss\n1e8,2e9,3.1\n", options).y, "final_loss");
}

TEST(LookAt, RefusesAGroupColumnThatIsNotThere) {
  RunOptions options;
  options.by = {"elapsed"};
  options.by_chosen = true;
  const std::string table = "run,gpus,seconds\na,1,100\nb,2,60\nc,4,40\n";
  try {
    look_of(table, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no column 'elapsed'"));
  }
}

TEST(LookAt, FindsTheGroupsOfAJsonTable) {
  std::string json = "[";
  std::string csv = "gpus,flavour,seconds\n";
  for (const char* flavour : {"sweet", "sour"}) {
    for (const int gpus : {1, 2, 4, 8}) {
      json += fmt::format("{}{{\"gpus\": {}, \"flavour\": \"{}\", \"seconds\": {}}}",
                          json.size() > 1 ? ", " : "", gpus, flavour, 100.0 / gpus);
      csv += fmt::format("{},{},{}\n", gpus, flavour, 100.0 / gpus);
    }
  }
  EXPECT_THAT(look_of(csv).by, ElementsAre("flavour"));
  EXPECT_THAT(look_of(json + "]", {}, "t.json").by, ElementsAre("flavour"));
}

}  // namespace
}  // namespace scalelaw::test
