#include "scalelaw/base/error.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "scalelaw/base/code_help.hpp"

namespace scalelaw {

ParseError::ParseError(std::string_view source, std::uint64_t line, std::string_view message)
    : Error(fmt::format("{}:{}: {}", source, line, message)) {}

ParseError::ParseError(std::string_view place, std::string_view message)
    : Error(fmt::format("{}: {}", place, message)) {}

std::span<const CodeHelp> failure_codes() {
  static constexpr std::array kCodes{
      CodeHelp{"too-few-points", "there are fewer runs than the law has parameters",
               "The group has fewer runs with a value than the law has parameters, so many curves "
               "go through all of them.",
               "Measure more runs, choose a law with fewer parameters with --law, or merge groups "
               "by naming fewer columns in --by."},
      CodeHelp{"too-few-x", "there are fewer scales than the law has parameters",
               "The runs of the group were made at fewer different scales than the law has "
               "parameters. A law needs several scales.",
               "Measure at more scales. If the table has more of them, look at --by: one of its "
               "columns may divide the runs too finely."},
      CodeHelp{"no-spread", "the scales or values hardly differ",
               "The scales differ too little for the precision of numbers, or all values are the "
               "same, so there is no slope to find.",
               "Measure at different scales, and check that -x names the right column."},
      CodeHelp{"not-converged", "the search for the law found no solution",
               "The search for the parameters did not end at one solution, or more than half of "
               "the resamples of a bootstrap had no fit.",
               "Try another law with --law, leave odd runs out with --where, or leave --robust and "
               "--bootstrap out."},
      CodeHelp{"not-identifiable", "the runs do not determine the law",
               "Several sets of parameters describe the runs equally well, or a parameter is too "
               "large or too small for a number.",
               "Measure more scales over a wider range, or choose a simpler law with --law."},
      CodeHelp{"too-few-levels", "there are too few settings to compare",
               "A comparison of settings needs runs with at least two of them, and caps needs runs "
               "at the setting that the others are compared with.",
               "Measure another setting, or choose the reference with --reference."}};
  return kCodes;
}

std::string_view name_of(FailureCode code) {
  const auto place = static_cast<std::size_t>(code);
  return place < failure_codes().size() ? failure_codes()[place].code : "unknown";
}

}  // namespace scalelaw
