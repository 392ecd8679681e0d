#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The words of a column's name: lower case, singular, with short forms written out, without units
/// in brackets. "World Size (GPUs)" -> world, size, gpu; "nProcs" -> num, process; "tokens/s" ->
/// token, per, second.
std::vector<std::string> words_of_name(std::string_view header);

/// The same words as the name has them, in lower case: "nProcs" -> n, procs.
std::vector<std::string> words_as_written(std::string_view header);

/// An English noun in lower case without the ending of its plural: "queries" is "query", and
/// "process" stays.
std::string singular_word(std::string word);

}  // namespace scalelaw
