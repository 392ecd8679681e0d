#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// Calls find() on the leader and returns its files on every rank. Only one process can read pipes.
/// It then reads everything: `ranks` becomes nullptr there, and the others wait for its end.
template <class Find>
std::vector<std::string> shared_paths(Ranks*& ranks, const Find& find) {
  if (ranks == nullptr) return find();
  std::vector<std::string> paths;
  if (ranks->leads()) {
    paths = find();
    if (!std::all_of(paths.begin(), paths.end(), is_regular_file)) {
      ranks = nullptr;
      return paths;
    }
  }
  return split_texts(ranks->broadcast(joined_texts(paths)));
}

}  // namespace scalelaw
