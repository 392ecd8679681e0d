// Says after each unit test which mutants it reached. scripts/mutate compiles it into its copy of
// the tests.
#include <gtest/gtest.h>

#include <string>

#include "scalelaw/mutants.hpp"

namespace {

class ReachListener : public testing::EmptyTestEventListener {
  /// What was reached before any test, such as constants, every test may depend on.
  void OnTestProgramStart(const testing::UnitTest& /*tests*/) override {
    mutants::is_on(0);
    mutants::write_reached("*");
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    const auto milliseconds = std::to_string(test.result()->elapsed_time());
    mutants::write_reached(
        (name + " " + milliseconds + (test.result()->Failed() ? " failed" : " ok")).c_str());
  }
};

[[maybe_unused]] const bool kListens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new ReachListener);
  return true;
}();

}  // namespace
