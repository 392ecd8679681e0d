#pragma once

#include <string>
#include <string_view>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// The words of sentences about a response, by what it is.
struct ResponseWords {
  std::string noun;          ///< "time", "rate", "loss"; a name where none tells it: "accuracy".
  std::string several;       ///< "times", "values of accuracy".
  std::string_view best;     ///< "shortest", or of a rate "highest".
  std::string_view have;     ///< "take", "give": what runs do.
  std::string_view worsens;  ///< "takes longer", "falls".
  std::string_view more;     ///< "slower", "higher": what more of it is.
  std::string_view good;     ///< "fast": a night of good values.
  /// How runs of two levels compare: those with {0} have {1} times the noun {3} of those with {2}.
  std::string_view ratio;
};

/// Those of a column by its kind and whether less of it is better. What no name tells is a time, or
/// a rate where it is fitted as one.
ResponseWords words_of(const std::string& y, Kind kind, Response response);
ResponseWords words_of(const StudyReport& study, Response response);
/// Those of a column of which the name alone is known.
ResponseWords words_of(const std::string& y, Response response);

/// Whether the columns stand in a formula by their names: x is no number of GPUs, processes or
/// nodes, and both names are one word.
bool is_named_in_formula(std::string_view x, std::string_view y);

/// A law in the names of its columns, "loss = alpha * flops^(-beta)", where they can stand in it.
std::string named_formula(const Law& law, const StudyReport& study, Response response);

/// A law in its own letters of times and rates, else that with names: "L = alpha * N^(-beta)".
std::string formula_of(const Law& law, const StudyReport& study, Response response);

}  // namespace scalelaw
