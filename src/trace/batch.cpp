#include "trace/batch.hpp"

#include <algorithm>

namespace scalelaw {

bool split_words(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view kBlanks = " \t";
  words.clear();
  std::size_t begin = line.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos && words.size() <= kMostWords) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words.size() <= kMostWords;
}

}  // namespace scalelaw
