#include "trace/name_pattern.hpp"

#include <gmock/gmock.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::Pair;

TEST(NamePattern, TakesFactsFromTheNameOfTheFile) {
  const NamePattern pattern("{model}-{gpus}gpu");
  EXPECT_THAT(pattern.facts_of("runs/bert-8gpu.out"),
              Optional(ElementsAre(Pair("model", "bert"), Pair("gpus", "8"))));
  EXPECT_THAT(pattern.facts_of("bert-large-16gpu.log.gz"),
              Optional(ElementsAre(Pair("model", "bert-large"), Pair("gpus", "16"))));
}

TEST(NamePattern, TakesTheNearestFolderThatFits) {
  const NamePattern pattern("n{gpus}");
  EXPECT_THAT(pattern.facts_of("/study/n4/n16/trainer_state.json"),
              Optional(ElementsAre(Pair("gpus", "16"))));
  EXPECT_THAT(pattern.facts_of("study/n4/seed1/all_results.json"),
              Optional(ElementsAre(Pair("gpus", "4"))));
}

TEST(NamePattern, FitsTheWholeNameOrNothing) {
  const NamePattern pattern("{model}_x{gpus}.v1");
  EXPECT_EQ(pattern.facts_of("runs/bert_x8.v12.out"), std::nullopt);
  EXPECT_EQ(pattern.facts_of("runs/bert_x.v1.out"), std::nullopt) << "a name stands for something";
  EXPECT_EQ(pattern.facts_of("runs/bert_x8av1.out"), std::nullopt) << "a point is a point";
  EXPECT_NE(pattern.facts_of("runs/bert_x8.v1.out"), std::nullopt);
}

TEST(NamePattern, ACountIsDigits) {
  EXPECT_EQ(NamePattern("{gpus}").facts_of("all_results_4gpu.json"), std::nullopt);
  EXPECT_THAT(NamePattern("{gpus}").facts_of("n/16/all_results.json"),
              Optional(ElementsAre(Pair("gpus", "16"))));
  EXPECT_EQ(NamePattern("n{nodes}").facts_of("nx.log"), std::nullopt);
}

std::string error_of(std::string_view pattern) {
  try {
    const NamePattern made(pattern);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(NamePattern, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(error_of("run"), HasSubstr("it has no name in braces; expected for example"));
  EXPECT_THAT(error_of(""), HasSubstr("it has no name in braces"));
  EXPECT_THAT(error_of("{model"), HasSubstr("a brace has no companion"));
  EXPECT_THAT(error_of("model}"), HasSubstr("a brace has no companion"));
  EXPECT_THAT(error_of("{a{b}}"), HasSubstr("a brace has no companion"));
  EXPECT_THAT(error_of("{}-x"), HasSubstr("a name is empty"));
  EXPECT_THAT(error_of("{a}-{a}"), HasSubstr("{a} comes twice"));
  EXPECT_THAT(error_of("{a}{b}"), HasSubstr("nothing stands behind {a}"));
}

}  // namespace
}  // namespace scalelaw
