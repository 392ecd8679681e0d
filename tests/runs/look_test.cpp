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

TEST(LookAt, SaysOfGroupsThatOnlyTheirValuesTellThatFitDoesNotTakeThem) {
  const std::string rows = ",gpus,epoch_s\nA,1,100\nA,2,52\nA,4,28\nB,1,200\nB,2,110\nB,4,60\n";
  const TableLook told = look_of("mo\"del" + rows);
  EXPECT_THAT(told.by, ElementsAre("mo\"del"));
  EXPECT_EQ(told.columns[0].why,
            "few values, which differ at one x; without -b, other commands take all of them "
            "together, because no name says that they are groups");
  EXPECT_THAT(told.next.front().command, HasSubstr("-b 'mo\"del'"));
  const TableLook named = look_of("model" + rows);
  EXPECT_THAT(named.by_values, IsEmpty());
  EXPECT_EQ(named.columns[0].why, "its name says category");
}

TEST(LookAt, KeepsTheFirstTextsOfAColumnWhole) {
  const TableLook look =
      look_of("gpus;epoch_s;tag\n1;9;com,ma\n2;5;a b\n4;3;\"in\"\"ch\"\n", {}, "t.csv");
  EXPECT_THAT(look.columns[2].first_values, ElementsAre("a b", "com,ma", "in\"ch"));
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

TEST(LookAt, NamesTheOtherTablesOfAText) {
  const std::string one = "| GPUs | Time (s) |\n|---|---|\n| 1 | 9 |\n| 2 | 5 |\n| 4 | 3 |\n";
  const TableLook look = look_of("A\n\n" + one + "\nB\n\n" + one);
  EXPECT_EQ(look.rows, 3);
  EXPECT_THAT(finding(look, "layout"), HasSubstr("further tables are not read, in lines 11 to 15"));
  EXPECT_THAT(look.next.back().command, HasSubstr("--table 2"));
  RunOptions options;
  options.layout.table = 2;
  EXPECT_THAT(look_of("A\n\n" + one + "\nB\n\n" + one, options).next.front().command,
              HasSubstr("--table 2"));
}

TEST(LookAt, ChoosesColumnsWithoutNamesByTheirValues) {
  const TableLook look = look_of("1,1,100,9.5\n2,1,100,5.1\n4,2,100,2.9\n");
  EXPECT_EQ(look.x, "c1");
  EXPECT_EQ(look.y, "c4");
  EXPECT_EQ(look.response, "time");
  EXPECT_THAT(finding(look, "layout"), HasSubstr("columns are called c1 to c4"));
  const TableLook two = look_of("1,95.5\n2,191.1\n4,380.9\n");
  EXPECT_EQ(two.response, "time");
  EXPECT_THAT(finding(two, "layout"), HasSubstr("columns are called c1 and c2"));
}

TEST(LookAt, TellsOfRowsThatDoNotFitTheHeader) {
  EXPECT_THAT(finding(look_of("model,gpus,oops\n1,2\n3,4\n"), "bad_rows"),
              HasSubstr(":2: expected 3 fields, found 2: \"1,2\""));
  EXPECT_THAT(finding(look_of("model,gpus,seconds\n1,2\n3,4\n"), "bad_rows"),
              HasSubstr("2 rows do not fit the header"));
  EXPECT_THAT(finding(look_of("| n | s |\n|---|---|\n| 1 | `a|b` |\n| 2 | 5 |\n"), "bad_rows"),
              HasSubstr("expected 2 fields, found 3: \"1\", \"`a\", \"b`\""));
}

TEST(LookAt, ReadsAWideTableUnderTheNameOfWhatWasMeasured) {
  const TableLook look = look_of("seconds,1,2,4,8\nbert,100,52,28,15\nresnet,50,26,14,8\n");
  EXPECT_EQ(look.y, "value");
  EXPECT_EQ(look.response, "time");
  EXPECT_THAT(look.by, ElementsAre("seconds"));
  EXPECT_THAT(look.next.front().command, HasSubstr("--wide scale"));
}

TEST(LookAt, TakesNamesOfHardwareForGroupsAndCountsOfItForScales) {
  const std::string rows = ",1x A100,9\na,2x A100,5\na,4x A100,3\n";
  EXPECT_EQ(look_of("model,GPUs,seconds\na" + rows).x, "GPUs");
  EXPECT_EQ(kind_of(look_of("model,setup,seconds\na" + rows), "setup"), "number");
  EXPECT_EQ(look_of("model,setup,seconds\na" + rows).x, "setup");
}

TEST(LookAt, TakesCurvesForLossesOverTokensOfEachRun) {
  const std::string curves =
      "job_id,gpus,parameters,step,tokens,elapsed_s,seconds_per_step,loss\n"
      "a,8,1e9,1,100,2,2.0,9.5\na,8,1e9,2,200,4,2.0,8.5\na,8,1e9,3,300,6,2.0,8.1\n"
      "b,8,1e9,1,100,2,2.1,9.0\nb,8,1e9,2,200,4,2.1,8.0\nb,8,1e9,3,300,6,2.1,7.5\n";
  const TableLook look = look_of(curves);
  EXPECT_EQ(look.x, "tokens");
  EXPECT_EQ(look.y, "loss");
  EXPECT_EQ(look.response, "loss");
  EXPECT_THAT(look.by, ElementsAre("job_id"));
  EXPECT_EQ(look.run, "");
  EXPECT_THAT(next_of(look), ElementsAre("fit", "predict"));
  EXPECT_THAT(look.next.at(0).command, HasSubstr("-x tokens -y loss -b job_id"));
  EXPECT_THAT(finding(look, "curves"), HasSubstr("a row per step"));
  EXPECT_EQ(finding(look_of(curves + "a,8,1e9,4,,8,2.0,8.0\na,8,1e9,5,,9,2.0,7.9\n"), "epochs"),
            "");
  RunOptions named;
  named.y = "seconds_per_step";
  EXPECT_EQ(look_of(curves, named).x, "gpus");
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

TEST(LookAt, TakesASpeedupForARateWhereNothingElseIsMeasured) {
  const TableLook look = look_of("threads,speedup,efficiency\n1,1,1\n2,1.9,.95\n4,3.5,.88\n");
  EXPECT_EQ(look.y, "speedup");
  EXPECT_EQ(look.response, "rate");
  EXPECT_THAT(look.next[0].command, HasSubstr("-y speedup -b '' --rate"));
  const std::string timed = "threads,speedup,seconds\n1,1,9\n2,1.8,5\n4,3,3\n";
  EXPECT_EQ(look_of(timed).y, "seconds");
  RunOptions options;
  options.y = "speedup";
  EXPECT_EQ(look_of(timed, options).response, "rate");
}

TEST(LookAt, TellsTheUnitOfARate) {
  const TableLook look = look_of("gpus,images/s,throughput_mcells_s\n1,10,5\n2,19,9\n4,36,17\n");
  EXPECT_EQ(look.columns[1].unit, "images/s");
  EXPECT_EQ(look.columns[2].unit, "");
}

TEST(LookAt, TakesTheThroughputBeforeALatencyAndATimeBeforeAThroughput) {
  const TableLook served = look_of("GPUs,QPS,p95 latency (ms)\n1,1200,15\n2,2200,16\n4,4000,18\n");
  EXPECT_EQ(served.y, "QPS");
  EXPECT_EQ(served.response, "rate");
  EXPECT_EQ(look_of("GPUs,QPS,time_s\n1,120,15\n2,220,8\n4,400,4\n").y, "time_s");
  EXPECT_EQ(look_of("GPUs,latency_p99,latency_p50\n1,120,15\n2,220,8\n4,400,4\n").y, "latency_p50");
}

TEST(LookAt, TakesTheRateOfRunsThatAreStoppedAfterATime) {
  EXPECT_EQ(look_of("threads,duration,ops_per_s\n1,60.1,100\n2,60.2,190\n4,61,370\n").y,
            "ops_per_s");
  EXPECT_EQ(look_of("threads,duration,ops_per_s\n1,60.1,100\n2,60.2,101\n4,61,102\n").y,
            "duration");
}

TEST(LookAt, TakesNoTimeThatTheScaleDoesNotChange) {
  const std::string table =
      "size,threads,base_s,run_s\n512,1,9,8\n512,2,9,5\n512,4,9,3\n"
      "850,1,60,61\n850,2,60,33\n850,4,60,17\n";
  EXPECT_EQ(look_of(table).y, "run_s");
  EXPECT_EQ(choice_of(table), "threads, run_s");
}

TEST(LookAt, SaysWhichOfSeveralTimesItTook) {
  const TableLook look =
      look_of("nodes,total_time,time_per_step\n1,.92,.0046\n2,.51,.00255\n4,.3,.0015\n");
  EXPECT_EQ(look.y, "time_per_step");
  EXPECT_EQ(finding(look, "other_responses"),
            "'time_per_step' is taken for the time, as that of a step comes before that of a run. "
            "total_time would do as well: -y total_time.");
}

TEST(LookAt, TakesThreadsOfOneNodeForTheScale) {
  const std::string table = "nodes,cpus_per_task,total,fft\n1,8,6,1\n1,16,3.3,.6\n1,32,2,.3\n";
  EXPECT_EQ(look_of(table).x, "cpus_per_task");
  EXPECT_EQ(choice_of(table), "cpus_per_task, total");
}

TEST(LookAt, SaysHowProcessesAndThreadsAreUsed) {
  const TableLook look =
      look_of("n_procs,n_threads,time_s\n1,1,8\n1,2,5\n2,1,4.1\n2,2,2.6\n4,1,2.2\n4,2,1.4\n");
  EXPECT_THAT(look.by, ElementsAre("n_threads"));
  EXPECT_THAT(finding(look, "two_counts"), HasSubstr("-x n_threads turns this round"));
}

TEST(LookAt, GroupsByNothingThatOtherGroupsTellOrEpochsCount) {
  const TableLook look = look_of(
      "threads,format,file,updates,step,run_s\n"
      "1,a,a.txt,10,1,9\n1,a,a.txt,11,2,9\n2,a,a.txt,10,1,5\n2,a,a.txt,11,2,5\n"
      "4,a,a.txt,10,1,3\n4,a,a.txt,11,2,3\n1,b,b.txt,20,1,9\n1,b,b.txt,21,2,9\n"
      "2,b,b.txt,20,1,5\n2,b,b.txt,21,2,5\n4,b,b.txt,20,1,3\n4,b,b.txt,21,2,3\n");
  EXPECT_THAT(look.by, ElementsAre("format"));
}

TEST(LookAt, ASizeIsAGroupThoughItsIterationsTellIt) {
  const TableLook look = look_of(
      "threads,cells,iterations,run_s\n1,100,50,9\n2,100,50,5\n4,100,50,3\n"
      "1,900,20,29\n2,900,20,15\n4,900,20,9\n");
  EXPECT_THAT(look.by, ElementsAre("cells"));
}

TEST(LookAt, ReadsNumberedTimesAsRepeats) {
  const TableLook look =
      look_of("threads,time1,time2,time3\n1,9,9.1,9.2\n2,5,5.1,5.2\n4,3,3.1,3.2\n");
  EXPECT_EQ(look.y, "time");
  EXPECT_EQ(look.x, "threads");
  EXPECT_THAT(look.next[0].command, HasSubstr("--wide repeat"));
  EXPECT_EQ(look_of("threads,t1_s,t1_median_s,t2_s\n1,9,9,9\n2,5,4,5\n4,3,2,3\n").y, "t1_median_s");
}

TEST(LookAt, NumbersOfColumnsThatDoNotCountOnAreNoRepeats) {
  const TableLook look = look_of("units,512,1024,4096\n1,1,1,1\n2,1.5,1.7,1.9\n4,2.2,3.1,3.6\n");
  EXPECT_EQ(look.x, "units");
  EXPECT_THAT(look.by, ElementsAre("column"));
}

TEST(LookAt, AWideTableFromOneOnHasSpeedups) {
  const TableLook look = look_of("size/threads,1,2,4\n10,1,.9,.5\n100,1,1.2,1.1\n", {}, "s.csv");
  EXPECT_EQ(look.x, "threads");
  EXPECT_EQ(look.response, "rate");
  EXPECT_THAT(finding(look, "rate"), HasSubstr("taken for speedups"));
}

TEST(LookAt, SaysWhatRunsAtOneScaleCanTell) {
  const std::string header = "gpus,seconds,energy_j,power_limit_w\n";
  const TableLook caps = look_of(header + "8,100,1000,200\n8,101,1010,200\n8,90,1200,300\n");
  EXPECT_THAT(next_of(caps), ElementsAre("caps"));
  EXPECT_THAT(finding(caps, "one_scale"), HasSubstr("All runs have gpus = 8."));
  EXPECT_THAT(finding(look_of("gpus,seconds\n8,100\n8,101\n8,99\n"), "one_scale"),
              HasSubstr("scalelaw gate"));
  EXPECT_EQ(finding(caps, "few_scales"), "");
}

TEST(LookAt, ARunThatCrashedIsNoMeasuredScale) {
  const TableLook look = look_of("gpus,time_s\n1,80\n2,41\n4,21\n8,11\n32,crashed\n");
  EXPECT_EQ(look.columns.front().max, 8);
  EXPECT_THAT(look.next[2].command, HasSubstr("--at 16"));
}

TEST(LookAt, APowerBringsEnergyAsThatOfOneGpuOrOfAll) {
  const TableLook one = look_of("gpus,time_s,power_w\n1,8,200\n2,4,199\n4,2,198\n8,1,197\n");
  EXPECT_EQ(one.power, "power_w");
  EXPECT_THAT(next_of(one), ElementsAre("fit", "rank", "energy", "plot"));
  EXPECT_THAT(one.next[2].command, HasSubstr("--power power_w -b"));
  const TableLook all = look_of("nodes,time_s,power_kw\n1,8,1\n2,4,2\n4,2,4\n8,1,8\n");
  EXPECT_THAT(all.next[2].command, HasSubstr("--power power_kw --total-power"));
  const TableLook total = look_of("gpus,time_s,total_power_w\n1,8,200\n2,4,410\n4,2,800\n");
  EXPECT_THAT(total.next[2].command, HasSubstr("--power total_power_w --total-power"));
  // Nothing tells how many GPUs a node has.
  const TableLook nodes = look_of("nodes,time_s,power_w\n1,8,200\n2,4,199\n4,2,198\n8,1,197\n");
  EXPECT_THAT(next_of(nodes), ElementsAre("fit", "rank", "predict", "plot"));
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
  EXPECT_EQ(
      finding(look_of("model,gpus,seconds\n" + rows), "few_scales"),
      "1 of 2 groups has fewer than three values of 'gpus'. fit draws a law through two, which "
      "nothing checks, and none through one.");
  EXPECT_THAT(finding(look_of("model,gpus,seconds\n" + rows + "c,1,9\nc,2,5\n"), "few_scales"),
              HasSubstr("2 of 3 groups have fewer than three values of 'gpus'."));
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

TEST(LookAt, ShowsNoNumberWhereNothingTellsWhatCommasAre) {
  const std::string open = "gpus\ttime\n1\t9,742\n2\t4,912\n4\t2,604\n8\t1,352\n";
  EXPECT_TRUE(look_of(open).columns[1].undecided);
  EXPECT_FALSE(look_of(open).columns[1].min);
  EXPECT_FALSE(look_of(open).columns[0].undecided);
  const std::string unused = "gpus;time;memory\n1;97.5;9,742\n2;49;4,912\n4;26;2,604\n";
  EXPECT_EQ(look_of(unused).columns[2].max, 9742) << "points tell that commas are in thousands";
  const std::string hundreds = "gpus\ttime\n1\t1,834\n2\t912\n4\t604\n";
  EXPECT_EQ(look_of(hundreds).columns[1].max, 1834);
  EXPECT_FALSE(look_of(hundreds).columns[1].undecided);
  RunOptions told;
  told.layout.decimal = ',';
  EXPECT_EQ(look_of(open, told).columns[1].max, 9.742);
}

TEST(LookAt, RowsOfOtherEventsAreNoCrashedRuns) {
  std::string log = R"({"event":"start","model":"A"})"
                    "\n";
  for (const char* row : {R"("gpus":1,"seconds":100})", R"("gpus":2,"seconds":51})",
                          R"("gpus":4,"seconds":26})", R"("gpus":8,"seconds":14})"}) {
    log += R"({"event":"epoch",)" + std::string(row) + "\n";
    log += R"({"event":"eval","accuracy":0.7})"
           "\n";
  }
  const TableLook look = look_of(log, {}, "log.jsonl");
  EXPECT_EQ(finding(look, "other_events"),
            "5 rows without a value of 'seconds' are other events ('event' is eval or start) and "
            "will be left out.");
  EXPECT_EQ(finding(look, "crashed"), "");
  EXPECT_EQ(look.x, "gpus");
  EXPECT_THAT(look.by, IsEmpty()) << "no row with a time has a model, or another event";
  const std::string crashed = "gpus,seconds\n1,100\n2,50\n4,\n8,13\n";
  EXPECT_THAT(finding(look_of(crashed), "crashed"), HasSubstr("runs that crashed?"));
  const std::string figures = R"({"gpus":1,"seconds":100})"
                              "\n"
                              R"({"gpus":1,"eval_loss":2})"
                              "\n"
                              R"({"gpus":2,"seconds":50})"
                              "\n"
                              R"({"gpus":4,"seconds":26})"
                              "\n";
  EXPECT_THAT(finding(look_of(figures, {}, "f.jsonl"), "other_events"),
              HasSubstr("1 row without a value of 'seconds' is another event (such as those of "
                        "'eval_loss')"));
}

TEST(LookAt, TakesALossOverOneScaleWithAFloor) {
  const TableLook look = look_of(
      "model,params,val_loss,seconds\na,70M,3.64,10\nb,160M,3.28,11\nc,410M,2.94,12\n"
      "d,1B,2.68,13\n");
  EXPECT_EQ(look.x, "params");
  EXPECT_EQ(look.y, "val_loss");
  EXPECT_EQ(look.response, "loss");
  EXPECT_THAT(look.by, IsEmpty());  // Each model has one size.
  EXPECT_THAT(finding(look, "names_of_rows"), HasSubstr("'model' tells no groups apart"));
  ASSERT_THAT(next_of(look), ElementsAre("fit", "predict"));
  EXPECT_THAT(look.next.front().command, HasSubstr("-x params -y val_loss -b '' --law floor"));
}

TEST(LookAt, TakesALossOverTokensComputeOrSteps) {
  EXPECT_EQ(look_of("step,tokens,loss\n1,100,4\n2,200,3\n3,300,2.5\n").x, "tokens");
  EXPECT_EQ(look_of("step,flops,loss\n1,100,4\n2,200,3\n3,300,2.5\n").x, "flops");
  const TableLook steps = look_of("step,loss\n1,4\n2,3\n3,2.5\n");
  EXPECT_EQ(steps.x, "step");
  // Three scales do not tell a floor.
  EXPECT_THAT(steps.next.front().command, HasSubstr("--law power"));
}

TEST(LookAt, TakesNoLossWhereGpusOrSettingsAreCompared) {
  EXPECT_EQ(look_of("gpus,step,loss,seconds\n1,1,4,9\n2,1,4,5\n4,1,4,3\n1,2,3,9\n2,3,3,5\n").y,
            "seconds");
  EXPECT_EQ(look_of("power_limit,epoch,loss,seconds,joules\n100,1,4,9,9\n200,2,3,8,9\n"
                    "300,3,2,7,9\n")
                .y,
            "seconds");
  EXPECT_EQ(look_of("gpus,params,loss\n8,1M,4\n8,2M,3\n8,4M,2.5\n").x, "params");
}

TEST(LookAt, TakesCellsInSecondsForTimes) {
  const TableLook look = look_of(
      "| GPUs | AmgX | Custom |\n|---|---|---|\n| 1 | 121 ms | 92 ms |\n| 2 | 83 ms | 65 ms |\n"
      "| 4 | 61 ms | 54 ms |\n");
  EXPECT_THAT(look.equal_ys, ElementsAre("AmgX", "Custom"));
  EXPECT_THAT(look.next.front().command, HasSubstr("-x GPUs -y AmgX"));
}

TEST(LookAt, AsksWhetherAColumnWithoutAWordForItIsATime) {
  const TableLook look = look_of("gpus,ring,memory_gb\n1,254.5,70\n2,183.4,70\n4,96.1,71\n");
  EXPECT_EQ(look.y, "ring");
  EXPECT_THAT(finding(look, "unnamed_response"), HasSubstr("'ring' falls as 'gpus' grows"));
}

TEST(LookAt, SaysThatARatioIsNoTime) {
  const TableLook look = look_of("gpus,MFU (%)\n1,54\n2,51\n4,49\n");
  EXPECT_EQ(look.y, "");
  EXPECT_THAT(finding(look, "derived_only"), HasSubstr("is a ratio or an efficiency by name"));
  EXPECT_EQ(look_of("gpus,MFU,step_time\n1,54,9\n2,51,5\n4,49,3\n").y, "step_time");
}

TEST(LookAt, DoesNotKnowARateByItsRise) {
  const TableLook look = look_of("1 0.0038\n2 0.0045\n4 0.0055\n8 0.0069\n");
  EXPECT_EQ(look.response, "time");
  EXPECT_THAT(finding(look, "rises"), HasSubstr("No name says what 'c2' is"));
  EXPECT_THAT(look.next.front().command, testing::Not(HasSubstr("--rate")));
}

TEST(LookAt, SaysWhatTwoScalesTell) {
  EXPECT_THAT(next_of(look_of("gpus,time\n1,10\n2,5.2\n")), ElementsAre("fit", "plot"));
  EXPECT_THAT(next_of(look_of("gpus,time\n1,10\n1,11\n")), ElementsAre("plot"));
}

TEST(LookAt, TellsOfRowsBehindAHash) {
  EXPECT_THAT(finding(look_of("gpus,time\n1,10\n#2,5.2\n# a remark\n4,3\n8,2\n"), "commented_rows"),
              HasSubstr("1 row with a # before it is not read, such as \"#2,5.2\""));
}

TEST(LookAt, TellsOfACommentBetweenTheRows) {
  EXPECT_THAT(finding(look_of("1 9\n2 5\n4 3\n#--- Length 2 ---\n1 19\n2 10\n"), "parting_comment"),
              HasSubstr("The comment \"#--- Length 2 ---\" stands between the rows"));
  EXPECT_EQ(finding(look_of("# a\ngpus,time\n1,10\n2,5\n# the end\n"), "parting_comment"), "");
}

TEST(LookAt, TakesTheCaptionsWordForARate) {
  const TableLook look = look_of(
      "Samples per second\n\n| GPUs | 1 | 2 | 4 |\n|---|---|---|---|\n| BERT | 44 | 80 | 150 |\n");
  EXPECT_EQ(look.response, "rate");
  EXPECT_THAT(finding(look, "rate"), HasSubstr("\"Samples per second\""));
}

TEST(LookAt, TakesTheColumnThatBeginsWithOneForTheScaleBeforeSizes) {
  const TableLook look = look_of(
      "1024,1,9.5\n1024,2,5.1\n1024,4,3.2\n2048,1,19.5\n2048,2,10.1\n2048,4,6.2\n4096,1,39.5\n"
      "4096,2,20.1\n4096,4,12.2\n");
  EXPECT_EQ(look.x, "c2");
  EXPECT_EQ(look.y, "c3");
  EXPECT_THAT(look.by, ElementsAre("c1"));
}

TEST(LookAt, TakesTheWholeRunTimeBeforeThatOfAPart) {
  EXPECT_EQ(look_of("workers,etl_runtime_s,total_runtime_s\n1,9,19\n2,5,10\n3,3,7\n").y,
            "total_runtime_s");
}

TEST(LookAt, TakesATimeThatVariesBeforeOneThatDoesNot) {
  const std::string table =
      "input,threads,T_seq,T_omp\na,1,5,5\na,2,5,3\na,4,5,2\nb,1,9,9\nb,2,9,5\nb,4,9,3\n";
  EXPECT_EQ(look_of(table).y, "T_omp");
  const std::string with_rate =
      "input,threads,T_seq,throughput\na,1,5,50\na,2,5,93\na,4,5,112\nb,1,9,20\nb,2,9,35\nb,4,9,"
      "63\n";
  EXPECT_EQ(look_of(with_rate).y, "throughput");
}

// Of a folder of logs only some tell the kind of GPU.
TEST(LookAt, GroupsByNoColumnThatMostRowsLack) {
  const std::string table =
      "job,gpu_type,gpus,seconds\na,,1,90\nb,,2,50\nc,,4,28\nd,A100,8,15\ne,H100,16,9\n";
  EXPECT_THAT(look_of(table).by, testing::IsEmpty());
}

// A folder of logs: the trainer tells the time of an epoch and no GPUs, the scheduler the others.
TEST(LookAt, TakesNoResponseThatNoRowHasWithTheScale) {
  const std::string table =
      "job,gpus,epoch_seconds,duration_s\na,,7.5,\nb,1,,90\nc,2,,50\nd,4,,28\n";
  EXPECT_EQ(look_of(table).y, "duration_s");
}

TEST(LookAt, TakesTheRateOfATestWithClients) {
  const std::string table =
      "Concurrency,Duration(s),QPS\n10,5.02,22\n100,5.0,2250\n1000,9.7,51689\n";
  EXPECT_EQ(look_of(table).y, "QPS");
}

TEST(LookAt, TakesCellsThatCountGpusForTheScale) {
  const std::string rows =
      "1 GPU across 1 node;991.38;16.5\n4 GPUs across 1 node;502.5;8.4\n"
      "2 nodes x 4 GPUs;312.9;5.2\n";
  const TableLook look = look_of("Configuration;Elapsed Time (s);Elapsed Time (min)\n" + rows);
  EXPECT_EQ(look.x, "Configuration");
  EXPECT_EQ(look.y, "Elapsed Time (s)");
  EXPECT_EQ(look.columns[0].why, "its cells say how many a run had");
  EXPECT_EQ(look.columns[1].use, "y");
  EXPECT_EQ(look.columns[2].use, "");
  EXPECT_EQ(look_of("Setup,epochs,seconds\na,1 epoch,9\nb,2 epochs,5\n").x, "");
}

TEST(LookAt, TakesSizesOfModelsBesideALossForParameters) {
  const TableLook look = look_of("Model,PPL\n125M,11.96\n350M,8.98\n600M,7.98\n1B,7.17\n");
  EXPECT_EQ(look.x, "Model");
  EXPECT_EQ(look.y, "PPL");
  EXPECT_EQ(look_of("Model,PPL\na,11.96\nb,8.98\nc,7.98\n").x, "");
}

TEST(LookAt, ChoosesByValuesWhereRowsOfWordsAndNumbersHaveNoHeader) {
  const TableLook look = look_of(
      "mul,omp,1024,1,9.5\nmul,omp,1024,2,5.5\nmul,omp,1024,4,3.5\nsum,omp,1024,1,7.5\n"
      "sum,omp,1024,2,4.5\nsum,omp,1024,4,2.5\n");
  EXPECT_EQ(look.x, "c4");
  EXPECT_EQ(look.y, "c5");
  EXPECT_THAT(look.by, ElementsAre("c1"));
}

TEST(LookAt, ReadsListsInCellsAsRepeats) {
  const TableLook look =
      look_of("Cores,Time\n1,times: [0.98]\n2,times: [0.58, 0.59]\n4,\"[0.31, 0.29, 0.3]\"\n");
  EXPECT_EQ(look.rows, 6U);
  EXPECT_EQ(look.x, "Cores");
  EXPECT_EQ(look.y, "Time");
  EXPECT_THAT(finding(look, "layout"), HasSubstr("the lists in Time are repeats of their row"));
}

}  // namespace
}  // namespace scalelaw::test
