#pragma once

#include <string>
#include <string_view>

#include "scalelaw/fit/law.hpp"

namespace scalelaw {

/// The words of sentences about a response, by what it is.
struct ResponseWords {
  std::string_view noun;     ///< "time", "rate", "loss".
  std::string_view several;  ///< "times".
  std::string_view best;     ///< "shortest", or of a rate "highest".
  std::string_view have;     ///< "take", "give": what runs do.
  std::string_view worsens;  ///< "takes longer", "falls".
  std::string_view worse;    ///< "slower", "lower".
  std::string_view good;     ///< "fast": a night of good values.
  /// How runs of two levels compare: those with {0} have {1} times the response of those with {2}.
  std::string_view ratio;
};

/// Those of a column: of a rate where it is fitted as one, else by its name. What no name tells is
/// a time.
const ResponseWords& words_of_response(std::string_view y, Response response);

/// Whether the columns stand in a formula by their names: x is no number of GPUs, processes or
/// nodes, and both names are one word.
bool is_named_in_formula(std::string_view x, std::string_view y);

/// A law in the names of its columns, "loss = alpha * flops^(-beta)"; "L = alpha * N^(-beta)" where
/// they cannot stand in it.
std::string named_formula(std::string_view formula, const std::string& x, const std::string& y);

}  // namespace scalelaw
