#include "input/header_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalelaw/input/csv.hpp"

namespace scalelaw::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(const std::string& text) {
  return parse_header(text, true, "t.csv")->names;
}

TEST(HeaderNames, OfMergedCellsAreJoinedWithThoseBelow) {
  EXPECT_THAT(names_of("\targon\t\tkrypton\t\nranks\ts\tspeedup\ts\tspeedup\n1\t9\t1\t8\t1\n"),
              ElementsAre("ranks", "argon s", "argon speedup", "krypton s", "krypton speedup"));
  EXPECT_THAT(names_of("gpus,time,time\n,CPU,GPU\n1,9,8\n2,5,4\n"),
              ElementsAre("gpus", "time CPU", "time GPU"));
}

TEST(HeaderNames, AreNotJoinedWithARowOfValues) {
  for (const char* text : {"gpus,time,note\n,,x\n1,9,y\n",  // Names tell the columns apart.
                           ",model,state\nx,BERT,ok\ny,GPT,failed\n",  // Texts in all rows.
                           "gpus,time,time\n,OOM,-\n1,a,b\n"}) {
    EXPECT_EQ(parse_header(text, true, "t.csv")->lines, 1U) << text;
  }
}

TEST(HeaderNames, ThatRepeatTakeTheWordsAbove) {
  EXPECT_THAT(
      names_of("#     train comm  train comm\nGPUs  ring ring tree tree\n1 9 0 9 0\n2 5 1 4 1\n"),
      ElementsAre("GPUs", "train ring", "comm ring", "train tree", "comm tree"));
}

TEST(HeaderNames, OfMoreFieldsThanTheRowsAreJoinedInThousandsAndBrackets) {
  EXPECT_THAT(names_of("tasks,time N=10,000 each\n1,0.37\n2,0.45\n"),
              ElementsAre("tasks", "time N=10,000 each"));
  EXPECT_THAT(names_of("tasks,time (s, mean)\n1,0.37\n2,0.45\n"),
              ElementsAre("tasks", "time (s,mean)"));
  EXPECT_THAT(names_of("a,b,c\n1,2\n3,4\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names_of("v2,time,note\n1,2\n3,4\n"), ElementsAre("v2", "time", "note"));
}

TEST(HeaderNames, StandInRowsThatNameTheirValues) {
  const std::string text =
      "size,1000,procs,1,time,0.5\nsize,1000,procs,2,time,0.3\n"
      "size,1000,procs,4,time,0.2\n";
  const auto header = parse_header(text, true, "t.csv");
  EXPECT_THAT(header->names, ElementsAre("c1", "size", "c3", "procs", "c5", "time"));
  EXPECT_EQ(find_column(*header, "c4", "t.csv"), 3U);  // As such columns were called before.
  EXPECT_THAT(names_of("Threads: 1 Time: 9.5\nThreads: 2 Time: 5.5\nThreads: 4 Time: 3\n"),
              ElementsAre("c1", "Threads", "c3", "Time"));
  EXPECT_THAT(names_of("omp,float,1024,1,9.5\nomp,float,1024,2,5.5\nomp,float,1024,4,3\n"),
              ElementsAre("c1", "c2", "c3", "c4", "c5"));
  EXPECT_THAT(names_of("1,run,9.5\n2,run,5.5\n4,run,3\n"), ElementsAre("c1", "c2", "c3"));
}

TEST(HeaderNames, GetTheEmptyOneOfASeparatorAtTheEndOfAllRows) {
  EXPECT_THAT(names_of("gpus,time\n1,9,\n2,5,\n"), ElementsAre("gpus", "time", ""));
  EXPECT_THAT(names_of("gpus,time\n1,9,\n2,5,x\n"), ElementsAre("gpus", "time"));
}

}  // namespace
}  // namespace scalelaw::test
